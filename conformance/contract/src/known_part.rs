//! The part of a body that the contract describes. A deployment may add other members with any value.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::Contract;
use crate::operation::Operation;

/// Returns the part of an operation's success body that the contract describes.
pub fn known_part_of(contract: &Contract, operation: &Operation, body: &Value) -> Value {
    let content = "content/application~1json/schema";
    let schema = operation
        .response(200)
        .and_then(|response| contract.get(&format!("{}/{content}", response.pointer)));
    schema.map_or_else(|| body.clone(), |schema| known_part(contract, schema, body))
}

/// Returns the part of a value that a schema describes.
pub fn known_part(contract: &Contract, schema: &Value, value: &Value) -> Value {
    let schema = contract.resolve(schema);
    match value {
        Value::Array(entries) => {
            let known = |entry| known_part(contract, &schema["items"], entry);
            entries.iter().map(known).collect()
        }
        Value::Object(members) => {
            let properties = properties_of(contract, schema);
            let others = schema.get("additionalProperties").filter(|of| of.is_object());
            // A schema without properties describes no member in particular.
            let any = (properties.is_empty() && others.is_none()).then_some(&Value::Null);
            let known = members.iter().filter_map(|(name, member)| {
                let schema = properties.get(name.as_str()).copied().or(others).or(any)?;
                Some((name.clone(), known_part(contract, schema, member)))
            });
            Value::Object(known.collect())
        }
        value => value.clone(),
    }
}

/// A field of an object, by its schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<'a> {
    /// The names of the members that lead to it.
    pub path: Vec<String>,
    /// What the contract says of its value.
    pub schema: &'a Value,
}

/// Returns the fields that a schema describes, through the objects that it contains.
pub fn fields<'a>(contract: &'a Contract, schema: &'a Value) -> Vec<Field<'a>> {
    let properties = properties_of(contract, contract.resolve(schema)).into_iter();
    let below = properties.flat_map(|(name, schema)| {
        let schema = contract.resolve(schema);
        let mut below = fields(contract, schema);
        if below.is_empty() {
            below.push(Field {
                path: Vec::new(),
                schema,
            });
        }
        below.into_iter().map(move |Field { path, schema }| Field {
            path: [vec![name.to_owned()], path].concat(),
            schema,
        })
    });
    below.collect()
}

/// Returns the properties of a schema and of the schemas it is composed of.
fn properties_of<'a>(contract: &'a Contract, schema: &'a Value) -> BTreeMap<&'a str, &'a Value> {
    let own = schema["properties"].as_object().into_iter().flatten();
    let mut properties: BTreeMap<_, _> = own.map(|(name, of)| (name.as_str(), of)).collect();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        properties.extend(properties_of(contract, contract.resolve(part)));
    }
    properties
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_that_the_contract_does_not_have_are_left_out_at_any_depth() {
        let contract = Contract::bundled();
        let entry = json!({"status": "completed", "result": [{"any": "thing"}], "seen_by": 3});
        let page = json!({
            "total_count": 1, "_links": {}, "items": [{"pipeline_item_id": 7, "can_edit": true, "values": {"question.1": entry}}],
        });
        let known = json!({"status": "completed", "result": [{"any": "thing"}]});
        assert_eq!(
            known_part_of(contract, contract.operation("list_items"), &page),
            json!({"total_count": 1, "items": [{"pipeline_item_id": 7, "values": {"question.1": known}}]})
        );
    }

    #[test]
    fn fields_are_named_by_their_paths() {
        let contract = Contract::bundled();
        let schema = json!({"$ref": "#/components/schemas/ProductSearchResult"});
        let fields = fields(contract, &schema);
        let paths: Vec<_> = fields.iter().map(|field| field.path.join(".")).collect();
        for path in [
            "product_id",
            "features",
            "organization.metrics.employee_count",
            "similarity.cosine_distance",
        ] {
            assert!(paths.iter().any(|known| known == path), "{path}");
        }
        assert!(!paths.iter().any(|path| path == "organization"));
        let founded = fields
            .iter()
            .find(|field| field.path.join(".") == "organization.metrics.founded_on");
        assert_eq!(founded.unwrap().schema["format"], "date");
    }

    #[test]
    fn schema_that_is_made_of_others_has_their_members() {
        let contract = Contract::bundled();
        let search = contract.operation("search_organizations_by_description");
        let page = json!({"results": [{"name": "A", "metrics": {"employee_count": 3}, "rank": 1, "similarity": {"cosine_distance": 0.5}}]});
        let known = json!({"results": [{"name": "A", "metrics": {"employee_count": 3}, "similarity": {"cosine_distance": 0.5}}]});
        assert_eq!(known_part_of(contract, search, &page), known);
    }
}
