//! Additions that arrive at the same time share one transaction, and so one confirmation of the disk.
//!
//! The database makes one addition at a time, and the next one waits until the disk has confirmed the last. Without
//! sharing, a pipeline would grow by no more items a second than the disk confirms writes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use deadpool_postgres::{Object, Pool};
use futures::future::try_join_all;
use tokio::sync::oneshot::{self, Sender};
use tokio_postgres::Error;
use tokio_postgres::types::{Json, ToSql};

use super::error::{failed, no_connection, unreadable};
use super::rows::{Answers, Work};
use crate::model::ids::PipelineItemId;
use crate::model::item::NewItem;
use crate::model::process::Step;
use crate::model::store_error::StoreError;
use crate::store::ledger::{Added, DueChange};

/// Maximum number of additions in one transaction.
const BATCH: usize = 256;

const ADD: &str = "SELECT id, is_new FROM add_item($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// The additions that wait. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Additions {
    pool: Pool,
    queue: Arc<Mutex<Queue>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Addition>,
    /// Whether a task takes them.
    is_served: bool,
}

#[derive(Debug)]
struct Addition {
    new: NewItem,
    work: Vec<DueChange>,
    /// Receives the outcome. The caller may have given up.
    reply: Sender<Result<Added, StoreError>>,
}

/// The task that adds has ended, which happens only when the runtime shuts down.
#[derive(Debug, thiserror::Error)]
#[error("the server is shutting down")]
struct Ended;

impl Additions {
    pub(super) fn new(pool: Pool) -> Self {
        let queue = Arc::default();
        Self { pool, queue }
    }

    /// Adds an item. A caller that gives up leaves the addition to be made.
    pub(super) async fn add(&self, new: NewItem, plan: Vec<Step>, now: DateTime<Utc>) -> Result<Added, StoreError> {
        let work = plan.into_iter().map(|step| DueChange::of(step, now)).collect();
        let (reply, outcome) = oneshot::channel();
        let begins = {
            let mut queue = self.lock();
            queue.waiting.push(Addition { new, work, reply });
            !std::mem::replace(&mut queue.is_served, true)
        };
        if begins {
            // A task of its own, because the caller may give up in the middle of what others wait for.
            tokio::spawn(self.clone().serve());
        }
        outcome
            .await
            .unwrap_or_else(|_| Err(StoreError::Unavailable(Box::new(Ended))))
    }

    /// Makes additions until none waits.
    async fn serve(self) {
        loop {
            let batch: Vec<_> = {
                let mut queue = self.lock();
                let count = queue.waiting.len().min(BATCH);
                queue.is_served = count > 0;
                queue.waiting.drain(..count).collect()
            };
            if batch.is_empty() {
                return;
            }
            let mut client = match self.pool.get().await {
                Ok(client) => client,
                Err(error) => {
                    reject(batch, no_connection(error));
                    continue;
                }
            };
            match carry_out(&mut client, &batch).await {
                Ok(rows) => {
                    for (addition, outcome) in batch.into_iter().zip(rows) {
                        let _ = addition.reply.send(added(addition.new, outcome));
                    }
                }
                Err(error) => reject(batch, failed(error)),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Nothing panics while holding the lock.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id of the item, and whether it is new.
type Outcome = (Option<i64>, bool);

/// Makes additions in one transaction, all of them or none.
async fn carry_out(client: &mut Object, batch: &[Addition]) -> Result<Vec<Outcome>, Error> {
    let add = client.prepare_cached(ADD).await?;
    let transaction = client.transaction().await?;
    // Sent one after the other without waiting, and made in this order.
    let outcomes = batch.iter().map(async |addition| {
        let NewItem {
            pipeline_id,
            organization_id,
            values,
            platform_entity_data_ready,
        } = &addition.new;
        let (answers, work) = (Answers::of(values), Work::of(&addition.work));
        let parameters: [&(dyn ToSql + Sync); 10] = [
            &pipeline_id.get(),
            &organization_id.get(),
            &Json(values),
            platform_entity_data_ready,
            &answers.questions,
            &answers.keys,
            &answers.rests,
            &work.seconds,
            &work.nanoseconds,
            &work.changes,
        ];
        let row = transaction.query_one(&add, &parameters).await?;
        Ok::<_, Error>((row.try_get(0)?, row.try_get(1)?))
    });
    let outcomes = try_join_all(outcomes).await?;
    transaction.commit().await?;
    Ok(outcomes)
}

fn added(new: NewItem, (id, is_new): Outcome) -> Result<Added, StoreError> {
    let id = id.ok_or(StoreError::NoItemIdLeft)?;
    let id = PipelineItemId::new(id).map_err(|error| unreadable(Box::new(error)))?;
    Ok(match is_new {
        true => Added::New(Arc::new(new.with_id(id))),
        false => Added::Already(id),
    })
}

/// Answers all of them with one error.
fn reject(batch: Vec<Addition>, error: StoreError) {
    let text = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
    for addition in batch {
        let reason = Box::<dyn std::error::Error + Send + Sync>::from(text.clone());
        let _ = addition.reply.send(Err(match &error {
            StoreError::Storage(_) => StoreError::Storage(reason),
            StoreError::Unavailable(_) => StoreError::Unavailable(reason),
            StoreError::NoItemIdLeft => StoreError::NoItemIdLeft,
            StoreError::Busy => StoreError::Busy,
        }));
    }
}
