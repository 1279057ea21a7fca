//! Stores: what each of them promises, and that all of them answer the same.

mod large;
mod laws;
mod naive;
mod same_answers;

use std::sync::Arc;

use platform_server_stub::data::Dataset;
use platform_server_stub::store::{Catalogue, Ledger, MemoryLedger, Record};

use self::naive::NaiveStore;

/// A kind of store, which can hold any data.
struct Kind {
    name: &'static str,
    make: fn(&Dataset) -> Store,
}

type Store = (Arc<dyn Catalogue>, Arc<dyn Ledger>);

/// The simplest store that there could be, which all others are compared with.
const NAIVE: Kind = Kind {
    name: "naive",
    make: |data| {
        let store = Arc::new(NaiveStore::new(data));
        (Arc::clone(&store) as Arc<dyn Catalogue>, store)
    },
};

/// The stores that a server may use.
const KINDS: [Kind; 1] = [Kind {
    name: "memory",
    make: |data| {
        let records = data.items().map(Arc::clone).map(Record::finished);
        let ledger = Arc::new(MemoryLedger::new(records));
        (Arc::new(data.catalogue().clone()), ledger)
    },
}];
