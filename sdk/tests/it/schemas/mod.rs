//! The JSON Schemas of the SDK's types match the contract.

use platform_contract::canonical_schema;
use platform_sdk::{types::*, *};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Whether the JSON is read or written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Read,
    Written,
}

/// The schemas of all types that have a component in the contract, by component name.
fn sdk(way: Way) -> Map<String, Value> {
    macro_rules! schemas {
        ($($name:ident),+ $(,)?) => {
            [$((stringify!($name).to_owned(), schema::<$name>(way))),+].into_iter().collect()
        };
    }
    schemas![
        AddOrganizationRequest,
        Address,
        ColumnValue,
        CompanyMetrics,
        Contact,
        DateBound,
        EntityType,
        ExecutionStatus,
        FieldError,
        Funding,
        FundingStage,
        ItemPage,
        ItemStatus,
        LocationSegment,
        Organization,
        OrganizationId,
        OrganizationSearchPage,
        OrganizationSearchResult,
        PipelineId,
        PipelineItem,
        PipelineItemId,
        Pricing,
        Problem,
        ProblemCode,
        Product,
        ProductId,
        ProductSearchPage,
        ProductSearchResult,
        ResultValue,
        Similarity,
        SocialProfiles,
        SortOrder,
        SyncStatus,
        ValueCategory,
        Values,
    ]
}

fn schema<T: JsonSchema>(way: Way) -> Value {
    let settings = SchemaSettings::draft2020_12();
    let settings = match way {
        Way::Read => settings.for_deserialize(),
        Way::Written => settings.for_serialize(),
    };
    let schema = settings.into_generator().into_root_schema_for::<T>();
    canonical_schema(schema.as_value(), schema.as_value()).unwrap()
}

/// Components that are plain strings or numbers in the SDK, mostly as parameters. The server validates them.
/// Where a response contains one, it is compared as part of that response.
const WITHOUT_A_TYPE: &[&str] = &[
    "BusinessType",
    "CountryCode",
    "EmployeeCountBound",
    "QuestionColumnId",
    "RegionCode",
    "RequestId",
    "SearchText",
    "YearBound",
];

/// Components that are nullable wherever they are used. The SDK wraps the type in an `Option` instead.
const MAY_BE_NULL: [&str; 2] = ["ExecutionStatus", "SyncStatus"];

/// The intended differences between the SDK's types and the contract. Each changes one object of a canonical
/// schema of the contract.
const DIFFERENCES: &[Difference] = &[missing_is_null, lists_are_open];

type Difference = fn(Way, &mut Map<String, Value>);

/// A missing nullable property is read as null: both mean "unknown".
fn missing_is_null(way: Way, schema: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").cloned() else {
        return;
    };
    if way == Way::Read
        && let Some(Value::Array(required)) = schema.get_mut("required")
    {
        required.retain(|name| properties[name.as_str().unwrap()]["nullable"] != true);
        if required.is_empty() {
            schema.remove("required");
        }
    }
}

/// A new value must not make a response unreadable. The sort order is only ever sent, so it stays closed.
fn lists_are_open(_: Way, schema: &mut Map<String, Value>) {
    if schema.contains_key("enum") && schema["enum"] != json!(["asc", "desc"]) {
        let any = json!({"type": schema.remove("type")});
        let mut known = any.clone();
        known["enum"] = schema.remove("enum").into();
        schema.insert("anyOf".to_owned(), json!([known, any]));
    }
}

fn apply(way: Way, schema: &mut Value) {
    match schema {
        Value::Array(choices) => choices.iter_mut().for_each(|choice| apply(way, choice)),
        Value::Object(schema) => {
            for (keyword, value) in schema.iter_mut() {
                match value {
                    Value::Object(properties) if keyword == "properties" => {
                        properties.values_mut().for_each(|property| apply(way, property))
                    }
                    value if keyword != "enum" && keyword != "required" => apply(way, value),
                    _ => {}
                }
            }
            for difference in DIFFERENCES {
                difference(way, schema);
            }
            if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
                choices.sort_by_key(ToString::to_string);
            }
        }
        _ => {}
    }
}

/// The schema that the SDK's type must have for a component.
fn expected(contract: &Value, name: &str, way: Way) -> Value {
    let mut schema = canonical_schema(contract, &contract["components"]["schemas"][name]).unwrap();
    if MAY_BE_NULL.contains(&name) {
        schema.as_object_mut().unwrap().remove("nullable");
    }
    apply(way, &mut schema);
    schema
}

/// Returns the contract with `last_round_stage` as a nullable `FundingStage`. Its schema allows any text;
/// only its description and `x-type-name` refer to `FundingStage`.
fn contract() -> Value {
    let mut contract = crate::contract();
    let stage = &mut contract["components"]["schemas"]["Funding"]["properties"]["last_round_stage"];
    assert_eq!(stage["x-type-name"], "FundingStage");
    assert!(stage.get("enum").is_none());
    *stage = json!({"nullable": true, "allOf": [{"$ref": "#/components/schemas/FundingStage"}]});
    contract
}

#[test]
fn schemas_of_the_types_agree_with_the_contract() {
    let contract = contract();
    for way in [Way::Written, Way::Read] {
        for (name, schema) in sdk(way) {
            let expected = expected(&contract, &name, way);
            if let Err(difference) = compare(&schema, &expected) {
                panic!("{name}, {way:?}, the SDK on the left: {difference}");
            }
        }
    }
}

fn compare(sdk: &Value, contract: &Value) -> Result<(), String> {
    let config = assert_json_diff::Config::new(assert_json_diff::CompareMode::Strict);
    assert_json_diff::assert_json_matches_no_panic(sdk, contract, config)
}

#[test]
fn every_component_has_a_type_or_is_plain() {
    let contract = contract();
    let with_a_type = sdk(Way::Read);
    for (name, schema) in contract["components"]["schemas"].as_object().unwrap() {
        let is_plain = WITHOUT_A_TYPE.contains(&name.as_str());
        assert_ne!(
            is_plain,
            with_a_type.contains_key(name),
            "{name}: compare its type, or have it among those without one"
        );
        assert!(!is_plain || schema["type"] == "string" || schema["type"] == "integer");
    }
}

/// Removes or adds one part at a time: no change of the contract goes unnoticed.
#[test]
fn every_schema_change_is_detected() {
    let contract = contract();
    let sdk = sdk(Way::Written);
    let mut changes = 0;
    for (name, schema) in &sdk {
        let component = &contract["components"]["schemas"][name];
        for (what, changed) in changes_of(component) {
            // The schemas that use the component detect this change.
            if what == "nullable" && MAY_BE_NULL.contains(&name.as_str()) {
                continue;
            }
            let mut contract = contract.clone();
            contract["components"]["schemas"][name] = changed;
            let expected = expected(&contract, name, Way::Written);
            assert!(compare(schema, &expected).is_err(), "{name} without {what}");
            changes += 1;
        }
    }
    assert!(changes > 300, "only {changes} changes");
}

const NOT_NULL: &str = "not being null";

/// All copies of `schema` with one change, each with the name of the change.
fn changes_of(schema: &Value) -> Vec<(String, Value)> {
    let mut changes = Vec::new();
    let Value::Object(keywords) = schema else {
        return changes;
    };
    let mut change = |what: String, change: &dyn Fn(&mut Value)| {
        let mut changed = schema.clone();
        change(&mut changed);
        changes.push((what, changed));
    };
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("required" | "enum", Value::Array(names)) => {
                for (index, name) in names.iter().enumerate().filter(|(_, n)| !n.is_null()) {
                    change(format!("{keyword} {name}"), &|changed| {
                        changed[keyword].as_array_mut().unwrap().remove(index);
                    });
                }
            }
            ("allOf" | "oneOf", Value::Array(parts)) => {
                for (index, part) in parts.iter().enumerate() {
                    for (what, part) in changes_of(part) {
                        // Another part of `allOf` has the same constraint.
                        let is_said_twice = what == "type" || what == NOT_NULL;
                        if keyword == "oneOf" || !is_said_twice {
                            change(format!("{keyword}/{index}/{what}"), &|changed| {
                                changed[keyword][index] = part.clone();
                            });
                        }
                    }
                }
            }
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    change(format!("the property {name}"), &|changed| {
                        changed[keyword].as_object_mut().unwrap().remove(name);
                    });
                    for (what, property) in changes_of(property) {
                        change(format!("{name}/{what}"), &|changed| {
                            changed[keyword][name] = property.clone();
                        });
                    }
                }
            }
            ("items" | "additionalProperties", Value::Object(_)) => {
                for (what, inner) in changes_of(value) {
                    change(format!("{keyword}/{what}"), &|changed| {
                        changed[keyword] = inner.clone();
                    });
                }
            }
            ("type", _) if keywords.contains_key("allOf") => {}
            (
                "type"
                | "format"
                | "nullable"
                | "pattern"
                | "minimum"
                | "maximum"
                | "minLength"
                | "maxLength"
                | "minItems"
                | "maxItems"
                | "additionalProperties",
                _,
            ) => change(keyword.clone(), &|changed| {
                changed.as_object_mut().unwrap().remove(keyword);
            }),
            _ => {}
        }
    }
    // A reference to a nullable schema is already nullable.
    let nullable = ["ExecutionStatus", "SyncStatus"].map(|name| json!(format!("#/components/schemas/{name}")));
    let may_be_null = keywords
        .get("$ref")
        .is_some_and(|reference| nullable.contains(reference));
    if !may_be_null && !keywords.contains_key("nullable") {
        change(NOT_NULL.to_owned(), &|changed| {
            changed["nullable"] = json!(true);
        });
    }
    if keywords.get("type") == Some(&json!("object")) && !keywords.contains_key("allOf") {
        change("not having another property".to_owned(), &|changed| {
            changed["properties"]["another"] = json!({"type": "string"});
        });
    }
    changes
}
