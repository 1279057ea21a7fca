//! The schemas of the contract: bodies of requests and responses. Most are generated; the types in this room are those
//! that a generator would make worse, and what they have in common.
//!
//! Nothing here knows of calls, clients or errors of calls.

pub(crate) mod any_of;
pub(crate) mod date_bound;
pub(crate) mod ids;
pub(crate) mod open_enums;
pub(crate) mod result_value;
#[cfg(feature = "schemars")]
mod schemas;
pub(crate) mod time;
pub(crate) mod unknown;
pub(crate) mod unknown_fields;
pub(crate) mod values;
pub(crate) mod whole;

pub use crate::generated::types::*;
