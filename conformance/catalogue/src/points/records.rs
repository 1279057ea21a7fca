//! Points about the fields of an organization or of a product.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::observation::{ObservationResult, observed, observed_value, on_each, unknown_without};
use super::{Point, point};
use engine::session::Probe;
use platform_contract::Contract;
use searches::calls::{Finds, Search, results};
use searches::record::empty_text;

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    let of = |finds: Finds, id, question, schema: &str| {
        let fields = named_by(contract, schema);
        let mut searches = searches.clone();
        searches.retain(|search| search.finds == finds);
        point(
            id,
            question,
            (
                "fields",
                json!(fields),
                "Every record has these fields; it may have more, which clients ignore.",
            ),
        )
        .or(
            "some-fields",
            "Some of the contract's fields are missing; the value lists the fields that every record has.",
        )
        .answered_at(&format!("/components/schemas/{schema}"))
        .found_out("Reads the first page of every search.")
        .by(on_each(&searches, move |probe, search| {
            fields_of(probe, search, fields.clone())
        }))
    };
    vec![
        point(
            "unknown-text",
            "How is an unknown text represented in a search result?",
            ("null", Value::Null, "As null: no text is empty."),
        )
        .or("empty", "As an empty text, in some record.")
        .answered_by("/components/schemas/Organization", "No text is empty.")
        .found_out("Reads the first page of every search.")
        .by(on_each(&searches, unknown_texts)),
        of(
            Finds::Organizations,
            "organization-fields",
            "Which fields does an organization in a search result have?",
            "Organization",
        ),
        of(
            Finds::Products,
            "product-fields",
            "Which fields does a product in a search result have?",
            "Product",
        ),
    ]
}

/// Returns the fields that the contract requires in every record of a schema, as paths.
fn named_by(contract: &Contract, schema: &str) -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    let reference = json!({ "$ref": format!("#/components/schemas/{schema}") });
    collect_named(contract, &reference, "", &mut fields);
    fields
}

fn collect_named(contract: &Contract, schema: &Value, path: &str, fields: &mut BTreeSet<String>) {
    let schema = contract.resolve(schema);
    // A nullable reference is an allOf with one schema.
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect_named(contract, part, path, fields);
    }
    if schema["type"] == "array" {
        // A list may be empty.
        return;
    }
    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        let path = joined(path, name);
        collect_named(contract, &schema["properties"][name], &path, fields);
        fields.insert(path);
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Collects the fields of a record, as paths. The fields below a null are unknown, so `open` allows all of them.
fn has(record: &Value, field: &str) -> bool {
    let mut node = record;
    for name in field.split('.') {
        match node.get(name) {
            Some(Value::Null) => return true,
            Some(next) => node = next,
            None => return false,
        }
    }
    true
}

/// Collects the paths of everything that a record contains. Lists are not entered.
fn collect_held(node: &Value, path: &str, fields: &mut BTreeSet<String>) {
    for (name, value) in node.as_object().into_iter().flatten() {
        let path = joined(path, name);
        collect_held(value, &path, fields);
        fields.insert(path);
    }
}

/// Observes whether a record of the first page has an empty text.
async fn unknown_texts(probe: Probe, search: Search) -> ObservationResult {
    let page = probe.ok(search.call(&probe)?.send().await?)?;
    let records = results(&page);
    match records.iter().any(|record| empty_text(record).is_some()) {
        _ if records.is_empty() => unknown_without("a search that finds a record"),
        true => observed("empty", &[&page]),
        false => observed("null", &[&page]),
    }
}

/// Observes the fields that every record of the first page has.
async fn fields_of(probe: Probe, search: Search, named: BTreeSet<String>) -> ObservationResult {
    let page = probe.ok(search.call(&probe)?.send().await?)?;
    let records = results(&page);
    if records.is_empty() {
        return unknown_without("a search that finds a record");
    }
    let all_have = |field: &String| records.iter().all(|record| has(record, field));
    if named.iter().all(all_have) {
        return observed_value("fields", json!(named), &[&page]);
    }
    let mut held = BTreeSet::new();
    for record in records {
        collect_held(record, "", &mut held);
    }
    held.retain(all_have);
    observed_value("some-fields", json!(held), &[&page])
}
