//! A reader of YAML 1.2 as JSON, with the line of every node.
//!
//! Many tools read a contract, so this reader accepts only what all of them interpret alike: no anchors, aliases or
//! tags, no duplicate keys, no number that JSON cannot represent.

use std::collections::BTreeMap;
use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Number, Value};

use crate::pointer::escape;

/// An error in the text of a contract, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    line: u64,
    what: String,
}

impl SyntaxError {
    fn new(line: u64, what: impl Into<String>) -> Self {
        Self {
            line,
            what: what.into(),
        }
    }

    /// The line, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for SyntaxError {}

/// A document with the line of every node by JSON Pointer. A member's line is the line of its name; a list item's line
/// is the line of its value.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) root: Value,
    pub(crate) lines: BTreeMap<String, u64>,
    pub(crate) ambiguous: Vec<AmbiguousScalar>,
}

/// An unquoted scalar that YAML 1.1 and YAML 1.2 readers interpret differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmbiguousScalar {
    /// The line, counted from 1.
    pub line: u64,
    /// The scalar as written.
    pub text: String,
}

/// Parses a text.
pub(crate) fn read(text: &str) -> Result<Document, SyntaxError> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
        lines: BTreeMap::new(),
        ambiguous: Vec::new(),
        last_line: 1,
    };
    let mut root = Value::Null;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => break,
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            _ if root.is_null() => root = reader.node(event, span, "")?,
            _ => {
                return Err(SyntaxError::new(
                    line(span),
                    "a second document begins here: put the contract in one document",
                ));
            }
        }
    }
    Ok(Document {
        root,
        lines: reader.lines,
        ambiguous: reader.ambiguous,
    })
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    lines: BTreeMap<String, u64>,
    ambiguous: Vec<AmbiguousScalar>,
    last_line: u64,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), SyntaxError> {
        match self.parser.next() {
            Some(Ok((event, span))) => {
                self.last_line = line(span);
                Ok((event, span))
            }
            Some(Err(error)) => {
                let at = u64::try_from(error.marker().line()).unwrap_or(u64::MAX);
                Err(SyntaxError::new(at, error.info()))
            }
            None => Err(SyntaxError::new(self.last_line, "unexpected end of the text")),
        }
    }

    /// Reads the node that begins with this event, to its end.
    fn node(&mut self, event: Event<'a>, span: Span, pointer: &str) -> Result<Value, SyntaxError> {
        let at = line(span);
        match event {
            Event::Scalar(text, style, 0, None) => self.scalar(&text, style, at),
            Event::MappingStart(0, None) => self.mapping(pointer),
            Event::SequenceStart(0, None) => self.sequence(pointer),
            Event::Scalar(..) | Event::MappingStart(..) | Event::SequenceStart(..) => Err(SyntaxError::new(
                at,
                "anchors and tags are not supported: write the value itself",
            )),
            Event::Alias(_) => Err(SyntaxError::new(
                at,
                "aliases are not supported: write a $ref, or the value itself",
            )),
            other => Err(SyntaxError::new(at, format!("not a value: {other:?}"))),
        }
    }

    fn mapping(&mut self, pointer: &str) -> Result<Value, SyntaxError> {
        let mut members = Map::new();
        loop {
            let (event, span) = self.next()?;
            let name = match event {
                Event::MappingEnd => return Ok(Value::Object(members)),
                Event::Scalar(name, style, 0, None) => {
                    self.note_ambiguous(&name, style, line(span));
                    name
                }
                _ => return Err(SyntaxError::new(line(span), "a key has to be a string")),
            };
            let member = format!("{pointer}/{}", escape(&name));
            self.lines.insert(member.clone(), line(span));
            let (value, begins) = self.next()?;
            let value = self.node(value, begins, &member)?;
            if members.insert(name.to_string(), value).is_some() {
                let what = format!("duplicate key {name}");
                return Err(SyntaxError::new(line(span), what));
            }
        }
    }

    fn sequence(&mut self, pointer: &str) -> Result<Value, SyntaxError> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(Value::Array(items));
            }
            let item = format!("{pointer}/{}", items.len());
            self.lines.insert(item.clone(), line(span));
            items.push(self.node(event, span, &item)?);
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, at: u64) -> Result<Value, SyntaxError> {
        self.note_ambiguous(text, style, at);
        match style {
            ScalarStyle::Plain => {
                plain(text).ok_or_else(|| SyntaxError::new(at, format!("{text} is not a JSON number")))
            }
            _ => Ok(text.into()),
        }
    }

    fn note_ambiguous(&mut self, text: &str, style: ScalarStyle, line: u64) {
        if style == ScalarStyle::Plain && is_ambiguous(text) {
            self.ambiguous.push(AmbiguousScalar {
                line,
                text: text.to_owned(),
            });
        }
    }
}

fn line(span: Span) -> u64 {
    u64::try_from(span.start.line()).unwrap_or(u64::MAX)
}

/// Interprets an unquoted scalar by the core schema of YAML 1.2; `None` for a number that JSON does not have.
fn plain(text: &str) -> Option<Value> {
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ if is_integer(text) => {
            let digits = text.strip_prefix('+').unwrap_or(text);
            let number = digits.parse::<i64>().map(Number::from);
            number.or_else(|_| digits.parse::<u64>().map(Number::from)).ok()?.into()
        }
        _ if is_float(text) => Number::from_f64(text.parse().ok()?)?.into(),
        _ if is_special(text) => return None,
        _ => text.into(),
    })
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn is_integer(text: &str) -> bool {
    let digits = unsigned(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match unsigned(text).split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned(text), None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent.is_none_or(is_integer)
}

/// Whether a scalar is an infinity, a number with another base, or not-a-number.
fn is_special(text: &str) -> bool {
    let bare = unsigned(text).to_ascii_lowercase();
    let of_base = |prefix: &str, radix: u32| {
        let digits = bare.strip_prefix(prefix).filter(|digits| !digits.is_empty());
        digits.is_some_and(|digits| digits.chars().all(|digit| digit.is_digit(radix)))
    };
    matches!(&*bare, ".inf" | ".nan") || of_base("0o", 8) || of_base("0x", 16)
}

/// Whether a YAML 1.1 reader interprets an unquoted scalar differently: `NO` is false, `12:30` is 750, `010` is 8 and
/// `2016-03-14` is a date.
fn is_ambiguous(text: &str) -> bool {
    let bare = unsigned(text);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_boolean = matches!(&*text.to_ascii_lowercase(), "y" | "n" | "yes" | "no" | "on" | "off");
    let is_octal = bare.len() > 1 && bare.starts_with('0') && digits(bare);
    let is_binary = bare.starts_with("0b");
    let is_grouped = bare.contains('_')
        && bare.starts_with(|first: char| first.is_ascii_digit())
        && bare
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_' || byte == b'.');
    let is_sexagesimal = bare.contains(':') && bare.split(':').all(digits);
    let mut date = text.splitn(3, '-');
    let is_date = match (date.next(), date.next(), date.next()) {
        (Some(year), Some(month), Some(day)) => {
            let begins = day.split(['T', 't', ' ']).next().unwrap_or_default();
            year.len() == 4 && digits(year) && digits(month) && digits(begins)
        }
        _ => false,
    };
    is_boolean || is_octal || is_binary || is_grouped || is_sexagesimal || is_date || text == "=" || text == "<<"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_are_those_of_yaml_1_2() {
        let text = "[1, -2, +3, 1.5, 2e3, .5, true, False, ~, null, NO, '1', \"no\", 3.0.3, 1e, '', 12ab]";
        let wanted = json!([
            1, -2, 3, 1.5, 2000.0, 0.5, true, false, null, null, "NO", "1", "no", "3.0.3", "1e", "", "12ab"
        ]);
        assert_eq!(read(text).unwrap().root, wanted);
    }

    #[test]
    fn every_node_has_the_line_of_its_name() {
        let text = "a: 1\nb:\n  - x: {y: 2}\n\n  - plain\n/p/{q}: |\n  z\n";
        let lines = read(text).unwrap().lines;
        let lines: Vec<_> = lines.iter().map(|(pointer, line)| (&**pointer, *line)).collect();
        let wanted = [
            ("/a", 1),
            ("/b", 2),
            ("/b/0", 3),
            ("/b/0/x", 3),
            ("/b/0/x/y", 3),
            ("/b/1", 5),
            ("/~1p~1{q}", 6),
        ];
        assert_eq!(lines, wanted);
    }

    #[test]
    fn ambiguous_yaml_is_rejected_with_its_line() {
        for (text, wrong) in [
            ("a: 1\na: 2", "line 2: duplicate key a"),
            (
                "a: &x 1",
                "line 1: anchors and tags are not supported: write the value itself",
            ),
            (
                "a: !t 1",
                "line 1: anchors and tags are not supported: write the value itself",
            ),
            ("a: .inf", "line 1: .inf is not a JSON number"),
            ("a: 0x1f", "line 1: 0x1f is not a JSON number"),
            (
                "a: 1\n---\nb: 2",
                "line 3: a second document begins here: put the contract in one document",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), wrong, "{text}");
        }
        // The error of an unterminated list is on the last line.
        assert_eq!(read("a: 1\nb: [\n").unwrap_err().line(), 3);
    }

    #[test]
    fn scalars_that_yaml_1_1_interprets_differently_are_found() {
        let text = "a: [NO, DK, y, Off, 12:30, 010, 1_000, 2016-03-14, '2016-03-14', no one, 10, 1.5]\non: 1";
        let found = read(text).unwrap().ambiguous;
        let found: Vec<_> = found.iter().map(|scalar| (scalar.line, &*scalar.text)).collect();
        let wanted = [
            (1, "NO"),
            (1, "y"),
            (1, "Off"),
            (1, "12:30"),
            (1, "010"),
            (1, "1_000"),
            (1, "2016-03-14"),
            (2, "on"),
        ];
        assert_eq!(found, wanted);
    }
}
