//! Conditions on an organization's record: which organizations a question applies to, where answering fails, and what a
//! CRM rejects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::field::FieldPath;
use super::search::IndexedOrganization;
use super::value::Scalar;

/// A condition on a record; neither true nor false where the record lacks the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// The record has this field; always true or false.
    Known(FieldPath),
    /// The field's number is at least a bound.
    AtLeast(Bound),
    /// One of the field's values is this one.
    Is(Expected),
    /// The opposite holds.
    Not(Box<Condition>),
    /// Every one of these holds.
    All(Vec<Condition>),
    /// At least one of these holds.
    Any(Vec<Condition>),
}

/// A number that a field is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// A field that holds a number.
    pub field: FieldPath,
    /// The least number that passes.
    pub value: f64,
}

/// A value that a field is expected to have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Any field.
    pub field: FieldPath,
    /// The value.
    pub value: Scalar,
}

impl Condition {
    /// Whether the condition holds; `None` where the record lacks the data.
    pub fn holds(&self, organization: &IndexedOrganization) -> Option<bool> {
        match self {
            Self::Known(path) => Some(path.is_known(organization)),
            Self::AtLeast(bound) => Some(bound.field.number(organization)? >= bound.value),
            Self::Is(expected) => {
                let said = expected.field.read(organization);
                (!said.is_empty()).then(|| said.contains(&expected.value))
            }
            Self::Not(condition) => condition.holds(organization).map(|holds| !holds),
            Self::All(conditions) => decide(conditions, false, organization),
            Self::Any(conditions) => decide(conditions, true, organization),
        }
    }
}

/// Returns `deciding` as soon as one condition yields it, the opposite if all yield that, otherwise unknown.
fn decide(conditions: &[Condition], deciding: bool, organization: &IndexedOrganization) -> Option<bool> {
    let mut outcome = Some(!deciding);
    for condition in conditions {
        match condition.holds(organization) {
            Some(holds) if holds == deciding => return Some(deciding),
            Some(_) => {}
            None => outcome = None,
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample::well_known;

    #[test]
    fn condition_is_unknown_only_where_the_record_decides_nothing() {
        let country = |code: &str| json!({"is": {"field": "organization.headquarters.country", "value": code}});
        let unknown = json!({"at_least": {"field": "organization.metrics.funding.last_round_usd", "value": 1}});
        let table = [
            (country("FR"), Some(true)),
            (country("DE"), Some(false)),
            (unknown.clone(), None),
            (json!({"not": unknown}), None),
            (json!({"not": country("DE")}), Some(true)),
            (json!({"all": [country("FR"), unknown]}), None),
            (json!({"all": [unknown, country("DE")]}), Some(false)),
            (json!({"any": [unknown, country("FR")]}), Some(true)),
            (json!({"any": [unknown, country("DE")]}), None),
            (json!({"all": []}), Some(true)),
            (json!({"any": []}), Some(false)),
        ];
        for (condition, holds) in table {
            let read: Condition = serde_json::from_value(condition.clone()).unwrap();
            assert_eq!(read.holds(&well_known()), holds, "{condition}");
        }
    }
}
