//! Keys that a command prints: they are read again when they have expired, and no value of them is shown.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use platform_conformance::report::terminal::Terminal;
use platform_conformance::report::{Format, Silent};
use platform_conformance::{ApiKey, KeyCommand, Options, Report, Role, Target, catalogue, exit_code, init, run};
use tempfile::TempDir;

use crate::served;

/// The keys that the vault prints, one after the other. Each begins differently.
const KEYS: [&str; 4] = ["kx7f0c9a7e21", "qm2b8d5e6f34", "zt9a1c3b7d55", "wb4e8f2a6c17"];

/// A program that prints the next key each time, and repeats the last one.
struct Vault(TempDir);

impl Vault {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (keys, count) = (path("keys"), path("count"));
        std::fs::write(&keys, KEYS.join("\n")).unwrap();
        std::fs::write(&count, "0").unwrap();
        let last = KEYS.len();
        let script = format!(
            "n=$(cat '{count}')\n[ $n -lt {last} ] && n=$((n + 1))\necho $n > '{count}'\nsed -n \"$n\"p '{keys}'\n"
        );
        std::fs::write(path("vault"), script).unwrap();
        Self(folder)
    }

    fn script(&self) -> PathBuf {
        self.0.path().join("vault")
    }

    /// The number of calls.
    fn asked(&self) -> usize {
        let count = std::fs::read_to_string(self.0.path().join("count")).unwrap();
        count.trim().parse().unwrap()
    }

    /// The command as printed shell commands show it.
    fn shown(&self) -> String {
        format!("$(sh {})", self.script().display())
    }

    fn target(&self, base_url: &str, lasts: Option<Duration>) -> Target {
        let command = KeyCommand::new(["sh", &self.script().display().to_string()]).unwrap();
        let command = lasts.into_iter().fold(command, KeyCommand::lasting);
        let key = ApiKey::from_command(command).unwrap();
        let shown = format!("{key:?} {:?}", key.command());
        assert!(KEYS.iter().all(|key| !shown.contains(key)), "{shown}");
        Target::new(base_url).unwrap().with_key(Role::FullAccess, key)
    }
}

/// The reference server with a key that expires after a number of requests; then the next key becomes valid.
async fn rotating(requests: usize) -> String {
    let sent = Arc::new(AtomicUsize::new(0));
    let rotates = move |mut request: Request, next: Next| {
        let number = sent.fetch_add(1, Ordering::SeqCst) / requests;
        async move {
            let valid = KEYS[number.min(KEYS.len() - 1)];
            let own: Vec<_> = request.headers().get_all("API-Key").iter().collect();
            if own == [valid] {
                let key = HeaderValue::from_static("dev-full-access");
                request.headers_mut().insert("API-Key", key);
            }
            next.run(request).await
        }
    };
    let router = crate::served::router().layer(middleware::from_fn(rotates));
    format!("http://{}", served::address(router).await)
}

async fn run_some(target: &Target, options: Options) -> Report {
    let options = Options {
        only: vec!["limit/*".into(), "skip/*".into()],
        ..options
    };
    run(catalogue(), target, &options, &mut Silent).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_key_is_read_again() {
    let vault = Vault::new();
    let target = vault.target(&rotating(30).await, None);
    let report = run_some(&target, Options::default()).await;
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED, "{report:#?}");
    assert!(report.requests > 60, "{}", report.requests);
    assert_eq!(vault.asked(), KEYS.len().min(1 + report.requests as usize / 30));
    assert!(report.trouble.expired > 0, "{:?}", report.trouble);
    let summary = report.trouble.summary().unwrap();
    assert!(summary.contains("401") && summary.contains("new key"), "{summary}");
}

/// Two keys in one request are rejected, whether or not one of them has expired.
#[tokio::test(flavor = "multi_thread")]
async fn rejected_second_key_does_not_renew_the_first() {
    let vault = Vault::new();
    let target = vault.target(&rotating(usize::MAX).await, None);
    let options = Options {
        only: vec!["error/contains-no-key/*".into(), "limit/*".into()],
        ..Options::default()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED, "{report:#?}");
    assert_eq!((vault.asked(), report.trouble.expired), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_was_never_accepted_is_not_read_again() {
    let vault = Vault::new();
    let other = format!("http://{}", served::address(crate::served::router()).await);
    let report = run_some(&vault.target(&other, None), Options::default()).await;
    assert_eq!(vault.asked(), 1);
    let sentence = report.obstacle().unwrap();
    let wanted = format!("the key that `sh {}` prints is not accepted", vault.script().display());
    assert!(sentence.starts_with(&wanted), "{sentence}");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_401_despite_a_new_key_is_a_failure() {
    let rejects = |request: Request, next: Next| async move {
        match request.uri().query().unwrap_or_default().contains("limit=0") {
            true => StatusCode::UNAUTHORIZED.into_response(),
            false => next.run(request).await,
        }
    };
    // Every key is valid, and one request gets 401 whatever its key.
    let any_key = |mut request: Request, next: Next| async move {
        let key = HeaderValue::from_static("dev-full-access");
        request.headers_mut().insert("API-Key", key);
        next.run(request).await
    };
    let router = crate::served::router()
        .layer(middleware::from_fn(rejects))
        .layer(middleware::from_fn(any_key));
    let base_url = format!("http://{}", served::address(router).await);
    let vault = Vault::new();
    let report = run_some(&vault.target(&base_url, None), Options::default()).await;
    assert_eq!(exit_code::of(&report.summary), exit_code::FAILED);
    assert_eq!(vault.asked(), 2, "one new key shows that it is not the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_key_is_read_again() {
    let any_key = |mut request: Request, next: Next| async move {
        let key = HeaderValue::from_static("dev-full-access");
        request.headers_mut().insert("API-Key", key);
        next.run(request).await
    };
    let router = crate::served::router().layer(middleware::from_fn(any_key));
    let base_url = format!("http://{}", served::address(router).await);
    let vault = Vault::new();
    let target = vault.target(&base_url, Some(Duration::from_millis(300)));
    let options = Options {
        rate: "50/s".parse().ok(),
        ..Options::default()
    };
    let report = run_some(&target, options).await;
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED, "{report:#?}");
    assert_eq!(vault.asked(), KEYS.len());
    assert_eq!(report.trouble.expired, 0);
}

/// A deployment that repeats every key that it receives, and accepts all of them, but only for reads of data.
fn talkative() -> Router {
    let repeats = |request: Request, next: Next| async move {
        let key = request.headers().get("API-Key").cloned();
        let mut request = request;
        let full = HeaderValue::from_static("dev-full-access");
        request.headers_mut().insert("API-Key", full);
        let query = request.uri().query().unwrap_or_default().to_owned();
        let mut response: Response = match query.contains("limit=0") {
            true => {
                let text = key.as_ref().map(|key| format!("{key:?}"));
                (StatusCode::IM_A_TEAPOT, text.unwrap_or_default()).into_response()
            }
            false => next.run(request).await,
        };
        if let Some(key) = key {
            response.headers_mut().insert("X-Request-Id", key);
        }
        response
    };
    crate::served::router().layer(middleware::from_fn(repeats))
}

#[tokio::test(flavor = "multi_thread")]
async fn key_values_are_never_shown() {
    let vault = Vault::new();
    let base_url = format!("http://{}", served::address(talkative()).await);
    let target = vault.target(&base_url, Some(Duration::from_millis(200)));
    let options = Options {
        only: ["limit/*", "search-limit/*", "header/*"].map(Into::into).into(),
        rate: "200/s".parse().ok(),
        ..Options::default()
    };
    let mut shown = Vec::new();
    let mut terminal = Terminal::new(&mut shown, Some(100));
    let report = run(catalogue(), &target, &options, &mut terminal).await.unwrap();
    drop(terminal);
    assert_eq!(vault.asked(), KEYS.len());
    let mut texts = vec![format!("{report:?} {target:?}"), String::from_utf8(shown).unwrap()];
    for format in Format::ALL {
        let mut written = Vec::new();
        format.write(&report, &options.contract, &mut written).unwrap();
        texts.push(String::from_utf8(written).unwrap());
    }
    for text in &texts {
        for key in KEYS {
            assert!(!text.contains(&key[..8]), "{key} in {text}");
        }
    }
    let line = format!("-H \"API-Key: {}\"", vault.shown());
    let failed = report.cases.iter().flat_map(|case| &case.findings);
    let lines: Vec<_> = failed.flat_map(|finding| &finding.requests).collect();
    assert!(lines.iter().any(|request| request.contains(&line)), "{lines:#?}");
}

fn program(folder: &Path, keys: &str) -> (Option<i32>, String) {
    let file = folder.join("target.toml");
    let text = format!("base_url = 'http://127.0.0.1:9'\n[keys]\nfull_access = {keys}\n");
    std::fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
        .args(["run", "--target"])
        .arg(&file)
        .env_remove("PLATFORM_API_KEY")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[test]
fn command_without_a_key_is_rejected_without_repeating_its_output() {
    let folder = tempfile::tempdir().unwrap();
    let secret = KEYS[0];
    std::fs::write(folder.path().join("key"), format!("{secret}\n")).unwrap();
    let file = folder.path().join("key").display().to_string();
    let sh = |script: &str| format!("{{ command = ['sh', '-c', \"{script}\"] }}");
    let table = [
        (
            sh(&format!("cat {file}; exit 3")),
            "the command failed (exit status: 3)",
        ),
        (sh(&format!("cat {file} >&2; exit 3")), "run it in a terminal"),
        (sh(&format!("cat {file} {file}")), "printed more than one line"),
        (sh("true"), "printed nothing"),
        (sh("printf '\\\\377'"), "something that is not text"),
        (
            sh("printf 'a\\\\001b'"),
            "contains characters that a header cannot carry",
        ),
        (
            format!("{{ command = ['echo', '{secret}'] }}"),
            "the command contains the key itself",
        ),
        (format!("{{ command = ['{secret}'] }}"), "could not be started"),
        ("{ command = [] }".to_owned(), "the command is empty"),
        (
            format!("{{ command = '{secret}' }}"),
            "line 3: must be the name of an environment variable, in quotes, or { command",
        ),
        (format!("{{ comand = ['{secret}'] }}"), "line 3: must be"),
        (
            format!("{{ command = ['cat', '{file}'], lasts = '{secret}' }}"),
            "lasts is a number of seconds, minutes or hours",
        ),
        (
            format!("{{ command = ['cat', '{file}'], lasts = 10 }}"),
            "line 3: must be",
        ),
    ];
    for (keys, reason) in table {
        let (code, text) = program(folder.path(), &keys);
        assert_eq!(code, Some(i32::from(exit_code::USAGE)), "{keys}: {text}");
        assert!(text.contains(reason), "{keys}: {text}");
        assert!(!text.contains(secret), "{keys}: {text}");
    }
    // The command does not run in a shell, and a valid command is accepted.
    let (code, text) = program(
        folder.path(),
        &format!("{{ command = ['cat', '{file}'], lasts = '10m' }}"),
    );
    assert_eq!(code, Some(i32::from(exit_code::COULD_NOT_RUN)), "{text}");
    assert!(text.contains("Connection refused") && !text.contains(secret), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_keeps_the_key_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key").display().to_string();
    std::fs::write(&file, "dev-full-access\n").unwrap();
    let command = KeyCommand::new(["cat", &file]).unwrap();
    let key = ApiKey::from_command(command.lasting(Duration::from_secs(600))).unwrap();
    let base_url = format!("http://{}", served::address(crate::served::router()).await);
    let target = Target::new(&base_url).unwrap().with_key(Role::FullAccess, key);
    let draft = init::draft(target, Duration::from_secs(30)).await.unwrap();
    let text = draft.to_string();
    let wanted = format!("full_access = {{ command = [\"cat\", \"{file}\"], lasts = \"600s\" }}");
    assert!(text.contains(&wanted), "{text}");
    let written = folder.path().join("target.toml");
    std::fs::write(&written, &text).unwrap();
    let read = Target::read(&written, None, |_| None).unwrap();
    assert!(read.key(Role::FullAccess).unwrap().command().is_some());
}
