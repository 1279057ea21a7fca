//! Schemas: the types of values, their limits, and the objects of the contract.

use maud::{Markup, PreEscaped, html};
use platform_contract::Contract;
use serde_json::Value;

use super::text::{markdown, string};

/// Every named schema of the contract.
pub(super) fn all(contract: &Contract) -> Markup {
    let schemas = contract.document()["components"]["schemas"].as_object();
    html! {
        section #schemas data-group="" {
            h2 { a.anchor href="#schemas" { "Schemas" } }
            @for (name, schema) in schemas.into_iter().flatten() {
                article id={ "schema-" (name) } .schema data-block="" {
                    h3 { a.anchor href={ "#schema-" (name) } { (name) } " " span.kind { (own_kind(schema)) } }
                    (markdown(string(schema, "description")))
                    (limits(contract, schema))
                    (properties(contract, schema))
                }
            }
        }
    }
}

/// The members of an object.
fn properties(contract: &Contract, schema: &Value) -> Markup {
    let Some(properties) = schema["properties"].as_object() else {
        return html! {};
    };
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|names| names.contains(&name.into()));
    html! {
        dl.rows {
            @for (name, property) in properties {
                div.row {
                    dt {
                        code { (name) } " " span.kind { (kind(property)) }
                        @if !is_required(name) { " " span.note { "may be absent" } }
                    }
                    dd {
                        (markdown(string(property, "description")))
                        (limits(contract, property))
                    }
                }
            }
        }
    }
}

/// The type of a value, with links to the schemas that it references.
pub(super) fn kind(schema: &Value) -> Markup {
    html! {
        (own_kind(schema))
        @if schema["nullable"] == true { " or null" }
    }
}

fn own_kind(schema: &Value) -> Markup {
    if let Some(name) = string(schema, "$ref").rsplit_once('/').map(|(_, name)| name) {
        return html! { a href={ "#schema-" (name) } { (name) } };
    }
    let parts = ["allOf", "oneOf", "anyOf"]
        .iter()
        .find_map(|word| schema[*word].as_array());
    if let Some(parts) = parts {
        let parts: Vec<_> = parts.iter().map(|part| kind(part).into_string()).collect();
        return PreEscaped(parts.join(" or "));
    }
    match (string(schema, "type"), string(schema, "format")) {
        ("array", _) => html! { "list of " (kind(&schema["items"])) },
        ("object", _) if schema["additionalProperties"].is_object() => {
            html! { "map of " (kind(&schema["additionalProperties"])) }
        }
        ("", _) => html! { "any value" },
        (kind, "") => html! { (kind) },
        (kind, format) => html! { (kind) ", " (format) },
    }
}

/// The limits of a value beyond its type; for a reference, the limits of its target.
pub(super) fn limits(contract: &Contract, schema: &Value) -> Markup {
    let list = listed(contract, schema);
    html! {
        @if !list.is_empty() {
            ul.limits { @for limit in list { li { (limit) } } }
        }
    }
}

fn listed(contract: &Contract, schema: &Value) -> Vec<Markup> {
    let node = contract.resolve(schema);
    let mut list = Vec::new();
    for (least, most, unit) in [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " values"),
    ] {
        let range = match (node.get(least), node.get(most)) {
            (Some(least), Some(most)) => format!("{least} to {most}{unit}"),
            (Some(least), None) => format!("at least {least}{unit}"),
            (None, Some(most)) => format!("at most {most}{unit}"),
            (None, None) => continue,
        };
        list.push(html! { (range) });
    }
    if let Some(pattern) = node["pattern"].as_str() {
        list.push(html! { "matches " code { (pattern) } });
    }
    if let Some(values) = node["enum"].as_array() {
        let values = values.iter().filter(|value| !value.is_null());
        list.push(html! { "one of " @for value in values { code { (plain(value)) } " " } });
    }
    if let Some(values) = node["x-known-values"].as_object() {
        list.push(html! {
            "known values"
            dl.values {
                @for (value, meaning) in values {
                    div { dt { code { (value) } } dd { (markdown(&plain(meaning))) } }
                }
            }
        });
    }
    if let Some(default) = node.get("default") {
        list.push(html! { "default " code { (plain(default)) } });
    }
    if let Some(items) = node.get("items") {
        let each = listed(contract, items);
        list.extend(each.into_iter().map(|limit| html! { "each: " (limit) }));
    }
    list
}

/// A value as text: a string without its quotes.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
