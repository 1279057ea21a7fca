//! Makes the texts of a report safe to show. All reporters use these texts, except JSON, which is for programs.
//!
//! A deployment may send anything. Characters that control a terminal, change the text direction or are not allowed in
//! XML are shown as escapes, and overlong texts are cut. Secrets are removed earlier, when a text enters the report:
//! see [`redact`](crate::redact).

use std::fmt::{Display, Write as _};

use super::{
    AnswerTimes, CaseReport, CauseReport, ClauseReport, KnownFailureReport, Report, RequirementReport, SlowAnswer,
    TargetReport, Trouble,
};
use crate::chapter::Chapter;
use crate::finding::Finding;

/// The limit on characters of a shell line where it must be short: on a terminal, in a comment.
pub const SHORT: usize = 2_000;
/// The limit on characters of a shell line elsewhere; the cases make only shorter ones.
pub(super) const LONG: usize = 32_000;
/// The limit on characters of an id or a name.
const NAME: usize = 200;
/// The limit on characters of any other text; an excerpt of a text from the deployment fits.
const TEXT: usize = 500;
/// The limit on characters of a sentence of the contract, or of one that a person wrote.
const SENTENCE: usize = 2_000;

/// Whether a character is invisible and has an effect instead.
pub(crate) fn is_unseen(character: char) -> bool {
    match character {
        // Characters that change the text direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Characters that end a line or a paragraph.
        '\u{2028}' | '\u{2029}' => true,
        // Noncharacters: U+FFFE and U+FFFF, and the corresponding ones of every plane.
        character if u32::from(character) & 0xfffe == 0xfffe => true,
        character => character.is_control(),
    }
}

/// Returns a text on one line with every character visible.
pub fn visible(text: &str) -> String {
    escaped(text, |_| false)
}

/// Returns a text on one or more lines with every character visible.
pub fn visible_lines(text: &str) -> String {
    escaped(text, |character| character == '\n')
}

/// Returns a whole number with commas between thousands: `6,048`.
pub fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns a number with its noun: `1 case`, `1,412 cases`.
pub fn counted(count: impl Display, one: &str) -> String {
    match grouped(count) {
        count if count == "1" => format!("1 {one}"),
        count => format!("{count} {one}s"),
    }
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' if !stays(character) => {
                escaped.extend(character.escape_default());
            }
            character if is_unseen(character) && !stays(character) => {
                escaped.extend(character.escape_unicode());
            }
            character => escaped.push(character),
        }
    }
    escaped
}

/// Returns the beginning of a text, with the full length if it was cut.
pub fn cut(text: String, most: usize) -> String {
    cut_with(text, most, "")
}

fn cut_with(mut text: String, most: usize, note: &str) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        let characters = text.chars().count();
        text.truncate(end);
        let _ = write!(text, "… ({characters} characters in all{note})");
    }
    text
}

fn line(text: &str, most: usize) -> String {
    cut(visible(text), most)
}

/// A shell line. It may contain line breaks inside quotation marks.
fn command(text: &str, most: usize) -> String {
    let note = "; the JSON report has the whole line";
    cut_with(visible_lines(text), most, note)
}

/// Returns a report that is safe to show, with shell lines cut to a number of characters.
pub(super) fn report(report: &Report, longest_request: usize) -> Report {
    Report {
        kit_version: line(&report.kit_version, NAME),
        contract_version: line(&report.contract_version, NAME),
        target: target(&report.target),
        trouble: trouble(&report.trouble),
        answer_times: answer_times(&report.answer_times),
        known_failures: report.known_failures.iter().map(known_failure).collect(),
        cases: report.cases.iter().map(|one| case(one, longest_request)).collect(),
        causes: report.causes.iter().map(cause).collect(),
        chapters: report.chapters.iter().map(chapter).collect(),
        requirements: report.requirements.iter().map(requirement).collect(),
        ..*report
    }
}

fn requirement(requirement: &RequirementReport) -> RequirementReport {
    RequirementReport {
        requirement: line(&requirement.requirement, NAME),
        missing: names(&requirement.missing),
        ..*requirement
    }
}

fn cause(cause: &CauseReport) -> CauseReport {
    CauseReport {
        cause: line(&cause.cause, TEXT),
        ..*cause
    }
}

fn chapter(chapter: &Chapter) -> Chapter {
    Chapter {
        name: line(&chapter.name, NAME),
        title: line(&chapter.title, TEXT),
    }
}

fn target(target: &TargetReport) -> TargetReport {
    let pipelines = target.pipelines.iter();
    TargetReport {
        base_url: line(&target.base_url, TEXT),
        keys: names(&target.keys),
        pipelines: pipelines.map(|(role, id)| (line(role, NAME), *id)).collect(),
        writes_allowed: target.writes_allowed,
        warnings: target.warnings.iter().map(|text| line(text, SENTENCE)).collect(),
    }
}

fn trouble(trouble: &Trouble) -> Trouble {
    let examples = trouble.examples.iter();
    Trouble {
        examples: examples.map(|example| line(example, TEXT)).collect(),
        ..*trouble
    }
}

fn answer_times(times: &AnswerTimes) -> AnswerTimes {
    let slowest = times.slowest.iter().map(|slow| SlowAnswer {
        method: line(&slow.method, NAME),
        path: line(&slow.path, NAME),
        case: slow.case.as_ref().map(|id| line(id, NAME)),
        ..*slow
    });
    AnswerTimes {
        slowest: slowest.collect(),
        ..*times
    }
}

/// Returns an entry of the list of known failures that is safe to show.
pub(super) fn known_failure(known: &KnownFailureReport) -> KnownFailureReport {
    KnownFailureReport {
        id: line(&known.id, NAME),
        reason: line(&known.reason, SENTENCE),
        failing: names(&known.failing),
        passing: names(&known.passing),
        ..*known
    }
}

/// Returns a case that is safe to show.
pub(super) fn case(case: &CaseReport, longest_request: usize) -> CaseReport {
    let findings = case.findings.iter();
    CaseReport {
        id: line(&case.id, NAME),
        rule: line(&case.rule, NAME),
        subject: case.subject.as_ref().map(|subject| line(subject, NAME)),
        title: line(&case.title, TEXT),
        decisions: case.decisions.iter().map(|id| line(id, NAME)).collect(),
        clauses: case.clauses.iter().map(clause).collect(),
        reason: case.reason.as_ref().map(|reason| line(reason, SENTENCE)),
        findings: findings.map(|found| finding(found, longest_request)).collect(),
        ..*case
    }
}

fn clause(clause: &ClauseReport) -> ClauseReport {
    ClauseReport {
        pointer: line(&clause.pointer, TEXT),
        through: clause.through.as_deref().map(|way| line(way, TEXT)),
        sentence: line(&clause.sentence, SENTENCE),
        line: clause.line,
    }
}

/// Returns a mismatch that is safe to show.
pub fn finding(finding: &Finding, longest_request: usize) -> Finding {
    let requests = finding.requests.iter();
    let ids = finding.request_ids.iter();
    Finding {
        what: line(&finding.what, TEXT),
        expected: line(&finding.expected, TEXT),
        seen: line(&finding.seen, TEXT),
        requests: requests.map(|request| command(request, longest_request)).collect(),
        request_ids: ids.map(|id| line(id, NAME)).collect(),
        decisions: finding.decisions.clone(),
        cause: line(&finding.cause, TEXT),
        times: finding.times,
        steadiness: finding.steadiness,
    }
}

fn names(names: &[String]) -> Vec<String> {
    names.iter().map(|name| line(name, NAME)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(
            visible("a\u{1b}[2J\u{0}\n\u{202e}\u{2066}\u{9b}\u{fffe}\u{10ffff}é😀"),
            r"a\u{1b}[2J\u{0}\n\u{202e}\u{2066}\u{9b}\u{fffe}\u{10ffff}é😀"
        );
        assert_eq!(visible_lines("a\n\tb\r"), "a\n\\tb\\r");
    }

    #[test]
    fn thousands_are_separated_by_commas() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (31_737, "31,737"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), expected);
        }
        assert_eq!([counted(1, "case"), counted(1_412, "case")], ["1 case", "1,412 cases"]);
    }

    #[test]
    fn long_text_is_cut_with_its_length() {
        assert_eq!(cut("ééé".to_owned(), 3), "ééé");
        assert_eq!(cut("éééé".to_owned(), 3), "ééé… (4 characters in all)");
    }
}
