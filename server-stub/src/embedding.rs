//! Turns a text into a vector whose direction is the text's meaning.

/// Components of every vector.
pub const DIMENSIONS: usize = 256;

/// The unit-length vector of a text; all zero when the text holds no known token.
pub fn embed(text: &str) -> Vec<f32> {
    // Interim: hashed words, until the distilled table is in place.
    let mut v = vec![0f32; DIMENSIONS];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
        let h = word.bytes().fold(0xcbf29ce484222325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100000001b3));
        v[(h % DIMENSIONS as u64) as usize] += if h >> 63 == 0 { 1.0 } else { -1.0 };
    }
    let n = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    if n > 0.0 { v.iter_mut().for_each(|x| *x /= n); }
    v
}

/// Cosine distance of two vectors made by [`embed`], in `[0, 2]`.
pub fn cosine_distance(a: &[f32], b: &[f32]) -> f64 {
    let dot: f64 = a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
    (1.0 - dot).clamp(0.0, 2.0)
}
