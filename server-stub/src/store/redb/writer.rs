//! The thread that changes the file. Requests that arrive while it waits for the disk form the next transaction.

use std::collections::{HashSet, VecDeque};
use std::iter::once;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use ::redb::Database;
use chrono::{DateTime, Utc};
use tokio::sync::oneshot::Sender;

use super::error::StateError;
use super::file::{Contents, StateFile};
use super::tables::{self, Event};
use crate::model::item::{Item, NewItem};
use crate::model::process::Step;
use crate::model::store_error::StoreError;
use crate::store::ledger::{Added, Claim, Completed, Record};
use crate::store::view::{Staged, View};

/// Maximum number of requests in one transaction.
const BATCH: usize = 1024;

/// Receives the outcome of a request. The caller may have given up.
pub(super) type Reply<T> = Sender<Result<T, StoreError>>;

/// A request, and the receiver of its outcome.
#[derive(Debug)]
pub(super) enum Request {
    Add {
        new: NewItem,
        plan: Vec<Step>,
        now: DateTime<Utc>,
        reply: Reply<Added>,
    },
    Complete {
        claim: Claim,
        after: Arc<Item>,
        reply: Reply<Completed>,
    },
    Claim {
        now: DateTime<Utc>,
        lease: Duration,
        limit: usize,
        reply: Reply<Vec<Claim>>,
    },
    Reset {
        records: Vec<Record>,
        reply: Reply<()>,
    },
    Ready {
        reply: Reply<()>,
    },
}

/// Changes the file and then its view. No other code changes them.
#[derive(Debug)]
pub(super) struct Writer {
    file: StateFile,
    storage: Storage,
    view: Arc<View>,
    /// The records of the data set.
    seed: Vec<Record>,
}

#[derive(Debug)]
enum Storage {
    Open(Database),
    /// It failed. The file must be read again before it is used.
    Failed(Failure),
}

/// Why a transaction failed. All of its requests fail with it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
struct Failure(Arc<StateError>);

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        Self::Storage(Box::new(failure))
    }
}

/// The effects of one transaction.
#[derive(Debug, Default)]
struct Batch {
    staged: Staged,
    tickets: HashSet<u64>,
    events: Vec<Event>,
    /// Changes to the view after the file has changed, in order.
    outcomes: Vec<Outcome>,
    /// Claims to make after that.
    claims: Vec<ClaimRequest>,
}

#[derive(Debug)]
enum Outcome {
    Added(Record, Reply<Added>),
    NotAdded(Result<Added, StoreError>, Reply<Added>),
    Changed(Claim, Arc<Item>, Reply<Completed>),
    LeaseLost(Reply<Completed>),
    Ready(Reply<()>),
}

#[derive(Debug)]
struct ClaimRequest {
    now: DateTime<Utc>,
    lease: Duration,
    limit: usize,
    reply: Reply<Vec<Claim>>,
}

impl Writer {
    /// A writer for a file, and the view of the file.
    pub(super) fn new(file: StateFile, seed: Vec<Record>) -> Result<(Self, Arc<View>), StateError> {
        let (database, contents) = file.open()?;
        let view = Arc::new(View::new(joined(&seed, contents)));
        let writer = Self {
            file,
            storage: Storage::Open(database),
            view: Arc::clone(&view),
            seed,
        };
        Ok((writer, view))
    }

    /// Serves requests until all senders are dropped.
    pub(super) fn run(mut self, requests: &Receiver<Request>) {
        while let Ok(first) = requests.recv() {
            let waiting = once(first).chain(requests.try_iter()).take(BATCH);
            let mut waiting = waiting.collect::<VecDeque<_>>();
            while let Some(first) = waiting.pop_front() {
                if let Err(failure) = self.recover() {
                    for request in once(first).chain(waiting.drain(..)) {
                        request.fail(&failure);
                    }
                } else if let Request::Reset { records, reply } = first {
                    self.reset(records, reply);
                } else {
                    let mut batch = Batch::default();
                    batch.stage(first, &self.view);
                    while let Some(next) = waiting.pop_front_if(|it| !it.is_reset()) {
                        batch.stage(next, &self.view);
                    }
                    self.carry_out(batch);
                }
            }
        }
    }

    /// Opens the file again after a failure. The file holds all of the transaction that failed, or none of it.
    fn recover(&mut self) -> Result<(), Failure> {
        if let Storage::Open(_) = &self.storage {
            return Ok(());
        }
        let (database, contents) = self.file.open().map_err(|error| self.fail(error))?;
        self.view.reset(joined(&self.seed, contents));
        self.storage = Storage::Open(database);
        tracing::warn!("the state file is open again");
        Ok(())
    }

    fn fail(&mut self, error: StateError) -> Failure {
        let failure = Failure(Arc::new(error));
        // Drops the database, which closes it.
        self.storage = Storage::Failed(failure.clone());
        failure
    }

    fn write(&mut self, change: impl FnOnce(&Database) -> Result<(), ::redb::Error>) -> Result<(), Failure> {
        match &self.storage {
            Storage::Failed(failure) => Err(failure.clone()),
            Storage::Open(database) => {
                let done = change(database);
                done.map_err(|error| self.fail(self.file.not_written(error)))
            }
        }
    }

    fn reset(&mut self, records: Vec<Record>, reply: Reply<()>) {
        let done = self.write(|database| tables::replace(database, &records));
        if done.is_ok() {
            self.view.reset(records);
        }
        let _ = reply.send(done.map_err(StoreError::from));
    }

    fn carry_out(&mut self, batch: Batch) {
        let done = match &*batch.events {
            [] => Ok(()),
            events => self.write(|database| tables::append(database, events)),
        };
        match done {
            Ok(()) => batch.show(&self.view),
            Err(failure) => batch.fail(&failure),
        }
    }
}

/// The items of the data set, if they belong to the state, each replaced by the file's version if there is one, and the
/// other items of the file.
fn joined(seed: &[Record], contents: Contents) -> impl Iterator<Item = Record> {
    let Contents { from_data, records } = contents;
    let seed = if from_data { seed } else { &[] };
    let is_superseded = |seed: &&Record| {
        let id = seed.item.pipeline_item_id;
        let place = records.binary_search_by_key(&id, |record| record.item.pipeline_item_id);
        place.is_ok()
    };
    let untouched: Vec<_> = seed.iter().filter(|it| !is_superseded(it)).cloned().collect();
    untouched.into_iter().chain(records)
}

impl Request {
    fn is_reset(&self) -> bool {
        matches!(self, Self::Reset { .. })
    }

    fn fail(self, failure: &Failure) {
        let error = StoreError::from(failure.clone());
        match self {
            Self::Add { reply, .. } => drop(reply.send(Err(error))),
            Self::Complete { reply, .. } => drop(reply.send(Err(error))),
            Self::Claim { reply, .. } => drop(reply.send(Err(error))),
            Self::Reset { reply, .. } | Self::Ready { reply } => drop(reply.send(Err(error))),
        }
    }
}

impl Batch {
    /// Decides the outcome of a request, without carrying it out yet.
    fn stage(&mut self, request: Request, view: &View) {
        let state = view.read();
        match request {
            Request::Add { new, plan, now, reply } => self.outcomes.push(match state.decide(new, &self.staged) {
                Ok(Added::New(item)) => {
                    self.staged.push(&item);
                    let record = Record::planned(item, plan, now);
                    self.events.push(Event::Added(record.clone()));
                    Outcome::Added(record, reply)
                }
                other => Outcome::NotAdded(other, reply),
            }),
            Request::Complete { claim, after, reply } => {
                self.outcomes
                    .push(if state.is_held(&claim) && self.tickets.insert(claim.ticket) {
                        let work = state.left(claim.item.pipeline_item_id);
                        let work = work.into_iter().skip(1).collect();
                        let item = Arc::clone(&after);
                        self.events.push(Event::Changed(Record { item, work }));
                        Outcome::Changed(claim, after, reply)
                    } else {
                        Outcome::LeaseLost(reply)
                    })
            }
            Request::Claim {
                now,
                lease,
                limit,
                reply,
            } => self.claims.push(ClaimRequest {
                now,
                lease,
                limit,
                reply,
            }),
            Request::Ready { reply } => self.outcomes.push(Outcome::Ready(reply)),
            Request::Reset { reply, .. } => drop(reply),
        }
    }

    /// Makes the file's changes visible, and sends the outcomes.
    fn show(self, view: &View) {
        for outcome in self.outcomes {
            match outcome {
                Outcome::Added(record, reply) => {
                    let item = Arc::clone(&record.item);
                    view.write().enter(record);
                    let _ = reply.send(Ok(Added::New(item)));
                }
                Outcome::NotAdded(outcome, reply) => drop(reply.send(outcome)),
                Outcome::Changed(claim, after, reply) => {
                    let _ = reply.send(Ok(view.write().complete(&claim, after)));
                }
                Outcome::LeaseLost(reply) => drop(reply.send(Ok(Completed::LeaseLost))),
                Outcome::Ready(reply) => drop(reply.send(Ok(()))),
            }
        }
        // Last, so that no claim takes over a change that is removed above.
        for ClaimRequest {
            now,
            lease,
            limit,
            reply,
        } in self.claims
        {
            let _ = reply.send(Ok(view.write().claim(now, lease, limit)));
        }
    }

    fn fail(self, failure: &Failure) {
        let error = || StoreError::from(failure.clone());
        for outcome in self.outcomes {
            match outcome {
                Outcome::Added(_, reply) | Outcome::NotAdded(_, reply) => {
                    let _ = reply.send(Err(error()));
                }
                Outcome::Changed(_, _, reply) | Outcome::LeaseLost(reply) => {
                    let _ = reply.send(Err(error()));
                }
                Outcome::Ready(reply) => drop(reply.send(Err(error()))),
            }
        }
        for claim in self.claims {
            let _ = claim.reply.send(Err(error()));
        }
    }
}
