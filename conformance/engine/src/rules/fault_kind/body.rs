//! The kinds of error of a body, and of its members.

use serde_json::{Map, Value};

use super::Kinds;
use super::value::beyond;
use crate::transport::request::Request;
use platform_contract::{Contract, Operation};

/// The kinds that a body may have.
#[cfg(test)]
pub(super) const KINDS: &[&str] = &["not_json", "not_an_object", "repeated"];
/// The type of a body that is read.
const JSON: &str = "application/json";

/// The kinds that are right at a place of the body: at a member, or at the whole.
pub(super) fn kinds(
    contract: &Contract,
    operation: &Operation,
    request: &Request,
    member: Option<&Value>,
) -> Option<Kinds> {
    let content = &operation.body.as_ref()?.content;
    let (_, schema) = content.iter().find(|(media_type, _)| media_type == JSON)?;
    let schema = contract.resolve(schema);
    let bytes = request.body.as_ref().map(|body| body.bytes()).unwrap_or_default();
    let Ok(text) = String::from_utf8(bytes) else {
        return Some(Kinds::from(["not_utf8", "not_json", "malformed"]));
    };
    if text.trim().is_empty() {
        return Some(Kinds::from([
            "missing",
            "not_json",
            "not_an_object",
            "malformed",
            "blank",
        ]));
    }
    let body = match serde_json::from_str::<Value>(&text) {
        Ok(body) => body,
        // For other readers, a number that does not fit a float is a number beyond a bound.
        Err(error) if error.to_string().contains("number out of range") => return None,
        Err(_) => return Some(Kinds::from(["not_json", "malformed"])),
    };
    let Value::Object(body) = body else {
        return Some(match (member, body) {
            (None, Value::Null) => Kinds::from(["not_an_object", "missing"]),
            (None, _) => Kinds::from(["not_an_object"]),
            (Some(_), _) => Kinds::from(["not_an_object", "missing"]),
        });
    };
    // A reader may reject a key that occurs twice, or let the last value count.
    let is_twice = |name: &String| text.matches(&format!("{name:?}")).count() > 1;
    match member {
        Some(Value::String(name)) => {
            let mut kinds = of_member(contract, schema, &body, name)?;
            if is_twice(name) {
                kinds.extend(["repeated", "malformed"]);
            }
            Some(kinds)
        }
        Some(_) => None,
        // The whole may stand for its members.
        None => {
            let names = body.keys().chain(schema["properties"].as_object()?.keys());
            let kinds = names.filter_map(|name| of_member(contract, schema, &body, name));
            let mut kinds: Kinds = kinds.flatten().collect();
            if body.keys().any(is_twice) {
                kinds.extend(["repeated", "malformed", "not_json"]);
            }
            Some(kinds)
        }
    }
}

fn of_member(contract: &Contract, schema: &Value, body: &Map<String, Value>, name: &str) -> Option<Kinds> {
    let value = body.get(name);
    let Some(property) = schema["properties"].get(name) else {
        return value.map(|_| Kinds::from(["unknown"]));
    };
    let property = contract.resolve(property);
    let required = schema["required"].as_array().into_iter().flatten();
    let is_required = || required.into_iter().any(|known| known == name);
    Some(match value {
        None if is_required() => Kinds::from(["missing"]),
        None => Kinds::new(),
        Some(value) if property["type"] == "integer" => of_integer(property, value),
        Some(_) => return None,
    })
}

fn of_integer(schema: &Value, value: &Value) -> Kinds {
    let mut kinds = match value {
        Value::Number(number) if number.is_i64() => Kinds::new(),
        // `7.0` is an integer in JSON Schema, and is none for many readers.
        Value::Number(_) => Kinds::from(["not_an_integer", "malformed"]),
        Value::Null => Kinds::from(["not_an_integer", "malformed", "missing"]),
        Value::String(text) if text.trim().is_empty() => Kinds::from(["not_an_integer", "malformed", "blank"]),
        _ => Kinds::from(["not_an_integer", "malformed"]),
    };
    kinds.extend(beyond(schema, value.as_f64()));
    kinds
}
