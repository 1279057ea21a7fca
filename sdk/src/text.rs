//! Prepares untrusted text for a single line of an error message.

use crate::redact::Redactor;

/// Maximum number of characters of a body shown in an error.
const EXCERPT: usize = 300;

/// Number of bytes of a body to read for the excerpt.
const BEGINNING: usize = 1024;

/// Replaces each run of white space and invisible characters with one space and cuts the text after
/// `limit` characters. Returns `None` if nothing is left.
pub(crate) fn one_line(text: &str, limit: usize) -> Option<String> {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c))
        .filter(|word| !word.is_empty());
    let mut line = String::new();
    let mut length = 0;
    for word in words {
        let space = usize::from(length > 0);
        let left = limit.saturating_sub(length + space);
        if left == 0 {
            line.push('…');
            break;
        }
        if space == 1 {
            line.push(' ');
        }
        line.extend(word.chars().take(left));
        let word_length = word.chars().take(left + 1).count();
        if word_length > left {
            line.push('…');
            break;
        }
        length += space + word_length;
    }
    (!line.is_empty()).then_some(line)
}

/// Whether the character is not visible but changes the order or the look of the surrounding text.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// Returns an excerpt of a body that is not a problem document: the title or else the text of an
/// HTML page, or the beginning of anything else. Reads only the first kilobyte.
pub(crate) fn excerpt(body: &[u8], redactor: &Redactor) -> Option<String> {
    let text = beginning(body, redactor);
    if !is_page(&text) {
        return one_line(&text, EXCERPT);
    }
    one_line(title(&text).unwrap_or(&without_tags(&text)), EXCERPT)
}

/// Returns the excerpt of an unexpected HTML page; `None` for any other body.
pub(crate) fn excerpt_of_page(body: &[u8], redactor: &Redactor) -> Option<String> {
    is_page(&beginning(body, redactor)).then(|| excerpt(body, redactor))?
}

/// Returns the first kilobyte with secrets redacted.
fn beginning(body: &[u8], redactor: &Redactor) -> String {
    let beginning = &body[..body.len().min(BEGINNING)];
    redactor.text(&String::from_utf8_lossy(beginning))
}

fn is_page(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

fn title(page: &str) -> Option<&str> {
    // ASCII lower case keeps byte positions.
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let length = lower[start..].find("</title>")?;
    Some(page[start..start + length].trim()).filter(|title| !title.is_empty())
}

fn without_tags(page: &str) -> String {
    page.split('<')
        .map(|part| part.split_once('>').map_or("", |(_tag, text)| text))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::one_line;
    use crate::redact::Redactor;

    fn excerpt(body: &[u8]) -> Option<String> {
        super::excerpt(body, &Redactor::default())
    }

    #[test]
    fn white_space_and_control_characters_become_one_space() {
        assert_eq!(one_line(" a\r\n\tb\u{1b}[31m  c ", 100).as_deref(), Some("a b [31m c"));
        assert_eq!(one_line(" \r\n ", 100), None);
    }

    #[test]
    fn bidirectional_control_characters_are_removed() {
        let spoofed = "key ok\u{202e}delaever\u{202c} \u{2066}x\u{2069}\u{200b}y\u{feff}";
        assert_eq!(one_line(spoofed, 100).as_deref(), Some("key ok delaever x y"));
    }

    #[test]
    fn only_the_beginning_of_a_body_is_read() {
        let mut body = vec![b' '; 1024];
        body.extend(b"far away");
        assert_eq!(excerpt(&body), None);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(one_line("ééééé", 3).as_deref(), Some("ééé…"));
        assert_eq!(one_line("ab cd ef", 5).as_deref(), Some("ab cd…"));
        assert_eq!(one_line("ab cd", 5).as_deref(), Some("ab cd"));
    }

    #[test]
    fn page_is_its_title_or_its_text() {
        let page = b"<HTML><Head><TITLE>502 Bad\nGateway</TITLE><style>p {}</style></head><p>nginx</HTML>";
        assert_eq!(excerpt(page).as_deref(), Some("502 Bad Gateway"));
        assert_eq!(excerpt(b"<p>no <b>upstream</b></p>").as_deref(), Some("no upstream"));
        assert_eq!(excerpt(b"").as_deref(), None);
        assert_eq!(excerpt(b"\xff\xfe").as_deref(), Some("\u{fffd}\u{fffd}"));
    }
}
