//! The reference server: it does in one process what `openapi.yaml` says, so that clients and the
//! conformance kit have something true to speak with.
//!
//! The modules of the crate. Each depends only on those above it:
//!
//! | module | contents |
//! |---|---|
//! | [`model`] | records, items and rules, as plain data and functions |
//! | [`embedding`] | what a text means |
//! | [`store`] | where records and items are kept |
//! | [`data`] | what a platform begins with |
//! | [`platform`] | the operations, their time, their keys and what goes on in the background |
//! | `docs` | the contract as a page for a browser |
//! | [`wire`] | HTTP: it decides nothing |
//! | `tls` | the certificate that a server shows |
//! | `serve` | connections |
//!
//! The [`Server`] puts a platform on a listener. Of its siblings the crate uses the reader of the contract
//! alone, and that for the pages that show the contract: client, kit and server agree because each follows it.

pub mod data;
mod docs;
pub mod embedding;
pub mod model;
pub mod platform;
#[cfg(test)]
mod sample;
mod serve;
mod server;
pub mod store;
mod tls;
pub mod wire;

pub use self::serve::Limits;
pub use self::server::{Server, serve, serve_router};
pub use self::tls::{Tls, TlsError};
pub use self::wire::{Cors, NotAnOrigin};
