//! The ledger: it reads from the view, and the writer changes the file.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use tokio::sync::oneshot;

use super::error::StateError;
use super::file::StateFile;
use super::writer::{Reply, Request, Writer};
use crate::model::ids::{PipelineId, PipelineItemId};
use crate::model::item::{Item, ItemList, NewItem};
use crate::model::process::Step;
use crate::model::search::Page;
use crate::model::sort::ItemOrder;
use crate::model::store_error::StoreError;
use crate::store::ledger::{Added, Claim, Completed, Ledger, Record};
use crate::store::view::View;

/// Keeps items and work in a directory, and reads them from memory.
///
/// Claims are lost when the ledger is dropped or its process ends: a change that was claimed and not completed can be
/// claimed again at once. After a failure of the disk, the next call that writes opens the file again.
#[derive(Debug)]
pub struct RedbLedger {
    view: Arc<View>,
    /// `None` only while it is dropped.
    requests: Option<Sender<Request>>,
    writer: Option<JoinHandle<()>>,
}

/// The thread that writes has ended, which happens only in a panic.
#[derive(Debug, thiserror::Error)]
#[error("nothing can be stored any more; restart the server")]
struct WriterGone;

impl RedbLedger {
    /// Opens a directory, or creates one with the records of a data set. `data` identifies the data set: a directory
    /// that was created with another one is rejected. Records that have not changed since are not stored.
    ///
    /// # Errors
    /// [`StateError`] when the directory cannot be used.
    pub fn open(directory: &Path, data: &str, seed: impl IntoIterator<Item = Record>) -> Result<Self, StateError> {
        let file = StateFile::new(directory, data)?;
        let (writer, view) = Writer::new(file, seed.into_iter().collect())?;
        let (requests, received) = mpsc::channel();
        let thread = thread::Builder::new().name("state".to_owned());
        let thread = thread.spawn(move || writer.run(&received));
        Ok(Self {
            view,
            requests: Some(requests),
            writer: Some(thread.map_err(StateError::system("start a thread for", directory))?),
        })
    }

    /// Sends a request to the writer, and returns its outcome.
    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, StoreError> {
        let gone = || StoreError::Storage(Box::new(WriterGone));
        let (reply, outcome) = oneshot::channel();
        let requests = self.requests.as_ref().ok_or_else(gone)?;
        requests.send(request(reply)).map_err(|_| gone())?;
        outcome.await.unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for RedbLedger {
    /// Returns when the file is closed and the directory is free.
    fn drop(&mut self) {
        self.requests.take();
        if let Some(writer) = self.writer.take() {
            // A panic of the writer has already been reported.
            let _ = writer.join();
        }
    }
}

#[async_trait]
impl Ledger for RedbLedger {
    async fn item(&self, id: PipelineItemId) -> Result<Option<Arc<Item>>, StoreError> {
        Ok(self.view.item(id))
    }

    async fn items(&self, pipeline: PipelineId, order: ItemOrder, page: Page) -> Result<ItemList, StoreError> {
        self.view.items(pipeline, order, page).await
    }

    async fn add(&self, new: NewItem, plan: Vec<Step>, now: DateTime<Utc>) -> Result<Added, StoreError> {
        if let Some(id) = self.view.read().holding(&new) {
            return Ok(Added::Already(id));
        }
        let request = |reply| Request::Add { new, plan, now, reply };
        self.ask(request).await
    }

    async fn claim(&self, now: DateTime<Utc>, lease: Duration, limit: usize) -> Result<Vec<Claim>, StoreError> {
        let request = |reply| Request::Claim {
            now,
            lease,
            limit,
            reply,
        };
        self.ask(request).await
    }

    async fn complete(&self, claim: &Claim, after: Item) -> Result<Completed, StoreError> {
        let request = |reply| Request::Complete {
            claim: claim.clone(),
            after: Arc::new(after),
            reply,
        };
        self.ask(request).await
    }

    async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(self.view.next_due())
    }

    async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError> {
        self.ask(|reply| Request::Reset { records, reply }).await
    }

    fn export(&self) -> BoxStream<'_, Result<Record, StoreError>> {
        stream::iter(self.view.records().into_iter().map(Ok)).boxed()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.ask(|reply| Request::Ready { reply }).await
    }

    fn is_durable(&self) -> bool {
        true
    }
}
