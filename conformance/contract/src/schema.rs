//! Schemas of the contract as JSON Schema.

use serde_json::{Map, Value, json};

use crate::contract::Contract;

/// Returns a schema of the contract as a self-contained JSON Schema (2020-12).
///
/// OpenAPI 3.0 writes "or null" as `nullable`, and the contract gives the pattern of a map's keys as `x-key-pattern`.
/// Both become JSON Schema keywords.
pub fn to_json_schema(contract: &Contract, schema: &Value) -> Value {
    let mut root = convert(schema);
    let schemas = contract.document()["components"]["schemas"]
        .as_object()
        .into_iter()
        .flatten();
    let schemas: Map<String, Value> = schemas.map(|(name, schema)| (name.clone(), convert(schema))).collect();
    root["components"] = json!({ "schemas": schemas });
    root
}

fn convert(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema.clone();
    };
    let mut converted = Map::new();
    for (keyword, value) in members {
        let value = match keyword.as_str() {
            "nullable" | "example" | "examples" | "description" | "title" => continue,
            "x-key-pattern" => {
                converted.insert("propertyNames".to_owned(), json!({ "pattern": value }));
                continue;
            }
            extension if extension.starts_with("x-") => continue,
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                properties
                    .map(|(name, schema)| (name.clone(), convert(schema)))
                    .collect()
            }
            "allOf" | "anyOf" | "oneOf" => value.as_array().into_iter().flatten().map(convert).collect(),
            "items" | "not" | "additionalProperties" => convert(value),
            _ => value.clone(),
        };
        converted.insert(keyword.clone(), value);
    }
    bound_by_format(&mut converted);
    let converted = Value::Object(converted);
    match schema["nullable"] == true {
        true => json!({ "anyOf": [{ "type": "null" }, converted] }),
        false => converted,
    }
}

/// Adds the bounds of a 32-bit or 64-bit integer, which JSON Schema does not derive from its format.
fn bound_by_format(schema: &mut Map<String, Value>) {
    let (least, most) = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("int64") => (i64::MIN, i64::MAX),
        _ => return,
    };
    schema.entry("minimum").or_insert_with(|| least.into());
    schema.entry("maximum").or_insert_with(|| most.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_number_has_the_bounds_of_its_format() {
        let metrics = json!({"$ref": "#/components/schemas/CompanyMetrics/properties/employee_count"});
        let schema = to_json_schema(Contract::bundled(), &metrics);
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&json!(i64::MAX)));
        assert!(!validator.is_valid(&json!(1e19)));
        assert!(!validator.is_valid(&json!(-1)));
        assert!(validator.is_valid(&Value::Null));
    }

    #[test]
    fn nullable_becomes_a_union_with_null() {
        let schema = json!({"type": "object", "nullable": true, "allOf": [{"$ref": "#/components/schemas/Pricing"}]});
        let schema = to_json_schema(Contract::bundled(), &schema);
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&Value::Null));
        assert!(!validator.is_valid(&json!({})));
    }

    #[test]
    fn result_takes_values_of_other_kinds() {
        let result = json!({"$ref": "#/components/schemas/ResultValue"});
        let schema = to_json_schema(Contract::bundled(), &result);
        let validator = jsonschema::validator_for(&schema).unwrap();
        for value in [json!("a"), json!(1), json!({"unit": "EUR"}), Value::Null] {
            assert!(validator.is_valid(&value), "{value}");
        }
    }

    #[test]
    fn key_of_a_map_must_match_its_pattern() {
        let values = json!({"$ref": "#/components/schemas/Values"});
        let schema = to_json_schema(Contract::bundled(), &values);
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&json!({})));
        assert!(!validator.is_valid(&json!({"question.0": null})));
    }

    #[test]
    fn every_schema_compiles() {
        let schemas = Contract::bundled().document()["components"]["schemas"].as_object();
        for name in schemas.unwrap().keys() {
            let reference = json!({"$ref": format!("#/components/schemas/{name}")});
            let schema = to_json_schema(Contract::bundled(), &reference);
            jsonschema::validator_for(&schema).unwrap();
        }
    }
}
