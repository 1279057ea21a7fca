//! Encodes search texts with a transformer instead of the table, so that what a query means as a whole counts, the order
//! of its words included. Records keep the vectors that they have.
//!
//! The transformer is all-MiniLM-L6-v2, the model that the table is distilled from. It is read from a directory with the
//! files that it is published as. `head.safetensors` beside them holds two matrices that lead from its vectors into the
//! space of the table; `scripts/fit_query_head.py` fits them and says how. They belong to one model and to one table, and
//! are refused with others.
//!
//! The crates that run such models (`candle-transformers`, `tract`, `ort`) build for minutes or bring C++ along. What is
//! needed here of a transformer are four operations on matrices.

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

use self::digest::Digest;
pub use self::error::EncoderError;
pub use self::head::Aspect;
use self::head::Heads;
use self::model::Model;
use super::TABLE_FILE;
use crate::model::vector::{DIMENSIONS, Vector};

/// A transformer for search texts.
///
/// It holds 91 MB for all-MiniLM-L6-v2. Encoding ten words takes some 20 ms of one processor, and a hundred some 100 ms.
pub struct QueryEncoder {
    model: Model,
    heads: Heads,
}

impl QueryEncoder {
    /// Reads the model and the heads of a directory: `config.json`, `tokenizer.json`, `model.safetensors` and
    /// `head.safetensors`.
    ///
    /// # Errors
    /// [`EncoderError`] when a file is missing, damaged or of another kind, or when the heads were not fitted to this model
    /// and to the table of this server.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use platform_server_stub::embedding::{EncoderError, QueryEncoder};
    ///
    /// let missing = QueryEncoder::open(Path::new("/nowhere"));
    /// assert!(matches!(missing, Err(EncoderError::Unreadable { .. })));
    /// ```
    pub fn open(directory: &Path) -> Result<Self, EncoderError> {
        let model = Model::read(directory)?;
        let width = model.transformer.width;
        let table = Digest::new().add(TABLE_FILE).text();
        let file = directory.join("head.safetensors");
        let heads = Heads::read(&file, width, &model.digest, &table)?;
        Ok(Self { model, heads })
    }

    /// The vector of a search text, to be compared with those that records have of one aspect; all zero when the text
    /// holds no known word, as that of [`embed`](super::embed).
    ///
    /// Texts of any length and language are taken. The same text always gives the same vector, on every machine.
    pub fn embed(&self, text: &str, aspect: Aspect) -> Vector {
        match self.meaning(text) {
            Some(meaning) => self.heads.apply(&meaning, aspect),
            None => Vector::new([0; DIMENSIONS]),
        }
    }

    /// What the model itself makes of a text, with the length 1; nothing of a text without a known word.
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
