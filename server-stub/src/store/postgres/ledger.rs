//! The ledger: each of its methods is one statement or one transaction of the database.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use deadpool_postgres::{Object, Pool};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use tokio_postgres::Error;
use tokio_postgres::types::{Json, ToSql};

use super::additions::Additions;
use super::catalogue::PostgresCatalogue;
use super::error::{PostgresError, failed, no_connection, unreadable};
use super::format::{self, FORMAT};
use super::rows::{self, Answers, ITEM, Unreadable};
use super::settings::PostgresSettings;
use super::{connections, copy, searched};
use crate::model::ids::{PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::policy::{QuotaState, RateLimit};
use crate::model::process::{Change, Step};
use crate::model::search::Page;
use crate::model::sort::{ItemOrder, SortOrder};
use crate::model::store_error::StoreError;
use crate::store::ledger::{Added, Claim, Completed, Ledger, Record};
use crate::store::memory::MemoryCatalogue;

/// How often to look for work that another server has added.
const LOOK: Duration = Duration::from_secs(1);

const CLAIM: &str = "WITH free AS (
        SELECT pipeline_item_id, free_second, free_nanosecond FROM work
        WHERE (free_second, free_nanosecond) <= ($1, $2)
        ORDER BY free_second, free_nanosecond, pipeline_item_id
        LIMIT $5
        FOR UPDATE SKIP LOCKED
    ), claimed AS (
        UPDATE work SET ticket = nextval('ticket'), free_second = $3, free_nanosecond = $4
        FROM free WHERE work.pipeline_item_id = free.pipeline_item_id
        RETURNING work.pipeline_item_id, ticket, changes[1] AS change, free.free_second, free.free_nanosecond
    )
    SELECT pipeline_item_id, ticket, change FROM claimed
    ORDER BY free_second, free_nanosecond, pipeline_item_id";

const COMPLETE: &str = "SELECT complete_change($1, $2, $3, $4, $5, $6, $7, $8)";

const NEXT_DUE: &str = "SELECT free_second, free_nanosecond FROM work
    ORDER BY free_second, free_nanosecond, pipeline_item_id LIMIT 1";

/// Begins a window if there is none or it has ended, and counts up to one request more than the quota has.
const COUNT_REQUEST: &str = "INSERT INTO quota AS ours (key_name, end_second, end_nanosecond, used)
    VALUES ($1, $4, $5, 1)
    ON CONFLICT (key_name) DO UPDATE SET (end_second, end_nanosecond, used) = (
        SELECT
            CASE WHEN ended THEN excluded.end_second ELSE ours.end_second END,
            CASE WHEN ended THEN excluded.end_nanosecond ELSE ours.end_nanosecond END,
            CASE WHEN ended THEN 1 ELSE least(ours.used, $6) + 1 END
        FROM (SELECT (ours.end_second, ours.end_nanosecond) <= ($2, $3) AS ended) AS window_state
    )
    RETURNING end_second, end_nanosecond, used";

/// Keeps items and work in a PostgreSQL database, which any number of servers with the same data may share.
///
/// Claims outlive their server: what it had claimed when it was killed can be claimed when the lease ends.
#[derive(Debug)]
pub struct PostgresLedger {
    pool: Pool,
    additions: Additions,
    place: String,
    data: String,
}

/// Another server has changed what the tables are.
#[derive(Debug, thiserror::Error)]
#[error("{place} is no longer what this server was started with (format {format}, data {data}); restart the server")]
struct Changed {
    place: String,
    format: i32,
    data: String,
}

impl PostgresLedger {
    /// Opens a database, or creates its tables with the records of a data set. `data` identifies the data set: a
    /// database that was created with another one is rejected. Must be called within a tokio runtime, in which the
    /// ledger is used.
    ///
    /// # Errors
    /// [`PostgresError`] when the database cannot be used.
    pub async fn open(
        settings: &PostgresSettings,
        data: &str,
        seed: impl IntoIterator<Item = Record>,
    ) -> Result<Self, PostgresError> {
        let pool = connections::pool(settings)?;
        let place = settings.to_string();
        let client = pool.get().await;
        let mut client = client.map_err(|error| PostgresError::of_pool(&place, &error))?;
        format::prepare(&mut client, &place, data, seed).await?;
        Ok(Self {
            additions: Additions::new(pool.clone()),
            pool,
            place,
            data: data.to_owned(),
        })
    }

    /// A catalogue of these records, which must be those of the data set, that searches in the same database. Their
    /// vectors and what is filtered by are entered into it, unless they are there.
    ///
    /// # Errors
    /// [`PostgresError`], such as [`PostgresError::NoVector`].
    pub async fn searches(&self, records: MemoryCatalogue) -> Result<PostgresCatalogue, PostgresError> {
        let client = self.pool.get().await;
        let mut client = client.map_err(|error| PostgresError::of_pool(&self.place, &error))?;
        let vectors = searched::prepare(&mut client, &self.place, &self.data, &records).await?;
        Ok(PostgresCatalogue {
            pool: self.pool.clone(),
            records,
            vectors,
        })
    }

    async fn client(&self) -> Result<Object, StoreError> {
        self.pool.get().await.map_err(no_connection)
    }

    async fn replace(&self, records: &[Record]) -> Result<(), StoreError> {
        let mut client = self.client().await?;
        let transaction = client.transaction().await.map_err(failed)?;
        let done = async {
            // Additions and resets take turns.
            let turn = "SET LOCAL statement_timeout = 0; SELECT FROM platform_server_stub FOR UPDATE";
            transaction.batch_execute(turn).await?;
            copy::clear(&transaction).await?;
            copy::fill(&transaction, records).await?;
            transaction.commit().await
        };
        done.await.map_err(failed)
    }
}

/// The statement for a page in an order. Its parameters are the pipeline, how many items to skip, the limit and, if
/// items are sorted, the question. It returns at least one row: the number of items, and an item or nulls.
fn listing(order: ItemOrder) -> String {
    let is_descending = order.sort_order == SortOrder::Descending;
    // Ids first, and then the items of these ids alone.
    let ids = match order.sort_by {
        Some(_) => format!("sorted_page($1, $4, {is_descending}, $2, $3)"),
        None => {
            let direction = if is_descending { "DESC" } else { "ASC" };
            format!(
                "ARRAY(SELECT pipeline_item_id FROM item WHERE pipeline_id = $1
                    ORDER BY pipeline_item_id {direction} OFFSET $2 LIMIT $3)"
            )
        }
    };
    format!(
        "SELECT (SELECT items FROM pipeline WHERE pipeline_id = $1), {ITEM}
        FROM (SELECT {ids} AS ids) AS page
        LEFT JOIN LATERAL unnest(page.ids) WITH ORDINALITY AS listed (id, place) ON true
        LEFT JOIN item ON item.pipeline_item_id = listed.id
        ORDER BY listed.place"
    )
}

fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[async_trait]
impl Ledger for PostgresLedger {
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError> {
        let client = self.client().await?;
        let row = async {
            let item = format!("SELECT {ITEM} FROM item WHERE pipeline_item_id = $1");
            client
                .query_opt(&client.prepare_cached(&item).await?, &[&id.get()])
                .await
        };
        let row = row.await.map_err(failed)?;
        row.map(|row| rows::item(&row, 0)).transpose().map_err(unreadable)
    }

    async fn items(&self, pipeline: PipelineId, order: ItemOrder, page: Page) -> Result<ItemList, StoreError> {
        let client = self.client().await?;
        let (pipeline, skip, limit) = (pipeline.get(), whole(page.skip), whole(page.limit));
        let rows = async {
            let statement = client.prepare_cached(&listing(order)).await?;
            let question = order.sort_by.map(|question| question.get());
            let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&pipeline, &skip, &limit];
            parameters.extend(question.as_ref().map(|question| question as &(dyn ToSql + Sync)));
            client.query(&statement, &parameters).await
        };
        let rows = rows.await.map_err(failed)?;
        let read = || -> Result<ItemList, Unreadable> {
            let total_count: Option<i64> = rows.first().map_or(Ok(None), |row| row.try_get(0))?;
            let mut items = Vec::with_capacity(rows.len());
            for row in &rows {
                if row.try_get::<_, Option<i64>>(1)?.is_some() {
                    items.push(rows::item(row, 1)?);
                }
            }
            Ok(ItemList {
                total_count: usize::try_from(total_count.unwrap_or_default())?,
                items,
            })
        };
        read().map_err(unreadable)
    }

    async fn add(&self, new: NewItem, plan: Vec<Step>, now: DateTime<Utc>) -> Result<Added, StoreError> {
        self.additions.add(new, plan, now).await
    }

    async fn claim(&self, now: DateTime<Utc>, lease: Duration, limit: usize) -> Result<Vec<Claim>, StoreError> {
        let client = self.client().await?;
        let (now_columns, until) = (rows::columns_of(now), rows::columns_of(now + lease));
        let rows = async {
            let parameters: [&(dyn ToSql + Sync); 5] =
                [&now_columns.0, &now_columns.1, &until.0, &until.1, &whole(limit)];
            let claimed = client.query(&client.prepare_cached(CLAIM).await?, &parameters).await?;
            if claimed.is_empty() {
                return Ok((claimed, Vec::new()));
            }
            let ids: Vec<i64> = claimed.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
            // In a statement of its own, which sees each item as the last completed change left it. From now on none
            // but the holder of the claim changes it.
            let items = format!("SELECT {ITEM} FROM item WHERE pipeline_item_id = ANY ($1)");
            let items = client.query(&client.prepare_cached(&items).await?, &[&ids]).await?;
            Ok::<_, Error>((claimed, items))
        };
        let (claimed, items) = rows.await.map_err(failed)?;
        let read = || -> Result<Vec<Claim>, Unreadable> {
            let items: Vec<_> = items.iter().map(|row| rows::item(row, 0)).collect::<Result<_, _>>()?;
            let mut claims = Vec::with_capacity(claimed.len());
            for row in &claimed {
                let (id, ticket): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
                let Json(change): Json<Change> = row.try_get(2)?;
                // A reset in between has removed the item and its work.
                let item = items.iter().find(|item| item.pipeline_item_id.get() == id);
                if let Some(item) = item.map(Arc::clone) {
                    let ticket = u64::try_from(ticket)?;
                    claims.push(Claim { item, change, ticket });
                }
            }
            Ok(claims)
        };
        read().map_err(unreadable)
    }

    async fn complete(&self, claim: &Claim, after: Item) -> Result<Completed, StoreError> {
        let client = self.client().await?;
        let (id, ticket) = (claim.item.pipeline_item_id.get(), whole(claim.ticket as usize));
        let answers = Answers::of(&after.values);
        let done = async {
            let parameters: [&(dyn ToSql + Sync); 8] = [
                &id,
                &ticket,
                &Json(&after.values),
                &after.document_indexed,
                &after.platform_entity_data_ready,
                &answers.questions,
                &answers.keys,
                &answers.rests,
            ];
            let row = client
                .query_one(&client.prepare_cached(COMPLETE).await?, &parameters)
                .await?;
            row.try_get(0)
        };
        Ok(match done.await.map_err(failed)? {
            true => Completed::Done,
            false => Completed::LeaseLost,
        })
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let client = self.client().await?;
        let columns = async {
            let row = client.query_opt(&client.prepare_cached(NEXT_DUE).await?, &[]).await?;
            let columns = |row: tokio_postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
            row.map(columns).transpose()
        };
        let columns: Option<(i64, i32)> = columns.await.map_err(failed)?;
        let moment = columns.map(|(second, nanosecond)| rows::moment(second, nanosecond));
        moment.transpose().map_err(|error| unreadable(error.into()))
    }

    async fn work_from_elsewhere(&self, known: Option<DateTime<Utc>>) {
        loop {
            tokio::time::sleep(LOOK).await;
            match self.next_due().await {
                Ok(Some(due)) if known.is_none_or(|known| due < known) => return,
                Ok(_) => {}
                // Readiness and the next operation report it.
                Err(error) => tracing::debug!(error = &error as &dyn std::error::Error, "cannot look for work"),
            }
        }
    }

    async fn count_request(
        &self,
        key: &str,
        limit: RateLimit,
        now: DateTime<Utc>,
    ) -> Result<Option<QuotaState>, StoreError> {
        let client = self.client().await?;
        let ends = now + Duration::from_secs(limit.window_seconds.into());
        let (now, ends) = (rows::columns_of(now), rows::columns_of(ends));
        let quota = i64::from(limit.requests);
        let counted = async {
            let parameters: [&(dyn ToSql + Sync); 6] = [&key, &now.0, &now.1, &ends.0, &ends.1, &quota];
            let row = client
                .query_one(&client.prepare_cached(COUNT_REQUEST).await?, &parameters)
                .await?;
            Ok::<_, Error>((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
        };
        let (second, nanosecond, used): (i64, i32, i64) = counted.await.map_err(failed)?;
        let ends = rows::moment(second, nanosecond).map_err(|error| unreadable(error.into()))?;
        let left = u32::try_from(quota - used).ok();
        Ok(Some(QuotaState { left, ends }))
    }

    async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError> {
        self.replace(&records).await
    }

    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>> {
        let rows = async {
            // Taken out of the pool and closed at the end, because it may take longer than others do.
            let client = Object::take(self.client().await?);
            client
                .batch_execute("SET statement_timeout = 0")
                .await
                .map_err(failed)?;
            let all = format!(
                "SELECT {ITEM}, due_seconds, due_nanoseconds, changes
                FROM item LEFT JOIN work USING (pipeline_item_id) ORDER BY item.pipeline_item_id"
            );
            let none: [&(dyn ToSql + Sync); 0] = [];
            let rows = client.query_raw(&all, none).await.map_err(failed)?;
            Ok::<_, StoreError>(rows.map(move |row| {
                // It stays open until the end.
                let _held = &client;
                let row = row.map_err(failed)?;
                let read = || {
                    Ok(Record {
                        item: rows::item(&row, 0)?,
                        work: rows::work(&row, 9)?,
                    })
                };
                read().map_err(unreadable)
            }))
        };
        stream::once(rows).try_flatten().boxed()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let client = self.client().await?;
        let about = async {
            let about = "SELECT format, data FROM platform_server_stub";
            let row = client.query_one(&client.prepare_cached(about).await?, &[]).await?;
            Ok::<_, Error>((row.try_get(0)?, row.try_get(1)?))
        };
        let (format, data): (i32, String) = about.await.map_err(failed)?;
        if format == FORMAT && data == self.data {
            return Ok(());
        }
        let place = self.place.clone();
        Err(StoreError::Storage(Box::new(Changed { place, format, data })))
    }

    fn is_durable(&self) -> bool {
        true
    }

    fn is_shared(&self) -> bool {
        true
    }
}
