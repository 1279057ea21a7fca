//! The tokenizer of BERT's uncased models. Its tokens number the rows of the table.
//!
//! It agrees with Hugging Face's `tokenizers` (`BertNormalizer`, `BertPreTokenizer`, `WordPiece`), with two intended
//! exceptions. A word outside the vocabulary gives no token unless the tokenizer is [made to](WordPiece::with_unknown),
//! where theirs gives `[UNK]`, because that token carries no meaning. A special token spelt out in a text, such as
//! `[CLS]`, is ordinary text. The two may also differ on characters that Unicode assigned only recently.

use fnv::FnvHashMap;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// Maximum length of a known word, in characters; a longer one is unknown as a whole.
pub(super) const LONGEST_WORD: usize = 100;

/// Room for the pieces that begin a word in the usual vocabularies.
const VOCABULARY: usize = 28_000;

/// The vocabulary's mark for pieces that continue a word.
const MARK: &str = "##";

/// A vocabulary of word pieces.
pub(super) struct WordPiece {
    /// Pieces that begin a word.
    first: FnvHashMap<Cow<'static, str>, usize>,
    /// Pieces that continue a word, without their mark.
    next: FnvHashMap<Cow<'static, str>, usize>,
    /// Bytes of the longest piece, which limits the search for a match.
    longest_piece: usize,
    /// The token of a word outside the vocabulary.
    unknown: Option<usize>,
}

impl WordPiece {
    /// Reads a vocabulary with one piece a line; a piece's token is the number of its line, from 0.
    pub(super) fn new(vocabulary: &'static str) -> Self {
        Self::of_pieces(vocabulary.lines().map(Cow::Borrowed))
    }

    /// A tokenizer with these pieces; a piece's token is its number, from 0.
    pub(super) fn of_pieces(pieces: impl Iterator<Item = Cow<'static, str>>) -> Self {
        let mut first = FnvHashMap::with_capacity_and_hasher(VOCABULARY, Default::default());
        let mut next = FnvHashMap::default();
        let mut longest_piece = 0;
        for (token, piece) in pieces.enumerate() {
            longest_piece = longest_piece.max(piece.len());
            if piece.len() > MARK.len() && piece.starts_with(MARK) {
                let rest = match piece {
                    Cow::Borrowed(piece) => Cow::Borrowed(&piece[MARK.len()..]),
                    Cow::Owned(piece) => Cow::Owned(piece[MARK.len()..].to_owned()),
                };
                next.insert(rest, token);
            } else {
                first.insert(piece, token);
            }
        }
        Self {
            first,
            next,
            longest_piece,
            unknown: None,
        }
    }

    /// Gives a word outside the vocabulary this token instead of none.
    pub(super) fn with_unknown(mut self, token: usize) -> Self {
        self.unknown = Some(token);
        self
    }

    /// Number of tokens.
    pub(super) fn len(&self) -> usize {
        self.first.len() + self.next.len()
    }

    /// The tokens of a text, in order.
    pub(super) fn tokens(&self, text: &str) -> Vec<usize> {
        let mut tokens = Vec::new();
        for word in normalize(text).split(' ').filter(|word| !word.is_empty()) {
            self.split_word(word, &mut tokens);
        }
        tokens
    }

    /// Adds the tokens of one word, each the longest piece that fits. If the pieces do not cover the whole word, adds
    /// the token of an unknown word instead, if there is one.
    fn split_word(&self, word: &str, tokens: &mut Vec<usize>) {
        if word.chars().count() > LONGEST_WORD {
            tokens.extend(self.unknown);
            return;
        }
        let before = tokens.len();
        let mut rest = word;
        while !rest.is_empty() {
            let pieces = if rest.len() == word.len() {
                &self.first
            } else {
                &self.next
            };
            let ends = (1..=rest.len().min(self.longest_piece)).rev();
            let found = ends
                .filter_map(|end| rest.get(..end))
                .find_map(|piece| pieces.get(piece).map(|token| (piece.len(), *token)));
            let Some((length, token)) = found else {
                tokens.truncate(before);
                tokens.extend(self.unknown);
                return;
            };
            tokens.push(token);
            rest = &rest[length..];
        }
    }
}

/// The words of a text with spaces between them: without control characters and accents, in lower case. Every
/// punctuation mark and Chinese character becomes a separate word.
fn normalize(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 16);
    let kept = text.chars().filter(|&c| !is_dropped(c)).nfd();
    for c in kept.filter(|&c| !is_accent(c)).flat_map(char::to_lowercase) {
        if c.is_whitespace() {
            words.push(' ');
        } else if is_punctuation(c) || is_chinese(c) {
            words.extend([' ', c, ' ']);
        } else {
            words.push(c);
        }
    }
    words
}

// ASCII characters, which make up most texts, are classified without a search in Unicode's tables. That makes the
// tokenizer several times as fast.

/// What BERT drops: U+FFFD, control and format characters and private use, except tabs and line ends.
fn is_dropped(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    match c {
        ' '..='~' | '\t' | '\n' | '\r' => false,
        char::REPLACEMENT_CHARACTER => true,
        _ => matches!(c.general_category(), Control | Format | PrivateUse),
    }
}

/// An accent that decomposition has separated from its letter.
fn is_accent(c: char) -> bool {
    !c.is_ascii() && c.general_category() == GeneralCategory::NonspacingMark
}

/// Unicode's punctuation, and all printable ASCII characters that are neither letters nor digits.
fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_punctuation()
    } else {
        c.general_category_group() == GeneralCategoryGroup::Punctuation
    }
}

/// The blocks of Chinese characters that BERT knows. They exclude kana and hangul, where no spaces are added.
fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built_in() -> WordPiece {
        WordPiece::new(include_str!("../assets/vocab.txt"))
    }

    /// `[UNK]` in the built-in vocabulary.
    const UNKNOWN: usize = 100;

    /// Texts with the tokens of Hugging Face's tokenizer, made by `scripts/distill_embedding.py`.
    #[test]
    fn tokens_are_those_of_the_original() {
        #[derive(serde::Deserialize)]
        struct Sample {
            text: String,
            tokens: Vec<usize>,
        }
        let samples: Vec<Sample> = serde_json::from_str(include_str!("tokens.json")).unwrap();
        let (tokenizer, with_unknown) = (built_in(), built_in().with_unknown(UNKNOWN));
        assert!(samples.len() >= 200);
        let with_some = samples.iter().filter(|it| it.tokens.contains(&UNKNOWN));
        assert!(with_some.count() >= 50);
        for Sample { text, mut tokens } in samples {
            assert_eq!(with_unknown.tokens(&text), tokens, "{text:?}");
            tokens.retain(|token| *token != UNKNOWN);
            assert_eq!(tokenizer.tokens(&text), tokens, "{text:?}");
        }
    }

    #[test]
    fn every_line_of_the_vocabulary_is_a_token() {
        let lines = include_str!("../assets/vocab.txt").lines().count();
        assert_eq!(built_in().len(), lines);
    }

    #[test]
    fn words_outside_the_vocabulary_are_left_out() {
        let tokenizer = built_in();
        let long = "a".repeat(LONGEST_WORD + 1);
        assert_eq!(
            tokenizer.tokens(&format!("pump \u{1F9FF} {long} valve")),
            tokenizer.tokens("pump valve")
        );
    }

    #[test]
    fn special_tokens_in_a_text_are_text() {
        assert_eq!(built_in().tokens("[CLS]"), built_in().tokens("[ cls ]"));
    }
}
