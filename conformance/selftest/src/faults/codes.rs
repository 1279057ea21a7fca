//! Errors with another status or code than the contract's.

use crate::fault::{EVERY_OPERATION, Family, Fault, fault, response};
use crate::witness::{Witness, add, add_organization, get, request};

pub(super) const FAMILY: Family = Family {
    name: "code",
    title: "Errors with another status or code",
    faults,
};

fn faults() -> Vec<Fault> {
    let [list, values, status, adding] = ["list_items", "get_item_values", "get_item_status", "add_organization"];
    let known_organization = "search_organizations_by_organization";
    let known_product = "search_products_by_product";
    let there = || add_organization(2331);
    let typed = |media_type: &str| add_organization(1001).header("content-type", media_type);
    // The operation, the code, and the status and code of the wrong response.
    let table = vec![
        (
            "unknown-pipeline-is-an-item",
            list,
            "pipeline_not_found",
            404,
            "item_not_found",
            "A list of an unknown pipeline has the code of an unknown item.",
            get("/api/v1/pipelines/99/items"),
        ),
        (
            "unknown-pipeline-is-400",
            list,
            "pipeline_not_found",
            400,
            "invalid_sort_by",
            "A list of an unknown pipeline gets 400.",
            get("/api/v1/pipelines/99/items"),
        ),
        (
            "unknown-pipeline-is-a-failure",
            values,
            "pipeline_not_found",
            500,
            "internal_error",
            "The values of an item of an unknown pipeline get 500.",
            get("/api/v1/pipelines/99/items/1/values"),
        ),
        (
            "unknown-item-is-a-pipeline",
            values,
            "item_not_found",
            404,
            "pipeline_not_found",
            "An unknown item has the code of an unknown pipeline.",
            get("/api/v1/pipelines/2/items/1/values"),
        ),
        (
            "unknown-item-is-400",
            status,
            "item_not_found",
            400,
            "item_not_in_pipeline",
            "The status of an unknown item gets the same response as the status of another pipeline's item.",
            get("/api/v1/pipelines/2/items/1/status"),
        ),
        (
            "unknown-item-is-gone",
            status,
            "item_not_found",
            410,
            "item_not_found",
            "The status of an unknown item gets 410.",
            get("/api/v1/pipelines/2/items/1/status"),
        ),
        (
            "item-elsewhere-is-404",
            values,
            "item_not_in_pipeline",
            404,
            "item_not_found",
            "An item of another pipeline gets 404.",
            get("/api/v1/pipelines/2/items/100001/values"),
        ),
        (
            "item-elsewhere-is-422",
            status,
            "item_not_in_pipeline",
            422,
            "validation_failed",
            "The status of an item of another pipeline gets 422.",
            get("/api/v1/pipelines/2/items/100001/status"),
        ),
        (
            "already-there-is-400",
            adding,
            "organization_already_in_pipeline",
            400,
            "not_an_organization_pipeline",
            "An organization that is already in the pipeline gets 400.",
            there(),
        ),
        (
            "already-there-is-422",
            adding,
            "organization_already_in_pipeline",
            422,
            "validation_failed",
            "An organization that is already in the pipeline gets 422.",
            there(),
        ),
        (
            "unknown-organization-is-422",
            adding,
            "organization_not_found",
            422,
            "validation_failed",
            "An unknown organization gets 422.",
            add_organization(99),
        ),
        (
            "unknown-organization-is-a-pipeline",
            adding,
            "organization_not_found",
            404,
            "pipeline_not_found",
            "An unknown organization has the code of an unknown pipeline.",
            add_organization(99),
        ),
        (
            "wrong-kind-is-409",
            adding,
            "not_an_organization_pipeline",
            409,
            "organization_already_in_pipeline",
            "A pipeline of persons gets 409.",
            add(3, r#"{"organization_id": 1001}"#),
        ),
        (
            "wrong-kind-is-422",
            adding,
            "not_an_organization_pipeline",
            422,
            "validation_failed",
            "A pipeline of persons gets 422.",
            add(3, r#"{"organization_id": 1001}"#),
        ),
        (
            "wrong-type-is-400",
            adding,
            "unsupported_media_type",
            400,
            "not_an_organization_pipeline",
            "A body of another type gets 400.",
            typed("text/plain"),
        ),
        (
            "wrong-type-is-422",
            adding,
            "unsupported_media_type",
            422,
            "validation_failed",
            "A body of another type gets 422.",
            typed("text/plain"),
        ),
        (
            "bad-body-is-400",
            adding,
            "validation_failed",
            400,
            "not_an_organization_pipeline",
            "An unreadable body gets 400.",
            add(6, "{"),
        ),
        (
            "bad-limit-is-400",
            list,
            "validation_failed",
            400,
            "invalid_sort_by",
            "A bad limit gets 400.",
            get("/api/v1/pipelines/2/items?limit=0"),
        ),
        (
            "bad-text-is-400",
            "search_products_by_description",
            "validation_failed",
            400,
            "validation_failed",
            "A bad search gets 400.",
            get("/search/products/similar?description="),
        ),
        (
            "known-organization-is-422",
            known_organization,
            "organization_not_found",
            422,
            "validation_failed",
            "A search by an unknown organization gets 422.",
            get("/search/organizations/99/similar"),
        ),
        (
            "known-product-is-an-organization",
            known_product,
            "product_not_found",
            404,
            "organization_not_found",
            "A search by an unknown product has the code of an unknown organization.",
            get("/search/products/99/similar"),
        ),
        (
            "too-large-is-422",
            adding,
            "body_too_large",
            422,
            "validation_failed",
            "A body that is too large gets 422.",
            add(6, format!("{{}}{}", " ".repeat(65_540))),
        ),
        (
            "too-large-is-400",
            adding,
            "body_too_large",
            400,
            "not_an_organization_pipeline",
            "A body that is too large gets 400.",
            add(6, format!("{{}}{}", " ".repeat(65_540))),
        ),
    ];
    let mistaken = |(name, operation, code, status, other, wrong, witness): (
        &str,
        &'static str,
        &'static str,
        u16,
        &'static str,
        &'static str,
        Witness,
    )| {
        fault(name, response(operation, was(code)), wrong)
            .shown_by([witness])
            .answer(move |asked, answered| {
                if asked.calls(operation) && answered.code() == code {
                    answered.becomes(status, other);
                }
            })
    };
    let mut faults: Vec<_> = table.into_iter().map(mistaken).collect();
    faults.extend([
        fault(
            "unknown-known-record-finds-nothing",
            response(known_product, 404),
            "A search by an unknown product finds nothing.",
        )
        .shown_by([get("/search/products/99/similar")])
        .answer(|asked, answered| {
            if asked.searches() && answered.code() == "product_not_found" {
                answered.succeeds(&serde_json::json!({"total_count": 0, "results": []}));
            }
        }),
        fault(
            "listed-organization-is-unknown",
            response(known_organization, 404),
            "A search by an organization does not know the one of the first item.",
        )
        .shown_by([get("/search/organizations/2295/similar")])
        .answer(move |asked, answered| {
            if asked.calls(known_organization) && asked.segment(2) == "2295" && answered.is_success() {
                answered.becomes(404, "organization_not_found");
            }
        }),
        fault(
            "item-elsewhere-is-shown",
            response(values, 400),
            "Reading an item returns it in any pipeline.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/100001/values")])
        .request(move |asked| {
            // The ids of the built-in items begin with the id of their pipeline.
            let is_there = |pipeline: &u64| (1..=7).contains(pipeline);
            let named = asked.segment(3).parse().ok().filter(is_there);
            let item = asked.segment(5).parse::<u64>().ok();
            let holds = item.map(|item| item / 100_000).filter(is_there);
            if let (true, Some(_), Some(pipeline)) = (asked.calls(values), named, holds) {
                asked.set_segment(3, pipeline);
            }
        }),
        fault(
            "unknown-pipeline-is-empty",
            response(list, 404),
            "An unknown pipeline has no items.",
        )
        .shown_by([get("/api/v1/pipelines/99/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.code() == "pipeline_not_found" {
                let id = asked.segment(3).parse::<i64>().unwrap_or(1);
                answered.succeeds(&serde_json::json!({"pipeline_id": id, "total_count": 0, "items": []}));
            }
        }),
        fault(
            "unknown-route-is-a-list",
            EVERY_OPERATION,
            "An unknown route has the code of an unknown pipeline.",
        )
        .shown_by([get("/api/v1/nothing")])
        .answer(|_, answered| {
            if answered.code() == "route_not_found" {
                answered.json()["code"] = "pipeline_not_found".into();
            }
        }),
        fault("unknown-route-is-400", EVERY_OPERATION, "An unknown route gets 400.")
            .shown_by([get("/api/v1/nothing")])
            .answer(|_, answered| {
                if answered.code() == "route_not_found" {
                    answered.becomes(400, "invalid_sort_by");
                }
            }),
        fault(
            "unknown-method-is-404",
            EVERY_OPERATION,
            "A known route with another method gets 404.",
        )
        .shown_by([request("DELETE", "/api/v1/pipelines/2/items")])
        .answer(|_, answered| {
            if answered.status == 405 {
                answered.becomes(404, "route_not_found");
            }
        }),
        fault(
            "unknown-method-is-501",
            EVERY_OPERATION,
            "A known route with another method gets 501.",
        )
        .shown_by([request("PUT", "/api/v1/pipelines/2/items")])
        .answer(|_, answered| {
            if answered.status == 405 {
                answered.becomes(501, "internal_error");
            }
        }),
        fault(
            "allow-is-missing",
            EVERY_OPERATION,
            "405 does not name the methods of the route.",
        )
        .shown_by([request("DELETE", "/api/v1/pipelines/2/items")])
        .answer(|_, answered| answered.remove_header("allow")),
        fault(
            "allow-is-wrong",
            EVERY_OPERATION,
            "405 names methods that the route does not have.",
        )
        .shown_by([request("DELETE", "/api/v1/pipelines/2/items")])
        .answer(|_, answered| {
            if answered.status == 405 {
                answered.set_header("allow", "TRACE");
            }
        }),
    ]);
    faults
}

/// The status of a code.
fn was(code: &str) -> u16 {
    match code {
        "item_not_in_pipeline" | "not_an_organization_pipeline" => 400,
        "organization_already_in_pipeline" => 409,
        "body_too_large" => 413,
        "unsupported_media_type" => 415,
        "validation_failed" => 422,
        _ => 404,
    }
}
