//! Records that differ between searches, lists and pages, and wrong order deep in a list.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use crate::exchange::{Answered, Asked};
use crate::fault::{Family, Fault, fault, operation, parameter, property, response};
use crate::witness::{add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "shown",
    title: "Records in several places, order deep in a list, encodings",
    faults,
};

fn faults() -> Vec<Fault> {
    [of_records(), of_items(), of_depth(), of_texts(), of_encodings()]
        .into_iter()
        .flatten()
        .collect()
}

/// Gives every twentieth item of a list these columns of the item before it.
fn as_before(asked: &Asked, answered: &mut Answered, is_copied: fn(&str) -> bool) {
    let items = answered.list("items").filter(|_| asked.calls("list_items"));
    for twenty in items.map(Vec::as_mut_slice).unwrap_or_default().chunks_exact_mut(20) {
        let before = twenty[18]["values"].clone();
        let entries = twenty[19]["values"].as_object_mut().into_iter().flatten();
        for (column, entry) in entries.filter(|(column, _)| is_copied(column)) {
            entry.clone_from(&before[column]);
        }
    }
}

fn of_records() -> Vec<Fault> {
    vec![
        fault(
            "locations-begin-with-the-headquarters",
            property("Organization", "locations"),
            "The offices of an organization are all of its locations, the headquarters first.",
        )
        .shown_by([get("/search/organizations/similar?description=fish")])
        .answer(|asked, answered| {
            if asked.searches() {
                answered.organizations(|organization| {
                    let headquarters = organization["headquarters"].clone();
                    let locations = organization["locations"].as_array_mut();
                    if let Some(locations) = locations.filter(|locations| !locations.is_empty()) {
                        locations.insert(0, headquarters);
                    }
                });
            }
        }),
        fault(
            "norway-is-false",
            "/components/schemas/Address/properties/country",
            "The country NO is read as false, as YAML does.",
        )
        .shown_by([get("/search/organizations/similar?description=fish&countries=NO")])
        .answer(|asked, answered| {
            if asked.searches() {
                answered.organizations(|organization| {
                    let country = &mut organization["headquarters"]["country"];
                    if *country == "NO" {
                        *country = false.into();
                    }
                });
            }
        }),
        fault(
            "organizations-of-products-are-stubs",
            "/components/schemas/ProductSearchResult",
            "A product shows only the id, the name and the domain of its organization.",
        )
        .shown_by([get("/search/products/similar?description=cold")])
        .answer(|asked, answered| {
            if asked.path.starts_with("/search/products/") {
                answered.organizations(|organization| {
                    if let Some(members) = organization.as_object_mut() {
                        members.retain(|name, _| ["organization_id", "name", "domain"].contains(&name.as_str()));
                    }
                });
            }
        }),
        fault(
            "only-the-categories-that-were-asked-for",
            property("Product", "categories"),
            "With a filter by category a product shows only those of its categories.",
        )
        .shown_by([get(
            "/search/products/similar?description=cold&business_types=warehousing&limit=100",
        )])
        .answer(|asked, answered| {
            let pairs = asked
                .query
                .split('&')
                .filter_map(|pair| pair.strip_prefix("business_types="));
            let types: Vec<_> = pairs.collect();
            if !types.is_empty() && asked.path.starts_with("/search/products/") {
                answered.results(|product| {
                    if let Some(categories) = product["categories"].as_array_mut() {
                        categories.retain(|one| types.iter().any(|name| one == name));
                    }
                });
            }
        }),
        fault(
            "unknown-entity-data-is-an-empty-text",
            property("ColumnValue", "result"),
            "The result of a field that is not known is an empty text.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=1000")])
        .answer(|_, answered| {
            answered.entries(|column, entry| {
                if !column.starts_with("question.") && entry["result"] == json!([]) {
                    entry["result"] = json!([""]);
                }
            });
        }),
        fault(
            "entity-data-is-old",
            "/components/schemas/Values",
            "The numbers of employees in items are those of another year than in searches.",
        )
        .shown_by([get("/api/v1/pipelines/2/items")])
        .answer(|_, answered| {
            answered.entries(|column, entry| {
                if column == "organization.metrics.employee_count"
                    && let Some(count) = entry["result"].get(0).and_then(Value::as_i64)
                {
                    entry["result"] = json!([count + 1]);
                }
            });
        }),
        fault(
            "every-twentieth-has-the-data-of-its-neighbour",
            "/components/schemas/Values",
            "In a list, every twentieth item has the entity data of the item before it.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=1000")])
        .answer(|asked, answered| as_before(asked, answered, |column| !column.starts_with("question."))),
        fault(
            "every-twentieth-has-the-name-of-its-neighbour",
            "/components/schemas/Values",
            "In a list, every twentieth item has the name of the organization of the item before it.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=1000")])
        .answer(|asked, answered| as_before(asked, answered, |column| column == "organization.name")),
        fault(
            "customers-without-locations",
            property("Organization", "locations"),
            "A search by customer leaves out the locations of organizations.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?organization_customer=ships&limit=100",
        )])
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_customer") {
                answered.results(|result| result["locations"] = json!([]));
            }
        }),
        fault(
            "short-descriptions",
            property("Organization", "description"),
            "A search by a known organization cuts descriptions to 100 characters.",
        )
        .shown_by([get("/search/organizations/1001/similar")])
        .answer(|asked, answered| {
            if asked.calls("search_organizations_by_organization") {
                answered.results(|result| {
                    let short: String = result["description"]
                        .as_str()
                        .unwrap_or_default()
                        .chars()
                        .take(100)
                        .collect();
                    result["description"] = json!(short);
                });
            }
        }),
        fault(
            "products-of-another-organization",
            "/components/schemas/ProductSearchResult".to_owned(),
            "A search by customer shows a product with the organization of the next one.",
        )
        .shown_by([get("/search/products/similar-customers?product_customer=ships")])
        .answer(|asked, answered| {
            if asked.calls("search_products_by_customer")
                && let Some(results) = answered.list("results")
                && let Some(first) = results.first().map(|result| result["organization"].clone())
            {
                for place in 1..results.len() {
                    results[place - 1]["organization"] = results[place]["organization"].take();
                }
                if let Some(last) = results.last_mut() {
                    last["organization"] = first;
                }
            }
        }),
        fault(
            "products-without-features",
            property("Product", "features"),
            "A search for products by customer leaves out features.",
        )
        .shown_by([get("/search/products/similar-customers?product_customer=ships")])
        .answer(|asked, answered| {
            if asked.calls("search_products_by_customer") {
                answered.results(|result| result["features"] = json!([]));
            }
        }),
        fault(
            "filtered-without-funding",
            property("Organization", "metrics"),
            "With a filter on countries, the funding is not shown.",
        )
        .shown_by([get(
            "/search/organizations/similar?description=fish&countries=NO&limit=100",
        )])
        .answer(|asked, answered| {
            if asked.parameter("countries").is_some() {
                answered.organizations(|organization| organization["metrics"]["funding"]["total_usd"] = Value::Null);
            }
        }),
        fault(
            "later-pages-without-contacts",
            property("Organization", "contact"),
            "Pages after the first show no contact.",
        )
        .shown_by([get("/search/products/similar?description=cold&skip=20")])
        .answer(|asked, answered| {
            if asked.number("skip").is_some_and(|skip| skip > 0) {
                answered.organizations(|organization| organization["contact"]["email"] = Value::Null);
            }
        }),
    ]
}

fn of_items() -> Vec<Fault> {
    vec![
        fault(
            "sorted-without-references",
            property("ColumnValue", "references"),
            "A sorted list shows no references.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?sort_by=question.102&limit=100")])
        .answer(|asked, answered| {
            if asked.parameter("sort_by").is_some() {
                answered.entries(|_, entry| entry["references"] = json!([]));
            }
        }),
        fault(
            "short-pages-without-names",
            operation("list_items"),
            "A page of at most ten items shows no entity data.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=5")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && asked.number("limit").is_some_and(|limit| limit <= 10) {
                answered.entries(|column, entry| {
                    if !column.starts_with("question.") {
                        entry["result"] = json!([]);
                    }
                });
            }
        }),
    ]
}

fn of_depth() -> Vec<Fault> {
    vec![
        fault(
            "deep-ties-in-any-order",
            operation("list_items"),
            "In short pages beyond item 600, ties are in descending order of id.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?sort_by=question.102&skip=700&limit=10")])
        .answer(|asked, answered| {
            if asked.parameter("sort_by").is_some() && is_deep(asked, 600) {
                reversed_ids(answered);
            }
        }),
        fault(
            "deep-pages-overlap",
            operation("list_items"),
            "Beyond item 600, a short page of a sorted list begins one item too early.",
        )
        .shown_by([get(
            "/api/v1/pipelines/1/items?sort_by=question.101&sort_order=desc&skip=700&limit=10",
        )])
        .request(|asked| {
            if asked.parameter("sort_by").is_some() && is_deep(asked, 600) {
                asked.change("skip", |skip| skip - 1);
            }
        }),
        fault(
            "deep-results-by-id",
            response("search_organizations_by_description", 200),
            "Short pages beyond result 500 are in order of id.",
        )
        .shown_by([get("/search/organizations/similar?description=fish&skip=700&limit=7")])
        .answer(|asked, answered| {
            if asked.searches()
                && is_deep(asked, 500)
                && let Some(results) = answered.list("results")
            {
                results.sort_by_key(|result| (result["product_id"].as_i64(), result["organization_id"].as_i64()));
            }
        }),
        fault(
            "deep-results-overlap",
            response("search_products_by_customer", 200),
            "Beyond result 400, a page of a search begins one result too early.",
        )
        .shown_by([get(
            "/search/products/similar-customers?product_customer=ships&skip=500&limit=9",
        )])
        .request(|asked| {
            if asked.searches() && is_deep(asked, 400) {
                asked.change("skip", |skip| skip - 1);
            }
        }),
        fault(
            "far-results-by-id",
            response("search_organizations_by_customer", 200),
            "Pages beyond result 500 of a search by customer are in order of id.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?organization_customer=ships&skip=600&limit=100",
        )])
        .answer(|asked, answered| {
            let is_far = asked.number("skip").is_some_and(|skip| skip >= 500);
            if asked.calls("search_organizations_by_customer")
                && is_far
                && let Some(results) = answered.list("results")
            {
                results.sort_by_key(|result| result["organization_id"].as_i64());
            }
        }),
    ]
}

fn is_deep(asked: &Asked, from: i64) -> bool {
    asked.number("skip").is_some_and(|skip| skip > from) && asked.number("limit").is_some_and(|limit| limit <= 20)
}

fn reversed_ids(answered: &mut Answered) {
    if answered.is_success()
        && let Some(items) = answered.list("items")
    {
        let first = |item: &Value| item["values"]["question.102"]["result"].clone();
        for tied in items.chunk_by_mut(|one, other| first(one) == first(other)) {
            tied.reverse();
        }
    }
}

fn of_texts() -> Vec<Fault> {
    let named = |asked: &Asked| {
        ["description", "organization_customer", "product_customer"]
            .into_iter()
            .find(|name| asked.parameter(name).is_some())
    };
    vec![
        fault(
            "last-words-count",
            operation("search_products_by_customer"),
            "Only the last 200 characters of a text count.",
        )
        .shown_by([get(format!(
            "/search/products/similar-customers?product_customer={}fish",
            "steel%20".repeat(60)
        ))])
        .request(move |asked| {
            let Some(name) = named(asked).filter(|_| asked.calls("search_products_by_customer")) else {
                return;
            };
            let text = asked.parameter(name).unwrap_or_default().to_owned();
            let is_usable = (300..1500).contains(&text.len()) && text.is_ascii();
            let start = text.len().saturating_sub(200);
            if let Some((_, end)) = text
                .get(start..)
                .and_then(|end| end.split_once("%20"))
                .filter(|_| is_usable)
            {
                asked.set(name, end);
            }
        }),
        fault(
            "pairs-of-surrogates-count-twice",
            parameter("search_products_by_description", "description", "maxLength"),
            "The length of a product description is counted in UTF-16.",
        )
        .shown_by([get(format!(
            "/search/products/similar?description={}",
            "%F0%9F%90%9F".repeat(1500)
        ))])
        .request(|asked| {
            let text = text_of(asked, "description");
            let is_too_long = text.encode_utf16().count() > 2000;
            if asked.calls("search_products_by_description") && is_too_long {
                asked.set("description", "a".repeat(2001));
            }
        }),
        fault(
            "accents-do-not-count",
            parameter("search_products_by_customer", "product_customer", "maxLength"),
            "An accent that is a character of its own does not count for the length of a customer.",
        )
        .shown_by([get(format!(
            "/search/products/similar-customers?product_customer={}",
            "e%CC%81".repeat(1001)
        ))])
        .request(|asked| {
            let text = text_of(asked, "product_customer");
            let is_accent = |character: &char| ('\u{300}'..='\u{36f}').contains(character);
            let length = text.chars().filter(|character| !is_accent(character)).count();
            if asked.calls("search_products_by_customer") && length <= 2000 && text.chars().count() > 2000 {
                asked.set("product_customer", "a".repeat(length));
            }
        }),
    ]
}

/// The decoded text of a parameter.
fn text_of(asked: &Asked, name: &str) -> String {
    let text = asked.parameter(name).unwrap_or_default();
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn of_encodings() -> Vec<Fault> {
    vec![
        fault(
            "searches-are-decoded-twice",
            response("search_organizations_by_description", 200),
            "The texts of a search are UTF-8 that was read as Latin-1.",
        )
        .shown_by([get("/search/organizations/similar?description=fish&limit=100")])
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() {
                let text: String = answered.text().bytes().map(char::from).collect();
                answered.set_text(text);
            }
        }),
        fault(
            "queries-are-latin-1",
            response("list_items", 422),
            "A query is read as Latin-1.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?gr%C3%B6%C3%9Fe=1")])
        .answer(|_, answered| {
            if answered.status == 422 {
                for error in answered.json()["errors"].as_array_mut().into_iter().flatten() {
                    for place in error["loc"].as_array_mut().into_iter().flatten() {
                        if let Some(text) = place.as_str() {
                            *place = json!(text.bytes().map(char::from).collect::<String>());
                        }
                    }
                }
            }
        }),
        fault(
            "charset-is-latin-1",
            response("get_item_values", 200),
            "UTF-8 is declared as ISO 8859-1.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && answered.is_success() {
                answered.set_header("content-type", "application/json; charset=ISO-8859-1");
            }
        }),
        fault(
            "mark-of-byte-order",
            response("list_items", 200),
            "A list begins with a byte order mark.",
        )
        .shown_by([get("/api/v1/pipelines/2/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                let text = format!("\u{feff}{}", answered.text());
                answered.set_text(text);
            }
        }),
        fault(
            "location-is-elsewhere",
            crate::fault::header("Location"),
            "Location has the name of a machine behind the proxy.",
        )
        .shown_by([add_organization(1001)])
        .answer(|_, answered| {
            let path = answered
                .headers
                .get("location")
                .and_then(|path| path.to_str().ok())
                .map(str::to_owned);
            if let Some(path) = path.filter(|_| answered.status == 201) {
                answered.set_header("location", &format!("http://backend-7.internal:8080{path}"));
            }
        }),
    ]
}
