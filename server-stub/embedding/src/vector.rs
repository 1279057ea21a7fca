//! Vectors that represent the meanings of texts, and the distance between two of them.
//!
//! By definition the components are whole numbers of 8 bits: a meaning has no other form, neither in memory nor on
//! disk. Every sum of products is therefore a whole number, which any processor and any database computes exactly, in
//! whatever order it adds. The distance between two meanings is the same to the last bit everywhere.

use std::fmt;

use bytes::Bytes;
use pulp::{Arch, NullaryFnOnce};

/// Components of every vector.
pub const DIMENSIONS: usize = 256;

/// The meaning of a text: a direction in 256 dimensions, each component from -127 to 127. All zero means nothing.
///
/// A clone shares the components, and so do the vectors that are cut from one [matrix](Self::cut).
#[derive(Clone, PartialEq, Eq)]
pub struct Vector(Bytes);

impl Vector {
    /// A vector with these components.
    pub fn new(components: [i8; DIMENSIONS]) -> Self {
        Self(Bytes::from_owner(components.map(i8::cast_unsigned)))
    }

    /// The direction of these numbers: scaled so that the largest in size becomes 127 or -127, and rounded.
    pub fn of_direction(numbers: &[f32; DIMENSIONS]) -> Self {
        let greatest = numbers.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        if greatest == 0.0 {
            return Self::new([0; DIMENSIONS]);
        }
        Self::new(numbers.map(|x| (x / greatest * 127.0).round() as i8))
    }

    /// The consecutive vectors in these bytes, with one byte per component.
    pub fn cut(matrix: &Bytes) -> impl Iterator<Item = Self> + '_ {
        let count = matrix.len() / DIMENSIONS;
        (0..count).map(|row| Self(matrix.slice(row * DIMENSIONS..(row + 1) * DIMENSIONS)))
    }

    /// The components, each as one byte.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Cosine distance from 0 to 2: 0 for the same direction, 1 where either vector is all zero.
    ///
    /// It is `1 - dot / sqrt(a * b)` in 64-bit floating point, where `dot` is the sum of the products of the
    /// components, and `a` and `b` are the sums of their squares.
    pub fn distance(&self, other: &Self) -> f64 {
        let (dot, a, b) = Arch::new().dispatch(Sums(self.as_bytes(), other.as_bytes()));
        distance(dot, a, b)
    }
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vector(..)")
    }
}

/// The sums that a distance consists of, with the widest instructions that the processor has.
struct Sums<'a>(&'a [u8], &'a [u8]);

impl NullaryFnOnce for Sums<'_> {
    type Output = (i32, i32, i32);

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self(a, b) = self;
        (dot(a, b), dot(a, a), dot(b, b))
    }
}

/// Sum of the products of components, each given as one byte. The result has room for far more than 256 of them.
#[inline(always)]
pub(crate) fn dot(a: &[u8], b: &[u8]) -> i32 {
    let products = a.iter().zip(b).map(|(x, y)| {
        let (x, y) = (i16::from(x.cast_signed()), i16::from(y.cast_signed()));
        i32::from(x) * i32::from(y)
    });
    products.sum()
}

/// The distance of two vectors, from the sum of their products and the sums of their squares.
pub(crate) fn distance(dot: i32, a: i32, b: i32) -> f64 {
    let squares = f64::from(a) * f64::from(b);
    if squares == 0.0 {
        return 1.0;
    }
    (1.0 - f64::from(dot) / squares.sqrt()).clamp(0.0, 2.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(first: &[i8]) -> Vector {
        let mut components = [0; DIMENSIONS];
        components[..first.len()].copy_from_slice(first);
        Vector::new(components)
    }

    #[test]
    fn distance_is_that_of_the_angle() {
        let east = vector(&[100]);
        for (other, expected) in [
            (vector(&[1]), 0.0),
            (vector(&[0, 5]), 1.0),
            (vector(&[-127]), 2.0),
            (vector(&[7, 7]), 1.0 - 0.5f64.sqrt()),
            (vector(&[]), 1.0),
        ] {
            let distance = east.distance(&other);
            assert!((distance - expected).abs() < 1e-15, "{distance}");
        }
        assert_eq!(vector(&[]).distance(&vector(&[])), 1.0);
    }

    #[test]
    fn direction_keeps_its_signs_and_its_proportions() {
        let mut numbers = [0.0; DIMENSIONS];
        numbers[..4].copy_from_slice(&[-0.5, 0.25, 0.001, 0.3]);
        let direction = Vector::of_direction(&numbers);
        assert_eq!(direction, vector(&[-127, 64, 0, 76]));
        assert_eq!(Vector::of_direction(&[0.0; DIMENSIONS]), vector(&[]));
    }

    #[test]
    fn vectors_are_cut_from_a_matrix_in_their_order() {
        let (a, b) = (vector(&[1, -2]), vector(&[3]));
        let matrix = Bytes::from([a.as_bytes(), b.as_bytes()].concat());
        assert_eq!(Vector::cut(&matrix).collect::<Vec<_>>(), [a, b]);
    }

    proptest! {
        #[test]
        fn distance_is_symmetric_and_zero_to_itself(
            a in prop::collection::vec(-127i8.., DIMENSIONS),
            b in prop::collection::vec(-127i8.., DIMENSIONS),
        ) {
            let (a, b) = (vector(&a), vector(&b));
            prop_assert_eq!(a.distance(&a), if a == vector(&[]) { 1.0 } else { 0.0 });
            prop_assert_eq!(a.distance(&b).to_bits(), b.distance(&a).to_bits());
            prop_assert!((0.0..=2.0).contains(&a.distance(&b)));
        }
    }
}
