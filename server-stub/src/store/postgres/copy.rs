//! Fills and empties the tables as a whole.

use std::collections::BTreeMap;
use std::pin::pin;

use deadpool_postgres::Transaction;
use tokio_postgres::Error;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{Json, ToSql, Type};

use super::rows::{Answers, Work};
use crate::store::ledger::Record;

/// From this number of items on, the planner needs to know what the tables hold.
const LARGE: usize = 1000;

/// Deletes all items and their work. Deletes rows instead of the files of the tables, so that a reader sees all of the
/// items or none.
pub(super) async fn clear(transaction: &Transaction<'_>) -> Result<(), Error> {
    let all = "DELETE FROM work; DELETE FROM item; DELETE FROM answer; DELETE FROM pipeline";
    transaction.batch_execute(all).await
}

/// Enters records into empty tables.
pub(super) async fn fill(transaction: &Transaction<'_>, records: &[Record]) -> Result<(), Error> {
    if records.is_empty() {
        return Ok(());
    }
    items(transaction, records).await?;
    answers(transaction, records).await?;
    work(transaction, records).await?;
    let mut members: BTreeMap<i64, i64> = BTreeMap::new();
    for record in records {
        *members.entry(record.item.pipeline_id.get()).or_default() += 1;
    }
    let (pipelines, items): (Vec<_>, Vec<_>) = members.into_iter().unzip();
    let counts = "INSERT INTO pipeline SELECT * FROM unnest($1::bigint[], $2::bigint[])";
    transaction.execute(counts, &[&pipelines, &items]).await?;
    if records.len() >= LARGE {
        transaction
            .batch_execute("ANALYZE item; ANALYZE answer; ANALYZE work")
            .await?;
    }
    Ok(())
}

async fn items(transaction: &Transaction<'_>, records: &[Record]) -> Result<(), Error> {
    let types = [
        Type::INT8,
        Type::INT8,
        Type::TEXT,
        Type::INT8,
        Type::INT8,
        Type::INT8,
        Type::JSON,
        Type::BOOL,
        Type::BOOL,
    ];
    let columns = "item (pipeline_item_id, pipeline_id, entity_type, organization_id, person_id, document_id, \
         column_values, document_indexed, platform_entity_data_ready)";
    let mut writer = pin!(writer(transaction, columns, &types).await?);
    for Record { item, .. } in records {
        let row: [&(dyn ToSql + Sync); 9] = [
            &item.pipeline_item_id.get(),
            &item.pipeline_id.get(),
            &item.entity_type.to_string(),
            &item.organization_id.map(i64::from),
            &item.person_id.map(i64::from),
            &item.document_id.map(i64::from),
            &Json(&item.values),
            &item.document_indexed,
            &item.platform_entity_data_ready,
        ];
        writer.as_mut().write(&row).await?;
    }
    writer.finish().await?;
    Ok(())
}

async fn answers(transaction: &Transaction<'_>, records: &[Record]) -> Result<(), Error> {
    let types = [Type::INT8, Type::INT8, Type::INT8, Type::BYTEA, Type::BYTEA];
    let columns = "answer (pipeline_item_id, question_id, pipeline_id, sort_key, sort_rest)";
    let mut writer = pin!(writer(transaction, columns, &types).await?);
    for Record { item, .. } in records {
        let answers = Answers::of(&item.values);
        let parts = answers.questions.iter().zip(&answers.keys).zip(&answers.rests);
        for ((question, key), rest) in parts {
            let (item_id, pipeline_id) = (item.pipeline_item_id.get(), item.pipeline_id.get());
            let row: [&(dyn ToSql + Sync); 5] = [&item_id, question, &pipeline_id, key, rest];
            writer.as_mut().write(&row).await?;
        }
    }
    writer.finish().await?;
    Ok(())
}

async fn work(transaction: &Transaction<'_>, records: &[Record]) -> Result<(), Error> {
    let types = [
        Type::INT8,
        Type::INT8,
        Type::INT4,
        Type::INT8_ARRAY,
        Type::INT4_ARRAY,
        Type::JSON_ARRAY,
    ];
    let columns = "work (pipeline_item_id, free_second, free_nanosecond, due_seconds, due_nanoseconds, changes)";
    let mut writer = pin!(writer(transaction, columns, &types).await?);
    for Record { item, work } in records {
        let work = Work::of(work);
        if let (Some(second), Some(nanosecond)) = (work.seconds.first(), work.nanoseconds.first()) {
            let id = item.pipeline_item_id.get();
            let row: [&(dyn ToSql + Sync); 6] =
                [&id, second, nanosecond, &work.seconds, &work.nanoseconds, &work.changes];
            writer.as_mut().write(&row).await?;
        }
    }
    writer.finish().await?;
    Ok(())
}

async fn writer(transaction: &Transaction<'_>, columns: &str, types: &[Type]) -> Result<BinaryCopyInWriter, Error> {
    let copy = format!("COPY {columns} FROM STDIN (FORMAT binary)");
    let sink = transaction.copy_in(&copy).await?;
    Ok(BinaryCopyInWriter::new(sink, types))
}
