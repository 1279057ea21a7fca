//! Deployments that show nothing: every page is empty, or a body has no member of the contract. A case passes on them
//! only if it is about something else. The lists here name those cases, and may only shrink.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use engine::run::{Pace, Setting, run_cases};
use platform_conformance::report::Silent;
use platform_conformance::selftest::Plant;
use platform_conformance::{Level, Options, Pattern, Report, Verdict, catalogue};
use serde_json::json;

use crate::served::{self, SkippedTime};

/// Patterns of cases, in groups with the reason why they see what they are about.
type Groups = [(&'static str, &'static [&'static str])];

/// The cases that may pass whatever successes look like, because they are about other responses.
const REJECTED: &Groups = &[
    (
        "Each request has an error, and is rejected for it.",
        &[
            "*-is-rejected*",
            "*-are-rejected*",
            "parameter/*-below-minimum*",
            "parameter/*-over-maximum*",
            "parameter/*-not-an-integer*",
            "parameter/every-fault-is-told",
            "parameter/first-20-faults-are-listed",
            "parameter/both-ids-are-told",
            "add/every-fault-is-told",
            "search-error/all-faults-are-named",
            "search-text/over-maximum-counts-code-points",
            "law/hostile-input-is-answered-as-foreseen",
            "cross/unknown-parameter",
            "cross/malformed-value",
            "cross/limit-*",
            "cross/skip-*",
            "cross/other-column",
            "cross/unknown-column",
        ],
    ),
    (
        "Each request is for something that does not exist. The rejection is that of a well-formed request.",
        &[
            "error/unknown-*",
            "error/pipeline-id-is-whole",
            "search-error/unknown-record-is-not-found",
            "search-error/id-at-minimum-is-accepted",
            "parameter/pipeline-id-bounds-are-accepted/add_organization",
            "parameter/pipeline-item-id-bounds-are-accepted",
            "cross/unknown-record",
            "cross/unknown-item-of-any-pipeline",
            "add/any-writing-of-json-is-read",
            "http/chunked-body-is-read",
            "http/body-is-read-when-continue-is-expected",
            "http/*/add_organization",
        ],
    ),
    (
        "Each key is missing, unknown, without the permission or without quota.",
        &[
            "auth/create-only-*",
            "auth/empty-key",
            "auth/key-beyond-ascii",
            "auth/missing-key",
            "auth/near-key",
            "auth/no-access",
            "auth/one-pipeline-and-a-malformed-id",
            "auth/organizations-only",
            "auth/read-only/add_organization",
            "auth/second-key",
            "auth/unknown-key",
            "auth/writable-only",
            "auth/writable-only-and-a-malformed-id",
            "cross/missing-key",
            "cross/unknown-key",
            "cross/no-access",
            "cross/no-access-to-any-pipeline",
            "cross/missing-key-to-any-pipeline",
            "header/head-is-denied-like-get",
            "http/chunked-body-needs-the-permission",
            "rate-limit/*",
        ],
    ),
    ("An unknown route is answered otherwise.", &["operation/exists"]),
    (
        "Which of two faults is reported, and what an error does not show.",
        &[
            "error/*-before-*",
            "error/malformed-id-needs-the-permission",
            "error/*contains-no-*",
            "search-error/*-before-*",
            "schema/*/4*",
            "schema/any/problem-type",
            "schema/errors-show-no-internals",
        ],
    ),
    (
        "The headers and the status of a response, not its body.",
        &[
            "header/request-id-*",
            "header/not-stored",
            "header/www-authenticate",
            "header/unknown-*",
            "header/options-*",
            "header/long-target-is-read",
            "schema/*/other-status",
            "schema/any/deprecation",
        ],
    ),
    (
        "What is in front of the routes: malformed requests, long ones, and the next request on a connection.",
        &[
            "http/malformed-*",
            "http/lower-case-method-is-another-method",
            "http/too-*",
            "http/body-of-*",
            "http/answers-come-in-order",
        ],
    ),
];

/// The cases that may pass on empty pages too.
const EMPTY: &Groups = &[
    (
        "A valid value is accepted: the response is a page, with all members of a page.",
        &[
            "limit/*-is-accepted",
            "skip/*-is-accepted",
            "parameter/pipeline-id-bounds-are-accepted",
            "search-limit/*-is-accepted/*",
            "search-text/*-is-accepted/*",
            "search-text/maximum-counts-code-points",
            "search-text/decoded-once",
            "search-text/control-characters-are-no-failure",
            "search-values/*-are-accepted/*",
            "auth/read-only",
            "auth/one-pipeline",
            "cross/any-pipeline",
            "cross/key-of-one-pipeline",
        ],
    ),
    (
        "The same request in another form gets the status of a page that has all its members.",
        &[
            "header/conditions-change-nothing",
            "header/accept-changes-nothing",
            "header/head-is-get-without-a-body",
            "header/long-fields-are-read",
            "http/encoded-characters-are-the-same",
            "http/names-of-headers-in-any-case",
            "http/white-space-around-values-of-headers",
            "http/other-headers-change-nothing",
            "http/media-type-without-a-body-changes-nothing",
            "http/request-in-pieces-is-one",
            "http/head-has-no-body",
        ],
    ),
    (
        "An empty list names its pipeline.",
        &["schema/response-is-about-its-request"],
    ),
];

/// The cases that may pass if the routes answer everything with 200 and a body without members of the contract.
const ALWAYS: &Groups = &[
    (
        "The status is one of the operation, and nothing is deprecated.",
        &["schema/*/other-status", "schema/any/deprecation"],
    ),
    (
        "The server in front of the routes rejects the request.",
        &["http/malformed-*", "http/too-*"],
    ),
];

/// The reference server, with nothing in these lists of its pages.
fn empty(lists: &'static [&str]) -> Router {
    let emptied = Plant::answer(move |_, answered| {
        let is_success = answered.is_success();
        let body = answered.json().as_object_mut().filter(|_| is_success);
        let Some(body) = body.filter(|body| lists.iter().any(|list| body.contains_key(*list))) else {
            return;
        };
        for (member, value) in body.iter_mut() {
            match member.as_str() {
                "items" | "results" => *value = json!([]),
                "total_count" => *value = json!(0),
                _ => {}
            }
        }
    });
    emptied.around(served::router())
}

/// The reference server, whose successes only repeat the path. One body for all paths would be another service.
fn bare() -> Router {
    let bared = Plant::answer(|asked, answered| {
        if answered.is_success() && !answered.json().is_null() {
            *answered.json() = json!({ "path": asked.path });
        }
    });
    bared.around(served::router())
}

/// A server that answers everything with 200 and the path.
fn always() -> Router {
    served::except(|request| {
        let path = request.uri().path();
        Some((StatusCode::OK, axum::Json(json!({ "path": path }))).into_response())
    })
}

async fn run_on(router: Router, level: Level) -> Report {
    let options = Options {
        allow_writes: true,
        level,
        ..Options::default()
    };
    // No case passes by a second check.
    let setting = Setting {
        pace: Pace::SideBySide,
        clock: Arc::new(SkippedTime::default()),
        known: None,
        second_looks: false,
    };
    let target = served::target(router).await;
    run_cases(catalogue(), setting, &target, &options, &mut Silent)
        .await
        .unwrap()
}

/// Asserts that exactly the listed cases pass.
fn assert_passes(report: &Report, listed: &[&Groups]) {
    let groups = listed.iter().copied().flatten();
    let patterns: Vec<_> = groups.flat_map(|(_, patterns)| patterns.iter().copied()).collect();
    let passed = report.with(Verdict::Passed);
    let fits = |pattern: &str, id: &str| Pattern::from(pattern).matches(id);
    let is_listed = |id: &str| patterns.iter().any(|pattern| fits(pattern, id));
    let vacuous: Vec<_> = passed.iter().filter(|id| !is_listed(id)).collect();
    let is_stale = |pattern: &str| !passed.iter().any(|id| fits(pattern, id));
    let stale: Vec<_> = patterns.iter().filter(|pattern| is_stale(pattern)).collect();
    assert!(
        vacuous.is_empty() && stale.is_empty(),
        "these cases pass and nothing was seen; make them inconclusive, or list them with the reason: {vacuous:#?}\n\
         these patterns match no case that passes; remove them: {stale:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cases_about_records_do_not_pass_on_empty_pages() {
    let report = run_on(empty(&["items", "results"]), Level::Contract).await;
    assert_passes(&report, &[REJECTED, EMPTY]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cases_about_successes_do_not_pass_on_bare_bodies() {
    let report = run_on(bare(), Level::Contract).await;
    assert_passes(&report, &[REJECTED]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cases_about_routes_do_not_pass_on_identical_responses() {
    let report = run_on(always(), Level::Contract).await;
    assert_passes(&report, &[ALWAYS]);
}

/// The source does not say how many organizations a search returns, so one that returns none does not fail. Nothing
/// that is stated of its results counts as checked.
#[tokio::test(flavor = "multi_thread")]
async fn empty_searches_conform_partly_at_the_level_stated() {
    let report = run_on(empty(&["results"]), Level::Stated).await;
    assert_eq!(report.with(Verdict::Failed), Vec::<&str>::new());
    for (id, looked_for) in [
        (
            "schema/organizations-are-ranked",
            "two results with a similarity score on one page",
        ),
        ("schema/each-result-occurs-once", "two results on one page"),
        ("schema/every-result-has-a-score", "a result with a similarity score"),
        (
            "schema/search_organizations_by_description/200",
            "a 200 response with a record",
        ),
    ] {
        let case = report.case(id).unwrap();
        let expected = format!("not seen: {looked_for}");
        assert_eq!(case.verdict, Verdict::Inconclusive, "{id}");
        assert_eq!(case.reason.as_deref(), Some(expected.as_str()), "{id}");
    }
}
