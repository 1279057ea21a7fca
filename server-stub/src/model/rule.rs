//! How questions are answered: by rules over the organization's record, never at random.
//!
//! The same rules answer the questions of built-in items on loading and those of added organizations during their
//! processes, so both give the same answers.

use std::sync::OnceLock;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::condition::Condition;
use super::field::{AnswerType, FieldPath};
use super::search::IndexedOrganization;
use super::value::Scalar;
use platform_embedding::vector::Vector;

/// How an answer is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// A field of the record.
    Field(FieldPath),
    /// Whether a condition holds for the record.
    Holds(Condition),
    /// Whether a text of the record means about the same as another.
    Resembles(Resemblance),
    /// Which of several texts is closest to one of the record.
    Nearest(Nearest),
    /// One field divided by another, rounded to a whole number.
    Ratio(Ratio),
    /// The full years from the date in a field to a given day.
    YearsUntil(YearsUntil),
}

/// A text that a record is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resemblance {
    /// The meaning of the record that is compared.
    pub of: Aspect,
    /// The text that it is compared with.
    pub text: Statement,
    /// The greatest cosine distance that counts as resembling, from 0 to 2.
    #[schemars(range(min = 0, max = 2))]
    pub within: f64,
}

/// Texts of which the nearest gives the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nearest {
    /// The meaning of the record that is compared.
    pub of: Aspect,
    /// The possible answers; an answer may be listed with several texts.
    pub among: Vec<Labelled>,
    /// The greatest cosine distance at which the nearest text still gives an answer, from 0 to 2.
    #[schemars(range(min = 0, max = 2))]
    pub within: f64,
}

/// A possible answer, with a text that describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Labelled {
    /// The answer.
    pub answer: String,
    /// A text with the meaning of the answer.
    pub text: Statement,
}

/// A division.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// A field that holds a number: the dividend.
    pub of: FieldPath,
    /// A field that holds a number: the divisor.
    pub per: FieldPath,
}

/// A span of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct YearsUntil {
    /// A field that holds a date.
    pub field: FieldPath,
    /// The day until which years are counted.
    pub day: NaiveDate,
}

/// One of the two meanings of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// What it does.
    Description,
    /// Whom it serves.
    CustomerBase,
}

/// A text with its meaning. Until it can be embedded, it resembles nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Statement {
    text: String,
    /// Gives the text its meaning.
    embed: Option<Embed>,
    /// The meaning, once a record has been compared with it.
    meaning: OnceLock<Vector>,
}

/// Turns a text into its meaning.
pub type Embed = fn(&str) -> Vector;

impl From<String> for Statement {
    fn from(text: String) -> Self {
        Self {
            text,
            embed: None,
            meaning: OnceLock::new(),
        }
    }
}

impl From<Statement> for String {
    fn from(statement: Statement) -> Self {
        statement.text
    }
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Rule {
    /// The type of answer that the rule gives.
    pub fn answer_type(&self) -> AnswerType {
        match self {
            Self::Field(path) => path.answer_type(),
            Self::Holds(_) | Self::Resembles(_) => AnswerType::YesNo,
            Self::Nearest(_) => AnswerType::Text,
            Self::Ratio(_) | Self::YearsUntil(_) => AnswerType::Number,
        }
    }

    /// Sets how the rule's texts get their meanings.
    pub(super) fn give_meaning(&mut self, embed: Embed) {
        let statements = match self {
            Self::Resembles(rule) => std::slice::from_mut(&mut rule.text).iter_mut().collect(),
            Self::Nearest(rule) => rule.among.iter_mut().map(|it| &mut it.text).collect(),
            Self::Field(_) | Self::Holds(_) | Self::Ratio(_) | Self::YearsUntil(_) => Vec::new(),
        };
        for statement in statements {
            statement.embed = Some(embed);
        }
    }

    /// The answer, never empty, with its certainty; `None` if the record lacks the data.
    pub(super) fn apply(&self, organization: &IndexedOrganization) -> Option<(Vec<Scalar>, u8)> {
        match self {
            Self::Field(path) => {
                let result = path.read(organization);
                (!result.is_empty()).then(|| (result, certainty_of_record(organization)))
            }
            Self::Holds(condition) => Some((
                vec![condition.holds(organization)?.into()],
                certainty_of_record(organization),
            )),
            Self::Resembles(rule) => {
                let distance = rule.text.distance(rule.of, organization)?;
                let certainty = certainty_of_margin((distance - rule.within).abs());
                Some((vec![(distance <= rule.within).into()], certainty))
            }
            Self::Nearest(rule) => rule.apply(organization),
            Self::Ratio(rule) => {
                let ratio = rule.of.number(organization)? / rule.per.number(organization)?;
                let rounded = Number::from_f64(ratio.round()).map(whole)?;
                Some((vec![Scalar::Number(rounded)], CERTAIN))
            }
            Self::YearsUntil(rule) => {
                let years = rule.day.years_since(rule.field.date(organization)?)?;
                Some((vec![u64::from(years).into()], CERTAIN))
            }
        }
    }
}

impl Nearest {
    fn apply(&self, organization: &IndexedOrganization) -> Option<(Vec<Scalar>, u8)> {
        let mut ranked = Vec::new();
        for labelled in &self.among {
            ranked.push((labelled.text.distance(self.of, organization)?, labelled));
        }
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (distance, nearest) = ranked.first().filter(|(distance, _)| *distance <= self.within)?;
        let other = ranked.iter().find(|(_, labelled)| labelled.answer != nearest.answer);
        let margin = other.map_or(self.within, |(next, _)| *next) - distance;
        Some((vec![nearest.answer.as_str().into()], certainty_of_margin(margin)))
    }
}

impl Statement {
    fn distance(&self, of: Aspect, organization: &IndexedOrganization) -> Option<f64> {
        let theirs = match of {
            Aspect::Description => &organization.meaning.offer,
            Aspect::CustomerBase => organization.meaning.customers.as_ref()?,
        };
        let embed = self.embed?;
        let meaning = self.meaning.get_or_init(|| embed(&self.text));
        Some(meaning.distance(theirs))
    }
}

/// Writes a whole number without a fraction: `3`, not `3.0`.
fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float) if float.abs() < 9e15 => Number::from(float as i64),
        _ => number,
    }
}

/// Certainty of a calculated answer.
const CERTAIN: u8 = 100;

/// Certainty of a value from a record: from 60 to 100, growing with the number of fields that the record fills.
fn certainty_of_record(organization: &IndexedOrganization) -> u8 {
    let filled = FieldPath::all().filter(|field| field.is_known(organization)).count();
    60 + (40 * filled / FieldPath::all().len()) as u8
}

/// Certainty of a comparison of meanings: 50 at the border, 99 from a margin of 0.25 on.
fn certainty_of_margin(margin: f64) -> u8 {
    50 + (49.0 * (margin / 0.25).min(1.0)) as u8
}
