//! The GitHub Action and the Containerfile: they use only what exists in the program and the workspace, and the script
//! of the action runs the program as its inputs specify.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use platform_conformance::Contract;
use regex::Regex;
use serde_json::Value;
use toml::Table;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// The action. The reader of the contract accepts YAML that every reader parses alike.
fn action() -> Value {
    let read = Contract::parse(&read("action.yml")).unwrap();
    read.document().clone()
}

fn step(action: &Value, name: &str) -> Value {
    let steps = action["runs"]["steps"].as_array().unwrap();
    let found = steps.iter().find(|step| step["name"] == name);
    found.unwrap_or_else(|| panic!("no step {name}")).clone()
}

fn all(pattern: &str, text: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).unwrap();
    let found = pattern.captures_iter(text);
    found.map(|found| found[1].to_owned()).collect()
}

fn help() -> String {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_platform-conformance"));
    let output = program.args(["run", "--help"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn action_is_composite_and_explains_and_uses_every_input() {
    let action = action();
    assert_eq!(action["runs"]["using"], "composite");
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["shell"], "bash", "{step}");
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "an input would be read as a command: {script}");
    }
    let inputs = action["inputs"].as_object().unwrap();
    for (name, input) in inputs {
        assert!(input["description"].as_str().unwrap().len() > 10, "{name}");
        assert!(input["default"].is_string(), "{name}");
    }
    let names: BTreeSet<_> = inputs.keys().cloned().collect();
    let run = step(&action, "Run platform-conformance");
    let variables = run["env"].as_object().unwrap();
    assert_eq!(all(r"inputs\.([a-z-]+)", &run["env"].to_string()), names);
    let script = run["run"].as_str().unwrap();
    for name in variables.keys() {
        assert!(script.contains(&format!("${name}")), "{name} is not used");
    }
}

#[test]
fn every_flag_of_the_action_is_one_of_the_program() {
    let flags = all(r"(--[a-z][a-z-]*)", &action()["inputs"].to_string());
    let script = step(&action(), "Run platform-conformance")["run"].to_string();
    let flags: BTreeSet<_> = flags.into_iter().chain(all(r"(--[a-z][a-z-]*)", &script)).collect();
    assert!(flags.len() > 6, "{flags:?}");
    let known = all(r"(?m)^ +(?:-\w, )?(--[a-z][a-z-]*)", &help());
    let unknown: Vec<_> = flags.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "{unknown:?} are not in the help of `run`: {known:?}"
    );
}

#[test]
fn action_and_container_build_the_program_alike() {
    let build = Regex::new(r"cargo build .*").unwrap();
    let container = read("Containerfile");
    let script = step(&action(), "Build platform-conformance")["run"].to_string();
    let script = script.replace("\\n", "\n");
    let [of_action, of_container] = [&script, &container].map(|text| {
        let found = build.find(text).unwrap().as_str();
        found.trim_end_matches('"').to_owned()
    });
    assert_eq!(of_action, of_container);
    assert!(of_action.contains("--locked") && of_action.contains("--package platform-conformance"));
    let manifest: Table = read("Cargo.toml").parse().unwrap();
    for feature in all(r"--features ([a-z]+)", &of_action) {
        assert!(manifest["features"].get(&feature).is_some(), "{feature}");
    }
    let workspace: Table = read("../Cargo.toml").parse().unwrap();
    let workspace = workspace["workspace"].as_table().unwrap();
    for member in workspace["members"].as_array().unwrap() {
        let part = member.as_str().unwrap().split('/').next().unwrap();
        assert!(container.contains(&format!("COPY {part} {part}\n")), "{part}");
    }
    let rust = workspace["package"]["rust-version"].as_str().unwrap();
    assert!(container.contains(&format!("FROM rust:{rust}-")), "{rust}");
}

#[test]
fn images_are_built_from_what_dockerignore_lets_in() {
    let ignored = read("../.dockerignore");
    let let_in: BTreeSet<_> = ignored.lines().filter_map(|line| line.strip_prefix('!')).collect();
    for part in ["conformance", "server-stub"] {
        let container = read(&format!("../{part}/Containerfile"));
        let copied = container.lines().filter(|line| !line.contains("--from="));
        let copied = copied.filter_map(|line| line.strip_prefix("COPY "));
        // The last word is where they are copied to.
        let copied = copied.flat_map(|line| line.rsplit_once(' ').unwrap().0.split(' '));
        assert_eq!(copied.collect::<BTreeSet<_>>(), let_in, "{part}");
    }
}

#[cfg(unix)]
mod script {
    use std::process::{Command, Output};

    use platform_conformance::report::json;
    use tempfile::TempDir;

    use super::*;
    use crate::served;

    /// Runs the script of the action as a runner does.
    fn run(directory: &TempDir, variables: &[(&str, &str)]) -> Output {
        let action = action();
        let step = step(&action, "Run platform-conformance");
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c"]);
        bash.arg(step["run"].as_str().unwrap());
        for name in step["env"].as_object().unwrap().keys() {
            bash.env(name, "");
        }
        bash.env("PROGRAM", env!("CARGO_BIN_EXE_platform-conformance"))
            .env("SUMMARY", directory.path().join("made.md"))
            .env("GITHUB_STEP_SUMMARY", directory.path().join("summary.md"))
            .env("PLATFORM_API_KEY", "dev-full-access")
            .env("LEVEL", "contract")
            .envs(variables.iter().copied());
        bash.current_dir(directory.path()).output().unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn script_passes_its_inputs_to_the_program() {
        let base_url = format!("http://{}", served::address(crate::served::router()).await);
        let directory = tempfile::tempdir().unwrap();
        let output = run(
            &directory,
            &[
                ("BASE_URL", &base_url),
                ("LEVEL", "stated"),
                ("ONLY", "limit/*\n\nskip/*\n"),
                ("REQUIRE", "limit/*\nskip/*"),
                ("REPORTS", "json=report with a space.json\njunit=report.xml"),
                ("ARGUMENTS", "--seed=7\n--header=X-Note: a  b $(touch gone)"),
            ],
        );
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let file = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
        let report = json::read(&file("report with a space.json")).unwrap();
        let groups: BTreeSet<_> = report.cases.iter().map(|case| case.group()).collect();
        assert_eq!(groups, BTreeSet::from(["limit", "skip"]));
        assert_eq!(report.seed, 7);
        assert_eq!(report.requirements.len(), 2);
        assert!(file("report.xml").contains("<testsuites"));
        assert!(file("summary.md").starts_with("## Conformance"));
        assert!(!directory.path().join("gone").exists(), "an input was run");
    }

    #[test]
    fn step_ends_with_the_exit_code_of_the_program() {
        let directory = tempfile::tempdir().unwrap();
        let output = run(&directory, &[]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(!directory.path().join("summary.md").exists());
    }
}
