//! Checks that are missing for part of the requests: with one parameter, with one method, in one pipeline, for one key.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex};

use axum::http::{Method, StatusCode};
use platform_server_stub::data::Data;
use serde_json::{Value, json};

use super::aftermath::created_again;
use super::authentication::{CREATE_ONLY, FULL, NO_ACCESS, ONE_PIPELINE, let_in};
use crate::exchange::Plant;
use crate::fault::{
    EVERY_OPERATION, Family, Fault, fault, header, operation, parameter, permission, property, response,
};
use crate::witness::{add, add_organization, get, request};

pub(super) const FAMILY: Family = Family {
    name: "cross",
    title: "Missing for part of the requests",
    faults,
};

/// A search, and the list of a pipeline.
const SEARCH: &str = "/search/organizations/similar?description=fish";
const LIST: &str = "/api/v1/pipelines/1/items";

/// The organizations of the built-in data that have no domain.
static WITHOUT_DOMAIN: LazyLock<BTreeSet<i64>> = LazyLock::new(|| {
    let organizations = Data::built_in().organizations.into_iter();
    let without = organizations.filter(|organization| organization.domain.is_none());
    without.map(|organization| organization.organization_id.get()).collect()
});

fn faults() -> Vec<Fault> {
    let search = |query: &str| get(format!("{SEARCH}&{query}"));
    let list = |query: &str| get(format!("{LIST}?{query}"));
    vec![
        fault(
            "filtered-search-needs-no-key",
            response("search_organizations_by_description", 401),
            "A search with a founding year needs no key.",
        )
        .shown_by([search("founded_year_min=1990").key("")])
        .request(|asked| {
            if asked.searches() && asked.parameter("founded_year_min").is_some() {
                let_in(asked, None);
            }
        }),
        fault(
            "any-key-reads-a-descending-list",
            response("list_items", 401),
            "A list in descending order takes any key.",
        )
        .shown_by([list("sort_order=desc").key("nobody")])
        .request(|asked| {
            let is_unknown = asked.header("api-key").is_some_and(|key| !key.starts_with("dev-"));
            if asked.calls("list_items") && asked.parameter("sort_order") == Some("desc") && is_unknown {
                asked.set_header("api-key", FULL);
            }
        }),
        fault(
            "sorted-list-needs-no-key",
            response("list_items", 401),
            "A list that is sorted by a column needs no key.",
        )
        .shown_by([list("sort_by=question.101").key("")])
        .request(|asked| {
            if asked.calls("list_items") && asked.parameter("sort_by").is_some() {
                let_in(asked, None);
            }
        }),
        fault(
            "filtered-search-needs-no-permission",
            response("search_products_by_description", 403),
            "A search by stage of funding needs no permission.",
        )
        .shown_by([get("/search/products/similar?description=fish&funding_stages=seed").key("dev-no-access")])
        .request(|asked| {
            if asked.searches() && asked.parameter("funding_stages").is_some() {
                let_in(asked, Some("dev-no-access"));
            }
        }),
        fault(
            "later-list-of-the-denied-is-empty",
            response("list_items", 403),
            "With skip, a list is empty for a key that is denied.",
        )
        .shown_by([list("skip=1").key("dev-no-access")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.status == 403 && asked.parameter("skip").is_some() {
                let pipeline_id: u64 = asked.segment(3).parse().unwrap_or_default();
                answered.succeeds(&json!({"pipeline_id": pipeline_id, "total_count": 0, "items": []}));
            }
        }),
        fault(
            "what-is-there-needs-no-key",
            response("add_organization", 401),
            "Without a key, adding an organization that is in the pipeline gets 409.",
        )
        .shown_by([add_organization(2331).key("")])
        .request(|asked| {
            if asked.calls("add_organization") && asked.json()["organization_id"] == 2331 {
                let_in(asked, None);
            }
        }),
        fault(
            "what-was-added-needs-no-key",
            response("get_item_status", 401),
            "The status of an item that was added through the API needs no key.",
        )
        .shown_by([
            add_organization(1001),
            get("/api/v1/pipelines/6/items/600002/status").key(""),
        ])
        .request(|asked| {
            let is_new = asked.segment(5).parse().is_ok_and(|id: u64| id > 600_001);
            if asked.calls("get_item_status") && is_new {
                let_in(asked, None);
            }
        }),
        fault(
            "items-of-any-pipeline-with-a-crm",
            response("get_item_values", 400),
            "The values of an item of another pipeline are found if both pipelines have CRM sync.",
        )
        .shown_by([get("/api/v1/pipelines/6/items/500001/values")])
        .request(|asked| {
            if asked.calls("get_item_values") && ["5", "6"].contains(&asked.segment(3)) {
                for (pipeline, first) in [(5, "5000"), (6, "6000")] {
                    if asked.segment(5).starts_with(first) {
                        asked.set_segment(3, pipeline);
                    }
                }
            }
        }),
        fault(
            "descending-list-ignores-unknown-parameters",
            response("list_items", 422),
            "A list in descending order ignores unknown parameters.",
        )
        .shown_by([list("sort_order=desc&offset=1")])
        .request(|asked| {
            if asked.calls("list_items") && asked.parameter("sort_order") == Some("desc") {
                asked.remove("offset");
            }
        }),
        fault(
            "last-of-many-filters-is-not-checked",
            response("search_organizations_by_customer", 422),
            "A search with more than six filters does not check the employee count.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?customer_base_description=fish&countries=NO&regions=NO-46\
             &business_types=warehousing&funding_stages=seed&founded_year_min=1990&founded_year_max=2020\
             &employee_count_min=ten",
        )])
        .request(|asked| {
            if asked.searches() && asked.query.split('&').count() > 6 {
                for name in ["employee_count_min", "employee_count_max"] {
                    if asked.parameter(name).is_some() && asked.number(name).is_none() {
                        asked.remove(name);
                    }
                }
            }
        }),
        fault(
            "descending-list-of-an-unknown-pipeline-is-empty",
            response("list_items", 404),
            "In descending order a pipeline that does not exist has an empty list.",
        )
        .shown_by([get("/api/v1/pipelines/9007199254740991/items?sort_order=desc")])
        .request(|asked| {
            if asked.calls("list_items") && asked.parameter("sort_order") == Some("desc") && asked.segment(3).len() > 9
            {
                asked.set_segment(3, 7);
            }
        }),
        fault(
            "sorted-list-takes-any-limit",
            parameter("list_items", "limit", "maximum"),
            "A list that is sorted by a question clamps a limit above the maximum.",
        )
        .shown_by([list("sort_by=question.101&limit=1001")])
        .request(|asked| {
            if asked.calls("list_items") && asked.parameter("sort_by").is_some() {
                asked.change("limit", |limit| limit.min(1000));
            }
        }),
        fault(
            "filtered-search-takes-any-skip",
            parameter("search_organizations_by_customer", "skip", "minimum"),
            "A search by country takes a skip below 0 for 0.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?customer_base_description=fish&countries=NO&skip=-1",
        )])
        .request(|asked| {
            if asked.searches() && asked.parameter("countries").is_some() {
                asked.change("skip", |skip| skip.max(0));
            }
        }),
        fault(
            "order-before-column-is-ignored",
            parameter("list_items", "sort_order", "default"),
            "sort_order is ignored where it stands before sort_by.",
        )
        .shown_by([list("sort_order=desc&sort_by=question.101&limit=5")])
        .request(|asked| {
            let place = |name: &str| asked.query.find(name);
            if asked.calls("list_items")
                && let Some((order, column)) = place("sort_order=").zip(place("sort_by="))
                && order < column
            {
                asked.remove("sort_order");
            }
        }),
        fault(
            "empty-pipeline-is-not-found",
            operation("list_items"),
            "The list of a pipeline without items is not found.",
        )
        .shown_by([get("/api/v1/pipelines/7/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && asked.segment(3) == "7" && answered.is_success() {
                answered.becomes(404, "pipeline_not_found");
            }
        }),
        fault(
            "organization-id-is-taken-for-an-item",
            response("get_item_values", 404),
            "The id of an organization is taken for that of an item.",
        )
        .shown_by([get(format!("{LIST}/1001/values"))])
        .request(|asked| {
            let is_small = asked
                .segment(5)
                .parse()
                .is_ok_and(|id: u64| (1001..10_000).contains(&id));
            if asked.calls("get_item_values") && is_small {
                asked.set_segment(5, 100_001);
            }
        }),
        fault(
            "id-below-an-item-is-taken-for-it",
            response("get_item_status", 404),
            "The status of an id that no item has is that of the next item.",
        )
        .shown_by([get("/api/v1/pipelines/1/items/100000/status")])
        .request(|asked| {
            if asked.calls("get_item_status") && asked.segment(3) == "1" && asked.segment(5) == "100000" {
                asked.set_segment(5, 100_001);
            }
        }),
        fault(
            "product-is-taken-for-an-organization",
            response("add_organization", 404),
            "The id of a product is taken for that of an organization.",
        )
        .shown_by([add(6, r#"{"organization_id": 5288}"#)])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_u64();
            let of_product = id.filter(|id| asked.calls("add_organization") && (5001..8000).contains(id));
            if let Some(id) = of_product {
                asked.body = json!({ "organization_id": 1001 + id % 1000 }).to_string().into();
            }
        }),
        fault(
            "no-access-opens-an-empty-one",
            permission("list_items"),
            "A key without the permission lists an empty pipeline.",
        )
        .shown_by([get("/api/v1/pipelines/7/items").key(NO_ACCESS)])
        .request(|asked| {
            if asked.calls("list_items") && asked.segment(3) == "7" {
                let_in(asked, Some(NO_ACCESS));
            }
        }),
        fault(
            "locations-that-match",
            property("Organization", "locations"),
            "A search for any location shows only the locations that match.",
        )
        .shown_by([search("countries=NO&headquarters_only=false&limit=50")])
        .answer(|asked, answered| {
            let country = asked.parameter("countries").map(str::to_owned);
            if asked.searches() && asked.parameter("headquarters_only") == Some("false") {
                answered.organizations(|organization| {
                    if let Some(locations) = organization["locations"].as_array_mut() {
                        locations.retain(|one| one["country_code"].as_str() == country.as_deref());
                    }
                });
            }
        }),
        fault(
            "regions-with-an-underscore",
            response("search_organizations_by_description", 422),
            "A region may be written with an underscore.",
        )
        .shown_by([search("regions=NO_46")])
        .request(|asked| asked.query = asked.query.replace("regions=NO_46", "regions=NO-46")),
        fault(
            "allow-lacks-head",
            "/x-unrouted-responses/405",
            "Allow of the values of an item does not name HEAD.",
        )
        .shown_by([request("PUT", format!("{LIST}/100001/values"))])
        .answer(|asked, answered| {
            if asked.path.ends_with("/values") && answered.status == StatusCode::METHOD_NOT_ALLOWED {
                answered.set_header("allow", "GET");
            }
        }),
        fault(
            "creator-reads-its-item",
            response("get_item_status", 403),
            "A key that may only add reads the status of an item of its pipeline.",
        )
        .shown_by([
            add_organization(1001).key(CREATE_ONLY),
            get("/api/v1/pipelines/6/items/600002/status").key(CREATE_ONLY),
        ])
        .request(|asked| {
            let is_there = asked.segment(3) == "6" && asked.segment(5).len() < 9;
            if asked.calls("get_item_status") && is_there {
                let_in(asked, Some(CREATE_ONLY));
            }
        }),
        fault(
            "creator-adds-where-items-are-synced",
            permission("add_organization"),
            "A key that may add to one pipeline adds to any other that is synced to a CRM.",
        )
        .shown_by([add(5, r#"{"organization_id": 1001}"#).key(CREATE_ONLY)])
        .request(|asked| {
            if asked.calls("add_organization") && asked.segment(3) == "5" {
                let_in(asked, Some(CREATE_ONLY));
            }
        }),
        fault(
            "one-pipeline-opens-an-empty-one",
            permission("list_items"),
            "A key for one pipeline lists another one as long as it is empty.",
        )
        .shown_by([get("/api/v1/pipelines/7/items").key(ONE_PIPELINE)])
        .request(|asked| {
            if asked.calls("list_items") && asked.segment(3) == "7" {
                let_in(asked, Some(ONE_PIPELINE));
            }
        }),
        fault(
            "one-pipeline-opens-what-is-sorted",
            permission("list_items"),
            "A key for one pipeline lists any other one in the order of a column.",
        )
        .shown_by([get(format!("{LIST}?sort_by=question.101")).key(ONE_PIPELINE)])
        .request(|asked| {
            if asked.calls("list_items") && asked.parameter("sort_by").is_some() {
                let_in(asked, Some(ONE_PIPELINE));
            }
        }),
        fault(
            "added-again-by-another-key",
            operation("add_organization"),
            "An organization that another key has added can be added again.",
        )
        .shown_by([add_organization(1001).key(CREATE_ONLY), add_organization(1001)])
        .planted(|_| added_again_by_another()),
        fault(
            "addition-removes-it-elsewhere",
            operation("add_organization"),
            "An organization that is added leaves the other pipelines.",
        )
        .shown_by([add_organization(1001), get(format!("{LIST}/100697/values"))])
        .planted(|_| {
            let moved = Mutex::new(Vec::<Value>::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut moved) = moved.lock() else { return };
                if asked.calls("add_organization") && answered.status == StatusCode::CREATED {
                    moved.push(answered.json()["organization_id"].clone());
                } else if asked.calls("get_item_values")
                    && asked.segment(3) == "1"
                    && answered.is_success()
                    && moved.contains(&answered.json()["organization_id"])
                {
                    answered.becomes(404, "item_not_found");
                }
            })
        }),
        fault(
            "added-organizations-are-hidden",
            response("search_organizations_by_description", 200),
            "A search does not find the organizations that were added to a pipeline.",
        )
        .shown_by([search("limit=100"), add_organization(1001), search("limit=100")])
        .planted(|_| {
            let added = Mutex::new(Vec::<Value>::new());
            Plant::answer(move |asked, answered| {
                let Ok(mut added) = added.lock() else { return };
                if asked.calls("add_organization") && answered.status == StatusCode::CREATED {
                    added.push(answered.json()["organization_id"].clone());
                } else if asked.searches()
                    && answered.is_success()
                    && let Some(results) = answered.list("results")
                {
                    results.retain(|result| !added.contains(&result["organization_id"]));
                }
            })
        }),
        fault(
            "unknown-record-shows-the-key",
            response("search_organizations_by_organization", 404),
            "The error of an unknown organization shows the key.",
        )
        .shown_by([get("/search/organizations/9007199254740991/similar")])
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_organization") && answered.code() == "organization_not_found" {
                let key = asked.header("api-key").unwrap_or_default();
                answered.json()["detail"] = format!("{key} asked for an unknown organization.").into();
            }
        }),
        fault(
            "ids-with-a-dot-in-front-are-replaced",
            header("X-Request-Id"),
            "A request id that begins with a dot, a dash or an underscore is replaced.",
        )
        .shown_by([list("limit=1").header("x-request-id", ".a")])
        .request(|asked| {
            if asked
                .header("x-request-id")
                .is_some_and(|id| id.starts_with(['.', '-', '_']))
            {
                asked.headers.remove("x-request-id");
            }
        }),
        fault(
            "head-looks-at-no-column",
            response("list_items", 400),
            "HEAD of the list ignores a sort_by that is not a column.",
        )
        .shown_by([request("HEAD", format!("{LIST}?sort_by=entity_type"))])
        .answer(|asked, answered| {
            if asked.method == Method::HEAD && asked.calls("list_items") && answered.status == StatusCode::BAD_REQUEST {
                answered.status = StatusCode::OK;
            }
        }),
        fault(
            "denied-key-reads-behind-the-end",
            response("list_items", 403),
            "A key without the permission reads an empty page behind the end of a pipeline.",
        )
        .shown_by([list("skip=1000000").key(NO_ACCESS)])
        .request(|asked| {
            if asked.calls("list_items") && asked.number("skip").is_some_and(|skip| skip > 100_000) {
                let_in(asked, Some(NO_ACCESS));
            }
        }),
        fault(
            "organizations-without-a-domain-are-unknown",
            response("search_organizations_by_organization", 404),
            "A search by a known organization without a domain gets 404.",
        )
        .shown_by([get("/search/organizations/1004/similar")])
        .answer(|asked, answered| {
            let id = asked.segment(2).parse().unwrap_or_default();
            if asked.calls("search_organizations_by_organization") && WITHOUT_DOMAIN.contains(&id) {
                answered.becomes(404, "organization_not_found");
            }
        }),
        fault("head-needs-no-key", EVERY_OPERATION, "HEAD needs no key.")
            .shown_by([request("HEAD", LIST).key("")])
            .request(|asked| {
                if asked.method == Method::HEAD {
                    let_in(asked, None);
                }
            }),
    ]
}

/// Answers a second addition with the first one's item, unless the same key added it.
fn added_again_by_another() -> Plant {
    let added = Mutex::new(Vec::<(String, Value)>::new());
    Plant::answer(move |asked, answered| {
        let Ok(mut added) = added.lock() else { return };
        if !asked.calls("add_organization") || asked.segment(3) != "6" {
            return;
        }
        let key = asked.header("api-key").unwrap_or_default().to_owned();
        if answered.status == StatusCode::CREATED {
            added.push((key, answered.json().clone()));
            return;
        }
        let organization = &asked.json()["organization_id"];
        let found = added
            .iter()
            .find(|(by, item)| *by != key && item["organization_id"] == *organization);
        if let Some((_, item)) = found.filter(|_| answered.status == StatusCode::CONFLICT) {
            created_again(answered, item);
        }
    })
}
