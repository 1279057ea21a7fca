//! Stores: the promises of each, and that all of them give the same answers.

mod damage;
mod durable;
mod kill;
mod large;
mod laws;
mod naive;
mod same_answers;

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use platform_server_stub::data::Dataset;
use platform_server_stub::store::{Catalogue, Ledger, MemoryLedger, Record, RedbLedger};
use tempfile::TempDir;

use self::naive::NaiveStore;

/// A kind of store, which can hold any data.
struct Kind {
    name: &'static str,
    make: fn(&Dataset) -> Store,
}

/// A store, which dereferences to its ledger.
struct Store {
    catalogue: Arc<dyn Catalogue>,
    ledger: Arc<dyn Ledger>,
    /// The directory of a durable ledger.
    home: Option<TempDir>,
}

impl Deref for Store {
    type Target = dyn Ledger;

    fn deref(&self) -> &Self::Target {
        &*self.ledger
    }
}

impl Store {
    /// The store after its process was killed and another was started. A store that exists only as long as its process
    /// stays as it is.
    fn killed(self, data: &Dataset) -> Self {
        let Some(home) = &self.home else {
            return self;
        };
        // The file as it is at this moment, while it is open.
        let copy = TempDir::new().unwrap();
        fs::copy(state_file(home.path()), state_file(copy.path())).unwrap();
        durable(data, copy)
    }
}

/// The result of a future, in a test that is not asynchronous.
fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

/// The file of a state directory.
fn state_file(directory: &Path) -> PathBuf {
    directory.join("state.redb")
}

fn seed(data: &Dataset) -> impl Iterator<Item = Record> {
    data.records()
}

fn durable(data: &Dataset, home: TempDir) -> Store {
    let ledger = RedbLedger::open(home.path(), &data.fingerprint(), seed(data)).unwrap();
    Store {
        catalogue: Arc::new(data.catalogue().clone()),
        ledger: Arc::new(ledger),
        home: Some(home),
    }
}

/// The simplest possible store, which all others are compared with.
const NAIVE: Kind = Kind {
    name: "naive",
    make: |data| {
        let store = Arc::new(NaiveStore::new(data));
        Store {
            catalogue: Arc::clone(&store) as Arc<dyn Catalogue>,
            ledger: store,
            home: None,
        }
    },
};

/// The stores that a server may use.
const KINDS: [Kind; 2] = [
    Kind {
        name: "memory",
        make: |data| Store {
            catalogue: Arc::new(data.catalogue().clone()),
            ledger: Arc::new(MemoryLedger::new(seed(data))),
            home: None,
        },
    },
    Kind {
        name: "redb",
        make: |data| durable(data, TempDir::new().unwrap()),
    },
];
