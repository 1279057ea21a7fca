//! Text that every report may show, whatever the keys are: the contract. A part of a secret that occurs there is not
//! secret.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The shortest beginning of a secret, in characters, that is removed.
pub(crate) const LEAST: usize = 6;

/// The contract, in one letter case.
static WORDS: LazyLock<Vec<char>> = LazyLock::new(|| platform_contract::TEXT.chars().map(fold).collect());

/// The parts of it with the minimum length of a redaction, each with the places where it begins.
static PLACES: LazyLock<HashMap<&'static [char], Vec<usize>>> = LazyLock::new(|| {
    let mut places: HashMap<_, Vec<usize>> = HashMap::new();
    for (place, part) in WORDS.windows(LEAST).enumerate() {
        places.entry(part).or_default().push(place);
    }
    places
});

/// How many leading characters of a secret occur somewhere in the contract or in this text.
pub(super) fn known_of_beginning(secret: &[char], text: &str) -> usize {
    let in_common = |words: &[char], place: usize| alike(&words[place..], secret);
    secret
        .first_chunk::<LEAST>()
        .map_or(0, |part| known(part, text, in_common))
}

/// How many trailing characters of a secret occur there.
pub(super) fn known_of_end(secret: &[char], text: &str) -> usize {
    let in_common = |words: &[char], place: usize| alike(words[..place + LEAST].iter().rev(), secret.iter().rev());
    secret
        .last_chunk::<LEAST>()
        .map_or(0, |part| known(part, text, in_common))
}

/// The most characters that a secret has in common with the contract or this text, at any place of this part of it.
fn known(part: &[char], text: &str, in_common: impl Fn(&[char], usize) -> usize) -> usize {
    let text: Vec<_> = text.chars().map(fold).collect();
    let windows = text.windows(LEAST).enumerate();
    let in_text = windows
        .filter(|(_, window)| *window == part)
        .map(|(place, _)| in_common(&text, place));
    let in_contract = PLACES
        .get(part)
        .into_iter()
        .flatten()
        .map(|place| in_common(&WORDS, *place));
    in_text.chain(in_contract).max().unwrap_or_default()
}

/// How many characters two texts begin with alike.
fn alike<'a>(one: impl IntoIterator<Item = &'a char>, other: impl IntoIterator<Item = &'a char>) -> usize {
    one.into_iter()
        .zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

/// A character in one letter case.
pub(super) fn fold(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    character.to_lowercase().next().unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length of the longest of these parts that occurs in the contract or the text.
    fn longest(parts: impl Iterator<Item = String>, text: &str) -> usize {
        let contract: String = WORDS.iter().collect();
        let known = parts.filter(|part| contract.contains(part) || text.contains(part));
        known.map(|part| part.chars().count()).max().unwrap_or_default()
    }

    proptest! {
        #[test]
        fn known_is_the_longest_beginning_or_end_that_occurs(
            place in 0..WORDS.len() - 40,
            length in 0_usize..40,
            before in "[a-z]{0,3}",
            after in "[a-z]{0,3}",
        ) {
            let words: String = WORDS[place..place + length].iter().collect();
            let secret: Vec<char> = format!("{before}{words}{after}").chars().collect();
            let text = "https://staging.example/platform";
            for secret in [&secret[..], &[&['s', 't', 'a', 'g', 'i', 'n', 'g'], &secret[..]].concat()] {
                let lengths = LEAST..=secret.len();
                let beginnings = lengths.clone().map(|length| secret[..length].iter().collect());
                prop_assert_eq!(known_of_beginning(secret, text), longest(beginnings, text));
                let ends = lengths.map(|length| secret[secret.len() - length..].iter().collect());
                prop_assert_eq!(known_of_end(secret, text), longest(ends, text));
            }
        }
    }
}
