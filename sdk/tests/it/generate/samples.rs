//! An example of each type: the contract's examples of whole bodies, taken apart.

use std::collections::BTreeMap;

use serde_json::Value;

use super::document::{name_of, resolve};

/// The first value that the contract's examples have for each schema.
pub(super) struct Samples(BTreeMap<String, Value>);

impl Samples {
    pub(super) fn read(document: &Value) -> Self {
        let mut samples = Self(BTreeMap::new());
        let paths = document["paths"].as_object().unwrap();
        for operation in paths
            .values()
            .flat_map(|path| path.as_object().unwrap().values())
        {
            let responses = operation["responses"].as_object().unwrap().values();
            for message in responses.chain(operation.get("requestBody")) {
                let contents = resolve(document, message)["content"].as_object().unwrap();
                for content in contents.values() {
                    for example in content["examples"].as_object().into_iter().flatten() {
                        let value = &resolve(document, example.1)["value"];
                        samples.take_apart(document, &content["schema"], value);
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

    fn take_apart(&mut self, document: &Value, schema: &Value, value: &Value) {
        if value.is_null() || value.as_object().is_some_and(|object| object.is_empty()) {
            return;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let name = name_of(reference).to_owned();
            self.0.entry(name).or_insert_with(|| value.clone());
            return self.take_apart(document, resolve(document, schema), value);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.take_apart(document, part, value);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            self.take_apart(document, property, &value[name]);
        }
        for item in value.as_array().into_iter().flatten() {
            self.take_apart(document, &schema["items"], item);
        }
        if let (Some(others), Some(object)) =
            (schema.get("additionalProperties"), value.as_object())
        {
            for value in object.values() {
                self.take_apart(document, others, value);
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
