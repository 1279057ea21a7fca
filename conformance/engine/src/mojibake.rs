//! Recognizes text that was encoded as UTF-8 twice: `GroÃŸ` instead of `Groß`.

/// The characters of the bytes 0x80 to 0x9F in Windows-1252, which is often taken for Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A text that was seen, with what its first word was meant to be that seems to be encoded twice.
pub(crate) fn with_meant(seen: String) -> String {
    match encoded_twice(&seen) {
        Some((word, meant)) => format!("{seen} ({word} seems to be {meant}, encoded as UTF-8 twice)"),
        None => seen,
    }
}

/// Returns the first word of a text that seems to be encoded twice, and the word that was probably meant.
pub(crate) fn encoded_twice(text: &str) -> Option<(&str, String)> {
    let mut words = text.split(|char: char| char.is_ascii() && !char.is_ascii_alphanumeric());
    words.find_map(|word| Some((word, decoded(word)?)))
}

/// The word with the runs decoded that are UTF-8; `None` without any.
fn decoded(word: &str) -> Option<String> {
    let (mut text, mut run, mut is_decoded) = (String::new(), Vec::new(), false);
    // A character that is not a byte ends the last run.
    for char in word.chars().chain(['\0']) {
        if let Some(byte) = byte(char) {
            run.push((char, byte));
            continue;
        }
        let bytes: Vec<_> = run.iter().map(|(_, byte)| *byte).collect();
        match String::from_utf8(bytes) {
            Ok(meant) => {
                is_decoded |= !run.is_empty();
                text.push_str(&meant);
            }
            Err(_) => text.extend(run.iter().map(|(char, _)| char)),
        }
        run.clear();
        text.push(char);
    }
    text.pop();
    is_decoded.then_some(text)
}

/// A text whose UTF-8 was read as Windows-1252.
pub(crate) fn read_as_windows_1252(text: &str) -> String {
    let character = |byte: u8| match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        byte => char::from(byte),
    };
    text.bytes().map(character).collect()
}

/// The byte above ASCII that a character was decoded from, as Latin-1 or Windows-1252.
fn byte(char: char) -> Option<u8> {
    if let Ok(byte) = u8::try_from(char) {
        return (byte >= 0x80).then_some(byte);
    }
    let position = WINDOWS_1252.iter().position(|known| *known == char)?;
    u8::try_from(0x80 + position).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_encoded_twice_is_recognized() {
        for (text, expected) in [
            ("item 7 with \"StraÃ\u{9f}e\"", Some(("StraÃ\u{9f}e", "Straße"))),
            ("StraÃŸe", Some(("StraÃŸe", "Straße"))),
            ("æ±äº¬", None),
            ("å¤§", Some(("å¤§", "大"))),
            ("Straße, Éire, naïve, «Ã», Łódź, 東京", None),
            ("plain", None),
        ] {
            let expected = expected.map(|(seen, meant): (&str, &str)| (seen, meant.to_owned()));
            assert_eq!(encoded_twice(text), expected, "{text}");
        }
    }
}
