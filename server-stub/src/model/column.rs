//! Column ids: `question.<question_id>`, or the path of a field of the platform's entity data.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::field::FieldPath;
use super::ids::QuestionId;

/// Names a column of a pipeline. Fields come before questions. Fields are in the order of the table of fields,
/// questions in the order of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ColumnId {
    /// A field of the entity's record.
    Field(FieldPath),
    /// A qualifying question.
    Question(QuestionId),
}

/// A text does not name a column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither question.<question_id> nor a field of the entity data")]
pub struct UnknownColumn(pub String);

/// Whether a text has the form `question.<question_id>`, the id a positive number without leading zeros, whether or not
/// there is such a question.
pub fn is_question_column(text: &str) -> bool {
    let digits = text.strip_prefix("question.").unwrap_or_default();
    !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses `question.<question_id>`; `None` if the text has another form, or its number is not an identifier.
pub fn parse_question_column(text: &str) -> Option<QuestionId> {
    let digits = text.strip_prefix("question.").filter(|_| is_question_column(text))?;
    digits.parse().ok().and_then(|number| QuestionId::new(number).ok())
}

impl FromStr for ColumnId {
    type Err = UnknownColumn;

    fn from_str(text: &str) -> Result<Self, UnknownColumn> {
        parse_question_column(text)
            .map(Self::Question)
            .or_else(|| FieldPath::find(text).map(Self::Field))
            .ok_or_else(|| UnknownColumn(text.to_owned()))
    }
}

impl TryFrom<String> for ColumnId {
    type Error = UnknownColumn;

    fn try_from(text: String) -> Result<Self, UnknownColumn> {
        text.parse()
    }
}

impl From<ColumnId> for String {
    fn from(column: ColumnId) -> Self {
        column.to_string()
    }
}

impl fmt::Display for ColumnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(path) => path.fmt(f),
            Self::Question(id) => write!(f, "question.{id}"),
        }
    }
}

impl JsonSchema for ColumnId {
    fn schema_name() -> Cow<'static, str> {
        "ColumnId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let fields: Vec<_> = FieldPath::all().map(FieldPath::as_str).collect();
        json_schema!({
            "type": "string",
            "anyOf": [{"pattern": r"^question\.[1-9][0-9]*$"}, {"enum": fields}],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_is_written_as_it_is_read() {
        for text in ["question.1", "question.9007199254740991", "organization.name"] {
            assert_eq!(text.parse::<ColumnId>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn only_plain_positive_numbers_name_questions() {
        for text in [
            "question.",
            "question.0",
            "question.01",
            "question.+1",
            "question.-1",
            "question.1 ",
            "question.x",
            "question.9007199254740992",
            "question.99999999999999999999",
            "Question.1",
            "question",
            "",
        ] {
            assert_eq!(parse_question_column(text), None, "{text}");
        }
    }
}
