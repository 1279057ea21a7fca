//! The reference server: it does in one process what `openapi.yaml` says, so that clients and the
//! conformance kit have something true to speak with.
//!
//! The [`Server`] puts the service on a listener. The [`wire`] speaks HTTP and decides nothing. The
//! [`model`] says what the service does and knows of no HTTP: it keeps its state in a [`store`], begins with
//! [`data`], and compares texts by their [`embedding`]. The crate depends on no sibling: client, kit and
//! server agree because each follows the contract.

pub mod data;
pub mod embedding;
pub mod model;
mod serve;
mod server;
pub mod store;
pub mod wire;

pub use self::serve::Limits;
pub use self::server::{Server, serve};
