//! The JSON Schemas of the types, for the feature `schemars`.

use serde_json::{Map, Value};
use syn::parse::Parser;
use syn::{Attribute, Fields, Item, parse_quote};

use crate::contract::Contract;
use crate::error::{Error, Result};
use crate::names::name_of;
use crate::syntax::module;
use crate::unknown::json_name;

/// Constraints that a schema has and a Rust type does not. The server enforces them, the types do not.
const BOUNDS: &[&str] = &[
    "minimum",
    "maximum",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// Derives the schemas of all types, and adds the contract's bounds.
pub(crate) fn derive(file: &mut syn::File, contract: &Contract) -> Result<()> {
    for item in module(&mut file.items, "types")? {
        match item {
            Item::Struct(item) => {
                item.attrs.push(derived());
                let schema = contract.schema(&item.ident.to_string())?;
                if let Fields::Named(fields) = &mut item.fields {
                    for field in &mut fields.named {
                        let property = contract.property(schema, &json_name(field));
                        bound(&mut field.attrs, property, contract)?;
                    }
                }
            }
            Item::Enum(item) => {
                item.attrs.push(derived());
                let schema = contract.schema(&item.ident.to_string())?;
                for variant in &mut item.variants {
                    let mut choices = schema["oneOf"].as_array().into_iter().flatten();
                    let choice = choices.find(|choice| choice["title"] == variant.ident.to_string());
                    bound(&mut variant.attrs, choice, contract)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn derived() -> Attribute {
    parse_quote!(#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))])
}

/// Adds the bounds of `schema` to a field or a variant.
fn bound(attrs: &mut Vec<Attribute>, schema: Option<&Value>, contract: &Contract) -> Result<()> {
    let Some(schema) = schema else { return Ok(()) };
    let mut bounds = bounds(contract, schema);
    if let Some(items) = schema.get("items")
        && let mut of_items = self::bounds(contract, items)
        && !of_items.is_empty()
    {
        of_items.insert("type".to_owned(), contract.resolved(items)["type"].clone());
        bounds.insert("items".to_owned(), Value::Object(of_items));
    }
    if bounds.is_empty() {
        return Ok(());
    }
    let entries = bounds.iter().map(|(keyword, value)| format!("{keyword:?} = {value}"));
    let entries = entries.collect::<Vec<_>>().join(", ");
    let text = format!(r#"#[cfg_attr(feature = "schemars", schemars(extend({entries})))]"#);
    let parsed = Attribute::parse_outer.parse_str(&text);
    attrs.extend(parsed.map_err(|error| Error::form(format!("`{text}` is not an attribute: {error}")))?);
    Ok(())
}

/// Returns the bounds in `schema`. Hand-written types have their own, so theirs are empty.
fn bounds(contract: &Contract, schema: &Value) -> Map<String, Value> {
    let name = schema["$ref"].as_str().map(name_of);
    if name
        .or(schema["x-type-name"].as_str())
        .is_some_and(crate::is_hand_written)
    {
        return Map::new();
    }
    let keywords = contract.resolved(schema).as_object();
    keywords
        .into_iter()
        .flatten()
        .filter(|(keyword, value)| {
            // Other formats describe numbers, dates and times, which have their own types.
            let is_uri = *keyword == "format" && value.as_str().is_some_and(|format| format.starts_with("uri"));
            is_uri || BOUNDS.contains(&keyword.as_str())
        })
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect()
}
