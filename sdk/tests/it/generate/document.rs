//! The contract: what the later steps need to know of it, and how the generator should read it.

use std::collections::BTreeMap;

use platform_contract::Contract as Source;
use serde_json::{Map, Value, json};

/// What the generated code is completed with.
pub(super) struct Contract {
    pub(super) operations: Vec<Operation>,
    /// The component schemas, as they are written.
    pub(super) schemas: Map<String, Value>,
}

/// One operation, its parameters in the order in which the contract has them.
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) method: String,
    pub(super) path: String,
    /// Whether sending it twice has the effect of sending it once.
    pub(super) is_idempotent: bool,
    /// The statuses after which it may be sent again without risk.
    pub(super) retryable_statuses: Vec<u16>,
    pub(super) timeout_seconds: u64,
    pub(super) parameters: Vec<Parameter>,
    /// The properties of the body, each with an example; empty without a body.
    pub(super) body: BTreeMap<String, Value>,
    /// The name of the body's schema.
    pub(super) body_type: Option<String>,
}

pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) example: Value,
}

impl Contract {
    /// Reads a document.
    ///
    /// # Panics
    /// An operation does not say how it is called (`x-idempotent`, `x-retryable-statuses`,
    /// `x-timeout-seconds`), or a parameter has no example.
    pub(super) fn read(source: &Source) -> Self {
        let operations = source.operations().iter();
        let schemas = source.document()["components"]["schemas"].as_object();
        Self {
            operations: operations
                .map(|operation| Operation::read(source, operation))
                .collect(),
            schemas: schemas.unwrap().clone(),
        }
    }

    /// The operation with a body of this type.
    pub(super) fn body(&self, name: &str) -> &Operation {
        let mut operations = self.operations.iter();
        operations
            .find(|operation| operation.body_type.as_deref() == Some(name))
            .unwrap_or_else(|| panic!("no operation has a body {name}"))
    }

    pub(super) fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// What an object schema says of a property, in any of its parts.
    pub(super) fn property<'a>(&'a self, schema: &'a Value, name: &str) -> Option<&'a Value> {
        let schema = self.resolved(schema);
        match schema["allOf"].as_array() {
            Some(parts) => parts.iter().find_map(|part| self.property(part, name)),
            None => schema["properties"].get(name),
        }
    }

    /// The schema that `schema` refers to, or `schema` itself.
    pub(super) fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(reference) => &self.schemas[name_of(reference)],
            None => schema,
        }
    }
}

impl Operation {
    fn read(source: &Source, operation: &platform_contract::Operation) -> Self {
        let id = operation.id.clone();
        let node = source.get(&operation.pointer).unwrap();
        let policy = |name: &str| {
            node.get(name)
                .cloned()
                .unwrap_or_else(|| panic!("{id} has no {name}"))
        };
        let is_idempotent = serde_json::from_value(policy("x-idempotent")).unwrap();
        let retryable_statuses = serde_json::from_value(policy("x-retryable-statuses")).unwrap();
        let timeout_seconds = serde_json::from_value(policy("x-timeout-seconds")).unwrap();
        let parameters = operation.parameters.iter();
        let media = &node["requestBody"]["content"]["application/json"];
        let body = media["examples"]
            .as_object()
            .and_then(|examples| examples.values().next())
            .map(|example| serde_json::from_value(example["value"].clone()).unwrap())
            .unwrap_or_default();
        let body_type = media["schema"]["$ref"]
            .as_str()
            .map(name_of)
            .map(str::to_owned);
        Self {
            method: operation.method.clone(),
            path: operation.path.clone(),
            is_idempotent,
            retryable_statuses,
            timeout_seconds,
            parameters: parameters
                .map(|parameter| Parameter::read(source.get(&parameter.pointer).unwrap()))
                .collect(),
            body,
            body_type,
            id,
        }
    }
}

impl Parameter {
    fn read(parameter: &Value) -> Self {
        let name = parameter["name"].as_str().unwrap().to_owned();
        let example = parameter
            .get("example")
            .or_else(|| parameter.get("x-example"))
            .or_else(|| Some(&parameter["examples"].as_object()?.values().next()?["value"]))
            .unwrap_or_else(|| panic!("the parameter {name} has no example"))
            .clone();
        Self {
            description: parameter["description"].as_str().unwrap().trim().to_owned(),
            name,
            example,
        }
    }
}

/// The last segment of a reference.
pub(super) fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}

/// The contract as the generator should read it.
///
/// - Headers of requests go: the SDK has one way to send any header.
/// - A named schema that may be null becomes a reference, or null, wherever it is used.
/// - Error responses go: progenitor would decode them where the status is no longer known.
/// - Lists in the query become schemas with a name, so that they can be given a type that is easy to
///   fill. So does an inline schema whose `x-type-name` is written by hand.
/// - Plain strings and numbers become just that, whatever their name.
/// - Bounds, patterns and lengths go. The server checks them and says what is wrong; a client that
///   checked them in a response would refuse a whole page for one value.
pub(super) fn simplify(mut document: Value) -> Value {
    for path in document["paths"].as_object_mut().unwrap().values_mut() {
        for operation in path.as_object_mut().unwrap().values_mut() {
            let responses = operation["responses"].as_object_mut().unwrap();
            responses.retain(|status, _| status.starts_with('2'));
        }
    }
    let components = document["components"].as_object_mut().unwrap();
    components["responses"]
        .as_object_mut()
        .unwrap()
        .retain(|_, response| {
            response["content"]
                .get("application/problem+json")
                .is_none()
        });
    components.remove("examples");

    remove_header_parameters(&mut document);
    let components = document["components"].as_object_mut().unwrap();
    let nullable = take_nullable(components["schemas"].as_object_mut().unwrap());
    let mut named = name_list_parameters(components);
    for name in &nullable {
        let reference = json!({"$ref": format!("#/components/schemas/{name}")});
        let or_null = json!({"nullable": true, "allOf": [reference]});
        replace(
            &mut document,
            &format!("#/components/schemas/{name}"),
            &or_null,
        );
    }
    simplify_schemas(&mut document, &mut named);
    let schemas = document["components"]["schemas"].as_object_mut().unwrap();
    for (name, schema) in named {
        schemas.entry(name).or_insert(schema);
    }
    let plain: Vec<String> = schemas
        .iter()
        .filter(|(name, schema)| is_scalar(schema) && !super::is_hand_written(name))
        .map(|(name, _)| name.clone())
        .collect();
    for name in plain {
        inline_everywhere(&mut document, &name);
    }
    document
}

fn remove_header_parameters(document: &mut Value) {
    let parameters = document["components"]["parameters"]
        .as_object_mut()
        .unwrap();
    let mut references = Vec::new();
    parameters.retain(|name, parameter| {
        let is_header = parameter["in"] == "header";
        references.extend(is_header.then(|| json!(format!("#/components/parameters/{name}"))));
        !is_header
    });
    for path in document["paths"].as_object_mut().unwrap().values_mut() {
        for operation in path.as_object_mut().unwrap().values_mut() {
            let parameters = operation["parameters"].as_array_mut().unwrap();
            parameters.retain(|parameter| !references.contains(&parameter["$ref"]));
        }
    }
}

/// Takes "or null" from the schemas with a name, and returns those that had it.
fn take_nullable(schemas: &mut Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    for (name, schema) in schemas {
        let schema = schema.as_object_mut().unwrap();
        if schema.remove("nullable") == Some(json!(true)) {
            names.push(name.clone());
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
    names
}

/// Moves the schemas of list parameters to where they have a name, that of the parameter.
fn name_list_parameters(components: &mut Map<String, Value>) -> Map<String, Value> {
    let mut named = Map::new();
    for (name, parameter) in components["parameters"].as_object_mut().unwrap() {
        let schema = &mut parameter["schema"];
        if schema["type"] == "array" {
            named.insert(name.clone(), schema.take());
            *schema = json!({"$ref": format!("#/components/schemas/{name}")});
        }
    }
    named
}

fn is_scalar(schema: &Value) -> bool {
    matches!(schema["type"].as_str(), Some("string" | "integer")) && schema.get("enum").is_none()
}

fn simplify_schemas(node: &mut Value, named: &mut Map<String, Value>) {
    match node {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| simplify_schemas(item, named)),
        Value::Object(object) => {
            object.remove("example");
            object.remove("examples");
            if let Some(Value::String(name)) = object.remove("x-type-name")
                && super::is_hand_written(&name)
            {
                name_inline_schema(object, name, named);
                return;
            }
            if object.contains_key("type") {
                for bound in [
                    "minimum",
                    "maximum",
                    "pattern",
                    "minLength",
                    "maxLength",
                    "minItems",
                    "maxItems",
                ] {
                    object.remove(bound);
                }
            }
            // "That object, or null" is read as a new type with the type beside `allOf`.
            if object.contains_key("allOf") && object.contains_key("nullable") {
                object.remove("type");
            }
            object
                .values_mut()
                .for_each(|value| simplify_schemas(value, named));
        }
        _ => {}
    }
}

/// Turns a nullable inline schema into a reference to a schema with a name, or null.
fn name_inline_schema(
    object: &mut Map<String, Value>,
    name: String,
    named: &mut Map<String, Value>,
) {
    let mut schema = std::mem::take(object);
    if let Some(description) = schema.get("description") {
        object.insert("description".to_owned(), description.clone());
    }
    object.insert("nullable".to_owned(), json!(true));
    let reference = json!({"$ref": format!("#/components/schemas/{name}")});
    object.insert("allOf".to_owned(), json!([reference]));
    schema.remove("nullable");
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    named.entry(name).or_insert(Value::Object(schema));
}

/// Puts the schema `name` in place of every reference to it.
fn inline_everywhere(document: &mut Value, name: &str) {
    let schemas = document["components"]["schemas"].as_object_mut().unwrap();
    let schema = schemas.remove(name).unwrap();
    replace(document, &format!("#/components/schemas/{name}"), &schema);
}

fn replace(node: &mut Value, reference: &str, schema: &Value) {
    match node {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| replace(item, reference, schema)),
        Value::Object(object) if object.get("$ref").is_some_and(|r| r == reference) => {
            *node = schema.clone();
        }
        Value::Object(object) => object
            .values_mut()
            .for_each(|value| replace(value, reference, schema)),
        _ => {}
    }
}
