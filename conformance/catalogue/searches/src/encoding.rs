//! Texts in UTF-8 that were read as Latin-1 or Windows-1252, and encoded again.

/// The characters of Windows-1252 that Latin-1 lacks, from byte 0x80 on; a space where there is none.
const WINDOWS: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/// Returns the text that was meant, if all of this one is UTF-8 that was read as Latin-1 or Windows-1252.
pub(crate) fn decoded_twice(text: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = text.chars().map(byte_of).collect();
    let right = String::from_utf8(bytes?).ok()?;
    (!text.is_ascii()).then_some(right)
}

/// The byte that was read as this character.
fn byte_of(character: char) -> Option<u8> {
    let of_windows = || {
        let place = WINDOWS.chars().position(|known| known == character)?;
        u8::try_from(0x80 + place).ok()
    };
    u8::try_from(u32::from(character)).ok().or_else(of_windows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_were_decoded_twice_are_recognized() {
        let table = [
            ("AtatÃ¼rk", Some("Atatürk")),
            ("BulvarÄ±", Some("Bulvarı")),
            ("nursesâ€™ tunics", Some("nurses’ tunics")),
            ("Atatürk", None),
            ("Bulvarı", None),
            ("São Paulo – “sul”", None),
            ("plain", None),
        ];
        for (text, expected) in table {
            assert_eq!(decoded_twice(text).as_deref(), expected, "{text}");
        }
    }
}
