//! The canonical form of an OpenAPI document or a JSON Schema, independent of the version of the format, for comparing
//! two of them.
//!
//! References are followed, `allOf` is merged, "or null" is written in one way, defaults of the format are explicit,
//! and texts for people (titles, descriptions, examples) are removed. Everything that a client could notice stays. An
//! unknown keyword is an error, so that a comparison never ignores anything silently.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value, json};

/// Why a document has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotComparable(String);

impl fmt::Display for NotComparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotComparable {}

type Canonical<T> = Result<T, NotComparable>;

fn not_comparable<T>(why: impl Into<String>) -> Canonical<T> {
    Err(NotComparable(why.into()))
}

/// Returns the model of an OpenAPI document (3.0 or 3.1): operations by id, and the security schemes.
///
/// # Errors
/// [`NotComparable`] when an `operationId` is used twice, a reference has no target, parts of an `allOf` contradict
/// each other, or a keyword is unknown.
pub fn canonical(document: &Value) -> Result<Value, NotComparable> {
    let reader = Reader {
        document,
        keeps: Keeps::NamesAndDefaults,
    };
    let mut operations = Map::new();
    for (path, methods) in object(&document["paths"])? {
        for (method, operation) in object(methods)? {
            let id = text(&operation["operationId"])?;
            let model = reader.operation(path, method, operation)?;
            if operations.insert(id.to_owned(), model).is_some() {
                return not_comparable(format!("the operationId {id} is used twice"));
            }
        }
    }
    let schemes = object(&document["components"]["securitySchemes"])?;
    let schemes: Map<String, Value> = schemes
        .into_iter()
        .map(|(name, scheme)| (name.clone(), pick(scheme, &["type", "in", "name"])))
        .collect();
    Ok(json!({"operations": operations, "security_schemes": schemes}))
}

/// Returns the model of one schema, of OpenAPI 3.0 or of JSON Schema 2020-12, whose references point into `document`:
/// the values that it allows, without the names of its parts and without defaults.
///
/// # Errors
/// [`NotComparable`], as for [`canonical`].
pub fn canonical_schema(document: &Value, schema: &Value) -> Result<Value, NotComparable> {
    let reader = Reader {
        document,
        keeps: Keeps::ValuesAlone,
    };
    reader.schema(schema).map(Value::Object)
}

/// What the model of a schema keeps besides the allowed values.
#[derive(Clone, Copy, PartialEq)]
enum Keeps {
    /// The names of object schemas, defaults, and whether a choice is exclusive.
    NamesAndDefaults,
    ValuesAlone,
}

struct Reader<'a> {
    document: &'a Value,
    keeps: Keeps,
}

impl<'a> Reader<'a> {
    fn operation(&self, path: &str, method: &str, operation: &Value) -> Canonical<Value> {
        let listed = operation["parameters"].as_array().into_iter().flatten();
        let parameters = listed.map(|parameter| self.parameter(parameter));
        let parameters = parameters.collect::<Canonical<Map<_, _>>>()?;
        let responses = object(&operation["responses"])?.into_iter();
        let responses = responses
            .map(|(status, response)| Ok((status.clone(), self.response(response)?)))
            .collect::<Canonical<Map<_, _>>>()?;
        let security = operation.get("security").unwrap_or(&self.document["security"]);
        let body = match operation.get("requestBody") {
            Some(body) => {
                let body = self.resolve(body)?.1;
                json!({"required": flag(body, "required", false), "content": self.content(body)?})
            }
            None => Value::Null,
        };
        Ok(json!({
            "method": method,
            "path": path,
            "tags": operation["tags"],
            "parameters": parameters,
            "body": body,
            "responses": responses,
            "security": security,
        }))
    }

    fn parameter(&self, parameter: &Value) -> Canonical<(String, Value)> {
        let parameter = self.resolve(parameter)?.1;
        let location = text(&parameter["in"])?;
        let usual = if location == "query" { "form" } else { "simple" };
        let style = parameter["style"].as_str().unwrap_or(usual);
        let model = json!({
            "required": flag(parameter, "required", false),
            "style": style,
            "explode": flag(parameter, "explode", style == "form"),
            "schema": self.schema(&parameter["schema"])?,
        });
        Ok((format!("{location} {}", text(&parameter["name"])?), model))
    }

    fn response(&self, response: &Value) -> Canonical<Value> {
        let response = self.resolve(response)?.1;
        let mut headers = Map::new();
        for (name, header) in optional_object(response, "headers")? {
            let header = self.resolve(header)?.1;
            let model = json!({
                "required": flag(header, "required", false),
                "schema": self.schema(&header["schema"])?,
            });
            headers.insert(name.to_ascii_lowercase(), model);
        }
        Ok(json!({"headers": headers, "content": self.content(response)?}))
    }

    fn content(&self, holder: &Value) -> Canonical<Value> {
        let types = optional_object(holder, "content")?.into_iter();
        let types =
            types.map(|(media_type, content)| Ok((media_type.clone(), self.schema(&content["schema"])?.into())));
        types.collect::<Canonical<Map<_, _>>>().map(Value::Object)
    }

    /// Follows a reference and returns its name, if the node is one.
    fn resolve<'v>(&'v self, node: &'v Value) -> Canonical<(Option<&'v str>, &'v Value)> {
        let Some(reference) = node.get("$ref").and_then(Value::as_str) else {
            return Ok((None, node));
        };
        let pointer = reference.strip_prefix('#').unwrap_or_default();
        match self.document.pointer(pointer) {
            Some(target) if !pointer.is_empty() => Ok((reference.rsplit('/').next(), self.resolve(target)?.1)),
            _ => not_comparable(format!("{reference} has no target")),
        }
    }

    fn schema(&self, schema: &Value) -> Canonical<Map<String, Value>> {
        if *schema == Value::Bool(true) {
            return Ok(Map::new());
        }
        let (name, target) = self.resolve(schema)?;
        let mut model = self.keywords(target)?;
        // In 3.1 and in JSON Schema, keywords may be siblings of a reference.
        if name.is_some() && !std::ptr::eq(schema, target) {
            let beside = object(schema)?.into_iter();
            let beside: Map<_, _> = beside
                .filter(|(keyword, _)| *keyword != "$ref")
                .map(|(keyword, value)| (keyword.clone(), value.clone()))
                .collect();
            self.merge(&mut model, self.keywords(&Value::Object(beside))?)?;
        }
        // Scalars are compared by their values; the name of an object is the name of a client's type.
        let is_object = model.contains_key("properties") || model.contains_key("values");
        if let (Some(name), true, Keeps::NamesAndDefaults) = (name, is_object, self.keeps) {
            model.insert("name".to_owned(), json!(name));
        }
        Ok(model)
    }

    fn keywords(&self, schema: &Value) -> Canonical<Map<String, Value>> {
        let mut model = Map::new();
        for (keyword, value) in object(schema)? {
            self.keyword(keyword, value, &mut model)?;
        }
        Ok(model)
    }

    fn keyword(&self, keyword: &str, value: &Value, model: &mut Map<String, Value>) -> Canonical<()> {
        match keyword {
            "title" | "description" | "example" | "examples" | "$defs" | "$schema" => {}
            extension if extension.starts_with("x-") => {}
            // A key is a string in any JSON; its pattern is an extension in 3.0.
            "propertyNames" if *value == json!({"type": "string"}) => {}
            "nullable" if *value == false => {}
            "default" if self.keeps == Keeps::ValuesAlone => {}
            "additionalProperties" if *value == true && self.keeps == Keeps::ValuesAlone => {}
            "allOf" => {
                for part in array(value)? {
                    self.merge(model, self.schema(part)?)?;
                }
            }
            "anyOf" | "oneOf" => self.choice(keyword, array(value)?, model)?,
            "type" => types(value, model)?,
            // The type already allows null.
            "enum" => put(model, "enum", set(array(value)?))?,
            "const" => put(model, "enum", json!([value]))?,
            "required" => put(model, "required", set(array(value)?))?,
            "properties" => {
                let properties = object(value)?.into_iter();
                let properties = properties
                    .map(|(name, property)| Ok((name.clone(), self.schema(property)?.into())))
                    .collect::<Canonical<Map<_, _>>>()?;
                put(model, "properties", properties.into())?;
            }
            "items" => put(model, "items", self.schema(value)?.into())?,
            "additionalProperties" if value.is_object() => {
                put(model, "values", self.schema(value)?.into())?;
            }
            "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems" => {
                put(model, keyword, json!(value.as_f64()))?;
            }
            "additionalProperties" | "nullable" | "format" | "pattern" | "default" => {
                put(model, keyword, value.clone())?;
            }
            unknown => {
                return not_comparable(format!("unknown keyword {unknown}: {value}"));
            }
        }
        Ok(())
    }

    /// A choice with null is its other branch, or null; a choice of constants is an `enum`.
    fn choice(&self, keyword: &str, branches: &[Value], model: &mut Map<String, Value>) -> Canonical<()> {
        let mut forms = Vec::new();
        for branch in branches {
            if branch["type"] == "null" {
                model.insert("nullable".to_owned(), json!(true));
            } else {
                forms.push(self.schema(branch)?);
            }
        }
        if let [only] = &*forms {
            return self.merge(model, only.clone());
        }
        if self.keeps == Keeps::NamesAndDefaults {
            return put(model, keyword, json!(forms));
        }
        if forms.iter().all(|form| form.contains_key("enum")) {
            let values = forms.iter().filter_map(|form| form["enum"].as_array());
            let values: Vec<_> = values.flatten().cloned().collect();
            put(model, "enum", set(&values))?;
            return put(model, "type", json!("string"));
        }
        let mut forms: Vec<_> = forms.into_iter().map(Value::Object).collect();
        forms.sort_by_key(Value::to_string);
        put(model, "anyOf", forms.into())
    }

    /// Merges another part into the model.
    fn merge(&self, model: &mut Map<String, Value>, part: Map<String, Value>) -> Canonical<()> {
        for (keyword, value) in part {
            match keyword.as_str() {
                // The whole may have its own name.
                "name" => {
                    model.insert(keyword, value);
                }
                _ => put(model, &keyword, value)?,
            }
        }
        Ok(())
    }
}

/// `[…, "null"]` and `nullable: true` are the same.
fn types(value: &Value, model: &mut Map<String, Value>) -> Canonical<()> {
    let mut named = BTreeSet::new();
    for name in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
        match text(name)? {
            "null" => {
                model.insert("nullable".to_owned(), json!(true));
            }
            name => {
                named.insert(name);
            }
        }
    }
    let mut one = named.iter();
    match (one.next(), one.next()) {
        (None, _) => Ok(()),
        (Some(name), None) => put(model, "type", json!(name)),
        _ => put(model, "type", json!(named)),
    }
}

/// Adds a keyword to the keywords of other parts.
fn put(model: &mut Map<String, Value>, keyword: &str, value: Value) -> Canonical<()> {
    match (model.get_mut(keyword), value) {
        (None, value) => {
            model.insert(keyword.to_owned(), value);
        }
        (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
            known.extend(more);
        }
        (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
            known.extend(more);
            known.sort_by_key(Value::to_string);
            known.dedup();
        }
        (Some(known), value) if *known == value => {}
        (Some(known), value) => {
            return not_comparable(format!(
                "two parts contradict each other: {keyword} {known} and {value}"
            ));
        }
    }
    Ok(())
}

/// Returns a set as a sorted list without null.
fn set(values: &[Value]) -> Value {
    let mut values: Vec<_> = values.iter().filter(|value| !value.is_null()).cloned().collect();
    values.sort_by_key(Value::to_string);
    values.into()
}

fn object(value: &Value) -> Canonical<Vec<(&String, &Value)>> {
    match value {
        Value::Object(members) => Ok(members.iter().collect()),
        other => not_comparable(format!("not an object: {other}")),
    }
}

fn optional_object<'a>(holder: &'a Value, name: &str) -> Canonical<Vec<(&'a String, &'a Value)>> {
    holder.get(name).map_or(Ok(Vec::new()), object)
}

fn array(value: &Value) -> Canonical<&[Value]> {
    match value {
        Value::Array(items) => Ok(items),
        other => not_comparable(format!("not a list: {other}")),
    }
}

fn text(value: &Value) -> Canonical<&str> {
    match value {
        Value::String(text) => Ok(text),
        other => not_comparable(format!("not a string: {other}")),
    }
}

fn flag(value: &Value, name: &str, default: bool) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(default)
}

fn pick(value: &Value, names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| ((*name).to_owned(), value[*name].clone()))
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: Value, other: Value) {
        let document = json!({"components": {"schemas": {"Name": {"type": "string"}}}});
        let one = canonical_schema(&document, &one).unwrap();
        assert_eq!(one, canonical_schema(&document, &other).unwrap());
    }

    #[test]
    fn nullable_schemas_have_one_canonical_form() {
        same(
            json!({"type": "string", "nullable": true}),
            json!({"type": ["string", "null"]}),
        );
        same(
            json!({"nullable": true, "allOf": [{"$ref": "#/components/schemas/Name"}]}),
            json!({"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Name"}]}),
        );
        same(
            json!({"type": "string", "enum": ["a", "b", null], "nullable": true}),
            json!({"anyOf": [{"oneOf": [{"const": "b", "type": "string"}, {"const": "a", "type": "string"}]}, {"type": "null"}]}),
        );
    }

    #[test]
    fn unknown_keywords_are_errors() {
        for (schema, why) in [
            (json!({"multipleOf": 2}), "unknown keyword multipleOf: 2"),
            (
                json!({"$ref": "#/components/schemas/None"}),
                "#/components/schemas/None has no target",
            ),
            (
                json!({"allOf": [{"type": "string"}, {"type": "integer"}]}),
                "two parts contradict each other: type \"string\" and \"integer\"",
            ),
        ] {
            let error = canonical_schema(&json!({}), &schema).unwrap_err();
            assert_eq!(error.to_string(), why);
        }
    }
}
