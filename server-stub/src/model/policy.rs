//! API keys, each with a chain of policies that decides what it may do.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

pub use super::action::{Action, Resource};
use super::ids::PipelineId;

/// The decision of a policy about the requests that it applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// They pass.
    Allow,
    /// They are denied.
    Deny,
}

/// One link of the chain. A list that is left out matches everything, an empty one nothing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Whether the requests that it applies to pass.
    pub effect: Effect,
    /// The actions that it applies to.
    #[serde(default)]
    pub actions: Option<Vec<Action>>,
    /// The resources that it applies to.
    #[serde(default)]
    pub resources: Option<Vec<Resource>>,
    /// The pipelines that it applies to; a policy with this list does not apply to searches.
    #[serde(default)]
    pub pipelines: Option<Vec<PipelineId>>,
}

impl Policy {
    /// Whether the policy applies to this request.
    pub fn speaks_of(&self, action: Action, resource: Resource, pipeline: Option<PipelineId>) -> bool {
        let names_action = self.actions.as_ref().is_none_or(|listed| listed.contains(&action));
        let names_resource = self.resources.as_ref().is_none_or(|listed| listed.contains(&resource));
        let names_pipeline = match &self.pipelines {
            None => true,
            Some(listed) => pipeline.is_some_and(|id| listed.contains(&id)),
        };
        names_action && names_resource && names_pipeline
    }
}

/// Quota of a key.
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

/// The state of a key's quota after a request has been counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaState {
    /// Requests left in the window; `None` if this request exceeded the quota.
    pub left: Option<u32>,
    /// When the window ends.
    pub ends: DateTime<Utc>,
}

/// An API key and its permissions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// The secret that a caller sends; unique.
    pub key: Secret,
    /// The key's name in logs; unique, and not secret.
    pub name: String,
    /// Its permissions: the first policy that applies to a request decides; if none applies, the request is denied.
    #[serde(default)]
    pub policies: Vec<Policy>,
    /// Its quota; unlimited when left out.
    #[serde(default)]
    pub rate_limit: Option<RateLimit>,
}

/// A text that is never shown: 1 to 256 visible ASCII characters, which a header can carry.
#[derive(Clone, PartialEq, Eq, JsonSchema)]
pub struct Secret(#[schemars(regex(pattern = r"^[\x21-\x7E]{1,256}$"))] String);

impl Secret {
    /// Whether this is the secret. The comparison takes a time that depends only on the lengths.
    pub fn is(&self, shown: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), shown.as_bytes());
        let differences = ours.iter().zip(theirs).fold(0, |seen, (a, b)| seen | (a ^ b));
        ours.len() == theirs.len() && std::hint::black_box(differences) == 0
    }

    /// Replaces the secret wherever it occurs in a text.
    pub fn hide_in(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

/// What stands in a text instead of a secret.
pub const HIDDEN: &str = "***";

/// A text cannot be the secret of a key. The text is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key is a string of 1 to 256 visible ASCII characters")]
pub struct NotASecret;

impl FromStr for Secret {
    type Err = NotASecret;

    fn from_str(text: &str) -> Result<Self, NotASecret> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        match visible && (1..=256).contains(&text.len()) {
            true => Ok(Self(text.to_owned())),
            false => Err(NotASecret),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // serde's own errors quote their input, which may be the key.
        let text = String::deserialize(deserializer).map_err(|_| D::Error::custom(NotASecret))?;
        text.parse().map_err(D::Error::custom)
    }
}
