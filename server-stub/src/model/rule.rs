//! How questions are answered: by rules over the organization's record, never by chance.
//!
//! The same rules answer the questions of built-in items when they are loaded and those of added
//! organizations as their processes run, so that the two cannot differ.

use std::sync::OnceLock;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::field::{AnswerType, FieldPath};
use super::pipeline::Question;
use super::search::IndexedOrganization;
use super::value::{ColumnValue, ExecutionStatus, Scalar, ValueCategory};
use crate::embedding::{cosine_distance, embed};

/// How an answer is found.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// It stands in the record.
    Field(FieldPath),
    /// Whether something holds of the record.
    Holds(Condition),
    /// Whether a text of the record means much the same as another.
    Resembles(Resemblance),
    /// Which of several texts comes closest to one of the record.
    Nearest(Nearest),
    /// One field divided by another, rounded to a whole number.
    Ratio(Ratio),
    /// The full years from the date in a field to a given day.
    YearsUntil(YearsUntil),
}

/// Something that may hold of a record; neither true nor false where the record does not say.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// The record has this field; always true or false.
    Known(FieldPath),
    /// The field's number is not below a bound.
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

/// A number that a field is measured against.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// A field that holds a number.
    pub field: FieldPath,
    /// The least number that passes.
    pub value: f64,
}

/// A value that a field is to have.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Any field.
    pub field: FieldPath,
    /// The value.
    pub value: Scalar,
}

/// A text that a record is compared with.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resemblance {
    /// What of the record is compared.
    pub of: Aspect,
    /// The text that it is compared with.
    pub text: Statement,
    /// The greatest cosine distance that counts as resembling, from 0 to 2.
    #[schemars(range(min = 0, max = 2))]
    pub within: f64,
}

/// Texts of which the nearest gives the answer.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nearest {
    /// What of the record is compared.
    pub of: Aspect,
    /// The possible answers.
    pub among: Vec<Labelled>,
    /// The greatest cosine distance at which the nearest still is an answer, from 0 to 2.
    #[schemars(range(min = 0, max = 2))]
    pub within: f64,
}

/// A possible answer, and what it stands for.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Labelled {
    /// The answer.
    pub answer: String,
    /// A text that means what the answer stands for.
    pub text: Statement,
}

/// A division.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// A field that holds a number: the dividend.
    pub of: FieldPath,
    /// A field that holds a number: the divisor.
    pub per: FieldPath,
}

/// A span of time.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct YearsUntil {
    /// A field that holds a date.
    pub field: FieldPath,
    /// The day until which years are counted.
    pub day: NaiveDate,
}

/// One of the two meanings of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// What it does.
    Description,
    /// Whom it serves.
    CustomerBase,
}

/// A text whose meaning is worked out once, when it is first needed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Statement {
    text: String,
    meaning: OnceLock<Vec<f32>>,
}

impl Statement {
    fn meaning(&self) -> &[f32] {
        self.meaning.get_or_init(|| embed(&self.text))
    }
}

impl From<String> for Statement {
    fn from(text: String) -> Self {
        Self { text, meaning: OnceLock::new() }
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

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// How the question ended; anything but pending.
    pub status: ExecutionStatus,
    /// The answer; empty unless the question is completed.
    pub result: Vec<Scalar>,
    /// How sure the answer is, from 0 to 100; none without an answer.
    pub certainty_score: Option<u8>,
    /// The pages that it rests on.
    pub references: Vec<String>,
}

impl Answer {
    /// The end of a question that has no answer.
    fn none(status: ExecutionStatus) -> Self {
        Self { status, result: Vec::new(), certainty_score: None, references: Vec::new() }
    }

    /// The value of the question's column, now that it is answered.
    pub(crate) fn fill(self, value: &mut ColumnValue) {
        value.status = Some(self.status);
        value.result = self.result;
        value.certainty_score = self.certainty_score;
        value.references = self.references;
    }
}

impl Question {
    /// Answers the question of an organization; none where the item has no organization.
    pub fn answer_of(&self, organization: Option<&IndexedOrganization>) -> Answer {
        let Some(organization) = organization else {
            return Answer::none(ExecutionStatus::NoAnswer);
        };
        let holds = |condition: &Condition| condition.holds(organization) == Some(true);
        if !self.asked_if.as_ref().is_none_or(holds) {
            return Answer::none(ExecutionStatus::Skipped);
        }
        if self.fails_if.as_ref().is_some_and(holds) {
            return Answer::none(ExecutionStatus::Failed);
        }
        match self.answer.as_ref().and_then(|rule| rule.apply(organization)) {
            Some((result, certainty)) => Answer {
                status: ExecutionStatus::Completed,
                result,
                certainty_score: Some(certainty),
                references: references(self.category, organization),
            },
            None => Answer::none(ExecutionStatus::NoAnswer),
        }
    }
}

/// The pages of its website that an answer of this category rests on.
fn references(category: ValueCategory, organization: &IndexedOrganization) -> Vec<String> {
    let Some(website) = &organization.organization.contact.website_url else {
        return Vec::new();
    };
    match category {
        ValueCategory::Llm | ValueCategory::LlmVisualEngine => vec![website.clone()],
        ValueCategory::LlmWebbrowsing => vec![website.clone(), format!("{}/about", website.trim_end_matches('/'))],
        ValueCategory::Formula | ValueCategory::PlatformData => Vec::new(),
    }
}

impl Rule {
    /// What kind of answer the rule gives.
    pub fn answer_type(&self) -> AnswerType {
        match self {
            Self::Field(path) => path.answer_type(),
            Self::Holds(_) | Self::Resembles(_) => AnswerType::YesNo,
            Self::Nearest(_) => AnswerType::Text,
            Self::Ratio(_) | Self::YearsUntil(_) => AnswerType::Number,
        }
    }

    /// The answer, never empty, and how sure it is; none when the record does not say enough.
    fn apply(&self, organization: &IndexedOrganization) -> Option<(Vec<Scalar>, u8)> {
        match self {
            Self::Field(path) => {
                let result = path.read(organization);
                (!result.is_empty()).then(|| (result, certainty_of_record(organization)))
            }
            Self::Holds(condition) => {
                Some((vec![condition.holds(organization)?.into()], certainty_of_record(organization)))
            }
            Self::Resembles(rule) => {
                let distance = rule.text.distance(rule.of, organization)?;
                let certainty = certainty_of_margin((distance - rule.within).abs());
                Some((vec![(distance <= rule.within).into()], certainty))
            }
            Self::Nearest(rule) => rule.apply(organization),
            Self::Ratio(rule) => {
                let ratio = number(rule.of, organization)? / number(rule.per, organization)?;
                let rounded = Number::from_f64(ratio.round()).map(whole)?;
                Some((vec![Scalar::Number(rounded)], CERTAIN))
            }
            Self::YearsUntil(rule) => {
                let years = rule.day.years_since(date(rule.field, organization)?)?;
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
        let margin = ranked.get(1).map_or(self.within, |(next, _)| *next) - distance;
        Some((vec![nearest.answer.as_str().into()], certainty_of_margin(margin)))
    }
}

impl Statement {
    fn distance(&self, of: Aspect, organization: &IndexedOrganization) -> Option<f64> {
        let theirs = match of {
            Aspect::Description => &organization.meaning.offer,
            Aspect::CustomerBase => organization.meaning.customers.as_ref()?,
        };
        Some(cosine_distance(self.meaning(), theirs))
    }
}

impl Condition {
    /// Whether it holds; none where the record does not say.
    pub fn holds(&self, organization: &IndexedOrganization) -> Option<bool> {
        match self {
            Self::Known(path) => Some(!path.read(organization).is_empty()),
            Self::AtLeast(bound) => Some(number(bound.field, organization)? >= bound.value),
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

/// `deciding` as soon as one condition comes to it, the opposite when all come to that, else unknown.
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

fn number(field: FieldPath, organization: &IndexedOrganization) -> Option<f64> {
    match field.read(organization).first()? {
        Scalar::Number(number) => number.as_f64(),
        Scalar::Text(_) | Scalar::Boolean(_) => None,
    }
}

fn date(field: FieldPath, organization: &IndexedOrganization) -> Option<NaiveDate> {
    match field.read(organization).first()? {
        Scalar::Text(text) => text.parse().ok(),
        Scalar::Number(_) | Scalar::Boolean(_) => None,
    }
}

/// Writes a whole number as one: `3`, not `3.0`.
fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float) if float.abs() < 9e15 => Number::from(float as i64),
        _ => number,
    }
}

/// Certainty of what has been calculated.
const CERTAIN: u8 = 100;

/// Certainty of what a record says: from 60 to 100, the more fields the record fills the more.
fn certainty_of_record(organization: &IndexedOrganization) -> u8 {
    let filled = FieldPath::all().filter(|field| !field.read(organization).is_empty()).count();
    60 + (40 * filled / FieldPath::all().len()) as u8
}

/// Certainty of a comparison of meanings: 50 at the border, 99 from a quarter's distance on.
fn certainty_of_margin(margin: f64) -> u8 {
    50 + (49.0 * (margin / 0.25).min(1.0)) as u8
}
