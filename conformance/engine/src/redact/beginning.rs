//! Which three bytes a secret, or a part of it that is removed, may begin with: nearly every place of a text is ruled
//! out by them.

use super::decode::ESCAPES;

/// The size of the set in bits, a power of two.
const BITS: usize = 1 << 16;

/// A set of three bytes each, hashed: it may contain a few that nobody inserted.
pub(super) struct Beginnings {
    words: Vec<u64>,
    /// Whether one is shorter, so that no place is ruled out.
    any: bool,
}

impl Beginnings {
    /// The number of characters that are looked at.
    pub(super) const LENGTH: usize = 3;

    pub(super) fn new() -> Self {
        Self {
            words: vec![0; BITS / 64],
            any: false,
        }
    }

    /// Inserts what a match may begin with: for each of its first characters, the ASCII bytes that it may be
    /// written with. Other characters are never ruled out.
    pub(super) fn insert(&mut self, characters: &[Vec<u8>]) {
        let [first, second, third] = characters else {
            self.any = true;
            return;
        };
        for first in first {
            for second in second {
                for third in third {
                    let (word, bit) = place([*first, *second, *third]);
                    self.words[word] |= bit;
                }
            }
        }
    }

    /// Whether a match may begin here.
    pub(super) fn may_be_at(&self, text: &str, at: usize) -> bool {
        let Some(&[first, second, third]) = text.as_bytes().get(at..at + 3) else {
            return true;
        };
        let bytes = [first, second, third];
        // Base64 may be broken into lines, and the bytes of hexadecimal digits may be separated.
        let goes_on = |byte: u8| !byte.is_ascii() || ESCAPES.contains(&byte) || matches!(byte, b'\r' | b'\n');
        let is_separator = matches!(third, b':' | b'-' | b' ');
        let (word, bit) = place(bytes);
        self.any
            || self.words[word] & bit != 0
            || bytes.into_iter().any(goes_on)
            || is_separator && first.is_ascii_hexdigit() && second.is_ascii_hexdigit()
    }
}

/// The word and the bit of three bytes.
fn place(bytes: [u8; 3]) -> (usize, u64) {
    let mixed = bytes
        .into_iter()
        .fold(0_usize, |mixed, byte| mixed.wrapping_mul(181) ^ usize::from(byte));
    let bit = mixed % BITS;
    (bit / 64, 1 << (bit % 64))
}
