//! Which three characters a secret, or a part of it that is removed, may begin with: nearly every place of a text is
//! ruled out by them.

use std::collections::HashMap;

use super::decode::ESCAPES;

/// The size of a set in bits, a power of two.
const BITS: usize = 1 << 16;

/// The patterns by their first three characters.
pub(super) struct Beginnings {
    begun: HashMap<[u8; 3], Vec<Start>>,
    /// The keys of the map, hashed: the set may contain a few that nobody inserted.
    triples: Vec<u64>,
    /// The same of their first two characters alone.
    pairs: Vec<u64>,
    /// Whether one is shorter, so that no place is ruled out.
    any: bool,
}

/// A pattern, and the position of the character in it that a match begins with.
pub(super) type Start = (usize, usize);

/// What may begin at a place of a text.
pub(super) enum Beginning<'a> {
    Nothing,
    /// One of these, which have its first three characters.
    These(&'a [Start]),
    /// Any pattern: its characters may be escaped there.
    Any,
}

impl Beginnings {
    /// The number of characters that are looked at.
    pub(super) const LENGTH: usize = 3;

    pub(super) fn new() -> Self {
        Self {
            begun: HashMap::new(),
            triples: vec![0; BITS / 64],
            pairs: vec![0; BITS / 64],
            any: false,
        }
    }

    /// Inserts what a match may begin with: for each of its first characters, an ASCII byte that it may be written
    /// with. Other characters are never ruled out.
    pub(super) fn insert(&mut self, characters: &[Option<u8>], start: Start) {
        let [first, second, third] = characters else {
            self.any = true;
            return;
        };
        let (Some(first), Some(second)) = (first.map(alike), second.map(alike)) else {
            return;
        };
        insert(&mut self.pairs, &[first, second]);
        if let Some(third) = third.map(alike) {
            let triple = [first, second, third];
            insert(&mut self.triples, &triple);
            self.begun.entry(triple).or_default().push(start);
        }
    }

    /// What may begin here.
    pub(super) fn at(&self, text: &str, at: usize) -> Beginning<'_> {
        let Some(&[first, second, third]) = text.as_bytes().get(at..at + Self::LENGTH) else {
            return Beginning::Any;
        };
        // Base64 may be broken into lines, and the bytes of hexadecimal digits may be separated.
        let goes_on = |byte: u8| !byte.is_ascii() || ESCAPES.contains(&byte) || matches!(byte, b'\r' | b'\n');
        if self.any || goes_on(first) || goes_on(second) {
            return Beginning::Any;
        }
        let triple = [first, second, third].map(alike);
        let is_separator = matches!(third, b':' | b'-' | b' ');
        if goes_on(third) || is_separator && first.is_ascii_hexdigit() && second.is_ascii_hexdigit() {
            return match is_in(&self.pairs, &triple[..2]) {
                true => Beginning::Any,
                false => Beginning::Nothing,
            };
        }
        let begun = is_in(&self.triples, &triple).then(|| self.begun.get(&triple));
        begun
            .flatten()
            .map_or(Beginning::Nothing, |begun| Beginning::These(begun))
    }
}

/// The same byte for all that the same character of a pattern may be written with: letters in either case, the marks of
/// both alphabets of base64, and a space or a plus.
fn alike(byte: u8) -> u8 {
    match byte {
        b'-' | b' ' => b'+',
        b'_' => b'/',
        byte => byte.to_ascii_lowercase(),
    }
}

fn insert(words: &mut [u64], bytes: &[u8]) {
    let (word, bit) = place(bytes);
    words[word] |= bit;
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
