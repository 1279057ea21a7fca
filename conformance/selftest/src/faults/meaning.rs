//! Searches that compare something else than the contract's, so that every page looks right on its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

use serde_json::{Value, json};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{Family, Fault, fault, operation, property};
use crate::witness::get;
use platform_server_stub::data::Data;

pub(super) const FAMILY: Family = Family {
    name: "meaning",
    title: "What a search compares",
    faults,
};

const BY_ORGANIZATION: &str = "search_organizations_by_organization";
const BY_PRODUCT: &str = "search_products_by_product";
/// The organization and the product that others are taken for, and the ids from which on they are.
const TAKEN: [i64; 2] = [1001, 5001];
const FROM: [i64; 2] = [1100, 5100];

fn faults() -> Vec<Fault> {
    vec![
        fault(
            "known-record-is-not-looked-at",
            operation(BY_ORGANIZATION),
            "On a page of the default size, every known organization from an id on is compared as the same one.",
        )
        .shown_by([get("/search/organizations/1207/similar")])
        .planted(|_| taken_for(BY_ORGANIZATION, is_of_default_size, |_| TAKEN[0])),
        fault(
            "known-product-is-not-looked-at",
            operation(BY_PRODUCT),
            "On a page of the default size, every known product from an id on is compared as the same one.",
        )
        .shown_by([get("/search/products/5207/similar")])
        .planted(|_| taken_for(BY_PRODUCT, is_of_default_size, |_| TAKEN[1])),
        fault(
            "known-record-is-another",
            operation(BY_ORGANIZATION),
            "From an id on, every known organization is compared as one that was added much later or earlier.",
        )
        .shown_by([get("/search/organizations/1207/similar")])
        .planted(|_| taken_for(BY_ORGANIZATION, |_| true, another)),
        fault(
            "known-product-is-its-organization",
            operation(BY_PRODUCT),
            "A known product is compared as the first one of its organization.",
        )
        .shown_by([get("/search/products/5288/similar")])
        .planted(|_| {
            Plant::request(|asked| {
                if let Some(first) = first_of_organization(asked) {
                    asked.set_segment(2, first);
                }
            })
            .and_answer(|asked, answered| {
                if first_of_organization(asked).is_some() {
                    let known = asked.segment(2).parse::<u64>().ok();
                    let results = answered.list("results").into_iter();
                    results.for_each(|results| results.retain(|product| product["product_id"].as_u64() != known));
                }
            })
        }),
        fault(
            "description-is-of-customers",
            operation("search_organizations_by_description"),
            "A description that names exporters is compared with customer bases.",
        )
        .shown_by([get("/search/organizations/similar?description=seafood%20exporters")])
        .request(|asked| {
            let names = |text: &str| text.contains("exporters");
            if asked.calls("search_organizations_by_description") && asked.parameter("description").is_some_and(names) {
                asked.path = "/search/organizations/similar-customers".to_owned();
                asked.rename("description", "organization_customer");
            }
        }),
        fault(
            "customers-are-organizations",
            operation("search_products_by_customer"),
            "A search for products by customers finds organizations.",
        )
        .shown_by([get("/search/products/similar-customers?product_customer=fish")])
        .request(|asked| {
            if asked.calls("search_products_by_customer") {
                asked.path = "/search/organizations/similar-customers".to_owned();
                asked.rename("product_customer", "organization_customer");
            }
        }),
        fault(
            "text-of-a-description-is-remembered",
            operation("search_organizations_by_customer"),
            "A text that was searched for as a description is not searched for as customers: it has the same results.",
        )
        .shown_by([
            get("/search/organizations/similar?description=fish"),
            get("/search/organizations/similar-customers?organization_customer=fish"),
        ])
        .planted(|_| {
            let texts = Mutex::new(BTreeSet::<String>::new());
            Plant::request(move |asked| {
                let Ok(mut texts) = texts.lock() else { return };
                if let Some(text) = asked.parameter("description") {
                    texts.insert(text.to_owned());
                } else if asked
                    .parameter("organization_customer")
                    .is_some_and(|text| texts.contains(text))
                {
                    asked.path = "/search/organizations/similar".to_owned();
                    asked.rename("organization_customer", "description");
                }
            })
        }),
        fault(
            "customers-are-those-of-the-organization",
            operation("search_products_by_customer"),
            "For customers that name schools, the products of an organization are all as near.",
        )
        .shown_by([get(
            "/search/products/similar-customers?product_customer=schools&limit=100",
        )])
        .answer(|asked, answered| {
            let names = |text: &str| text.contains("schools");
            if asked.parameter("product_customer").is_some_and(names) && answered.is_success() {
                answered
                    .list("results")
                    .into_iter()
                    .for_each(|results| as_near(results));
            }
        }),
        fault(
            "products-rank-by-their-organization",
            operation("search_products_by_product"),
            "What is similar to a known product is ranked by its organization.",
        )
        .shown_by([get("/search/products/5001/similar?limit=100")])
        .answer(|asked, answered| {
            if asked.calls(BY_PRODUCT) && answered.is_success() {
                answered
                    .list("results")
                    .into_iter()
                    .for_each(|results| as_near(results));
            }
        }),
        fault(
            "known-record-hides-another",
            property("OrganizationSearchPage", "total_count"),
            "A search by a known organization without filters counts one organization less.",
        )
        .shown_by([get("/search/organizations/1001/similar")])
        .answer(|asked, answered| {
            let paging = ["skip", "limit", "headquarters_only", ""];
            let mut names = asked.query.split('&').map(|pair| pair.split('=').next().unwrap_or(""));
            if asked.calls(BY_ORGANIZATION) && answered.is_success() && names.all(|name| paging.contains(&name)) {
                let total = answered.json()["total_count"].as_i64().unwrap_or(1);
                answered.json()["total_count"] = json!(total - 1);
            }
        }),
    ]
}

/// The first product of the organization of the known product.
fn first_of_organization(asked: &Asked) -> Option<&'static str> {
    static FIRST: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
        let products = Data::built_in().products;
        let mut first = BTreeMap::new();
        for product in &products {
            let first = first.entry(product.organization_id).or_insert(product.product_id);
            *first = product.product_id.min(*first);
        }
        let products = products.iter();
        products
            .map(|product| {
                (
                    product.product_id.to_string(),
                    first[&product.organization_id].to_string(),
                )
            })
            .collect()
    });
    let first = FIRST.get(asked.segment(2)).filter(|_| asked.calls(BY_PRODUCT));
    first.map(String::as_str)
}

/// Gives each product a distance that depends on its organization alone.
fn as_near(results: &mut [Value]) {
    for product in results.iter_mut() {
        let organization = product["organization"]["organization_id"].as_i64().unwrap_or_default();
        let thousandth = u16::try_from(organization % 1000).unwrap_or_default();
        product["similarity"]["cosine_distance"] = json!(0.5 + f64::from(thousandth) / 10_000.0);
    }
    results.sort_by(|one, other| {
        let distance = |product: &Value| product["similarity"]["cosine_distance"].as_f64().unwrap_or_default();
        let by_id = || one["product_id"].as_i64().cmp(&other["product_id"].as_i64());
        distance(one).total_cmp(&distance(other)).then_with(by_id)
    });
}

fn is_of_default_size(asked: &Asked) -> bool {
    ["", "skip=0&limit=20"].contains(&asked.query.as_str())
}

/// An organization that has nothing to do with this one.
fn another(id: i64) -> i64 {
    FROM[0] + (id * 7 + 301) % 900
}

/// Compares some known records as others, in requests that it applies to.
fn taken_for(operation: &'static str, applies: fn(&Asked) -> bool, other: fn(i64) -> i64) -> Plant {
    let (member, first, last) = match operation {
        BY_PRODUCT => ("product_id", FROM[1], i64::MAX),
        _ => ("organization_id", FROM[0], FROM[0] + 1099),
    };
    let known = move |asked: &Asked| {
        let id = asked.segment(2).parse().ok()?;
        let is_taken = asked.calls(operation) && applies(asked) && (first..=last).contains(&id);
        is_taken.then(|| (id, other(id)))
    };
    let take = move |asked: &mut Asked| {
        if let Some((_, other)) = known(asked) {
            asked.set_segment(2, other);
        }
    };
    Plant::request(take).and_answer(move |asked, answered| {
        if let Some((id, other)) = known(asked) {
            restore(answered, member, id, other);
        }
    })
}

/// The known record is not among the results: the one it was taken for is in its place.
fn restore(answered: &mut Answered, member: &str, id: i64, other: i64) {
    answered.results(|result| {
        if result[member] == json!(id) {
            result[member] = json!(other);
        }
    });
    if !answered.is_success() {
        // An error names the path of the request.
        let text = answered.text();
        answered.set_text(text.replace(&format!("/{other}/"), &format!("/{id}/")));
    }
}
