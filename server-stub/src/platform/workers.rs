//! What goes on in the background: one task a new item walks through its plan on the platform's clock and
//! stores the item after each change.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use super::clock::{Clock, Timer};
use crate::model::item::Item;
use crate::model::process::Step;
use crate::store::Store;

/// The processes under way. They stop when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Processes {
    tasks: Mutex<JoinSet<()>>,
}

impl Processes {
    /// Starts to walk through a plan; `item` is as it stands in the store.
    pub(super) fn start(
        &self,
        item: Item,
        plan: Vec<Step>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) {
        // Made here and not in the task, so that a clock that settles knows of it from now on.
        let timer = clock.timer();
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {
            // What has ended need not be kept.
        }
        tasks.spawn(run(item, plan, store, clock, timer));
    }

    /// Stops all processes and returns when the last has stopped. Items stay as they are.
    pub(super) async fn stop(&self) {
        let mut tasks =
            std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.shutdown().await;
    }
}

async fn run(
    mut item: Item,
    plan: Vec<Step>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    mut timer: Box<dyn Timer>,
) {
    let mut passed = Duration::ZERO;
    for step in plan {
        timer.sleep(step.after - passed).await;
        passed = step.after;
        step.change.apply(&mut item, clock.now());
        if let Err(error) = store.replace_item(item.clone()).await {
            tracing::error!(item = %item.pipeline_item_id, %error, "a background process stops halfway");
            return;
        }
    }
}
