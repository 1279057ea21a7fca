// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The part of the SDK that is generated from the contract.
#[cfg(feature = "blocking")]
mod blocking;
pub mod builder;
mod client;
#[cfg(feature = "mock")]
pub mod examples;
pub(crate) mod filters;
pub(crate) mod operations;
pub(crate) mod problem_code;
pub mod types;
pub use self::client::Client;
pub use self::filters::Filters;
pub use self::problem_code::ProblemCode;
#[cfg(feature = "mock")]
pub(crate) use self::problem_code::problem;
