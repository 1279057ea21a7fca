//! The reference server. It implements `openapi.yaml` in one process, so that clients and the conformance kit have a
//! correct server to talk to.
//!
//! The modules of the crate. Each depends only on those above it:
//!
//! | module | contents |
//! |---|---|
//! | [`model`] | records, items and rules, as plain data and functions |
//! | [`embedding`] | the meanings of texts |
//! | [`store`] | where records and items are kept |
//! | [`data`] | the initial data of a platform |
//! | [`platform`] | the operations, their time, their keys and background processing |
//! | `docs` | the contract as a page for a browser |
//! | [`wire`] | HTTP, without decisions |
//! | `tls` | the certificate of the server |
//! | `serve` | connections |
//! | [`control`] | the controls of a server for tests |
//!
//! The [`Server`] serves a platform on a listener. An [`Emulator`] is a server for one test, with its controls. The crate's only dependency in this workspace is the reader of the
//! contract, for the pages that show the contract. Client, kit and server agree because each follows the contract.

pub mod control;
pub mod data;
mod docs;
pub mod embedding;
mod emulator;
pub mod model;
pub mod platform;
#[cfg(test)]
mod sample;
mod serve;
mod server;
pub mod store;
mod tls;
pub mod wire;

pub use self::emulator::{Emulator, EmulatorBuilder};
pub use self::serve::Limits;
pub use self::server::{Server, serve, serve_router};
pub use self::tls::{Tls, TlsError};
pub use self::wire::{Cors, NotAnOrigin};

// Runs the examples in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
