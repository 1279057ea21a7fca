//! Consecutive vectors, compared with another vector as fast as memory can be read.

use std::hint::black_box;

use pulp::{Arch, NullaryFnOnce};

use super::rows::Rows;
use crate::model::vector::{DIMENSIONS, Vector, distance, dot};

/// Vectors by row number.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    rows: Rows,
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
        let components = vector.and_then(|vector| vector.as_bytes().first_chunk());
        self.rows.push(components);
        let inverse_length = components.map_or(f64::NAN, |it| inverse_length(dot(it, it)));
        self.inverse_lengths.push(inverse_length);
    }

    /// Frees memory that was only needed to add vectors.
    pub(super) fn shrink(&mut self) {
        self.inverse_lengths.shrink_to_fit();
    }

    /// The vector of a row, if it has one.
    pub(super) fn vector(&self, row: usize) -> Option<Vector> {
        let components = self.rows.row(row).map(u8::cast_signed);
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

    /// `rows`, if they are consecutive and can be read as one slice, with their inverse lengths.
    fn consecutive(&self, rows: &[u32]) -> Option<(&[[u8; DIMENSIONS]], &[f64])> {
        let (first, last) = (*rows.first()? as usize, *rows.last()? as usize);
        if last - first + 1 != rows.len() {
            return None;
        }
        let vectors = self.rows.consecutive(first, rows.len())?;
        Some((vectors, self.inverse_lengths.get(first..=last)?))
    }

    /// The inverse lengths of these rows, at most a block. Also reads a byte of every cache line of the rows: nothing
    /// waits for these bytes, so the processor fetches many rows at once. The products that follow would wait for a
    /// few at a time.
    fn fetch(&self, rows: &[u32]) -> [f64; BLOCK] {
        const CACHE_LINE: usize = 64;
        let mut inverse_lengths = [f64::NAN; BLOCK];
        let mut lines = 0;
        for (inverse_length, row) in inverse_lengths.iter_mut().zip(rows) {
            let row = *row as usize;
            *inverse_length = self.inverse_lengths[row];
            let components = self.rows.row(row).iter();
            lines = components.step_by(CACHE_LINE).fold(lines, |all, byte| all ^ byte);
        }
        black_box(lines);
        inverse_lengths
    }
}

fn inverse_length(squares: i32) -> f64 {
    match squares {
        0 => 0.0,
        squares => f64::from(squares).sqrt().recip(),
    }
}

impl Comparison<'_> {
    /// Moves to the next rows, in ascending order and at most a block.
    pub(super) fn go_to(&mut self, rows: &[u32]) {
        let matrix = self.matrix;
        match matrix.consecutive(rows) {
            Some((vectors, inverse_lengths)) => {
                self.multiply(vectors.iter(), inverse_lengths.iter().copied());
            }
            None => {
                let inverse_lengths = matrix.fetch(rows);
                let vectors = rows.iter().map(|row| matrix.rows.row(*row as usize));
                self.multiply(vectors, inverse_lengths.into_iter());
            }
        }
    }

    fn multiply<'b>(
        &mut self,
        vectors: impl Iterator<Item = &'b [u8; DIMENSIONS]>,
        inverse_lengths: impl Iterator<Item = f64>,
    ) {
        self.arch.dispatch(Products {
            vectors,
            inverse_lengths,
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
        let there = self.matrix.rows.row(row as usize);
        Some(distance(self.dots[place], self.squares, dot(there, there)))
    }
}

/// The work on one block, with the widest instructions that the processor has.
struct Products<'a, V, L> {
    vectors: V,
    inverse_lengths: L,
    sought: &'a [i16; DIMENSIONS],
    inverse_length: f64,
    dots: &'a mut [i32; BLOCK],
    roughly: &'a mut [f64; BLOCK],
}

impl<'b, V, L> NullaryFnOnce for Products<'_, V, L>
where
    V: Iterator<Item = &'b [u8; DIMENSIONS]>,
    L: Iterator<Item = f64>,
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (dot, vector) in self.dots.iter_mut().zip(self.vectors) {
            let products = vector.iter().zip(self.sought).map(|(byte, wide)| {
                let component = i16::from(byte.cast_signed());
                i32::from(component) * i32::from(*wide)
            });
            *dot = products.sum();
        }
        let places = self.roughly.iter_mut().zip(&*self.dots);
        for ((roughly, dot), length) in places.zip(self.inverse_lengths) {
            *roughly = 1.0 - f64::from(*dot) * (self.inverse_length * length);
        }
    }
}
