//! Text for a screen.

use std::io;

use indicatif::{HumanCount, ProgressBar, ProgressFinish, ProgressStyle};
use terminal_size::{Width, terminal_size_of};
use textwrap::core::display_width;
use textwrap::{Options, WordSplitter};

/// Returns a text that cannot control the terminal: control characters and marks of direction become spaces. Texts of
/// a deployment were written by others, so no text of it is printed without this function, [`fit`] or [`wrap`].
pub fn visible(text: &str) -> String {
    let is_mark = |letter| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(|letter: char| letter.is_control() || is_mark(letter), " ")
}

/// Returns the width of the screen: that of the terminal, from 50 to 160 columns. A file or a pipe has 80.
fn width() -> usize {
    let size = terminal_size_of(io::stdout());
    size.map_or(80, |(Width(columns), _)| usize::from(columns).clamp(50, 160))
}

/// Returns the width of a column that has `columns` of 80 columns, in proportion to the width of the screen.
pub fn wide(columns: usize) -> usize {
    columns * width() / 80
}

/// Returns a text that fills exactly `width` columns: padded, or cut with an ellipsis.
pub fn fit(text: &str, width: usize) -> String {
    let mut fitted = visible(text);
    if display_width(&fitted) > width {
        while display_width(&fitted) >= width && fitted.pop().is_some() {}
        fitted.push('…');
    }
    let missing = width.saturating_sub(display_width(&fitted));
    fitted + &" ".repeat(missing)
}

/// Returns a text as lines that fit the screen. The first line begins with `first`, the others with as many spaces.
pub fn wrap(first: &str, text: &str) -> String {
    let others = " ".repeat(display_width(first));
    let options = Options::new(width()).word_splitter(WordSplitter::NoHyphenation);
    let options = options.initial_indent(first);
    textwrap::fill(&visible(text), options.subsequent_indent(&others))
}

/// Returns a bar that is `part / whole` of `width` columns long, to an eighth of a column. A part that is not zero is
/// always visible.
pub fn bar(part: f64, whole: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if part <= 0.0 || whole <= 0.0 {
        return String::new();
    }
    let length = (part / whole).min(1.0) * width as f64 * 8.0;
    let length = (length.round() as usize).max(1);
    "█".repeat(length / 8) + EIGHTHS[length % 8]
}

/// Returns a bar chart: a line for each row, with its name, its count and a bar.
pub fn chart<N: AsRef<str>>(rows: &[(N, usize)]) -> String {
    let most = rows.iter().map(|(_, number)| *number).max().unwrap_or(0);
    let line = |(name, number): &(N, usize)| {
        let bar = bar(*number as f64, most as f64, wide(36));
        let (name, number) = (fit(name.as_ref(), wide(28)), count(*number as u64));
        format!("  {name}  {number:>6}  {bar}").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a count with commas: `1,280`.
pub fn count(number: impl TryInto<u64>) -> String {
    HumanCount(number.try_into().unwrap_or_default()).to_string()
}

/// Returns a count with its noun: `1 item`, `1,280 items`.
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or_default();
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// Returns a progress bar on standard error, which is cleared when it is dropped. Nothing is drawn if that is not a
/// terminal.
///
/// # Panics
/// Never: the template is valid.
pub fn progress(of: &str, length: u64) -> ProgressBar {
    let bar = wide(36);
    let template = format!("{{bar:{bar}}} {{human_pos}} of {{human_len}} {of}, {{eta}} left");
    match ProgressStyle::with_template(&template) {
        Ok(style) => ProgressBar::new(length)
            .with_style(style)
            .with_finish(ProgressFinish::AndClear),
        Err(error) => panic!("{template}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{bar, chart, count, counted, fit, progress, visible, wrap};

    #[test]
    fn text_fills_its_columns() {
        for (text, fitted) in [
            ("Weaver", "Weaver  "),
            ("Weavers & Co", "Weavers…"),
            ("リネン織物工房", "リネン… "),
            ("a\nb", "a b     "),
        ] {
            assert_eq!(fit(text, 8), fitted);
        }
    }

    #[test]
    fn nothing_controls_the_terminal() {
        let hostile = "Evil\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}Co\r\n";
        let harmless = "Evil ]0;owned  31m Co  ";
        assert_eq!(visible(hostile), harmless);
        assert_eq!(fit(hostile, 23), harmless);
        assert_eq!(wrap("  ", hostile), "  Evil ]0;owned  31m Co");
    }

    #[test]
    fn counted_noun_is_singular_or_plural() {
        let counts = [0, 1, 1_280].map(|number| counted(number, "item"));
        assert_eq!(counts, ["0 items", "1 item", "1,280 items"]);
    }

    #[test]
    fn wrapped_lines_are_indented() {
        let text = wrap("→ ", &"linen ".repeat(20));
        assert!(text.starts_with("→ linen linen"), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  linen")), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn bar_is_as_long_as_its_part() {
        assert_eq!(bar(1.0, 2.0, 4), "██");
        assert_eq!(bar(1.0, 16.0, 4), "▎");
        assert_eq!(bar(1.0, 100_000.0, 4), "▏");
        assert_eq!(bar(0.0, 2.0, 4), "");
        assert_eq!(bar(3.0, 2.0, 4), "████");
        assert_eq!(count(1_280_i64), "1,280");
    }

    #[test]
    fn longest_bar_of_a_chart_fits_the_screen() {
        let chart = chart(&[("linen", 1_000_000), ("wool", 0)]);
        let widths: Vec<_> = chart.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths.len(), 2);
        assert!(widths.iter().all(|width| *width <= 80), "{chart}");
        assert!(chart.ends_with("     0"), "no white space at the end: {chart}");
    }

    #[test]
    fn progress_has_its_length() {
        assert_eq!(progress("rows", 7).length(), Some(7));
    }
}
