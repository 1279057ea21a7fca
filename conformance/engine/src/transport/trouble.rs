//! What prevents responses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What prevented answers, and was tried again where that can do no harm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// How many attempts had no answer: no connection, one that broke off, or no answer in time.
    pub count: u64,
    /// How many answers came from a gateway in front of the deployment: 502, 503 or 504 without a problem, or an HTML
    /// page.
    #[serde(default)]
    pub gateway: u64,
    /// How many answers of 401 were asked for again, because a command had printed a new key.
    #[serde(default)]
    pub expired: u64,
    /// How often a 429 asked to wait.
    pub waits: u64,
    /// How many cases were looked at again because others had added to the data that they compare.
    #[serde(default)]
    pub grown: u64,
    /// The first few attempts without an answer of the deployment, and how the data has grown.
    pub examples: Vec<String>,
}

/// The limit on examples.
const EXAMPLES: usize = 5;

impl Trouble {
    /// Keeps a text as an example, within the limit and without duplicates.
    pub(crate) fn add_example(&mut self, text: &str) {
        let is_new = self.examples.iter().all(|known| known != text);
        if is_new && self.examples.len() < EXAMPLES {
            self.examples.push(text.to_owned());
        }
    }

    /// What prevented responses, in a sentence without its end; `None` when nothing did.
    pub fn told(&self) -> Option<String> {
        let count = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let told = [
            count(self.count, "attempt had no answer", "attempts had no answer"),
            count(
                self.gateway,
                "answer of a gateway was asked for again",
                "answers of a gateway were asked for again",
            ),
            count(
                self.expired,
                "answer of 401 was asked for again with a new key",
                "answers of 401 were asked for again with a new key",
            ),
            count(
                self.waits,
                "answer of 429 asked to wait",
                "answers of 429 asked to wait",
            ),
            count(
                self.grown,
                "case was looked at again because its data had grown",
                "cases were looked at again because their data had grown",
            ),
        ];
        let told: Vec<_> = told.into_iter().flatten().collect();
        (!told.is_empty()).then(|| format!("Trouble on the way: {}", told.join(", ")))
    }
}
