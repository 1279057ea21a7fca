//! Ids of columns.

use std::fmt;

use crate::QuestionId;

/// Id of a column.
///
/// Text converts into it and displays as the same text, so every key is preserved.
///
/// ```
/// use platform_sdk::{ColumnId, QuestionId};
///
/// let question = ColumnId::from("question.201");
/// assert_eq!(question, ColumnId::Question(QuestionId::from(201)));
/// assert_eq!(question.to_string(), "question.201");
///
/// let city = ColumnId::from("organization.headquarters.city");
/// assert_eq!(city, ColumnId::EntityData("organization.headquarters.city"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ColumnId<'a> {
    /// A qualifying question, `question.<question_id>`.
    Question(QuestionId),
    /// Entity data of the platform, identified by the path of its field.
    EntityData(&'a str),
}

impl<'a> From<&'a str> for ColumnId<'a> {
    fn from(text: &'a str) -> Self {
        match question_id(text) {
            Some(id) => Self::Question(id),
            None => Self::EntityData(text),
        }
    }
}

impl<'a> From<&'a String> for ColumnId<'a> {
    fn from(text: &'a String) -> Self {
        text.as_str().into()
    }
}

impl From<QuestionId> for ColumnId<'_> {
    fn from(id: QuestionId) -> Self {
        Self::Question(id)
    }
}

/// Lets a column be passed as a parameter.
impl From<ColumnId<'_>> for String {
    fn from(id: ColumnId<'_>) -> Self {
        id.to_string()
    }
}

impl fmt::Display for ColumnId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Question(id) => f.pad(&format!("question.{id}")),
            Self::EntityData(path) => f.pad(path),
        }
    }
}

impl QuestionId {
    /// Returns the column of the question in every item of its pipeline, for example to sort by it.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::QuestionId;
    ///
    /// let question = QuestionId::from(101);
    /// let page = client.list_items().pipeline_id(1).sort_by(question.column()).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub const fn column(self) -> ColumnId<'static> {
        ColumnId::Question(self)
    }
}

/// Returns the id in `question.<question_id>`, if it formats as the same text.
fn question_id(text: &str) -> Option<QuestionId> {
    let digits = text.strip_prefix("question.")?;
    let is_canonical = !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_canonical.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::ColumnId;

    #[test]
    fn every_key_is_shown_unchanged() {
        let questions = ["question.1", "question.201", "question.9223372036854775807"];
        let others = [
            "organization.name",
            "question",
            "question.",
            "question.0",
            "question.007",
            "question.+7",
            "question.-7",
            "question.7 ",
            "question.9223372036854775808",
            "question.١",
            "Question.7",
            "",
        ];
        for key in questions {
            assert!(matches!(ColumnId::from(key), ColumnId::Question(_)), "{key}");
            assert_eq!(ColumnId::from(key).to_string(), key);
        }
        for key in others {
            assert_eq!(ColumnId::from(key), ColumnId::EntityData(key));
            assert_eq!(ColumnId::from(key).to_string(), key);
        }
    }
}
