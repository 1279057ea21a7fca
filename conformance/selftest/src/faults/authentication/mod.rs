//! Operations that are open, or closed to callers with permission.

mod one_pipeline;
mod some_pipelines;
mod writable_only;

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::exchange::Asked;
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, header, permission, response};
use crate::witness::{Witness, add, add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "auth",
    title: "Authentication and permission",
    faults,
};

/// A key with full access.
pub(super) const FULL: &str = "dev-full-access";

/// A key that may do nothing.
pub(super) const NO_ACCESS: &str = "dev-no-access";
/// A key that reads pipeline 2.
pub(super) const ONE_PIPELINE: &str = "dev-one-pipeline";
pub(super) const CREATE_ONLY: &str = "dev-create-only";
/// A key that reads pipeline 6 and adds to it.
const WRITABLE_ONLY: &str = "dev-writable-only";
const ORGANIZATIONS_ONLY: &str = "dev-organizations-only";

fn faults() -> Vec<Fault> {
    [
        of_any_key(),
        one_pipeline::faults(),
        writable_only::faults(),
        some_pipelines::faults(),
    ]
    .concat()
}

fn of_any_key() -> Vec<Fault> {
    let list = || get("/api/v1/pipelines/2/items");
    let search = || get("/search/organizations/similar?description=fish");
    vec![
        fault(
            "searches-are-open",
            response("search_organizations_by_description", 401),
            "A search needs no key.",
        )
        .shown_by([search().key("")])
        .request(|asked| {
            if asked.searches() {
                let_in(asked, None);
            }
        }),
        fault(
            "status-is-open",
            response("get_item_status", 401),
            "Reading a status needs no key.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/status").key("")])
        .request(|asked| {
            if asked.calls("get_item_status") {
                let_in(asked, None);
            }
        }),
        fault(
            "local-callers-need-no-key",
            response("search_products_by_description", 401),
            "A product search that a proxy forwards for the machine itself needs no key.",
        )
        .shown_by([get("/search/products/similar?description=fish")
            .key("")
            .header("x-forwarded-for", "127.0.0.1")])
        .request(|asked| {
            if asked.calls("search_products_by_description") && asked.header("x-forwarded-for") == Some("127.0.0.1") {
                let_in(asked, None);
            }
        }),
        fault(
            "not-modified-needs-no-key",
            response("get_item_values", 401),
            "Values get 304 to a request with If-None-Match and without a key.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values")
            .key("")
            .header("if-none-match", "*")])
        .answer(|asked, answered| {
            let is_checked = asked.calls("get_item_values") && asked.header("if-none-match").is_some();
            if is_checked && answered.status == StatusCode::UNAUTHORIZED {
                answered.set_text("");
                answered.status = StatusCode::NOT_MODIFIED;
                answered.remove_header("content-type");
                answered.remove_header("www-authenticate");
            }
        }),
        fault("any-key-opens", EVERY_OPERATION, "An unknown key is accepted.")
            .shown_by([list().key("nobody")])
            .request(|asked| {
                if asked
                    .header("api-key")
                    .is_some_and(|key| !key.is_empty() && !key.starts_with("dev-"))
                {
                    asked.set_header("api-key", FULL);
                }
            }),
        fault(
            "empty-key-opens",
            response("list_items", 401),
            "An empty key is accepted.",
        )
        .shown_by([list().key(""), list().key("").header("api-key", " ")])
        .request(|asked| {
            if asked
                .headers
                .get("api-key")
                .is_some_and(|key| key.as_bytes().trim_ascii().is_empty())
            {
                asked.set_header("api-key", FULL);
            }
        }),
        fault(
            "two-keys-open",
            response("list_items", 401),
            "One known key of two is enough.",
        )
        .shown_by([list().also("api-key", "nobody")])
        .request(|asked| {
            let keys: Vec<_> = asked.headers.get_all("api-key").iter().collect();
            if keys.len() > 1 && keys.iter().any(|key| key.as_bytes() == FULL.as_bytes()) {
                asked.set_header("api-key", FULL);
            }
        }),
        fault(
            "two-keys-are-no-key",
            response("list_items", 401),
            "A request with two keys is answered as if it had none.",
        )
        .shown_by([list().also("api-key", "nobody")])
        .answer(|asked, answered| {
            let has_two = asked.headers.get_all("api-key").iter().count() > 1;
            if has_two && answered.code() == "invalid_api_key" {
                answered.becomes(401, "authentication_required");
            }
        }),
        fault(
            "without-a-key-is-403",
            response("list_items", 401),
            "A request without a key gets 403.",
        )
        .shown_by([list().key("")])
        .answer(|_, answered| {
            if answered.code() == "authentication_required" {
                answered.becomes(403, "authorization_denied");
            }
        }),
        fault(
            "unknown-key-is-403",
            response("get_item_values", 401),
            "An unknown key gets 403.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values").key("nobody")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && answered.code() == "invalid_api_key" {
                answered.becomes(403, "authorization_denied");
            }
        }),
        fault(
            "one-code-for-401",
            EVERY_OPERATION,
            "An unknown key gets the code of a missing one.",
        )
        .shown_by([list().key("nobody")])
        .answer(|_, answered| {
            if answered.code() == "invalid_api_key" {
                answered.json()["code"] = "authentication_required".into();
            }
        }),
        fault(
            "denied-is-not-found",
            response("list_items", 403),
            "A denied caller gets 404 instead of 403.",
        )
        .shown_by([list().key("dev-no-access")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.status == 403 {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        fault(
            "denied-is-401",
            response("search_products_by_description", 403),
            "A caller who is denied a search gets 401.",
        )
        .shown_by([get("/search/products/similar?description=fish").key("dev-no-access")])
        .answer(|asked, answered| {
            if asked.calls("search_products_by_description") && answered.status == 403 {
                answered.becomes(401, "invalid_api_key");
                answered.set_header("www-authenticate", "ApiKey");
            }
        }),
        fault(
            "denied-sees-nothing",
            permission("search_organizations_by_customer"),
            "A caller who is denied a search gets an empty page.",
        )
        .shown_by([get("/search/organizations/similar-customers?organization_customer=fish").key("dev-no-access")])
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_customer") && answered.status == 403 {
                answered.succeeds(&json!({"total_count": 0, "results": []}));
            }
        }),
        fault(
            "read-only-may-not-list",
            permission("list_items"),
            "A read-only key may not list.",
        )
        .shown_by([list().key("dev-read-only")])
        .request(|asked| {
            if asked.calls("list_items") && asked.header("api-key") == Some("dev-read-only") {
                asked.set_header("api-key", "dev-no-access");
            }
        }),
        fault(
            "nobody-is-denied-values",
            permission("get_item_values"),
            "A key without permission may read values.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values").key("dev-no-access")])
        .request(|asked| {
            if asked.calls("get_item_values") {
                let_in(asked, Some("dev-no-access"));
            }
        }),
        fault(
            "nobody-is-denied-products",
            permission("search_products_by_product"),
            "A key without permission may search by a product.",
        )
        .shown_by([get("/search/products/5001/similar").key("dev-no-access")])
        .request(|asked| {
            if asked.calls("search_products_by_product") {
                let_in(asked, Some("dev-no-access"));
            }
        }),
        fault(
            "readers-may-add",
            permission("add_organization"),
            "A read-only key may add.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001}"#).key("dev-read-only")])
        .request(|asked| {
            if asked.calls("add_organization") {
                let_in(asked, Some("dev-read-only"));
            }
        }),
        fault(
            "readers-may-not-read-status",
            permission("get_item_status"),
            "A read-only key may not read a status.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/status").key("dev-read-only")])
        .request(|asked| {
            if asked.calls("get_item_status") && asked.header("api-key") == Some("dev-read-only") {
                asked.set_header("api-key", "dev-no-access");
            }
        }),
        fault(
            "readers-may-not-search",
            permission("search_organizations_by_description"),
            "A read-only key may not search.",
        )
        .shown_by([search().key("dev-read-only")])
        .request(|asked| {
            if asked.searches() && asked.header("api-key") == Some("dev-read-only") {
                asked.set_header("api-key", "dev-no-access");
            }
        }),
        near_key(
            "part-of-the-key-opens",
            "A key without its last character is accepted.",
            "dev-full-acces",
            |key| FULL.strip_prefix(key).is_some_and(|rest| rest.len() == 1),
        ),
        near_key(
            "more-than-the-key-opens",
            "A text that begins with a key is accepted.",
            "dev-full-access-2",
            |key| key.starts_with(FULL),
        ),
        near_key(
            "letter-case-is-ignored",
            "A key is accepted in any letter case.",
            "DEV-FULL-ACCESS",
            |key| key.eq_ignore_ascii_case(FULL),
        ),
        near_key(
            "end-of-the-key-is-ignored",
            "The last character of a key may be any.",
            "dev-full-accesz",
            |key| key.len() == FULL.len() && key[..key.len() - 1] == FULL[..FULL.len() - 1],
        ),
        near_key(
            "beginning-of-the-key-is-ignored",
            "The first character of a key may be any.",
            "xev-full-access",
            |key| key.len() == FULL.len() && key[1..] == FULL[1..],
        ),
        near_key(
            "quotation-marks-are-removed",
            "A key is accepted in quotation marks.",
            "\"dev-full-access\"",
            |key| key.trim_matches('"') == FULL,
        ),
        fault(
            "denied-list-is-unauthenticated",
            response("list_items", 403),
            "A known key that may not list items gets the error of an unknown key.",
        )
        .shown_by([list().key(NO_ACCESS)])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.code() == "authorization_denied" {
                answered.becomes(401, "invalid_api_key");
            }
        }),
        near_key(
            "first-of-several-counts",
            "Of several texts with commas between them the first is the key.",
            "dev-full-access, x",
            |key| key.split(',').next() == Some(FULL),
        ),
        fault(
            "adders-are-denied-a-malformed-id",
            response("add_organization", 422),
            "A key that may only add is denied a malformed pipeline id.",
        )
        .shown_by([add_organization(1001)
            .to("/api/v1/pipelines/0/organizations")
            .key(CREATE_ONLY)])
        .answer(|asked, answered| {
            let is_malformed = asked.calls("add_organization") && asked.segment(3) == "0";
            if is_malformed && asked.header("api-key") == Some(CREATE_ONLY) {
                answered.becomes(403, "authorization_denied");
            }
        }),
        for_adders(
            "adders-may-read",
            permission("list_items"),
            "Permission to add implies permission to list.",
            get("/api/v1/pipelines/6/items"),
            |asked| asked.calls("list_items"),
        ),
        for_adders(
            "adders-may-read-items",
            permission("get_item_values"),
            "A key that may only add gets a 404 for an item that does not exist.",
            get("/api/v1/pipelines/6/items/9007199254740991/values"),
            |asked| asked.calls("get_item_values") || asked.calls("get_item_status"),
        ),
        for_adders(
            "adders-may-search",
            permission("search_organizations_by_description"),
            "A key that may only add may search, too.",
            search(),
            Asked::searches,
        ),
        for_adders(
            "adders-may-add-anywhere",
            permission("add_organization"),
            "Permission to add to one pipeline is permission to add to any.",
            add(3, r#"{"organization_id": 9007199254740991}"#),
            |asked| asked.calls("add_organization"),
        ),
        fault(
            "key-sent-twice-is-one",
            EVERY_OPERATION,
            "A key that is sent twice counts as one.",
        )
        .shown_by([list().header("API-Key", FULL)])
        .request(|asked| {
            let keys: Vec<_> = asked.headers.get_all("api-key").iter().cloned().collect();
            if let [first, rest @ ..] = keys.as_slice()
                && rest.iter().all(|key| key == first)
            {
                asked.headers.insert("api-key", first.clone());
            }
        }),
        fault(
            "adders-may-not-add",
            permission("add_organization"),
            "A key that may not read may not add either.",
        )
        .shown_by([add(6, r#"{"organization_id": 1001}"#).key(CREATE_ONLY)])
        .request(|asked| {
            if asked.header("api-key") == Some(CREATE_ONLY) {
                asked.set_header("api-key", "dev-no-access");
            }
        }),
        fault(
            "key-beyond-ascii-is-500",
            response("list_items", 401),
            "A key that is not ASCII is an internal error.",
        )
        .shown_by([list().key("schlüssel")])
        .answer(|asked, answered| {
            let key = asked.headers.get("api-key");
            if key.is_some_and(|key| key.to_str().is_err()) {
                answered.becomes(500, "internal_error");
            }
        }),
        for_organizations(
            "organizations-open-products",
            "search_products_by_description",
            "Permission to search organizations is permission to search products by description.",
            get("/search/products/similar?description=cold"),
        ),
        for_organizations(
            "organizations-open-items",
            "list_items",
            "Permission to search organizations is permission to list items.",
            list(),
        ),
        for_organizations(
            "organizations-open-adding",
            "add_organization",
            "Permission to search organizations is permission to add one.",
            add(6, r#"{"organization_id": 9007199254740991}"#),
        ),
        fault(
            "organizations-are-products",
            permission("search_organizations_by_description"),
            "A search for organizations by description needs permission for products.",
        )
        .shown_by([search().key(ORGANIZATIONS_ONLY)])
        .request(|asked| {
            let is_for_products = asked.calls("search_organizations_by_description");
            if is_for_products && asked.header("api-key") == Some(ORGANIZATIONS_ONLY) {
                asked.set_header("api-key", "dev-no-access");
            }
        }),
        for_readers(
            "readers-see-fewer-items",
            "list_items",
            "A read-only key lists every second item.",
            list(),
            |body| {
                every_second(&mut body["items"]);
                body["total_count"] = (body["total_count"].as_i64().unwrap_or(0) / 2).into();
            },
        ),
        for_readers(
            "readers-see-no-answers",
            "get_item_values",
            "A read-only key sees no results in the values of an item.",
            get("/api/v1/pipelines/2/items/200001/values"),
            |body| {
                for (_, entry) in body["values"].as_object_mut().into_iter().flatten() {
                    entry["result"] = json!([]);
                }
            },
        ),
        for_readers(
            "readers-see-another-status",
            "get_item_status",
            "For a read-only key no item is ready.",
            get("/api/v1/pipelines/2/items/200001/status"),
            |body| {
                body["platform_entity_data_ready"] = false.into();
                body["is_ready"] = false.into();
            },
        ),
        for_readers(
            "readers-find-fewer",
            "search_products_by_customer",
            "A read-only key finds every second product.",
            get("/search/products/similar-customers?product_customer=fish"),
            |body| {
                every_second(&mut body["results"]);
                body["total_count"] = (body["total_count"].as_i64().unwrap_or(0) / 2).into();
            },
        ),
        for_readers(
            "readers-see-no-contacts",
            "search_organizations_by_description",
            "A read-only key sees no contact information.",
            search(),
            |body| {
                for result in body["results"].as_array_mut().into_iter().flatten() {
                    result["contact"]["email"] = Value::Null;
                    result["contact"]["phone"] = Value::Null;
                }
            },
        ),
        for_key(
            ORGANIZATIONS_ONLY,
            "organizations-count-for-some",
            "search_organizations_by_customer",
            "A key that may only search organizations sees at most 100 as total_count.",
            get("/search/organizations/similar-customers?organization_customer=fish"),
            |body| body["total_count"] = body["total_count"].as_i64().unwrap_or(0).min(100).into(),
        ),
        for_key(
            ONE_PIPELINE,
            "guests-see-no-certainty",
            "get_item_values",
            "A key for one pipeline sees no certainty in the values of an item.",
            get("/api/v1/pipelines/2/items/200001/values"),
            |body| {
                for (_, entry) in body["values"].as_object_mut().into_iter().flatten() {
                    entry["certainty_score"] = Value::Null;
                }
            },
        ),
        fault(
            "challenge-is-missing",
            header("WWW-Authenticate"),
            "401 does not name the authentication scheme.",
        )
        .shown_by([list().key("")])
        .answer(|_, answered| answered.remove_header("www-authenticate")),
    ]
}

/// Gives full access to the holder of this key; an empty text means that there is no key.
pub(super) fn let_in(asked: &mut Asked, key: Option<&str>) {
    if asked.header("api-key") == key {
        asked.set_header("api-key", FULL);
    }
}

/// A text that is not a key, but is accepted as a key.
fn near_key(name: &str, wrong: &'static str, text: &'static str, opens: fn(&str) -> bool) -> Fault {
    fault(name, EVERY_OPERATION, wrong)
        .shown_by([get("/api/v1/pipelines/2/items").key(text)])
        .request(move |asked| {
            let key = asked.header("api-key");
            if key.is_some_and(|key| key != FULL && opens(key)) {
                asked.set_header("api-key", FULL);
            }
        })
}

/// Requests that are accepted with a key that may only add.
fn for_adders(
    name: &str,
    clause: String,
    wrong: &'static str,
    witness: Witness,
    is_let_in: fn(&Asked) -> bool,
) -> Fault {
    fault(name, clause, wrong)
        .shown_by([witness.key(CREATE_ONLY)])
        .request(move |asked| {
            if is_let_in(asked) {
                let_in(asked, Some(CREATE_ONLY));
            }
        })
}

/// An operation that is open to a key for organizations.
fn for_organizations(name: &str, id: &'static str, wrong: &'static str, witness: Witness) -> Fault {
    fault(name, permission(id), wrong)
        .shown_by([witness.key(ORGANIZATIONS_ONLY)])
        .request(move |asked| {
            if asked.calls(id) {
                let_in(asked, Some(ORGANIZATIONS_ONLY));
            }
        })
}

/// A success that differs for a read-only key.
fn for_readers(name: &str, id: &'static str, wrong: &'static str, witness: Witness, change: fn(&mut Value)) -> Fault {
    for_key("dev-read-only", name, id, wrong, witness, change)
}

/// Requests that are accepted with a key that is for others.
fn lets_in(
    key: &'static str,
    name: &str,
    id: &'static str,
    wrong: &'static str,
    witness: Witness,
    is_let_in: fn(&Asked) -> bool,
) -> Fault {
    fault(name, permission(id), wrong)
        .shown_by([witness.key(key)])
        .request(move |asked| {
            if is_let_in(asked) {
                let_in(asked, Some(key));
            }
        })
}

/// Changes what an operation returns to one key.
fn for_key(
    key: &'static str,
    name: &str,
    id: &'static str,
    wrong: &'static str,
    witness: Witness,
    change: fn(&mut Value),
) -> Fault {
    fault(name, "/components/securitySchemes/ApiKey", wrong)
        .shown_by([witness.key(key)])
        .answer(move |asked, answered| {
            if asked.header("api-key") == Some(key) && asked.calls(id) && answered.is_success() {
                change(answered.json());
            }
        })
}

fn every_second(list: &mut Value) {
    let mut is_kept = false;
    if let Some(list) = list.as_array_mut() {
        list.retain(|_| {
            is_kept = !is_kept;
            is_kept
        });
    }
}
