//! The static table of vectors, distilled from the sentence model all-MiniLM-L6-v2. It has one row for each token and
//! each known phrase, and a text is the sum of the rows of its tokens and phrases. The rows are in two crates, since a
//! package may not be larger than 10 MB.
//!
//! `scripts/distill_embedding.py` and `scripts/refine_embedding.py` make the table and document how; `assets/NOTICE`
//! names the work that it derives from. The table is part of the binary and stays there as int8: nothing is downloaded,
//! read from disk or unpacked. The first call takes some 3 ms, to index the vocabulary; any other takes less than 20 us
//! for fifty words. The order of words is lost, except within a phrase, and so is most of any text that is not in
//! English.
//!
//! The crate `model2vec-rs` reads such tables too, but builds the whole of `tokenizers` (over 80 crates, C++ among
//! them, a minute and a half on two cores) and copies the table on loading. The only part needed here, BERT's
//! tokenizer, is the module `wordpiece`.

use std::sync::LazyLock;

use platform_embedding_phrases::TABLE as PHRASES;
use platform_embedding_tokens::TABLE as TOKENS;
use safetensors::SafeTensors;

use crate::phrases::{self, Phrases};
use crate::vector::{DIMENSIONS, Vector};
use crate::wordpiece::WordPiece;

/// Bytes of a row's scale, a little-endian `f32`.
const SCALE_BYTES: usize = size_of::<f32>();

static TABLE: LazyLock<Table> = LazyLock::new(Table::built_in);

/// The vector of a text; all zero when the text holds no known token.
///
/// Accepts texts of any length and language. The same text always gives the same vector.
pub fn embed(text: &str) -> Vector {
    TABLE.embed(text)
}

/// The vocabulary and the phrases, with a row for each.
struct Table {
    tokenizer: WordPiece,
    phrases: Phrases,
    token_rows: Rows,
    phrase_rows: Rows,
}

/// Vectors of int8, each with its scale.
#[derive(Clone, Copy)]
struct Rows {
    rows: &'static [[u8; DIMENSIONS]],
    scales: &'static [[u8; SCALE_BYTES]],
}

impl Rows {
    /// Reads the rows of a compiled-in file, one for each of `count` tokens or phrases.
    fn of(file: &SafeTensors<'static>, count: usize) -> Self {
        let (rows, []) = bytes(file, "rows").as_chunks() else {
            panic!("a row has {DIMENSIONS} components");
        };
        let (scales, []) = bytes(file, "scales").as_chunks() else {
            panic!("a scale is a 32-bit float");
        };
        assert_eq!((rows.len(), scales.len()), (count, count));
        Self { rows, scales }
    }

    fn add(self, row: usize, sum: &mut [f32; DIMENSIONS]) {
        let scale = f32::from_le_bytes(self.scales[row]);
        for (component, byte) in sum.iter_mut().zip(&self.rows[row]) {
            *component += scale * f32::from(byte.cast_signed());
        }
    }
}

/// Reads a compiled-in file.
#[expect(
    clippy::expect_used,
    reason = "the files are compiled in, and every test here reads them"
)]
fn compiled_in(file: &'static [u8]) -> SafeTensors<'static> {
    SafeTensors::deserialize(file).expect("the table is a safetensors file")
}

/// The contents of a tensor of a compiled-in file.
#[expect(
    clippy::expect_used,
    reason = "the files are compiled in, and every test here reads them"
)]
fn bytes(file: &SafeTensors<'static>, name: &str) -> &'static [u8] {
    file.tensor(name).expect("the table holds the tensor").data()
}

impl Table {
    fn built_in() -> Self {
        let (tokens, phrases) = (compiled_in(TOKENS), compiled_in(PHRASES));
        let tokenizer = WordPiece::new(include_str!("../assets/vocab.txt"));
        let (known, []) = bytes(&phrases, "phrases").as_chunks::<2>().0.as_chunks() else {
            panic!("a phrase has {} tokens", phrases::LONGEST);
        };
        let known = Phrases::new(known, tokenizer.len());
        Self {
            token_rows: Rows::of(&tokens, tokenizer.len()),
            phrase_rows: Rows::of(&phrases, known.len()),
            phrases: known,
            tokenizer,
        }
    }

    fn embed(&self, text: &str) -> Vector {
        let tokens = self.tokenizer.tokens(text);
        let mut sum = [0.0; DIMENSIONS];
        for token in &tokens {
            self.token_rows.add(*token, &mut sum);
        }
        for phrase in self.phrases.find(&tokens) {
            self.phrase_rows.add(phrase, &mut sum);
        }
        Vector::of_direction(&sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_with_a_known_token_has_a_direction() {
        let long = "We make pumps. ".repeat(2000);
        for text in [
            "pump",
            "Pumps for breweries",
            "Zürich",
            "日本",
            "?",
            "x".repeat(90).as_str(),
            &long,
        ] {
            let vector = embed(text);
            let components = vector.as_bytes().iter().map(|byte| byte.cast_signed());
            let greatest = components.map(i8::unsigned_abs).max();
            assert_eq!(greatest, Some(127), "{text}");
        }
    }

    #[test]
    fn texts_without_a_known_token_are_all_zero() {
        for text in ["", " \n\t", "\u{0}", "\u{1F9FF}", "\u{E000}", "x".repeat(101).as_str()] {
            assert_eq!(embed(text), Vector::new([0; DIMENSIONS]), "{text:?}");
        }
        assert_eq!(embed("").distance(&embed("pump")), 1.0);
    }

    #[test]
    fn case_accents_and_spaces_do_not_matter() {
        assert_eq!(embed("Café  au\nlait"), embed("cafe au lait"));
    }

    #[test]
    fn word_order_matters_only_within_phrases() {
        let distance = |a, b| embed(a).distance(&embed(b));
        let apart = distance("pumps and breweries", "breweries and pumps");
        assert!(apart < 1e-4, "{apart}");
        let in_phrases = distance("pumps for breweries", "breweries for pumps");
        assert!(in_phrases > 0.01, "{in_phrases}");
    }

    #[test]
    fn same_text_always_has_the_same_vector() {
        assert_eq!(embed("Pumps for breweries"), embed("Pumps for breweries"));
        assert_ne!(embed("Pumps for breweries"), embed("Pumps for mills"));
    }

    #[test]
    fn similar_texts_are_nearer() {
        for (text, near, far) in [
            ("physician", "doctor", "brick"),
            ("beer", "brewery", "insurance"),
            ("loans for farmers", "agricultural credit", "video games"),
            ("solar panels on roofs", "photovoltaic installation", "payroll software"),
            ("restaurateurs", "restaurants", "dentists"),
            ("optometrists", "eye care", "lumber"),
        ] {
            let distance = |other| embed(text).distance(&embed(other));
            assert!(distance(near) + 0.2 < distance(far), "{text}: {near} or {far}");
        }
    }
}
