//! The reference server: it does in one process what `openapi.yaml` says, so that clients and the
//! conformance kit have something true to speak with.
//!
//! Layers, each knowing only those below it: the [`Server`] puts the service on a listener, the [`wire`]
//! speaks HTTP, the [`model`] says what the service does, a [`store`] keeps its state, the [`data`] is what
//! it begins with, the [`embedding`] gives texts a meaning. The crate depends on no sibling: client, kit
//! and server agree because each follows the contract.

pub mod data;
pub mod embedding;
pub mod model;
mod server;
pub mod store;
pub mod wire;

pub use self::server::{Server, serve};
