//! Stores: the promises of each, and that all of them give the same answers.

mod damage;
mod durable;
mod kill;
mod large;
mod laws;
mod naive;
mod outage;
mod postgres;
mod same_answers;
mod shared;
mod unusable;

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use platform_server_stub::data::Dataset;
use platform_server_stub::store::{
    Catalogue, Ledger, MemoryLedger, PostgresLedger, PostgresSettings, Record, RedbLedger,
};
use tempfile::TempDir;

use self::naive::NaiveStore;

/// A kind of store, which can hold any data.
struct Kind {
    name: &'static str,
    make: for<'a> fn(&'a Dataset) -> BoxFuture<'a, Store>,
}

/// A store, which dereferences to its ledger.
struct Store {
    catalogue: Arc<dyn Catalogue>,
    ledger: Arc<dyn Ledger>,
    home: Home,
}

/// Where a ledger keeps what outlives it.
enum Home {
    Nowhere,
    Directory(TempDir),
    Schema(Box<PostgresSettings>),
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
    async fn killed(self, data: &Dataset) -> Self {
        match &self.home {
            Home::Nowhere => self,
            Home::Directory(home) => {
                // The file as it is at this moment, while it is open.
                let copy = TempDir::new().unwrap();
                fs::copy(state_file(home.path()), state_file(copy.path())).unwrap();
                durable(data, copy)
            }
            Home::Schema(settings) => on_postgres(data, PostgresSettings::clone(settings)).await,
        }
    }
}

impl Home {
    /// The directory of a ledger that has one.
    fn directory(&self) -> &TempDir {
        match self {
            Self::Directory(home) => home,
            _ => panic!("the ledger has no directory"),
        }
    }

    /// The directory of a ledger that has one, to keep when the ledger is gone.
    fn into_directory(self) -> TempDir {
        match self {
            Self::Directory(home) => home,
            _ => panic!("the ledger has no directory"),
        }
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
        home: Home::Directory(home),
    }
}

/// A ledger in a database, which carries out searches too.
async fn on_postgres(data: &Dataset, settings: PostgresSettings) -> Store {
    let ledger = PostgresLedger::open(&settings, &data.fingerprint(), seed(data)).await;
    let ledger = ledger.unwrap();
    Store {
        catalogue: Arc::new(ledger.searches(data.catalogue().clone()).await.unwrap()),
        ledger: Arc::new(ledger),
        home: Home::Schema(Box::new(settings)),
    }
}

/// The simplest possible store, which all others are compared with.
const NAIVE: Kind = Kind {
    name: "naive",
    make: |data| {
        let store = Arc::new(NaiveStore::new(data));
        let store = Store {
            catalogue: Arc::clone(&store) as Arc<dyn Catalogue>,
            ledger: store,
            home: Home::Nowhere,
        };
        async { store }.boxed()
    },
};

const MEMORY: Kind = Kind {
    name: "memory",
    make: |data| {
        let store = Store {
            catalogue: Arc::new(data.catalogue().clone()),
            ledger: Arc::new(MemoryLedger::new(seed(data))),
            home: Home::Nowhere,
        };
        async { store }.boxed()
    },
};

const REDB: Kind = Kind {
    name: "redb",
    make: |data| async { durable(data, TempDir::new().unwrap()) }.boxed(),
};

const POSTGRES: Kind = Kind {
    name: "postgres",
    make: |data| async { on_postgres(data, postgres::schema().await.unwrap()).await }.boxed(),
};

/// The stores that a server may use, as far as they can be tested here.
fn kinds() -> Vec<Kind> {
    let mut kinds = vec![MEMORY, REDB];
    kinds.extend(postgres::is_there().then_some(POSTGRES));
    kinds
}
