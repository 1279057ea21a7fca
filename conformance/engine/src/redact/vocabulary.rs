//! Text that every report may show, whatever the keys are: the contract. A part of a secret that occurs there is not
//! secret.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The shortest beginning of a secret, in characters, that is removed.
pub(crate) const LEAST: usize = 6;

/// The contract, in one letter case.
static WORDS: LazyLock<Vec<char>> = LazyLock::new(|| platform_contract::TEXT.chars().map(fold).collect());

/// Every part of it with the minimum length of a redaction: most secrets share none with it.
static PARTS: LazyLock<HashSet<&'static [char]>> = LazyLock::new(|| WORDS.windows(LEAST).collect());

/// How many leading characters of a secret occur somewhere in the contract or in this text.
pub(super) fn known_of_beginning(secret: &[char], text: &str) -> usize {
    known(secret.len(), text, |length| &secret[..length])
}

/// How many trailing characters of a secret occur there.
pub(super) fn known_of_end(secret: &[char], text: &str) -> usize {
    known(secret.len(), text, |length| &secret[secret.len() - length..])
}

fn known<'a>(longest: usize, text: &str, part: impl Fn(usize) -> &'a [char]) -> usize {
    let text: Vec<_> = text.chars().map(fold).collect();
    let stands_somewhere = |length: &usize| {
        let part = part(*length);
        let stands_in = |text: &[char]| text.windows(*length).any(|window| window == part);
        stands_in(&text) || PARTS.contains(&part[..LEAST]) && stands_in(&WORDS)
    };
    let known = (LEAST..=longest).take_while(stands_somewhere);
    known.last().unwrap_or_default()
}

/// A character in one letter case.
pub(super) fn fold(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    character.to_lowercase().next().unwrap_or(character)
}
