//! Consecutive vectors, compared with another vector as fast as memory can be read.

use pulp::{Arch, NullaryFnOnce};

use crate::model::vector::{DIMENSIONS, Vector, distance, dot};

/// Vectors by row number.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    rows: Vec<u8>,
    /// The reciprocal of each vector's length, zero where the vector is all zero, and NaN where there is no vector.
    inverse_lengths: Vec<f64>,
}

/// Rows that are compared at a time.
pub(super) const BLOCK: usize = 128;

/// A vector that rows are compared with, and the rows that it is currently compared with.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    matrix: &'a Matrix,
    /// The components, widened for multiplication.
    sought: [i16; DIMENSIONS],
    squares: i32,
    inverse_length: f64,
    dots: [i32; BLOCK],
    /// Distances to the rows, accurate to nine digits, at a fraction of the cost. NaN where a row has no vector.
    pub(super) roughly: [f64; BLOCK],
    arch: Arch,
}

impl Matrix {
    pub(super) fn push(&mut self, vector: Option<&Vector>) {
        match vector {
            Some(vector) => {
                let components = vector.as_bytes();
                self.rows.extend_from_slice(components);
                let squares = dot(components, components);
                self.inverse_lengths.push(inverse_length(squares));
            }
            None => {
                self.rows.resize(self.rows.len() + DIMENSIONS, 0);
                self.inverse_lengths.push(f64::NAN);
            }
        }
    }

    /// Frees memory that was only needed to add vectors.
    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.inverse_lengths.shrink_to_fit();
    }

    /// The vector of a row, if it has one.
    pub(super) fn vector(&self, row: usize) -> Option<Vector> {
        let components = self.rows()[row].map(u8::cast_signed);
        (!self.inverse_lengths[row].is_nan()).then(|| Vector::new(components))
    }

    pub(super) fn compare(&self, sought: &Vector) -> Comparison<'_> {
        let components = sought.as_bytes();
        let squares = dot(components, components);
        let mut sought = [0; DIMENSIONS];
        for (wide, component) in sought.iter_mut().zip(components) {
            *wide = i16::from(component.cast_signed());
        }
        Comparison {
            matrix: self,
            sought,
            squares,
            inverse_length: inverse_length(squares),
            dots: [0; BLOCK],
            roughly: [0.0; BLOCK],
            arch: Arch::new(),
        }
    }

    fn rows(&self) -> &[[u8; DIMENSIONS]] {
        self.rows.as_chunks().0
    }
}

fn inverse_length(squares: i32) -> f64 {
    match squares {
        0 => 0.0,
        squares => f64::from(squares).sqrt().recip(),
    }
}

impl Comparison<'_> {
    /// Moves to the next rows, at most a block.
    pub(super) fn go_to(&mut self, rows: &[u32]) {
        self.arch.dispatch(Products {
            rows,
            matrix: self.matrix,
            sought: &self.sought,
            inverse_length: self.inverse_length,
            dots: &mut self.dots,
            roughly: &mut self.roughly,
        });
    }

    /// The exact distance to a row of the block; `None` if the row has no vector.
    pub(super) fn exactly(&self, place: usize, row: u32) -> Option<f64> {
        if self.roughly[place].is_nan() {
            return None;
        }
        let there = self.matrix.rows().get(row as usize)?;
        Some(distance(self.dots[place], self.squares, dot(there, there)))
    }
}

/// The work on one block, with the widest instructions that the processor has.
struct Products<'a> {
    rows: &'a [u32],
    matrix: &'a Matrix,
    sought: &'a [i16; DIMENSIONS],
    inverse_length: f64,
    dots: &'a mut [i32; BLOCK],
    roughly: &'a mut [f64; BLOCK],
}

impl NullaryFnOnce for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let matrix = self.matrix.rows();
        for (dot, row) in self.dots.iter_mut().zip(self.rows) {
            let products = matrix[*row as usize].iter().zip(self.sought);
            let products = products.map(|(byte, wide)| {
                let component = i16::from(byte.cast_signed());
                i32::from(component) * i32::from(*wide)
            });
            *dot = products.sum();
        }
        let places = self.roughly.iter_mut().zip(&*self.dots);
        for ((roughly, dot), row) in places.zip(self.rows) {
            let scale = self.inverse_length * self.matrix.inverse_lengths[*row as usize];
            *roughly = 1.0 - f64::from(*dot) * scale;
        }
    }
}
