//! Types for the schemas of the contract: request and response bodies. Most are generated. This module holds
//! the handwritten types and the code that they share.
//!
//! It does not depend on calls, clients or call errors.

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
