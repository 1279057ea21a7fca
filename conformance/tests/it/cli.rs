//! The program: exit codes, and output where nothing can be run.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use expect_test::expect_file;
use platform_conformance::report::shown::{counted, grouped};
use platform_conformance::report::{Format, json};
use platform_conformance::{Contract, Options, Verdict, catalogue, chosen, contents, exit_code};
use serde_json::Value;

/// A port without a listener.
const HERE: &str = "http://127.0.0.1:9";

fn program(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-conformance"));
    command
        .args(arguments)
        .env_remove("PLATFORM_API_KEY")
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn code(output: &Output) -> u8 {
    output.status.code().unwrap().try_into().unwrap()
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn wrong_usage_exits_with_2() {
    let commands: [&[&str]; 38] = [
        &[],
        &["walk"],
        &["run"],
        &["run", "--base-url", "not a url"],
        &["run", "--base-url", "http://127.0.0.1:9"],
        &["run", "--target", "/nowhere/target.toml"],
        &["run", "--stub", "--base-url", "http://127.0.0.1:9"],
        &["run", "--base-url", HERE, "--ca-file", "/nowhere/ca.pem"],
        &["run", "--base-url", HERE, "--client-cert", "/nowhere/a.pem"],
        &["run", "--base-url", HERE, "--client-key", "/nowhere/a.pem"],
        &["run", "--stub", "--insecure"],
        &["run", "--base-url", HERE, "--proxy", "proxy"],
        &["run", "--base-url", HERE, "--proxy-credentials", "PATH"],
        &["run", "--base-url", HERE, "--header", "X-Gateway-Token"],
        &["run", "--base-url", HERE, "--header", "API-Key: $PATH"],
        &["run", "--base-url", HERE, "--header", "X-Gateway-Token: $NOT_SET"],
        &["run", "--stub", "--header", "X-Environment: staging"],
        &["run", "--stub", "--only", "no-such-case/*"],
        &["run", "--stub", "--profile", "/nowhere/profile.json"],
        &["probe", "--base-url", HERE],
        &["probe", "--stub", "--point", "no-such-point"],
        &["probe", "--stub", "--out", "/nowhere/profile.json"],
        &["diff", "/nowhere/one.json"],
        &["diff", "/nowhere/one.json", "/nowhere/other.json"],
        &["run", "--stub", "--report", "json"],
        &["run", "--stub", "--report", "json="],
        &["run", "--stub", "--report", "pdf=report.pdf"],
        &["run", "--stub", "--report", "json=-", "--report", "junit=-"],
        &["run", "--stub", "--report", "html=/nowhere/report.html"],
        &["run", "--stub", "--report", "html=/"],
        &["run", "--stub", "--max-body-bytes", "0"],
        &["run", "--stub", "--max-body-bytes", "much"],
        &["run", "--stub", "--level", "decided"],
        &["run", "--stub", "--rate", "0"],
        &["run", "--stub", "--rate", "20/d"],
        &["run", "--stub", "--rate", "fast"],
        &["run", "--stub", "--max-requests", "0"],
        &["run", "--stub", "--known-failures", "/nowhere/known.toml"],
    ];
    for arguments in commands {
        let output = program(arguments, &[]);
        assert_eq!(code(&output), exit_code::USAGE, "{arguments:?}: {}", text(&output));
    }
}

#[test]
fn unreachable_deployment_exits_with_3_and_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let file = |format: Format| directory.path().join(format.as_str());
    let mut arguments = vec![
        "run".to_owned(),
        "--base-url".to_owned(),
        "http://127.0.0.1:9".to_owned(),
    ];
    for format in Format::ALL {
        let report = format!("{format}={}", file(format).display());
        arguments.extend(["--report".to_owned(), report]);
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let output = program(&arguments, &[("PLATFORM_API_KEY", "sk-live-51f0c9a7e2")]);
    assert_eq!(code(&output), exit_code::COULD_NOT_RUN, "{}", text(&output));
    let count = catalogue().len();
    for format in Format::ALL {
        let written = std::fs::read_to_string(file(format)).unwrap();
        let counts = [count.to_string(), grouped(count)];
        assert!(counts.iter().any(|count| written.contains(count)), "{format}");
        assert!(!written.contains("sk-live-51f0c9a7e2"), "{format}");
    }
    let written = std::fs::read_to_string(file(Format::Json)).unwrap();
    let report: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(report["summary"]["errored"], catalogue().len());
    let count = text(&output).matches("Connection refused").count();
    assert!(count < 10, "the reason is printed once, not for every case: {count}");
    assert!(!text(&output).contains("sk-live-51f0c9a7e2"));
}

#[test]
fn report_on_stdout_is_the_only_text_there() {
    let arguments = ["run", "--stub", "--only", "limit/*", "--report", "json=-"];
    let output = program(&arguments, &[]);
    assert_eq!(code(&output), exit_code::PASSED, "{}", text(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["summary"]["failed"], 0);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("conforms"), "{stderr}");
}

#[test]
fn passed_run_exits_with_0() {
    let output = program(&["run", "--stub", "--only", "limit/*"], &[]);
    assert_eq!(code(&output), exit_code::PASSED, "{}", text(&output));
}

#[test]
fn failed_cases_run_again_except_excluded_ones() {
    let folder = tempfile::tempdir().unwrap();
    let report = |name: &str| folder.path().join(name).display().to_string();
    let (first, second) = (report("first.json"), report("second.json"));
    let written = |file: &str| format!("json={file}");
    let only = [
        "run",
        "--stub",
        "--only",
        "limit/*",
        "--exclude",
        "limit/default-applies",
    ];
    let output = program(&[&only[..], &["--report", &written(&first)]].concat(), &[]);
    assert_eq!(code(&output), exit_code::PASSED, "{}", text(&output));
    let read = |file: &str| json::read(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut known = read(&first);
    assert_eq!(known.case("limit/default-applies"), None);
    // Nothing failed, so there is nothing to run again.
    let output = program(&["run", "--stub", "--rerun", &first], &[]);
    assert_eq!(code(&output), exit_code::USAGE, "{}", text(&output));
    assert!(text(&output).contains("none of its cases failed"), "{}", text(&output));
    known.cases[1].verdict = Verdict::Failed;
    let mut edited = Vec::new();
    json::write(&known, &mut edited).unwrap();
    std::fs::write(&first, edited).unwrap();
    let arguments = ["run", "--stub", "--rerun", &first, "--report", &written(&second)];
    let output = program(&arguments, &[]);
    assert_eq!(code(&output), exit_code::PASSED, "{}", text(&output));
    let again: Vec<_> = read(&second).cases.into_iter().map(|case| case.id).collect();
    assert_eq!(again, [known.cases[1].id.clone()]);
    let output = program(&["run", "--stub", "--exclude", "none/*"], &[]);
    assert_eq!(code(&output), exit_code::USAGE, "{}", text(&output));
}

#[test]
fn dry_run_prints_the_plan_and_sends_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let arguments = ["run", "--base-url", &base_url, "--dry-run"];
    let output = program(&arguments, &[("PLATFORM_API_KEY", "sk-live-51f0c9a7e2")]);
    assert_eq!(code(&output), exit_code::COULD_NOT_RUN, "{}", text(&output));
    for part in [
        " requests (at most ",
        "\nread-only\n",
        "skipped: adds to a pipeline: run with --allow-writes",
        "skipped: needs a key: name its environment variable as read_only under [keys]",
    ] {
        assert!(text(&output).contains(part), "{}", text(&output));
    }
    let accepted = listener.accept().unwrap_err();
    assert_eq!(accepted.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn malformed_list_of_known_failures_is_rejected_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("known.toml");
    std::fs::write(&file, "[[failure]]\nid = 'a'\nreason = 'b'\nexpires = 'soon'\n").unwrap();
    let file = file.display().to_string();
    let output = program(&["run", "--stub", "--known-failures", &file], &[]);
    assert_eq!(code(&output), exit_code::USAGE);
    assert!(
        text(&output).contains("known.toml, line 4: expires must be a date"),
        "{}",
        text(&output)
    );
}

#[test]
fn list_shows_every_rule_on_one_line() {
    let output = program(&["list"], &[]);
    let listed = text(&output);
    assert_eq!(code(&output), exit_code::PASSED);
    let rules: BTreeSet<_> = catalogue().iter().map(|case| case.rule().to_owned()).collect();
    let lines: Vec<_> = listed.lines().filter(|line| line.contains('/')).collect();
    assert_eq!(lines.len(), rules.len());
    let of = |rule: &str| {
        let mut its = lines.iter().filter(|line| line.split_whitespace().next() == Some(rule));
        let line = its.next().unwrap_or_else(|| panic!("{rule} is missing"));
        assert!(its.next().is_none(), "{rule} is listed twice");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for rule in &rules {
        of(rule);
    }
    assert!(of("search-limit/default-applies").contains(" decided "));
    assert!(of("search-limit/default-applies").ends_with("(D05): 6 searches"));
    assert!(of("error/unknown-item").contains(" stated An item that does not exist returns 404: "));
    let totals = format!("{} of {} rules: ", counted(catalogue().len(), "case"), rules.len());
    assert!(listed.lines().last().unwrap().starts_with(&totals));
}

/// Yellow text is hard to read on white, and most rules are decided.
#[test]
fn list_has_no_yellow_text() {
    let output = program(&["list"], &[("CLICOLOR_FORCE", "1")]);
    let listed = text(&output);
    assert!(listed.contains("\u{1b}[32mstated"), "{listed}");
    assert!(!listed.contains("\u{1b}[33m"), "{listed}");
}

#[test]
fn list_of_ids_shows_every_case() {
    let output = program(&["list", "--ids"], &[]);
    assert_eq!(code(&output), exit_code::PASSED);
    let listed = text(&output);
    let first = |line: &str| line.split(' ').next().unwrap().to_owned();
    let listed: Vec<_> = listed.lines().map(first).collect();
    let ids: Vec<_> = catalogue().into_iter().map(|case| case.id).collect();
    assert_eq!(listed, ids);
}

#[test]
fn list_is_filtered_like_a_run() {
    let filters = ["--only", "limit/*", "--only", "skip/*"];
    let filters = [&filters[..], &["--exclude", "limit/default-applies"]].concat();
    let options = Options {
        only: vec!["limit/*".into(), "skip/*".into()],
        exclude: vec!["limit/default-applies".into()],
        ..Options::default()
    };
    let cases = chosen(catalogue(), &options).unwrap();
    let wanted: Vec<_> = cases.iter().map(|case| case.id.as_str()).collect();
    assert!(wanted.len() > 2 && wanted.len() < catalogue().len() / 2);
    let output = program(&[&["list", "--ids"], &filters[..]].concat(), &[]);
    let listed = text(&output);
    let ids: Vec<_> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(ids, wanted);
    let output = program(&[&["list"], &filters[..]].concat(), &[]);
    let totals = format!("{} cases of ", wanted.len());
    assert!(text(&output).contains(&totals) && !text(&output).contains("search-limit/"));
    let output = program(&[&["list", "--format", "json"], &filters[..]].concat(), &[]);
    let rules: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rules = rules.as_array().unwrap();
    let ids: Vec<_> = rules
        .iter()
        .flat_map(|rule| rule["cases"].as_array().unwrap())
        .map(|case| case["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, wanted);
    for arguments in [
        &["list", "--only", "no-such-case/*"],
        &["list", "--exclude", "no-such-case/*"],
        &["list", "--format", "yaml"],
    ] {
        let output = program(arguments, &[]);
        assert_eq!(code(&output), exit_code::USAGE, "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
    let both = program(&["list", "--ids", "--format", "json"], &[]);
    assert_eq!(code(&both), exit_code::USAGE);
}

#[test]
fn list_as_json_shows_basis_and_needs_of_a_case() {
    let output = program(&["list", "--format", "json"], &[]);
    assert_eq!(code(&output), exit_code::PASSED);
    let rules: Value = serde_json::from_slice(&output.stdout).unwrap();
    let validator = jsonschema::validator_for(&contents::schema()).unwrap();
    let errors = validator.iter_errors(&rules).map(|error| error.to_string());
    assert_eq!(errors.collect::<Vec<_>>(), Vec::<String>::new());
    let rules = rules.as_array().unwrap();
    let cases: Vec<_> = rules
        .iter()
        .flat_map(|rule| rule["cases"].as_array().unwrap())
        .collect();
    let all = catalogue();
    assert_eq!(cases.len(), all.len());
    let contract = Contract::bundled();
    for case in &all {
        let its = |listed: &&&Value| listed["id"] == case.id.as_str();
        let listed = cases.iter().find(its).unwrap();
        assert_eq!(listed["rule"], case.rule());
        assert_eq!(listed["group"], case.group());
        assert_eq!(listed["subject"].as_str(), case.subject());
        assert_eq!(listed["title"], case.title.as_str());
        let basis = if case.decisions().is_empty() {
            "stated"
        } else {
            "decided"
        };
        assert_eq!(listed["basis"], basis);
        assert_eq!(listed["decisions"], serde_json::json!(case.decisions()));
        assert_eq!(listed["operations"], serde_json::json!(case.operations()));
        assert_eq!(listed["point"].as_str(), case.point.as_deref());
        assert_eq!(listed["writes"], case.write_limit(Options::default().property_runs));
        let clauses = listed["clauses"].as_array().unwrap();
        assert_eq!(clauses.len(), case.clauses.len());
        for (clause, own) in clauses.iter().zip(&case.clauses) {
            assert_eq!(clause["sentence"], own.sentence.as_str());
            let pointer = clause["pointer"].as_str().unwrap();
            assert!(contract.document().pointer(pointer).is_some(), "{pointer}");
        }
        assert_eq!(listed["needs"].as_array().unwrap().len(), case.needs.len());
    }
    let of = |id: &str| *cases.iter().find(|case| case["id"] == id).unwrap();
    let needs = &of("auth/no-access/list_items")["needs"];
    assert_eq!(needs[0], serde_json::json!({"kind": "key", "name": "no_access"}));
    let decided = rules.iter().find(|rule| rule["rule"] == "search-limit/default-applies");
    let decided = decided.unwrap();
    assert_eq!(decided["decisions"], serde_json::json!(["D05"]));
    assert_eq!(decided["cases"].as_array().unwrap().len(), 6);
}

/// Programs read the list by this schema. After a change run
/// `UPDATE_EXPECT=1 cargo test -p platform-conformance --test it cli::`.
#[test]
fn schema_of_the_list_is_published() {
    let output = program(&["list-schema"], &[]);
    let schema = String::from_utf8(output.stdout).unwrap();
    expect_file!["../../list.schema.json"].assert_eq(&schema);
}

#[test]
fn schema_of_the_report_is_json() {
    let output = program(&["report-schema"], &[]);
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["title"], "Report");
}

#[test]
fn malformed_key_is_not_repeated() {
    let output = program(
        &[
            "run",
            "--base-url",
            "http://127.0.0.1:9",
            "--api-key",
            "sk-live\n51f0c9a7e2",
        ],
        &[],
    );
    assert_eq!(code(&output), exit_code::USAGE);
    assert!(!text(&output).contains("51f0c9a7e2"), "{}", text(&output));
}
