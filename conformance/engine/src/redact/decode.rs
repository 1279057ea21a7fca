//! Decodes one character of a text through the escapes that are common in transit: JSON, URLs, HTML, shells, `Debug`.

/// How many escapes may be nested: percent-encoding of a `\u` escape in a JSON text inside a JSON text.
pub(super) const DEPTH: u8 = 3;

/// What is decoded at one place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Char(char),
    /// One byte of a multi-byte character: `%C3`.
    Byte(u8),
}

impl Item {
    /// The first byte of its encoding.
    pub(super) fn first_byte(self) -> u8 {
        match self {
            Self::Char(character) => character.encode_utf8(&mut [0; 4]).as_bytes()[0],
            Self::Byte(byte) => byte,
        }
    }
}

/// ASCII characters that HTML has a name for, in the order of the names.
const NAMED: [(&str, char); 39] = [
    ("Hat", '^'),
    ("Tab", '\t'),
    ("UnderBar", '_'),
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("grave", '`'),
    ("gt", '>'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lsqb", '['),
    ("lt", '<'),
    ("midast", '*'),
    ("nbsp", ' '),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("sol", '/'),
    ("verbar", '|'),
    ("vert", '|'),
];

/// The bytes that begin an escape.
pub(super) const ESCAPES: [u8; 4] = *b"%\\&'";

/// Decodes the character at a place, removing `depth` nested escapes, and returns where the next one begins.
pub(super) fn read(text: &str, at: usize, depth: u8) -> Option<(Item, usize)> {
    if depth == 0 {
        let character = text.get(at..)?.chars().next()?;
        return Some((Item::Char(character), at + character.len_utf8()));
    }
    let (item, end) = read(text, at, depth - 1)?;
    let reader = Reader { text, depth: depth - 1 };
    let escaped = match item {
        Item::Char('%') => reader.percent(end),
        Item::Char('\\') => reader.backslash(end),
        Item::Char('&') => reader.entity(end),
        Item::Char('\'') => reader.quote(end),
        _ => None,
    };
    Some(escaped.unwrap_or((item, end)))
}

/// Reads the rest of an escape; each of its characters may itself be escaped.
#[derive(Clone, Copy)]
struct Reader<'a> {
    text: &'a str,
    depth: u8,
}

impl Reader<'_> {
    fn char(self, at: usize) -> Option<(char, usize)> {
        match read(self.text, at, self.depth)? {
            (Item::Char(character), end) => Some((character, end)),
            (Item::Byte(_), _) => None,
        }
    }

    /// Expects this character, and returns where the next one begins.
    fn expect(self, wanted: char, at: usize) -> Option<usize> {
        let (character, end) = self.char(at)?;
        (character == wanted).then_some(end)
    }

    /// Reads at most this number of digits and returns their value and their end.
    fn digits(self, mut at: usize, radix: u32, most: usize) -> Option<(u32, usize)> {
        let (mut value, mut count) = (0_u32, 0);
        while count < most
            && let Some((character, end)) = self.char(at)
            && let Some(digit) = character.to_digit(radix)
        {
            value = value.checked_mul(radix)?.checked_add(digit)?;
            (at, count) = (end, count + 1);
        }
        (count > 0).then_some((value, at))
    }

    /// Reads exactly this number of hexadecimal digits.
    fn hex(self, at: usize, count: usize) -> Option<(u32, usize)> {
        let (mut value, mut end) = (0, at);
        for _ in 0..count {
            let (digit, after) = self.digits(end, 16, 1)?;
            (value, end) = (value * 16 + digit, after);
        }
        Some((value, end))
    }

    fn percent(self, at: usize) -> Option<(Item, usize)> {
        let (value, end) = self.hex(at, 2)?;
        Some((byte(value)?, end))
    }

    /// `\u0073`, `\u{73}`, `\x73`, `\n`, and an escaped punctuation mark.
    fn backslash(self, at: usize) -> Option<(Item, usize)> {
        let (character, end) = self.char(at)?;
        let character = match character {
            'u' => return self.unicode(end),
            'x' => {
                let (value, end) = self.hex(end, 2)?;
                return Some((byte(value)?, end));
            }
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            mark if mark.is_ascii_punctuation() => mark,
            _ => return None,
        };
        Some((Item::Char(character), end))
    }

    fn unicode(self, at: usize) -> Option<(Item, usize)> {
        if let Some(inside) = self.expect('{', at) {
            let (value, end) = self.digits(inside, 16, 6)?;
            let end = self.expect('}', end)?;
            return Some((Item::Char(char::from_u32(value)?), end));
        }
        let (value, end) = self.hex(at, 4)?;
        if let Some(character) = char::from_u32(value) {
            return Some((Item::Char(character), end));
        }
        // Half of a surrogate pair.
        let end = self.expect('\\', end)?;
        let (low, end) = self.hex(self.expect('u', end)?, 4)?;
        let pair = [u16::try_from(value).ok()?, u16::try_from(low).ok()?];
        let character = char::decode_utf16(pair).next()?.ok()?;
        Some((Item::Char(character), end))
    }

    /// `&quot;`, `&#34;`, `&#x22;`; browsers also accept them without the semicolon.
    fn entity(self, at: usize) -> Option<(Item, usize)> {
        let (character, end) = match self.expect('#', at) {
            Some(end) => {
                let x = self.expect('x', end).or_else(|| self.expect('X', end));
                let (value, end) = match x {
                    Some(end) => self.digits(end, 16, 7)?,
                    None => self.digits(end, 10, 8)?,
                };
                (char::from_u32(value)?, end)
            }
            None => self.name(at)?,
        };
        let end = self.expect(';', end).unwrap_or(end);
        Some((Item::Char(character), end))
    }

    /// Reads the longest name that stands here.
    fn name(self, mut at: usize) -> Option<(char, usize)> {
        let (mut possible, mut longest) = (&NAMED[..], None);
        let mut length = 0;
        while let Some((letter, end)) = self.char(at) {
            let next = |(name, _): &(&str, char)| name[length..].chars().next();
            let first = possible.partition_point(|name| next(name) < Some(letter));
            let behind = possible.partition_point(|name| next(name) <= Some(letter));
            possible = &possible[first..behind];
            // The shortest of those with the same beginning comes first.
            let Some((name, character)) = possible.first() else {
                break;
            };
            (at, length) = (end, length + 1);
            if name.len() == length {
                longest = Some((*character, end));
            }
        }
        longest
    }

    /// `'\''`, the shell form of a quotation mark inside a quoted word.
    fn quote(self, at: usize) -> Option<(Item, usize)> {
        let end = self.expect('\\', at)?;
        let end = self.expect('\'', end)?;
        Some((Item::Char('\''), self.expect('\'', end)?))
    }
}

fn byte(value: u32) -> Option<Item> {
    let byte = u8::try_from(value).ok()?;
    Some(match byte.is_ascii() {
        true => Item::Char(char::from(byte)),
        false => Item::Byte(byte),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_character_is_decoded() {
        for text in [
            "\"",
            "%22",
            "\\\"",
            "\\u0022",
            "\\u{22}",
            "\\x22",
            "&quot;",
            "&quot",
            "&#34;",
            "&#034;",
            "&#x22;",
            "&#X00022;",
            "%5C%22",
            "\\\\u0022",
            "%26quot%3b",
            "&amp;quot;",
            "&%71uot;",
            "\\u0026#34;",
            "%2522",
        ] {
            let readings = (0..=DEPTH).filter_map(|depth| read(text, 0, depth));
            let whole = (Item::Char('"'), text.len());
            assert!(readings.into_iter().any(|read| read == whole), "{text}");
        }
        assert_eq!(
            read("\\ud83d\\ude00", 0, 1),
            Some((Item::Char('😀'), "\\ud83d\\ude00".len()))
        );
        assert_eq!(read("&commat;", 0, 1), Some((Item::Char('@'), "&commat;".len())));
        assert_eq!(read("&commas", 0, 1), Some((Item::Char(','), "&comma".len())));
        assert_eq!(read("%C3%A9", 0, 1), Some((Item::Byte(0xc3), 3)));
        assert_eq!(read("'\\''", 0, 1), Some((Item::Char('\''), 4)));
    }

    #[test]
    fn names_are_in_order() {
        assert!(NAMED.is_sorted());
    }

    #[test]
    fn incomplete_escape_is_kept() {
        for text in ["%", "%2", "%zz", "\\", "\\u12", "\\ud83d", "&", "&#;", "&no;", "'"] {
            let first = text.chars().next().unwrap();
            assert_eq!(read(text, 0, 1), Some((Item::Char(first), 1)), "{text}");
        }
    }
}
