//! Property runs: laws that need no known data. proptest generates sequences of requests from the contract's
//! parameters, and shrinks a failing one to the shortest that still fails.
//!
//! The responses that a request may get are derived from the contract alone: no bound, pattern or code is repeated
//! here.

mod expected;
mod run;
mod value;

pub use self::expected::{ExpectedResponses, Given, StatusAndCode, expected_responses, fits_form};
pub use self::run::{CUT_DOWN, RunResult, random};
pub use self::value::{any_text, fitting, hostile_names};
