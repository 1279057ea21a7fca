//! What prevents responses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What prevented responses. Requests that are safe to repeat were retried.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// Attempts without a response: no connection, a broken connection, or a timeout.
    pub count: u64,
    /// Responses from a gateway in front of the deployment (502, 503 or 504 without a problem, or an HTML page), and
    /// 503 to reads.
    #[serde(default)]
    pub gateway: u64,
    /// Requests that were retried after a 401, because the command printed a new key.
    #[serde(default)]
    pub expired: u64,
    /// How often a 429 asked to wait.
    pub waits: u64,
    /// Cases that were checked again because others had added to the data that they compare, or removed some of it.
    #[serde(default)]
    pub grown: u64,
    /// The first few attempts without a response of the deployment, and how the data has changed.
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
    pub fn summary(&self) -> Option<String> {
        let count = |count: u64, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let parts = [
            count(self.count, "attempt had no response", "attempts had no response"),
            count(
                self.gateway,
                "request was retried after a 503 or a response from a gateway",
                "requests were retried after a 503 or a response from a gateway",
            ),
            count(
                self.expired,
                "request was retried with a new key after a 401",
                "requests were retried with a new key after a 401",
            ),
            count(self.waits, "429 asked to wait", "429s asked to wait"),
            count(
                self.grown,
                "case was checked again because its data had changed",
                "cases were checked again because their data had changed",
            ),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("Trouble: {}", parts.join(", ")))
    }
}
