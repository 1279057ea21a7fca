//! One form of a secret, and how to find it in a text.

use std::ops::RangeInclusive;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;

use super::decode::{DEPTH, ESCAPES, Item, read};
use super::vocabulary::{LEAST, fold, known_of_beginning, known_of_end};

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Deployment,
    Kit,
}

/// Secrets shorter than this are not searched for in encodings that change their characters.
const ENCODED: usize = 4;
/// A text may contain secrets shorter than this by accident.
const TELLING: usize = 12;
/// This many characters from the middle of a secret are enough.
const MIDDLE: usize = 12;
/// Up to this length, a secret between spaces is treated as an ordinary word.
const WORD: usize = 3;

/// One form of one secret.
pub(super) struct Pattern {
    kind: Kind,
    characters: Vec<char>,
    /// How many leading characters are enough in a text from the deployment.
    least: usize,
    /// How many leading characters are enough in a text of the kit.
    least_of_kit: usize,
    /// How many trailing characters are enough; `None` when a match must start at the beginning.
    least_of_end: Option<[usize; 2]>,
    /// How many characters are enough from each of its characters on, without its beginning or end. Empty if it needs
    /// one of them.
    least_of_middle: Vec<usize>,
    /// Whether it matches only when no letter or digit is adjacent on either side.
    alone: bool,
    /// Whether a text that contains all of it does so on purpose.
    telling: bool,
    variable: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The characters themselves, in any letter case.
    Plain,
    /// The base64 characters that the secret alone determines, at one of three alignments.
    Base64,
    /// Two hexadecimal digits for each byte.
    Hex,
}

impl Kind {
    fn is_same(self, wanted: char, seen: char) -> bool {
        match self {
            Self::Plain => fold(seen) == wanted || (wanted == ' ' && seen == '+'),
            Self::Base64 => standard(seen) == wanted,
            Self::Hex => seen.to_ascii_lowercase() == wanted,
        }
    }
}

/// The end of a secret that was found.
pub(super) struct Found {
    pub(super) end: usize,
    pub(super) variable: usize,
    /// Whether the base64 text before it belongs to it.
    pub(super) in_a_run: bool,
}

impl Pattern {
    /// All forms of a secret.
    pub(super) fn all_of(secret: &str, variable: usize, base_url: &str) -> Vec<Self> {
        let characters: Vec<_> = secret.chars().map(fold).collect();
        let length = characters.len();
        let whole = |kind, characters: Vec<char>| Self {
            kind,
            least: characters.len(),
            least_of_kit: characters.len(),
            least_of_end: None,
            least_of_middle: Vec::new(),
            characters,
            alone: true,
            telling: false,
            variable,
        };
        let hex: Vec<_> = secret.bytes().flat_map(hex_digits).collect();
        if length < LEAST {
            let mut patterns = Vec::new();
            if length >= ENCODED {
                let base64 = BASE64_STANDARD_NO_PAD.encode(secret);
                patterns.push(whole(Kind::Base64, base64.chars().collect()));
                patterns.push(whole(Kind::Hex, hex));
            }
            patterns.push(whole(Kind::Plain, characters));
            return patterns;
        }
        let is_known = known_of_beginning(&characters, base_url) == length;
        let telling = length >= TELLING && !is_known;
        let first_bytes: usize = secret.chars().take(LEAST).map(char::len_utf8).sum();
        let partly = |kind, characters: Vec<char>, least: usize| Self {
            kind,
            least: least.min(characters.len()),
            least_of_kit: least.min(characters.len()),
            least_of_end: None,
            least_of_middle: Vec::new(),
            characters,
            alone: false,
            telling,
            variable,
        };
        let plain = Self::plain(characters, variable, base_url);
        let mut patterns = vec![Self { telling, ..plain }];
        patterns.push(partly(Kind::Hex, hex, 2 * first_bytes));
        for before in 0..3 {
            let characters = decided(secret.as_bytes(), before);
            // As many as those first characters determine at the worst alignment.
            patterns.push(partly(Kind::Base64, characters, (8 * first_bytes - 4) / 6));
        }
        patterns
    }

    fn plain(characters: Vec<char>, variable: usize, base_url: &str) -> Self {
        let length = characters.len();
        let enough = |known: usize| (known + 1).max(LEAST).min(length);
        let least = enough(known_of_beginning(&characters, base_url));
        let end = enough(known_of_end(&characters, base_url));
        let beyond_word = |word: usize| match word {
            word if word >= LEAST => (word + 2).min(length),
            _ => 0,
        };
        Self {
            kind: Kind::Plain,
            least,
            least_of_kit: least.max(beyond_word(word(characters.iter()))),
            least_of_end: Some([end, end.max(beyond_word(word(characters.iter().rev())))]),
            least_of_middle: (0..length)
                .map(|start| MIDDLE.max(known_of_beginning(&characters[start..], base_url) + 1))
                .collect(),
            characters,
            alone: false,
            telling: false,
            variable,
        }
    }

    /// The positions of the characters that a match may begin with.
    pub(super) fn starts(&self) -> RangeInclusive<usize> {
        let last_start = match self.least_of_end {
            Some([least, _]) => self.characters.len() - least,
            None => 0,
        };
        0..=last_start
    }

    /// The bytes that a match may begin with once its escapes are removed, each with the position of the character in
    /// the pattern.
    pub(super) fn first_bytes(&self) -> Vec<(usize, u8)> {
        let mut firsts = Vec::new();
        for (start, first) in self.characters[self.starts()].iter().enumerate() {
            let bytes = match *first {
                // The other letter case is unknown beyond ASCII: all of these bytes are tried.
                first if !first.is_ascii() => (0x80..=0xff).collect(),
                '+' => vec![b'+', b'-'],
                '/' => vec![b'/', b'_'],
                ' ' => vec![b' ', b'+'],
                first => {
                    let byte = first_byte(first);
                    let mut cases = vec![byte.to_ascii_lowercase(), byte.to_ascii_uppercase()];
                    cases.dedup();
                    cases
                }
            };
            firsts.extend(bytes.into_iter().map(|byte| (start, byte)));
        }
        firsts
    }

    /// For each of at most `most` characters from this one on, an ASCII byte that it may be written with, apart from
    /// escapes.
    pub(super) fn bytes_from(&self, start: usize, most: usize) -> Vec<Option<u8>> {
        let characters = self.characters[start..].iter().take(most);
        characters
            .map(|wanted| u8::try_from(*wanted).ok().filter(u8::is_ascii))
            .collect()
    }

    /// The match that begins here with this character of the pattern, if it is long enough.
    pub(super) fn find_at(&self, text: &str, at: usize, start: usize, source: Source) -> Option<Found> {
        let (matched, end) = self.matched(text, at, start);
        let is_kit = usize::from(source == Source::Kit);
        let is_enough = match (start, self.least_of_end) {
            (0, _) => matched >= [self.least, self.least_of_kit][is_kit],
            (start, Some(least)) if start + matched == self.characters.len() => matched >= least[is_kit],
            (start, _) => self.is_enough_of_middle(start, matched, source),
        };
        if !is_enough || self.alone && !self.is_alone(text, at, end) {
            return None;
        }
        let in_a_run = self.kind == Kind::Base64 && !self.alone;
        Some(Found {
            end: if in_a_run { end_of_run(text, end) } else { end },
            variable: self.variable,
            in_a_run,
        })
    }

    /// Whether these characters show enough of it, without its beginning and its end. The kit writes words, so they
    /// need a digit there.
    fn is_enough_of_middle(&self, start: usize, matched: usize, source: Source) -> bool {
        let is_long = self.least_of_middle.get(start).is_some_and(|least| matched >= *least);
        let mut seen = self.characters[start..start + matched].iter();
        is_long && (source == Source::Deployment || seen.any(char::is_ascii_digit))
    }

    /// Whether a text that contains all of it does so on purpose.
    pub(super) fn is_telling(&self) -> bool {
        self.telling
    }

    /// The position of its secret.
    pub(super) fn variable(&self) -> usize {
        self.variable
    }

    /// Whether all of it occurs here, and on purpose.
    pub(super) fn stands_whole_at(&self, text: &str, at: usize) -> bool {
        self.telling && self.matched(text, at, 0).0 == self.characters.len()
    }

    /// How many characters, from this one on, occur here, and where the last of them ends.
    fn matched(&self, text: &str, at: usize, start: usize) -> (usize, usize) {
        let wanted = &self.characters[start..];
        let (plainly, mut end, differs) = self.matched_plainly(text, at, wanted);
        if differs {
            return (plainly, end);
        }
        let mut places = vec![end];
        for (matched, wanted) in wanted.iter().enumerate().skip(plainly) {
            let mut next = Vec::new();
            for place in places {
                for place in self.passes(text, place, matched) {
                    ends_of(self.kind, *wanted, text, place, &mut next);
                }
            }
            next.sort_unstable();
            next.dedup();
            match next.last() {
                Some(last) => end = *last,
                None => return (matched, end),
            }
            places = next;
        }
        (wanted.len(), end)
    }

    /// Does the same, up to the first character that may be written in more than one way. Also returns whether it
    /// stopped at a character with only one form that differs: then nothing longer matches here. Most places of a text
    /// end here, so this allocates nothing.
    fn matched_plainly(&self, text: &str, at: usize, wanted: &[char]) -> (usize, usize, bool) {
        let separators = self.separators();
        let (mut matched, mut end) = (0, at);
        for (wanted, seen) in wanted.iter().zip(text[at..].chars()) {
            if ESCAPES.contains(&first_byte(seen)) || separators.contains(&seen) {
                return (matched, end, false);
            }
            if !self.kind.is_same(*wanted, seen) {
                return (matched, end, true);
            }
            matched += 1;
            end += seen.len_utf8();
        }
        (matched, end, false)
    }

    /// The characters allowed between two characters of it.
    fn separators(&self) -> &'static [char] {
        match self.kind {
            Kind::Plain => &[],
            Kind::Base64 => &['\r', '\n'],
            Kind::Hex => &[':', '-', ' '],
        }
    }

    /// Where the next character may be: after a base64 line break, or after the separator of hexadecimal bytes.
    fn passes(&self, text: &str, place: usize, matched: usize) -> Vec<usize> {
        let mut places = vec![place];
        let is_between = matched > 0 && (self.kind != Kind::Hex || matched.is_multiple_of(2));
        let separators = self.separators();
        if separators.is_empty() || !is_between {
            return places;
        }
        let most = if self.kind == Kind::Base64 { 2 } else { 1 };
        for _ in 0..most {
            let Some(last) = places.last() else { break };
            let behind = readings(text, *last).find_map(|(item, end)| match item {
                Item::Char(character) if separators.contains(&character) => Some(end),
                _ => None,
            });
            match behind {
                Some(behind) => places.push(behind),
                None => break,
            }
        }
        places
    }

    /// Whether no letter or digit is adjacent to a match on either side. A very short match must also have something
    /// other than spaces next to it.
    fn is_alone(&self, text: &str, start: usize, end: usize) -> bool {
        let before = before(text, start);
        let after = readings(text, end).last();
        let after = after.and_then(|(item, _)| match item {
            Item::Char(character) => Some(character),
            Item::Byte(_) => None,
        });
        let goes_on = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
        let blank = |side: Option<char>| side.is_some_and(char::is_whitespace);
        let is_word = self.characters.len() <= WORD && blank(before) && blank(after);
        !goes_on(before) && !goes_on(after) && !is_word
    }
}

/// Adds every place where this character, which begins here, may end.
fn ends_of(kind: Kind, wanted: char, text: &str, at: usize, ends: &mut Vec<usize>) {
    for (item, end) in readings(text, at) {
        match item {
            Item::Char(seen) if kind.is_same(wanted, seen) => ends.push(end),
            Item::Byte(first) => ends.extend(end_of_bytes(wanted, first, text, end)),
            Item::Char(_) => {}
        }
    }
}

/// Returns the end of a character that is encoded byte by byte.
fn end_of_bytes(wanted: char, first: u8, text: &str, mut at: usize) -> Option<usize> {
    let mut bytes = [0; 4];
    let (begin, rest) = wanted.encode_utf8(&mut bytes).as_bytes().split_first()?;
    if *begin != first {
        return None;
    }
    for byte in rest {
        let next = readings(text, at).find(|(item, _)| *item == Item::Byte(*byte));
        at = next?.1;
    }
    Some(at)
}

/// Returns the readings of this place with no escape removed, with one removed, and so on.
pub(super) fn readings(text: &str, at: usize) -> impl Iterator<Item = (Item, usize)> {
    let mut last = None;
    let mut may_be_escape = true;
    (0..=DEPTH).filter_map(move |depth| {
        if !may_be_escape {
            return None;
        }
        let read = read(text, at, depth);
        may_be_escape = read.is_some_and(|(item, _)| ESCAPES.contains(&item.first_byte()));
        if read == last {
            return None;
        }
        last = read;
        read
    })
}

/// The character before a place, if it is known: it may be percent-encoded.
fn before(text: &str, at: usize) -> Option<char> {
    if let Some(start) = at.checked_sub(3)
        && text.is_char_boundary(start)
        && let Some((Item::Char(character), end)) = read(text, start, 1)
        && end == at
    {
        return Some(character);
    }
    text[..at].chars().next_back()
}

/// Where the base64 run that continues here ends.
fn end_of_run(text: &str, mut at: usize) -> usize {
    let goes_on = |(item, _): &(Item, usize)| match item {
        Item::Char(character) => is_of_base64(*character) || *character == '=',
        Item::Byte(_) => false,
    };
    while let Some((_, end)) = readings(text, at).find(goes_on) {
        at = end;
    }
    at
}

/// Whether base64 uses this character. Padding is not counted, since it also occurs before values: `key=c2Vj`.
pub(super) fn is_of_base64(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '+' | '/' | '-' | '_')
}

/// Maps a character of URL-safe base64 to the standard alphabet.
fn standard(character: char) -> char {
    match character {
        '-' => '+',
        '_' => '/',
        character => character,
    }
}

/// The first byte of a character.
fn first_byte(character: char) -> u8 {
    Item::Char(character).first_byte()
}

fn hex_digits(byte: u8) -> [char; 2] {
    [byte >> 4, byte & 0xf].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0'))
}

/// The base64 characters that these bytes alone determine, after a number of unknown bytes.
fn decided(bytes: &[u8], before: usize) -> Vec<char> {
    let mut padded = vec![0; before];
    padded.extend(bytes);
    let encoded = BASE64_STANDARD_NO_PAD.encode(&padded);
    let first = (8 * before).div_ceil(6);
    let end = 8 * padded.len() / 6;
    encoded[first..end].chars().collect()
}

/// The length of the word at the beginning of a secret that continues after it.
fn word<'a>(characters: impl Iterator<Item = &'a char> + Clone) -> usize {
    let letters = |character: &&char| character.is_ascii_alphabetic();
    let length = characters.clone().take_while(letters).count();
    match characters.into_iter().nth(length) {
        Some('-' | '_' | '.' | ':' | ' ') => length,
        _ => 0,
    }
}
