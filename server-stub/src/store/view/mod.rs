//! Items and work in memory, in every order that was requested. Every ledger reads from here.
//!
//! Nothing here is durable. A durable ledger changes its own storage first.

mod agenda;
mod state;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use chrono::{DateTime, Utc};

use self::state::list;
pub(super) use self::state::{Staged, State};
use super::ledger::Record;
use super::pool::Pool;
use crate::model::ids::{PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList};
use crate::model::search::Page;
use crate::model::sort::ItemOrder;
use crate::model::store_error::StoreError;

/// The current items.
#[derive(Debug)]
pub(super) struct View {
    state: RwLock<State>,
    pool: Pool,
}

impl View {
    /// A view of these records. Of two records with the same id, the later one is kept.
    pub(super) fn new(records: impl IntoIterator<Item = Record>) -> Self {
        Self {
            state: RwLock::new(State::of(records)),
            pool: Pool::new(),
        }
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, State> {
        // Nothing panics between two changes that belong together, so the state is always consistent.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The item with this id.
    pub(super) fn item(&self, id: PipelineItemId) -> Option<Arc<Item>> {
        self.read().item(id).cloned()
    }

    /// A page of a pipeline's items in an order, as of one moment.
    pub(super) async fn items(
        &self,
        pipeline: PipelineId,
        order: ItemOrder,
        page: Page,
    ) -> Result<ItemList, StoreError> {
        let (mut items, version) = {
            let state = self.read();
            let Some(members) = state.members(pipeline) else {
                return Ok(ItemList::default());
            };
            if let Some(list) = members.page(order, page) {
                return Ok(list);
            }
            let (items, version) = members.items();
            (items.to_vec(), version)
        };
        let count = items.len();
        // Sorted without the lock, and kept unless something has changed in the meantime.
        let sort = move || {
            order.sort(&mut items);
            items
        };
        let items = self.pool.scan(count, sort).await?;
        let list = list(&items, page);
        if let Some(members) = self.write().members_mut(pipeline) {
            members.keep(order, items, version);
        }
        Ok(list)
    }

    /// The next time at which a change can be claimed.
    pub(super) fn next_due(&self) -> Option<DateTime<Utc>> {
        self.read().next_due()
    }

    /// All items by ascending id, each with its work, as they are at this moment.
    pub(super) fn records(&self) -> Vec<Record> {
        self.read().records().collect()
    }

    /// Deletes everything, and holds these records instead.
    pub(super) fn reset(&self, records: impl IntoIterator<Item = Record>) {
        self.write().reset(records);
    }
}
