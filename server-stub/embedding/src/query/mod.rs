//! Encodes search texts with a transformer instead of the table, so that the query counts as a whole, including the
//! order of its words. Records keep their vectors.
//!
//! The transformer is all-MiniLM-L6-v2, the model that the table is distilled from. It is read from a directory with
//! its published files. `head.safetensors` in the same directory holds two matrices that lead from its vectors into the
//! space of the table; `scripts/fit_query_head.py` fits them and documents how. They belong to one model and one table,
//! and are rejected with any other.
//!
//! The crates that run such models (`candle-transformers`, `tract`, `ort`) build for minutes or require C++. Only four
//! operations on matrices are needed here.

mod arithmetic;
mod digest;
mod error;
mod head;
mod model;
mod transformer;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

use platform_embedding_phrases::TABLE as PHRASES;
use platform_embedding_tokens::TABLE as TOKENS;

use self::digest::Digest;
pub use self::error::EncoderError;
pub use self::head::Aspect;
use self::head::Heads;
use self::model::Model;
use crate::vector::{DIMENSIONS, Vector};

/// A transformer for search texts.
///
/// It holds 91 MB for all-MiniLM-L6-v2. Encoding ten words takes some 20 ms of one processor, and a hundred some 100
/// ms.
pub struct QueryEncoder {
    model: Model,
    heads: Heads,
}

impl QueryEncoder {
    /// Reads the model and the heads of a directory: `config.json`, `tokenizer.json`, `model.safetensors` and
    /// `head.safetensors`.
    ///
    /// # Errors
    /// [`EncoderError`] when a file is missing, damaged or of another kind, or when the heads were not fitted to this
    /// model and to the table of this crate.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use platform_embedding::{EncoderError, QueryEncoder};
    ///
    /// let missing = QueryEncoder::open(Path::new("/nowhere"));
    /// assert!(matches!(missing, Err(EncoderError::Unreadable { .. })));
    /// ```
    pub fn open(directory: &Path) -> Result<Self, EncoderError> {
        let model = Model::read(directory)?;
        let width = model.transformer.width;
        let table = Digest::new().add(TOKENS).add(PHRASES).text();
        let file = directory.join("head.safetensors");
        let heads = Heads::read(&file, width, &model.digest, &table)?;
        Ok(Self { model, heads })
    }

    /// The vector of a search text, to be compared with the records' vectors for one aspect. It is all zero if the text
    /// holds no known word, as in [`embed`](crate::embed).
    ///
    /// Accepts texts of any length and language. The same text always gives the same vector, on every machine.
    pub fn embed(&self, text: &str, aspect: Aspect) -> Vector {
        match self.meaning(text) {
            Some(meaning) => self.heads.apply(&meaning, aspect),
            None => Vector::new([0; DIMENSIONS]),
        }
    }

    /// The model's own vector of a text, with length 1; `None` for a text without a known word.
    pub(super) fn meaning(&self, text: &str) -> Option<Vec<f32>> {
        let tokens = self.model.tokenizer.tokens(text);
        let known = tokens.iter().any(|token| *token != self.model.unknown);
        known.then(|| self.model.transformer.meaning(&tokens))
    }
}

impl fmt::Debug for QueryEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QueryEncoder(..)")
    }
}
