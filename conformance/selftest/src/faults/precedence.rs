//! Errors in another order than the contract's.

use crate::exchange::{Answered, Asked};
use crate::fault::{EVERY_OPERATION, Family, Fault, fault};
use crate::witness::{Witness, add, get};

pub(super) const FAMILY: Family = Family {
    name: "precedence",
    title: "Precedence of errors",
    faults,
};

/// The organization that pipeline 6 has from the start.
const FIRST_IN_6: u64 = 2331;

fn faults() -> Vec<Fault> {
    let first = |name: &str, wrong| fault(name, EVERY_OPERATION, wrong);
    vec![
        first("422-before-401", "Parameters are checked before the key.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=0").key("")])
            .answer(|asked, answered| {
                let malformed =
                    asked.number("limit").is_some_and(|limit| limit < 1) || asked.segment(3).parse::<u64>().is_err();
                if asked.calls("list_items") && answered.status == 401 && malformed {
                    answered.becomes(422, "validation_failed");
                }
            }),
        first(
            "404-before-401",
            "A caller without a key learns that a pipeline is unknown.",
        )
        .shown_by([get("/api/v1/pipelines/99/items").key("")])
        .answer(|asked, answered| {
            if answered.status == 401 && has_unknown_pipeline(asked) {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        first(
            "kind-before-401",
            "A caller without a key learns that a pipeline is of another kind.",
        )
        .shown_by([add(3, r#"{"organization_id": 1001}"#).key("")])
        .answer(|asked, answered| {
            let is_of_another_kind = ["3", "4"].contains(&asked.segment(3));
            if asked.calls("add_organization") && answered.status == 401 && is_of_another_kind {
                answered.becomes(400, "not_an_organization_pipeline");
            }
        }),
        first("404-before-403", "A denied caller learns that a pipeline is unknown.")
            .shown_by([get("/api/v1/pipelines/99/items").key("dev-no-access")])
            .answer(|asked, answered| {
                if answered.status == 403 && has_unknown_pipeline(asked) {
                    answered.becomes(404, "pipeline_not_found");
                }
            }),
        first("422-before-403", "Parameters are checked before permission.")
            .shown_by([get("/api/v1/pipelines/0/items/1/values").key("dev-no-access")])
            .answer(|asked, answered| {
                let malformed = !matches!(asked.segment(3).parse(), Ok(1..=9_007_199_254_740_991_i64));
                if answered.status == 403 && asked.segment(2) == "pipelines" && malformed {
                    answered.becomes(422, "validation_failed");
                }
            }),
        first(
            "415-before-403",
            "The media type of a body is checked before permission.",
        )
        .shown_by([add(6, "{}").header("content-type", "text/plain").key("dev-read-only")])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.status == 403 && !is_json(asked) {
                answered.becomes(415, "unsupported_media_type");
            }
        }),
        first("415-before-401", "The media type of a body is checked before the key.")
            .shown_by([add(6, "{}").header("content-type", "text/plain").key("")])
            .answer(|asked, answered| {
                if asked.calls("add_organization") && answered.status == 401 && !is_json(asked) {
                    answered.becomes(415, "unsupported_media_type");
                }
            }),
        first("422-before-415", "A body is parsed before its media type is checked.")
            .shown_by([add(6, "{").header("content-type", "text/plain")])
            .answer(|asked, answered| {
                if answered.status == 415 && asked.json()["organization_id"].as_i64().is_none() {
                    rejected_body(answered);
                }
            }),
        first(
            "text-is-parsed-before-415",
            "A body that is not JSON is rejected as such, whatever its media type.",
        )
        .shown_by([add(6, "organization_id").header("content-type", "text/plain")])
        .answer(|asked, answered| {
            let is_short = (1..1_000).contains(&asked.body.len());
            let is_json = serde_json::from_slice::<serde_json::Value>(&asked.body).is_ok();
            if answered.status == 415 && is_short && !is_json {
                rejected_body(answered);
            }
        }),
        first(
            "409-before-403",
            "A denied caller learns that an organization is in the pipeline.",
        )
        .shown_by([add(6, r#"{"organization_id": 2331}"#).key("dev-read-only")])
        .answer(|asked, answered| {
            let is_there = asked.json()["organization_id"] == FIRST_IN_6;
            if answered.status == 403 && asked.segment(3) == "6" && is_there {
                answered.becomes(409, "organization_already_in_pipeline");
            }
        }),
        first(
            "413-before-415",
            "The length of a body is checked before its media type.",
        )
        .shown_by([add(6, " ".repeat(65_537)).header("content-type", "text/plain")])
        .answer(|asked, answered| {
            if answered.status == 415 && asked.body.len() > 65_536 {
                answered.becomes(413, "body_too_large");
            }
        }),
        first("413-before-401", "The length of a body is checked before the key.")
            .shown_by([add(6, " ".repeat(65_537)).key("")])
            .answer(|asked, answered| {
                if answered.status == 401 && asked.body.len() > 65_536 {
                    answered.becomes(413, "body_too_large");
                }
            }),
        first("413-before-403", "The length of a body is checked before permission.")
            .shown_by([add(6, " ".repeat(65_537)).key("dev-read-only")])
            .answer(|asked, answered| {
                if answered.status == 403 && asked.body.len() > 65_536 {
                    answered.becomes(413, "body_too_large");
                }
            }),
        first(
            "404-before-413",
            "A pipeline is looked up before the length of a body is checked.",
        )
        .shown_by([add(99, " ".repeat(65_537))])
        .answer(|asked, answered| {
            if answered.status == 413 && has_unknown_pipeline(asked) {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        first(
            "400-before-413",
            "The kind of a pipeline is checked before the length of a body.",
        )
        .shown_by([add(3, " ".repeat(65_537))])
        .answer(|asked, answered| {
            if answered.status == 413 && asked.segment(3) == "3" {
                answered.becomes(400, "not_an_organization_pipeline");
            }
        }),
        first(
            "422-of-the-pipeline-before-415",
            "The id of a pipeline is checked before the type of a body.",
        )
        .shown_by([add(6, "{}")
            .to("/api/v1/pipelines/abc/organizations")
            .header("content-type", "text/plain")])
        .answer(|asked, answered| {
            if answered.status == 415 && asked.segment(3).parse::<u64>().is_err() {
                answered.becomes(422, "validation_failed");
                answered.json()["errors"] =
                    serde_json::json!([{"loc": ["path", "pipeline_id"], "msg": "not a number", "type": "not_an_integer"}]);
            }
        }),
        first(
            "400-before-415",
            "The kind of a pipeline is checked before the type of a body.",
        )
        .shown_by([add(3, "{}").header("content-type", "text/plain")])
        .answer(|asked, answered| {
            if answered.status == 415 && asked.segment(3) == "3" {
                answered.becomes(400, "not_an_organization_pipeline");
            }
        }),
        first("422-before-413", "A body that is too large is parsed first.")
            .shown_by([add(6, format!("{{{}", " ".repeat(65_537)))])
            .answer(|asked, answered| {
                let says_nothing = asked.json()["organization_id"].as_i64().is_none();
                if answered.status == 413 && says_nothing {
                    rejected_body(answered);
                }
            }),
        first("404-before-422", "A pipeline is looked up before the body is parsed.")
            .shown_by([add(99, "{}")])
            .answer(|asked, answered| {
                if answered.status == 422 && asked.calls("add_organization") && has_unknown_pipeline(asked) {
                    answered.becomes(404, "pipeline_not_found");
                }
            }),
        first(
            "404-before-422-of-a-list",
            "A pipeline is looked up before the limit is checked.",
        )
        .shown_by([get("/api/v1/pipelines/99/items?limit=0")])
        .answer(|asked, answered| {
            if answered.status == 422 && asked.calls("list_items") && has_unknown_pipeline(asked) {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        first("400-before-422", "sort_by is checked before the limit.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=0&sort_by=name")])
            .answer(|asked, answered| {
                if answered.status == 422
                    && asked
                        .parameter("sort_by")
                        .is_some_and(|column| !column.starts_with("question."))
                {
                    answered.becomes(400, "invalid_sort_by");
                }
            }),
        first(
            "item-before-pipeline",
            "Of an item and a pipeline that do not exist, the item is not found.",
        )
        .shown_by([get("/api/v1/pipelines/99/items/8006399337547544/values")])
        .answer(|asked, answered| {
            let is_unknown = asked.segment(5) == "8006399337547544";
            if asked.calls("get_item_values") && answered.code() == "pipeline_not_found" && is_unknown {
                answered.becomes(404, "item_not_found");
            }
        }),
        first("400-before-401", "Without a key, sort_by is checked.")
            .shown_by([get("/api/v1/pipelines/2/items?sort_by=name").key("")])
            .answer(|asked, answered| {
                if answered.status == 401 && asked.parameter("sort_by") == Some("name") {
                    answered.becomes(400, "invalid_sort_by");
                }
            }),
        first("400-before-403", "With a denied key, sort_by is checked.")
            .shown_by([get("/api/v1/pipelines/2/items?sort_by=name").key("dev-no-access")])
            .answer(|asked, answered| {
                if answered.status == 403 && asked.parameter("sort_by") == Some("name") {
                    answered.becomes(400, "invalid_sort_by");
                }
            }),
        first(
            "kind-before-422",
            "The kind of the pipeline is checked before the body is parsed.",
        )
        .shown_by([add(3, "{}")])
        .answer(|asked, answered| {
            if answered.status == 422 && asked.calls("add_organization") && asked.segment(3) == "3" {
                answered.becomes(400, "not_an_organization_pipeline");
            }
        }),
        first(
            "409-before-422",
            "It is checked whether an organization is in the pipeline before the parameters are.",
        )
        .shown_by([Witness::adding_with("offset=1", FIRST_IN_6)])
        .answer(|asked, answered| {
            let is_there = asked.json()["organization_id"].is_u64() && !has_unknown_organization(asked);
            if answered.status == 422 && asked.calls("add_organization") && asked.segment(3) == "6" && is_there {
                answered.becomes(409, "organization_already_in_pipeline");
            }
        }),
        first(
            "404-before-415",
            "A pipeline is looked up before the media type is checked.",
        )
        .shown_by([add(99, "{}").header("content-type", "text/plain")])
        .answer(|asked, answered| {
            if answered.status == 415 && has_unknown_pipeline(asked) {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        first("body-before-401", "Without a key, the body is parsed.")
            .shown_by([add(6, "{}").key("")])
            .answer(|asked, answered| {
                if asked.calls("add_organization") && answered.status == 401 && asked.body.as_ref() == b"{}" {
                    rejected_body(answered);
                }
            }),
        first("body-before-403", "With a denied key, the body is parsed.")
            .shown_by([add(6, "{}").key("dev-read-only")])
            .answer(|asked, answered| {
                let is_six = asked.segment(3) == "6" && is_json(asked);
                if is_six && answered.status == 403 && asked.body.as_ref() == b"{}" {
                    rejected_body(answered);
                }
            }),
        first("400-before-404", "A question is looked up before the pipeline.")
            .shown_by([
                get("/api/v1/pipelines/99/items?sort_by=question.1"),
                get("/api/v1/pipelines/99/items?sort_by=name"),
            ])
            .answer(|asked, answered| {
                if answered.status == 404 && asked.calls("list_items") && asked.parameter("sort_by").is_some() {
                    answered.becomes(400, "unknown_sort_column");
                }
            }),
        first(
            "organization-before-pipeline",
            "The organization is looked up before the pipeline.",
        )
        .shown_by([add(99, r#"{"organization_id": 99}"#)])
        .answer(|asked, answered| {
            if asked.calls("add_organization")
                && answered.code() == "pipeline_not_found"
                && has_unknown_organization(asked)
            {
                answered.becomes(404, "organization_not_found");
            }
        }),
        first(
            "organization-before-kind",
            "The organization is looked up before the kind of the pipeline.",
        )
        .shown_by([add(3, r#"{"organization_id": 9007199254740991}"#)])
        .answer(|asked, answered| {
            if answered.code() == "not_an_organization_pipeline" && has_unknown_organization(asked) {
                answered.becomes(404, "organization_not_found");
            }
        }),
        first(
            "route-needs-a-key",
            "An unknown route gets 401, with or without a key.",
        )
        .shown_by([get("/api/v1/nothing").key("")])
        .answer(|_, answered| {
            if answered.code() == "route_not_found" {
                unauthenticated(answered);
            }
        }),
        first(
            "401-before-404-of-the-route",
            "Without a key, an unknown route gets 401.",
        )
        .shown_by([get("/api/v1/nothing").key("")])
        .answer(|asked, answered| {
            if answered.code() == "route_not_found" && asked.header("api-key").is_none() {
                unauthenticated(answered);
            }
        }),
        first(
            "401-before-405",
            "Without a key, a method that a route does not have gets 401.",
        )
        .shown_by([get("/api/v1/pipelines/6/organizations").key("")])
        .answer(|asked, answered| {
            if answered.code() == "method_not_allowed" && asked.header("api-key").is_none() {
                unauthenticated(answered);
            }
        }),
        fault(
            "any-key-learns-of-a-malformed-id",
            "/components/securitySchemes/ApiKey",
            "A denied key learns that an id is not a number.",
        )
        .shown_by([get("/api/v1/pipelines/abc/items").key("dev-no-access")])
        .answer(|asked, answered| {
            if answered.status == 403 && asked.segment(3) == "abc" {
                answered.becomes(422, "validation_failed");
            }
        }),
        fault(
            "no-key-learns-of-a-malformed-id",
            "/components/securitySchemes/ApiKey",
            "With an id that is not a number, every key is denied.",
        )
        .shown_by([get("/api/v1/pipelines/abc/items")])
        .answer(|asked, answered| {
            if answered.status == 422 && asked.segment(3) == "abc" {
                answered.becomes(403, "authorization_denied");
            }
        }),
        first(
            "known-record-before-422",
            "The known organization is looked up before the filters are checked.",
        )
        .shown_by([get("/search/organizations/8006399337547544/similar?limit=0")])
        .answer(|asked, answered| {
            if answered.status == 422
                && asked.calls("search_organizations_by_organization")
                && asked.segment(2) == "8006399337547544"
            {
                answered.becomes(404, "organization_not_found");
            }
        }),
    ]
}

fn unauthenticated(answered: &mut Answered) {
    answered.becomes(401, "authentication_required");
    answered.set_header("www-authenticate", "ApiKey");
}

fn has_unknown_pipeline(asked: &Asked) -> bool {
    asked.segment(2) == "pipelines" && matches!(asked.segment(3).parse(), Ok(8..=9_007_199_254_740_991_i64))
}

fn has_unknown_organization(asked: &Asked) -> bool {
    asked.json()["organization_id"]
        .as_i64()
        .is_some_and(|id| !(1001..4000).contains(&id))
}

fn is_json(asked: &Asked) -> bool {
    asked
        .header("content-type")
        .is_some_and(|text| text.to_ascii_lowercase().starts_with("application/json"))
}

fn rejected_body(answered: &mut Answered) {
    answered.becomes(422, "validation_failed");
    let error = serde_json::json!({"loc": ["body"], "msg": "cannot be read", "type": "malformed"});
    answered.json()["errors"] = vec![error].into();
}
