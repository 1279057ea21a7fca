//! Vectors that stand for what a text means.

/// Cosine distance of two vectors of unit length, in `[0, 2]`: 0 for the same direction, 1 where
/// either is all zero.
pub fn cosine_distance(a: &[f32], b: &[f32]) -> f64 {
    let dot: f64 = a
        .iter()
        .zip(b)
        .map(|(x, y)| f64::from(*x) * f64::from(*y))
        .sum();
    (1.0 - dot).clamp(0.0, 2.0)
}
