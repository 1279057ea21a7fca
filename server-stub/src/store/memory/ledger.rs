//! Items in memory.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use crate::model::ids::{PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::process::Step;
use crate::model::search::Page;
use crate::model::sort::ItemOrder;
use crate::model::store_error::StoreError;
use crate::store::ledger::{Added, Claim, Completed, Ledger, Record};
use crate::store::view::{Staged, View};

/// Keeps items and work in memory. The initial items are shared with their data set and copied only when they change,
/// so creating a ledger is cheap.
#[derive(Debug)]
pub struct MemoryLedger(View);

impl MemoryLedger {
    /// A ledger that holds these records. Of two records with the same id, the later one is kept.
    pub fn new(records: impl IntoIterator<Item = Record>) -> Self {
        Self(View::new(records))
    }
}

#[async_trait]
impl Ledger for MemoryLedger {
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError> {
        Ok(self.0.item(id))
    }

    async fn items(&self, pipeline: PipelineId, order: ItemOrder, page: Page) -> Result<ItemList, StoreError> {
        self.0.items(pipeline, order, page).await
    }

    async fn add(&self, new: NewItem, plan: Vec<Step>, now: DateTime<Utc>) -> Result<Added, StoreError> {
        let mut state = self.0.write();
        let added = state.decide(new, &Staged::default())?;
        if let Added::New(item) = &added {
            state.enter(Record::planned(Arc::clone(item), plan, now));
        }
        Ok(added)
    }

    async fn claim(&self, now: DateTime<Utc>, lease: Duration, limit: usize) -> Result<Vec<Claim>, StoreError> {
        Ok(self.0.write().claim(now, lease, limit))
    }

    async fn complete(&self, claim: &Claim, after: Item) -> Result<Completed, StoreError> {
        Ok(self.0.write().complete(claim, Arc::new(after)))
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.0.next_due())
    }

    async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError> {
        self.0.reset(records);
        Ok(())
    }

    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>> {
        stream::iter(self.0.records().into_iter().map(Ok)).boxed()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
