//! Output of a deployment is only text in a report: it has no effect.

use platform_conformance::report::{Format, markdown};
use regex::Regex;

use super::{reports, terminal};
use crate::report::written;

#[tokio::test]
async fn html_loads_nothing() {
    // The page contains nothing that could load anything: no element, attribute, style or script.
    let tag = Regex::new(r"<[a-z!][^>]*>").unwrap();
    let element = r"^<(link|img|iframe|object|embed|base|video|audio|source|svg|a)\b";
    let attribute = r"\b(src|href|srcset|action|on\w+)=";
    let loads = Regex::new(&format!("(?i){element}|{attribute}")).unwrap();
    let calls = r"(?i)url\(|@import|@font-face|fetch\(|XMLHttpRequest|WebSocket|import\(";
    let calls = Regex::new(calls).unwrap();
    for report in reports().await {
        let page = written(Format::Html, &report);
        let policy = r#"http-equiv="Content-Security-Policy" content="default-src 'none';"#;
        assert!(page.contains(policy));
        // A link to a place in the page loads nothing.
        let tags = tag.find_iter(&page);
        for tag in tags.filter(|tag| !tag.as_str().starts_with("<a href=\"#")) {
            assert!(!loads.is_match(tag.as_str()), "{}", tag.as_str());
        }
        assert!(!calls.is_match(&page[..page.find("</style>").unwrap()]));
        assert!(!calls.is_match(&page[page.rfind("<script>").unwrap()..]));
    }
}

#[tokio::test]
async fn hostile_text_does_not_become_html() {
    for report in reports().await {
        let page = written(Format::Html, &report);
        assert_eq!(page.matches("<script").count(), 1, "the page's own");
        assert_eq!(page.matches("</script").count(), 1);
        let rules = report.rules();
        let families = rules.iter().filter(|rule| rule.is_family()).count();
        let times = usize::from(!report.answer_times.slowest.is_empty());
        let folded = report.cases.len() + families + times;
        assert_eq!(page.matches("<details").count(), folded);
        assert_eq!(page.matches("</details>").count(), folded);
        assert_eq!(page.matches("<img").count() + page.matches("<b>").count(), 0);
        for case in &report.cases {
            assert!(page.contains(&format!(r#"id="{}""#, case.id)));
        }
    }
    let bad = &reports().await[1];
    assert!(written(Format::Html, bad).contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

/// A line of Markdown without its code: between two backtick runs of the same length.
fn without_code(line: &str) -> String {
    let marks = |text: &str| text.len() - text.trim_start_matches('`').len();
    let (mut kept, mut rest) = (String::new(), line);
    while let Some(start) = rest.find('`') {
        kept.push_str(&rest[..start]);
        let opened = marks(&rest[start..]);
        let mut inside = &rest[start + opened..];
        loop {
            let end = inside.find('`').expect("code is closed");
            let closed = marks(&inside[end..]);
            inside = &inside[end + closed..];
            if closed == opened {
                break;
            }
        }
        rest = inside;
    }
    kept.push_str(rest);
    kept
}

#[tokio::test]
async fn hostile_text_stays_inside_markdown_code() {
    for report in reports().await {
        let text = written(Format::Markdown, &report);
        let mut outside = String::new();
        let mut fence = None;
        for line in text.lines() {
            let marks = line.len() - line.trim_start_matches('`').len();
            match fence {
                None if marks >= 3 => fence = Some(marks),
                None => outside.push_str(&format!("{}\n", without_code(line))),
                Some(open) if marks >= open && line.len() == marks => fence = None,
                Some(_) => {}
            }
        }
        assert_eq!(fence, None, "a block of code is left open");
        for part in ["<script", "@everyone", "<img", "javascript:"] {
            assert!(!outside.contains(part), "{part} in:\n{outside}");
        }
        assert_eq!(outside.matches("## Conformance").count(), 1);
        let opened = outside.matches("<details>").count();
        assert_eq!(outside.matches("</details>").count(), opened);
    }
}

#[tokio::test]
async fn markdown_fits_into_a_comment() {
    let mut report = reports().await.swap_remove(1);
    let many = report.cases.iter().cycle().take(5_000).cloned();
    report.cases = many.collect();
    // Rules of one case each, and one of a thousand; each failure has its own cause.
    for (position, case) in report.cases.iter_mut().enumerate() {
        for finding in &mut case.findings {
            finding.cause = format!("cause {position}");
        }
        let rule = position.max(1_000);
        case.rule = format!("{}/rule-{rule}", case.group());
    }
    report.summary = platform_conformance::Summary::of(&report.cases);
    let text = written(Format::Markdown, &report);
    assert!(text.len() <= markdown::LONGEST, "{} bytes", text.len());
    assert!(text.contains(" more causes: `") && text.contains("that the other reports show"));
    assert!(text.contains("| `search-text` |"), "the groups come last");
}

#[tokio::test]
async fn hostile_text_does_not_control_the_terminal() {
    let own = Regex::new(r"\x1b\[[0-9;]*m|\n").unwrap();
    for report in reports().await {
        for columns in [None, Some(80), Some(20)] {
            let shown = terminal(&report, columns);
            let rest = own.replace_all(&shown, "");
            assert!(!rest.contains(char::is_control), "{rest:?}");
        }
    }
}
