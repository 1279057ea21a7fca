//! Background processing: a worker claims due changes from the ledger, makes them, and waits for the next moment at
//! which one is due.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::try_join_all;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinSet, yield_now};

use super::clock::{Clock, Timer};
use crate::model::item::Item;
use crate::model::store_error::StoreError;
use crate::store::{Claim, Completed, Ledger};

/// How long a worker holds a change that it claimed. Making one takes milliseconds at most; if the process is killed
/// meanwhile, this is how long the change waits for another worker.
const LEASE: Duration = Duration::from_secs(5);
/// Maximum number of changes claimed at once.
const BATCH: usize = 64;
/// How long to wait after the ledger has failed.
const PAUSE: Duration = Duration::from_secs(1);

/// The worker, which runs while there is work. It stops when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Workers {
    tasks: Mutex<JoinSet<()>>,
    door: Door,
}

/// The channel that wakes the worker, if one is running. Each message carries the timer that the worker waits on from
/// then on.
#[derive(Debug, Clone, Default)]
struct Door(Arc<Mutex<Option<UnboundedSender<News>>>>);

type News = Box<dyn Timer>;

impl Workers {
    /// Wakes the worker to check the ledger, and starts one if none is running.
    pub(super) fn wake(&self, ledger: &Arc<dyn Ledger>, clock: &Arc<dyn Clock>) {
        // Created here and not in the task, so that a settling clock counts it from now on.
        let timer = clock.timer();
        let mut door = self.door.lock();
        let timer = match &*door {
            None => timer,
            Some(open) => match open.send(timer) {
                Ok(()) => return,
                // The worker was stopped.
                Err(SendError(timer)) => timer,
            },
        };
        let (sender, news) = unbounded_channel();
        *door = Some(sender);
        let worker = Worker {
            ledger: Arc::clone(ledger),
            clock: Arc::clone(clock),
            news,
            door: self.door.clone(),
        };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {
            // A worker that has ended need not be kept.
        }
        tasks.spawn(worker.run(timer));
    }

    /// Stops the worker, and returns when it has stopped. Items stay as they are.
    pub(super) async fn stop(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.shutdown().await;
    }
}

impl Door {
    fn lock(&self) -> MutexGuard<'_, Option<UnboundedSender<News>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Worker {
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    news: UnboundedReceiver<News>,
    door: Door,
}

impl Worker {
    /// Works until nothing is left to do. Where other processes add work too, it waits for theirs as well.
    async fn run(mut self, mut timer: Box<dyn Timer>) {
        loop {
            let next_due = match self.do_what_is_due().await {
                Ok(next_due) => next_due,
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(error, "background work is held up");
                    Some(self.clock.now() + PAUSE)
                }
            };
            match next_due {
                Some(due) => {
                    let wait = (due - self.clock.now()).to_std().unwrap_or_default();
                    tokio::select! {
                        () = timer.sleep(wait) => {}
                        Some(news) = self.news.recv() => timer = news,
                        () = self.ledger.work_from_elsewhere(next_due) => {}
                    }
                }
                None if self.ledger.is_shared() => {
                    // A timer of a task that waits for nothing would never let the clock settle.
                    drop(timer);
                    tokio::select! {
                        Some(news) = self.news.recv() => timer = news,
                        () = self.ledger.work_from_elsewhere(None) => timer = self.clock.timer(),
                    }
                }
                None => {
                    // Under the lock, so that no message arrives between the last check and the end.
                    let mut door = self.door.lock();
                    match self.news.try_recv() {
                        Ok(news) => timer = news,
                        Err(_) => {
                            *door = None;
                            return;
                        }
                    }
                }
            }
        }
    }

    /// Makes every change that is due, and returns the time at which the next one is due.
    async fn do_what_is_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        loop {
            let claims = self.ledger.claim(self.clock.now(), LEASE, BATCH).await?;
            if claims.is_empty() {
                return self.ledger.next_due().await;
            }
            // All at once, so that a ledger that waits for a disk waits only once.
            try_join_all(claims.iter().map(|claim| self.carry_out(claim))).await?;
            yield_now().await;
        }
    }

    async fn carry_out(&self, claim: &Claim) -> Result<(), StoreError> {
        let mut item = Item::clone(&claim.item);
        claim.change.clone().apply(&mut item, self.clock.now());
        if self.ledger.complete(claim, item).await? == Completed::LeaseLost {
            tracing::warn!(item = %claim.item.pipeline_item_id, "another made the change");
        }
        Ok(())
    }
}
