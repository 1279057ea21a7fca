//! One form for the schemas of OpenAPI 3.0 and of JSON Schema 2020-12, so that they can be compared.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// What is said about a value and does not restrict it.
const ANNOTATIONS: &[&str] = &[
    "$defs",
    "$schema",
    "default",
    "description",
    "example",
    "examples",
    "title",
];

/// `schema` without references, parts and annotations. Null among the types becomes `nullable`, every choice
/// becomes `anyOf`, and sets are sorted.
///
/// # Panics
/// `schema` has a keyword that is not dealt with, so that none is left out of a comparison unseen.
pub(super) fn canonical(document: &Value, schema: &Value) -> Value {
    let Value::Object(schema) = schema else {
        assert_eq!(schema, true, "only `true` is a schema without keywords");
        return json!({});
    };
    let mut form = Map::new();
    for (keyword, value) in schema {
        match keyword.as_str() {
            "$ref" => {
                let target = document.pointer(value.as_str().unwrap().trim_start_matches('#'));
                merge(&mut form, canonical(document, target.expect("a reference")));
            }
            "allOf" => {
                for part in value.as_array().unwrap() {
                    merge(&mut form, canonical(document, part));
                }
            }
            "anyOf" | "oneOf" => choice(document, value.as_array().unwrap(), &mut form),
            "type" => types(value, &mut form),
            "enum" => {
                let values = texts(value.as_array().unwrap().iter().filter(|v| !v.is_null()));
                merge_one(&mut form, "enum", json!(values));
            }
            // A list of texts, each described, is a choice of constants.
            "const" => merge_one(&mut form, "enum", json!([value])),
            "required" => {
                let names = texts(value.as_array().unwrap().iter());
                merge_one(&mut form, "required", json!(names));
            }
            "properties" => {
                let properties = value.as_object().unwrap().iter();
                let properties: Map<String, Value> = properties
                    .map(|(name, property)| (name.clone(), canonical(document, property)))
                    .collect();
                merge_one(&mut form, "properties", Value::Object(properties));
            }
            // What may have any other property may have what is not told.
            "additionalProperties" if *value == true => {}
            "additionalProperties" if *value == false => {
                merge_one(&mut form, keyword, json!(false))
            }
            "items" | "additionalProperties" => {
                merge_one(&mut form, keyword, canonical(document, value));
            }
            "minimum" | "maximum" => merge_one(&mut form, keyword, json!(value.as_f64())),
            "nullable" if *value == false => {}
            "nullable" | "format" | "pattern" | "minLength" | "maxLength" | "minItems"
            | "maxItems" => merge_one(&mut form, keyword, value.clone()),
            annotation if annotation.starts_with("x-") || ANNOTATIONS.contains(&annotation) => {}
            other => panic!("`{other}` is not compared"),
        }
    }
    Value::Object(form)
}

/// `[…, "null"]` and `nullable: true` are the same.
fn types(value: &Value, form: &mut Map<String, Value>) {
    let types = match value {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    for name in types {
        if name == "null" {
            form.insert("nullable".to_owned(), json!(true));
        } else {
            merge_one(form, "type", name);
        }
    }
}

fn choice(document: &Value, branches: &[Value], form: &mut Map<String, Value>) {
    let mut forms: Vec<Value> = Vec::new();
    for branch in branches {
        if branch["type"] == "null" {
            form.insert("nullable".to_owned(), json!(true));
        } else {
            forms.push(canonical(document, branch));
        }
    }
    if let [only] = &*forms {
        return merge(form, only.clone());
    }
    if forms.iter().all(|branch| branch.get("enum").is_some()) {
        let values = forms
            .iter()
            .flat_map(|branch| branch["enum"].as_array().unwrap());
        merge_one(form, "enum", json!(texts(values)));
        return merge_one(form, "type", json!("string"));
    }
    forms.sort_by_key(ToString::to_string);
    merge_one(form, "anyOf", Value::Array(forms));
}

fn texts<'a>(values: impl Iterator<Item = &'a Value>) -> BTreeSet<&'a str> {
    values.map(|value| value.as_str().unwrap()).collect()
}

fn merge(form: &mut Map<String, Value>, other: Value) {
    let Value::Object(other) = other else {
        unreachable!("a canonical schema is an object")
    };
    for (keyword, value) in other {
        merge_one(form, &keyword, value);
    }
}

/// Adds what another part says.
fn merge_one(form: &mut Map<String, Value>, keyword: &str, value: Value) {
    match (form.get_mut(keyword), value) {
        (None, value) => {
            form.insert(keyword.to_owned(), value);
        }
        (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
            known.extend(more);
        }
        (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
            known.extend(more);
            known.sort_by_key(ToString::to_string);
            known.dedup();
        }
        (Some(known), value) => assert_eq!(*known, value, "two parts contradict: {keyword}"),
    }
}
