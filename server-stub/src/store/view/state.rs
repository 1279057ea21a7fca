//! Items and their remaining work, as plain data.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::agenda::Agenda;
use crate::model::ids::{MAX_ID, OrganizationId, PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::search::Page;
use crate::model::sort::{ItemOrder, SortOrder};
use crate::model::store_error::StoreError;
use crate::store::ledger::{Added, Claim, Completed, DueChange, Record};

/// Items and their work.
#[derive(Debug, Default)]
pub(in crate::store) struct State {
    pipeline_of: BTreeMap<PipelineItemId, PipelineId>,
    pipelines: HashMap<PipelineId, Members>,
    agenda: Agenda,
}

/// The items of one pipeline.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// By ascending id.
    items: Vec<Arc<Item>>,
    organizations: HashMap<OrganizationId, PipelineItemId>,
    /// The same items in every order that was requested.
    orders: HashMap<ItemOrder, Vec<Arc<Item>>>,
    /// Number of changes so far.
    version: u64,
}

/// Items that are to be added together, and are not yet in the state.
#[derive(Debug, Default)]
pub(in crate::store) struct Staged {
    pipeline_of: BTreeMap<PipelineItemId, PipelineId>,
    organizations: HashMap<(PipelineId, OrganizationId), PipelineItemId>,
}

impl Staged {
    pub(in crate::store) fn push(&mut self, item: &Item) {
        let (id, pipeline) = (item.pipeline_item_id, item.pipeline_id);
        self.pipeline_of.insert(id, pipeline);
        if let Some(organization) = item.organization_id {
            self.organizations.insert((pipeline, organization), id);
        }
    }

    fn holding(&self, new: &NewItem) -> Option<PipelineItemId> {
        let key = (new.pipeline_id, new.organization_id);
        self.organizations.get(&key).copied()
    }

    fn contains(&self, id: PipelineItemId) -> bool {
        self.pipeline_of.contains_key(&id)
    }

    fn last(&self) -> Option<PipelineItemId> {
        self.pipeline_of.keys().next_back().copied()
    }

    fn last_of(&self, pipeline: PipelineId) -> Option<PipelineItemId> {
        let mut latest = self.pipeline_of.iter().rev();
        latest.find(|(_, of)| **of == pipeline).map(|(id, _)| *id)
    }
}

impl State {
    pub(super) fn of(records: impl IntoIterator<Item = Record>) -> Self {
        let mut state = Self::default();
        for record in records {
            state.enter(record);
        }
        state
    }

    /// The same state with other records. Current claims no longer hold.
    pub(super) fn reset(&mut self, records: impl IntoIterator<Item = Record>) {
        let agenda = self.agenda.emptied();
        *self = Self {
            agenda,
            ..Self::default()
        };
        for record in records {
            self.enter(record);
        }
    }

    pub(super) fn item(&self, id: PipelineItemId) -> Option<&Arc<Item>> {
        self.pipelines.get(self.pipeline_of.get(&id)?)?.item(id)
    }

    /// All items by ascending id, each with its remaining work.
    pub(super) fn records(&self) -> impl Iterator<Item = Record> {
        self.pipeline_of.keys().filter_map(|id| {
            Some(Record {
                item: Arc::clone(self.item(*id)?),
                work: self.agenda.left(*id),
            })
        })
    }

    pub(super) fn members(&self, pipeline: PipelineId) -> Option<&Members> {
        self.pipelines.get(&pipeline)
    }

    pub(super) fn members_mut(&mut self, pipeline: PipelineId) -> Option<&mut Members> {
        self.pipelines.get_mut(&pipeline)
    }

    /// The item that a pipeline has for an organization.
    pub(in crate::store) fn holding(&self, new: &NewItem) -> Option<PipelineItemId> {
        let members = self.pipelines.get(&new.pipeline_id)?;
        members.organizations.get(&new.organization_id).copied()
    }

    /// Decides the outcome of an addition that follows the staged ones. Changes nothing.
    pub(in crate::store) fn decide(&self, new: NewItem, staged: &Staged) -> Result<Added, StoreError> {
        let there = self.holding(&new).or_else(|| staged.holding(&new));
        if let Some(id) = there {
            return Ok(Added::Already(id));
        }
        let id = self.next_id(new.pipeline_id, staged)?;
        Ok(Added::New(Arc::new(new.with_id(id))))
    }

    /// Enters a new item and its work.
    pub(in crate::store) fn enter(&mut self, Record { item, work }: Record) {
        let id = item.pipeline_item_id;
        self.put(item);
        self.agenda.enter(id, work);
    }

    /// Claims available changes until the end of the lease.
    pub(in crate::store) fn claim(&mut self, now: DateTime<Utc>, lease: Duration, limit: usize) -> Vec<Claim> {
        let claimed = self.agenda.claim(now, lease, limit);
        let with_item = |(id, change, ticket)| {
            let item = Arc::clone(self.item(id)?);
            Some(Claim { item, change, ticket })
        };
        claimed.into_iter().filter_map(with_item).collect()
    }

    /// Returns whether a claim still holds its change.
    pub(in crate::store) fn is_held(&self, claim: &Claim) -> bool {
        let id = claim.item.pipeline_item_id;
        self.agenda.is_held(id, claim.ticket)
    }

    /// Replaces the item of a claim and removes the change from its work, if the claim still holds it.
    pub(in crate::store) fn complete(&mut self, claim: &Claim, after: Arc<Item>) -> Completed {
        let id = claim.item.pipeline_item_id;
        if !self.agenda.strike_off(id, claim.ticket) {
            return Completed::LeaseLost;
        }
        self.put(after);
        Completed::Done
    }

    /// The remaining work of an item.
    pub(in crate::store) fn left(&self, id: PipelineItemId) -> Vec<DueChange> {
        self.agenda.left(id)
    }

    pub(super) fn next_due(&self) -> Option<DateTime<Utc>> {
        self.agenda.next_due()
    }

    fn put(&mut self, item: Arc<Item>) {
        self.pipeline_of.insert(item.pipeline_item_id, item.pipeline_id);
        let members = self.pipelines.entry(item.pipeline_id).or_default();
        members.put(item);
    }

    fn next_id(&self, pipeline: PipelineId, staged: &Staged) -> Result<PipelineItemId, StoreError> {
        let here = self.pipelines.get(&pipeline).and_then(Members::last);
        let last_here = here.max(staged.last_of(pipeline));
        let last_of_all = || {
            let last = self.pipeline_of.keys().next_back().copied();
            last.max(staged.last())
        };
        let last = last_here.or_else(last_of_all);
        let is_free = |id: &PipelineItemId| !self.pipeline_of.contains_key(id) && !staged.contains(*id);
        let after_last = last.map_or(1, |id| id.get() + 1)..=MAX_ID;
        let mut ids = after_last
            .chain(1..=MAX_ID)
            .map_while(|id| PipelineItemId::new(id).ok());
        ids.find(is_free).ok_or(StoreError::NoItemIdLeft)
    }
}

impl Members {
    fn place(&self, id: PipelineItemId) -> Result<usize, usize> {
        self.items.binary_search_by_key(&id, |item| item.pipeline_item_id)
    }

    fn item(&self, id: PipelineItemId) -> Option<&Arc<Item>> {
        self.items.get(self.place(id).ok()?)
    }

    fn last(&self) -> Option<PipelineItemId> {
        self.items.last().map(|item| item.pipeline_item_id)
    }

    fn put(&mut self, item: Arc<Item>) {
        let id = item.pipeline_item_id;
        if let Some(organization) = item.organization_id {
            self.organizations.entry(organization).or_insert(id);
        }
        self.version += 1;
        let before = match self.place(id) {
            Ok(place) => Some(mem::replace(&mut self.items[place], Arc::clone(&item))),
            Err(place) => {
                self.items.insert(place, Arc::clone(&item));
                None
            }
        };
        for (order, sorted) in &mut self.orders {
            if let Some(before) = &before {
                let place = sorted.binary_search_by(|other| order.compare(other, before));
                match place {
                    // Its position stays the same.
                    Ok(place) if order.compare(before, &item).is_eq() => {
                        sorted[place] = Arc::clone(&item);
                        continue;
                    }
                    Ok(place) => {
                        sorted.remove(place);
                    }
                    Err(_) => {}
                }
            }
            let place = sorted.partition_point(|other| order.compare(other, &item).is_lt());
            sorted.insert(place, Arc::clone(&item));
        }
    }

    /// The items by ascending id, and the number of the last change.
    pub(super) fn items(&self) -> (&[Arc<Item>], u64) {
        (&self.items, self.version)
    }

    /// Keeps an order, unless something has changed in the meantime.
    pub(super) fn keep(&mut self, order: ItemOrder, sorted: Vec<Arc<Item>>, version: u64) {
        if self.version == version {
            self.orders.insert(order, sorted);
        }
    }

    /// One page, if the order is kept.
    pub(super) fn page(&self, order: ItemOrder, page: Page) -> Option<ItemList> {
        match (order.sort_by, order.sort_order) {
            (Some(_), _) => self.orders.get(&order).map(|items| list(items, page)),
            (None, SortOrder::Ascending) => Some(list(&self.items, page)),
            (None, SortOrder::Descending) => {
                let total_count = self.items.len();
                let left = total_count.saturating_sub(page.skip);
                let items = self.items[..left].iter().rev();
                Some(ItemList {
                    total_count,
                    items: items.take(page.limit).cloned().collect(),
                })
            }
        }
    }
}

/// One page of sorted items.
pub(super) fn list(items: &[Arc<Item>], page: Page) -> ItemList {
    ItemList {
        total_count: items.len(),
        items: page.within(items).to_vec(),
    }
}
