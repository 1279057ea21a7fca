//! Encodings of a character in text that quotes other text.

/// Reports each character that may be encoded at `at`, and where its encoding ends. Nested escapes,
/// such as `%2541`, `&amp;#65;` and `\\u0041`, are read as one.
pub(super) fn read(text: &str, at: usize, found: &mut dyn FnMut(char, usize)) {
    let Some(first) = text[at..].chars().next() else {
        return;
    };
    found(first, at + first.len_utf8());
    match first {
        '+' => found(' ', at + 1),
        '%' => {
            if let Some((c, end)) = percent(text, at) {
                found(c, end);
            }
            // The percent sign itself, escaped any number of times: the digits after it may belong to
            // the text.
            let mut end = at + 1;
            while text[end..].starts_with("25") {
                end += 2;
                found('%', end);
            }
        }
        '&' => entity(text, at, found),
        '\\' => escape(text, at, found),
        _ => {}
    }
}

/// Returns whether two characters are the same, ignoring case.
pub(super) fn is_same(one: char, other: char) -> bool {
    one == other
        || one.to_lowercase().eq(other.to_lowercase())
        || one.to_uppercase().eq(other.to_uppercase())
        || (other == ' ' && one.is_whitespace())
}

/// Parses two hexadecimal digits as a byte.
pub(super) fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    match *digits {
        [high, low] => u8::try_from(16 * digit(high)? + digit(low)?).ok(),
        _ => None,
    }
}

/// Decodes a percent-encoded character of up to four bytes.
fn percent(text: &str, at: usize) -> Option<(char, usize)> {
    let (first, mut end) = percent_byte(text, at)?;
    let length = match first {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
        _ => return None,
    };
    let mut bytes = vec![first];
    while bytes.len() < length {
        let (byte, next) = percent_byte(text, end)?;
        bytes.push(byte);
        end = next;
    }
    Some((str::from_utf8(&bytes).ok()?.chars().next()?, end))
}

fn percent_byte(text: &str, at: usize) -> Option<(u8, usize)> {
    let bytes = text.as_bytes();
    let mut digits = at + 1;
    bytes.get(at).filter(|first| **first == b'%')?;
    // Skips further escapes of the percent sign. `%25` without digits after it is the percent sign
    // itself.
    while let Some(rest) = bytes.get(digits..).and_then(|rest| rest.strip_prefix(b"25")) {
        match rest {
            [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => digits += 2,
            _ => break,
        }
    }
    let byte = hex(bytes.get(digits..digits + 2)?)?;
    Some((byte, digits + 2))
}

/// Decodes a character reference of HTML or XML.
fn entity(text: &str, at: usize, found: &mut dyn FnMut(char, usize)) {
    let mut name = at + 1;
    loop {
        let rest = &text[name..];
        if let Some((c, length)) = reference(rest) {
            let end = name + length;
            // Browsers accept a reference without its semicolon too.
            found(c, end + usize::from(text[end..].starts_with(';')));
        }
        if !rest.starts_with("amp;") {
            return;
        }
        name += "amp;".len();
    }
}

/// Returns the character named by `rest`, the text after an ampersand, and the length of its name.
fn reference(rest: &str) -> Option<(char, usize)> {
    if let Some(number) = rest.strip_prefix('#') {
        let (digits, radix) = match number.strip_prefix(['x', 'X']) {
            Some(digits) => (digits, 16),
            None => (number, 10),
        };
        let length = digits
            .bytes()
            .take_while(|digit| char::from(*digit).is_digit(radix))
            .count();
        let c = u32::from_str_radix(&digits[..length], radix).ok()?;
        return Some((char::from_u32(c)?, rest.len() - digits.len() + length));
    }
    let named = NAMED.iter().filter(|(name, _)| rest.starts_with(name));
    let named = named.max_by_key(|(name, _)| name.len()).copied();
    let latin = || {
        let place = LATIN_1.iter().position(|name| {
            let rest = rest.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(';'))
        })?;
        Some((LATIN_1[place], char::from(0xa0 + u8::try_from(place).ok()?)))
    };
    let (name, c) = named.or_else(latin)?;
    Some((c, name.len()))
}

/// Decodes an escape of JSON and similar formats: after one backslash, or several if it was quoted
/// again.
fn escape(text: &str, at: usize, found: &mut dyn FnMut(char, usize)) {
    let slashes = text[at..].bytes().take_while(|byte| *byte == b'\\').count();
    let end = at + slashes;
    for count in [2, slashes] {
        if (2..=slashes).contains(&count) {
            found('\\', at + count);
        }
    }
    let Some(next) = text[end..].chars().next() else {
        return;
    };
    match next {
        'u' | 'U' => {
            if let Some((c, end)) = unicode(text, at, end) {
                found(c, end);
            }
        }
        'x' | 'X' => {
            if let Some(byte) = text.as_bytes().get(end + 1..end + 3).and_then(hex) {
                found(char::from(byte), end + 3);
            }
        }
        'n' => found('\n', end + 1),
        'r' => found('\r', end + 1),
        't' => found('\t', end + 1),
        'b' => found('\u{8}', end + 1),
        'f' => found('\u{c}', end + 1),
        _ => found(next, end + next.len_utf8()),
    }
}

/// Decodes `\u0041`, a surrogate pair, or `\u{41}`. `at` is the start, `letter` the position of its
/// letter.
fn unicode(text: &str, at: usize, letter: usize) -> Option<(char, usize)> {
    let rest = &text[letter + 1..];
    if let Some(digits) = rest.strip_prefix('{') {
        let digits = digits.split_once('}')?.0;
        let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        return Some((c, letter + 3 + digits.len()));
    }
    let unit = |rest: &str| u16::from_str_radix(rest.get(..4)?, 16).ok();
    let first = unit(rest)?;
    let end = letter + 5;
    if let Some(c) = char::from_u32(first.into()) {
        return Some((c, end));
    }
    // The other half is written the same way.
    let prefix = &text[at..=letter];
    let second = unit(text[end..].strip_prefix(prefix)?)?;
    let pair = char::decode_utf16([first, second]).next()?.ok()?;
    Some((pair, end + prefix.len() + 4))
}

/// Names of visible ASCII characters and whitespace.
const NAMED: [(&str, char); 42] = [
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("quot", '"'),
    ("QUOT", '"'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("amp", '&'),
    ("AMP", '&'),
    ("apos", '\''),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("midast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("lt", '<'),
    ("LT", '<'),
    ("equals", '='),
    ("gt", '>'),
    ("GT", '>'),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("grave", '`'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("rcub", '}'),
    ("rbrace", '}'),
];

/// Names of U+00A0 to U+00FF, in order.
#[rustfmt::skip]
const LATIN_1: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo",
    "not", "shy", "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot",
    "cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",
    "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute",
    "Icirc", "Iuml", "ETH", "Ntilde", "Ograve", "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash",
    "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN", "szlig", "agrave", "aacute", "acirc", "atilde",
    "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc", "euml", "igrave", "iacute", "icirc",
    "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml", "divide", "oslash", "ugrave",
    "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];
