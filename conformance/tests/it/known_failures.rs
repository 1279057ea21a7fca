//! `--update-known-failures`: the list follows the deployment, and manual text is kept.

use std::path::Path;
use std::process::{Command, Output};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use chrono::{Days, NaiveDate, Utc};
use platform_conformance::{KnownFailures, exit_code};

use crate::served;

/// Two cases that fail on the deployment below, and two that pass.
const FAILS: [&str; 2] = ["limit/below-minimum-is-rejected", "skip/below-minimum-is-rejected"];
const PASSES: [&str; 2] = ["limit/minimum-is-accepted", "limit/maximum-is-accepted"];

/// The reference server, except for its response to a list request below a minimum.
async fn lenient() -> String {
    let changed = |request: Request, next: Next| async move {
        let query = request.uri().query().unwrap_or_default();
        let is_list = request.uri().path().ends_with("/items");
        let below = |parameter: &str| matches!(parameter, "limit=0" | "skip=-1");
        match is_list && query.split('&').any(below) {
            true => StatusCode::IM_A_TEAPOT.into_response(),
            false => next.run(request).await,
        }
    };
    let router: Router = crate::served::router().layer(middleware::from_fn(changed));
    format!("http://{}", served::address(router).await)
}

fn update(base_url: &str, list: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
        .args(["run", "--base-url", base_url, "--only", "limit/*", "--only", "skip/*"])
        .arg("--update-known-failures")
        .arg(list)
        .args(more)
        .env("PLATFORM_API_KEY", "dev-full-access")
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8([&output.stdout[..], &output.stderr[..]].concat()).unwrap()
}

fn read(list: &Path) -> String {
    std::fs::read_to_string(list).unwrap()
}

fn in_days(days: u64) -> NaiveDate {
    Utc::now().date_naive().checked_add_days(Days::new(days)).unwrap()
}

/// The part of the output that is about the list.
fn told<'a>(shown: &'a str, list: &Path) -> &'a str {
    let start = format!("{}: ", list.display());
    let (_, told) = shown.split_once(&start).unwrap_or_else(|| panic!("{shown}"));
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn known_failures_are_created_and_then_stable() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("known.toml");
    let base_url = lenient().await;
    let before = in_days(30);
    let output = update(&base_url, &list, &[]);
    let shown = text(&output);
    // The run failed, and the list is for the next one.
    assert_eq!(output.status.code(), Some(i32::from(exit_code::FAILED)), "{shown}");
    let wanted = format!("2 added, 0 removed\n  added    {}\n  added    {}\n", FAILS[0], FAILS[1]);
    assert_eq!(told(&shown, &list), wanted);
    let written = read(&list);
    let entry = |id: &str, day: NaiveDate| {
        format!("[[failure]]\nid = \"{id}\"\nreason = \"to be explained\"\nexpires = {day}\n")
    };
    let of = |day| format!("{}\n{}", entry(FAILS[0], day), entry(FAILS[1], day));
    assert!([of(before), of(in_days(30))].contains(&written), "{written}");
    assert_eq!(KnownFailures::parse("known.toml", &written).unwrap().len(), 2);
    let output = update(&base_url, &list, &["--report", "json=-"]);
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit_code::PASSED)),
        "{}",
        text(&output)
    );
    assert_eq!(read(&list), written);
    // The standard output is reserved for the report.
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told(&stderr, &list), "0 added, 0 removed\n");
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn passed_entries_are_removed_and_manual_text_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("known.toml");
    let of = |id: &str, expires: &str| {
        format!("[[failure]]\nid = '{id}'   # see the wiki\nreason = 'ticket 4711'\nexpires = {expires}\n")
    };
    let begin = "# The list of the team.\n# Ask before you add to it.\n";
    let old = format!(
        "{begin}\n# about the first\n{}\n# a pattern of which a part passes\n{}\n# expired, and it passes\n{}\n\
         # expired, and it fails\n{}\n# nothing is seen of it\n{}\n# a typing error\n{}# the end\n",
        of(PASSES[0], "9999-12-31"),
        of("limit/*minimum-is-*", "9999-12-31"),
        of(PASSES[1], "2020-01-01"),
        of(FAILS[1], "2020-01-01"),
        of("search-limit/*", "9999-12-31"),
        of("no/such-case", "9999-12-31"),
    );
    std::fs::write(&list, &old).unwrap();
    let output = update(&lenient().await, &list, &[]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(i32::from(exit_code::FAILED)), "{shown}");
    let split = of(FAILS[0], "9999-12-31").replace(&format!("'{}'", FAILS[0]), &format!("\"{}\"", FAILS[0]));
    let new = format!(
        "{begin}\n# a pattern of which a part passes\n{split}\n# expired, and it fails\n{}\n# nothing is seen of it\n{}\n\
         # a typing error\n{}# the end\n",
        of(FAILS[1], "2020-01-01"),
        of("search-limit/*", "9999-12-31"),
        of("no/such-case", "9999-12-31"),
    );
    assert_eq!(read(&list), new);
    let wanted = format!(
        "1 added, 3 removed\n  removed  {}\n           # about the first\n           # see the wiki\n  \
         removed  limit/*minimum-is-*\n  removed  {}\n           # expired, and it passes\n           \
         # see the wiki\n  added    {}\n  \
         left     {}: it has expired and still fails: update the reason and the day\n  \
         left     no/such-case: no case matches this id\n",
        PASSES[0], PASSES[1], FAILS[0], FAILS[1]
    );
    assert_eq!(told(&shown, &list), wanted);
    // The comments of the team are kept when all entries are removed.
    std::fs::write(&list, format!("{begin}\n# about it\n{}", of(PASSES[0], "9999-12-31"))).unwrap();
    let good = format!("http://{}", served::address(crate::served::router()).await);
    let shown = text(&update(&good, &list, &[]));
    assert_eq!(read(&list), begin);
    // What the team wrote about an entry is shown when it leaves with it.
    assert!(shown.contains("# about it\n"), "{shown}");
    assert!(!shown.contains("Ask before"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn known_failures_that_cannot_be_updated_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("known.toml");
    let nowhere = "http://127.0.0.1:9";
    let usage = Some(i32::from(exit_code::USAGE));
    let inline = format!(
        "failure = [{{ id = '{}', reason = 'a', expires = 9999-12-31 }}]\n",
        FAILS[0]
    );
    for (old, reason) in [
        ("[[failure]]\nid = 'a'\n", "known.toml, line 1"),
        (&*inline, "write each under its own [[failure]] line"),
    ] {
        std::fs::write(&list, old).unwrap();
        let output = update(nowhere, &list, &[]);
        assert_eq!(output.status.code(), usage, "{}", text(&output));
        assert!(text(&output).contains(reason), "{}", text(&output));
        assert_eq!(read(&list), old);
    }
    let both = update(nowhere, &list, &["--known-failures", "known.toml"]);
    assert_eq!(both.status.code(), usage, "{}", text(&both));
    let output = update(nowhere, Path::new("/nowhere/known.toml"), &[]);
    assert_eq!(output.status.code(), usage, "{}", text(&output));
    // A run that did not reach the deployment shows nothing about it.
    let old = format!(
        "[[failure]]\nid = '{}'\nreason = 'a'\nexpires = 9999-12-31\n",
        PASSES[0]
    );
    std::fs::write(&list, &old).unwrap();
    let output = update(nowhere, &list, &[]);
    assert_eq!(output.status.code(), Some(i32::from(exit_code::COULD_NOT_RUN)));
    assert!(text(&output).contains("unchanged, because the run did not finish"));
    assert_eq!(read(&list), old);
}
