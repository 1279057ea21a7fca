//! Texts that are encoded or decoded incorrectly, and bodies that are not JSON.

use serde_json::{Value, json};

use crate::exchange::Answered;
use crate::fault::{Family, Fault, fault, operation, property, response};
use crate::witness::get;

pub(super) const FAMILY: Family = Family {
    name: "encoding",
    title: "Encodings",
    faults,
};

fn faults() -> Vec<Fault> {
    let list = || get("/api/v1/pipelines/1/items?limit=200");
    let fish = || get("/search/organizations/similar?description=fish&limit=100");
    let body = |operation| response(operation, 200);
    vec![
        fault(
            "broken-off",
            body("list_items"),
            "A list of more than 100 items is truncated.",
        )
        .shown_by([list()])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() && answered.text().len() > 50_000 {
                let mut text = answered.text();
                text.truncate(text.len() - 2);
                answered.set_text(text);
            }
        }),
        fault(
            "guarded",
            body("list_items"),
            "A list begins with a prefix against script inclusion.",
        )
        .shown_by([list()])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                let text = format!(")]}}',\n{}", answered.text());
                answered.set_text(text);
            }
        }),
        fault(
            "two-documents",
            body("get_item_status"),
            "A status is followed by an empty object.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && answered.is_success() {
                let text = format!("{}{{}}", answered.text());
                answered.set_text(text);
            }
        }),
        fault(
            "nothing-at-all",
            body("search_products_by_description"),
            "A search for products has an empty body.",
        )
        .shown_by([get("/search/products/similar?description=fish")])
        .answer(|asked, answered| {
            if asked.calls("search_products_by_description") && answered.is_success() {
                answered.set_text("");
            }
        }),
        fault(
            "json-in-a-text",
            body("get_item_values"),
            "Values are JSON inside a JSON string.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && answered.is_success() {
                *answered.json() = json!(answered.text());
            }
        }),
        fault(
            "latin-1",
            body("search_organizations_by_description"),
            "Names are sent in Latin-1.",
        )
        .shown_by([
            fish(),
            get("/search/organizations/similar?description=soci%C3%A9t%C3%A9&limit=100"),
        ])
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() {
                let text = answered.text();
                let bytes: Vec<u8> = text
                    .chars()
                    .map(|character| u8::try_from(u32::from(character)).unwrap_or(b'?'))
                    .collect();
                answered.set_text(bytes);
            }
        }),
        fault(
            "not-a-number",
            body("search_organizations_by_description"),
            "A distance is NaN, which is not JSON.",
        )
        .shown_by([fish()])
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() {
                let text = answered
                    .text()
                    .replacen("\"cosine_distance\":", "\"cosine_distance\":NaN,\"was\":", 1);
                answered.set_text(text);
            }
        }),
        fault(
            "values-are-ascii",
            operation("get_item_values"),
            "Reading an item shows a question mark for every non-ASCII letter.",
        )
        .shown_by((1..90).map(|item| get(format!("/api/v1/pipelines/1/items/{}/values", 100_000 + item * 14))))
        .answer(|asked, answered| {
            if asked.calls("get_item_values") {
                respelled(answered, |text| {
                    text.chars()
                        .map(|character| if character.is_ascii() { character } else { '?' })
                        .collect()
                });
            }
        }),
        fault(
            "values-are-escaped",
            operation("get_item_values"),
            "Reading an item shows texts escaped for HTML.",
        )
        .shown_by((1..90).map(|item| get(format!("/api/v1/pipelines/1/items/{}/values", 100_000 + item * 14))))
        .answer(|asked, answered| {
            if asked.calls("get_item_values") {
                respelled(answered, |text| {
                    text.replace('&', "&amp;").replace('\'', "&#39;").replace(' ', "&nbsp;")
                });
            }
        }),
        fault(
            "large-ids-lose-digits",
            property("Problem", "instance"),
            "Numbers of the path are read as floats: the instance of the greatest id ends in zeros.",
        )
        .shown_by([get("/api/v1/pipelines/9007199254740991/items")])
        .answer(|_, answered| {
            if answered.status == 404
                && answered.json()["instance"]
                    .as_str()
                    .is_some_and(|path| path.contains("9007199254740991"))
            {
                let path = answered.json()["instance"]
                    .as_str()
                    .unwrap_or_default()
                    .replace("9007199254740991", "9007199254740990");
                answered.json()["instance"] = json!(path);
            }
        }),
        fault(
            "instance-is-encoded-twice",
            property("Problem", "instance"),
            "The path in an error is percent-encoded twice.",
        )
        .shown_by([get("/nothing%20here"), get("/api/v1/pipelines/a%20b/items")])
        .answer(|_, answered| {
            if answered.status.is_client_error() {
                let path = answered.json()["instance"]
                    .as_str()
                    .map(|path| path.replace('%', "%25").replace('/', "%2F"));
                answered.json()["instance"] = json!(path);
            }
        }),
    ]
}

/// Changes every text of every result of every item.
fn respelled(answered: &mut Answered, change: fn(&str) -> String) {
    answered.entries(|_, entry| {
        for value in entry["result"].as_array_mut().into_iter().flatten() {
            if let Value::String(text) = value {
                *text = change(text);
            }
        }
    });
}
