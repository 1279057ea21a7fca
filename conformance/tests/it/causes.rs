//! Failures with one cause are shown as one.

use std::collections::BTreeSet;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::StatusCode;
use axum::response::Response;
use platform_conformance::report::terminal::Terminal;
use platform_conformance::report::{Cause, Format, json};
use platform_conformance::selftest::{Plant, faults};
use platform_conformance::{Options, Report, catalogue, run};
use regex::Regex;

use crate::report::written;
use crate::served;

/// The reference server, with a change to the text of each response body.
fn changed(change: impl Fn(String) -> String + Clone + Send + Sync + 'static) -> Router {
    let map = move |response: Response| {
        let change = change.clone();
        async move {
            let (mut parts, body) = response.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap();
            let text = change(String::from_utf8_lossy(&body).into_owned());
            parts.headers.remove("content-length");
            Response::from_parts(parts, Body::from(text))
        }
    };
    crate::served::router().layer(axum::middleware::map_response(map))
}

/// Returns the report of a run of these cases without writes, and its terminal output.
async fn judged(router: Router, only: &[&str]) -> (Report, String) {
    let target = served::target(router).await;
    let mut shown = Vec::new();
    let report = run(
        catalogue(),
        &target,
        &Options {
            only: only.iter().map(|pattern| (*pattern).into()).collect(),
            ..Options::default()
        },
        &mut Terminal::new(&mut shown, None),
    )
    .await
    .unwrap();
    let shown = anstream::adapter::strip_str(std::str::from_utf8(&shown).unwrap()).to_string();
    (report, shown)
}

fn texts(report: &Report) -> BTreeSet<String> {
    let causes = report.causes.iter();
    causes.map(|cause| cause.cause.clone()).collect()
}

#[tokio::test]
async fn renamed_code_is_one_cause() {
    let router = changed(|body| body.replace("\"validation_failed\"", "\"bad_request\""));
    let only = [
        "limit/*",
        "parameter/*",
        "error/*",
        "search-limit/*",
        "law/*/list_items",
        "schema/*",
    ];
    let (report, shown) = judged(router, &only).await;
    assert!(report.summary.failed > 50, "{:?}", report.summary);
    assert_eq!(
        texts(&report),
        BTreeSet::from(["error code bad_request".to_owned()]),
        "{shown}"
    );
    let lines = shown.lines().count();
    assert!(lines < 100, "{lines} lines:\n{shown}");
    assert_eq!(shown.matches("\ncurl ").count(), 1, "{shown}");
}

#[tokio::test]
async fn missing_field_is_one_cause_wherever_it_occurs() {
    let router = changed(|body| body.replace("\"entity_type\":", "\"kind\":"));
    let (report, shown) = judged(router, &["limit/*", "item/*", "schema/*"]).await;
    assert!(report.summary.failed > 2, "{:?}", report.summary);
    let first = report.causes.first().map(|cause| cause.cause.as_str());
    assert_eq!(first, Some("field entity_type is missing"), "{shown}");
    assert!(report.causes.len() <= 4, "{:#?}", report.causes);
}

/// Cases that read the totals, the distances and the ids of searches and lists.
const READ_ALL: [&str; 9] = [
    "limit/*",
    "paging/*",
    "sort/default-*",
    "item/*",
    "search-limit/*/search_organizations_by_description",
    "search-total/*/search_organizations_by_description",
    "search-ranking/*/search_organizations_by_description",
    "search-filter/zero-is-a-bound/search_products_by_description",
    "schema/*",
];

#[tokio::test]
async fn findings_after_a_renamed_member_have_its_cause() {
    for (field, least) in [("total_count", 15), ("cosine_distance", 5)] {
        let (name, other) = (format!("\"{field}\":"), format!("\"my_{field}\":"));
        let router = changed(move |body| body.replace(&name, &other));
        let (report, shown) = judged(router, &READ_ALL).await;
        assert!(report.summary.failed > least, "{:?}", report.summary);
        let first = &report.causes[0];
        assert_eq!(first.cause, format!("field {field} is missing"), "{shown}");
        assert!(report.causes.len() <= 4, "{:#?}", report.causes);
        let lines = shown.lines().count();
        assert!(lines < 150, "{lines} lines:\n{shown}");
    }
}

#[tokio::test]
async fn ids_sent_as_strings_are_one_cause_per_id() {
    let ids = Regex::new(r#""(organization_id|product_id|pipeline_item_id)":(\d+)"#).unwrap();
    let router = changed(move |body| ids.replace_all(&body, "\"${1}\":\"${2}\"").into_owned());
    let (report, shown) = judged(router, &READ_ALL).await;
    let causes = texts(&report);
    for field in ["organization_id", "product_id", "pipeline_item_id"] {
        let cause = format!("field {field} violates its schema (type)");
        assert!(causes.contains(&cause), "{cause}: {shown}");
    }
    assert!(causes.len() <= 8, "{:#?}", report.causes);
}

/// One record has a field of another type: the filters that read the field are not to blame.
#[tokio::test]
async fn one_record_with_a_field_of_another_type_is_one_cause() {
    let count = Regex::new(r#"("organization_id":1001,.*?"employee_count":)(\d+)"#).unwrap();
    let router = changed(move |body| count.replace(&body, "${1}\"${2}\"").into_owned());
    let only = [
        "search-filter/*/search_organizations_by_description",
        "search-filter/*/search_organizations_by_customer",
        "schema/search_organizations_by_description/200",
    ];
    let (report, shown) = judged(router, &only).await;
    assert!(report.summary.failed > 2, "{:?}", report.summary);
    let cause = "field employee_count violates its schema (type)";
    assert_eq!(texts(&report), BTreeSet::from([cause.to_owned()]), "{shown}");
}

#[tokio::test]
async fn filter_that_fails_alone_is_the_cause_of_its_combinations() {
    let plant = Plant::request(|asked| {
        if asked.calls("search_organizations_by_description") {
            asked.remove("regions");
        }
        let both = ["funding_stages", "funded_from"];
        let has_both = both.iter().all(|name| asked.parameter(name).is_some());
        if asked.calls("search_products_by_description") && has_both {
            asked.remove("funded_from");
        }
    });
    let only = [
        "search-filter/regions-*/search_organizations_by_description",
        "search-filter/each-*/search_organizations_by_description",
        "search-filter/each-pair-*/search_products_by_description",
    ];
    let (report, shown) = judged(plant.around(crate::served::router()), &only).await;
    assert!(report.summary.failed > 3, "{:?}", report.summary);
    let causes = ["effect of regions", "effect of funded_from, funding_stages together"];
    assert_eq!(texts(&report), BTreeSet::from(causes.map(str::to_owned)), "{shown}");
}

/// The reference server with a fault of the self-test.
fn faulty(name: &str) -> Router {
    let fault = faults::all().into_iter().find(|fault| fault.name == name);
    fault.unwrap().around(crate::served::router(), 0)
}

#[tokio::test]
async fn ties_in_another_order_are_one_cause() {
    let only = ["limit/*", "skip/*", "sort/*", "law/random-pages-agree"];
    let (report, shown) = judged(faulty("sort/ties-in-any-order"), &only).await;
    assert!(report.summary.failed > 4, "{:?}", report.summary);
    assert_eq!(texts(&report), BTreeSet::from(["order of ties".to_owned()]), "{shown}");
}

/// A request with an unknown key gets past the check, to a success or to any other error.
#[tokio::test]
async fn unchecked_key_is_one_cause_for_successes_and_one_for_errors() {
    let only = [
        "auth/unknown-key",
        "cross/unknown-key",
        "cross/missing-key",
        "law/hostile-*",
    ];
    let (report, shown) = judged(faulty("auth/any-key-opens"), &only).await;
    let causes = [
        "accepted instead of 401 invalid_api_key",
        "an error other than 401 invalid_api_key",
    ];
    assert_eq!(texts(&report), BTreeSet::from(causes.map(str::to_owned)), "{shown}");
}

#[tokio::test]
async fn redirect_of_an_unknown_key_is_not_called_accepted() {
    let plant = Plant::answer(|_, answered| {
        if answered.code() == "invalid_api_key" {
            answered.status = StatusCode::FOUND;
            answered.set_header("location", "/login");
        }
    });
    let (report, shown) = judged(plant.around(crate::served::router()), &["auth/unknown-key/list_items"]).await;
    let cause = "violated: A request with an unknown key is rejected";
    assert_eq!(texts(&report), BTreeSet::from([cause.to_owned()]), "{shown}");
}

#[tokio::test]
async fn unrelated_body_is_one_cause() {
    let (foreign, broken) = ("body has none of the required fields", "body is not JSON");
    for (body, cause) in [("{\"status\":\"ok\"}", foreign), ("{\"total_count\":", broken)] {
        let router = changed(move |text| match text.contains("\"items\":") {
            true => body.to_owned(),
            false => text,
        });
        let (report, shown) = judged(router, &["limit/*-is-accepted", "schema/list_items/200"]).await;
        assert!(report.summary.failed > 2, "{:?}", report.summary);
        assert_eq!(texts(&report), BTreeSet::from([cause.to_owned()]), "{shown}");
    }
}

#[tokio::test]
async fn different_departures_stay_different_causes() {
    // The total is renamed, and each page holds its results in the reverse order.
    let router = changed(|body| match serde_json::from_str::<serde_json::Value>(&body) {
        Ok(mut page) if page["results"].is_array() => {
            page["results"].as_array_mut().unwrap().reverse();
            let total = page.as_object_mut().unwrap().remove("total_count").unwrap();
            page["total"] = total;
            page.to_string()
        }
        _ => body,
    });
    let (report, shown) = judged(
        router,
        &["search-limit/*", "search-ranking/*/search_organizations_by_description"],
    )
    .await;
    let causes = texts(&report);
    assert!(causes.contains("field total_count is missing"), "{shown}");
    let is_of_order = |cause: &String| {
        cause.starts_with("violated: Results are nearest first, ties by id, no record twice (ranking: ")
    };
    assert!(causes.iter().any(is_of_order), "{:#?}", report.causes);
}

#[tokio::test]
async fn every_report_names_the_causes() {
    let router = changed(|body| body.replace("\"validation_failed\"", "\"bad_request\""));
    let report = served::run_on(router, &["limit/*"]).await;
    let cause = "error code bad_request";
    for format in Format::ALL {
        let text = written(format, &report);
        assert!(text.contains(cause), "{format}:\n{text}");
    }
    let causes = Cause::among(&report.cases);
    let found = causes.iter().find(|found| found.text == cause).unwrap();
    assert_eq!(found.cases.len(), report.summary.failed);
    assert_eq!(report.causes[0].cases, report.summary.failed);
}

#[tokio::test]
async fn report_of_an_older_kit_has_causes() {
    let router = changed(|body| body.replace("\"validation_failed\"", "\"bad_request\""));
    let report = served::run_on(router, &["limit/*"]).await;
    let mut older = serde_json::to_value(&report).unwrap();
    older.as_object_mut().unwrap().remove("causes");
    for case in older["cases"].as_array_mut().unwrap() {
        for finding in case["findings"].as_array_mut().unwrap() {
            finding.as_object_mut().unwrap().remove("cause");
        }
    }
    let read = json::read(&older.to_string()).unwrap();
    assert!(!read.causes.is_empty());
    assert!(read.causes.iter().all(|cause| !cause.cause.is_empty()));
}

/// For two long texts, the place where they begin to differ is shown.
#[tokio::test]
async fn no_finding_shows_the_same_text_twice() {
    let digits = Regex::new(r#""total_count":(\d+)"#).unwrap();
    let router = changed(move |body| digits.replace(&body, "\"total_count\":${1}1").into_owned());
    let only = ["limit/*", "paging/*", "item/*", "search-total/*", "schema/*"];
    let (report, _) = judged(router, &only).await;
    assert!(report.summary.failed > 0, "{:?}", report.summary);
    for case in &report.cases {
        for finding in &case.findings {
            assert_ne!(finding.expected, finding.seen, "{}: {finding}", case.id);
        }
    }
}
