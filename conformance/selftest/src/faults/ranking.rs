//! Results in another order or at another distance than the contract's.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use platform_server_stub::data::Data;
use serde_json::{Value, json};

use crate::exchange::{Answered, Asked};
use crate::fault::{Family, Fault, fault, operation, property, response};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "ranking",
    title: "The order of results",
    faults,
};

/// The organizations of the built-in data whose customers are unknown.
static WITHOUT_CUSTOMERS: LazyLock<BTreeSet<i64>> = LazyLock::new(|| {
    let organizations = Data::built_in().organizations.into_iter();
    let without = organizations.filter(|organization| organization.customer_base.is_none());
    without.map(|organization| organization.organization_id.get()).collect()
});

fn by_id(answered: &mut Answered) {
    let results = answered.list("results").into_iter();
    results.for_each(|results| {
        results.sort_by_key(|result| (result["product_id"].as_i64(), result["organization_id"].as_i64()));
    });
}

/// Repeats each organization for every country of its locations. The page keeps its length.
fn joined_with_countries(results: &mut Vec<Value>) {
    let length = results.len();
    let repeated = results.iter().flat_map(|organization| {
        let locations = organization["locations"].as_array().into_iter().flatten();
        let countries: BTreeSet<_> = locations.filter_map(|location| location["country"].as_str()).collect();
        std::iter::repeat_n(organization.clone(), countries.len().max(1))
    });
    *results = repeated.take(length).collect();
}

fn faults() -> Vec<Fault> {
    let page = || response("search_organizations_by_description", 200);
    let distance = || property("Similarity", "cosine_distance");
    let total = || property("OrganizationSearchPage", "total_count");
    let fish = |rest: &str| get(format!("/search/organizations/similar?description=fish{rest}"));
    vec![
        fault("farthest-first", page(), "A page is reversed.")
            .shown_by([fish("")])
            .answer(|asked, answered| {
                if asked.searches() {
                    answered
                        .list("results")
                        .into_iter()
                        .for_each(|results| results.reverse());
                }
            }),
        fault(
            "later-pages-are-reversed",
            page(),
            "Pages after the first are reversed.",
        )
        .shown_by([fish("&skip=20")])
        .answer(|asked, answered| {
            if asked.searches() && asked.number("skip").is_some_and(|skip| skip > 0) {
                answered
                    .list("results")
                    .into_iter()
                    .for_each(|results| results.reverse());
            }
        }),
        fault("finds-nothing", total(), "No search finds anything.")
            .shown_by([fish("")])
            .answer(|asked, answered| {
                if asked.searches() && answered.is_success() {
                    answered.succeeds(&json!({"total_count": 0, "results": []}));
                }
            }),
        fault(
            "customers-find-nothing",
            total(),
            "The searches by customers find nothing.",
        )
        .shown_by([get("/search/products/similar-customers?product_customer=schools")])
        .answer(|asked, answered| {
            let is_by_customers =
                asked.parameter("product_customer").is_some() || asked.parameter("organization_customer").is_some();
            if asked.searches() && is_by_customers && answered.is_success() {
                answered.succeeds(&json!({"total_count": 0, "results": []}));
            }
        }),
        fault("by-id", page(), "Results are ordered by id.")
            .shown_by([fish("")])
            .answer(|asked, answered| {
                if asked.searches() {
                    by_id(answered);
                }
            }),
        fault(
            "filtered-is-by-id",
            page(),
            "With a filter by country, results are ordered by id.",
        )
        .shown_by([fish("&countries=US")])
        .answer(|asked, answered| {
            if asked.parameter("countries").is_some() && asked.searches() {
                by_id(answered);
            }
        }),
        fault("ties-backwards", page(), "Ties are in descending order of id.")
            .shown_by([tied()])
            .answer(|asked, answered| {
                if asked.searches()
                    && let Some(results) = answered.list("results")
                {
                    for tied in results.chunk_by_mut(|one, other| one["similarity"] == other["similarity"]) {
                        tied.reverse();
                    }
                }
            }),
        fault("second-is-first", page(), "The first two results are swapped.")
            .shown_by([fish("")])
            .answer(|asked, answered| {
                if asked.searches()
                    && let Some([first, second, ..]) = answered.list("results").map(Vec::as_mut_slice)
                {
                    std::mem::swap(first, second);
                }
            }),
        fault(
            "similarity-for-distance",
            distance(),
            "The distance is a similarity: the nearest result has the greatest value.",
        )
        .shown_by([fish("")])
        .answer(|_, answered| distances(answered, |distance| 1.0 - distance)),
        fault(
            "distance-beyond-2",
            distance(),
            "Distances are tripled and increased by 1.",
        )
        .shown_by([fish("")])
        .answer(|_, answered| distances(answered, |distance| distance * 3.0 + 1.0)),
        fault(
            "distances-of-the-page",
            distance(),
            "Distances are relative to the first result of the page.",
        )
        .shown_by([fish("&skip=1")])
        .answer(|asked, answered| {
            let nearest = answered
                .is_success()
                .then(|| answered.json()["results"][0]["similarity"]["cosine_distance"].as_f64());
            if let Some(nearest) = nearest.flatten().filter(|_| asked.searches()) {
                distances(answered, |distance| distance - nearest);
            }
        }),
        fault(
            "distances-are-rounded-by-filters",
            distance(),
            "With a filter, distances are rounded to two digits.",
        )
        .shown_by([fish("&employee_count_min=2")])
        .answer(|asked, answered| {
            if asked.parameter("employee_count_min").is_some() || asked.parameter("countries").is_some() {
                distances(answered, |distance| (distance * 100.0).round() / 100.0);
            }
        }),
        fault("all-are-as-near", distance(), "Every result has the distance 0.5.")
            .shown_by([fish("")])
            .answer(|_, answered| distances(answered, |_| 0.5)),
        fault(
            "some-known-records-find-one-country",
            operation("search_organizations_by_organization"),
            "A known organization with an even id finds only organizations in one country.",
        )
        .shown_by([get("/search/organizations/1002/similar")])
        .request(|asked| {
            let is_even = asked.segment(2).parse::<u64>().is_ok_and(|id| id % 2 == 0);
            if asked.calls("search_organizations_by_organization") && is_even && asked.parameter("countries").is_none()
            {
                asked.set("countries", "US");
            }
        }),
        fault(
            "known-without-customers-finds-nothing",
            operation("search_organizations_by_organization"),
            "A known organization without customers finds nothing.",
        )
        .shown_by([get("/search/organizations/1024/similar")])
        .answer(|asked, answered| {
            let has_none = asked.segment(2).parse().is_ok_and(|id| WITHOUT_CUSTOMERS.contains(&id));
            if asked.calls("search_organizations_by_organization") && has_none && answered.is_success() {
                answered.succeeds(&json!({"total_count": 0, "results": []}));
            }
        }),
        fault(
            "known-record-finds-itself",
            operation("search_organizations_by_organization"),
            "The known organization is the first of its own results.",
        )
        .shown_by([get("/search/organizations/1001/similar")])
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_organization") && answered.is_success() {
                let id = asked.segment(2).parse::<i64>().unwrap_or(0);
                if let Some(first) = answered.list("results").and_then(|results| results.first_mut()) {
                    first["organization_id"] = json!(id);
                }
            }
        }),
        fault(
            "known-product-finds-itself",
            operation("search_products_by_product"),
            "The known product is among its own results.",
        )
        .shown_by([get("/search/products/5001/similar?limit=5")])
        .answer(|asked, answered| {
            if asked.calls("search_products_by_product") && answered.is_success() {
                let id = asked.segment(2).parse::<i64>().unwrap_or(0);
                if let Some(first) = answered.list("results").and_then(|results| results.last_mut()) {
                    first["product_id"] = json!(id);
                }
            }
        }),
        fault(
            "total-is-that-of-the-page",
            total(),
            "total_count is the number of results on the page.",
        )
        .shown_by([fish("")])
        .answer(|asked, answered| {
            on_page(asked, answered, |_, results| results);
        }),
        fault(
            "total-is-that-of-all",
            total(),
            "With a filter, total_count still counts all records.",
        )
        .shown_by([fish("&countries=NO")])
        .answer(|asked, answered| {
            if asked.parameter("countries").is_some()
                && asked.operation.is_some_and(|id| id.starts_with("search_organizations"))
            {
                on_page(asked, answered, |_, _| 1331);
            }
        }),
        fault(
            "total-stops-at-1000",
            total(),
            "total_count is at most the reach of the search.",
        )
        .shown_by([fish("")])
        .answer(|asked, answered| {
            on_page(asked, answered, |total, _| total.min(1000));
        }),
        fault("total-shrinks", total(), "total_count does not count skipped results.")
            .shown_by([fish("&skip=10")])
            .answer(|asked, answered| {
                let skip = asked.number("skip").unwrap_or(0);
                on_page(asked, answered, |total, _| (total - skip).max(0));
            }),
        fault(
            "one-comes-twice",
            page(),
            "The first result of a page repeats the last one of the previous page.",
        )
        .shown_by([fish("&skip=20")])
        .request(|asked| {
            if asked.searches() {
                asked.change("skip", |skip| if (1..=900).contains(&skip) { skip - 1 } else { skip });
            }
        }),
        fault(
            "organization-of-two-countries-comes-twice",
            page(),
            "A filter on countries returns an organization once for each of its countries, as a join does.",
        )
        .shown_by([fish("&countries=GB&limit=100")])
        .answer(|asked, answered| {
            if asked.searches() && asked.parameter("countries").is_some() {
                answered.list("results").into_iter().for_each(joined_with_countries);
            }
        }),
        fault(
            "small-pages-are-nearer",
            page(),
            "A page of fewer than ten results omits the nearest one.",
        )
        .shown_by([fish("&limit=5")])
        .request(|asked| {
            if asked.searches() && asked.number("limit").is_some_and(|limit| (1..10).contains(&limit)) {
                asked.default("skip", 1);
            }
        }),
        fault(
            "product-without-organization",
            "/components/schemas/Product/properties/organization",
            "Products have no organization.",
        )
        .shown_by([get("/search/products/similar?description=fish")])
        .answer(|_, answered| {
            answered.results(|result| {
                if let Some(organization) = result.get_mut("organization") {
                    *organization = json!(null);
                }
            });
        }),
        fault(
            "product-with-another-name",
            "/components/schemas/Product/properties/organization",
            "The organization of a product has its name in capitals.",
        )
        .shown_by([get("/search/products/similar?description=fish")])
        .answer(|asked, answered| {
            if asked.operation.is_some_and(|id| id.starts_with("search_products")) {
                answered.organizations(|organization| {
                    organization["name"] = json!(organization["name"].as_str().unwrap_or_default().to_uppercase());
                });
            }
        }),
        fault("last-page-is-lost", page(), "From skip=100 on, pages are empty.")
            .shown_by([fish("&skip=600")])
            .answer(|asked, answered| {
                if asked.searches() && asked.number("skip").is_some_and(|skip| skip >= 100) && answered.is_success() {
                    answered.list("results").into_iter().for_each(Vec::clear);
                }
            }),
    ]
}

/// A search with results at the same distance: several organizations with the same description.
/// A search for a text without words: all distances are the same.
fn tied() -> Witness {
    get("/search/organizations/similar?description=%F0%9F%90%9F&limit=100")
}

fn distances(answered: &mut Answered, change: impl Fn(f64) -> f64) {
    answered.results(|result| {
        let distance = &mut result["similarity"]["cosine_distance"];
        *distance = json!(change(distance.as_f64().unwrap_or(0.0)));
    });
}

/// Changes `total_count`, given its value and the number of results on the page.
fn on_page(asked: &Asked, answered: &mut Answered, change: impl Fn(i64, i64) -> i64) {
    if !asked.searches() || !answered.is_success() {
        return;
    }
    let results = answered.list("results").map_or(0, |results| results.len());
    let total = answered.json()["total_count"].as_i64().unwrap_or(0);
    answered.json()["total_count"] = json!(change(total, i64::try_from(results).unwrap_or(0)));
}
