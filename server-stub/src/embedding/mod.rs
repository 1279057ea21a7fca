//! Turns a text into a vector whose direction is the text's meaning, so that search can find records that share no word
//! with the query.
//!
//! The vectors come from a static table, distilled from the sentence model all-MiniLM-L6-v2. The table has one row for
//! each token and each known phrase, and a text is the sum of the rows of its tokens and phrases.
//! `scripts/distill_embedding.py` and `scripts/refine_embedding.py` make the table and document how;
//! `assets/embedding/NOTICE` names the work that it derives from. The table is part of the binary and stays there as
//! int8: nothing is downloaded, read from disk or unpacked. The first call takes some 3 ms, to index the vocabulary;
//! any other takes less than 20 us for fifty words. The order of words is lost, except within a phrase, and so is most
//! of any text that is not in English.
//!
//! The crate `model2vec-rs` reads such tables too, but builds the whole of `tokenizers` (over 80 crates, C++ among
//! them, a minute and a half on two cores) and copies the table on loading. The only part needed here, BERT's
//! tokenizer, is the module `wordpiece`.
//!
//! A [`QueryEncoder`] uses the model itself to give search texts better vectors in the same space.

mod phrases;
mod query;
mod wordpiece;

#[cfg(test)]
mod quality;

use std::sync::LazyLock;

use safetensors::SafeTensors;

use self::phrases::Phrases;
pub use self::query::{Aspect, EncoderError, QueryEncoder};
use self::wordpiece::WordPiece;
use crate::model::vector::{DIMENSIONS, Vector};

/// Bytes of a row's scale, a little-endian `f32`.
const SCALE_BYTES: usize = size_of::<f32>();

/// The rows of the table, their scales and the phrases.
static TABLE_FILE: &[u8] = include_bytes!("../../assets/embedding/table.safetensors");

static TABLE: LazyLock<Table> = LazyLock::new(Table::built_in);

/// The vector of a text; all zero when the text holds no known token.
///
/// Accepts texts of any length and language. The same text always gives the same vector.
pub fn embed(text: &str) -> Vector {
    TABLE.embed(text)
}

/// The vocabulary and the phrases. Each token, and after the tokens each phrase, has a row of int8 and a scale.
struct Table {
    tokenizer: WordPiece,
    phrases: Phrases,
    rows: &'static [[u8; DIMENSIONS]],
    scales: &'static [[u8; SCALE_BYTES]],
}

impl Table {
    #[expect(
        clippy::expect_used,
        reason = "the asset is compiled in, and every test here reads it"
    )]
    fn built_in() -> Self {
        let file = SafeTensors::deserialize(TABLE_FILE).expect("the table is a safetensors file");
        let bytes = |name| {
            file.tensor(name)
                .expect("the table holds rows, scales and phrases")
                .data()
        };
        let (rows, []) = bytes("rows").as_chunks() else {
            panic!("a row has {DIMENSIONS} components");
        };
        let (scales, []) = bytes("scales").as_chunks() else {
            panic!("a scale is a 32-bit float");
        };
        let (phrases, []) = bytes("phrases").as_chunks::<2>().0.as_chunks() else {
            panic!("a phrase has {} tokens", phrases::LONGEST);
        };
        let tokenizer = WordPiece::new(include_str!("../../assets/embedding/vocab.txt"));
        let phrases = Phrases::new(phrases, tokenizer.len());
        let count = tokenizer.len() + phrases.len();
        assert_eq!((rows.len(), scales.len()), (count, count));
        Self {
            tokenizer,
            phrases,
            rows,
            scales,
        }
    }

    fn embed(&self, text: &str) -> Vector {
        let tokens = self.tokenizer.tokens(text);
        let phrases = self.phrases.find(&tokens).into_iter();
        let phrases = phrases.map(|phrase| self.tokenizer.len() + phrase);
        let mut sum = [0.0; DIMENSIONS];
        for row in tokens.iter().copied().chain(phrases) {
            let scale = f32::from_le_bytes(self.scales[row]);
            for (component, byte) in sum.iter_mut().zip(&self.rows[row]) {
                *component += scale * f32::from(byte.cast_signed());
            }
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
    fn the_same_text_always_has_the_same_vector() {
        assert_eq!(embed("Pumps for breweries"), embed("Pumps for breweries"));
        assert_ne!(embed("Pumps for breweries"), embed("Pumps for mills"));
    }

    #[test]
    fn what_is_alike_is_nearer() {
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
