//! Reads the bodies of responses, within limits: a deployment that sends without end must not exhaust the memory of the
//! machine.
//!
//! Nothing is decompressed: the client requests no encoding, and supports none.

use bytesize::ByteSize;
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes of the limit on bodies for each JSON value: a value takes up to 32 bytes in memory.
const BYTES_OF_VALUE: u64 = 16;
/// The number of values that is always allowed.
const LEAST_VALUES: u64 = 1_000_000;
/// The memory of an object, as a multiple of a number's.
const OBJECT: u64 = 20;

/// The greatest integer up to which floating-point numbers hold each one: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Bodies longer than this are read and parsed one at a time, so that their memory does not add up.
const LARGE: usize = 2 << 20;

/// The limits on the length of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound(pub(crate) u64);

/// Why a body was not read.
pub(crate) enum Unread {
    /// The connection was interrupted.
    Broken(reqwest::Error),
    /// The body is too long; the text gives the details.
    TooLong(String),
}

/// A body that was read.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The body if it is JSON.
    pub(crate) json: Option<Value>,
    /// The body as text.
    pub(crate) text: String,
    /// The first byte that is not UTF-8, if there is one.
    pub(crate) not_utf_8: Option<BadByte>,
}

/// A byte that is not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadByte {
    pub(crate) byte: u8,
    /// Its offset in the body, in bytes. The bytes before it are valid UTF-8.
    pub(crate) offset: usize,
}

impl Bound {
    /// Reads a body. The rest of a too long body is never read: its connection is closed. A large one is returned with
    /// its turn, which ends when it is dropped.
    pub(crate) async fn read<'a>(
        self,
        mut response: reqwest::Response,
        large: &'a Semaphore,
    ) -> Result<(Vec<u8>, Option<SemaphorePermit<'a>>), Unread> {
        let fits = |length: u64| length <= self.0;
        let announced = response.content_length();
        if !announced.is_none_or(fits) {
            return Err(self.too_long("is longer than"));
        }
        let (mut body, mut turn) = (Vec::new(), None);
        while let Some(chunk) = response.chunk().await.map_err(Unread::Broken)? {
            if !fits(u64::try_from(body.len() + chunk.len()).unwrap_or(u64::MAX)) {
                return Err(self.too_long("is longer than"));
            }
            if turn.is_none() && body.len() + chunk.len() > LARGE {
                // It is never closed.
                turn = large.acquire().await.ok();
            }
            body.extend_from_slice(&chunk);
        }
        Ok((body, turn))
    }

    /// Parses a body. A body that is not text is not JSON either.
    pub(crate) fn parse(self, bytes: Vec<u8>) -> Result<Parsed, Unread> {
        match String::from_utf8(bytes) {
            Ok(text) => {
                self.check_values(&text)?;
                Ok(Parsed {
                    json: serde_json::from_str(&text).ok().map(with_whole_numbers),
                    text,
                    not_utf_8: None,
                })
            }
            Err(error) => Ok(Parsed {
                json: None,
                text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                not_utf_8: {
                    let offset = error.utf8_error().valid_up_to();
                    let byte = error.as_bytes().get(offset).copied();
                    byte.map(|byte| BadByte { byte, offset })
                },
            }),
        }
    }

    /// Checks whether a text, parsed as JSON, would take far more memory than as text.
    fn check_values(self, text: &str) -> Result<(), Unread> {
        let most = (self.0 / BYTES_OF_VALUE).max(LEAST_VALUES);
        match values(text, most) < most {
            true => Ok(()),
            false => Err(self.too_long("holds more JSON than a body of")),
        }
    }

    fn too_long(self, is: &str) -> Unread {
        let most = ByteSize(self.0).display().si();
        Unread::TooLong(format!("the body {is} {most}; raise the limit with --max-body-bytes"))
    }
}

/// Writes whole numbers as integers: `1280.0` and `1.28e3` are the number 1280, however a deployment writes it.
fn with_whole_numbers(mut value: Value) -> Value {
    let mut left = vec![&mut value];
    while let Some(value) = left.pop() {
        match value {
            Value::Number(number) if number.is_f64() => {
                if let Some(whole) = number.as_f64().and_then(whole) {
                    *value = whole.into();
                }
            }
            Value::Array(values) => left.extend(values),
            Value::Object(members) => left.extend(members.values_mut()),
            _ => {}
        }
    }
    value
}

/// The integer that a floating-point number is, if it is exact.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number within the exact integers"
)]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// An upper bound on the JSON values in a text, an object counted as several; counting stops at `most`.
fn values(text: &str, most: u64) -> u64 {
    // A byte begins at most one value.
    if u64::try_from(text.len()).is_ok_and(|length| length < most / OBJECT) {
        return 0;
    }
    let (mut values, mut in_text, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' => values += OBJECT,
            b',' | b'[' => values += 1,
            _ => {}
        }
        if values >= most {
            break;
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_byte_that_is_not_utf_8_is_found() {
        let parsed = Bound(1_000).parse(b"{\"name\":\"Stra\xDFe\"}".to_vec());
        let Ok(parsed) = parsed else {
            panic!("it is short");
        };
        assert_eq!(parsed.json, None);
        let (byte, offset) = (0xDF, 13);
        assert_eq!(parsed.not_utf_8, Some(BadByte { byte, offset }));
    }

    #[test]
    fn json_values_are_counted_outside_strings() {
        for (text, count) in [
            ("[1,2,3]", 3),
            (r#"["a,b,[{", "\",\"", "\\"]"#, 3),
            (r#"[{},{}]"#, 42),
            ("[[[[[", 5),
        ] {
            assert_eq!(values(text, 100), count, "{text}");
        }
        assert_eq!(values("[,,,,,,,,,", 5), 5);
    }
}
