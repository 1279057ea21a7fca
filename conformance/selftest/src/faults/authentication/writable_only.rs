//! A key that reads and adds in one pipeline, and may do more, or less. Part of the family `auth`.

use serde_json::json;

use super::{WRITABLE_ONLY, for_key, lets_in};
use crate::exchange::Asked;
use crate::fault::{Fault, fault, permission, response};
use crate::witness::{add, add_organization, get};

pub(super) fn faults() -> Vec<Fault> {
    vec![
        lets_in(
            WRITABLE_ONLY,
            "permission-to-add-opens-values",
            "get_item_values",
            "A key that may add to a pipeline reads the values of items of any.",
            get("/api/v1/pipelines/1/items/100001/values"),
            |asked| asked.calls("get_item_values"),
        ),
        lets_in(
            WRITABLE_ONLY,
            "permission-to-add-opens-pages",
            "list_items",
            "A key that may add to a pipeline lists the items of any.",
            get("/api/v1/pipelines/1/items"),
            |asked| asked.calls("list_items") && asked.segment(3) != "6",
        ),
        lets_in(
            WRITABLE_ONLY,
            "permission-to-add-and-read-is-for-any-pipeline",
            "add_organization",
            "A key that reads and adds in one pipeline adds to any.",
            add(3, r#"{"organization_id": 9007199254740991}"#),
            |asked| asked.calls("add_organization"),
        ),
        lets_in(
            WRITABLE_ONLY,
            "permission-to-add-and-read-opens-searches",
            "search_products_by_customer",
            "A key that reads and adds in one pipeline searches products by customers.",
            get("/search/products/similar-customers?product_customer=fish"),
            |asked| asked.calls("search_products_by_customer"),
        ),
        for_key(
            WRITABLE_ONLY,
            "permission-to-add-hides-references",
            "get_item_values",
            "A key that may add to a pipeline sees no references in values.",
            get("/api/v1/pipelines/6/items/600001/values"),
            |body| {
                for (_, entry) in body["values"].as_object_mut().into_iter().flatten() {
                    entry["references"] = json!([]);
                }
            },
        ),
        fault(
            "readers-who-add-are-denied-a-malformed-id",
            response("get_item_status", 422),
            "A key that reads and adds in one pipeline is denied a malformed pipeline id.",
        )
        .shown_by([get("/api/v1/pipelines/0/items/600001/status").key(WRITABLE_ONLY)])
        .answer(|asked, answered| {
            if asked.segment(3) == "0" && is_of_it(asked) {
                answered.becomes(403, "authorization_denied");
            }
        }),
        fault(
            "first-action-of-a-policy-counts",
            permission("add_organization"),
            "Of the actions of a policy only the first counts: a key that may read and add only reads.",
        )
        .shown_by([add_organization(1001).key(WRITABLE_ONLY)])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && is_of_it(asked) {
                answered.becomes(403, "authorization_denied");
            }
        }),
        fault(
            "added-items-are-hidden-from-their-key",
            response("get_item_values", 200),
            "The key that added an item to a pipeline does not find it.",
        )
        .shown_by([
            add_organization(1001).key(WRITABLE_ONLY),
            get("/api/v1/pipelines/6/items/600002/values").key(WRITABLE_ONLY),
        ])
        .answer(|asked, answered| {
            let is_added = asked.calls("get_item_values") && asked.segment(5) != "600001";
            if is_added && is_of_it(asked) && answered.status.is_success() {
                answered.becomes(404, "item_not_found");
            }
        }),
    ]
}

fn is_of_it(asked: &Asked) -> bool {
    asked.header("api-key") == Some(WRITABLE_ONLY)
}
