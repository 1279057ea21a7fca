//! The HTML report, for a browser: one page that loads nothing, so that it can be attached and read anywhere.
//!
//! A rule that is checked for several subjects is one element with its cases inside. Everything is in the document
//! before its script runs, and can be read without it; the script only filters and folds. All text goes through `maud`,
//! which escapes it, and the page's policy forbids every connection.

use std::collections::HashMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::coverage::{Cell, Coverage, OperationCoverage, Row};
use super::shown::{self, counted, grouped};
use super::{AnswerTimes, BasisReport, CaseReport, Cause, ClauseReport, FoundAlike, Report, Rule, counted_subjects};
use crate::chapter::Chapter;
use crate::finding::Finding;
use crate::transport::durations::milliseconds;
use crate::verdict::{Level, Verdict};
use platform_contract::Contract;

/// The style of the page, for other pages of the kit.
pub const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");
/// The content security policy: the page may use only its own style and script.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";

/// Renders a report as one page.
pub fn render(report: &Report, contract: &Contract) -> String {
    let report = &shown::report(report, shown::LONG);
    let coverage = Coverage::of(report, contract);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Conformance of " (report.target.base_url) ": " (report.outcome()) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (head(report))
                main {
                    (causes(report))
                    (known_failures(report))
                    (covered(&coverage))
                    (answer_times(&report.answer_times))
                    (filters(report))
                    (cases(report))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn head(report: &Report) -> Markup {
    let target = &report.target;
    html! {
        header {
            h1 { "Conformance: " (report.outcome()) }
            (totals(report))
            dl.facts {
                div { dt { "Deployment" } dd { (target.base_url) } }
                div { dt { "Contract" } dd { (report.contract_version) } }
                div { dt { "Kit" } dd { (report.kit_version) } }
                div { dt { "Started" } dd { (report.started_at.format("%Y-%m-%d %H:%M:%S UTC")) } }
                div {
                    dt { "Duration" }
                    dd {
                        (report.seconds()) ", " (grouped(report.requests)) " of at most "
                        (grouped(report.most_requests)) " requests"
                    }
                }
                div { dt { "Checked against" } dd { (checked_against(report.level)) } }
                div { dt { "Keys" } dd { (target.keys.join(", ")) } }
                div {
                    dt { "Writes" }
                    dd { @if target.writes_allowed { "allowed" } @else { "not allowed" } }
                }
            }
            @for warning in &target.warnings {
                p.note { strong { "Warning: " } (warning) }
            }
            @for requirement in report.requirements.iter().filter(|requirement| !requirement.met) {
                p.note { strong { "Required " code { (requirement.requirement) } ": " }
                    (requirement.checked) " of " (requirement.total) " rules were checked" }
                details { summary { (requirement.missing.len()) " rules were not" }
                    ul { @for rule in &requirement.missing { li { code { (rule) } } } } }
            }
            @if let Some(summary) = report.trouble.summary() {
                p.note { (summary) ". None of it counts as a failure." }
                @if !report.trouble.examples.is_empty() {
                    ul.examples { @for example in &report.trouble.examples { li { code { (example) } } } }
                }
            }
        }
    }
}

/// The counts of rules and cases by verdict.
fn totals(report: &Report) -> Markup {
    let rules = report.rules();
    let of_rules = |verdict| rules.iter().filter(|rule| rule.verdict() == verdict).count();
    let line = |all: usize, one: &str, counts: [(Verdict, usize); Verdict::ALL.len()]| {
        html! {
            p.totals {
                strong { (counted(all, one)) }
                @for (verdict, count) in counts {
                    @if count > 0 {
                        " " span.total.(verdict.as_str()) { (grouped(count)) " " (verdict.as_str()) }
                    }
                }
            }
        }
    };
    html! {
        (line(rules.len(), "rule", Verdict::ALL.map(|verdict| (verdict, of_rules(verdict)))))
        (line(report.cases.len(), "case", report.summary.counts()))
    }
}

fn checked_against(level: Level) -> &'static str {
    match level {
        Level::Contract => "the whole contract",
        Level::Stated => "what the source states",
    }
}

/// Why cases failed: a row for each cause, ordered by the number of cases, most first.
fn causes(report: &Report) -> Markup {
    let causes = Cause::among(&report.cases);
    if causes.is_empty() {
        return html! {};
    }
    html! {
        section #causes {
            h2 { "Causes " span.note { "Failures that probably share one fix, each with one case that shows it." } }
            div.scroll {
                table {
                    thead { tr {
                        th scope="col" { "Cause" } th scope="col" { "Rules" } th scope="col" { "Cases" }
                        th scope="col" { "Example" }
                    } }
                    tbody {
                        @for cause in &causes {
                            tr {
                                th scope="row" {
                                    (cause.text) " "
                                    span.note { @if cause.is_stated() { "stated, " } (cause.steadiness().as_str()) }
                                }
                                td { (grouped(cause.rules().len())) (unit(cause.rules().len(), "rule")) }
                                td { (grouped(cause.cases.len())) (unit(cause.cases.len(), "case")) }
                                td.text {
                                    a href={ "#" (cause.case.id) } { code { (cause.case.id) } }
                                    (expected_and_seen(cause.finding))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The unit of a number, for a narrow page: there the column has no heading.
fn unit(count: usize, one: &str) -> Markup {
    html! {
        span.unit { " " (one) @if count != 1 { "s" } }
    }
}

/// The list of known failures; entries that fail the run come first.
fn known_failures(report: &Report) -> Markup {
    if report.known_failures.is_empty() {
        return html! {};
    }
    let calm = report.known_failures.iter();
    let calm = calm.filter(|known| !known.state.fails());
    html! {
        section #known-failures {
            h2 { "Known failures" }
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { "Cases" } th scope="col" { "Until" }
                            th scope="col" { "State" } th scope="col" { "Note" }
                        }
                    }
                    tbody {
                        @for known in report.stale().chain(calm) {
                            tr {
                                th scope="row" { code { (known.id) } }
                                td { (known.expires) }
                                td {
                                    span.mark.failed[known.state.fails()].known[!known.state.fails()] {
                                        (known.state.as_str())
                                    }
                                }
                                td.text { (prose(&known.advice())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The contract as a table: operation × parameter × status.
fn covered(coverage: &Coverage) -> Markup {
    html! {
        section #coverage {
            h2 { "Coverage of the contract" }
            p.note {
                "Checked: " (coverage.totals) ". A number counts the cases for its row and column, "
                "and its colour shows the worst of their verdicts. Select one to see them."
            }
            div.scroll {
                table {
                    thead {
                        tr {
                            th scope="col" { "Operation and parameter" }
                            th scope="col" { "Cases" }
                            @for status in &coverage.statuses { th scope="col" { (status) } }
                        }
                    }
                    @for operation in &coverage.operations { (covered_operation(operation, coverage)) }
                    (covered_by_all(coverage))
                }
            }
        }
    }
}

fn covered_operation(operation: &OperationCoverage, coverage: &Coverage) -> Markup {
    let row = |row: &Row, head: Markup| {
        let name = if row.name.is_empty() {
            operation.id.clone()
        } else {
            format!("{} {}", operation.id, row.name)
        };
        html! {
            tr.parameter[!row.name.is_empty()] {
                th scope="row" { (head) }
                td { (cell(&row.cases, &name)) }
                @for (by_status, status) in row.by_status.iter().zip(&coverage.statuses) {
                    td { @if let Some(by_status) = by_status { (cell(by_status, &format!("{name} {status}"))) } }
                }
            }
        }
    };
    let whole = html! {
        button.fold type="button" aria-expanded="true" {
            // A narrow page breaks the name at its underscores.
            @for part in operation.id.split_inclusive('_') { (part) wbr; }
        }
        span.path { (operation.method) " " (operation.path) }
    };
    html! {
        tbody {
            (row(&operation.whole, whole))
            @for parameter in &operation.parameters { (row(parameter, html! { code { (parameter.name) } })) }
        }
    }
}

/// Places that all operations share, in rows without statuses.
fn covered_by_all(coverage: &Coverage) -> Markup {
    html! {
        tbody {
            tr {
                th scope="row" { button.fold type="button" aria-expanded="true" { "all operations" } }
                td { (cell(&coverage.all_shared, "all operations")) }
                td colspan=(coverage.statuses.len()) {}
            }
            @for row in &coverage.shared {
                tr.parameter {
                    th scope="row" { code { (row.name) } }
                    td { (cell(&row.cases, &row.name)) }
                    td colspan=(coverage.statuses.len()) {}
                }
            }
        }
    }
}

fn cell(cell: &Cell, name: &str) -> Markup {
    let Some(worst) = cell.worst else {
        return html! { span.none title={ (name) ": no case" } { "–" } };
    };
    let positions: Vec<_> = cell.cases.iter().map(usize::to_string).collect();
    html! {
        button.cell.(worst.as_str()) type="button" data-name=(name) data-cases=(positions.join(" "))
            title={ (name) ": " (worst.as_str()) } { (cell.cases.len()) }
    }
}

/// Response times, with the slowest responses.
fn answer_times(times: &AnswerTimes) -> Markup {
    if times.slowest.is_empty() {
        return html! {};
    }
    html! {
        section #times {
            h2 {
                "Response times "
                span.note {
                    @for (name, millis) in times.percentiles() { (name) " " (milliseconds(millis)) ", " }
                    "of " (grouped(times.count)) " responses"
                }
            }
            details {
                summary { "The slowest responses" }
                div.scroll {
                    table {
                        thead { tr {
                            th scope="col" { "Request" } th scope="col" { "Status" } th scope="col" { "Time" }
                            th scope="col" { "Case" }
                        } }
                        tbody {
                            @for slow in &times.slowest {
                                tr {
                                    th scope="row" { code { (slow.request()) } }
                                    td { (slow.status) }
                                    td.time { (milliseconds(slow.duration_ms)) }
                                    td.text { @if let Some(id) = &slow.case { a href={ "#" (id) } { code { (id) } } } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn filters(report: &Report) -> Markup {
    html! {
        @let rules = &report.summary.rules;
        h2 {
            "Rules "
            span.note {
                (grouped(rules.passed)) " of " (grouped(rules.total)) " passed; " (rules.stated) " stated, "
                (rules.decided) " decided. "
                "A rule has one case for each of its subjects."
            }
        }
        form #filters role="search" {
            input #text type="search" placeholder="Filter by id, sentence, response…" aria-label="Filter the cases";
            div.verdicts role="group" aria-label="Verdicts" {
                @for (verdict, count) in report.summary.counts() {
                    label.chip.(verdict.as_str()) {
                        input type="checkbox" name="verdict" value=(verdict.as_str()) checked disabled[count == 0];
                        span.count { (grouped(count)) } " " (verdict.as_str())
                    }
                }
            }
            select #basis aria-label="Basis of the cases" {
                option value="" { "stated and decided" }
                option value="stated" { "stated only" }
                option value="decided" { "decided only" }
            }
            button #cell type="button" hidden title="Show all cases" {}
            output #shown { (counted(rules.total, "rule")) ", " (counted(report.cases.len(), "case")) }
        }
    }
}

fn cases(report: &Report) -> Markup {
    let positions = report.cases.iter().enumerate();
    let positions: HashMap<_, _> = positions.map(|(position, case)| (&*case.id, position)).collect();
    html! {
        @for (group, cases) in report.groups() {
            @let rules = Rule::fold(cases);
            section.group {
                (group_head(group, &rules))
                @for rule in &rules { (self::rule(rule, &positions)) }
            }
        }
    }
}

fn group_head(chapter: &Chapter, rules: &[Rule<'_>]) -> Markup {
    let passed = rules.iter().filter(|rule| rule.verdict() == Verdict::Passed).count();
    html! {
        h3 { (prose(&chapter.title)) " " span.note { (chapter.name) ", " (passed) " of " (rules.len()) " rules passed" } }
    }
}

/// A rule with its subjects inside, or its only case.
fn rule(rule: &Rule<'_>, positions: &HashMap<&str, usize>) -> Markup {
    let position = |case: &CaseReport| positions.get(&*case.id).copied();
    if let [case] = rule.cases() {
        let shown = Shown {
            name: &case.id,
            title: &rule.title(),
            known: &[],
            is_open: fails(case.verdict),
        };
        return self::case(case, &shown, position(case));
    }
    let verdict = rule.verdict().as_str();
    let (title, clauses) = (rule.title(), rule.clauses());
    // A case without a subject may have the id of its rule.
    let is_taken = rule.cases().iter().any(|case| case.id == rule.id());
    let subjects: Vec<_> = rule.cases().iter().map(|case| case.subject()).collect();
    html! {
        details.rule.(verdict) id=[(!is_taken).then_some(rule.id())] open[fails(rule.verdict())] {
            summary {
                span.mark { (verdict) } " "
                span.id { (rule.id()) } " "
                span.title { (prose(&title)) } " "
                span.note.subjects title=(subjects.join(", ")) {
                    "· " (counted_subjects(&subjects)) ": " (rule.counts())
                }
            }
            div.body {
                @for clause in &clauses { (self::clause(clause)) }
                @let alike = alike(rule);
                @for case in rule.cases() {
                    @let title = match alike.get(&*case.id) {
                        Some(first) => format!("same failure as {first}"),
                        None if case.rule_title() == rule.cases()[0].rule_title() => String::new(),
                        None => case.rule_title().to_owned(),
                    };
                    @let shown = Shown {
                        name: case.subject(),
                        title: &title,
                        known: &clauses,
                        is_open: fails(case.verdict) && !alike.contains_key(&*case.id),
                    };
                    (self::case(case, &shown, position(case)))
                }
            }
        }
    }
}

fn fails(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Failed | Verdict::Errored)
}

/// The cases of a rule that only repeat the findings of an earlier case. Maps their ids to the subject of that case.
fn alike<'a>(rule: &Rule<'a>) -> HashMap<&'a str, &'a str> {
    let failing = rule.cases().iter().copied();
    let failing: Vec<_> = failing.filter(|case| fails(case.verdict)).collect();
    let found = FoundAlike::among(failing.iter().copied());
    let mut firsts = HashMap::new();
    let mut reasons = HashMap::new();
    for case in failing.iter().filter(|case| case.findings.is_empty()) {
        match reasons.get(&case.reason) {
            Some(first) => firsts.insert(&*case.id, *first),
            None => reasons.insert(&case.reason, case.subject()),
        };
    }
    for alike in &found {
        if let [first, others @ ..] = &alike.cases[..] {
            for case in others {
                firsts.entry(&*case.id).or_insert_with(|| first.subject());
            }
        }
    }
    for alike in &found {
        if let [first, ..] = alike.cases[..] {
            firsts.remove(&*first.id);
        }
    }
    firsts
}

/// How a case is shown.
struct Shown<'a> {
    name: &'a str,
    title: &'a str,
    /// The clauses that its rule shows.
    known: &'a [&'a ClauseReport],
    is_open: bool,
}

fn case(case: &CaseReport, shown: &Shown<'_>, position: Option<usize>) -> Markup {
    let Shown { name, title, .. } = *shown;
    let verdict = case.verdict.as_str();
    let basis = match case.basis {
        BasisReport::Stated => "stated",
        BasisReport::Decided => "decided",
    };
    let clauses = case.clauses.iter();
    let clauses = clauses.filter(|clause| !shown.known.iter().any(|known| known.is_same(clause)));
    html! {
        details.case.(verdict) id=(case.id) data-position=[position] data-verdict=(verdict) data-basis=(basis)
            open[shown.is_open] {
            summary {
                span.mark { (verdict) } " "
                @if let Some(steadiness) = case.steadiness { span.steadiness { (steadiness.as_str()) } " " }
                span.id { (name) } " "
                span.title { (prose(title)) }
            }
            div.body {
                @for clause in clauses { (self::clause(clause)) }
                @if let Some(reason) = &case.reason { p.reason { (prose(reason)) } }
                @for finding in &case.findings { (self::finding(finding)) }
                p.note {
                    @if *name != *case.id { code { (case.id) } ": " }
                    (case.rests_on()) ", " (counted(case.assertions, "assertion")) ", "
                    (counted(case.requests, "request")) ", " (milliseconds(case.duration_ms))
                }
            }
        }
    }
}

/// A sentence, with code for what is between backticks.
fn prose(text: &str) -> Markup {
    let parts: Vec<_> = text.split('`').collect();
    // A backtick without another one is part of the text.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (position, part) in parts.iter().enumerate() {
            @if position.is_multiple_of(2) { (part) } @else { code { (part) } }
        }
    }
}

fn clause(clause: &ClauseReport) -> Markup {
    html! {
        blockquote {
            (prose(&clause.sentence))
            footer { code { (clause.place()) } " " code.pointer { (clause.pointer) } }
        }
    }
}

fn expected_and_seen(finding: &Finding) -> Markup {
    html! {
        dl {
            dt { "expected" } dd.expected { (finding.expected) }
            dt { "seen" } dd.seen { (finding.seen) }
        }
    }
}

fn finding(finding: &Finding) -> Markup {
    html! {
        div.finding {
            p {
                (finding.what)
                @if finding.times > 1 { span.note { " (" (finding.times) " times)" } }
                span.note { " " (finding.steadiness.as_str()) }
            }
            (expected_and_seen(finding))
            dl {
                dt { "cause" } dd { (finding.cause) }
                @if let Some(basis) = finding.rests_on() { dt { "basis" } dd { (basis) } }
                @for id in &finding.request_ids { dt { "request id" } dd { code { (id) } } }
            }
            @for request in &finding.requests {
                div.request {
                    pre { code { (request) } }
                    button.copy type="button" hidden { "Copy" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_backticks_is_code() {
        for (text, expected) in [
            ("`limit` is < 1", "<code>limit</code> is &lt; 1"),
            ("a `<b>` and `c`", "a <code>&lt;b&gt;</code> and <code>c</code>"),
            ("one ` alone", "one ` alone"),
            ("none", "none"),
        ] {
            assert_eq!(prose(text).into_string(), expected);
        }
    }
}
