//! The questions of a pipeline, and their answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::field::AnswerType;
use super::ids::QuestionId;
use super::rule::{Embed, Rule};
use super::search::IndexedOrganization;
use super::seconds::Seconds;
use super::value::{ColumnValue, ExecutionStatus, Scalar, ValueCategory};

/// A qualifying question, and how it is answered.
///
/// It is skipped unless `asked_if` holds, and fails where `fails_if` holds. Otherwise its rule answers it. If the rule
/// finds nothing, or there is no rule, it ends without an answer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Unique within the pipeline; the column is `question.<question_id>`.
    pub question_id: QuestionId,
    /// The question as a person would ask it.
    pub text: String,
    /// The type of its answer.
    #[serde(default)]
    pub answer_type: AnswerType,
    /// The source of its answer; anything except `platform_data`.
    #[serde(default)]
    pub category: ValueCategory,
    /// The organizations that it is asked about; all when left out.
    #[serde(default)]
    pub asked_if: Option<Condition>,
    /// The organizations for which answering fails; none when left out.
    #[serde(default)]
    pub fails_if: Option<Condition>,
    /// The rule that answers it; without a rule it is never answered.
    #[serde(default)]
    pub answer: Option<Rule>,
    /// Seconds from the addition of an item to the answer; one when left out.
    #[serde(default = "Seconds::one")]
    pub takes_seconds: Seconds,
}

/// The outcome of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The final status of the question; anything except pending.
    pub status: ExecutionStatus,
    /// The answer; empty unless the question is completed.
    pub result: Vec<Scalar>,
    /// Confidence in the answer, from 0 to 100; `None` without an answer.
    pub certainty_score: Option<u8>,
    /// The pages that support it.
    pub references: Vec<String>,
}

impl Answer {
    /// The outcome of a question without an answer.
    pub(super) fn none(status: ExecutionStatus) -> Self {
        Self {
            status,
            result: Vec::new(),
            certainty_score: None,
            references: Vec::new(),
        }
    }

    /// Enters the outcome into the value of the question's column.
    pub(super) fn fill(self, value: &mut ColumnValue) {
        value.status = Some(self.status);
        value.result = self.result;
        value.certainty_score = self.certainty_score;
        value.references = self.references;
    }
}

impl Question {
    /// Sets how the texts that records are compared with get their meanings, which happens when the first record is
    /// compared. Without a meaning a text resembles nothing.
    pub fn give_meaning(&mut self, embed: Embed) {
        if let Some(rule) = &mut self.answer {
            rule.give_meaning(embed);
        }
    }

    /// Answers the question for an organization. Without an organization the outcome is no answer.
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

/// The pages of the organization's website that support an answer of this category.
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::sample::{organization, pipeline, well_known};

    fn ask(question: Value, organization: &IndexedOrganization) -> Answer {
        let mut question = question;
        question["question_id"] = json!(1);
        question["text"] = json!("?");
        let pipeline = pipeline(json!({"questions": [question]}));
        pipeline.questions[0].answer_of(Some(organization))
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
        assert!(answer.certainty_score.is_none_or(|score| score <= 100), "{answer:?}");
        answer.result
    }

    #[test]
    fn every_rule_answers_only_from_the_record() {
        let employees = "organization.metrics.employee_count";
        let resembling = |text: &str| json!({"resembles": {"of": "description", "text": text, "within": 0.5}});
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
            assert_eq!(result_of(rule.clone(), &organization(json!({}))), [], "{rule}");
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
    fn nearest_text_names_the_answer_unless_all_are_too_far() {
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
    fn division_by_zero_is_no_answer() {
        let nobody = organization(json!({"metrics": {"employee_count": 0, "funding": {"total_usd": 5}}}));
        let rule = json!({"ratio": {
            "of": "organization.metrics.funding.total_usd", "per": "organization.metrics.employee_count",
        }});
        assert_eq!(result_of(rule, &nobody), []);
    }

    #[test]
    fn question_is_skipped_or_fails_by_its_conditions() {
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
    fn question_without_an_organization_has_no_answer() {
        let question = json!({"question_id": 1, "text": "?", "asked_if": {"known": "organization.domain"}});
        let question: Question = serde_json::from_value(question).unwrap();
        assert_eq!(question.answer_of(None).status, ExecutionStatus::NoAnswer);
    }

    #[test]
    fn answers_from_the_web_cite_their_pages() {
        let rule = json!({"field": "organization.name"});
        let browsed = ask(json!({"category": "llm_webbrowsing", "answer": rule}), &well_known());
        assert_eq!(
            browsed.references,
            ["https://weaver.example/", "https://weaver.example/about"]
        );
        let calculated = ask(json!({"category": "formula", "answer": rule}), &well_known());
        assert_eq!(calculated.references, [""; 0]);
    }
}
