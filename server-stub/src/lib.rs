//! The reference server. It implements `openapi.yaml` in one process, so that clients and the conformance kit have a
//! correct server to talk to.
//!
//! A [`Server`] serves a platform on a listener. An [`Emulator`] is a server for one test, with its controls:
//!
//! ```
//! use platform_server_stub::Emulator;
//! use platform_server_stub::control::{Fault, Operation};
//! use platform_server_stub::wire::ProblemCode;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let emulator = Emulator::builder().start().await?;
//! let throttled = Fault::problem(ProblemCode::RateLimited).on(Operation::ListItems);
//! emulator.add_fault(throttled.times(1)).await?;
//!
//! // The app under test: point its client at `emulator.base_url()`, with the key `emulator.api_key()`.
//!
//! assert_eq!(emulator.requests_for(Operation::ListItems).len(), 0);
//! emulator.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! The guide, with the program and its data, is the README of this crate.
//!
//! The modules of the crate. Each depends only on those above it:
//!
//! | module | contents |
//! |---|---|
//! | [`model`] | records, items and rules, as plain data and functions |
//! | [`store`] | where records and items are kept |
//! | [`data`] | the initial data of a platform |
//! | [`platform`] | the operations, their time, their keys and background processing |
//! | [`wire`] | HTTP, without decisions |
//! | `tls` | the certificate of the server |
//! | `serve` | connections |
//! | [`control`] | the controls of a server for tests |
//!
//! [`embedding`] is a crate of its own: the meanings of texts, as vectors.
//!
//! The crate shares no code with the client or the kit: they agree because each follows the contract. Only its tests
//! parse the contract. They generate what the server takes from it (`assets/docs.html` and `control/clauses.rs`).

pub mod control;
pub mod data;
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

pub use platform_embedding as embedding;

pub use self::emulator::{Emulator, EmulatorBuilder};
pub use self::serve::Limits;
pub use self::server::{Server, serve, serve_router};
pub use self::tls::{Tls, TlsError};
pub use self::wire::{Cors, NotAnOrigin};

// Runs the examples in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
