//! Which three bytes a secret, or a part of it that is removed, may begin with: nearly every place of a text is ruled
//! out by them.

use super::decode::ESCAPES;

/// The size of the set in bits, a power of two.
const BITS: usize = 1 << 16;

/// A set of three bytes each, hashed: it may contain a few that nobody inserted.
pub(super) struct Beginnings {
    words: Vec<u64>,
    /// The same of their first two bytes alone.
    pairs: Vec<u64>,
    /// Whether one is shorter, so that no place is ruled out.
    any: bool,
}

impl Beginnings {
    /// The number of characters that are looked at.
    pub(super) const LENGTH: usize = 3;

    pub(super) fn new() -> Self {
        Self {
            words: vec![0; BITS / 64],
            pairs: vec![0; BITS / 64],
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
                let (word, bit) = place(&[*first, *second]);
                self.pairs[word] |= bit;
                for third in third {
                    let (word, bit) = place(&[*first, *second, *third]);
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
        // Base64 may be broken into lines, and the bytes of hexadecimal digits may be separated.
        let goes_on = |byte: u8| !byte.is_ascii() || ESCAPES.contains(&byte) || matches!(byte, b'\r' | b'\n');
        let is_separator = matches!(third, b':' | b'-' | b' ');
        if self.any || goes_on(first) || goes_on(second) {
            return true;
        }
        if goes_on(third) || is_separator && first.is_ascii_hexdigit() && second.is_ascii_hexdigit() {
            return is_in(&self.pairs, &[first, second]);
        }
        is_in(&self.words, &[first, second, third])
    }
}

fn is_in(words: &[u64], bytes: &[u8]) -> bool {
    let (word, bit) = place(bytes);
    words[word] & bit != 0
}

/// The word and the bit of two or three bytes.
fn place(bytes: &[u8]) -> (usize, u64) {
    let mixed = bytes
        .iter()
        .fold(0_usize, |mixed, byte| mixed.wrapping_mul(181) ^ usize::from(*byte));
    let bit = mixed % BITS;
    (bit / 64, 1 << (bit % 64))
}
