//! The fields of an organization's record that a pipeline can show as columns and that can answer questions, each
//! identified by its dotted path.
//!
//! One table defines everything about each field. Persons and documents have no fields here: the platform returns only
//! their ids.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use chrono::NaiveDate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::search::IndexedOrganization;
use super::value::Scalar;

/// The type of a field or an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerType {
    /// A text.
    #[default]
    Text,
    /// A number.
    Number,
    /// Yes or no, as a boolean.
    YesNo,
}

impl fmt::Display for AnswerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::YesNo => "yes_no",
        })
    }
}

/// The path of a field, such as `organization.metrics.employee_count`.
///
/// Paths are ordered as in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(usize);

struct Field {
    path: &'static str,
    kind: AnswerType,
    hold: fn(&IndexedOrganization) -> Held<'_>,
}

/// What a record holds in a field, in place.
enum Held<'a> {
    Nothing,
    Text(&'a str),
    Texts(&'a BTreeSet<String>),
    Number(u64),
    Day(NaiveDate),
}

impl Held<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Texts(texts) => texts.is_empty(),
            Self::Text(_) | Self::Number(_) | Self::Day(_) => false,
        }
    }

    fn values(self) -> Vec<Scalar> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Text(text) => vec![text.into()],
            Self::Texts(texts) => texts.iter().cloned().map(Scalar::Text).collect(),
            Self::Number(number) => vec![number.into()],
            Self::Day(day) => vec![Scalar::Text(day.to_string())],
        }
    }
}

macro_rules! text {
    ($($part:ident).+) => {
        Field {
            path: concat!("organization", $(".", stringify!($part)),+),
            kind: AnswerType::Text,
            hold: |known| known.organization.$($part).+.as_deref().map_or(Held::Nothing, Held::Text),
        }
    };
}

macro_rules! number {
    ($($part:ident).+) => {
        Field {
            path: concat!("organization", $(".", stringify!($part)),+),
            kind: AnswerType::Number,
            hold: |known| known.organization.$($part).+.map_or(Held::Nothing, Held::Number),
        }
    };
}

macro_rules! date {
    ($($part:ident).+) => {
        Field {
            path: concat!("organization", $(".", stringify!($part)),+),
            kind: AnswerType::Text,
            hold: |known| known.organization.$($part).+.map_or(Held::Nothing, Held::Day),
        }
    };
}

static FIELDS: [Field; 20] = [
    Field {
        path: "organization.name",
        kind: AnswerType::Text,
        hold: |known| Held::Text(&known.organization.name),
    },
    Field {
        path: "organization.description",
        kind: AnswerType::Text,
        hold: |known| Held::Text(&known.organization.description),
    },
    Field {
        path: "organization.categories",
        kind: AnswerType::Text,
        hold: |known| Held::Texts(&known.categories),
    },
    text!(domain),
    number!(metrics.employee_count),
    date!(metrics.founded_on),
    number!(metrics.funding.total_usd),
    Field {
        path: "organization.metrics.funding.last_round_stage",
        kind: AnswerType::Text,
        hold: |known| {
            let stage = known.organization.metrics.funding.last_round_stage;
            stage.map_or(Held::Nothing, |stage| Held::Text(stage.as_str()))
        },
    },
    number!(metrics.funding.last_round_usd),
    date!(metrics.funding.last_round_on),
    text!(headquarters.street),
    text!(headquarters.city),
    text!(headquarters.postal_code),
    text!(headquarters.region),
    text!(headquarters.region_name),
    text!(headquarters.country),
    text!(headquarters.country_name),
    text!(contact.website_url),
    text!(contact.email),
    text!(contact.phone),
];

impl FieldPath {
    /// The field with this path, if there is one.
    pub fn find(path: &str) -> Option<Self> {
        FIELDS.iter().position(|field| field.path == path).map(Self)
    }

    /// All fields, in their order.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..FIELDS.len()).map(Self)
    }

    /// The path.
    pub fn as_str(self) -> &'static str {
        FIELDS[self.0].path
    }

    /// The type of the field's values.
    pub fn answer_type(self) -> AnswerType {
        FIELDS[self.0].kind
    }

    /// The record's values for the field; empty if it has none.
    pub fn read(self, organization: &IndexedOrganization) -> Vec<Scalar> {
        self.held(organization).values()
    }

    /// Whether the record has a value for the field.
    pub fn is_known(self, organization: &IndexedOrganization) -> bool {
        !self.held(organization).is_empty()
    }

    /// The record's number for the field; `None` if it has no number there.
    pub fn number(self, organization: &IndexedOrganization) -> Option<f64> {
        match self.held(organization) {
            Held::Number(number) => Some(number as f64),
            _ => None,
        }
    }

    /// The record's date for the field; `None` if it has no date there.
    pub fn date(self, organization: &IndexedOrganization) -> Option<NaiveDate> {
        match self.held(organization) {
            Held::Day(day) => Some(day),
            Held::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn held(self, organization: &IndexedOrganization) -> Held<'_> {
        (FIELDS[self.0].hold)(organization)
    }
}

impl fmt::Debug for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for FieldPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for FieldPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let path = String::deserialize(deserializer)?;
        Self::find(&path).ok_or_else(|| D::Error::custom(format!("`{path}` is not a field of the entity data")))
    }
}

impl JsonSchema for FieldPath {
    fn schema_name() -> Cow<'static, str> {
        "FieldPath".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": Self::all().map(Self::as_str).collect::<Vec<_>>()})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample::{organization, well_known};

    #[test]
    fn field_is_found_only_by_its_path() {
        for field in FieldPath::all() {
            assert_eq!(FieldPath::find(field.as_str()), Some(field));
        }
        assert_eq!(FieldPath::find("organization"), None);
        assert_eq!(FieldPath::find("metrics.employee_count"), None);
    }

    #[test]
    fn path_leads_to_the_field_of_the_same_name() {
        let known = well_known();
        let record = serde_json::to_value(&*known.organization).unwrap();
        for field in FieldPath::all().filter(|field| field.as_str() != "organization.categories") {
            let pointer = field.as_str().replace("organization", "").replace('.', "/");
            let expected: Vec<_> = record
                .pointer(&pointer)
                .filter(|value| !value.is_null())
                .into_iter()
                .collect();
            assert_eq!(json!(field.read(&known)), json!(expected), "{field}");
        }
    }

    #[test]
    fn missing_field_is_empty() {
        let bare = organization(json!({}));
        let filled: Vec<_> = FieldPath::all().filter(|field| !field.read(&bare).is_empty()).collect();
        assert_eq!(
            filled.iter().map(FieldPath::to_string).collect::<Vec<_>>(),
            ["organization.name", "organization.description"]
        );
    }
}
