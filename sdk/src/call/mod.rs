//! A call: one request with its retries, within its deadline. Start reading at `attempt`; each other file
//! implements one thing that an attempt needs.
//!
//! Code for a single operation is in the generated table of operations and in the requests.

pub(crate) mod api_key;
pub(crate) mod argument;
mod attempt;
pub(crate) mod base_url;
pub(crate) mod budget;
pub(crate) mod clock;
pub(crate) mod core;
pub(crate) mod gate;
pub(crate) mod hooks;
#[cfg(feature = "tower")]
pub(crate) mod in_process;
pub(crate) mod keys;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
pub(crate) mod operation;
pub(crate) mod options;
pub(crate) mod request_id;
pub(crate) mod response;
pub(crate) mod retry;
pub(crate) mod retry_decision;
pub(crate) mod state;
mod trace;
pub(crate) mod transport;

pub(crate) use self::attempt::{send, unsendable};
