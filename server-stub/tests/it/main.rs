//! The crate's promises to users of the library, in one binary.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod clauses;
mod contract;
mod cors;
mod dependencies;
mod docs;
mod documents;
mod emulator;
mod guides;
mod http;
mod load;
mod model;
mod program;
mod serve;
#[cfg(unix)]
mod signals;
mod store;
