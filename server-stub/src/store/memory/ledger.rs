//! Items in memory.

use std::collections::{BTreeMap, HashMap};
use std::mem;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use super::agenda::Agenda;
use super::pool::Pool;
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::process::Step;
use crate::model::search::Page;
use crate::model::sort::{ItemOrder, SortOrder};
use crate::model::store_error::StoreError;
use crate::store::ledger::{Added, Claim, Completed, DueChange, Ledger, Record};

/// Keeps items and work in memory. The initial items are shared with the data set they come from and copied only
/// when they change, so creating a ledger is cheap.
#[derive(Debug)]
pub struct MemoryLedger {
    state: RwLock<State>,
    pool: Pool,
}

#[derive(Debug, Default)]
struct State {
    pipeline_of: BTreeMap<PipelineItemId, PipelineId>,
    pipelines: HashMap<PipelineId, Members>,
    agenda: Agenda,
}

#[derive(Debug, Default)]
struct Members {
    /// By ascending id.
    items: Vec<Arc<Item>>,
    organizations: HashMap<OrganizationId, PipelineItemId>,
    /// The same items in every order that was asked for.
    orders: HashMap<ItemOrder, Vec<Arc<Item>>>,
    /// Changes so far.
    version: u64,
}

impl MemoryLedger {
    /// A ledger that holds these records. Of two with the same id the later counts.
    pub fn new(records: impl IntoIterator<Item = Record>) -> Self {
        Self {
            state: RwLock::new(State::of(records, Agenda::default())),
            pool: Pool::new(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        // Nothing panics between two changes that belong together, so that the state is always whole.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of(records: impl IntoIterator<Item = Record>, agenda: Agenda) -> Self {
        let mut state = Self {
            agenda,
            ..Self::default()
        };
        for Record { item, work } in records {
            let id = item.pipeline_item_id;
            state.put(item);
            state.agenda.enter(id, work);
        }
        state
    }

    fn item(&self, id: PipelineItemId) -> Option<&Arc<Item>> {
        self.pipelines.get(self.pipeline_of.get(&id)?)?.item(id)
    }

    fn put(&mut self, item: Arc<Item>) {
        self.pipeline_of
            .insert(item.pipeline_item_id, item.pipeline_id);
        let members = self.pipelines.entry(item.pipeline_id).or_default();
        members.put(item);
    }

    fn next_id(&self, pipeline: PipelineId) -> Result<PipelineItemId, StoreError> {
        let last_here = self.pipelines.get(&pipeline).and_then(Members::last);
        let last = last_here.or_else(|| self.pipeline_of.keys().next_back().copied());
        let mut next = last.map_or(1, |id| id.get() + 1);
        while let Ok(id) = PipelineItemId::new(next) {
            if !self.pipeline_of.contains_key(&id) {
                return Ok(id);
            }
            next += 1;
        }
        self.least_free_id()
    }

    fn least_free_id(&self) -> Result<PipelineItemId, StoreError> {
        let taken = self.pipeline_of.keys().map(|id| id.get());
        let gap = (1..).zip(taken).find(|(free, taken)| free != taken);
        let free = gap.map(|(free, _)| PipelineItemId::new(free));
        free.and_then(Result::ok).ok_or(StoreError::NoItemIdLeft)
    }
}

impl Members {
    fn place(&self, id: PipelineItemId) -> Result<usize, usize> {
        self.items
            .binary_search_by_key(&id, |item| item.pipeline_item_id)
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
                    // It stays where it is.
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

    /// One page, if the order is kept.
    fn page(&self, order: ItemOrder, page: Page) -> Option<ItemList> {
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

#[async_trait]
impl Ledger for MemoryLedger {
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError> {
        Ok(self.read().item(id).cloned())
    }

    async fn items(
        &self,
        pipeline: PipelineId,
        order: ItemOrder,
        page: Page,
    ) -> Result<ItemList, StoreError> {
        let (mut items, version) = {
            let state = self.read();
            let Some(members) = state.pipelines.get(&pipeline) else {
                return Ok(ItemList::default());
            };
            if let Some(list) = members.page(order, page) {
                return Ok(list);
            }
            (members.items.clone(), members.version)
        };
        let count = items.len();
        // Sorted without the lock, and kept unless something has changed meanwhile.
        let sort = move || {
            order.sort(&mut items);
            items
        };
        let items = self.pool.scan(count, sort).await?;
        let list = list(&items, page);
        let mut state = self.write();
        let members = state.pipelines.get_mut(&pipeline);
        if let Some(members) = members.filter(|members| members.version == version) {
            members.orders.insert(order, items);
        }
        Ok(list)
    }

    async fn add(
        &self,
        new: NewItem,
        plan: Vec<Step>,
        now: DateTime<Utc>,
    ) -> Result<Added, StoreError> {
        let mut state = self.write();
        let members = state.pipelines.get(&new.pipeline_id);
        let holds = |members: &Members| members.organizations.get(&new.organization_id).copied();
        if let Some(id) = members.and_then(holds) {
            return Ok(Added::Already(id));
        }
        let id = state.next_id(new.pipeline_id)?;
        let item = Arc::new(new.with_id(id));
        state.put(Arc::clone(&item));
        let work = plan.into_iter().map(|step| DueChange::of(step, now));
        state.agenda.enter(id, work.collect());
        Ok(Added::New(item))
    }

    async fn claim(
        &self,
        now: DateTime<Utc>,
        lease: Duration,
        limit: usize,
    ) -> Result<Vec<Claim>, StoreError> {
        let mut state = self.write();
        let claimed = state.agenda.claim(now, lease, limit);
        let with_item = |(id, change, ticket)| {
            let item = Arc::clone(state.item(id)?);
            Some(Claim {
                item,
                change,
                ticket,
            })
        };
        Ok(claimed.into_iter().filter_map(with_item).collect())
    }

    async fn complete(&self, claim: &Claim, after: Item) -> Result<Completed, StoreError> {
        let mut state = self.write();
        let id = claim.item.pipeline_item_id;
        if !state.agenda.strike_off(id, claim.ticket) {
            return Ok(Completed::LeaseLost);
        }
        state.put(Arc::new(after));
        Ok(Completed::Done)
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.read().agenda.next_due())
    }

    async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError> {
        let mut state = self.write();
        let agenda = state.agenda.emptied();
        *state = State::of(records, agenda);
        Ok(())
    }

    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>> {
        let state = self.read();
        let record = |id: &PipelineItemId| {
            Some(Ok(Record {
                item: Arc::clone(state.item(*id)?),
                work: state.agenda.left(*id),
            }))
        };
        let records: Vec<_> = state.pipeline_of.keys().filter_map(record).collect();
        stream::iter(records).boxed()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

fn list(items: &[Arc<Item>], page: Page) -> ItemList {
    ItemList {
        total_count: items.len(),
        items: page.within(items).to_vec(),
    }
}
