//! Bodies that are misread.

use std::collections::BTreeSet;
use std::sync::Mutex;

use axum::http::StatusCode;
use serde_json::json;

use crate::exchange::{Asked, Plant};
use crate::fault::{Fault, fault, operation, property, response};
use crate::witness::{add, add_organization};

pub(super) fn faults() -> Vec<Fault> {
    let adding = || operation("add_organization");
    let request = |keyword: &str| format!("/components/schemas/AddOrganizationRequest/{keyword}");
    vec![
        fault(
            "white-space-before-a-body",
            operation("add_organization"),
            "A body has to begin with a brace.",
        )
        .shown_by([add(6, "\n {\"organization_id\": 8006399337547544}")])
        .answer(|asked, answered| {
            if answered.code() == "organization_not_found" && asked.body.first() != Some(&b'{') {
                answered.becomes(422, "validation_failed");
            }
        }),
        fault(
            "escapes-in-keys-are-not-read",
            request("required"),
            "A key of the body is not found if a character of it is escaped.",
        )
        .shown_by([add(6, r#"{"organization\u005fid": 1001}"#)])
        .request(|asked| {
            if asked.calls("add_organization") && asked.body.windows(6).any(|text| text == br"\u005f") {
                asked.body = "{}".into();
            }
        }),
        fault(
            "comments-are-skipped",
            request("type"),
            "A comment in the body is skipped.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001 /* new */}"#)])
        .request(|asked| {
            let text = String::from_utf8_lossy(&asked.body).into_owned();
            if let Some((before, rest)) = text.split_once("/*")
                && let Some((_, after)) = rest.split_once("*/")
                && asked.calls("add_organization")
            {
                asked.body = format!("{before}{after}").into();
            }
        }),
        fault(
            "missing-id-has-no-place",
            property("FieldError", "loc"),
            "The error about a missing organization_id names the body alone.",
        )
        .shown_by([add(6, "{}")])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.code() == "validation_failed" {
                for error in answered.list("errors").into_iter().flatten() {
                    if error["type"] == "missing" {
                        error["loc"] = json!(["body"]);
                    }
                }
            }
        }),
        fault(
            "further-keys-are-ignored",
            request("additionalProperties"),
            "A body with unknown keys is accepted.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001, "note": 1}"#)])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_i64();
            read_as(asked, id);
        }),
        fault(
            "pipeline-in-the-body-is-ignored",
            request("additionalProperties"),
            "A body that names a pipeline as well is accepted.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001, "pipeline_id": 6}"#)])
        .request(|asked| {
            let mut body = asked.json();
            if asked.calls("add_organization")
                && let Some(members) = body.as_object_mut()
                && members.remove("pipeline_id").is_some()
            {
                asked.body = body.to_string().into();
            }
        }),
        fault(
            "text-is-a-number",
            "/components/schemas/OrganizationId/type",
            "An organization may be given as a string.",
        )
        .shown_by([
            add(6, r#"{"organization_id": "1001"}"#),
            add(6, r#"{"organization_id": "1"}"#),
        ])
        .request(|asked| {
            let id = asked.json()["organization_id"]
                .as_str()
                .and_then(|text| text.parse::<i64>().ok());
            read_as(asked, id);
        }),
        fault(
            "digits-before-letters-are-an-id",
            "/components/schemas/OrganizationId/type",
            "A text that begins with the id of an organization is read as that id.",
        )
        .shown_by([add(6, r#"{"organization_id": "1001abc"}"#)])
        .request(|asked| {
            let body = asked.json();
            let text = body["organization_id"].as_str().unwrap_or_default();
            let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
            let id = digits.parse().ok().filter(|_| digits != text);
            read_as(asked, id);
        }),
        fault(
            "list-of-an-id-is-a-body",
            request("type"),
            "A list with the id of an organization is accepted as a body.",
        )
        .shown_by([add(6, "[1001]")])
        .request(|asked| {
            let id = asked.json()[0].as_i64();
            read_as(asked, id);
        }),
        fault(
            "null-is-an-organization",
            "/components/schemas/OrganizationId/type",
            "An organization_id of null adds some organization.",
        )
        .shown_by([add(6, r#"{"organization_id": null}"#)])
        .request(|asked| {
            let is_null = asked
                .json()
                .get("organization_id")
                .is_some_and(serde_json::Value::is_null);
            read_as(asked, is_null.then_some(1001));
        }),
        fault(
            "null-is-an-unknown-organization",
            "/components/schemas/OrganizationId/type",
            "An organization_id of null gets the same response as an id that no organization has.",
        )
        .shown_by([add(6, r#"{"organization_id": null}"#)])
        .answer(|asked, answered| {
            if asked.calls("add_organization")
                && answered.code() == "validation_failed"
                && asked
                    .json()
                    .get("organization_id")
                    .is_some_and(serde_json::Value::is_null)
            {
                answered.becomes(404, "organization_not_found");
            }
        }),
        fault(
            "fraction-is-cut",
            "/components/schemas/OrganizationId/type",
            "Organization 1.5 is treated as 1.",
        )
        .shown_by([add(6, r#"{"organization_id": 1.5}"#)])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_f64().filter(|id| id.fract() != 0.0);
            if asked.calls("add_organization")
                && let Some(id) = id
            {
                asked.body = format!("{{\"organization_id\": {}}}", id.trunc()).into();
            }
        }),
        fault(
            "zero-is-not-found",
            "/components/schemas/OrganizationId/minimum",
            "Organization 0 gets 404.",
        )
        .shown_by([add(6, r#"{"organization_id": 0}"#)])
        .request(|asked| {
            if asked.calls("add_organization") && asked.json()["organization_id"] == 0 {
                asked.body = json!({ "organization_id": 999_999_999 }).to_string().into();
            }
        }),
        fault(
            "huge-is-not-found",
            "/components/schemas/OrganizationId/maximum",
            "An organization above the greatest id gets 404.",
        )
        .shown_by([add(6, r#"{"organization_id": 9007199254740992}"#)])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_i64();
            if asked.calls("add_organization") && id.is_some_and(|id| id > 9_007_199_254_740_991) {
                asked.body = json!({ "organization_id": 999_999_999 }).to_string().into();
            }
        }),
        fault(
            "empty-body-is-not-found",
            format!("{}/requestBody/required", adding()),
            "A request without a body gets 404.",
        )
        .shown_by([add(6, "")])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.status == 422 && asked.body.is_empty() {
                answered.becomes(404, "organization_not_found");
            }
        }),
        fault(
            "bytes-are-json",
            response("add_organization", 415),
            "A body of the type application/octet-stream is read.",
        )
        .shown_by([add_organization(1001).header("content-type", "application/octet-stream")])
        .request(|asked| {
            if asked.calls("add_organization") && asked.header("content-type") == Some("application/octet-stream") {
                asked.set_header("content-type", "application/json");
            }
        }),
        fault(
            "data-is-unwrapped",
            request("required"),
            "A body within an object with the key data is read.",
        )
        .shown_by([add(6, r#"{"data": {"organization_id": 1001}}"#)])
        .request(|asked| {
            let wrapped = asked.json()["data"].clone();
            if asked.calls("add_organization") && wrapped.is_object() {
                asked.body = wrapped.to_string().into();
            }
        }),
        fault(
            "list-of-one-is-unwrapped",
            "/paths/~1api~1v1~1pipelines~1{pipeline_id}~1organizations/post/requestBody",
            "A body that is a list of one object is read as that object.",
        )
        .shown_by([add(6, r#"[{"organization_id": 1001}]"#)])
        .request(|asked| {
            if let (true, Some([one])) = (
                asked.calls("add_organization"),
                asked.json().as_array().map(Vec::as_slice),
            ) {
                asked.body = one.to_string().into();
            }
        }),
        fault(
            "any-type-is-read",
            response("add_organization", 415),
            "A body of any media type is read.",
        )
        .shown_by([add_organization(1001).header("content-type", "text/plain")])
        .request(|asked| {
            if asked.calls("add_organization") {
                asked.set_header("content-type", "application/json");
            }
        }),
        fault(
            "missing-type-is-json",
            response("add_organization", 415),
            "A body without a type is treated as JSON.",
        )
        .shown_by([add_organization(1001).header("content-type", "")])
        .request(|asked| {
            if asked.calls("add_organization") && asked.header("content-type").is_none() {
                asked.set_header("content-type", "application/json");
            }
        }),
        fault(
            "parameters-are-refused",
            response("add_organization", 415),
            "application/json with a charset is rejected.",
        )
        .shown_by([add_organization(1001).header("content-type", "application/json; charset=utf-8")])
        .request(|asked| {
            if asked.header("content-type").is_some_and(|text| text.contains(';')) {
                asked.set_header("content-type", "text/plain");
            }
        }),
        fault(
            "first-empty-body-adds-an-item",
            request("required"),
            "The first empty object that is sent to a pipeline adds an item without an organization.",
        )
        .shown_by([add(6, "{}")])
        .planted(|_| {
            let added = Mutex::new(BTreeSet::new());
            Plant::answer(move |asked, answered| {
                let is_empty = asked.calls("add_organization") && asked.json() == json!({});
                let Ok(mut added) = added.lock() else { return };
                if is_empty && answered.code() == "validation_failed" && added.insert(asked.segment(3).to_owned()) {
                    answered.succeeds(&json!({
                        "pipeline_id": asked.segment(3).parse().unwrap_or(0_u64),
                        "pipeline_item_id": 700_000 + added.len(),
                        "entity_type": "organization",
                        "organization_id": null,
                        "person_id": null,
                        "document_id": null,
                        "values": {},
                    }));
                    answered.status = StatusCode::CREATED;
                }
            })
        }),
        fault(
            "longer-body-is-read",
            response("add_organization", 413),
            "A body of more than 65536 bytes is read.",
        )
        .shown_by([add(6, format!("{{\"organization_id\": 1001}}{}", " ".repeat(65_536)))])
        .request(|asked| {
            if asked.calls("add_organization") && asked.body.len() > 65_536 {
                asked.body = asked.body.trim_ascii().to_vec().into();
            }
        }),
        fault(
            "longest-body-is-refused",
            format!("{}/requestBody", adding()),
            "A body of 65536 bytes is rejected.",
        )
        .shown_by([add(6, format!("{{\"organization_id\": 1001}}{}", " ".repeat(65_511)))])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && asked.body.len() == 65_536 && answered.status != 401 {
                answered.becomes(413, "body_too_large");
            }
        }),
    ]
}

/// Reads an addition as one of this organization, if an id was found in its body.
fn read_as(asked: &mut Asked, id: Option<i64>) {
    if asked.calls("add_organization")
        && let Some(id) = id
    {
        asked.body = json!({ "organization_id": id }).to_string().into();
    }
}
