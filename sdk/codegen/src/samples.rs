//! An example of each type, taken from the contract's examples of whole bodies. Without one, an example is
//! generated from the schema.

use std::collections::BTreeMap;

use platform_contract::Contract;
use serde_json::{Map, Value, json};

use crate::names::name_of;

/// The first value of each schema in the contract's examples.
pub(crate) struct Samples<'a> {
    found: BTreeMap<String, Value>,
    contract: &'a Contract,
}

impl<'a> Samples<'a> {
    pub(crate) fn read(contract: &'a Contract) -> Self {
        let mut samples = Self {
            found: BTreeMap::new(),
            contract,
        };
        for operation in contract.operations() {
            let Some(node) = contract.get(&operation.pointer) else {
                continue;
            };
            let responses = node["responses"].as_object().into_iter().flatten();
            let messages = responses.map(|(_, response)| response);
            for message in messages.chain(node.get("requestBody")) {
                let contents = contract.resolve(message)["content"].as_object();
                for (_, content) in contents.into_iter().flatten() {
                    for example in content["examples"].as_object().into_iter().flatten() {
                        let value = &contract.resolve(example.1)["value"];
                        samples.take_apart(&content["schema"], value);
                    }
                }
            }
        }
        samples
    }

    /// Returns the example of a schema as pretty-printed JSON, with lists of objects cut to the first. `None`
    /// if no body of the contract has one.
    pub(crate) fn json(&self, schema: &str) -> Option<String> {
        let mut value = self.found.get(schema)?.clone();
        shorten(&mut value);
        serde_json::to_string_pretty(&value).ok()
    }

    /// Generates an example of a schema without one in the contract.
    pub(crate) fn invented(&self, schema: &Value) -> Option<String> {
        serde_json::to_string_pretty(&invented(self.contract, schema)).ok()
    }

    fn take_apart(&mut self, schema: &Value, value: &Value) {
        if value.is_null() || value.as_object().is_some_and(Map::is_empty) {
            return;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let name = name_of(reference).to_owned();
            self.found.entry(name).or_insert_with(|| value.clone());
            let resolved = self.contract.resolve(schema);
            return self.take_apart(resolved, value);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.take_apart(part, value);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.take_apart(property, &value[name]);
        }
        for item in value.as_array().into_iter().flatten() {
            self.take_apart(&schema["items"], item);
        }
        if let (Some(others), Some(object)) = (schema.get("additionalProperties"), value.as_object()) {
            for value in object.values() {
                self.take_apart(others, value);
            }
        }
    }
}

/// The maximum depth of a generated value. A schema may contain itself.
const DEEPEST: usize = 8;

/// Generates the simplest value that a schema allows.
pub(crate) fn invented(contract: &Contract, schema: &Value) -> Value {
    invented_at(0, contract, schema)
}

fn invented_at(depth: usize, contract: &Contract, schema: &Value) -> Value {
    if depth > DEEPEST {
        return Value::Null;
    }
    let invented = |schema: &Value| invented_at(depth + 1, contract, schema);
    let schema = contract.resolve(schema);
    let given = ["example", "default"].iter().find_map(|name| schema.get(*name));
    if let Some(given) = given.or_else(|| schema["enum"].as_array()?.first()) {
        return given.clone();
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(first) = schema[choice].as_array().and_then(|all| all.first()) {
            return invented(first);
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in parts {
            match invented(part) {
                Value::Object(part) => whole.extend(part),
                other => return other,
            }
        }
        return Value::Object(whole);
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("integer"), _) => schema.get("minimum").cloned().unwrap_or(json!(1)),
        (Some("number"), _) => schema.get("minimum").cloned().unwrap_or(json!(0.5)),
        (Some("boolean"), _) => json!(true),
        (Some("array"), _) => json!([invented(&schema["items"])]),
        (Some("string"), Some("date-time")) => json!("2026-01-31T12:00:00Z"),
        (Some("string"), Some("date")) => json!("2026-01-31"),
        (Some("string"), Some(format)) if format.starts_with("uri") => {
            json!("https://example.com/")
        }
        (Some("string"), _) => json!("text"),
        _ => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            let properties = properties.map(|(name, property)| (name.clone(), invented(property)));
            Value::Object(properties.collect())
        }
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => {
            if items.iter().all(Value::is_object) {
                items.truncate(1);
            }
            items.iter_mut().for_each(shorten);
        }
        Value::Object(object) => object.values_mut().for_each(shorten),
        _ => {}
    }
}
