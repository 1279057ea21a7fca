//! The pipelines of a platform. The API has no operation that lists them, so small ids are tried.

use std::collections::BTreeMap;

use platform_sdk::types::PipelineItem;
use platform_sdk::{Client, EntityType, PipelineId, ResultValue};

use crate::visible;

/// The pipelines to try if none is named.
const FIRST_IDS: std::ops::RangeInclusive<i64> = 1..=20;
/// Number of items that show which columns a pipeline has.
const SAMPLE: i32 = 50;

/// A pipeline and its first items.
pub struct Pipeline {
    /// Its id.
    pub id: PipelineId,
    /// Number of items in the pipeline.
    pub total_count: i64,
    /// The first items, at most 50.
    pub sample: Vec<PipelineItem>,
}

impl Pipeline {
    pub(crate) async fn read(client: &Client, id: i64) -> Result<Self, platform_sdk::Error> {
        let page = client.list_items().pipeline_id(id).limit(SAMPLE);
        let page = page.send().await?.into_inner();
        Ok(Self {
            id: page.pipeline_id,
            total_count: page.total_count,
            sample: page.items,
        })
    }

    /// Returns the pipelines with the first ids that exist, have items and may be read with this key.
    pub(crate) async fn find_all(client: &Client) -> Result<Vec<Self>, platform_sdk::Error> {
        let mut found = Vec::new();
        for id in FIRST_IDS {
            match Self::read(client, id).await {
                Ok(pipeline) if pipeline.sample.is_empty() => {}
                Ok(pipeline) => found.push(pipeline),
                Err(error) if error.is_not_found() || error.is_denied() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    /// Returns whether its items are organizations.
    pub fn holds_organizations(&self) -> bool {
        let mut items = self.sample.iter();
        items.all(|item| item.entity_type == EntityType::Organization)
    }

    /// Returns the questions that some item of the sample has an answer to, each with its first answer.
    pub fn answered_questions(&self) -> BTreeMap<String, &ResultValue> {
        let columns = self.sample.iter().flat_map(|item| item.values.answered());
        let mut questions = BTreeMap::new();
        for column in columns {
            if let Some(first) = column.value().result.first() {
                questions.entry(column.id().to_string()).or_insert(first);
            }
        }
        questions
    }

    /// Returns a question to sort by: the first one with numeric answers, or else the first one with answers.
    pub fn question_to_sort_by(&self) -> Option<String> {
        let questions = self.answered_questions();
        let numeric = questions.iter().find(|(_, first)| first.as_f64().is_some());
        let question = numeric.or_else(|| questions.iter().next());
        question.map(|(column, _)| column.clone())
    }
}

/// Returns the name of an item for people: its column that is a name, its first text, or its type and id. It cannot
/// control the terminal.
pub fn name_of(item: &PipelineItem) -> String {
    let texts = || {
        let columns = item.values.entity_data();
        columns.filter_map(|column| Some((column.id().to_string(), column.text().ok()??)))
    };
    let name = texts().find(|(id, _)| id.ends_with(".name"));
    let text = name.or_else(|| texts().next()).map(|(_, text)| text);
    let id = match item.entity_type {
        EntityType::Organization => item.organization_id.map(|id| id.get()),
        EntityType::Person => item.person_id.map(|id| id.get()),
        EntityType::Document => item.document_id.map(|id| id.get()),
        _ => None,
    };
    let id = id.unwrap_or(item.pipeline_item_id.get());
    let name = match (&item.entity_type, text) {
        (EntityType::Organization, Some(text)) => text.to_owned(),
        (kind, Some(text)) => format!("{kind} {id}, {text}"),
        (kind, None) => format!("{kind} {id}"),
    };
    visible(&name)
}
