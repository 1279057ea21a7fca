//! Hides the keys of a client and the search texts of a call in server data before it becomes part of
//! an error.
//!
//! A server or proxy may repeat a request in its response, in any encoding: escaped for JSON, URLs or
//! HTML, as hexadecimal digits, in base64. Each secret is matched character by character, in every
//! encoding that a character may have at that place, so mixtures are found too. This is slow, but
//! happens only when an error is created; successful responses do not pass through here.

mod spelling;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

use crate::generated::operations::FREE_TEXTS;

/// Replacement for hidden text.
const HIDDEN: &str = "<hidden>";

/// Number of characters of the key that reveal it.
const LEAST_OF_KEY: usize = 6;

/// Shorter search texts are not hidden: they may be words of any message.
const SHORTEST_TEXT: usize = 8;

/// Number of characters of a search text that reveal it: longer than an ordinary word.
const LEAST_OF_TEXT: usize = 16;

/// Replaces secrets, which must not appear in an error.
#[derive(Default)]
pub(crate) struct Redactor {
    secrets: Vec<Secret>,
}

struct Secret {
    /// Runs of whitespace are collapsed into one space.
    characters: Vec<char>,
    /// Minimum number of characters in a match.
    least: usize,
    bytes: Vec<u8>,
    least_bytes: usize,
    /// For each of three offsets in a group of three bytes: the part of the base64 that does not depend
    /// on the preceding bytes, and the minimum length of a match.
    base64: [(Vec<u8>, usize); 3],
}

impl Redactor {
    /// Creates a redactor for keys and the search texts of a request.
    pub(crate) fn of<'a>(keys: impl IntoIterator<Item = &'a str>, request: Option<&reqwest::Request>) -> Self {
        let keys = keys.into_iter();
        let mut secrets: Vec<Secret> = keys.map(|key| Secret::new(key, LEAST_OF_KEY)).collect();
        let parameters = request.map(|request| request.url().query_pairs());
        for (name, text) in parameters.into_iter().flatten() {
            let words: Vec<&str> = text.split_whitespace().collect();
            let text = words.join(" ");
            if FREE_TEXTS.contains(&&*name) && text.chars().count() >= SHORTEST_TEXT {
                secrets.push(Secret::new(&text, LEAST_OF_TEXT));
            }
        }
        Self { secrets }
    }

    /// Returns the text with all secrets replaced.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(next) = text[at..].chars().next() {
            match self.found(text, at) {
                Some(Found { end, is_base64 }) => {
                    at = end;
                    if is_base64 {
                        // The characters around it hold bits of the secret, or the name of its owner.
                        let is_token = |c: char| c != '=' && is_base64_character(c);
                        shown.truncate(shown.trim_end_matches(is_token).len());
                        let token = text[at..].trim_start_matches(is_base64_character);
                        at = text.len() - token.len();
                    }
                    if !shown.ends_with(HIDDEN) {
                        shown.push_str(HIDDEN);
                    }
                }
                None => {
                    shown.push(next);
                    at += next.len_utf8();
                }
            }
        }
        shown
    }

    /// Returns the value with all secrets replaced, in names too.
    pub(crate) fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Value::Object(object) => object
                .into_iter()
                .map(|(name, value)| (self.text(&name), self.json(value)))
                .collect(),
            // A key may be a number.
            Value::Number(number) => match self.text(&number.to_string()) {
                shown if shown.contains(HIDDEN) => Value::String(shown),
                _ => Value::Number(number),
            },
            other => other,
        }
    }

    /// Returns the longest secret that starts at `at`.
    fn found(&self, text: &str, at: usize) -> Option<Found> {
        let found = self.secrets.iter().flat_map(|secret| {
            let plain = [secret.spelled(text, at), secret.in_hex(text, at)];
            let plain = plain.into_iter().flatten().map(|end| Found { end, is_base64: false });
            let base64 = secret.in_base64(text, at).map(|end| Found { end, is_base64: true });
            plain.chain(base64)
        });
        found.max_by_key(|found| found.end)
    }
}

struct Found {
    end: usize,
    is_base64: bool,
}

impl Secret {
    fn new(text: &str, least: usize) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let least = least.min(characters.len());
        let least_bytes = characters[..least].iter().map(|c| c.len_utf8()).sum();
        Self {
            base64: [0, 1, 2].map(|before| base64(text.as_bytes(), least_bytes, before)),
            bytes: text.as_bytes().to_vec(),
            least_bytes,
            characters,
            least,
        }
    }

    /// Returns the end of the secret that starts at `at`, or of a long enough prefix of it.
    fn spelled(&self, text: &str, at: usize) -> Option<usize> {
        let mut ends = vec![at];
        let mut longest = None;
        for (place, wanted) in self.characters.iter().enumerate() {
            let mut next = Vec::new();
            for end in ends {
                spelling::read(text, end, &mut |found, end| {
                    if spelling::is_same(found, *wanted) && !next.contains(&end) {
                        next.push(end);
                    }
                });
            }
            if *wanted == ' ' {
                more_white_space(text, &mut next);
            }
            let Some(furthest) = next.iter().max() else {
                break;
            };
            if place + 1 >= self.least {
                longest = Some(*furthest);
            }
            ends = next;
        }
        longest
    }

    /// Same as `spelled`, for hexadecimal digits.
    fn in_hex(&self, text: &str, at: usize) -> Option<usize> {
        let digits = text.as_bytes()[at..].chunks_exact(2);
        let bytes = digits.map_while(spelling::hex);
        let count = bytes
            .zip(&self.bytes)
            .take_while(|(byte, wanted)| byte == *wanted)
            .count();
        (count > 0 && count >= self.least_bytes).then_some(at + 2 * count)
    }

    /// Same as `spelled`, for base64.
    fn in_base64(&self, text: &str, at: usize) -> Option<usize> {
        let ends = self.base64.iter().filter_map(|(wanted, least)| {
            let mut end = at;
            let mut count = 0;
            for wanted in wanted {
                let mut next = None;
                spelling::read(text, end, &mut |found, after| {
                    let found = match found {
                        '-' => '+',
                        '_' => '/',
                        found => found,
                    };
                    if found == char::from(*wanted) {
                        next = next.max(Some(after));
                    }
                });
                let Some(next) = next else { break };
                end = next;
                count += 1;
            }
            (count > 0 && count >= *least).then_some(end)
        });
        ends.max()
    }
}

/// Adds the ends after further whitespace, because a space may be written as several.
fn more_white_space(text: &str, ends: &mut Vec<usize>) {
    let mut place = 0;
    while let Some(end) = ends.get(place).copied() {
        spelling::read(text, end, &mut |found, end| {
            if found.is_whitespace() && !ends.contains(&end) {
                ends.push(end);
            }
        });
        place += 1;
    }
}

/// Returns the part of the base64 of `secret` that does not depend on the bytes around it, if `before`
/// bytes precede it in its group of three; and the length of that part for the first `least` bytes.
fn base64(secret: &[u8], least: usize, before: usize) -> (Vec<u8>, usize) {
    let group: Vec<u8> = [0].repeat(before).into_iter().chain(secret.iter().copied()).collect();
    let written = STANDARD_NO_PAD.encode(group).into_bytes();
    let begin = (8 * before).div_ceil(6);
    let whole = |bytes: usize| (8 * (before + bytes) / 6).saturating_sub(begin);
    let determined = written[begin..].iter().take(whole(secret.len())).copied().collect();
    (determined, whole(least))
}

fn is_base64_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=')
}

#[cfg(test)]
mod tests;
