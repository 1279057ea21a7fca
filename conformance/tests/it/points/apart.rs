//! Deployments that decided otherwise about HEAD and OPTIONS, lengths, contents of errors, columns and places.

use platform_conformance::Observed;
use platform_conformance::selftest::Plant;
use serde_json::{Value, json};

use super::{but, observed};

/// Behaviours other than the contract's, each with a deployment that shows it.
type Table = Vec<(&'static str, &'static str, Plant)>;

async fn assert_told_apart(table: Table) {
    for (point, expected, plant) in table {
        let observed = observed(but(&plant), point).await;
        assert_shown(point, expected, &observed);
        assert_eq!(observed.as_the_contract, Some(false), "{point}");
        assert!(!observed.requests.is_empty(), "{point}: nothing shows it");
    }
}

fn assert_shown(point: &str, expected: &str, observed: &Observed) {
    assert_eq!(observed.shown().as_deref(), Some(expected), "{point}: {observed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviours_of_methods_and_lengths_are_told_apart() {
    let is = |asked: &platform_conformance::selftest::Asked, method: &str| asked.method == method;
    assert_told_apart(vec![
        (
            "head",
            "refused 405",
            Plant::answer(move |asked, answered| {
                if is(asked, "HEAD") {
                    answered.becomes(405, "method_not_allowed");
                }
            }),
        ),
        (
            "head",
            "other-headers",
            Plant::answer(move |asked, answered| {
                if is(asked, "HEAD") {
                    answered.remove_header("content-type");
                }
            }),
        ),
        (
            "head",
            "other-status",
            Plant::answer(move |asked, answered| {
                if is(asked, "HEAD") {
                    answered.succeeds(&Value::Null);
                }
            }),
        ),
        (
            "options",
            "refused 405",
            Plant::answer(move |asked, answered| {
                if is(asked, "OPTIONS") {
                    answered.becomes(405, "method_not_allowed");
                }
            }),
        ),
        (
            "options",
            "without-allow 204",
            Plant::answer(move |asked, answered| {
                if is(asked, "OPTIONS") {
                    answered.remove_header("allow");
                }
            }),
        ),
        (
            "conditional-requests",
            "not-modified",
            Plant::answer(|asked, answered| {
                if asked.header("if-none-match").is_some() && answered.is_success() {
                    answered.set_text("");
                    answered.status = axum::http::StatusCode::NOT_MODIFIED;
                }
            }),
        ),
        (
            "conditional-requests",
            "in-part",
            Plant::answer(|asked, answered| {
                if asked.header("range").is_some() && answered.is_success() {
                    answered.set_text("{");
                    answered.status = axum::http::StatusCode::PARTIAL_CONTENT;
                }
            }),
        ),
        (
            "conditional-requests",
            "refused 412",
            Plant::answer(|asked, answered| {
                if asked.header("if-none-match").is_some() && answered.is_success() {
                    answered.becomes(412, "precondition_failed");
                }
            }),
        ),
        (
            "accept",
            "refused 406",
            Plant::answer(|asked, answered| {
                let accept = asked.header("accept").unwrap_or_default();
                if accept.contains("html") && answered.is_success() {
                    answered.becomes(406, "not_acceptable");
                }
            }),
        ),
        (
            "accept",
            "media-type",
            Plant::answer(|asked, answered| {
                let accept = asked.header("accept").unwrap_or_default();
                if accept.contains("html") && answered.is_success() {
                    answered.set_header("content-type", "application/xml");
                }
            }),
        ),
        (
            "request-target-length",
            "refused 414",
            Plant::answer(|asked, answered| {
                if asked.query.len() > 8192 {
                    answered.becomes(414, "uri_too_long");
                }
            }),
        ),
        (
            "header-fields-length",
            "refused 431",
            Plant::answer(|asked, answered| {
                if asked.headers.values().any(|value| value.len() > 8192) {
                    answered.becomes(431, "headers_too_large");
                }
            }),
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviours_before_authentication_are_told_apart() {
    assert_told_apart(vec![
        (
            "precedence-404-401",
            "authentication",
            Plant::answer(|asked, answered| {
                if answered.status == 404 && asked.header("api-key").is_none() {
                    answered.becomes(401, "authentication_required");
                }
            }),
        ),
        (
            "precedence-405-401",
            "authentication",
            Plant::answer(|asked, answered| {
                if answered.status == 405 && asked.header("api-key").is_none() {
                    answered.becomes(401, "authentication_required");
                }
            }),
        ),
        (
            "malformed-id",
            "known",
            Plant::answer(|asked, answered| {
                if answered.status == 403 && asked.segment(3) == "abc" {
                    answered.becomes(422, "validation_failed");
                }
            }),
        ),
        (
            "malformed-id",
            "none",
            Plant::answer(|asked, answered| {
                if answered.status == 422 && asked.segment(3) == "abc" {
                    answered.becomes(403, "authorization_denied");
                }
            }),
        ),
        (
            "malformed-id-adding",
            "known",
            Plant::answer(|asked, answered| {
                if answered.status == 403 && asked.segment(3) == "abc" {
                    answered.becomes(422, "validation_failed");
                }
            }),
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviours_of_error_contents_are_told_apart() {
    assert_told_apart(vec![
        (
            "error-key",
            "repeated",
            Plant::answer(|asked, answered| {
                if answered.status.is_client_error() {
                    let key = asked.header("api-key").unwrap_or_default();
                    answered.json()["key"] = json!(key.to_uppercase());
                }
            }),
        ),
        (
            "error-internals",
            "shown",
            Plant::answer(|_, answered| {
                if answered.status.is_client_error() {
                    answered.json()["trace"] = json!("File \"/srv/app.py\", line 3, in list");
                }
            }),
        ),
        (
            "faults-listed",
            "uncounted 20",
            Plant::answer(|_, answered| {
                if answered.status == 422 {
                    answered.json()["detail"] = json!("The request has too many errors.");
                }
            }),
        ),
        (
            "faults-listed",
            "all",
            Plant::answer(|asked, answered| {
                if answered.status == 422 {
                    let names = asked.query.split('&').filter_map(|pair| pair.split('=').next());
                    let error = |name| json!({"loc": ["query", name], "msg": "unknown", "type": "unknown"});
                    answered.json()["errors"] = names.map(error).collect();
                }
            }),
        ),
        (
            "faults-listed",
            "others 10",
            Plant::answer(|_, answered| {
                let errors = answered.list("errors");
                errors.into_iter().for_each(|errors| errors.truncate(10));
            }),
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviours_of_columns_and_locations_are_told_apart() {
    assert_told_apart(vec![
        (
            "entity-column-names",
            "other-names",
            Plant::answer(|_, answered| {
                answered.items(|item| {
                    let values = item["values"].as_object_mut().unwrap();
                    if let Some(city) = values.remove("organization.headquarters.city") {
                        values.insert("Organization/City".to_owned(), city);
                    }
                });
            }),
        ),
        (
            "question-ids",
            "other-ids",
            Plant::answer(|_, answered| {
                answered.items(|item| {
                    let values = item["values"].as_object_mut().unwrap();
                    if let Some(answer) = values.remove("question.201") {
                        values.insert("question.revenue".to_owned(), answer);
                    }
                });
            }),
        ),
        (
            "sync-time-form",
            "another-form",
            Plant::answer(|_, answered| {
                answered.entries(|_, entry| {
                    if let Some(time) = entry["last_synced_at"].as_str() {
                        entry["last_synced_at"] = json!(time.trim_end_matches('Z'));
                    }
                });
            }),
        ),
        (
            "places-together",
            "one",
            Plant::request(|asked| {
                let both = ["countries", "regions"].map(|name| asked.parameter(name).is_some());
                if asked.searches() && both == [true, true] {
                    asked.remove("headquarters_only");
                }
            }),
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviours_of_items_pages_keys_and_texts_are_told_apart() {
    assert_told_apart(vec![
        (
            "certainty-without-an-answer",
            "given",
            Plant::answer(|_, answered| {
                answered.entries(|column, entry| {
                    if column.starts_with("question.") && entry["result"] == json!([]) {
                        entry["certainty_score"] = json!(0.5);
                    }
                });
            }),
        ),
        (
            "reference-form",
            "otherwise",
            Plant::answer(|_, answered| {
                answered.entries(|_, entry| {
                    if entry["references"] != json!([]) {
                        entry["references"] = json!(["https://de.wikipedia.org/wiki/Köln"]);
                    }
                });
            }),
        ),
        (
            "item-entity-id",
            "absent",
            Plant::answer(|asked, answered| {
                if asked.calls("list_items") {
                    for item in answered.list("items").into_iter().flatten() {
                        item["organization_id"] = json!(null);
                    }
                }
            }),
        ),
        (
            "item-questions",
            "some-questions",
            Plant::answer(|asked, answered| {
                if asked.calls("list_items") {
                    for item in answered.list("items").into_iter().flatten() {
                        let values = item["values"].as_object_mut().unwrap();
                        values.retain(|_, entry| entry["status"] != "pending");
                    }
                }
            }),
        ),
        (
            "item-entity-columns",
            "known-fields",
            Plant::answer(|asked, answered| {
                if asked.calls("list_items") {
                    for item in answered.list("items").into_iter().flatten() {
                        let values = item["values"].as_object_mut().unwrap();
                        values.retain(|_, entry| entry["result"] != json!([]) || entry["status"] != json!(null));
                    }
                }
            }),
        ),
        (
            "questions-answered",
            "later",
            Plant::answer(|asked, answered| {
                if asked.calls("get_item_status") {
                    answered.json()["custom_questions_answered"] = json!(false);
                }
            }),
        ),
        (
            "list-pages",
            "other-order",
            Plant::answer(|asked, answered| {
                if asked.calls("list_items")
                    && let Some(items) = answered.list("items")
                {
                    items.reverse();
                }
            }),
        ),
        (
            "list-pages",
            "repeated",
            Plant::request(|asked| {
                if asked.calls("list_items") {
                    asked.change("skip", |skip| (skip - 1).max(0));
                }
            }),
        ),
        (
            "list-skip-maximum",
            "refused 422",
            Plant::request(|asked| {
                if asked.calls("list_items") {
                    asked.change("skip", |skip| if skip > i64::from(i32::MAX) { -1 } else { skip });
                }
            }),
        ),
        (
            "sort-column-form",
            "ignored",
            Plant::request(|asked| {
                asked.keep(|name, value| {
                    let known = value.strip_prefix("question.");
                    name != "sort_by" || known.is_some_and(|id| id.starts_with(|first| ('1'..='9').contains(&first)))
                });
            }),
        ),
        (
            "near-key",
            "any-case",
            Plant::request(|asked| {
                let key = asked.header("api-key").map(str::to_lowercase);
                if let Some(key) = key.filter(|key| key.starts_with("dev-")) {
                    asked.set_header("api-key", &key);
                }
            }),
        ),
        (
            "near-key",
            "accepted",
            Plant::request(|asked| {
                let key = asked.header("api-key").unwrap_or_default();
                if key.starts_with("dev-full-acces") {
                    asked.set_header("api-key", "dev-full-access");
                }
            }),
        ),
        (
            "read-only-view",
            "another-view",
            Plant::answer(|asked, answered| {
                if asked.header("api-key") == Some("dev-read-only") {
                    answered.entries(|_, entry| entry["references"] = json!([]));
                }
            }),
        ),
        (
            "key-of-one-pipeline",
            "all",
            Plant::request(|asked| {
                if asked.header("api-key") == Some("dev-one-pipeline") {
                    asked.set_header("api-key", "dev-read-only");
                }
            }),
        ),
        (
            "ready-item",
            "falls-back",
            Plant::answer(|asked, answered| {
                if asked.calls("get_item_values") {
                    answered.entries(|column, entry| {
                        if column.starts_with("question.") {
                            entry["status"] = json!("pending");
                        }
                    });
                }
            }),
        ),
        (
            "unknown-key",
            "refused [403, unknown_caller]",
            Plant::answer(|_, answered| {
                if answered.code() == "invalid_api_key" {
                    answered.becomes(403, "unknown_caller");
                }
            }),
        ),
        (
            "headquarters-only-default",
            "false",
            Plant::request(|asked| {
                if asked.searches() && asked.parameter("headquarters_only").is_none() {
                    asked.set("headquarters_only", "false");
                }
            }),
        ),
        (
            "search-own-words",
            "not-nearer",
            Plant::request(|asked| {
                if asked.parameter("description").is_some_and(|text| text.len() > 150) {
                    asked.set("description", "steel");
                }
            }),
        ),
        (
            "add-longest-body",
            "refused 413",
            Plant::answer(|asked, answered| {
                if asked.calls("add_organization") && asked.body.len() > 60_000 {
                    answered.becomes(413, "body_too_large");
                }
            }),
        ),
    ])
    .await;
}
