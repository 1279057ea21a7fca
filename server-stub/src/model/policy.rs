//! Who may do what: API keys, and for each a chain of policies.

use std::fmt;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

pub use super::action::{Action, Resource};
use super::ids::PipelineId;

/// What a policy says of the requests that it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// They pass.
    Allow,
    /// They are refused.
    Deny,
}

/// One link of the chain. A list that is left out stands for everything; an empty one for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Whether the requests it speaks of pass.
    pub effect: Effect,
    /// The actions it speaks of.
    #[serde(default)]
    pub actions: Option<Vec<Action>>,
    /// The resources it speaks of.
    #[serde(default)]
    pub resources: Option<Vec<Resource>>,
    /// The pipelines it speaks of; with such a list it says nothing of searches.
    #[serde(default)]
    pub pipelines: Option<Vec<PipelineId>>,
}

impl Policy {
    /// Whether the policy decides on this.
    pub fn speaks_of(
        &self,
        action: Action,
        resource: Resource,
        pipeline: Option<PipelineId>,
    ) -> bool {
        let names_action = self
            .actions
            .as_ref()
            .is_none_or(|listed| listed.contains(&action));
        let names_resource = self
            .resources
            .as_ref()
            .is_none_or(|listed| listed.contains(&resource));
        let names_pipeline = match &self.pipelines {
            None => true,
            Some(listed) => pipeline.is_some_and(|id| listed.contains(&id)),
        };
        names_action && names_resource && names_pipeline
    }
}

/// How many requests a key may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Requests that may be made within one window, one or more.
    #[schemars(range(min = 1))]
    pub requests: u32,
    /// Length of the window in seconds, one or more.
    #[schemars(range(min = 1))]
    pub window_seconds: u32,
}

/// An API key and what it opens.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// The secret that a caller shows; unique.
    pub key: Secret,
    /// What the key is called in logs; unique, and no secret.
    pub name: String,
    /// What it opens: the first policy that speaks of a request decides; where none does it is refused.
    #[serde(default)]
    pub policies: Vec<Policy>,
    /// How often it may be used; as often as one likes when left out.
    #[serde(default)]
    pub rate_limit: Option<RateLimit>,
}

/// A text that is never shown: 1 to 256 visible ASCII characters, such as can stand in a header.
#[derive(Clone, PartialEq, Eq, JsonSchema)]
pub struct Secret(#[schemars(regex(pattern = r"^[\x21-\x7E]{1,256}$"))] String);

impl Secret {
    /// Whether this is the secret, found out in a time that depends on the lengths alone.
    pub fn is(&self, shown: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), shown.as_bytes());
        let differences = ours
            .iter()
            .zip(theirs)
            .fold(0, |seen, (a, b)| seen | (a ^ b));
        ours.len() == theirs.len() && std::hint::black_box(differences) == 0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // serde's own errors quote what they found, and that may be the key.
        let shape = || D::Error::custom("a key is a string of 1 to 256 visible ASCII characters");
        let text = String::deserialize(deserializer).map_err(|_| shape())?;
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=256).contains(&text.len()) {
            Ok(Self(text))
        } else {
            Err(shape())
        }
    }
}
