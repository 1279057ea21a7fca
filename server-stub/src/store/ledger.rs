//! Data that changes while a server runs: the items of pipelines, and the work that is left for them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::stream::BoxStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::ids::{PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::policy::{QuotaState, RateLimit};
use crate::model::process::{Change, Step};
use crate::model::search::Page;
use crate::model::sort::ItemOrder;
use crate::model::store_error::StoreError;

/// Items and work. Items are added and changed, never removed.
///
/// Every method is one transaction. It is done as a whole or, if it fails with a [`StoreError`], not at all, and it
/// reads the state at one moment. A ledger has no clock: the current time is a parameter.
///
/// Work is a list of changes for an item, each with a due time, made one after the other. Any number of workers may
/// claim changes. A [claimed](Self::claim) change belongs to one worker until the lease ends, and is made once, however
/// often it was claimed.
#[async_trait]
pub trait Ledger: fmt::Debug + Send + Sync + 'static {
    /// The item with this id, in whichever pipeline it is.
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError>;

    /// The items of a pipeline in an order: one page, and how many there are. A pipeline without items gives an empty
    /// page.
    async fn items(&self, pipeline: PipelineId, order: ItemOrder, page: Page) -> Result<ItemList, StoreError>;

    /// Adds an organization to a pipeline that does not contain it yet, under a new item id, with a plan that starts at
    /// `now`. Of any number of such calls at once, exactly one adds.
    ///
    /// The id is the one after the pipeline's last, or after the last of all if the pipeline has none. If another
    /// pipeline has taken that id, the next free one above it is used. If all of these are taken, the smallest free id
    /// is used.
    async fn add(&self, new: NewItem, plan: Vec<Step>, now: DateTime<Utc>) -> Result<Added, StoreError>;

    /// Claims due changes that no worker holds, at most `limit`, one per item, in the order in which they became
    /// available. They are held until `lease` has passed.
    async fn claim(&self, now: DateTime<Utc>, lease: Duration, limit: usize) -> Result<Vec<Claim>, StoreError>;

    /// Replaces the item with its changed form, and removes the claimed change from its work.
    async fn complete(&self, claim: &Claim, after: Item) -> Result<Completed, StoreError>;

    /// The next time at which a change can be claimed; `None` if no work is left.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Returns when a change can be claimed earlier than at `known`, which [`next_due`](Self::next_due) returned,
    /// because another process has added work. Never returns if no other process can.
    async fn work_from_elsewhere(&self, known: Option<DateTime<Utc>>) {
        let _ = known;
        std::future::pending().await
    }

    /// Whether other processes may have the same ledger open, and carry out its work.
    fn is_shared(&self) -> bool {
        false
    }

    /// Counts a request of a key with this quota across all processes that have the ledger open; `None` if no other
    /// can, and the process counts by itself.
    async fn count_request(
        &self,
        key: &str,
        limit: RateLimit,
        now: DateTime<Utc>,
    ) -> Result<Option<QuotaState>, StoreError> {
        let _ = (key, limit, now);
        Ok(None)
    }

    /// Deletes everything, and holds these records instead. Current claims are lost to their workers.
    async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError>;

    /// All items by ascending id, each with its work, as of one moment. A ledger that is [reset](Self::reset) with them
    /// holds the same.
    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>>;

    /// Returns an error if the ledger cannot serve at present, with the reason. A ledger that has failed tries to
    /// recover first.
    async fn ready(&self) -> Result<(), StoreError>;

    /// Whether it belongs to the data that it was created with, and outlives the process.
    fn is_durable(&self) -> bool {
        false
    }
}

/// The outcome of an addition.
#[derive(Debug, Clone, PartialEq)]
pub enum Added {
    /// The item in its initial state.
    New(Arc<Item>),
    /// The pipeline already contains the organization, as this item.
    Already(PipelineItemId),
}

/// A change that a worker holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The item before the change.
    pub item: Arc<Item>,
    /// The change to make.
    pub change: Change,
    /// The number of this claim among all claims of the ledger.
    pub ticket: u64,
}

/// The outcome of completing a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completed {
    /// The change is done.
    Done,
    /// The lease ended, and another worker has claimed the change since; nothing was changed.
    LeaseLost,
}

/// An item and the work that is left for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The item.
    pub item: Arc<Item>,
    /// Its future changes, in order.
    pub work: Vec<DueChange>,
}

/// A change with its due time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DueChange {
    /// The time from which it may be made.
    pub due: DateTime<Utc>,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

impl Record {
    /// An item without work.
    pub fn finished(item: Arc<Item>) -> Self {
        Self { item, work: Vec::new() }
    }

    /// An item with a whole plan ahead of it.
    pub(super) fn planned(item: Arc<Item>, plan: Vec<Step>, began: DateTime<Utc>) -> Self {
        let work = plan.into_iter().map(|step| DueChange::of(step, began));
        Self {
            item,
            work: work.collect(),
        }
    }
}

impl DueChange {
    /// A step of a plan that began at this time.
    pub fn of(step: Step, began: DateTime<Utc>) -> Self {
        Self {
            due: began + step.after,
            change: step.change,
        }
    }
}
