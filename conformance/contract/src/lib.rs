//! Parses `openapi.yaml` once, so that every user of the contract works from the same parsed form: the conformance kit,
//! the generator of the SDK, and the checks that server and client agree with the contract.
//!
//! This crate does not interpret the contract for a deployment, a client or a case. It contains no limit, code, pattern
//! or sentence: only `openapi.yaml` does.
//!
//! ```
//! use platform_contract::{Basis, Contract};
//!
//! let contract = Contract::bundled();
//! let limit = contract.operation("list_items").parameter("limit");
//! assert_eq!(limit.number("maximum"), 1000);
//!
//! let maximum = contract.locate(&limit.at("maximum")).unwrap();
//! assert_eq!(contract.basis(&maximum), Some(Basis::Stated));
//! assert!(contract.line(&maximum).is_some());
//! ```

mod basis;
mod canonical;
mod contract;
mod known_part;
mod operation;
mod pointer;
mod schema;
mod yaml;

pub use self::basis::{Basis, Decision, Promise};
pub use self::canonical::{NotComparable, canonical, canonical_schema};
pub use self::contract::{Contract, TEXT};
pub use self::known_part::{Field, fields, known_part, known_part_of};
pub use self::operation::{Header, Operation, Parameter, RequestBody, Response};
pub use self::pointer::{escape, is_at_or_below, unescape};
pub use self::schema::to_json_schema;
pub use self::yaml::{AmbiguousScalar, SyntaxError};
