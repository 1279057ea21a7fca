//! Consecutive vectors, compared with another vector as fast as memory can be read.

use std::hint::black_box;

use pulp::{Arch, NullaryFnOnce};

use crate::rows::{PIECE, Rows};
use crate::vector::{DIMENSIONS, Vector, distance, dot};

/// Vectors by row number.
#[derive(Debug, Default)]
pub struct Matrix {
    rows: Rows,
    /// The reciprocal of each vector's length, zero where the vector is all zero, and NaN where there is no vector.
    inverse_lengths: Vec<f32>,
}

/// Rows that are compared at a time.
pub const BLOCK: usize = 128;

/// Consecutive rows of a block never lie in two pieces.
const _: () = assert!(PIECE.is_multiple_of(BLOCK));

/// The rows of a block, in ascending order.
#[derive(Debug, Clone, Copy)]
pub enum Block<'a> {
    /// Consecutive rows that begin with a multiple of `BLOCK`.
    Run {
        /// The first row.
        first: u32,
        /// The number of rows, at most `BLOCK`.
        count: usize,
    },
    /// Any rows, at most `BLOCK`.
    List(&'a [u32]),
}

impl Block<'_> {
    /// The number of rows.
    pub fn count(self) -> usize {
        match self {
            Self::Run { count, .. } => count,
            Self::List(rows) => rows.len(),
        }
    }

    /// The row at a place of the block, which counts from 0.
    pub fn row(self, place: usize) -> u32 {
        match self {
            Self::Run { first, .. } => first + place as u32,
            Self::List(rows) => rows[place],
        }
    }
}

/// An upper bound on the error of an approximate distance.
const ROUGH: f64 = 2e-6;

/// A vector that rows are compared with, and the rows that it is currently compared with.
#[derive(Debug)]
pub struct Comparison<'a> {
    matrix: &'a Matrix,
    /// The components, widened for multiplication.
    sought: [i16; DIMENSIONS],
    squares: i32,
    inverse_length: f32,
    dots: [i32; BLOCK],
    /// Distances to the rows, accurate to six digits, at a fraction of the cost. NaN where a row has no vector.
    pub roughly: [f32; BLOCK],
    arch: Arch,
}

impl Matrix {
    /// Appends a row; `None` is a row without a vector, which is compared with nothing.
    pub fn push(&mut self, vector: Option<&Vector>) {
        let components = vector.and_then(|vector| vector.as_bytes().first_chunk());
        self.rows.push(components);
        let inverse_length = components.map_or(f32::NAN, |it| inverse_length(Arch::new().dispatch(Squares(it))));
        self.inverse_lengths.push(inverse_length);
    }

    /// Frees memory that was only needed to add vectors.
    pub fn shrink(&mut self) {
        self.inverse_lengths.shrink_to_fit();
    }

    /// The vector of a row, if it has one.
    pub fn vector(&self, row: usize) -> Option<Vector> {
        let components = self.rows.row(row).map(u8::cast_signed);
        (!self.inverse_lengths[row].is_nan()).then(|| Vector::new(components))
    }

    /// Begins a comparison of rows with a vector.
    pub fn compare(&self, sought: &Vector) -> Comparison<'_> {
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

    /// The inverse lengths of these rows, at most a block. Also reads a byte of every cache line of the rows: nothing
    /// waits for these bytes, so the processor fetches many rows at once. The products that follow would wait for a
    /// few at a time.
    fn fetch(&self, rows: &[u32]) -> [f32; BLOCK] {
        const CACHE_LINE: usize = 64;
        let mut inverse_lengths = [f32::NAN; BLOCK];
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

fn inverse_length(squares: i32) -> f32 {
    match squares {
        0 => 0.0,
        squares => f64::from(squares).sqrt().recip() as f32,
    }
}

/// Whether one of these approximate distances may be below the bar. Most blocks have none, and this is known faster for
/// all of them at once.
#[inline(always)]
pub fn may_be_below(roughly: &[f32], bar: f64) -> bool {
    let limit = (bar + ROUGH) as f32;
    roughly.iter().fold(false, |any, roughly| any | (*roughly < limit))
}

impl Comparison<'_> {
    /// Moves to the next rows. Returns whether a distance may be below the bar.
    pub fn go_to(&mut self, block: Block<'_>, bar: f64) -> bool {
        let matrix = self.matrix;
        match block {
            Block::Run { first, count } => {
                let first = first as usize;
                let inverse_lengths = &matrix.inverse_lengths[first..first + count];
                let vectors = matrix.rows.consecutive(first, count).iter();
                self.multiply(vectors, inverse_lengths, bar)
            }
            Block::List(rows) => {
                let inverse_lengths = matrix.fetch(rows);
                let vectors = rows.iter().map(|row| matrix.rows.row(*row as usize));
                self.multiply(vectors, &inverse_lengths[..rows.len()], bar)
            }
        }
    }

    fn multiply<'b>(
        &mut self,
        vectors: impl Iterator<Item = &'b [u8; DIMENSIONS]>,
        inverse_lengths: &[f32],
        bar: f64,
    ) -> bool {
        self.arch.dispatch(Products {
            vectors,
            inverse_lengths,
            sought: &self.sought,
            inverse_length: self.inverse_length,
            dots: &mut self.dots,
            roughly: &mut self.roughly,
            bar,
        })
    }

    /// The exact distance to a row of the block; `None` if the row has no vector.
    pub fn exactly(&self, place: usize, row: u32) -> Option<f64> {
        if self.roughly[place].is_nan() {
            return None;
        }
        let there = self.matrix.rows.row(row as usize);
        Some(distance(self.dots[place], self.squares, dot(there, there)))
    }
}

/// The work on one block, with the widest instructions that the processor has.
struct Products<'a, V> {
    vectors: V,
    inverse_lengths: &'a [f32],
    sought: &'a [i16; DIMENSIONS],
    inverse_length: f32,
    dots: &'a mut [i32; BLOCK],
    roughly: &'a mut [f32; BLOCK],
    bar: f64,
}

impl<'b, V: Iterator<Item = &'b [u8; DIMENSIONS]>> NullaryFnOnce for Products<'_, V> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        for (dot, vector) in self.dots.iter_mut().zip(self.vectors) {
            let products = vector.iter().zip(self.sought).map(|(byte, wide)| {
                let component = i16::from(byte.cast_signed());
                i32::from(component) * i32::from(*wide)
            });
            *dot = products.sum();
        }
        let roughly = &mut self.roughly[..self.inverse_lengths.len()];
        for ((roughly, dot), length) in roughly.iter_mut().zip(&*self.dots).zip(self.inverse_lengths) {
            // A product of vectors is a whole number that `f32` holds exactly.
            *roughly = 1.0 - *dot as f32 * (self.inverse_length * length);
        }
        may_be_below(roughly, self.bar)
    }
}

/// The sum of the squares of a vector, with the widest instructions that the processor has.
struct Squares<'a>(&'a [u8; DIMENSIONS]);

impl NullaryFnOnce for Squares<'_> {
    type Output = i32;

    #[inline(always)]
    fn call(self) -> i32 {
        dot(self.0, self.0)
    }
}
