//! What an OpenAPI document says, whichever version of the format says it.
//!
//! The contract is written in 3.0, the served document in 3.1. Both are brought to one model:
//! references are followed, `allOf` is merged, "or null" is written one way, defaults of the format
//! are spelled out, and what is for people (titles, descriptions, examples) is left out. Everything
//! that a client could notice stays.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The model of a document: operations by their ids, and the security schemes.
pub(crate) fn canonical(document: &Value) -> Value {
    let reader = Reader { document };
    let mut operations = Map::new();
    for (path, methods) in object(&document["paths"]) {
        for (method, operation) in object(methods) {
            let id = operation["operationId"].as_str().unwrap().to_owned();
            let twice = operations.insert(id, reader.operation(path, method, operation));
            assert_eq!(twice, None, "an operationId stands twice");
        }
    }
    let schemes = object(&document["components"]["securitySchemes"]).into_iter();
    let schemes: Map<String, Value> = schemes
        .map(|(name, scheme)| (name.clone(), pick(scheme, &["type", "in", "name"])))
        .collect();
    json!({"operations": operations, "security_schemes": schemes})
}

struct Reader<'a> {
    document: &'a Value,
}

impl Reader<'_> {
    fn operation(&self, path: &str, method: &str, operation: &Value) -> Value {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let parameters: Map<String, Value> = parameters
            .map(|parameter| self.parameter(parameter))
            .collect();
        let responses = object(&operation["responses"]).into_iter();
        let responses: Map<String, Value> = responses
            .map(|(status, response)| (status.clone(), self.response(response)))
            .collect();
        let security = operation
            .get("security")
            .unwrap_or(&self.document["security"]);
        let body = operation.get("requestBody").map(|body| {
            let body = self.resolve(body).1;
            json!({"required": flag(body, "required", false), "content": self.content(body)})
        });
        json!({
            "method": method,
            "path": path,
            "tags": operation["tags"],
            "parameters": parameters,
            "body": body,
            "responses": responses,
            "security": security,
        })
    }

    fn parameter(&self, parameter: &Value) -> (String, Value) {
        let parameter = self.resolve(parameter).1;
        let location = parameter["in"].as_str().unwrap();
        let style = parameter["style"]
            .as_str()
            .unwrap_or(if location == "query" {
                "form"
            } else {
                "simple"
            });
        let key = format!("{location} {}", parameter["name"].as_str().unwrap());
        let model = json!({
            "required": flag(parameter, "required", false),
            "style": style,
            "explode": flag(parameter, "explode", style == "form"),
            "schema": self.schema(&parameter["schema"]),
        });
        (key, model)
    }

    fn response(&self, response: &Value) -> Value {
        let response = self.resolve(response).1;
        let headers = response
            .get("headers")
            .map(object)
            .unwrap_or_default()
            .into_iter();
        let headers: Map<String, Value> = headers
            .map(|(name, header)| {
                let header = self.resolve(header).1;
                let model = json!({
                    "required": flag(header, "required", false),
                    "schema": self.schema(&header["schema"]),
                });
                (name.to_ascii_lowercase(), model)
            })
            .collect();
        json!({"headers": headers, "content": self.content(response)})
    }

    fn content(&self, holder: &Value) -> Value {
        let types = holder
            .get("content")
            .map(object)
            .unwrap_or_default()
            .into_iter();
        types
            .map(|(media_type, content)| (media_type.clone(), self.schema(&content["schema"])))
            .collect()
    }

    /// Follows a reference; with the name of what it leads to, if it is one.
    fn resolve<'v>(&'v self, node: &'v Value) -> (Option<&'v str>, &'v Value) {
        let Some(reference) = node.get("$ref").and_then(Value::as_str) else {
            return (None, node);
        };
        let target = self.document.pointer(reference.strip_prefix('#').unwrap());
        let target = target.unwrap_or_else(|| panic!("{reference} leads nowhere"));
        (reference.rsplit('/').next(), self.resolve(target).1)
    }

    fn schema(&self, schema: &Value) -> Value {
        let (name, schema) = self.resolve(schema);
        let mut model = self.inline(schema);
        // Scalars go by what they allow; an object's name is what a client calls its type.
        if let (Some(name), true) = (
            name,
            model.contains_key("properties") || model.contains_key("values"),
        ) {
            model.insert("name".to_owned(), json!(name));
        }
        Value::Object(model)
    }

    fn inline(&self, schema: &Value) -> Map<String, Value> {
        if let Some(model) = self.nullable_alternative(schema) {
            return model;
        }
        let mut model = Map::new();
        for part in schema["allOf"].as_array().into_iter().flatten() {
            merge(&mut model, self.schema(part));
        }
        let mut own = self.keywords(schema);
        let mut types: BTreeSet<String> = match &schema["type"] {
            Value::String(one) => BTreeSet::from([one.clone()]),
            Value::Array(several) => several
                .iter()
                .map(|one| one.as_str().unwrap().to_owned())
                .collect(),
            _ => BTreeSet::new(),
        };
        if flag(schema, "nullable", false) {
            types.insert("null".to_owned());
        }
        if !types.is_empty() {
            own.insert("type".to_owned(), json!(types));
        }
        merge(&mut model, Value::Object(own));
        model
    }

    /// `oneOf` of a schema and null, the way 3.1 says "or null" of a reference.
    fn nullable_alternative(&self, schema: &Value) -> Option<Map<String, Value>> {
        let alternatives = schema["oneOf"].as_array()?;
        let is_null = |alternative: &&Value| alternative["type"] == "null";
        let [other] = alternatives
            .iter()
            .filter(|a| !is_null(a))
            .collect::<Vec<_>>()[..]
        else {
            return None;
        };
        alternatives.iter().find(is_null)?;
        let Value::Object(mut model) = self.schema(other) else {
            unreachable!()
        };
        let types = model["type"].as_array_mut().unwrap();
        types.push(json!("null"));
        types.sort_by_key(Value::to_string);
        Some(model)
    }

    fn keywords(&self, schema: &Value) -> Map<String, Value> {
        let mut model = Map::new();
        let mut put = |keyword: &str, value: Value| {
            assert_eq!(model.insert(keyword.to_owned(), value), None);
        };
        for (keyword, value) in object(schema) {
            match keyword.as_str() {
                "title" | "description" | "example" | "examples" | "$ref" | "allOf" | "type"
                | "nullable" => {}
                // A key is a string in any JSON; its pattern is an extension in 3.0.
                "propertyNames" => assert_eq!(*value, json!({"type": "string"})),
                extension if extension.starts_with("x-") => {}
                "properties" => {
                    let properties = object(value).into_iter();
                    put(
                        "properties",
                        properties
                            .map(|(name, schema)| (name.clone(), self.schema(schema)))
                            .collect(),
                    );
                }
                "items" => put("items", self.schema(value)),
                "additionalProperties" if value.is_object() => put("values", self.schema(value)),
                "additionalProperties" => put("additionalProperties", value.clone()),
                "oneOf" => put(
                    "oneOf",
                    value
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|one| self.schema(one))
                        .collect(),
                ),
                "required" => put("required", sorted(value)),
                "enum" => put("enum", sorted(value)),
                "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems" => {
                    put(keyword, json!(value.as_f64().unwrap()));
                }
                "format" | "pattern" | "default" => put(keyword, value.clone()),
                unknown => {
                    panic!("the comparison does not know the keyword {unknown} yet: {schema}")
                }
            }
        }
        model
    }
}

fn object(value: &Value) -> Vec<(&String, &Value)> {
    value
        .as_object()
        .unwrap_or_else(|| panic!("not an object: {value}"))
        .iter()
        .collect()
}

fn flag(value: &Value, name: &str, default: bool) -> bool {
    value
        .get(name)
        .map_or(default, |flag| flag.as_bool().unwrap())
}

fn pick(value: &Value, names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| ((*name).to_owned(), value[*name].clone()))
        .collect::<Map<_, _>>()
        .into()
}

/// A set, as a list in a fixed order. That null is allowed is said by the type.
fn sorted(value: &Value) -> Value {
    let mut values: Vec<Value> = value
        .as_array()
        .unwrap()
        .iter()
        .filter(|v| !v.is_null())
        .cloned()
        .collect();
    values.sort_by_key(Value::to_string);
    values.into()
}

/// Puts a part of an `allOf` into what the parts before it say.
fn merge(model: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else {
        unreachable!()
    };
    for (keyword, value) in part {
        match (keyword.as_str(), model.get_mut(&keyword)) {
            ("properties", Some(Value::Object(properties))) => {
                let Value::Object(more) = value else {
                    unreachable!()
                };
                properties.extend(more);
            }
            ("required" | "type", Some(set)) => {
                let mut union: BTreeSet<String> = serde_json::from_value(set.take()).unwrap();
                union.extend(serde_json::from_value::<Vec<String>>(value).unwrap());
                *set = json!(union);
            }
            _ => {
                model.insert(keyword, value);
            }
        }
    }
}
