//! What changes while a server runs: the items of pipelines, and the work that is still to be done for them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::stream::BoxStream;

use crate::model::ids::{PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::process::{Change, Step};
use crate::model::search::Page;
use crate::model::sort::ItemOrder;
use crate::model::store_error::StoreError;

/// Items and work. Items are added and changed, never removed.
///
/// Every method is one transaction: it is done as a whole or, when it fails with a [`StoreError`], not at all,
/// and what it reads is of one moment. A ledger knows no time of its own: the present moment is a parameter.
///
/// Work is a list of changes an item, each due at a moment, carried out one after the other. Any number of
/// workers may ask for it: a change that one has [claimed](Self::claim) is nobody else's until the lease ends,
/// and is done once, however often it was claimed.
#[async_trait]
pub trait Ledger: fmt::Debug + Send + Sync + 'static {
    /// The item with this id, in whichever pipeline it is.
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError>;

    /// The items of a pipeline in an order: one page, and how many there are; none of a pipeline that has none.
    async fn items(
        &self,
        pipeline: PipelineId,
        order: ItemOrder,
        page: Page,
    ) -> Result<ItemList, StoreError>;

    /// Adds an organization to a pipeline that does not hold it yet, under a new item id, together with what
    /// will happen to it from `now` on. Of any number of such calls at once exactly one adds.
    ///
    /// The id is the one after the pipeline's last, or after the last of all where the pipeline has none;
    /// further on where another pipeline has taken that one. Where all of these are taken, it is the least that is
    /// free.
    async fn add(
        &self,
        new: NewItem,
        plan: Vec<Step>,
        now: DateTime<Utc>,
    ) -> Result<Added, StoreError>;

    /// Claims changes that are due and that nobody holds, at most `limit`, one an item, in the order in which
    /// they became free. They are held until `lease` has passed.
    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease: Duration,
        limit: usize,
    ) -> Result<Vec<Claim>, StoreError>;

    /// Puts an item in the place of the one that was claimed, and strikes the change off its work.
    async fn complete(&self, claim: &Claim, after: Item) -> Result<Completed, StoreError>;

    /// The next moment at which there is something to claim; none when no work is left.
    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Forgets everything, and holds these records instead. What is claimed at present is lost to the worker.
    async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError>;

    /// All items by ascending id, each with its work, as they are at one moment. A ledger that is
    /// [reset](Self::reset) with them holds the same.
    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>>;

    /// Whether the ledger can serve at present: the error says why it cannot. A ledger that has failed tries to
    /// recover first.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// What became of an addition.
#[derive(Debug, Clone, PartialEq)]
pub enum Added {
    /// The item, as it is at first.
    New(Arc<Item>),
    /// The pipeline holds the organization already, as this item.
    Already(PipelineItemId),
}

/// A change that a worker holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The item, as it is before the change.
    pub item: Arc<Item>,
    /// What is to be changed about it.
    pub change: Change,
    /// Which of all claims of the ledger this is.
    pub ticket: u64,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completed {
    /// The change is done.
    Done,
    /// The lease ended, and another has claimed the change since; nothing happened.
    LeaseLost,
}

/// An item and the work that is left for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The item.
    pub item: Arc<Item>,
    /// What will happen to it, in order.
    pub work: Vec<DueChange>,
}

/// A change, and when it is due.
#[derive(Debug, Clone, PartialEq)]
pub struct DueChange {
    /// The moment from which on it may be made.
    pub due: DateTime<Utc>,
    /// What changes.
    pub change: Change,
}

impl Record {
    /// An item that nothing more will happen to.
    pub fn finished(item: Arc<Item>) -> Self {
        Self {
            item,
            work: Vec::new(),
        }
    }
}

impl DueChange {
    /// A step of a plan that began at a moment.
    pub fn of(step: Step, began: DateTime<Utc>) -> Self {
        Self {
            due: began + step.after,
            change: step.change,
        }
    }
}
