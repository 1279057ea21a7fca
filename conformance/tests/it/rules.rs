//! A rule with several subjects reads as one rule in every report, followed by its subjects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use expect_test::expect_file;
use platform_conformance::diff::{Diff, markdown as diff_markdown, terminal as diff_terminal};
use platform_conformance::report::shown;
use platform_conformance::report::terminal::Terminal;
use platform_conformance::report::{Event, Format, Reporter, json, title_of};
use platform_conformance::{
    ApiKey, Case, CaseReport, Finding, Options, Report, Role, Steadiness, Summary, Target, Verdict, catalogue, plan,
};
use regex::Regex;
use tokio::sync::OnceCell;

use crate::report::written;
use crate::served;

const RULE: &str = "search-limit/over-maximum-is-rejected";
const SEARCHES: [&str; 6] = [
    "search_organizations_by_description",
    "search_organizations_by_customer",
    "search_organizations_by_organization",
    "search_products_by_description",
    "search_products_by_customer",
    "search_products_by_product",
];

async fn passing() -> Report {
    static REPORT: OnceCell<Report> = OnceCell::const_new();
    let run = || async {
        let only = format!("{RULE}/*");
        served::run_on(crate::served::router(), &[&only, "limit/maximum-*"]).await
    };
    REPORT.get_or_init(run).await.clone()
}

/// One rule that fails for six searches, each with its own body.
async fn failing() -> Report {
    let mut report = passing().await;
    report.cases.retain(|case| case.rule == RULE);
    for case in &mut report.cases {
        let subject = case.subject.clone().unwrap();
        case.verdict = Verdict::Failed;
        case.steadiness = Some(Steadiness::Steady);
        case.findings = vec![Finding {
            decisions: None,
            cause: "answered 200 instead of 422".to_owned(),
            what: "the response".to_owned(),
            expected: "422 validation_failed".to_owned(),
            seen: format!("200 {{\"of\":\"{subject}\"}}"),
            requests: vec![format!("curl -isS 'https://a.example/{subject}'")],
            request_ids: vec![format!("request-id-of-{subject}")],
            times: 1,
            steadiness: Steadiness::Steady,
        }];
    }
    counted(report)
}

fn counted(mut report: Report) -> Report {
    report.summary = Summary::of(&report.cases);
    report
}

/// The terminal output when these cases have finished, without the plan at the top.
fn terminal(report: &Report, cases: &[CaseReport], is_over: bool) -> String {
    let key = ApiKey::new("dev-full-access", "PLATFORM_API_KEY").unwrap();
    let target = Target::new(&report.target.base_url).unwrap();
    let target = target.with_key(Role::FullAccess, key);
    let planned = plan(catalogue(), &target, &Options::default()).unwrap();
    let mut shown = Vec::new();
    let mut terminal = Terminal::new(&mut shown, None);
    terminal.event(&Event::Planned { plan: &planned });
    terminal.event(&Event::Started {
        target: &report.target,
        cases: report.cases.len(),
    });
    for case in cases {
        terminal.event(&Event::CaseStarted { id: &case.id });
        terminal.event(&Event::CaseFinished { case });
    }
    if is_over {
        terminal.event(&Event::Finished { report });
    }
    let shown = anstream::adapter::strip_str(std::str::from_utf8(&shown).unwrap()).to_string();
    shown.split_once("\n\n").unwrap().1.to_owned()
}

#[tokio::test]
async fn rules_of_a_report_contain_its_cases_in_order() {
    let report = passing().await;
    let rules = report.rules();
    let ids: Vec<_> = rules.iter().map(|rule| rule.id()).collect();
    assert_eq!(ids, ["limit/maximum-is-accepted", RULE]);
    let subjects: Vec<_> = rules[1].cases().iter().map(|case| case.subject()).collect();
    assert_eq!(BTreeSet::from_iter(subjects), BTreeSet::from(SEARCHES));
    assert_eq!(rules[1].title(), "A skip or limit above its maximum is rejected");
    assert_eq!(rules[1].rests_on(), "decided: D05, D14");
    // The clause of the response differs between the searches.
    assert!(rules[1].clauses().len() < rules[1].cases()[0].clauses.len());
    let counted = report.summary.rules;
    assert_eq!((counted.total, counted.passed), (2, 2));
    assert_eq!((counted.stated, counted.decided), (1, 1));
}

#[tokio::test]
async fn rule_that_fails_for_six_searches_is_one_block() {
    let report = failing().await;
    let shown = terminal(&report, &report.cases, true);
    let first = &report.cases[0].id;
    for (part, times) in [
        ("\n1 cause\n", 1),
        ("answered 200 instead of 422  6 cases of 1 rule, steady\n", 1),
        ("A skip or limit above its maximum is rejected", 1),
        ("(decided: D05, D14)", 1),
        ("expected  422 validation_failed", 1),
        ("curl ", 1),
        ("request-id-of-", 1),
        // The failure is shown immediately, below its cause.
        (&format!("failed  {first}  answered 200"), 1),
        (": A skip or limit above its maximum is rejected\n", 1),
        ("1 rule (0 stated, 1 decided): 0 passed, 1 failed\n", 1),
    ] {
        assert_eq!(shown.matches(part).count(), times, "{part:?} in:\n{shown}");
    }
}

#[tokio::test]
async fn group_is_green_only_if_all_of_its_rules_passed() {
    let only = ["limit/maximum-is-accepted", "limit/minimum-is-accepted"];
    let mut report = served::run_on(crate::served::router(), &only).await;
    for (skipped, expected) in [
        (0, ["passed", "2/2", "2/2", "limit"]),
        (1, ["partly", "1/2", "1/2", "limit"]),
        (2, ["skipped", "0/2", "0/2", "limit"]),
    ] {
        for case in &mut report.cases[..skipped] {
            case.verdict = Verdict::Skipped;
        }
        let report = counted(report.clone());
        let shown = terminal(&report, &report.cases, true);
        let group = shown.lines().find(|line| line.contains("  limit  ")).unwrap();
        assert_eq!(group.split_whitespace().take(4).collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn cause_is_announced_once_when_it_first_occurs() {
    let report = failing().await;
    let mut cases = report.cases.clone();
    cases.reverse();
    let line = format!("failed  {}  answered 200 instead of 422\n", cases[0].id);
    assert_eq!(terminal(&report, &cases[..1], false), line);
    assert_eq!(terminal(&report, &cases, false), line);
}

#[tokio::test]
async fn different_findings_are_different_causes() {
    let mut report = failing().await;
    report.cases[0].verdict = Verdict::Passed;
    report.cases[0].findings.clear();
    report.cases[1].findings[0].cause = "answered 500".to_owned();
    let report = counted(report);
    let shown = terminal(&report, &report.cases, true);
    let place = |part: &str| shown.rfind(part).unwrap_or_else(|| panic!("{part} in:\n{shown}"));
    assert!(place("2 causes") < place("4 cases of 1 rule"), "{shown}");
    assert!(place("4 cases of 1 rule") < place("answered 500  1 case, steady"));
    assert_eq!(shown.matches("curl ").count(), 2, "{shown}");
    assert!(!shown.contains(&report.cases[0].id), "{shown}");
    let comment = written(Format::Markdown, &report);
    assert_eq!(comment.matches("<summary>failed").count(), 2, "{comment}");
    assert_eq!(comment.matches("```sh").count(), 2, "{comment}");
    assert!(comment.contains(&format!("- `{}` failed (steady)", report.cases[5].id)));
}

#[tokio::test]
async fn every_format_shows_a_rule_once() {
    let report = failing().await;
    let page = written(Format::Html, &report);
    let start = page.find(&format!("id=\"{RULE}\"")).expect("the rule has an anchor");
    for case in &report.cases {
        let at = page.find(&format!("id=\"{}\"", case.id)).unwrap();
        assert!(at > start, "{} is inside its rule", case.id);
    }
    assert_eq!(page.matches("<details class=\"rule failed\"").count(), 1);
    for part in [
        r#"<p class="totals"><strong>1 rule</strong> <span class="total failed">1 failed</span></p>"#,
        r#"<p class="totals"><strong>6 cases</strong> <span class="total failed">6 failed</span></p>"#,
        r#"1<span class="unit"> rule</span>"#,
        ">· 6 searches: 6 failed</span>",
    ] {
        assert!(page.contains(part), "{part} in:\n{page}");
    }
    let sarif: serde_json::Value = serde_json::from_str(&written(Format::Sarif, &report)).unwrap();
    let run = &sarif["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
    let fingerprint =
        |result: &serde_json::Value| result["partialFingerprints"]["caseId/v1"].as_str().unwrap().to_owned();
    let results = run["results"].as_array().unwrap();
    let ids: Vec<_> = report.cases.iter().map(|case| case.id.clone()).collect();
    assert_eq!(results.iter().map(fingerprint).collect::<Vec<_>>(), ids);
    assert!(results.iter().all(|result| result["ruleId"] == RULE));
    let junit = written(Format::Junit, &report);
    assert_eq!(junit.matches(&format!("classname=\"{RULE}\"")).count(), 6);
    assert!(ids.iter().all(|id| junit.contains(&format!("name=\"{id}\""))));
}

#[tokio::test]
async fn repeated_failure_of_a_rule_names_its_first_case() {
    let mut report = failing().await;
    let finding = report.cases[0].findings[0].clone();
    for case in &mut report.cases {
        case.findings = vec![finding.clone()];
    }
    let page = written(Format::Html, &report);
    let title = format!("same failure as {}<", report.cases[0].subject());
    assert_eq!(page.matches(&title).count(), 5, "{page}");
}

#[tokio::test]
async fn report_of_an_older_kit_has_rules() {
    let report = failing().await;
    let mut older: serde_json::Value = serde_json::from_str(&written(Format::Json, &report)).unwrap();
    older["summary"].as_object_mut().unwrap().remove("rules");
    for case in older["cases"].as_array_mut().unwrap() {
        let case = case.as_object_mut().unwrap();
        assert!(case.remove("rule").is_some() && case.remove("subject").is_some());
    }
    assert_eq!(json::read(&older.to_string()).unwrap(), report);
}

#[tokio::test]
async fn difference_in_six_searches_is_one_line() {
    let (mut before, after) = (failing().await, failing().await);
    for case in &mut before.cases {
        case.verdict = Verdict::Passed;
        case.findings.clear();
    }
    let mut diff = Diff::of_reports(&before, &after);
    let shown = |diff: &Diff| anstream::adapter::strip_str(&diff_terminal(diff)).to_string();
    for part in [
        format!("{RULE}: passed → failed for 6 searches\n"),
        "Newly failing (1 rule with 6 cases)".to_owned(),
    ] {
        assert_eq!(shown(&diff).matches(&part).count(), 1, "{}", shown(&diff));
    }
    assert_eq!(shown(&diff).matches("+ the response").count(), 1);
    let table = diff_markdown(&diff);
    let row = format!("| `{RULE}` | `6 searches` | passed | failed |");
    assert_eq!(table.matches(&row).count(), 1, "{table}");
    // Some of them are named.
    diff.cases.truncate(2);
    let two = format!(
        "{}, {}",
        diff.cases[0].subject.clone().unwrap(),
        diff.cases[1].subject.clone().unwrap()
    );
    assert!(shown(&diff).contains(&format!("for {two}\n")), "{}", shown(&diff));
}

/// The cases of the catalogue, by rule.
fn rules() -> BTreeMap<String, Vec<Case>> {
    let mut rules: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in catalogue() {
        rules.entry(case.rule().to_owned()).or_default().push(case);
    }
    rules
}

#[test]
fn cases_of_a_rule_have_the_same_sentence() {
    for (rule, cases) in rules() {
        let sentences: BTreeSet<_> = cases.iter().map(Case::rule_title).collect();
        // The rule about the responses of all operations has two sentences under one id.
        let most = if rule == "schema/any" { 2 } else { 1 };
        assert!(
            sentences.len() <= most,
            "{rule}: give its cases the title \"{{subject}}: {{sentence}}\" with one sentence, not {sentences:#?}"
        );
        for case in &cases {
            let subject = case.subject().unwrap_or("no subject");
            let title = title_of([case.rule_title()]);
            let names_it = rule != format!("schema/{subject}") && title.contains(subject);
            assert!(!names_it, "{}: {title}", case.id);
        }
    }
}

/// After a change of the catalogue run `UPDATE_EXPECT=1 cargo test -p platform-conformance --test it -- rules::`.
#[test]
fn guides_count_the_catalogue() {
    let rules = rules();
    let stated = rules
        .values()
        .filter(|cases| cases.iter().all(|case| case.decisions().is_empty()));
    let (cases, all, stated) = (catalogue().len(), rules.len(), stated.count());
    let decided = all - stated;
    let cases = shown::counted(cases, "case");
    let counts = format!("{cases} of {all} rules: {stated} stated, {decided} decided");
    let counted = Regex::new(r"[\d,]+ cases of \d+ rules: \d+ stated, \d+ decided").unwrap();
    for guide in ["README.md", "../README.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(guide);
        let text = fs::read_to_string(&path).unwrap();
        assert!(counted.is_match(&text), "{guide} does not count the catalogue");
        let current = counted.replace_all(&text, counts.as_str());
        expect_file![path].assert_eq(&current);
    }
}

#[test]
fn rules_of_a_group_have_different_titles() {
    let mut seen = BTreeMap::new();
    for case in catalogue() {
        let title = (case.group().to_owned(), case.rule_title().to_owned());
        let rule = seen.entry(title).or_insert_with(|| case.rule().to_owned());
        assert_eq!(case.rule(), rule, "{}", case.title);
    }
}
