//! The API keys of the platform, and what their policies allow.

use std::fmt;

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::client::{EmulatorClient, segment};
use crate::error::Error;
use crate::rate_limits::RateLimit;

/// What a policy decides about the requests that it applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// They pass.
    Allow,
    /// They get 403.
    Deny,
}

/// An action that a caller requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// Reading.
    Read,
    /// Adding.
    Create,
}

/// A resource that an action applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Resource {
    /// Organizations that are searched.
    Organization,
    /// Products that are searched.
    Product,
    /// Items of pipelines.
    CollectionItem,
}

/// One link of a chain. A list that is `None` matches everything, an empty one nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// What it decides.
    pub effect: Effect,
    /// The actions that it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<Action>>,
    /// The resources that it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<Resource>>,
    /// The pipelines that it applies to; a policy with this list does not apply to searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipelines: Option<Vec<i64>>,
}

impl Policy {
    /// A policy that allows everything.
    pub fn allow() -> Self {
        Self::of(Effect::Allow)
    }

    /// A policy that denies everything.
    pub fn deny() -> Self {
        Self::of(Effect::Deny)
    }

    fn of(effect: Effect) -> Self {
        Self {
            effect,
            actions: None,
            resources: None,
            pipelines: None,
        }
    }
}

/// A key to add.
#[derive(Clone, Serialize)]
pub struct NewKey {
    key: String,
    name: String,
    policies: Vec<Policy>,
    rate_limit: Option<RateLimit>,
}

impl NewKey {
    /// A key without permissions: its secret, 1 to 256 visible ASCII characters, and its name in the recorded requests
    /// and the log.
    pub fn new(key: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            name: name.into(),
            policies: Vec::new(),
            rate_limit: None,
        }
    }

    /// Adds a policy. The first that applies to a request decides; if none applies, the request is denied.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policies.push(policy);
        self
    }

    /// Sets its quota; without one it has the default quota.
    #[must_use]
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = Some(limit);
        self
    }
}

impl fmt::Debug for NewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("NewKey");
        shown.field("name", &self.name).field("policies", &self.policies);
        shown.field("rate_limit", &self.rate_limit).finish_non_exhaustive()
    }
}

/// A key without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its permissions.
    pub policies: Vec<Policy>,
    /// Its quota; `None` if it has the default one.
    pub rate_limit: Option<RateLimit>,
}

/// The decision of a key's policies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// Whether the request passes.
    pub is_allowed: bool,
    /// The position of the policy that decides, counted from 0; `None` if none applies, which denies.
    pub decided_by: Option<usize>,
    /// The policy that decides.
    pub policy: Option<Policy>,
}

#[derive(Deserialize)]
struct List {
    keys: Vec<Key>,
}

impl EmulatorClient {
    /// The keys, without their secrets, in the order in which they were added.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn list_keys(&self) -> Result<Vec<Key>, Error> {
        let list: List = self.get("/keys").await?;
        Ok(list.keys)
    }

    /// Adds a key, or replaces the one with the same name.
    ///
    /// # Errors
    /// [`Error::Rejected`] if the secret belongs to another name, or cannot be one.
    pub async fn put_key(&self, key: &NewKey) -> Result<Key, Error> {
        self.post_json("/keys", key).await
    }

    /// Removes a key; returns false if there is none with this name.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn remove_key(&self, name: &str) -> Result<bool, Error> {
        let path = format!("/keys/{}", segment(name));
        self.done_if_found(self.request(Method::DELETE, &path)).await
    }

    /// Replaces the policies of a key.
    ///
    /// # Errors
    /// [`Error::Rejected`] with the status 404 if there is no key with this name.
    pub async fn set_policies(&self, name: &str, policies: &[Policy]) -> Result<(), Error> {
        let path = format!("/keys/{}/policies", segment(name));
        let body = json!({"policies": policies});
        self.done(self.request(Method::PUT, &path).json(&body)).await
    }

    /// Sets the quota of a key; `None` for the default one.
    ///
    /// # Errors
    /// [`Error::Rejected`] with the status 404 if there is no key with this name.
    pub async fn set_rate_limit(&self, name: &str, limit: Option<RateLimit>) -> Result<(), Error> {
        let path = format!("/keys/{}/rate-limit", segment(name));
        let body = json!({"rate_limit": limit});
        self.done(self.request(Method::PUT, &path).json(&body)).await
    }

    /// Explains what the policies of a key decide, and which of them decides. Searches are in no pipeline.
    ///
    /// # Errors
    /// [`Error::Rejected`] with the status 404 if there is no key with this name.
    pub async fn explain_policies(
        &self,
        name: &str,
        action: Action,
        resource: Resource,
        pipeline_id: Option<i64>,
    ) -> Result<Explanation, Error> {
        let path = format!("/keys/{}/explain", segment(name));
        let body = json!({"action": action, "resource": resource, "pipeline_id": pipeline_id});
        self.post_json(&path, &body).await
    }
}
