//! What stands in the way of answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stood in the way of answers, and was tried again where that can do no harm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// How many attempts had no answer: no connection, one that broke off, or no answer in time.
    pub count: u64,
    /// How often a 429 asked to wait.
    pub waits: u64,
    /// The first few of the attempts without an answer.
    pub examples: Vec<String>,
}

impl Trouble {
    /// What stood in the way, in a sentence without its end; nothing when nothing did.
    pub fn told(&self) -> Option<String> {
        let count = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let told = [
            count(
                self.count,
                "attempt had no answer",
                "attempts had no answer",
            ),
            count(
                self.waits,
                "answer of 429 asked to wait",
                "answers of 429 asked to wait",
            ),
        ];
        let told: Vec<_> = told.into_iter().flatten().collect();
        (!told.is_empty()).then(|| format!("Trouble on the way: {}", told.join(", ")))
    }
}
