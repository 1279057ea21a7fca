//! How much of the contract a run checked, in numbers.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operations, parameters and responses that a case checked, that is, which has passed or found a difference. Each
/// is a pair: how many were checked, and how many there are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Operations.
    pub operations: (usize, usize),
    /// Parameters and bodies.
    pub parameters: (usize, usize),
    /// Responses.
    pub responses: (usize, usize),
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operations,
            parameters,
            responses,
        } = self;
        write!(
            f,
            "{} of {} operations, {} of {} parameters, {} of {} responses",
            operations.0, operations.1, parameters.0, parameters.1, responses.0, responses.1
        )
    }
}
