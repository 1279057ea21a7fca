//! `init`: the written file can be used immediately, lists what is missing, and contains no secret.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use platform_conformance::init::{InitError, draft};
use platform_conformance::{ApiKey, PipelineRole, Role, SearchNames, Target, exit_code};

use crate::served;
use platform_server_stub::Server;

const PATIENCE: Duration = Duration::from_secs(30);
const TOKEN: &str = "gw-live-8b3d";

fn with_key(target: Target, key: &str) -> Target {
    target.with_key(Role::FullAccess, ApiKey::new(key, "STAGING_KEY").unwrap())
}

async fn reference_server() -> Target {
    let address = served::address(Server::built_in().router()).await;
    Target::new(&format!("http://{address}")).unwrap()
}

fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Target {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("target.toml");
    std::fs::write(&file, text).unwrap();
    Target::read(&file, None, variable).unwrap()
}

#[tokio::test]
async fn found_records_are_written_and_missing_ones_are_listed() {
    let target = with_key(reference_server().await, "dev-full-access");
    let text = draft(target, PATIENCE).await.unwrap().to_string();
    for line in [
        "full_access = \"STAGING_KEY\"  ",
        "# read_only = \"PLATFORM_READ_ONLY_KEY\"  ",
        "# rate_limited = \"PLATFORM_RATE_LIMITED_KEY\"  ",
        "many_items = 1  ",
        "other = 2  ",
        "not_organizations = 3  ",
        "# writable =  ",
        "# also found: pipeline 7 with no items",
        "# organizations = [",
    ] {
        let there = text.lines().any(|written| written.starts_with(line));
        assert!(there, "{line}: {text}");
    }
    assert!(text.contains("# 1280 items, organization, "), "{text}");
    assert!(text.contains(" cases need it"), "{text}");
    assert!(!text.contains("dev-full-access"), "{text}");
    let target = read(&text, |name| (name == "STAGING_KEY").then(|| "secret".to_owned()));
    assert!(target.has_key(Role::FullAccess) && !target.has_key(Role::ReadOnly));
}

#[tokio::test]
async fn entries_of_the_target_are_kept() {
    let target = with_key(reference_server().await, "dev-full-access")
        .with_pipeline(PipelineRole::ManyItems, 2)
        .with_pipeline(PipelineRole::Writable, 6)
        .with_more_pipelines([23, 41])
        .with_organizations_to_add([1001, 1002])
        .with_search_names(search_names())
        .with_proxy("none")
        .and_then(|target| target.with_header("X-Environment", "\"staging\" # 1"))
        .and_then(|target| target.with_secret_header("X-Gateway", TOKEN, "GATEWAY_TOKEN"))
        .unwrap();
    let described = format!("{target:?}");
    let search_names = target.search_names().clone();
    let text = draft(target, PATIENCE).await.unwrap().to_string();
    assert!(!text.contains(TOKEN), "{text}");
    let variable = |name: &str| match name {
        "STAGING_KEY" => Some("dev-full-access".to_owned()),
        "GATEWAY_TOKEN" => Some(TOKEN.to_owned()),
        _ => None,
    };
    let again = read(&text, variable);
    assert_eq!(*again.search_names(), search_names, "{text}");
    let again = format!("{again:?}");
    let named = "Writable: 6}, more_pipelines: [23, 41], organizations_to_add: [1001, 1002]";
    assert!(described.contains(named) && again.contains(named), "{again}");
    let connection = |text: &str| text.split("connection: ").last().unwrap().to_owned();
    assert_eq!(connection(&again), connection(&described));
}

fn search_names() -> SearchNames {
    SearchNames::default()
        .with_commas()
        .with_first_page(0)
        .with_dates_in_milliseconds()
        .with_range("filter[size]", " to ")
        .with_parameter("employee_count_min", "filter[size]")
        .and_then(|names| names.with_value("headquarters_only", "false", "any \"place\""))
        .and_then(|names| names.with_field("organization.headquarters.country", "hq.iso"))
        .unwrap()
}

#[tokio::test]
async fn error_explains_why_there_is_no_draft() {
    let target = reference_server().await;
    let no_key = draft(target.clone(), PATIENCE).await.unwrap_err();
    assert!(matches!(no_key, InitError::NoKey), "{no_key}");

    let unknown = with_key(target, "sk-live-51f0c9a7e2");
    let rejected = draft(unknown, PATIENCE).await.unwrap_err().to_string();
    assert!(
        rejected.contains("the key in STAGING_KEY is not accepted: GET "),
        "{rejected}"
    );

    let elsewhere = Router::new().fallback(|| async { (StatusCode::NOT_FOUND, "no such page") });
    let elsewhere = format!("http://{}", served::address(elsewhere).await);
    let elsewhere = with_key(Target::new(&elsewhere).unwrap(), "sk-live-51f0c9a7e2");
    let lost = draft(elsewhere, PATIENCE).await.unwrap_err().to_string();
    assert!(lost.contains("may lack a path"), "{lost}");

    let unreachable = with_key(Target::new("http://127.0.0.1:9").unwrap(), "sk-live-51f0c9a7e2");
    let unreached = draft(unreachable, PATIENCE).await.unwrap_err().to_string();
    assert!(
        unreached.contains("http://127.0.0.1:9/ could not be reached (Connection refused"),
        "{unreached}"
    );
    for error in [rejected, lost, unreached] {
        assert!(!error.contains("51f0c9a7e2"), "{error}");
    }
}

fn program(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
        .args(arguments)
        .current_dir(directory)
        .env("PLATFORM_API_KEY", "dev-full-access")
        .env("PLATFORM_READ_ONLY_KEY", "dev-read-only")
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn written_target_file_can_be_run() {
    let target = reference_server().await;
    let base_url = target.base_url().as_str();
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = program(directory.path(), arguments);
        let text = [output.stdout, output.stderr].concat();
        let code = u8::try_from(output.status.code().unwrap()).unwrap();
        (code, String::from_utf8(text).unwrap())
    };

    let (code, printed) = run(&["init", "--base-url", base_url]);
    assert_eq!(code, exit_code::PASSED, "{printed}");
    assert!(
        printed.contains("platform-conformance run --target target.toml"),
        "{printed}"
    );
    let file = directory.path().join("target.toml");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(
        written.contains("\nread_only = \"PLATFORM_READ_ONLY_KEY\""),
        "{written}"
    );

    let (code, printed) = run(&["run", "--target", "target.toml", "--only", "auth/*"]);
    assert_eq!(code, exit_code::PASSED, "{printed}");

    std::fs::write(&file, "mine").unwrap();
    let (code, printed) = run(&["init", "--base-url", base_url]);
    assert_eq!(code, exit_code::USAGE, "{printed}");
    assert!(printed.contains("--force"), "{printed}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let (code, printed) = run(&["init", "--base-url", base_url, "--force"]);
    assert_eq!(code, exit_code::PASSED, "{printed}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);

    let (code, printed) = run(&["init", "--base-url", "http://127.0.0.1:9", "--out", "other.toml"]);
    assert_eq!(code, exit_code::COULD_NOT_RUN, "{printed}");
    assert!(!directory.path().join("other.toml").exists());
}
