//! Text of unknown origin, made fit to stand in one line of an error.

/// The most characters of a body that an error shows.
const EXCERPT: usize = 300;

/// The text with every run of white space and control characters as one space, cut after `limit`
/// characters; `None` when nothing is left.
pub(crate) fn one_line(text: &str, limit: usize) -> Option<String> {
    let words = text
        .split(|c: char| c.is_whitespace() || c.is_control())
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

/// What a body that is not a problem document says: of a page its title or else its text, of anything else
/// its beginning.
pub(crate) fn excerpt(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    if !text.trim_start().starts_with('<') {
        return one_line(&text, EXCERPT);
    }
    one_line(title(&text).unwrap_or(&without_tags(&text)), EXCERPT)
}

fn title(page: &str) -> Option<&str> {
    // ASCII lower case keeps the positions.
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
    use super::{excerpt, one_line};

    #[test]
    fn white_space_and_control_characters_become_one_space() {
        assert_eq!(
            one_line(" a\r\n\tb\u{1b}[31m  c ", 100).as_deref(),
            Some("a b [31m c")
        );
        assert_eq!(one_line(" \r\n ", 100), None);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(one_line("ééééé", 3).as_deref(), Some("ééé…"));
        assert_eq!(one_line("ab cd ef", 5).as_deref(), Some("ab cd…"));
        assert_eq!(one_line("ab cd", 5).as_deref(), Some("ab cd"));
    }

    #[test]
    fn page_is_its_title_or_its_text() {
        let page =
            b"<HTML><Head><TITLE>502 Bad\nGateway</TITLE><style>p {}</style></head><p>nginx</HTML>";
        assert_eq!(excerpt(page).as_deref(), Some("502 Bad Gateway"));
        assert_eq!(
            excerpt(b"<p>no <b>upstream</b></p>").as_deref(),
            Some("no upstream")
        );
        assert_eq!(excerpt(b"").as_deref(), None);
        assert_eq!(excerpt(b"\xff\xfe").as_deref(), Some("\u{fffd}\u{fffd}"));
    }
}
