//! Whatever the texts of a report contain, every format stays well-formed and bounded in size, and no text misleads a
//! reader.

use std::collections::BTreeSet;

use platform_conformance::diff::{Compared, Diff, markdown as diff_markdown, terminal as diff_terminal};
use platform_conformance::report::terminal::Terminal;
use platform_conformance::report::{
    BasisReport, ClauseReport, Event, Format, KnownFailureReport, KnownFailureState, Reporter, SlowAnswer, json,
    markdown,
};
use platform_conformance::{CaseReport, Finding, Report, Steadiness, Summary, Verdict};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::report::written;
use crate::served;

/// Characters with a special meaning in some format.
const SPECIAL: [&str; 24] = [
    "\u{0}",
    "\u{7}",
    "\u{1b}[2J",
    "\u{1b}]8;;http://evil.example\u{7}",
    "\r",
    "\n",
    "\t",
    "\u{7f}",
    "\u{9b}31m",
    "\u{202e}",
    "\u{2066}",
    "\u{200f}",
    "\u{2028}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{1fffe}",
    "]]>",
    "</code></details>",
    "<script>",
    "````",
    "&#0;",
    "|",
    "%",
    "\\",
];

/// Any text: of any characters, of special ones, or too long.
fn texts() -> impl Strategy<Value = String> {
    let special = prop::sample::select(SPECIAL.as_slice()).prop_map(str::to_owned);
    let part = prop_oneof![3 => special, 2 => any::<char>().prop_map(String::from), 1 => "[a-z ]{1,9}"];
    let parts = vec(part, 0..20).prop_map(|parts| parts.concat());
    (
        parts,
        prop_oneof![8 => Just(1_usize), 1 => Just(300), 1 => Just(20_000)],
    )
        .prop_map(|(text, times)| text.repeat(times).chars().take(30_000).collect())
}

/// A report like this one, with other texts.
fn with_texts(report: &Report, texts: &[String]) -> Report {
    let mut next = texts.iter().cycle().cloned();
    let mut text = move || next.next().unwrap_or_default();
    let mut report = report.clone();
    report.kit_version = text();
    report.contract_version = text();
    report.target.base_url = text();
    report.target.keys = vec![text()];
    report.target.pipelines = [(text(), 1)].into();
    report.answer_times.slowest = vec![SlowAnswer {
        method: text(),
        path: text(),
        status: 200,
        duration_ms: 7,
        case: Some(text()),
    }];
    report.trouble.count = 7;
    report.trouble.examples = vec![text(), text()];
    for (position, case) in report.cases.iter_mut().enumerate() {
        let verdict = Verdict::ALL[position % Verdict::ALL.len()];
        *case = CaseReport {
            id: format!("limit/{}", text()),
            title: text(),
            verdict,
            basis: BasisReport::Decided,
            decisions: BTreeSet::from([text(), text()]),
            clauses: vec![ClauseReport {
                through: None,
                pointer: text(),
                sentence: case.clauses[0].sentence.clone(),
                line: None,
            }],
            reason: Some(text()),
            findings: vec![Finding {
                what: text(),
                expected: text(),
                seen: text(),
                requests: vec![text(), text()],
                request_ids: vec![text()],
                decisions: None,
                cause: format!("cause {}", text()),
                times: 2,
                steadiness: Steadiness::Flaky,
            }],
            ..case.clone()
        };
    }
    report.known_failures = [KnownFailureState::Expired, KnownFailureState::UnexpectedPass]
        .map(|state| KnownFailureReport {
            id: text(),
            reason: text(),
            expires: chrono::NaiveDate::from_ymd_opt(2027, 3, 31).unwrap(),
            line: 1,
            state,
            failing: vec![text()],
            passing: vec![text()],
        })
        .into();
    report.summary = Summary::of(&report.cases);
    report
}

fn terminal(report: &Report) -> String {
    let mut shown = Vec::new();
    let mut terminal = Terminal::new(&mut shown, Some(80));
    let (target, cases) = (&report.target, report.cases.len());
    terminal.event(&Event::Started { target, cases });
    for case in &report.cases {
        terminal.event(&Event::CaseStarted { id: &case.id });
        terminal.event(&Event::CaseFinished { case });
    }
    terminal.event(&Event::Finished { report });
    let own = regex::Regex::new(r"\x1b\[[0-9;]*m").unwrap();
    own.replace_all(&String::from_utf8(shown).unwrap(), "").into_owned()
}

/// A character that misleads a reader.
fn is_harmful(character: char) -> bool {
    let turns =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || character.is_control() && character != '\n'
}

/// The characters that XML 1.0 allows in a document.
fn is_of_xml(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn any_text_is_safe_in_any_format() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let router = axum::Router::new();
    let report = runtime.block_on(served::run_on(router, &["limit/*"]));
    let config = Config {
        cases: 24,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&vec(texts(), 1..12), |texts| {
            let report = with_texts(&report, &texts);
            let mut shown = vec![("terminal".to_owned(), terminal(&report))];
            for format in Format::ALL {
                shown.push((format.to_string(), written(format, &report)));
            }
            let diff = Diff::between(
                &Compared::Report(Box::new(with_texts(&report, &texts[1..]))),
                &Compared::Report(Box::new(report.clone())),
            );
            let diff = diff.unwrap();
            let plain = anstream::adapter::strip_str(&diff_terminal(&diff)).to_string();
            shown.push(("diff".to_owned(), plain));
            shown.push(("diff as Markdown".to_owned(), diff_markdown(&diff)));
            shown.push(("diff as JSON".to_owned(), diff.to_json()));
            for (name, text) in &shown {
                let harmful = text.chars().find(|character| is_harmful(*character));
                prop_assert_eq!(harmful, None, "{}", name);
            }
            let junit = written(Format::Junit, &report);
            prop_assert!(junit.chars().all(is_of_xml));
            prop_assert!(roxmltree::Document::parse(&junit).is_ok());
            let comment = written(Format::Markdown, &report);
            prop_assert!(comment.len() <= markdown::LONGEST, "{} bytes", comment.len());
            let first = comment.find("<details>").unwrap_or(usize::MAX);
            prop_assert!(first < comment.find("Known failures").unwrap_or_default());
            prop_assert!(comment.contains("| `limit` |"));
            prop_assert!(serde_json::from_str::<Value>(&written(Format::Sarif, &report)).is_ok());
            let read = json::read(&written(Format::Json, &report));
            prop_assert_eq!(read.unwrap(), report);
            Ok(())
        })
        .unwrap();
}

#[test]
fn long_texts_do_not_displace_other_content() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let report = runtime.block_on(served::run_on(axum::Router::new(), &["limit/*"]));
    let long = "%E4%B8%96".repeat(20_000);
    let report = with_texts(&report, &[long]);
    let page = written(Format::Html, &report);
    let head = &page[page.find("<body").unwrap()..page.find("<main").unwrap()];
    assert!(head.len() < 8_000, "the head has {} bytes", head.len());
    let comment = written(Format::Markdown, &report);
    assert!(comment.contains("<summary>failed"), "a failure is shown");
    let note = "(180000 characters in all; the JSON report has the whole line)";
    for text in [&page, &comment, &terminal(&report)] {
        assert!(text.contains(note));
    }
    assert!(written(Format::Json, &report).contains(&report.cases[0].findings[0].requests[0]));
}
