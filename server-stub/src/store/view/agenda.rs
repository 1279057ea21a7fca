//! The remaining work, in memory.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::model::ids::PipelineItemId;
use crate::model::process::Change;
use crate::store::ledger::DueChange;

/// The changes to make for each item, and the time from which they can be claimed.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    tasks: HashMap<PipelineItemId, Task>,
    /// Every task by the time from which it can be claimed.
    free: BTreeSet<(DateTime<Utc>, PipelineItemId)>,
    /// Number of claims so far.
    tickets: u64,
}

#[derive(Debug)]
struct Task {
    changes: VecDeque<DueChange>,
    free_from: DateTime<Utc>,
    /// The claim that holds the first change, or held it last.
    ticket: Option<u64>,
}

impl Agenda {
    /// Enters the work of an item that has none yet.
    pub(super) fn enter(&mut self, item: PipelineItemId, work: Vec<DueChange>) {
        let changes = VecDeque::from(work);
        if let Some(first) = changes.front() {
            let free_from = first.due;
            self.free.insert((free_from, item));
            let task = Task {
                changes,
                free_from,
                ticket: None,
            };
            self.tasks.insert(item, task);
        }
    }

    /// Claims available changes until the end of the lease.
    pub(super) fn claim(
        &mut self,
        now: DateTime<Utc>,
        lease: Duration,
        limit: usize,
    ) -> Vec<(PipelineItemId, Change, u64)> {
        let free = self.free.iter().take_while(|(from, _)| *from <= now);
        let items: Vec<_> = free.take(limit).map(|(_, item)| *item).collect();
        let mut claimed = Vec::with_capacity(items.len());
        for item in items {
            let Some(task) = self.tasks.get_mut(&item) else {
                continue;
            };
            let Some(first) = task.changes.front() else {
                continue;
            };
            self.tickets += 1;
            task.ticket = Some(self.tickets);
            claimed.push((item, first.change.clone(), self.tickets));
            self.free.remove(&(task.free_from, item));
            task.free_from = now + lease;
            self.free.insert((task.free_from, item));
        }
        claimed
    }

    /// Returns whether this claim holds the first change of the item.
    pub(super) fn is_held(&self, item: PipelineItemId, ticket: u64) -> bool {
        let task = self.tasks.get(&item);
        task.is_some_and(|task| task.ticket == Some(ticket))
    }

    /// Removes the change that this claim holds; returns false if it no longer holds it.
    pub(super) fn strike_off(&mut self, item: PipelineItemId, ticket: u64) -> bool {
        let Some(task) = self.tasks.get_mut(&item) else {
            return false;
        };
        if task.ticket != Some(ticket) {
            return false;
        }
        self.free.remove(&(task.free_from, item));
        task.changes.pop_front();
        task.ticket = None;
        match task.changes.front() {
            Some(next) => {
                task.free_from = next.due;
                self.free.insert((task.free_from, item));
            }
            None => {
                self.tasks.remove(&item);
            }
        }
        true
    }

    pub(super) fn next_due(&self) -> Option<DateTime<Utc>> {
        self.free.first().map(|(from, _)| *from)
    }

    /// An agenda without work, which never repeats a ticket of this one.
    pub(super) fn emptied(&self) -> Self {
        Self {
            tickets: self.tickets,
            ..Self::default()
        }
    }

    /// The remaining work of an item.
    pub(super) fn left(&self, item: PipelineItemId) -> Vec<DueChange> {
        let task = self.tasks.get(&item);
        task.map_or_else(Vec::new, |task| task.changes.iter().cloned().collect())
    }
}
