//! The catalogue as tests: which tests run, their results, and the exit code.

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use platform_conformance::harness::Harness;
use platform_conformance::{ApiKey, Options, Role, Target, catalogue, stub};

/// Runs a harness like `cargo test`, and returns its exit code and output.
fn run(harness: Harness, arguments: &[&str]) -> (u8, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log");
    let log = format!("--logfile={}", file.display());
    let arguments = ["conformance", &log, "--color=never"]
        .into_iter()
        .chain(arguments.iter().copied())
        .map(str::to_owned);
    let code = harness.main_with(arguments);
    (code, std::fs::read_to_string(file).unwrap())
}

fn reference_server() -> Harness {
    Harness::on_router(catalogue(), async { crate::served::router() }, stub::in_process())
}

fn never() -> Harness {
    let router = async { panic!("a list needs no router") };
    Harness::on_router(catalogue(), router, Target::in_process())
}

#[test]
fn list_has_a_test_for_every_case_and_sends_nothing() {
    let (code, listed) = run(never(), &["--list"]);
    assert_eq!(code, 0);
    let listed: Vec<_> = listed.lines().collect();
    let ids: Vec<_> = catalogue()
        .into_iter()
        .map(|case| format!("{}: test", case.id))
        .collect();
    assert_eq!(listed, ids);
}

#[test]
fn cases_that_the_target_does_not_allow_are_listed_as_ignored() {
    let (_, listed) = run(never(), &["--list", "--ignored"]);
    assert!(listed.contains("rate-limit/is-told: test"), "{listed}");
    assert!(listed.lines().any(|line| line.starts_with("add/")), "{listed}");
    assert!(!listed.contains("limit/over-maximum"), "{listed}");
    let (_, listed) = run(reference_server().allow_writes(), &["--list", "--ignored"]);
    assert_eq!(listed, "");
}

#[test]
fn filter_runs_the_tests_that_it_matches() {
    // The cases of rate-limit/* wait for a quota.
    let (code, printed) = run(reference_server().allow_writes(), &["limit/", "--skip", "rate-limit/"]);
    assert_eq!(code, 0, "{printed}");
    let of_limit = |case: &platform_conformance::Case| case.id.contains("limit/") && !case.id.contains("rate-limit/");
    let count = catalogue().into_iter().filter(of_limit).count();
    assert!(printed.contains(&format!("{count} passed; 0 failed; ")), "{printed}");
}

#[test]
fn single_test_has_the_same_result() {
    for id in [
        "paging/all-items-are-found",
        "schema/list_items/422",
        "schema/search_organizations_by_description/200",
        "schema/unrouted/404",
    ] {
        // The cases of rate-limit/* wait for a quota.
        let options = Options {
            exclude: vec!["rate-limit/*".into()],
            ..Options::default()
        };
        let harness = reference_server().with_options(options);
        let (code, printed) = run(harness, &["--exact", id, "--nocapture"]);
        assert_eq!(code, 0, "{printed}");
        assert!(printed.contains("1 passed; 0 failed; 0 ignored;"), "{printed}");
    }
}

#[test]
fn inconclusive_case_is_ignored_with_the_reason() {
    let target = Target::in_process().with_key(
        Role::FullAccess,
        ApiKey::new("dev-full-access", "PLATFORM_API_KEY").unwrap(),
    );
    let harness = Harness::on_router(catalogue(), async { crate::served::router() }, target);
    let (code, printed) = run(harness, &["rate-limit/is-told"]);
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("0 passed; 0 failed; 1 ignored;"), "{printed}");
    assert!(printed.contains("skipped: needs a key: "), "{printed}");
}

/// The reference server, except that it accepts any limit.
fn limitless() -> Router {
    let forgives = |mut request: Request, next: Next| async move {
        let uri = request.uri().to_string();
        if let Some((before, _)) = uri.split_once("limit=") {
            *request.uri_mut() = format!("{before}limit=1").parse().unwrap();
        }
        next.run(request).await
    };
    crate::served::router().layer(middleware::from_fn(forgives))
}

#[test]
fn failed_test_prints_the_expectation_and_a_command() {
    let harness = Harness::on_router(catalogue(), async { limitless() }, stub::in_process());
    let (code, printed) = run(harness, &["limit/", "--skip", "rate-limit/"]);
    assert_eq!(code, 101, "{printed}");
    for said in [
        "\n  openapi.yaml:",
        "  expected  422",
        "  seen      200",
        "  request   curl -isS 'http://127.0.0.1:",
        "-H \"API-Key: $PLATFORM_API_KEY\"",
    ] {
        assert!(printed.contains(said), "{said}: {printed}");
    }
}

#[test]
fn failing_router_factory_fails_every_test() {
    let router = async { panic!("no database") };
    let harness = Harness::on_router(catalogue(), router, stub::in_process());
    let (code, printed) = run(harness, &["skip/"]);
    assert_eq!(code, 101, "{printed}");
    assert!(printed.contains("0 passed; 8 failed;"), "{printed}");
    assert!(printed.contains("the run of the cases panicked"), "{printed}");
}

#[test]
fn target_without_a_key_fails_every_test() {
    let harness = Harness::on_router(catalogue(), async { limitless() }, Target::in_process());
    let (code, printed) = run(harness, &["skip/"]);
    assert_eq!(code, 101, "{printed}");
    assert!(printed.contains("no API key"), "{printed}");
}

#[test]
fn running_no_tests_is_a_failure() {
    let teapot = async { Router::new().fallback(|| async { StatusCode::IM_A_TEAPOT }) };
    let options = Options {
        only: vec!["add/*".into()],
        ..Options::default()
    };
    let harness = Harness::on_router(catalogue(), teapot, stub::in_process()).with_options(options);
    let (code, printed) = run(harness, &[]);
    assert!(printed.contains("0 passed; 0 failed;"), "{printed}");
    assert_eq!(code, platform_conformance::exit_code::COULD_NOT_RUN);
}
