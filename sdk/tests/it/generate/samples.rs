//! An example of each type: the contract's examples of whole bodies, taken apart.

use std::collections::BTreeMap;

use platform_contract::Contract;
use serde_json::Value;

use super::document::name_of;

/// The first value that the contract's examples have for each schema.
pub(super) struct Samples(BTreeMap<String, Value>);

impl Samples {
    pub(super) fn read(contract: &Contract) -> Self {
        let mut samples = Self(BTreeMap::new());
        for operation in contract.operations() {
            let node = contract.get(&operation.pointer).unwrap();
            let responses = node["responses"].as_object().unwrap().values();
            for message in responses.chain(node.get("requestBody")) {
                let contents = contract.resolve(message)["content"].as_object().unwrap();
                for content in contents.values() {
                    for example in content["examples"].as_object().into_iter().flatten() {
                        let value = &contract.resolve(example.1)["value"];
                        samples.take_apart(contract, &content["schema"], value);
                    }
                }
            }
        }
        samples
    }

    /// The example of a schema as JSON that is easy to read, lists of objects cut to the first.
    pub(super) fn json(&self, schema: &str) -> Option<String> {
        let mut value = self.0.get(schema)?.clone();
        shorten(&mut value);
        serde_json::to_string_pretty(&value).ok()
    }

    fn take_apart(&mut self, contract: &Contract, schema: &Value, value: &Value) {
        if value.is_null() || value.as_object().is_some_and(|object| object.is_empty()) {
            return;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let name = name_of(reference).to_owned();
            self.0.entry(name).or_insert_with(|| value.clone());
            return self.take_apart(contract, contract.resolve(schema), value);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.take_apart(contract, part, value);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.take_apart(contract, property, &value[name]);
        }
        for item in value.as_array().into_iter().flatten() {
            self.take_apart(contract, &schema["items"], item);
        }
        if let (Some(others), Some(object)) =
            (schema.get("additionalProperties"), value.as_object())
        {
            for value in object.values() {
                self.take_apart(contract, others, value);
            }
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
