//! Changes who may use a platform, and how much.

use std::sync::Arc;

use super::Control;
use super::quota::KeyQuota;
use crate::model::ids::PipelineId;
use crate::model::policy::{Action, ApiKey, Policy, RateLimit, Resource};
use crate::platform::clock::Clock;
use crate::platform::keys::{self, Decision, KeyTaken};

impl Control {
    /// The keys of the platform, in the order in which they were added. Their secrets cannot be shown.
    pub fn keys(&self) -> Vec<Arc<ApiKey>> {
        self.0.platform.keys().list()
    }

    /// Adds a key, which replaces the one with the same name. Requests in flight keep their permissions.
    ///
    /// # Errors
    /// [`KeyTaken`] when another key has the same secret.
    pub fn put_key(&self, key: ApiKey) -> Result<(), KeyTaken> {
        self.0.platform.keys().put(key)
    }

    /// Removes the key with this name; returns false if there is none.
    pub fn remove_key(&self, name: &str) -> bool {
        self.0.platform.keys().remove(name)
    }

    /// Replaces the policies of the key with this name; returns false if there is none.
    pub fn set_policies(&self, name: &str, policies: Vec<Policy>) -> bool {
        let keys = self.0.platform.keys();
        keys.change(name, |key| key.policies = policies)
    }

    /// Decides what the key with this name may do, and says which of its policies decides; `None` if there is no such
    /// key. `pipeline` is the requested pipeline; `None` for a search.
    pub fn explain(
        &self,
        name: &str,
        action: Action,
        resource: Resource,
        pipeline: Option<PipelineId>,
    ) -> Option<Decision> {
        let keys = self.keys();
        let key = keys.iter().find(|key| key.name == name)?;
        Some(keys::explain(key, action, resource, pipeline))
    }

    /// Sets the quota of every key without its own quota; `None` is no limit. Windows that have begun go on.
    pub fn set_default_quota(&self, limit: Option<RateLimit>) {
        self.0.limiter.set_default(limit);
    }

    /// Sets the quota of the key with this name; `None` leaves it to the default. Returns false if the key is unknown.
    pub fn set_quota(&self, name: &str, limit: Option<RateLimit>) -> bool {
        let keys = self.0.platform.keys();
        keys.change(name, |key| key.rate_limit = limit)
    }

    /// The quota of keys without their own quota; `None` without a limit.
    pub fn default_quota(&self) -> Option<RateLimit> {
        self.0.limiter.default_limit()
    }

    /// The quota of every key, and how much of it is used.
    pub fn quotas(&self) -> Vec<KeyQuota> {
        let (now, limiter) = (self.0.clock.now(), &self.0.limiter);
        let default = limiter.default_limit();
        let quota = |key: &Arc<ApiKey>| {
            let window = limiter.used(&key.name, now);
            KeyQuota {
                key: key.name.clone(),
                limit: key.rate_limit.or(default),
                used: window.map_or(0, |(used, _)| used),
                ends: window.map(|(_, ends)| ends),
            }
        };
        self.keys().iter().map(quota).collect()
    }

    /// Resets the usage of every key.
    pub fn clear_quotas(&self) {
        self.0.limiter.reset();
    }
}
