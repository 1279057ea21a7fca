//! What a record of an organization or of a product holds.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::sight::{Seen, across, saw_value, untold};
use super::{Point, point};
use crate::search::calls::{Finds, Search, results};
use engine::session::Probe;
use platform_contract::Contract;

pub(super) fn points() -> Vec<Point> {
    let of = |finds: Finds, id, question, schema: &str| {
        let fields = named_by(schema);
        point(
            id,
            question,
            (
                "fields",
                json!(fields),
                "Every record has these; it may have more, which clients ignore.",
            ),
        )
        .or(
            "some-fields",
            "Of those of the contract it lacks some: the value names all that every record has.",
        )
        .answered_at(&format!("/components/schemas/{schema}"))
        .found_out("Reads the first page of every search.")
        .by(move |probe| fields_of(probe, finds, fields.clone()))
    };
    vec![
        of(
            Finds::Organizations,
            "organization-fields",
            "Which fields has an organization that a search finds?",
            "Organization",
        )
        .governing(["schema/search_organizations_*/200"]),
        of(
            Finds::Products,
            "product-fields",
            "Which fields has a product that a search finds?",
            "Product",
        )
        .governing([
            "schema/search_products_*/200",
            "search-ranking/organization-is-whole/*",
        ]),
    ]
}

/// The fields that the contract has in every record of a schema, as paths.
fn named_by(schema: &str) -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    let reference = json!({ "$ref": format!("#/components/schemas/{schema}") });
    collect_named(&reference, "", &mut fields);
    fields
}

fn collect_named(schema: &Value, path: &str, fields: &mut BTreeSet<String>) {
    let schema = Contract::bundled().resolve(schema);
    // "That schema, or null" is an allOf of one.
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect_named(part, path, fields);
    }
    if schema["type"] == "array" {
        // Nothing tells of entries that need not be there.
        return;
    }
    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        let path = joined(path, name);
        collect_named(&schema["properties"][name], &path, fields);
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

/// The fields of a record, as paths. What stands behind a null cannot be seen, and `open` says that all of
/// it may be there.
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

/// The paths of everything that a record holds, lists left whole.
fn collect_held(node: &Value, path: &str, fields: &mut BTreeSet<String>) {
    for (name, value) in node.as_object().into_iter().flatten() {
        let path = joined(path, name);
        collect_held(value, &path, fields);
        fields.insert(path);
    }
}

async fn fields_of(probe: Probe, finds: Finds, named: BTreeSet<String>) -> Seen {
    let searches = Search::all()
        .into_iter()
        .filter(|search| search.finds == finds);
    let by_id = searches.map(|search| (search.operation.id.clone(), search));
    across(by_id, |search| {
        let (probe, named) = (probe.clone(), named.clone());
        async move {
            let page = probe.ok(search.call(&probe)?.send().await?)?;
            let records = results(&page);
            if records.is_empty() {
                return untold("a search that finds a record");
            }
            if named
                .iter()
                .all(|field| records.iter().all(|record| has(record, field)))
            {
                return saw_value("fields", json!(named), &[&page]);
            }
            let mut held = BTreeSet::new();
            records
                .iter()
                .for_each(|record| collect_held(record, "", &mut held));
            held.retain(|field| records.iter().all(|record| has(record, field)));
            saw_value("some-fields", json!(held), &[&page])
        }
    })
    .await
}
