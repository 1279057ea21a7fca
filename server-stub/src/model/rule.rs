//! How questions are answered: by rules over the organization's record, never by chance.
//!
//! The same rules answer the questions of built-in items when they are loaded and those of added
//! organizations as their processes run, so that the two cannot differ.

use std::sync::OnceLock;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::condition::Condition;
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
    /// The possible answers; one may stand here with several texts.
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
        Self {
            text,
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
        Self {
            status,
            result: Vec::new(),
            certainty_score: None,
            references: Vec::new(),
        }
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
        match self
            .answer
            .as_ref()
            .and_then(|rule| rule.apply(organization))
        {
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
        ValueCategory::LlmWebbrowsing => vec![
            website.clone(),
            format!("{}/about", website.trim_end_matches('/')),
        ],
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
        let (distance, nearest) = ranked
            .first()
            .filter(|(distance, _)| *distance <= self.within)?;
        let other = ranked
            .iter()
            .find(|(_, labelled)| labelled.answer != nearest.answer);
        let margin = other.map_or(self.within, |(next, _)| *next) - distance;
        Some((
            vec![nearest.answer.as_str().into()],
            certainty_of_margin(margin),
        ))
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
    let filled = FieldPath::all()
        .filter(|field| !field.read(organization).is_empty())
        .count();
    60 + (40 * filled / FieldPath::all().len()) as u8
}

/// Certainty of a comparison of meanings: 50 at the border, 99 from a quarter's distance on.
fn certainty_of_margin(margin: f64) -> u8 {
    50 + (49.0 * (margin / 0.25).min(1.0)) as u8
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::sample::{organization, well_known};

    fn ask(question: Value, organization: &IndexedOrganization) -> Answer {
        let mut question = question;
        question["question_id"] = json!(1);
        question["text"] = json!("?");
        serde_json::from_value::<Question>(question)
            .unwrap()
            .answer_of(Some(organization))
    }

    fn result_of(rule: Value, organization: &IndexedOrganization) -> Vec<Scalar> {
        let answer = ask(json!({"answer": rule}), organization);
        assert_eq!(
            answer.status == ExecutionStatus::Completed,
            !answer.result.is_empty(),
            "{answer:?}"
        );
        assert_eq!(
            answer.certainty_score.is_some(),
            !answer.result.is_empty(),
            "{answer:?}"
        );
        assert!(
            answer.certainty_score.is_none_or(|score| score <= 100),
            "{answer:?}"
        );
        answer.result
    }

    #[test]
    fn every_rule_answers_from_the_record_or_not_at_all() {
        let employees = "organization.metrics.employee_count";
        let resembling =
            |text: &str| json!({"resembles": {"of": "description", "text": text, "within": 0.5}});
        let table = [
            (json!({"field": employees}), vec![40u64.into()]),
            (
                json!({"field": "organization.metrics.funding.last_round_stage"}),
                vec!["seed".into()],
            ),
            (
                json!({"holds": {"at_least": {"field": employees, "value": 40}}}),
                vec![true.into()],
            ),
            (
                json!({"holds": {"at_least": {"field": employees, "value": 40.5}}}),
                vec![false.into()],
            ),
            (
                json!({"ratio": {"of": "organization.metrics.funding.total_usd", "per": employees}}),
                vec![25_000u64.into()],
            ),
            (
                json!({"years_until": {"field": "organization.metrics.founded_on", "day": "2026-05-01"}}),
                vec![26u64.into()],
            ),
            (
                json!({"years_until": {"field": "organization.metrics.founded_on", "day": "2026-05-02"}}),
                vec![27u64.into()],
            ),
        ];
        for (rule, result) in table {
            assert_eq!(result_of(rule.clone(), &well_known()), result, "{rule}");
            assert_eq!(
                result_of(rule.clone(), &organization(json!({}))),
                [],
                "{rule}"
            );
        }
        assert_eq!(
            result_of(resembling("weaving linen sails"), &well_known()),
            [true.into()]
        );
        assert_eq!(
            result_of(resembling("treats diseases of the heart"), &well_known()),
            [false.into()]
        );
    }

    #[test]
    fn the_nearest_text_names_the_answer_unless_all_are_too_far() {
        let nearest = |within: f64| {
            json!({"nearest": {"of": "customer_base", "within": within, "among": [
                {"answer": "Health", "text": "hospitals and doctors"},
                {"answer": "Boats", "text": "owners of boats and ships"},
            ]}})
        };
        assert_eq!(result_of(nearest(2.0), &well_known()), ["Boats".into()]);
        assert_eq!(result_of(nearest(0.01), &well_known()), []);
        assert_eq!(result_of(nearest(2.0), &organization(json!({}))), []);
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        let nobody =
            organization(json!({"metrics": {"employee_count": 0, "funding": {"total_usd": 5}}}));
        let rule = json!({"ratio": {
            "of": "organization.metrics.funding.total_usd", "per": "organization.metrics.employee_count",
        }});
        assert_eq!(result_of(rule, &nobody), []);
    }

    #[test]
    fn a_question_is_skipped_or_fails_where_its_conditions_say_so() {
        let question = json!({
            "asked_if": {"known": "organization.metrics.funding.total_usd"},
            "fails_if": {"not": {"known": "organization.contact.website_url"}},
            "answer": {"field": "organization.domain"},
        });
        let status = |fields: Value| ask(question.clone(), &organization(fields)).status;
        let funded = json!({"funding": {"total_usd": 1}});
        let contact = json!({"website_url": "https://weaver.example"});
        assert_eq!(status(json!({})), ExecutionStatus::Skipped);
        assert_eq!(status(json!({"metrics": funded})), ExecutionStatus::Failed);
        assert_eq!(
            status(json!({"metrics": funded, "contact": contact})),
            ExecutionStatus::NoAnswer
        );
        let all = json!({"metrics": funded, "contact": contact, "domain": "weaver.example"});
        assert_eq!(status(all), ExecutionStatus::Completed);
    }

    #[test]
    fn without_an_organization_nothing_is_answered() {
        let question =
            json!({"question_id": 1, "text": "?", "asked_if": {"known": "organization.domain"}});
        let question: Question = serde_json::from_value(question).unwrap();
        assert_eq!(question.answer_of(None).status, ExecutionStatus::NoAnswer);
    }

    #[test]
    fn answers_from_the_web_name_the_pages_they_rest_on() {
        let rule = json!({"field": "organization.name"});
        let browsed = ask(
            json!({"category": "llm_webbrowsing", "answer": rule}),
            &well_known(),
        );
        assert_eq!(
            browsed.references,
            ["https://weaver.example/", "https://weaver.example/about"]
        );
        let calculated = ask(
            json!({"category": "formula", "answer": rule}),
            &well_known(),
        );
        assert_eq!(calculated.references, [""; 0]);
    }
}
