//! Bodies of successes that do not fit the contract's schemas.

use serde_json::{Value, json};

use crate::fault::{Family, Fault, fault, property, response};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "schema",
    title: "The form of responses",
    faults,
};

fn faults() -> Vec<Fault> {
    let mut faults = of_lists();
    faults.extend(of_organizations());
    faults.extend(of_products());
    faults
}

fn of_lists() -> Vec<Fault> {
    let of = |name| property("PipelineItem", name);
    let list = || get("/api/v1/pipelines/2/items");
    let item = |name: &str, clause: String, wrong: &'static str, change: fn(&mut Value)| {
        fault(name, clause, wrong)
            .shown_by([list()])
            .answer(move |_, answered| answered.items(change))
    };
    vec![
        item(
            "item-lacks-person",
            of("person_id"),
            "An item has no person_id.",
            |item| remove(item, "person_id"),
        ),
        item(
            "document-is-zero",
            of("document_id"),
            "An item without a document has the document 0.",
            |item| item["document_id"] = json!(0),
        ),
        item(
            "ids-are-texts",
            of("pipeline_item_id"),
            "The id of an item is a string.",
            |item| item["pipeline_item_id"] = json!(item["pipeline_item_id"].to_string()),
        ),
        item(
            "kind-in-capitals",
            of("entity_type"),
            "The entity_type of an item is in capitals.",
            |item| item["entity_type"] = json!(item["entity_type"].as_str().unwrap_or_default().to_uppercase()),
        ),
        item(
            "kind-is-company",
            of("entity_type"),
            "The entity_type of an organization is company.",
            |item| {
                if item["entity_type"] == "organization" {
                    item["entity_type"] = json!("company");
                }
            },
        ),
        item(
            "values-are-a-list",
            of("values"),
            "Values are an array of entries.",
            |item| {
                let entries = item["values"].as_object().into_iter().flatten();
                item["values"] = entries
                    .map(|(column, entry)| json!({"column": column, "entry": entry}))
                    .collect();
            },
        ),
        item(
            "values-are-null",
            of("values"),
            "An item of a list has no values.",
            |item| item["values"] = Value::Null,
        ),
        fault(
            "total-is-a-text",
            property("ItemPage", "total_count"),
            "total_count of a list is a string.",
        )
        .shown_by([list()])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                answered.json()["total_count"] = json!(answered.json()["total_count"].to_string());
            }
        }),
        fault(
            "list-is-bare",
            response("list_items", 200),
            "A list is an array without an envelope.",
        )
        .shown_by([list()])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                *answered.json() = answered.json()["items"].take();
            }
        }),
        fault(
            "values-are-wrapped",
            response("get_item_values", 200),
            "The response to reading an item is an array.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && answered.is_success() {
                *answered.json() = json!([answered.json().take()]);
            }
        }),
        fault(
            "success-is-204",
            response("get_item_status", 200),
            "A status gets 204, without a body.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && answered.is_success() {
                answered.set_text("");
                answered.status = axum::http::StatusCode::NO_CONTENT;
            }
        }),
    ]
}

fn of_organizations() -> Vec<Fault> {
    let fish = || get("/search/organizations/similar?description=fish&limit=100");
    let organization = |name: &str, clause: (&str, &str), wrong: &'static str, change: fn(&mut Value)| {
        fault(name, property(clause.0, clause.1), wrong)
            .shown_by([fish()])
            .answer(move |_, answered| answered.organizations(change))
    };
    vec![
        organization(
            "unknown-is-left-out",
            ("Organization", "domain"),
            "Unknown fields of an organization are omitted.",
            |organization| {
                if let Some(organization) = organization.as_object_mut() {
                    organization.retain(|_, value| !value.is_null());
                }
                remove(organization, "domain");
            },
        ),
        organization(
            "unknown-is-an-empty-text",
            ("Organization", "domain"),
            "An unknown city or domain of an organization is an empty text.",
            |organization| {
                for member in [
                    "/domain",
                    "/headquarters/street",
                    "/headquarters/city",
                    "/contact/phone",
                ] {
                    if let Some(text) = organization.pointer_mut(member).filter(|text| text.is_null()) {
                        *text = json!("");
                    }
                }
            },
        ),
        organization(
            "group-is-null",
            ("Organization", "contact"),
            "The contact of an organization without contacts is null.",
            |organization| organization["contact"] = Value::Null,
        ),
        organization(
            "locations-are-null",
            ("Organization", "locations"),
            "The locations of an organization without another office are null.",
            |organization| {
                if organization["locations"] == json!([]) {
                    organization["locations"] = Value::Null;
                }
            },
        ),
        organization(
            "size-is-a-range",
            ("CompanyMetrics", "employee_count"),
            "The number of employees is a range.",
            |organization| {
                organization["metrics"]["employee_count"] = json!("51-200");
            },
        ),
        organization(
            "size-is-negative",
            ("CompanyMetrics", "employee_count"),
            "An unknown number of employees is -1.",
            |organization| {
                if organization["metrics"]["employee_count"].is_null() {
                    organization["metrics"]["employee_count"] = json!(-1);
                }
            },
        ),
        organization(
            "founded-in-a-year",
            ("CompanyMetrics", "founded_on"),
            "The founding date is a year.",
            |organization| {
                let year = organization["metrics"]["founded_on"]
                    .as_str()
                    .and_then(|date| date.get(..4))
                    .map(str::to_owned);
                organization["metrics"]["founded_on"] = json!(year);
            },
        ),
        organization(
            "date-has-a-time",
            ("Funding", "last_round_on"),
            "The date of a funding round has a time.",
            |organization| {
                let date = organization["metrics"]["funding"]["last_round_on"]
                    .as_str()
                    .map(|date| format!("{date}T00:00:00Z"));
                organization["metrics"]["funding"]["last_round_on"] = json!(date);
            },
        ),
        organization(
            "money-has-a-fraction",
            ("Funding", "total_usd"),
            "Amounts of money have cents.",
            |organization| {
                if let Some(total) = organization["metrics"]["funding"]["total_usd"].as_f64() {
                    organization["metrics"]["funding"]["total_usd"] = json!(total + 0.5);
                }
            },
        ),
        organization(
            "country-is-a-name",
            ("Address", "country"),
            "A country is a name, not a code.",
            |organization| {
                organization["headquarters"]["country"] = organization["headquarters"]["country_name"].clone();
            },
        ),
        organization(
            "country-has-three-letters",
            ("Address", "country"),
            "A country has three letters.",
            |organization| {
                let country = organization["headquarters"]["country"]
                    .as_str()
                    .map(|country| format!("{country}X"));
                organization["headquarters"]["country"] = json!(country);
            },
        ),
        organization(
            "region-lacks-its-country",
            ("Address", "region"),
            "A region has no country prefix.",
            |organization| {
                let region = organization["headquarters"]["region"]
                    .as_str()
                    .and_then(|region| region.get(3..))
                    .map(str::to_owned);
                organization["headquarters"]["region"] = json!(region);
            },
        ),
        organization(
            "website-has-no-scheme",
            ("Contact", "website_url"),
            "A web site has no scheme.",
            |organization| {
                let site = organization["contact"]["website_url"]
                    .as_str()
                    .map(|site| site.trim_start_matches("https://").to_owned());
                organization["contact"]["website_url"] = json!(site);
            },
        ),
        organization(
            "social-is-a-list",
            ("Contact", "social"),
            "Profiles are an array.",
            |organization| organization["contact"]["social"] = json!([]),
        ),
        organization(
            "name-is-null",
            ("Organization", "name"),
            "An organization has no name.",
            |organization| organization["name"] = Value::Null,
        ),
        fault(
            "no-similarity",
            "/components/schemas/OrganizationSearchResult",
            "A result has no distance.",
        )
        .shown_by([fish()])
        .answer(|_, answered| {
            answered.results(|result| remove(result, "similarity"));
        }),
        fault(
            "no-similarity-on-long-pages",
            "/components/schemas/OrganizationSearchResult",
            "From the 51st of a page on, a result has no distance.",
        )
        .shown_by([get("/search/organizations/similar?description=fish&limit=60")])
        .answer(|asked, answered| {
            if asked.searches() {
                let results = answered.list("results").into_iter().flatten();
                results.skip(50).for_each(|result| remove(result, "similarity"));
            }
        }),
        fault(
            "distance-is-a-text",
            property("Similarity", "cosine_distance"),
            "A distance is a string.",
        )
        .shown_by([fish()])
        .answer(|_, answered| {
            answered.results(|result| {
                result["similarity"]["cosine_distance"] = json!(result["similarity"]["cosine_distance"].to_string());
            });
        }),
        fault(
            "total-is-missing",
            property("OrganizationSearchPage", "total_count"),
            "A search has no total_count.",
        )
        .shown_by([fish()])
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() {
                remove(answered.json(), "total_count");
            }
        }),
    ]
}

fn of_products() -> Vec<Fault> {
    let product = |name: &str, clause: (&str, &str), wrong: &'static str, change: fn(&mut Value)| {
        let witness: Witness = get("/search/products/similar?description=fish&limit=100");
        fault(name, property(clause.0, clause.1), wrong)
            .shown_by([witness])
            .answer(move |_, answered| {
                answered.results(|result| {
                    if result.get("product_id").is_some() {
                        change(result);
                    }
                });
            })
    };
    vec![
        product(
            "features-are-a-text",
            ("Product", "features"),
            "Features are one string.",
            |product| product["features"] = json!("fast, light"),
        ),
        product(
            "categories-are-titles",
            ("Product", "categories"),
            "Categories are titles instead of slugs.",
            |product| {
                for category in product["categories"].as_array_mut().into_iter().flatten() {
                    *category = json!(category.as_str().unwrap_or_default().replace('_', " "));
                }
                product["categories"]
                    .as_array_mut()
                    .into_iter()
                    .for_each(|categories| categories.push(json!("Consumer Goods")));
            },
        ),
        product(
            "price-is-a-text",
            ("Pricing", "starts_at"),
            "A price is a string.",
            |product| {
                product["pricing"]["starts_at"] = json!("from 19.50");
            },
        ),
        product(
            "price-is-negative",
            ("Pricing", "starts_at"),
            "A price on request is -1.",
            |product| {
                if product["pricing"]["starts_at"].is_null() {
                    product["pricing"]["starts_at"] = json!(-1);
                }
            },
        ),
        product(
            "currency-is-a-sign",
            ("Pricing", "currency"),
            "A currency is a symbol.",
            |product| product["pricing"]["currency"] = json!("€"),
        ),
        product(
            "pricing-is-null",
            ("Product", "pricing"),
            "The pricing of a product without a price is null.",
            |product| {
                if product["pricing"]["starts_at"].is_null() {
                    product["pricing"] = Value::Null;
                }
            },
        ),
        product(
            "audiences-are-missing",
            ("Product", "target_audiences"),
            "A product has no target_audiences.",
            |product| remove(product, "target_audiences"),
        ),
    ]
}

fn remove(value: &mut Value, member: &str) {
    value.as_object_mut().map(|object| object.remove(member));
}
