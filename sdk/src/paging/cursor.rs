//! A place in a walk that outlives the process.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::drift::Mark;

/// Prefix of the text, changed with each change of the format after it.
const VERSION: &str = "w1";

/// A place in a walk: the item after which it continues.
///
/// A cursor displays and serializes as a short text, which can be stored anywhere. The text contains
/// neither the key nor the search text, only a hash that identifies the request. The hash covers all
/// parameters, including `skip` and `limit`, but not the page size, the prefetch or the location of the
/// deployment.
///
/// ```
/// use platform_sdk::paging::Cursor;
///
/// let stored = "w1.list_items.6c62272e07bb0142.1500.20000.88231";
/// let cursor: Cursor = stored.parse()?;
/// assert_eq!(cursor.position(), 1500);
/// assert_eq!(cursor.total_count(), Some(20_000));
/// assert_eq!(cursor.to_string(), stored);
/// # Ok::<(), platform_sdk::paging::InvalidCursor>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor {
    pub(super) operation: Cow<'static, str>,
    /// Hash of the request.
    pub(super) request: u64,
    pub(super) mark: Mark,
}

impl Cursor {
    /// Returns the number of rows behind the cursor, including those passed over by `skip`.
    pub fn position(&self) -> u64 {
        self.mark.position
    }

    /// Returns the last reported number of items in the collection; `None` before the first page.
    pub fn total_count(&self) -> Option<u64> {
        self.mark.total
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            request,
            mark,
        } = self;
        write!(f, "{VERSION}.{operation}.{request:016x}.{}.", mark.position)?;
        match mark.total {
            Some(total) => write!(f, "{total}.")?,
            None => f.write_str("-.")?,
        }
        match mark.last {
            Some(last) => write!(f, "{last}"),
            None => f.write_str("-"),
        }
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = text.split('.').collect();
        match parts[..] {
            [VERSION, operation, request, position, total, last] => {
                parse(operation, request, position, total, last).ok_or(InvalidCursor::Malformed)
            }
            [version, ..] if is_version(version) && version != VERSION => Err(InvalidCursor::OtherVersion),
            _ => Err(InvalidCursor::Malformed),
        }
    }
}

fn parse(operation: &str, request: &str, position: &str, total: &str, last: &str) -> Option<Cursor> {
    let is_id = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if operation.is_empty() || !operation.bytes().all(is_id) || request.len() != 16 {
        return None;
    }
    Some(Cursor {
        operation: Cow::Owned(operation.to_owned()),
        request: u64::from_str_radix(request, 16).ok()?,
        mark: Mark {
            position: position.parse().ok()?,
            total: parse_known(total)?,
            last: parse_known(last)?,
        },
    })
}

/// Parses a number, or `-` for an unknown one.
fn parse_known<N: FromStr>(text: &str) -> Option<Option<N>> {
    match text {
        "-" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

fn is_version(text: &str) -> bool {
    text.strip_prefix('w')
        .is_some_and(|number| number.parse::<u32>().is_ok())
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Why a text is not a [`Cursor`].
///
/// ```
/// use platform_sdk::paging::{Cursor, InvalidCursor};
///
/// assert_eq!("page 7".parse::<Cursor>(), Err(InvalidCursor::Malformed));
/// assert_eq!("w9.list_items.7".parse::<Cursor>(), Err(InvalidCursor::OtherVersion));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidCursor {
    /// The text is not a cursor of any version.
    Malformed,
    /// The cursor was written by a version of the SDK with another format. The walk has to start again.
    OtherVersion,
}

impl fmt::Display for InvalidCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "not a cursor of a walk",
            Self::OtherVersion => "the cursor was written by an incompatible version of the SDK; start the walk again",
        })
    }
}

impl std::error::Error for InvalidCursor {}

/// Hashes a request: its path below the base URL, and its parameters. The order of the parameters does
/// not matter, because all lists are sets.
pub(super) fn hash(path: &str, query: impl Iterator<Item = (String, String)>) -> u64 {
    let mut pairs: Vec<(String, String)> = query.collect();
    pairs.sort_unstable();
    let texts = pairs.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    // FNV-1a, because the hash must be the same in every version of Rust and of the SDK. 0xff occurs in
    // no text, so it works as a separator.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in std::iter::once(path).chain(texts) {
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Cow, Cursor, InvalidCursor, Mark, hash};

    proptest! {
        #[test]
        fn text_and_json_give_the_cursor_back(
            operation in "[a-z_]{1,40}",
            request: u64,
            position: u64,
            total: Option<u64>,
            last: Option<i64>,
        ) {
            let mark = Mark { position, total, last };
            let cursor = Cursor { operation: Cow::Owned(operation), request, mark };
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
            let json = serde_json::to_string(&cursor).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(serde_json::from_str::<Cursor>(&json).ok(), Some(cursor));
        }

        #[test]
        fn no_text_makes_reading_panic(text in "(w1|w2|)[.a-z0-9_-]{0,60}|.*") {
            let _ = text.parse::<Cursor>();
        }
    }

    #[test]
    fn text_that_is_not_a_cursor_is_rejected() {
        for text in [
            "",
            "w1",
            "w1.list_items.6c62272e07bb0142.1.2",
            "w1.list_items.6c62272e07bb0142.1.2.3.4",
            "w1.list_items.6c62272e07bb0142.-.2.3",
            "w1.list_items.6c62272e07bb0142.-1.2.3",
            "w1.list_items.6c62272e.1.2.3",
            "w1.List.6c62272e07bb0142.1.2.3",
            "x1.list_items.6c62272e07bb0142.1.2.3",
        ] {
            let parsed = text.parse::<Cursor>();
            assert_eq!(parsed, Err(InvalidCursor::Malformed), "{text}");
        }
    }

    fn hash_of(path: &str, query: &[(&str, &str)]) -> u64 {
        let pairs = query.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned()));
        hash(path, pairs)
    }

    #[test]
    fn hash_does_not_depend_on_the_order_of_parameters() {
        let one = hash_of("/items", &[("countries", "NO"), ("countries", "DK")]);
        let other = hash_of("/items", &[("countries", "DK"), ("countries", "NO")]);
        assert_eq!(one, other);
        let parameters: [&[(&str, &str)]; 4] = [
            &[("countries", "NO")],
            &[("countries", "NODK")],
            &[("regions", "NO"), ("countries", "DK")],
            &[],
        ];
        for parameters in parameters {
            assert_ne!(hash_of("/items", parameters), one);
        }
        assert_ne!(hash_of("/", &[("ab", "c")]), hash_of("/", &[("a", "bc")]));
    }

    #[test]
    fn hash_is_stable_between_versions() {
        let hash = hash_of("/api/v1/pipelines/1/items", &[("limit", "10")]);
        assert_eq!(hash, 13_721_738_083_405_098_108);
    }
}
