//! The arithmetic of a transformer. It uses the processor's widest instructions, yet the result is the same to the last
//! bit on every processor: each sum has one fixed order, no operations are fused, and `exp` is computed here.

use pulp::{Arch, NullaryFnOnce};

/// Partial sums of a dot product, which the processor computes in parallel.
const LANES: usize = 16;

/// Rows of inputs that are multiplied by a row of weights at a time.
const TILE: usize = 4;

/// A matrix of weights, with a row and a bias for each output.
pub(super) struct Linear {
    weights: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    /// Has an output for each number of `bias`. `weights` has a row of inputs for each output.
    pub(super) fn new(weights: Vec<f32>, bias: Vec<f32>) -> Self {
        Self { weights, bias }
    }

    /// A row of outputs for each row of inputs.
    pub(super) fn apply(&self, inputs: &[f32]) -> Vec<f32> {
        let width = self.weights.len() / self.bias.len();
        let mut outputs = vec![0.0; inputs.len() / width * self.bias.len()];
        Arch::new().dispatch(Products {
            linear: self,
            width,
            inputs,
            outputs: &mut outputs,
        });
        outputs
    }
}

struct Products<'a> {
    linear: &'a Linear,
    width: usize,
    inputs: &'a [f32],
    outputs: &'a mut [f32],
}

impl NullaryFnOnce for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let columns = self.linear.bias.len();
        let tiled = self.inputs.len() / self.width / TILE * TILE;
        // The weights are much larger than the inputs, so the weights are read only once.
        for column in 0..columns {
            for row in (0..tiled).step_by(TILE) {
                self.multiply::<TILE>(row, column);
            }
            for row in tiled..self.inputs.len() / self.width {
                self.multiply::<1>(row, column);
            }
        }
    }
}

impl Products<'_> {
    /// Computes one output for `ROWS` rows, starting at this row.
    #[inline(always)]
    fn multiply<const ROWS: usize>(&mut self, row: usize, column: usize) {
        let width = self.width;
        let weights = &self.linear.weights[column * width..(column + 1) * width];
        let inputs: [&[f32]; ROWS] = std::array::from_fn(|next| {
            let start = (row + next) * width;
            &self.inputs[start..start + width]
        });
        let columns = self.linear.bias.len();
        for (next, product) in dots(weights, inputs).into_iter().enumerate() {
            self.outputs[(row + next) * columns + column] = product + self.linear.bias[column];
        }
    }
}

/// The dot products of a row with several others of the same length.
#[inline(always)]
fn dots<const ROWS: usize>(one: &[f32], others: [&[f32]; ROWS]) -> [f32; ROWS] {
    let (blocks, rest) = one.as_chunks::<LANES>();
    let mut lanes = [[0.0; LANES]; ROWS];
    let other_blocks = others.map(|other| &other.as_chunks::<LANES>().0[..blocks.len()]);
    for (at, block) in blocks.iter().enumerate() {
        for (lanes, other) in lanes.iter_mut().zip(&other_blocks) {
            for ((lane, a), b) in lanes.iter_mut().zip(block).zip(&other[at]) {
                *lane += a * b;
            }
        }
    }
    let mut products = [0.0; ROWS];
    for ((product, lanes), other) in products.iter_mut().zip(lanes).zip(others) {
        *product = total(lanes);
        for (a, b) in rest.iter().zip(&other[blocks.len() * LANES..]) {
            *product += a * b;
        }
    }
    products
}

/// The sum of some lanes: adds the second half to the first until one lane is left.
#[inline(always)]
fn total(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Attention: what each position of a sequence takes from all positions. Each position has a row in `queries`, `keys`
/// and `values`, and each row has a part for each head.
pub(super) fn attend(heads: usize, width: usize, queries: &[f32], keys: &[f32], values: &[f32]) -> Vec<f32> {
    let mut result = vec![0.0; values.len()];
    Arch::new().dispatch(Attention {
        heads,
        width,
        queries,
        keys,
        values,
        result: &mut result,
    });
    result
}

struct Attention<'a> {
    heads: usize,
    width: usize,
    queries: &'a [f32],
    keys: &'a [f32],
    values: &'a [f32],
    result: &'a mut [f32],
}

impl NullaryFnOnce for Attention<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let part = self.width / self.heads;
        let scale = (part as f32).sqrt();
        let mut shares = Vec::with_capacity(self.keys.len() / self.width);
        for start in (0..self.width).step_by(part) {
            let of_head = start..start + part;
            let queries = self.queries.chunks_exact(self.width);
            for (query, result) in queries.zip(self.result.chunks_exact_mut(self.width)) {
                let query = &query[of_head.clone()];
                shares.clear();
                for key in self.keys.chunks_exact(self.width) {
                    let [product] = dots(query, [&key[of_head.clone()]]);
                    shares.push(product / scale);
                }
                to_shares(&mut shares);
                let result = &mut result[of_head.clone()];
                for (share, value) in shares.iter().zip(self.values.chunks_exact(self.width)) {
                    for (result, value) in result.iter_mut().zip(&value[of_head.clone()]) {
                        *result += share * value;
                    }
                }
            }
        }
    }
}

/// Softmax: positive shares that add up to one, in proportion to the exponentials of the scores.
#[inline(always)]
fn to_shares(scores: &mut [f32]) {
    let greatest = scores.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    for score in &mut *scores {
        *score = exp(*score - greatest);
    }
    let sum: f32 = scores.iter().sum();
    for score in scores {
        *score /= sum;
    }
}

/// The activation of BERT, `x Φ(x)` with the distribution function of the normal distribution.
pub(super) fn gelu(values: &mut [f32]) {
    Arch::new().dispatch(Gelu(values));
}

struct Gelu<'a>(&'a mut [f32]);

impl NullaryFnOnce for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for value in self.0 {
            *value *= 0.5 + 0.5 * erf(*value * std::f32::consts::FRAC_1_SQRT_2);
        }
    }
}

/// The error function, within 3e-7: formula 7.1.26 of Abramowitz and Stegun.
#[inline(always)]
fn erf(x: f32) -> f32 {
    const COEFFICIENTS: [f32; 5] = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let polynomial = COEFFICIENTS.iter().fold(0.0, |sum, c| (sum + c) * t);
    (1.0 - polynomial * exp(-size * size)).copysign(x)
}

/// `e^x` for any `x` up to 88, within 2e-7 of its size: `2^n` times a polynomial of the remainder.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// Adding this to a small number leaves no bits for a fraction, so the sum is rounded.
    const ROUNDING: f32 = 12_582_912.0;
    /// The logarithm of 2 in two parts. The first times `n` is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    const COEFFICIENTS: [f32; 6] = [
        1.987_569_1e-4,
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ];
    let x = x.max(-87.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUNDING;
    let n = rounded - ROUNDING;
    let rest = x - n * LN_2[0] - n * LN_2[1];
    let polynomial = COEFFICIENTS.iter().fold(0.0, |sum, c| sum * rest + c);
    let of_rest = polynomial * rest * rest + rest + 1.0;
    // The last bits of `rounded` are `n`; shifted to the exponent they are 2^n.
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0f32.to_bits()));
    of_rest * power
}

/// Scales each row to mean 0 and variance 1, then applies the scale and the offset of each position.
pub(super) struct Normalization {
    scale: Vec<f32>,
    offset: Vec<f32>,
    epsilon: f64,
}

impl Normalization {
    pub(super) fn new(scale: Vec<f32>, offset: Vec<f32>, epsilon: f64) -> Self {
        Self { scale, offset, epsilon }
    }

    pub(super) fn apply(&self, rows: &mut [f32]) {
        let width = self.scale.len();
        for row in rows.chunks_exact_mut(width) {
            let sum: f64 = row.iter().map(|x| f64::from(*x)).sum();
            let mean = sum / width as f64;
            let distances = row.iter().map(|x| f64::from(*x) - mean);
            let squares: f64 = distances.map(|distance| distance * distance).sum();
            let factor = (squares / width as f64 + self.epsilon).sqrt().recip();
            let places = self.scale.iter().zip(&self.offset);
            for (x, (scale, offset)) in row.iter_mut().zip(places) {
                *x = ((f64::from(*x) - mean) * factor) as f32 * scale + offset;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern, from -1 to 1.
    fn numbers(count: usize) -> Vec<f32> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (f64::from(state) / f64::from(u32::MAX) * 2.0 - 1.0) as f32
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn products_are_those_of_plain_loops_for_any_number_of_rows_and_inputs() {
        for (rows, width, columns) in [(1, 1, 1), (3, 5, 2), (4, 16, 3), (7, 32, 5), (9, 53, 2)] {
            let (inputs, weights, bias) = (numbers(rows * width), numbers(columns * width), numbers(columns));
            let outputs = Linear::new(weights.clone(), bias.clone()).apply(&inputs);
            assert_eq!(outputs.len(), rows * columns);
            for (place, output) in outputs.iter().enumerate() {
                let (row, column) = (place / columns, place % columns);
                let pairs = inputs[row * width..][..width]
                    .iter()
                    .zip(&weights[column * width..][..width]);
                let exact: f64 = pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                let exact = exact + f64::from(bias[column]);
                assert!((f64::from(*output) - exact).abs() < 1e-5, "{rows} {width}");
            }
        }
    }

    #[test]
    fn row_has_the_same_outputs_alone_and_among_others() {
        let (rows, width) = (6, 37);
        let inputs = numbers(rows * width);
        let linear = Linear::new(numbers(4 * width), numbers(4));
        let together = linear.apply(&inputs);
        let apart: Vec<f32> = inputs.chunks(width).flat_map(|row| linear.apply(row)).collect();
        assert_eq!(together, apart);
    }

    #[test]
    fn exponentials_and_the_error_function_are_right_to_seven_digits() {
        for step in -8700..=2000 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact).abs() / exact;
            assert!(error < 2e-7, "exp({x}): {error:e}");
        }
        assert!(exp(-1e9) < 1e-37);
        for (x, exact) in [
            (0.0, 0.0),
            (0.1, 0.112_462_916),
            (0.5, 0.520_499_878),
            (1.0, 0.842_700_793),
            (2.0, 0.995_322_265),
            (6.0, 1.0),
        ] {
            assert!((f64::from(erf(x)) - exact).abs() < 3e-7, "erf({x})");
            assert!((f64::from(erf(-x)) + exact).abs() < 3e-7, "erf(-{x})");
        }
    }

    #[test]
    fn shares_are_in_proportion_to_the_exponentials() {
        let mut scores = [1000.0, 1000.0 + 3f32.ln(), -1000.0];
        to_shares(&mut scores);
        for (share, exact) in scores.iter().zip([0.25, 0.75, 0.0]) {
            assert!((share - exact).abs() < 1e-4, "{scores:?}");
        }
    }

    #[test]
    fn normalized_row_has_the_scale_and_the_offset() {
        let normalization = Normalization::new(vec![1.0, 2.0, 1.0], vec![0.0, 0.0, 5.0], 0.0);
        let mut row = [1.0, 2.0, 3.0];
        normalization.apply(&mut row);
        let deviation = 1.5f32.sqrt();
        for (x, exact) in row.iter().zip([-deviation, 0.0, deviation + 5.0]) {
            assert!((x - exact).abs() < 1e-6, "{row:?}");
        }
    }
}
