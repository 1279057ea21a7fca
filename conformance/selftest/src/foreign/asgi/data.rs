//! The data of the deployment with the habits of a Python framework: four pipelines, generated from the numbers of
//! their items.

use serde_json::{Value, json};

use super::habits::{Habits, Times};

/// The pipelines: many items, documents, persons, and one for additions.
pub(crate) const MANY: u64 = 11;
pub(crate) const DOCUMENTS: u64 = 12;
pub(crate) const PERSONS: u64 = 13;
pub(crate) const ADDITIONS: u64 = 14;
/// Organizations that may be in one.
pub(crate) const LISTED: std::ops::RangeInclusive<u64> = 5001..=5130;
/// Organizations that are in no pipeline.
pub(crate) const TO_ADD: std::ops::RangeInclusive<u64> = 9001..=9060;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Organization,
    Person,
    Document,
}

#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) id: u64,
    pub(crate) pipeline: u64,
    kind: Kind,
    /// The organization, the person or the document.
    subject: u64,
    /// The number that its values are generated from.
    number: u64,
}

#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) items: Vec<Item>,
}

impl Store {
    pub(crate) fn new(many: u64) -> Self {
        let pipelines = [(MANY, many), (DOCUMENTS, 7), (PERSONS, 4), (ADDITIONS, 3)];
        let items = pipelines.into_iter().flat_map(|(pipeline, count)| {
            let item = move |number| Item {
                id: pipeline * 100_000 + number * 3,
                pipeline,
                kind: kind_of(pipeline).unwrap_or(Kind::Organization),
                subject: 5000 + number,
                number,
            };
            (1..=count).map(item)
        });
        Self { items: items.collect() }
    }

    pub(crate) fn kind(&self, pipeline: u64) -> Option<Kind> {
        kind_of(pipeline)
    }

    pub(crate) fn is_organization(id: u64) -> bool {
        LISTED.contains(&id) || TO_ADD.contains(&id)
    }

    /// Adds an organization, unless it already exists.
    pub(crate) fn add(&mut self, pipeline: u64, organization: u64) -> Option<&Item> {
        let mut there = self.items.iter().filter(|item| item.pipeline == pipeline);
        if there.any(|item| item.subject == organization) {
            return None;
        }
        self.items.push(Item {
            id: pipeline * 100_000 + organization,
            pipeline,
            kind: Kind::Organization,
            subject: organization,
            number: organization,
        });
        self.items.last()
    }
}

fn kind_of(pipeline: u64) -> Option<Kind> {
    match pipeline {
        MANY | ADDITIONS => Some(Kind::Organization),
        DOCUMENTS => Some(Kind::Document),
        PERSONS => Some(Kind::Person),
        _ => None,
    }
}

/// The state of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Answered,
    NoAnswer,
    Pending,
    Failed,
}

impl Item {
    /// The state of the first question; the second is always answered.
    fn first_question(&self) -> Question {
        match self.number % 9 {
            0 => Question::NoAnswer,
            4 => Question::Failed,
            7 if self.pipeline != ADDITIONS => Question::Pending,
            _ => Question::Answered,
        }
    }

    fn fit(&self) -> Option<u64> {
        let fit = self.number * 37 % 91;
        (self.first_question() == Question::Answered).then_some(fit)
    }

    fn stage(&self) -> &'static str {
        ["idea", "Seed", "growth", "öffentlich"][usize::try_from(self.number % 4).unwrap_or(0)]
    }

    /// The sort key of a column; numbers sort as numbers.
    pub(crate) fn key(&self, column: usize) -> Option<String> {
        match column {
            0 => self.fit().map(|fit| format!("{fit:03}")),
            _ => Some(self.stage().to_lowercase()),
        }
    }

    /// The item with its values.
    pub(crate) fn shown(&self, habits: &Habits) -> Value {
        let id_of = |kind| (self.kind == kind).then_some(self.subject);
        let [fit, stage] = habits.question_ids.columns();
        let (status, score) = match self.first_question() {
            Question::Answered => ("completed", json!(self.number % 101)),
            Question::NoAnswer => ("no_answer", json!(0)),
            Question::Pending => ("pending", Value::Null),
            Question::Failed => ("failed", Value::Null),
        };
        let result: Vec<_> = self.fit().into_iter().collect();
        let synced = self.number.is_multiple_of(5);
        json!({
            "pipeline_id": self.pipeline,
            "pipeline_item_id": self.id,
            "entity_type": match self.kind {
                Kind::Organization => "organization",
                Kind::Person => "person",
                Kind::Document => "document",
            },
            "organization_id": id_of(Kind::Organization),
            "person_id": id_of(Kind::Person),
            "document_id": id_of(Kind::Document),
            "created_by": "import",
            "values": {
                fit: {
                    "result": result, "category": "llm", "certainty_score": score, "status": status,
                    "references": [format!("/sources/{}", self.number)],
                    "sync_status": synced.then_some("success"), "sync_provider": synced.then_some("crm"),
                    "last_synced_at": synced.then(|| time(habits.times)), "sync_error": "",
                },
                stage: entry("llm_webbrowsing", json!([self.stage()]), json!("completed"), json!(70)),
                "Organization.Name": entry("platform_data", json!([format!("Firm {}", self.number)]), Value::Null, Value::Null),
                "ranking": entry("formula", json!([self.number, {"of": 130}]), Value::Null, Value::Null),
            },
        })
    }

    /// The readiness of the item.
    pub(crate) fn readiness(&self, habits: &Habits) -> Value {
        let question = self.first_question();
        let is_terminal = question != Question::Pending && !(habits.retries_failed && question == Question::Failed);
        let indexed = match self.kind {
            Kind::Document => !self.number.is_multiple_of(3),
            _ => habits.indexes_nothing,
        };
        let data = !self.number.is_multiple_of(4);
        json!({
            "pipeline_id": self.pipeline,
            "pipeline_item_id": self.id,
            "is_ready": indexed && is_terminal && data,
            "document_indexed": indexed,
            "custom_questions_answered": is_terminal,
            "platform_entity_data_ready": data,
        })
    }
}

fn time(form: Times) -> &'static str {
    match form {
        Times::Microseconds => "2025-03-04T05:06:07.123456",
        Times::Basic => "20250304T050607Z",
        Times::Offset => "2025-03-04T05:06+02",
    }
}

fn entry(category: &str, result: Value, status: Value, score: Value) -> Value {
    json!({
        "result": result, "category": category, "certainty_score": score, "status": status, "references": [],
        "sync_status": null, "sync_provider": null, "last_synced_at": null, "sync_error": null,
    })
}
