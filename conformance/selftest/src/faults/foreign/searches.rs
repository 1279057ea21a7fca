//! Departures in the searches of other deployments.

use serde_json::{Value, json};

use super::read;
use crate::exchange::{Answered, Asked};
use crate::fault::{Fault, fault, operation};
use crate::foreign::{ASGI, SERVLET};

pub(super) fn faults() -> Vec<Fault> {
    of_asgi().into_iter().chain(of_servlet()).collect()
}

const SIMILAR: &str = "/search/organizations/similar?description=payroll+software";

/// The results of a search of the deployment with the habits of a Python framework.
fn found<'a>(asked: &Asked, answered: &'a mut Answered) -> &'a mut [Value] {
    match asked.searches() && answered.is_success() {
        true => answered.list("data").map_or(&mut [], Vec::as_mut_slice),
        false => &mut [],
    }
}

fn of_asgi() -> Vec<Fault> {
    let planted =
        |name, clause: String, wrong, path: &str| fault(name, clause, wrong).of(ASGI).shown_by([read(ASGI, path)]);
    vec![
        planted(
            "asgi-search-finds-the-same",
            operation("search_organizations_by_description"),
            "A search for organizations ignores the description.",
            SIMILAR,
        )
        .request(|asked| {
            if asked.calls("search_organizations_by_description") {
                asked.set("description", "organic+fertilizer");
            }
        }),
        planted(
            "asgi-search-is-in-no-order",
            operation("search_organizations_by_customer"),
            "A search for organizations by customers is in the order of ids.",
            "/search/organizations/similar-customers?organization_customer=city+governments",
        )
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_customer") {
                found(asked, answered).sort_by_key(|result| result["id"].as_u64());
            }
        }),
        planted(
            "asgi-search-repeats-a-record",
            operation("search_products_by_description"),
            "A search for products has its first result twice.",
            "/search/products/similar?description=solar+panels",
        )
        .answer(|asked, answered| {
            if asked.calls("search_products_by_description")
                && let [first, .., last] = found(asked, answered)
            {
                last.clone_from(first);
            }
        }),
        planted(
            "asgi-last-result-has-no-score",
            operation("search_organizations_by_organization"),
            "The last organization that is similar to a known one has no score.",
            "/search/organizations/5004/similar",
        )
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_organization")
                && let Some(last) = found(asked, answered).last_mut()
            {
                last["score"] = Value::Null;
            }
        }),
        planted(
            "asgi-no-logo",
            "/components/schemas/OrganizationSearchResult".to_owned(),
            "Organizations come without their logos.",
            SIMILAR,
        )
        .answer(|asked, answered| {
            for result in found(asked, answered) {
                if let Some(fields) = result.as_object_mut() {
                    fields.remove("logo");
                }
            }
        }),
        planted(
            "asgi-scores-are-one",
            operation("search_organizations_by_description"),
            "All organizations that match a description have the same score.",
            SIMILAR,
        )
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_description") {
                for result in found(asked, answered) {
                    result["score"] = json!(0.5);
                }
            }
        }),
        planted(
            "asgi-products-of-unknown-companies",
            "/components/schemas/ProductSearchResult".to_owned(),
            "The companies of products have ids that no search knows.",
            "/search/products/similar?description=solar+panels",
        )
        .answer(|asked, answered| {
            if asked.segment(1) == "products" {
                for product in found(asked, answered) {
                    let id = product["company"]["id"].as_u64();
                    product["company"]["id"] = json!(id.map(|id| id + 900_000));
                }
            }
        }),
    ]
}

fn of_servlet() -> Vec<Fault> {
    let planted = |name, clause: String, wrong, path: &str| {
        fault(name, clause, wrong).of(SERVLET).shown_by([read(SERVLET, path)])
    };
    vec![
        planted(
            "servlet-product-without-its-organization",
            operation("search_products_by_customer"),
            "The first product of a search by customers comes without its organization.",
            "/search/products/similar-customers?product_customer=alpine+clubs",
        )
        .answer(|asked, answered| {
            if asked.calls("search_products_by_customer")
                && let Some([first, ..]) = answered.list("content").map(Vec::as_mut_slice)
            {
                first["company"] = Value::Null;
            }
        }),
        planted(
            "servlet-products-without-prices",
            "/components/schemas/ProductSearchResult".to_owned(),
            "Products come without their prices.",
            "/search/products/similar?description=mushrooms",
        )
        .answer(|asked, answered| {
            if asked.segment(1) == "products" {
                for product in answered.list("content").into_iter().flatten() {
                    if let Some(fields) = product.as_object_mut() {
                        fields.remove("price");
                    }
                }
            }
        }),
        planted(
            "servlet-customers-are-not-looked-at",
            operation("search_organizations_by_customer"),
            "A search for organizations by customers finds what is similar for one and the same.",
            "/search/organizations/similar-customers?organization_customer=alpine+clubs",
        )
        .request(|asked| {
            if asked.calls("search_organizations_by_customer") {
                asked.set("organization_customer", "city+governments");
            }
        }),
        planted(
            "servlet-known-product-is-not-looked-at",
            operation("search_products_by_product"),
            "A search by a known product finds what is similar to one and the same.",
            "/search/products/400061/similar",
        )
        .request(|asked| {
            if asked.calls("search_products_by_product") {
                asked.set_segment(2, 400_021);
            }
        }),
        planted(
            "servlet-found-product-is-unknown",
            operation("search_products_by_product"),
            "Some products that a search finds are not found by their ids.",
            "/search/products/400061/similar",
        )
        .answer(|asked, answered| {
            let id = asked.segment(2).parse::<u64>();
            if asked.calls("search_products_by_product") && id.is_ok_and(|id| id % 40 > 20) {
                answered.status = axum::http::StatusCode::NOT_FOUND;
                answered.set_text("{}");
            }
        }),
        planted(
            "servlet-products-name-another-company",
            "/components/schemas/ProductSearchResult".to_owned(),
            "A product shows the name of another company beside the id of its own.",
            "/search/products/similar?description=mushrooms",
        )
        .answer(|asked, answered| {
            if asked.segment(1) == "products" {
                for product in answered.list("content").into_iter().flatten() {
                    let id = product["company"]["id"].as_u64().unwrap_or_default();
                    product["company"]["legalName"] = json!(format!("Company {}", id / 10 * 10 + 1));
                }
            }
        }),
        planted(
            "servlet-no-contact-by-id",
            operation("search_organizations_by_organization"),
            "A search by a known organization returns no contact information.",
            "/search/organizations/40006/similar",
        )
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_organization") {
                for result in answered.list("content").into_iter().flatten() {
                    result["company"]["contact"] = Value::Null;
                }
            }
        }),
    ]
}
