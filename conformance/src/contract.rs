//! The contract as the kit reads it: `openapi.yaml` itself, compiled in, so that a bound which changes there changes
//! every case that rests on it.
//!
//! No limit, code, pattern or default of the contract is written a second time in this crate.

pub(crate) use platform_contract::is_at_or_below;
pub use platform_contract::{
    Basis, Contract, Header, Operation, Parameter, Response, to_json_schema,
};
