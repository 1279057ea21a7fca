//! Items and their work as rows of the database.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio_postgres::Row;
use tokio_postgres::types::Json;

use super::sort_key::SortKey;
use crate::model::column::ColumnId;
use crate::model::item::Item;
use crate::model::pipeline::EntityType;
use crate::model::process::Change;
use crate::model::rendering::Rendering;
use crate::model::value::ColumnValue;
use crate::store::ledger::DueChange;

/// The columns of an item, in the order in which the functions here expect them.
pub(super) const ITEM: &str = "item.pipeline_item_id, item.pipeline_id, item.entity_type, item.organization_id, \
     item.person_id, item.document_id, item.column_values, item.document_indexed, item.platform_entity_data_ready";

/// Why a row cannot be read.
pub(super) type Unreadable = Box<dyn std::error::Error + Send + Sync>;

/// The values of an item's columns.
pub(super) type Values = BTreeMap<ColumnId, ColumnValue>;

/// The item in the columns of a row from this one on.
pub(super) fn item(row: &Row, from: usize) -> Result<Arc<Item>, Unreadable> {
    let Json(values) = row.try_get(from + 6)?;
    Ok(Arc::new(Item {
        pipeline_item_id: row.try_get::<_, i64>(from)?.try_into()?,
        pipeline_id: row.try_get::<_, i64>(from + 1)?.try_into()?,
        entity_type: entity_type(row.try_get(from + 2)?)?,
        organization_id: id(row.try_get(from + 3)?)?,
        person_id: id(row.try_get(from + 4)?)?,
        document_id: id(row.try_get(from + 5)?)?,
        values,
        document_indexed: row.try_get(from + 7)?,
        platform_entity_data_ready: row.try_get(from + 8)?,
        rendering: Rendering::default(),
    }))
}

fn id<Id: TryFrom<i64>>(number: Option<i64>) -> Result<Option<Id>, Id::Error> {
    number.map(Id::try_from).transpose()
}

fn entity_type(name: &str) -> Result<EntityType, String> {
    let mut all = [EntityType::Organization, EntityType::Person, EntityType::Document].into_iter();
    let found = all.find(|it| it.to_string() == name);
    found.ok_or_else(|| format!("`{name}` is not a type of items"))
}

/// A moment in two columns.
pub(super) fn moment(second: i64, nanosecond: i32) -> Result<DateTime<Utc>, String> {
    let nanosecond = u32::try_from(nanosecond).ok();
    let moment = nanosecond.and_then(|nanosecond| DateTime::from_timestamp(second, nanosecond));
    moment.ok_or_else(|| format!("{second} seconds are not a moment"))
}

/// The two columns of a moment.
pub(super) fn columns_of(moment: DateTime<Utc>) -> (i64, i32) {
    // Less than two billion.
    (moment.timestamp(), moment.timestamp_subsec_nanos().cast_signed())
}

/// The lists of an item's work.
#[derive(Debug, Default)]
pub(super) struct Work<'a> {
    pub(super) seconds: Vec<i64>,
    pub(super) nanoseconds: Vec<i32>,
    pub(super) changes: Vec<Json<&'a Change>>,
}

impl<'a> Work<'a> {
    pub(super) fn of(work: &'a [DueChange]) -> Self {
        let (seconds, nanoseconds) = work.iter().map(|it| columns_of(it.due)).unzip();
        Self {
            seconds,
            nanoseconds,
            changes: work.iter().map(|it| Json(&it.change)).collect(),
        }
    }
}

/// The work in three columns of a row from this one on; none if they are null.
pub(super) fn work(row: &Row, from: usize) -> Result<Vec<DueChange>, Unreadable> {
    let seconds: Option<Vec<i64>> = row.try_get(from)?;
    let nanoseconds: Option<Vec<i32>> = row.try_get(from + 1)?;
    let changes: Option<Vec<Json<Change>>> = row.try_get(from + 2)?;
    let moments = seconds.into_iter().flatten().zip(nanoseconds.into_iter().flatten());
    let work = moments.zip(changes.into_iter().flatten());
    let due_change = |((second, nanosecond), Json(change))| {
        let due = moment(second, nanosecond)?;
        Ok(DueChange { due, change })
    };
    work.map(due_change).collect()
}

/// The lists of an item's answers.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) questions: Vec<i64>,
    pub(super) keys: Vec<Vec<u8>>,
    pub(super) rests: Vec<Vec<u8>>,
}

impl Answers {
    pub(super) fn of(values: &Values) -> Self {
        let mut answers = Self::default();
        for (column, value) in values {
            if let (ColumnId::Question(question), Some(first)) = (column, value.result.first()) {
                let SortKey { key, rest } = SortKey::of(first);
                answers.questions.push(question.get());
                answers.keys.push(key);
                answers.rests.push(rest);
            }
        }
        answers
    }
}
