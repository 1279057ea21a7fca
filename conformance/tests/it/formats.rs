//! Every format of a report: the formats agree with each other, and no output of a deployment can do harm in them.

mod hostile;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use platform_conformance::report::coverage::Coverage;
use platform_conformance::report::terminal::Terminal;
use platform_conformance::report::{
    Event, Format, KnownFailureReport, KnownFailureState, Reporter, Silent, json, junit,
};
use platform_conformance::{
    ApiKey, Contract, Level, Options, Report, Role, Steadiness, Target, Verdict, catalogue, plan,
};
use regex::Regex;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::report::written;
use crate::served::{self, SkippedTime, run_on_clock};

/// Output of a hostile deployment.
const HOSTILE: &str = "</code></details><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)> \
                       ```` @everyone | ]]> \u{1b}[2J\u{7}\u{0} [x](javascript:alert(1)) \
                       \" ' &amp; %SRCROOT%\n```\n## Conformance: conforms\n";

fn hostile() -> Router {
    Router::new().fallback(|| async { (StatusCode::IM_A_TEAPOT, [("X-Request-Id", "</script><b>")], HOSTILE) })
}

fn terminal(report: &Report, columns: Option<usize>) -> String {
    let mut shown = Vec::new();
    let mut terminal = Terminal::new(&mut shown, columns);
    let (target, cases) = (&report.target, report.cases.len());
    let served = Target::new(&target.base_url).unwrap();
    let key = ApiKey::new("dev-full-access", "PLATFORM_API_KEY").unwrap();
    let served = served.with_key(Role::FullAccess, key);
    let plan = plan(catalogue(), &served, &Options::default()).unwrap();
    terminal.event(&Event::Planned { plan: &plan });
    terminal.event(&Event::Started { target, cases });
    for case in &report.cases {
        terminal.event(&Event::CaseStarted { id: &case.id });
        terminal.event(&Event::Waiting { requests: 1 });
        terminal.event(&Event::CaseFinished { case });
    }
    terminal.event(&Event::Finished { report });
    String::from_utf8(shown).unwrap()
}

/// A line of a list of known failures with hostile text.
fn known_failure(state: KnownFailureState) -> KnownFailureReport {
    KnownFailureReport {
        id: format!("limit/{}* | {HOSTILE}", state.as_str()),
        reason: format!("why {HOSTILE}"),
        expires: chrono::NaiveDate::from_ymd_opt(2027, 3, 31).unwrap(),
        line: 12,
        state,
        failing: Vec::new(),
        passing: vec!["limit/a".to_owned()],
    }
}

/// A report in which everything passes, one in which nothing does, and one with every outcome.
async fn reports() -> Vec<Report> {
    static REPORTS: OnceCell<Vec<Report>> = OnceCell::const_new();
    REPORTS.get_or_init(judged).await.clone()
}

async fn judged() -> Vec<Report> {
    let good = crate::served::router();
    let good = served::run_on(good, &["limit/*", "schema/list_items/*"]).await;
    let bad = served::run_on(hostile(), &["header/*", "limit/*", "schema/*", "search-text/*"]).await;
    let mut mixed = good.clone();
    let count = Verdict::ALL.len();
    for (position, case) in mixed.cases.iter_mut().enumerate() {
        case.verdict = Verdict::ALL[position % count];
        case.reason = (position % count > 1).then(|| HOSTILE.to_owned());
        case.steadiness = case.verdict.differs().then_some(Steadiness::Flaky);
        if case.verdict.differs() {
            let mut finding = bad.cases.iter().find_map(|case| case.findings.first()).cloned();
            finding
                .iter_mut()
                .for_each(|finding| finding.steadiness = Steadiness::Flaky);
            case.findings.extend(finding);
        }
    }
    mixed.level = Level::Stated;
    mixed.summary = platform_conformance::Summary::of(&mixed.cases);
    mixed.summary.interrupted = true;
    mixed.trouble.count = 7;
    mixed.trouble.waits = 3;
    mixed.trouble.examples = vec![HOSTILE.to_owned()];
    mixed.known_failures = KnownFailureState::ALL.map(known_failure).into();
    mixed.summary.stale = mixed.stale().count();
    vec![good, bad, mixed]
}

fn xml(report: &Report) -> String {
    written(Format::Junit, report)
}

fn value(format: Format, report: &Report) -> Value {
    serde_json::from_str(&written(format, report)).unwrap()
}

type Counts = BTreeMap<Verdict, usize>;

fn verdict(word: &str) -> Verdict {
    let named = Verdict::ALL.into_iter().find(|verdict| verdict.as_str() == word);
    named.unwrap_or_else(|| panic!("{word} is not a verdict"))
}

fn counts<'a>(words: impl IntoIterator<Item = &'a str>) -> Counts {
    let mut counts = Counts::new();
    for word in words {
        *counts.entry(verdict(word)).or_default() += 1;
    }
    counts
}

fn counts_of_junit(report: &Report) -> Counts {
    let text = xml(report);
    let document = roxmltree::Document::parse(&text).unwrap();
    let root = document.root_element();
    let tests = root.descendants().filter(|node| node.has_tag_name("testcase"));
    let tests: Vec<_> = tests.collect();
    let cases = tests
        .iter()
        .filter(|test| test.attribute("classname") != Some(junit::KNOWN_FAILURES));
    let with = |name: &str| {
        let has = |test: &&roxmltree::Node| test.children().any(|child| child.has_tag_name(name));
        tests.iter().filter(|test| has(test)).count()
    };
    // The totals equal the counts of the tests.
    let attribute = |name: &str| root.attribute(name).unwrap().parse::<usize>().unwrap();
    assert_eq!(attribute("tests"), tests.len());
    assert_eq!(attribute("failures"), with("failure"));
    assert_eq!(attribute("errors"), with("error"));
    assert_eq!(attribute("skipped"), with("skipped"));
    counts(cases.map(|test| {
        let told = test.children().find(|child| child.attribute("type").is_some());
        told.and_then(|told| told.attribute("type")).unwrap_or("passed")
    }))
}

fn counts_of_sarif(report: &Report) -> Counts {
    let sarif = value(Format::Sarif, report);
    let run = &sarif["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let cases = |rule: &Value| rule["properties"]["cases"].as_array().unwrap().clone();
    let all: Vec<_> = rules.iter().flat_map(cases).collect();
    let counts = counts(all.iter().map(|case| case["verdict"].as_str().unwrap()));
    let of = |verdict| counts.get(&verdict).copied().unwrap_or_default();
    let (results, told) = (&run["results"], &run["invocations"][0]["toolExecutionNotifications"]);
    let suppressed = |result: &&Value| result["suppressions"][0]["justification"].is_string();
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), of(Verdict::Failed) + of(Verdict::Known));
    assert_eq!(results.iter().filter(suppressed).count(), of(Verdict::Known));
    assert_eq!(told.as_array().unwrap().len(), of(Verdict::Errored));
    for result in results {
        let position = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[position]["id"], result["ruleId"]);
        let id = &result["partialFingerprints"]["caseId/v1"];
        assert_eq!(id, &result["properties"]["caseId"]);
        assert!(cases(&rules[position]).iter().any(|case| case["id"] == *id));
    }
    counts
}

fn counts_of_markdown(report: &Report) -> Counts {
    let text = written(Format::Markdown, report);
    let columns = r"(.*?)\|".repeat(Verdict::ALL.len());
    let row = Regex::new(&format!(r"(?m)^\| `[a-z-]+` \|{columns}")).unwrap();
    let groups = &text[text.find("| group |").unwrap()..];
    let mut counts = Counts::new();
    for row in row.captures_iter(groups) {
        for (position, verdict) in Verdict::ALL.into_iter().enumerate() {
            let count = row[position + 1].trim().parse::<usize>().unwrap_or_default();
            *counts.entry(verdict).or_default() += count;
        }
    }
    counts.retain(|_, count| *count > 0);
    assert_eq!(counts, of_rules(report), "the table counts rules");
    let head = text.replace("**", "");
    let line = head.lines().find(|line| line.contains(" cases on `"));
    counts_in(line.unwrap())
}

/// The verdicts of rules, each on all of its cases.
fn of_rules(report: &Report) -> Counts {
    let rules = report.rules();
    counts(rules.iter().map(|rule| rule.verdict().as_str()))
}

fn counts_of_html(report: &Report) -> Counts {
    let text = written(Format::Html, report);
    let chip = Regex::new(r#"value="(\w+)"[^>]*><span class="count">(\d+)</span>"#).unwrap();
    let chips = chip.captures_iter(&text);
    let chips = chips.map(|chip| (verdict(&chip[1]), chip[2].parse::<usize>().unwrap()));
    let chips: Counts = chips.filter(|(_, count)| *count > 0).collect();
    let case = Regex::new(r#"data-verdict="(\w+)""#).unwrap();
    let cases: Vec<_> = case.captures_iter(&text).map(|case| case.extract::<1>().1[0]).collect();
    assert_eq!(counts(cases), chips);
    chips
}

/// The counts of a line such as `5 passed, 1 failed`.
fn counts_in(text: &str) -> Counts {
    let passed = Regex::new(r"\d+ passed\b").unwrap();
    let line = text.lines().rfind(|line| passed.is_match(line));
    let words = Verdict::ALL.map(Verdict::as_str).join("|");
    let count = Regex::new(&format!(r"(\d+) ({words})\b")).unwrap();
    let counts = count.captures_iter(line.unwrap());
    let counts = counts.map(|count| (verdict(&count[2]), count[1].parse::<usize>().unwrap()));
    counts.filter(|(_, count)| *count > 0).collect()
}

#[tokio::test]
async fn every_format_counts_the_same() {
    for report in reports().await {
        let wanted = counts(report.cases.iter().map(|case| case.verdict.as_str()));
        let read = value(Format::Json, &report);
        let cases = read["cases"].as_array().unwrap();
        assert_eq!(
            counts(cases.iter().map(|case| case["verdict"].as_str().unwrap())),
            wanted
        );
        assert_eq!(counts_of_junit(&report), wanted);
        assert_eq!(counts_of_sarif(&report), wanted);
        assert_eq!(counts_of_markdown(&report), wanted);
        assert_eq!(counts_of_html(&report), wanted);
        for columns in [None, Some(80), Some(120)] {
            let shown = anstream::adapter::strip_str(&terminal(&report, columns)).to_string();
            let of = |what: &str, next: &str| {
                let start = shown.rfind(what).unwrap();
                let line = shown[start..].split(next).next().unwrap();
                // A narrow terminal breaks the line.
                counts_in(&line.replace('\n', " "))
            };
            let (rules, cases) = (report.rules().len(), report.cases.len());
            let (rules, cases) = (format!("\n{rules} rules ("), format!("\n{cases} cases: "));
            assert_eq!(of(&rules, &cases), of_rules(&report));
            assert_eq!(of(&cases, "\nchecked "), wanted);
        }
    }
}

#[tokio::test]
async fn json_report_round_trips() {
    for mut report in reports().await {
        assert_eq!(json::read(&written(Format::Json, &report)).unwrap(), report);
        report.version += 1;
        let error = json::read(&written(Format::Json, &report)).unwrap_err();
        assert!(matches!(error, json::ReadError::Version { .. }), "{error}");
        assert!(json::read(&written(Format::Html, &report)).is_err());
    }
}

#[tokio::test]
async fn junit_has_every_case_with_its_findings() {
    for report in reports().await {
        let text = xml(&report);
        let document = roxmltree::Document::parse(&text).unwrap();
        for case in &report.cases {
            let is_it =
                |node: &roxmltree::Node| node.has_tag_name("testcase") && node.attribute("name") == Some(&case.id);
            let test = document.descendants().find(is_it).unwrap();
            assert_eq!(test.attribute("classname"), Some(&*case.rule));
            let told: String = test.descendants().filter_map(|node| node.text()).collect();
            for finding in &case.findings {
                assert!(finding.requests.iter().all(|request| told.contains(request)), "{told}");
            }
        }
    }
}

#[tokio::test]
async fn sarif_fits_its_schema() {
    let schema = include_str!("sarif-schema-2.1.0.json");
    // One pattern of the published schema has an unmatched closing bracket. It is about languages, which no report
    // has.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let options = jsonschema::options();
    let validator = options.should_validate_formats(true).build(&schema).unwrap();
    for report in reports().await {
        let sarif = value(Format::Sarif, &report);
        let errors: Vec<_> = validator.iter_errors(&sarif).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    assert!(
        !validator.is_valid(&serde_json::json!({"version": "2.1.0"})),
        "the schema bites"
    );
}

#[tokio::test]
async fn sarif_points_at_the_clause() {
    let text = include_str!("../../../openapi.yaml");
    let lines: Vec<_> = text.lines().collect();
    let report = &reports().await[1];
    let sarif = value(Format::Sarif, report);
    for rule in sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
        // GitHub's code scanning does not accept a file without it.
        assert!(rule["help"]["text"].as_str().is_some_and(|text| !text.is_empty()));
    }
    let cases = catalogue();
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        let place = &result["locations"][0];
        let at = &place["physicalLocation"];
        assert_eq!(at["artifactLocation"]["uri"], "openapi.yaml");
        let line = at["region"]["startLine"].as_u64().unwrap();
        let pointer = place["logicalLocations"][0]["fullyQualifiedName"].as_str().unwrap();
        let case = cases.iter().find(|case| case.id == result["properties"]["caseId"]);
        let clause = &case.unwrap().clauses[0];
        assert_eq!(Contract::bundled().locate(&clause.pointer).unwrap(), pointer);
        // The line of a sentence is its first line, that of a keyword is its own.
        let text = lines[usize::try_from(line).unwrap() - 1].replace('`', "");
        let begins = clause.sentence.split(' ').next().unwrap();
        if !text.contains(begins) {
            assert_names(&text, pointer);
        }
    }
}

/// A line of the contract begins with the last name of its pointer.
fn assert_names(line: &str, pointer: &str) {
    let name = pointer.rsplit('/').next().unwrap().replace("~1", "/");
    let plain = line.trim().trim_start_matches("- ").replace(['"', '\''], "");
    let item = name.parse::<u8>().is_ok() && line.trim().starts_with("- ");
    assert!(
        item || plain.contains(&format!("{name}:")),
        "{pointer} is not on {line:?}"
    );
}

#[test]
fn every_clause_has_its_line() {
    let text = include_str!("../../../openapi.yaml");
    let lines: Vec<_> = text.lines().collect();
    for case in catalogue() {
        for clause in &case.clauses {
            let line = Contract::bundled().line(&clause.pointer);
            let line = line.unwrap_or_else(|| panic!("{} has no line", clause.pointer));
            assert_names(lines[usize::try_from(line).unwrap() - 1], &clause.pointer);
            // Any tool that follows RFC 6901 finds it.
            let pointer = Contract::bundled().locate(&clause.pointer).unwrap();
            assert!(Contract::bundled().document().pointer(&pointer).is_some());
        }
    }
    // A number has the same line from every operation that refers to it.
    let contract = Contract::bundled();
    let maximum = |operation: &str| contract.operation(operation).parameter("pipeline_id").at("maximum");
    let values = contract.line(&maximum("get_item_values"));
    assert_eq!(values, contract.line(&maximum("get_item_status")));
    assert_eq!(contract.line("/nothing/like/it"), None);
}

#[tokio::test]
async fn coverage_shows_what_was_checked() {
    let contract = Contract::bundled();
    let good = crate::served::router();
    let report = served::run_on(good, &["limit/over-maximum-is-rejected", "schema/list_items/*"]).await;
    let coverage = Coverage::of(&report, contract);
    assert_eq!(coverage.operations.len(), contract.operations().len());
    assert_eq!(coverage.totals.operations, (1, contract.operations().len()));
    assert_eq!(coverage.totals.parameters.0, 1, "limit");
    let list = coverage
        .operations
        .iter()
        .find(|operation| operation.id == "list_items")
        .unwrap();
    let at = coverage.statuses.iter().position(|status| status == "422").unwrap();
    let limit = list.parameters.iter().find(|row| row.name == "limit").unwrap();
    let cell = limit.by_status[at].as_ref().unwrap();
    assert_eq!(report.cases[cell.cases[0]].id, "limit/over-maximum-is-rejected");
    assert_eq!(cell.worst, Some(Verdict::Passed));
    assert!(list.whole.by_status[at].as_ref().unwrap().cases.len() > 1);
    let conflict = coverage.statuses.iter().position(|status| status == "409").unwrap();
    assert!(list.whole.by_status[conflict].is_none(), "a list has no conflict");
}

#[tokio::test]
async fn every_case_is_in_some_cell_of_the_coverage() {
    let clock = Arc::new(SkippedTime::default());
    let good = served::target(clock.reference_server()).await;
    let options = Options {
        allow_writes: true,
        only: ["header/*", "rate-limit/*", "limit/*", "schema/*"]
            .map(Into::into)
            .into(),
        ..Options::default()
    };
    let report = run_on_clock(clock, &good, &options, &mut Silent).await;
    let coverage = Coverage::of(&report, Contract::bundled());
    let operations = coverage.operations.iter().map(|operation| &operation.whole);
    let rows: Vec<_> = operations.chain(&coverage.shared).collect();
    let page = written(Format::Html, &report);
    for (position, case) in report.cases.iter().enumerate() {
        let row = rows.iter().find(|row| row.cases.cases.contains(&position));
        let row = row.unwrap_or_else(|| panic!("{} is in no row", case.id));
        assert!(page.contains(&row.name), "{} is not on the page", row.name);
    }
    let location = coverage
        .shared
        .iter()
        .any(|row| row.name == "components headers X-Request-Id");
    assert!(location, "{:?}", coverage.shared);
    let in_rows = coverage.shared.iter().flat_map(|row| &row.cases.cases);
    let in_rows: BTreeSet<_> = in_rows.copied().collect();
    assert!(coverage.all_shared.cases.iter().eq(&in_rows));
}

#[tokio::test]
async fn every_format_shows_the_states_of_known_failures() {
    let report = &reports().await[2];
    let terminal = anstream::adapter::strip_str(&terminal(report, None)).to_string();
    let mut texts = vec![("terminal", terminal)];
    for format in Format::ALL {
        texts.push((format.as_str(), written(format, report)));
    }
    for (format, text) in &texts {
        let shown = |state: &KnownFailureState| {
            let words = [state.as_str().to_owned(), state.as_str().replace(' ', "_")];
            words.iter().any(|word| text.contains(word.as_str()))
        };
        for state in KnownFailureState::ALL.iter().filter(|state| state.fails()) {
            assert!(shown(state), "{format} does not show {}", state.as_str());
        }
        assert!(text.contains("2027-03-31"), "{format}");
        let trouble = ["7 attempts had no response", "\"count\": 7"];
        let told = trouble.iter().any(|told| text.contains(told));
        assert!(told || *format == "junit", "{format} does not report trouble");
        let flaky = ["flaky", "not seen again"];
        let told = flaky.iter().any(|told| text.contains(told));
        assert!(told, "{format} does not say what is flaky");
    }
    // JUnit is red whenever the exit code is.
    let document = texts[2].1.clone();
    let document = roxmltree::Document::parse(&document).unwrap();
    let failing = document.descendants().filter(|node| {
        node.attribute("classname") == Some(junit::KNOWN_FAILURES)
            && node.children().any(|child| child.has_tag_name("failure"))
    });
    assert_eq!(failing.count(), report.summary.stale);
}

#[tokio::test]
async fn time_of_a_run_is_the_same_everywhere() {
    let mut report = reports().await.swap_remove(0);
    report.duration_ms = 61_500;
    assert_eq!(report.seconds(), "61.5 s");
    assert!(xml(&report).contains(r#"time="61.500""#));
    for text in [
        written(Format::Markdown, &report),
        written(Format::Html, &report),
        terminal(&report, None),
    ] {
        assert!(text.contains("61.5 s"));
    }
    let time = Duration::from_millis(report.duration_ms);
    assert_eq!(
        value(Format::Json, &report)["duration_ms"],
        u64::try_from(time.as_millis()).unwrap()
    );
}
