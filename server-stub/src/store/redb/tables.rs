//! The contents of the file: its format and origin, the items that differ from the data set, and their work.

use std::sync::Arc;

use ::redb::{Database, Error, ReadableDatabase, ReadableTable, Table, TableDefinition, TableError, WriteTransaction};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::ids::PipelineItemId;
use crate::model::item::Item;
use crate::store::ledger::{DueChange, Record};

/// The format of the tables and of their contents. It changes with either of them.
pub(super) const FORMAT: &str = "1";

/// What the file is. The name distinguishes it from databases of other programs.
const ABOUT: TableDefinition<&str, &str> = TableDefinition::new("platform-server-stub");
/// Items as JSON, by their id.
const ITEMS: TableDefinition<i64, &[u8]> = TableDefinition::new("items");
/// The remaining changes of these items as JSON, by item id and in order.
const WORK: TableDefinition<(i64, u32), &[u8]> = TableDefinition::new("work");

/// The properties of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct About {
    pub(super) format: String,
    /// Identifies the data set that it was created with.
    pub(super) data: String,
    /// Whether the items of the data set belong to it; they do until a reset.
    pub(super) from_data: bool,
}

/// A change of an item.
#[derive(Debug)]
pub(super) enum Event {
    /// It was added.
    Added(Record),
    /// The first change of its work was made.
    Changed(Record),
}

/// Why the contents of the file cannot be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    Database(Error),
    /// A value is not valid at its place.
    Value(String),
}

impl<E: Into<Error>> From<E> for Unreadable {
    fn from(error: E) -> Self {
        Self::Database(error.into())
    }
}

/// Creates a file.
pub(super) fn begin(database: &Database, data: &str) -> Result<(), Error> {
    let transaction = write(database)?;
    {
        let mut about = transaction.open_table(ABOUT)?;
        about.insert("format", FORMAT)?;
        about.insert("data", data)?;
        about.insert("from_data", "yes")?;
        transaction.open_table(ITEMS)?;
        transaction.open_table(WORK)?;
    }
    Ok(transaction.commit()?)
}

/// The properties of a file; `None` if another program wrote it.
pub(super) fn about(database: &Database) -> Result<Option<About>, Error> {
    let transaction = database.begin_read()?;
    let table = match transaction.open_table(ABOUT) {
        Ok(table) => table,
        Err(TableError::Storage(error)) => return Err(error.into()),
        Err(_) => return Ok(None),
    };
    let text = |key| -> Result<String, Error> {
        let value = table.get(key)?;
        Ok(value.map_or_else(String::new, |value| value.value().to_owned()))
    };
    Ok(Some(About {
        format: text("format")?,
        data: text("data")?,
        from_data: text("from_data")? == "yes",
    }))
}

/// All items of the file by ascending id, with their work.
pub(super) fn records(database: &Database) -> Result<Vec<Record>, Unreadable> {
    let transaction = database.begin_read()?;
    let mut records: Vec<Record> = Vec::new();
    for entry in transaction.open_table(ITEMS)?.range::<i64>(..)? {
        let (id, item) = entry?;
        let item: Item = read(item.value(), || format!("item {}", id.value()))?;
        records.push(Record::finished(Arc::new(item)));
    }
    for entry in transaction.open_table(WORK)?.range::<(i64, u32)>(..)? {
        let (key, change) = entry?;
        let (id, _) = key.value();
        let what = || format!("work of item {id}");
        let change: DueChange = read(change.value(), what)?;
        let place = records.binary_search_by_key(&id, |it| it.item.pipeline_item_id.get());
        let place = place.map_err(|_| Unreadable::Value(what()))?;
        records[place].work.push(change);
    }
    Ok(records)
}

/// Writes events, all of them or none, and returns when the disk has confirmed them.
pub(super) fn append(database: &Database, events: &[Event]) -> Result<(), Error> {
    let transaction = write(database)?;
    {
        let mut items = transaction.open_table(ITEMS)?;
        let mut work = transaction.open_table(WORK)?;
        for event in events {
            match event {
                Event::Added(record) => insert(&mut items, &mut work, record)?,
                Event::Changed(record) => {
                    let id = record.item.pipeline_item_id;
                    let is_there = items.get(id.get())?.is_some();
                    if is_there {
                        let first = work.range(work_of(id))?.next().transpose()?;
                        let first = first.map(|(key, _)| key.value());
                        if let Some(first) = first {
                            work.remove(first)?;
                        }
                        items.insert(id.get(), &*json(&*record.item)?)?;
                    } else {
                        // Until now it was as in the data set.
                        insert(&mut items, &mut work, record)?;
                    }
                }
            }
        }
    }
    Ok(transaction.commit()?)
}

/// Deletes everything, including the items of the data set, and writes these records instead.
pub(super) fn replace(database: &Database, records: &[Record]) -> Result<(), Error> {
    let transaction = write(database)?;
    transaction.delete_table(ITEMS)?;
    transaction.delete_table(WORK)?;
    {
        transaction.open_table(ABOUT)?.insert("from_data", "no")?;
        let mut items = transaction.open_table(ITEMS)?;
        let mut work = transaction.open_table(WORK)?;
        for record in records {
            insert(&mut items, &mut work, record)?;
        }
    }
    Ok(transaction.commit()?)
}

/// A transaction that is committed in two phases. With one phase, redb would mistake damage to the last commit for an
/// interrupted commit, and silently return to the one before.
fn write(database: &Database) -> Result<WriteTransaction, Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    Ok(transaction)
}

fn insert(
    items: &mut Table<'_, i64, &[u8]>,
    work: &mut Table<'_, (i64, u32), &[u8]>,
    record: &Record,
) -> Result<(), Error> {
    let id = record.item.pipeline_item_id.get();
    items.insert(id, &*json(&*record.item)?)?;
    for (place, change) in (0..).zip(&record.work) {
        work.insert((id, place), &*json(change)?)?;
    }
    Ok(())
}

fn work_of(id: PipelineItemId) -> std::ops::RangeInclusive<(i64, u32)> {
    (id.get(), 0)..=(id.get(), u32::MAX)
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    // This cannot fail: maps have texts as keys, and numbers are finite.
    serde_json::to_vec(value).map_err(|error| Error::Io(error.into()))
}

fn read<T: DeserializeOwned>(bytes: &[u8], what: impl Fn() -> String) -> Result<T, Unreadable> {
    serde_json::from_slice(bytes).map_err(|error| Unreadable::Value(format!("{}: {error}", what())))
}
