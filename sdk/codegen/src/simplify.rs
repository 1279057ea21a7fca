//! Simplifies the contract for progenitor where the original would produce a worse client.

use serde_json::{Map, Value, json};

/// Returns the contract as progenitor reads it.
///
/// - Request headers are removed: the SDK has one way to send any header.
/// - A named nullable schema becomes a nullable reference wherever it is used.
/// - Error responses are removed: progenitor would decode them where the status is no longer known.
/// - Lists in the query become named schemas, so that they can have a type that is easy to set. So does an
///   inline schema whose `x-type-name` is hand-written.
/// - Plain strings and numbers lose their names.
/// - Bounds, patterns and lengths are removed. The server checks them and reports what is wrong. If the
///   client checked a response, it would reject a whole page for one value.
pub(crate) fn simplify(mut document: Value) -> Value {
    for operation in operations(&mut document) {
        if let Some(responses) = operation["responses"].as_object_mut() {
            responses.retain(|status, _| status.starts_with('2'));
        }
    }
    let components = object(&mut document["components"]);
    object(components.entry("responses").or_insert(json!({})))
        .retain(|_, response| response["content"].get("application/problem+json").is_none());
    components.remove("examples");

    remove_header_parameters(&mut document);
    let nullable = take_nullable(object(&mut document["components"]["schemas"]));
    let mut named = name_list_parameters(&mut document["components"]["parameters"]);
    for name in &nullable {
        let reference = json!({"$ref": format!("#/components/schemas/{name}")});
        let or_null = json!({"nullable": true, "allOf": [reference]});
        replace(&mut document, &format!("#/components/schemas/{name}"), &or_null);
    }
    simplify_schemas(&mut document, &mut named);
    let schemas = object(&mut document["components"]["schemas"]);
    for (name, schema) in named {
        schemas.entry(name).or_insert(schema);
    }
    let plain: Vec<String> = schemas
        .iter()
        .filter(|(name, schema)| is_scalar(schema) && !crate::is_hand_written(name))
        .map(|(name, _)| name.clone())
        .collect();
    for name in plain {
        inline_everywhere(&mut document, &name);
    }
    document
}

/// Returns the members of a node. Turns the node into an object if it is not one.
fn object(node: &mut Value) -> &mut Map<String, Value> {
    if !node.is_object() {
        *node = json!({});
    }
    match node {
        Value::Object(members) => members,
        _ => unreachable!("it was made an object above"),
    }
}

/// Returns all operations of a document.
fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = object(&mut document["paths"]).values_mut();
    paths.flat_map(|path| object(path).values_mut())
}

fn remove_header_parameters(document: &mut Value) {
    let parameters = object(&mut document["components"]["parameters"]);
    let mut references = Vec::new();
    parameters.retain(|name, parameter| {
        let is_header = parameter["in"] == "header";
        references.extend(is_header.then(|| json!(format!("#/components/parameters/{name}"))));
        !is_header
    });
    for operation in operations(document) {
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.retain(|parameter| !references.contains(&parameter["$ref"]) && parameter["in"] != "header");
        }
    }
}

/// Removes "or null" from the named schemas, and returns the names of those that had it.
fn take_nullable(schemas: &mut Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    for (name, schema) in schemas {
        let schema = object(schema);
        if schema.remove("nullable") == Some(json!(true)) {
            names.push(name.clone());
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
    }
    names
}

/// Moves the schemas of list parameters to named schemas, each with the name of its parameter.
fn name_list_parameters(parameters: &mut Value) -> Map<String, Value> {
    let mut named = Map::new();
    for (name, parameter) in object(parameters) {
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
        Value::Array(items) => items.iter_mut().for_each(|item| simplify_schemas(item, named)),
        Value::Object(object) => {
            object.remove("example");
            object.remove("examples");
            if let Some(Value::String(name)) = object.remove("x-type-name")
                && crate::is_hand_written(&name)
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
            // progenitor would turn a nullable `allOf` with a `type` into a new type.
            if object.contains_key("allOf") && object.contains_key("nullable") {
                object.remove("type");
            }
            object.values_mut().for_each(|value| simplify_schemas(value, named));
        }
        _ => {}
    }
}

/// Turns a nullable inline schema into a nullable reference to a named schema.
fn name_inline_schema(object: &mut Map<String, Value>, name: String, named: &mut Map<String, Value>) {
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

/// Replaces every reference to the schema `name` with the schema itself.
fn inline_everywhere(document: &mut Value, name: &str) {
    if let Some(schema) = object(&mut document["components"]["schemas"]).remove(name) {
        replace(document, &format!("#/components/schemas/{name}"), &schema);
    }
}

fn replace(node: &mut Value, reference: &str, schema: &Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, reference, schema)),
        Value::Object(object) if object.get("$ref").is_some_and(|r| r == reference) => {
            *node = schema.clone();
        }
        Value::Object(object) => object.values_mut().for_each(|value| replace(value, reference, schema)),
        _ => {}
    }
}
