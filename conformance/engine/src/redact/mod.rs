//! Removes the secrets of a target from every text that a person may read, however they are encoded there.
//!
//! A deployment may repeat what it is sent in any form: verbatim, in another letter case, escaped for JSON, URLs, HTML
//! or a shell, in base64, alone or after a user name, in hexadecimal digits, or cut off after its first characters.
//! Each is replaced by the environment variable that holds the secret.
//!
//! There are two sources. Text from the *deployment* loses every prefix of six characters or more. Text from the *kit*
//! (expectations, shell lines) may contain values from the deployment and loses the same, with one exception: a word
//! that a secret begins with stays. A key `answer-8f3a` must not remove the word from the kit's sentences. Words of the
//! contract and of the base URL stay in both, because every report shows them anyway.
//!
//! Texts are redacted when they enter a finding, a reason or a trouble note, and before they are cut: a cut secret
//! could not be recognized. Redaction applies to displayed text, never to what a case checks. A case that looks for a
//! secret uses [`Secrets::whole_in`], which never treats a word as part of a secret.

mod beginning;
mod decode;
mod pattern;
mod vocabulary;

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use self::beginning::{Beginning, Beginnings, Start};
use self::decode::ESCAPES;
use self::pattern::{Found, Pattern, Source, readings};
use crate::mojibake::read_as_windows_1252;
use crate::secret::Secret;

/// The limit on characters of one text in a report.
pub(crate) const SHOWN: usize = 400;
/// A text is not cut for this many characters more: a status with an excerpt of a body already ends with the length of
/// the body.
const BEYOND: usize = 80;

/// All secrets of a target, prepared for searching texts.
pub struct Secrets {
    patterns: Vec<Pattern>,
    variables: Vec<String>,
    /// Rules out most places of a text before any pattern is tried.
    beginnings: Beginnings,
    /// The patterns that may begin with each byte.
    begins: Vec<Vec<Start>>,
    /// Of these, the patterns that a text contains whole only on purpose, from their first character on.
    whole: Vec<Vec<usize>>,
}

impl Secrets {
    /// Creates the set of secrets to redact; parts that the base URL shows are not secret.
    pub fn new(secrets: impl IntoIterator<Item = Secret>, base_url: &str) -> Self {
        let (mut patterns, mut variables) = (Vec::new(), Vec::new());
        let mut known = BTreeSet::new();
        for secret in secrets {
            for text in spellings(secret.reveal()) {
                // Roles may share a key: the first variable that holds it is shown.
                if !known.contains(&text) {
                    patterns.extend(Pattern::all_of(&text, variables.len(), base_url));
                    known.insert(text);
                }
            }
            variables.push(secret.variable().to_owned());
        }
        let (mut begins, mut whole) = (vec![Vec::new(); 256], vec![Vec::new(); 256]);
        let mut beginnings = Beginnings::new();
        for (position, pattern) in patterns.iter().enumerate() {
            for start in pattern.starts() {
                beginnings.insert(&pattern.bytes_from(start, Beginnings::LENGTH), (position, start));
            }
            for (start, byte) in pattern.first_bytes() {
                begins[usize::from(byte)].push((position, start));
                if start == 0 && pattern.is_telling() {
                    whole[usize::from(byte)].push(position);
                }
            }
        }
        Self {
            patterns,
            variables,
            beginnings,
            begins,
            whole,
        }
    }

    /// Returns a text from the deployment, redacted.
    pub(crate) fn said(&self, text: &str) -> String {
        self.redact(text, Source::Deployment, usize::MAX).0
    }

    /// Returns a text of the kit, redacted.
    pub(crate) fn written(&self, text: &str) -> String {
        self.redact(text, Source::Kit, usize::MAX).0
    }

    /// Returns the first characters of a text from the deployment, redacted, and whether they are all of it.
    pub(crate) fn said_beginning(&self, text: &str, most: usize) -> (String, bool) {
        self.redact(text, Source::Deployment, most)
    }

    /// Returns the first characters of a text of the kit, redacted, and whether they are all of it.
    pub(crate) fn written_beginning(&self, text: &str, most: usize) -> (String, bool) {
        self.redact(text, Source::Kit, most)
    }

    /// Returns a text from the deployment, redacted and short enough to read.
    pub(crate) fn excerpt(&self, text: &str) -> String {
        self.shortened(text, Source::Deployment)
    }

    /// Returns a text of the kit, redacted and short enough to read.
    pub(crate) fn written_excerpt(&self, text: &str) -> String {
        self.shortened(text, Source::Kit)
    }

    /// Returns the variable of a secret that a text contains whole, in any form. Short secrets, and those that the
    /// contract or the base URL shows, are not found: a text may contain them by accident.
    pub fn whole_in(&self, text: &str) -> Option<&str> {
        let places = text
            .char_indices()
            .filter(|(at, _)| self.may_begin_at(&self.whole, text, *at));
        let found = places.flat_map(|(at, _)| {
            let begun = readings(text, at).flat_map(|(item, _)| &self.whole[usize::from(item.first_byte())]);
            let patterns = begun.map(|pattern| &self.patterns[*pattern]);
            patterns.filter(move |pattern| pattern.stands_whole_at(text, at))
        });
        let first = found.map(|pattern| pattern.variable()).next();
        first.map(|variable| self.variables[variable].as_str())
    }

    /// Whether [`whole_in`](Self::whole_in) finds any of them.
    pub fn can_be_found(&self) -> bool {
        self.patterns.iter().any(Pattern::is_telling)
    }

    fn shortened(&self, text: &str, source: Source) -> String {
        let characters = text.chars().count();
        let most = if characters <= SHOWN + BEYOND {
            usize::MAX
        } else {
            SHOWN
        };
        match self.redact(text, source, most) {
            (redacted, true) => redacted,
            (redacted, false) => format!("{redacted}… ({characters} characters in all)"),
        }
    }

    /// Redacts a text until the result has `most` characters; also returns whether that is all of it. The whole text is
    /// searched, so a secret that begins before the cut is removed entirely.
    fn redact(&self, text: &str, source: Source, most: usize) -> (String, bool) {
        let bytes = text.as_bytes();
        let mut redacted = Outcome::default();
        let mut at = 0;
        while at < bytes.len() {
            if redacted.characters >= most {
                return (redacted.text, false);
            }
            if bytes[at] == b'$'
                && let Some(variable) = self.variable_at(text, at + 1)
            {
                redacted.push_variable(variable);
                at += 1 + variable.len();
            } else if let Some(found) = self.longest_at(text, at, source) {
                redacted.replace(found.in_a_run, &self.variables[found.variable]);
                at = found.end;
            } else {
                let Some(character) = text[at..].chars().next() else {
                    break;
                };
                redacted.push(character);
                at += character.len_utf8();
            }
        }
        (redacted.text, true)
    }

    /// The variable whose name is here, after its `$`: the kit wrote it.
    fn variable_at(&self, text: &str, at: usize) -> Option<&str> {
        let names = self.variables.iter().map(String::as_str);
        names
            .filter(|name| text[at..].starts_with(name))
            .max_by_key(|name| name.len())
    }

    fn longest_at(&self, text: &str, at: usize, source: Source) -> Option<Found> {
        match self.beginnings.at(text, at) {
            Beginning::Nothing => None,
            Beginning::These(starts) => self.longest_of(starts, text, at, source),
            Beginning::Any => {
                let begun = readings(text, at).flat_map(|(item, _)| &self.begins[usize::from(item.first_byte())]);
                self.longest_of(begun, text, at, source)
            }
        }
    }

    /// The first of the longest matches that begin here.
    fn longest_of<'a>(
        &self,
        starts: impl IntoIterator<Item = &'a Start>,
        text: &str,
        at: usize,
        source: Source,
    ) -> Option<Found> {
        let mut longest: Option<Found> = None;
        for (pattern, start) in starts {
            let found = self.patterns[*pattern].find_at(text, at, *start, source);
            let is_longer = |found: &Found| longest.as_ref().is_none_or(|known| found.end > known.end);
            if let Some(found) = found.filter(is_longer) {
                longest = Some(found);
            }
        }
        longest
    }

    /// Whether one of the patterns that may begin with each byte may begin here: nearly every place is ruled out by its
    /// first bytes.
    fn may_begin_at<T>(&self, begins: &[Vec<T>], text: &str, at: usize) -> bool {
        let first = text.as_bytes()[at];
        // An escape may be any character.
        let may_begin = !begins[usize::from(first)].is_empty() || ESCAPES.contains(&first);
        may_begin && !matches!(self.beginnings.at(text, at), Beginning::Nothing)
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Secrets").field(&self.variables).finish()
    }
}

/// A redacted text under construction.
#[derive(Default)]
struct Outcome {
    text: String,
    characters: usize,
    /// Where the run of base64 characters at the end of the text begins.
    run: usize,
}

impl Outcome {
    fn push(&mut self, character: char) {
        self.text.push(character);
        self.characters += 1;
        if !pattern::is_of_base64(character) {
            self.run = self.text.len();
        }
    }

    fn push_variable(&mut self, variable: &str) {
        self.text.push('$');
        self.text.push_str(variable);
        self.characters += 1 + variable.chars().count();
        self.run = self.text.len();
    }

    /// Replaces a match with its variable; for base64, also the run up to here.
    fn replace(&mut self, in_a_run: bool, variable: &str) {
        if in_a_run {
            self.characters -= self.text[self.run..].chars().count();
            self.text.truncate(self.run);
        }
        self.push_variable(variable);
    }
}

/// The forms of a secret to hide: the token of `Bearer TOKEN`, the decoded value of `Basic …`, and UTF-8 misread as
/// Latin-1 or Windows-1252.
fn spellings(secret: &str) -> Vec<String> {
    let secret = secret.trim();
    let mut spellings = Vec::new();
    let token = match secret.split_once(' ') {
        Some((scheme, token)) if scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            let token = token.trim();
            let decoded = BASE64_STANDARD.decode(token).ok();
            let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
            if scheme.eq_ignore_ascii_case("basic")
                && let Some(decoded) = decoded
            {
                let password = decoded.split_once(':').map(|(_, password)| password.to_owned());
                spellings.extend(password);
                spellings.push(decoded);
            }
            token
        }
        _ => secret,
    };
    spellings.push(token.to_owned());
    if !token.is_ascii() {
        spellings.push(token.bytes().map(char::from).collect());
        spellings.push(read_as_windows_1252(token));
    }
    spellings.retain(|spelling| !spelling.is_empty());
    spellings
}

#[cfg(test)]
mod tests;
