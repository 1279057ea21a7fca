//! Texts that are nearly a key. A deployment must reject them like any other text that is not a key.

use crate::secret::Secret;

/// The minimum length of a key whose similar texts are sent: a text similar to a shorter key may be a key itself.
const LEAST: usize = 8;

/// A text with this many consecutive characters of a key discloses part of it.
const PART: usize = 8;

/// A text that differs slightly from a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearKey {
    /// The key without its last character.
    Shorter,
    /// The key with one more character.
    Longer,
    /// The key in the other letter case.
    OtherCase,
    /// The key with another first character.
    OtherFirst,
    /// The key with another last character.
    OtherLast,
    /// The key in quotation marks.
    Quoted,
    /// The key with another text after a comma, as a proxy joins two header lines.
    Joined,
}

impl NearKey {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Shorter,
        Self::Longer,
        Self::OtherCase,
        Self::OtherFirst,
        Self::OtherLast,
        Self::Quoted,
        Self::Joined,
    ];

    /// The text that is similar to this key. `None` if there is none, or if the key is too short.
    pub(crate) fn of(self, key: &str) -> Option<String> {
        let key = key.trim();
        if key.len() < LEAST || !key.is_ascii() {
            return None;
        }
        let (first, last) = (&key[1..], &key[..key.len() - 1]);
        let near = match self {
            Self::Shorter => last.to_owned(),
            Self::Longer => format!("{key}x"),
            Self::OtherCase => key.chars().map(in_other_case).collect(),
            Self::OtherFirst => format!("~{first}"),
            Self::OtherLast => format!("{last}~"),
            Self::Quoted => format!("\"{key}\""),
            Self::Joined => format!("{key}, x"),
        };
        (near != key).then_some(near)
    }

    /// The same text as a shell word; `key` is the word for the key.
    pub(crate) fn in_shell(self, key: &str) -> String {
        let change = match self {
            Self::Shorter => "sed 's/.$//'",
            Self::Longer => "sed 's/$/x/'",
            Self::OtherCase => "tr 'a-zA-Z' 'A-Za-z'",
            Self::OtherFirst => "sed 's/^./~/'",
            Self::OtherLast => "sed 's/.$/~/'",
            Self::Quoted => "sed 's/.*/\"&\"/'",
            Self::Joined => "sed 's/$/, x/'",
        };
        format!("$(printf %s \"{key}\" | {change})")
    }

    /// Whether a text contains a consecutive part of the text similar to a key, and `usual` does not. Text that also
    /// occurs in the response to any other key discloses nothing.
    pub(crate) fn shows_part_of(self, key: &str, text: &str, usual: &str) -> bool {
        let near = self.of(key).unwrap_or_default();
        let pieces = near.as_bytes().windows(PART);
        let mut pieces = pieces.filter_map(|piece| str::from_utf8(piece).ok());
        pieces.any(|piece| text.contains(piece) && !usual.contains(piece))
    }

    /// How it differs from the key, as the end of a sentence.
    pub fn differs(self) -> &'static str {
        match self {
            Self::Shorter => "without its last character",
            Self::Longer => "with one more character",
            Self::OtherCase => "in the other letter case",
            Self::OtherFirst => "with another first character",
            Self::OtherLast => "with another last character",
            Self::Quoted => "in quotation marks",
            Self::Joined => "with another text after a comma",
        }
    }

    /// The texts similar to a key, which are redacted: they disclose the key. Those with marks around the key disclose
    /// nothing once the key is redacted.
    pub(crate) fn secrets_near(key: &Secret) -> impl Iterator<Item = Secret> {
        let with_marks = |near: &Self| matches!(near, Self::Quoted | Self::Joined);
        let near = Self::ALL.into_iter().filter(move |near| !with_marks(near));
        let texts: Vec<_> = near.map(|near| near.of(key.reveal())).collect();
        let variable = key.variable().to_owned();
        let texts = texts.into_iter().flatten();
        texts.map(move |text| Secret::new(text, variable.clone()))
    }
}

fn in_other_case(character: char) -> char {
    match character.is_ascii_lowercase() {
        true => character.to_ascii_uppercase(),
        false => character.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_copies_of_a_key_differ_from_it() {
        let near = NearKey::ALL.map(|near| near.of("Key-1234").unwrap());
        let expected = [
            "Key-123",
            "Key-1234x",
            "kEY-1234",
            "~ey-1234",
            "Key-123~",
            "\"Key-1234\"",
            "Key-1234, x",
        ];
        assert_eq!(near, expected);
    }

    #[test]
    fn short_key_has_no_near_copies_and_digits_have_no_other_case() {
        assert!(NearKey::ALL.iter().all(|near| near.of("Key-123").is_none()));
        assert_eq!(NearKey::OtherCase.of("12345678"), None);
        assert_eq!(NearKey::OtherLast.of("1234567~"), None);
    }

    #[test]
    fn part_of_a_near_copy_is_found_unless_it_is_usual() {
        let shows = |text: &str, usual: &str| {
            let key = "platform-Qx7vT2Lm0Zk4";
            NearKey::OtherLast.shows_part_of(key, text, usual)
        };
        assert!(shows("platform-Qx… is not known", "1234567890… is not known"));
        assert!(shows("key …T2Lm0Zk~", "key …34567890"));
        assert!(!shows("the platform-wide key", "the platform-wide key"));
        assert!(!shows("key platfor…", "key 1234567…"));
    }

    #[test]
    fn shell_makes_the_same_near_copies() {
        for near in NearKey::ALL {
            let line = format!("key=Key-1234; printf %s \"{}\"", near.in_shell("$key"));
            let shell = std::process::Command::new("sh").args(["-c", &line]).output();
            let printed = String::from_utf8(shell.unwrap().stdout).unwrap();
            assert_eq!(Some(printed), near.of("Key-1234"), "{line}");
        }
    }
}
