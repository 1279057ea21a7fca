//! The forward pass of BERT: from the tokens of a text to a vector.

use super::arithmetic::{Linear, Normalization, attend, gelu};

/// Tokens that are read together, including the first and the last. The model was fine-tuned on texts of at most this
/// length.
pub(super) const WINDOW: usize = 256;

/// The weights of a model.
pub(super) struct Transformer {
    pub(super) width: usize,
    pub(super) heads: usize,
    /// A row for each token of the vocabulary.
    pub(super) words: Vec<f32>,
    /// A row for each position in a window, to which the row of the only segment has been added.
    pub(super) positions: Vec<f32>,
    pub(super) normalization: Normalization,
    pub(super) layers: Vec<Layer>,
    /// The token in front of a text.
    pub(super) first: usize,
    /// The token after a text.
    pub(super) last: usize,
}

/// One layer: attention over all tokens, then a step on each token by itself.
pub(super) struct Layer {
    pub(super) queries: Linear,
    pub(super) keys: Linear,
    pub(super) values: Linear,
    pub(super) attended: Linear,
    pub(super) after_attention: Normalization,
    pub(super) wide: Linear,
    pub(super) narrow: Linear,
    pub(super) after_all: Normalization,
}

impl Transformer {
    /// The mean of the model's output vectors for each token, with length 1.
    ///
    /// A text longer than a window is read in several windows of about the same length, so that all of it counts. The
    /// original ignores what does not fit into one.
    pub(super) fn meaning(&self, tokens: &[usize]) -> Vec<f32> {
        let room = WINDOW.min(self.positions.len() / self.width) - 2;
        let windows = tokens.len().div_ceil(room).max(1);
        let mut sum = vec![0.0f64; self.width];
        for window in 0..windows {
            let start = tokens.len() * window / windows;
            let end = tokens.len() * (window + 1) / windows;
            for row in self.read(&tokens[start..end]).chunks_exact(self.width) {
                for (sum, x) in sum.iter_mut().zip(row) {
                    *sum += f64::from(*x);
                }
            }
        }
        let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
        sum.iter().map(|x| (x / length) as f32).collect()
    }

    /// A row for each token of a window, and for the tokens before and after it.
    fn read(&self, tokens: &[usize]) -> Vec<f32> {
        let tokens = [&[self.first], tokens, &[self.last]].concat();
        let mut rows = Vec::with_capacity(tokens.len() * self.width);
        for (token, position) in tokens.iter().zip(self.positions.chunks_exact(self.width)) {
            let word = &self.words[token * self.width..(token + 1) * self.width];
            rows.extend(word.iter().zip(position).map(|(a, b)| a + b));
        }
        self.normalization.apply(&mut rows);
        for layer in &self.layers {
            layer.apply(&mut rows, self.heads, self.width);
        }
        rows
    }
}

impl Layer {
    fn apply(&self, rows: &mut [f32], heads: usize, width: usize) {
        let attended = attend(
            heads,
            width,
            &self.queries.apply(rows),
            &self.keys.apply(rows),
            &self.values.apply(rows),
        );
        add(rows, &self.attended.apply(&attended));
        self.after_attention.apply(rows);
        let mut wide = self.wide.apply(rows);
        gelu(&mut wide);
        add(rows, &self.narrow.apply(&wide));
        self.after_all.apply(rows);
    }
}

fn add(rows: &mut [f32], others: &[f32]) {
    for (x, other) in rows.iter_mut().zip(others) {
        *x += other;
    }
}
