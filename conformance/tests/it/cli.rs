//! The program: exit codes, and what it says where nothing can be run.

use std::process::{Command, Output};

use platform_conformance::report::Format;
use platform_conformance::{catalogue, exit_code};

/// A port that nobody listens on.
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
fn wrong_usage_is_2() {
    let commands: [&[&str]; 33] = [
        &[],
        &["walk"],
        &["run"],
        &["run", "--base-url", "not a url"],
        &["run", "--base-url", "http://127.0.0.1:9"],
        &["run", "--target", "/nowhere/target.toml"],
        &["run", "--stub", "--base-url", "http://127.0.0.1:9"],
        &["run", "--base-url", HERE, "--ca-file", "/nowhere/ca.pem"],
        &["run", "--base-url", HERE, "--proxy", "proxy"],
        &["run", "--base-url", HERE, "--proxy-credentials", "PATH"],
        &["run", "--base-url", HERE, "--header", "X-Gateway-Token"],
        &["run", "--base-url", HERE, "--header", "API-Key: $PATH"],
        &[
            "run",
            "--base-url",
            HERE,
            "--header",
            "X-Gateway-Token: $NOT_SET",
        ],
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
        &["run", "--stub", "--max-requests", "0"],
        &["run", "--stub", "--known-failures", "/nowhere/known.toml"],
    ];
    for arguments in commands {
        let output = program(arguments, &[]);
        assert_eq!(
            code(&output),
            exit_code::USAGE,
            "{arguments:?}: {}",
            text(&output)
        );
    }
}

#[test]
fn a_deployment_that_is_not_reached_is_3_and_still_reported() {
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
    for format in Format::ALL {
        let written = std::fs::read_to_string(file(format)).unwrap();
        assert!(written.contains(&catalogue().len().to_string()), "{format}");
        assert!(!written.contains("sk-live-51f0c9a7e2"), "{format}");
    }
    let written = std::fs::read_to_string(file(Format::Json)).unwrap();
    let report: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(report["summary"]["errored"], catalogue().len());
    let told = text(&output).matches("Connection refused").count();
    assert!(told < 10, "why is told once, not for every case: {told}");
    assert!(!text(&output).contains("sk-live-51f0c9a7e2"));
}

#[test]
fn a_report_on_the_standard_output_has_it_for_itself() {
    let arguments = ["run", "--stub", "--only", "limit/*", "--report", "json=-"];
    let output = program(&arguments, &[]);
    assert_eq!(code(&output), exit_code::PASSED, "{}", text(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["summary"]["failed"], 0);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("the contract holds"), "{told}");
}

#[test]
fn cases_that_pass_on_the_reference_server_are_0() {
    let output = program(&["run", "--stub", "--only", "limit/*"], &[]);
    assert_eq!(code(&output), exit_code::PASSED, "{}", text(&output));
}

#[test]
fn a_dry_run_tells_what_would_be_done_and_sends_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let arguments = ["run", "--base-url", &base_url, "--dry-run"];
    let output = program(&arguments, &[("PLATFORM_API_KEY", "sk-live-51f0c9a7e2")]);
    assert_eq!(code(&output), exit_code::COULD_NOT_RUN, "{}", text(&output));
    for part in [
        "requests: ",
        "nothing is changed",
        "skipped: adds to a pipeline: run with --allow-writes",
        "skipped: needs a key: name its environment variable as read_only under [keys]",
    ] {
        assert!(text(&output).contains(part), "{}", text(&output));
    }
    let accepted = listener.accept().unwrap_err();
    assert_eq!(accepted.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_wrong_list_of_known_failures_is_refused_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("known.toml");
    std::fs::write(
        &file,
        "[[failure]]\nid = 'a'\nreason = 'b'\nexpires = 'soon'\n",
    )
    .unwrap();
    let file = file.display().to_string();
    let output = program(&["run", "--stub", "--known-failures", &file], &[]);
    assert_eq!(code(&output), exit_code::USAGE);
    assert!(
        text(&output).contains("known.toml, line 4: expires is a day of the calendar"),
        "{}",
        text(&output)
    );
}

#[test]
fn the_list_shows_every_case() {
    let output = program(&["list"], &[]);
    let listed = text(&output);
    assert_eq!(code(&output), exit_code::PASSED);
    for case in catalogue() {
        assert!(listed.contains(&case.id), "{}", case.id);
    }
}

#[test]
fn the_schema_of_the_report_is_json() {
    let output = program(&["report-schema"], &[]);
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["title"], "Report");
}

#[test]
fn a_key_that_cannot_be_one_is_not_repeated() {
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
