//! Deployments that lack some of the operations: each is reported once, and nothing else is said about it.

use std::collections::BTreeSet;

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::{Json, Router};
use platform_conformance::profile;
use platform_conformance::report::Silent;
use platform_conformance::{Level, Options, Report, Verdict, catalogue, run};
use serde_json::json;

use crate::served;

/// The response to an unknown route.
type NotFound = fn(&Request) -> Response;

/// The response of the contract.
fn of_the_contract(_: &Request) -> Response {
    let problem = json!({ "type": "about:blank", "status": 404, "code": "route_not_found" });
    (StatusCode::NOT_FOUND, Json(problem)).into_response()
}

/// The default response of a framework.
fn of_a_framework(request: &Request) -> Response {
    let body = json!({ "status": 404, "error": "Not Found", "path": request.uri().path() });
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

/// The response of a plain HTTP server to an unknown method.
fn not_implemented(_: &Request) -> Response {
    (StatusCode::NOT_IMPLEMENTED, Html("<h1>501</h1>")).into_response()
}

/// The reference server without the values and the status of an item, and without searches for products.
fn lacking(not_found: NotFound) -> Router {
    served::except(move |request| {
        let path = request.uri().path();
        let is_known = path.starts_with("/search/organizations/") || path.ends_with("/items");
        (!is_known).then(|| not_found(request))
    })
}

/// A run on a router, without writes.
async fn read(router: Router, options: Options) -> Report {
    let target = served::target(router).await;
    run(catalogue(), &target, &options, &mut Silent).await.unwrap()
}

fn some(only: &[&str]) -> Options {
    Options {
        only: only.iter().map(|pattern| (*pattern).into()).collect(),
        ..Options::default()
    }
}

/// The operations whose cases have this verdict on their existence.
fn existing(report: &Report, verdict: Verdict) -> BTreeSet<&str> {
    let cases = report.cases.iter().filter(|case| case.rule == "operation/exists");
    let cases = cases.filter(|case| case.verdict == verdict);
    cases.filter_map(|case| case.subject.as_deref()).collect()
}

const MISSING: [&str; 5] = [
    "get_item_status",
    "get_item_values",
    "search_products_by_customer",
    "search_products_by_description",
    "search_products_by_product",
];

#[tokio::test]
async fn missing_operations_are_one_cause_at_every_level() {
    for (level, not_found) in [
        (Level::Contract, of_the_contract as NotFound),
        (Level::Stated, of_the_contract),
        (Level::Stated, not_implemented),
    ] {
        let only = ["operation/*", "item/*", "search-text/*", "error/*", "schema/*"];
        let report = read(lacking(not_found), Options { level, ..some(&only) }).await;
        assert_eq!(existing(&report, Verdict::Failed), BTreeSet::from(MISSING));
        let about_missing = |subject: &str| MISSING.contains(&subject);
        for case in report.cases.iter().filter(|case| case.rule != "operation/exists") {
            if case.subject.as_deref().is_some_and(about_missing) {
                assert_eq!(case.verdict, Verdict::Skipped, "{case}");
                let reason = case.reason.as_deref().unwrap_or_default();
                assert!(reason.starts_with("the deployment does not have "), "{reason}");
            }
        }
        let first = report.causes.first().unwrap();
        assert_eq!((first.cause.as_str(), first.cases), ("operation is missing", 5));
        // A run without writes still sends OPTIONS to add_organization, so five operations have a verdict.
        assert!(report.covered.operations.0 <= 5, "{:?}", report.covered);
    }
}

#[tokio::test]
async fn missing_operation_is_known_by_the_response_to_an_unknown_route() {
    let report = read(lacking(of_a_framework), some(&["operation/*", "item/*"])).await;
    // No search finds a product, so nothing shows whether the one by a product is missing.
    let failed: BTreeSet<_> = MISSING
        .into_iter()
        .filter(|id| *id != "search_products_by_product")
        .collect();
    assert_eq!(existing(&report, Verdict::Failed), failed);
    let unknown = BTreeSet::from(["search_products_by_product"]);
    assert_eq!(existing(&report, Verdict::Inconclusive), unknown);
}

#[tokio::test]
async fn missing_addition_is_found_before_the_other_cases_about_it() {
    let router = served::except(|request| {
        (request.method() == Method::POST).then(|| {
            let problem = json!({ "status": 405, "code": "method_not_allowed" });
            (StatusCode::METHOD_NOT_ALLOWED, Json(problem)).into_response()
        })
    });
    let options = Options {
        allow_writes: true,
        ..some(&["operation/*", "add/*"])
    };
    let report = read(router, options).await;
    assert_eq!(existing(&report, Verdict::Failed), BTreeSet::from(["add_organization"]));
    assert_eq!(report.summary.failed, 1, "{:#?}", report.causes);
    let skipped = report.cases.iter().filter(|case| case.verdict == Verdict::Skipped);
    assert!(skipped.count() > 40, "{:?}", report.summary);
}

#[tokio::test]
async fn profile_does_not_read_a_missing_operation_as_a_refusal() {
    let target = served::target(lacking(of_the_contract)).await;
    let options = some(&["profile/unknown-parameter", "profile/list-limit-above-maximum"]);
    let (profile, _) = profile::take(&target, &options, &mut Silent).await.unwrap();
    assert_eq!(profile.points.len(), 2);
    for observed in profile.points.values() {
        assert_eq!(observed.behaviour.as_deref(), Some("refused"));
    }
}
