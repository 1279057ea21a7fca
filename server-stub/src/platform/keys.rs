//! API keys, and the decisions of their policies.
//!
//! The first policy of the chain that applies to the action, the resource and the pipeline decides. If none applies,
//! the request is denied. An earlier policy is thus an exception to a later one, as in a firewall.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::model::ids::PipelineId;
use crate::model::policy::{Action, ApiKey, Effect, RateLimit, Resource};
use crate::model::rejection::Rejection;

/// A caller whose key is known. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Caller {
    key: Arc<ApiKey>,
}

impl Caller {
    /// The name of the caller's key; unique among the keys, and not secret.
    pub fn name(&self) -> &str {
        &self.key.name
    }

    /// The quota of the caller; `None` without a limit.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.key.rate_limit
    }
}

/// The keys of a platform. Clones share them.
#[derive(Debug, Clone)]
pub struct KeyRing(Arc<RwLock<Keys>>);

#[derive(Debug)]
struct Keys {
    current: Vec<Arc<ApiKey>>,
    /// Keys that are no longer known, and still must not be shown.
    former: Vec<Arc<ApiKey>>,
}

/// A key cannot be added, because its secret belongs to another key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the key belongs to `{0}` already; choose another, or remove that one first")]
pub struct KeyTaken(pub String);

impl KeyRing {
    /// A ring of these keys; the secrets and the names must each be unique.
    pub fn new(keys: impl IntoIterator<Item = ApiKey>) -> Self {
        Self(Arc::new(RwLock::new(Keys {
            current: keys.into_iter().map(Arc::new).collect(),
            former: Vec::new(),
        })))
    }

    /// Identifies the caller by a key.
    ///
    /// # Errors
    /// [`Rejection::KeyMissing`] without a key, [`Rejection::KeyUnknown`] with an unknown one.
    pub fn authenticate(&self, key: Option<&str>) -> Result<Caller, Rejection> {
        let shown = key.ok_or(Rejection::KeyMissing)?;
        let keys = self.read();
        // Every key is compared, so that the time taken does not reveal which one was similar.
        let matching = keys
            .current
            .iter()
            .fold(None, |found, key| if key.key.is(shown) { Some(key) } else { found });
        let key = matching.ok_or(Rejection::KeyUnknown)?;
        Ok(Caller { key: Arc::clone(key) })
    }

    /// All keys, in the order in which they were added.
    pub fn list(&self) -> Vec<Arc<ApiKey>> {
        self.read().current.clone()
    }

    /// Adds a key, which replaces the one with the same name. Requests in flight keep their permissions.
    ///
    /// # Errors
    /// [`KeyTaken`] when another key has the same secret.
    pub fn put(&self, key: ApiKey) -> Result<(), KeyTaken> {
        let mut keys = self.write();
        let mut others = keys.current.iter().filter(|other| other.name != key.name);
        if let Some(other) = others.find(|other| other.key == key.key) {
            return Err(KeyTaken(other.name.clone()));
        }
        let name = key.name.clone();
        let key = Arc::new(key);
        match keys.place(&name) {
            Some(place) => {
                let former = mem::replace(&mut keys.current[place], key);
                keys.former.push(former);
            }
            None => keys.current.push(key),
        }
        Ok(())
    }

    /// Changes the key with this name; returns false if there is none.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut ApiKey)) -> bool {
        let mut keys = self.write();
        let Some(place) = keys.place(name) else {
            return false;
        };
        let mut key = ApiKey::clone(&keys.current[place]);
        change(&mut key);
        keys.current[place] = Arc::new(key);
        true
    }

    /// Removes the key with this name; returns false if there is none.
    pub fn remove(&self, name: &str) -> bool {
        let mut keys = self.write();
        let Some(place) = keys.place(name) else {
            return false;
        };
        let former = keys.current.remove(place);
        keys.former.push(former);
        true
    }

    /// Replaces all keys.
    pub fn reset(&self, keys: Vec<Arc<ApiKey>>) {
        let mut ring = self.write();
        let former = mem::replace(&mut ring.current, keys);
        ring.former.extend(former);
        let Keys { current, former } = &mut *ring;
        former.retain(|key| current.iter().all(|other| other.key != key.key));
    }

    /// Replaces every key that is or was in the ring wherever it occurs in a text.
    pub fn hide_in(&self, text: &str) -> String {
        let keys = self.read();
        let all = keys.current.iter().chain(&keys.former);
        all.fold(text.to_owned(), |text, key| key.key.hide_in(&text))
    }

    fn read(&self) -> RwLockReadGuard<'_, Keys> {
        // Nothing panics between two changes that belong together.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Keys> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keys {
    fn place(&self, name: &str) -> Option<usize> {
        self.current.iter().position(|key| key.name == name)
    }
}

/// The decision of a chain of policies, and the policy that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Whether the request passes.
    pub is_allowed: bool,
    /// The position of the deciding policy in the chain, counted from 0; `None` if no policy applies, in which case the
    /// request is denied.
    pub policy: Option<usize>,
}

/// Decides by the chain of a key's policies.
///
/// `pipeline` is the requested pipeline; `None` for a search.
pub fn explain(key: &ApiKey, action: Action, resource: Resource, pipeline: Option<PipelineId>) -> Decision {
    let mut policies = key.policies.iter();
    let policy = policies.position(|policy| policy.speaks_of(action, resource, pipeline));
    Decision {
        is_allowed: policy.is_some_and(|place| key.policies[place].effect == Effect::Allow),
        policy,
    }
}

/// Checks the caller's chain of policies.
///
/// `pipeline` is the requested pipeline; `None` for a search.
///
/// # Errors
/// [`Rejection::NotAuthorized`] if the first policy that applies to the request denies it, or if none applies.
pub fn authorize(
    caller: &Caller,
    action: Action,
    resource: Resource,
    pipeline: Option<PipelineId>,
) -> Result<(), Rejection> {
    match explain(&caller.key, action, resource, pipeline).is_allowed {
        true => Ok(()),
        false => Err(Rejection::NotAuthorized { action, resource }),
    }
}

/// Checks the caller's chain of policies for a pipeline whose id is malformed. The caller may learn that it is
/// malformed if the chain allows the action on the resource in some pipeline.
///
/// # Errors
/// [`Rejection::NotAuthorized`] if the chain allows this in no pipeline.
pub fn authorize_on_some_pipeline(caller: &Caller, action: Action, resource: Resource) -> Result<(), Rejection> {
    let policies = caller.key.policies.iter();
    let named: BTreeSet<_> = policies.flat_map(|policy| policy.pipelines.iter().flatten()).collect();
    // Policies treat all pipelines that they do not name alike.
    let other = (1..).flat_map(PipelineId::new).find(|id| !named.contains(id));
    let mut pipelines = named.into_iter().copied().chain(other);
    let allowed = pipelines.any(|id| authorize(caller, action, resource, Some(id)).is_ok());
    match allowed {
        true => Ok(()),
        false => Err(Rejection::NotAuthorized { action, resource }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::policy::Secret;

    fn caller(policies: &str) -> Caller {
        let key = format!(r#"{{"key": "sesame", "name": "test", "policies": {policies}}}"#);
        let ring = KeyRing::new([serde_json::from_str(&key).unwrap()]);
        ring.authenticate(Some("sesame")).unwrap()
    }

    fn pipeline(number: i64) -> Option<PipelineId> {
        Some(PipelineId::new(number).unwrap())
    }

    #[test]
    fn only_the_whole_key_opens() {
        let key = serde_json::from_str(r#"{"key": "sesame", "name": "test"}"#).unwrap();
        let ring = KeyRing::new([key]);
        assert!(ring.authenticate(Some("sesame")).is_ok());
        assert!(matches!(ring.authenticate(None), Err(Rejection::KeyMissing)));
        for wrong in ["", "sesam", "sesamee", "Sesame", "sesamf"] {
            assert!(
                matches!(ring.authenticate(Some(wrong)), Err(Rejection::KeyUnknown)),
                "{wrong}"
            );
        }
    }

    #[test]
    fn key_without_a_policy_is_denied_everything() {
        assert!(authorize(&caller("[]"), Action::Read, Resource::Organization, None).is_err());
    }

    #[test]
    fn first_policy_that_applies_decides() {
        let caller = caller(
            r#"[{"effect": "allow", "pipelines": [6]},
                {"effect": "deny", "actions": ["CREATE"], "resources": ["COLLECTION_ITEM"]},
                {"effect": "allow"}]"#,
        );
        let table = [
            (Action::Create, Resource::CollectionItem, pipeline(6), true),
            (Action::Create, Resource::CollectionItem, pipeline(1), false),
            (Action::Create, Resource::CollectionItem, None, false),
            (Action::Read, Resource::CollectionItem, pipeline(1), true),
            (Action::Read, Resource::Product, None, true),
        ];
        for (action, resource, pipeline, allowed) in table {
            let decision = authorize(&caller, action, resource, pipeline);
            assert_eq!(decision.is_ok(), allowed, "{action} {resource} {pipeline:?}");
        }
    }

    #[test]
    fn permission_on_some_pipeline_is_found_for_named_and_other_pipelines() {
        let on_some =
            |policies: &str| authorize_on_some_pipeline(&caller(policies), Action::Read, Resource::CollectionItem);
        for allowed in [
            r#"[{"effect": "allow", "pipelines": [2]}]"#,
            r#"[{"effect": "deny", "pipelines": [1, 2]}, {"effect": "allow"}]"#,
        ] {
            assert!(on_some(allowed).is_ok(), "{allowed}");
        }
        for denied in [
            "[]",
            r#"[{"effect": "allow", "pipelines": []}]"#,
            r#"[{"effect": "allow", "actions": ["CREATE"], "pipelines": [2]}]"#,
            r#"[{"effect": "deny", "pipelines": [2]}, {"effect": "allow", "pipelines": [2]}]"#,
        ] {
            assert!(on_some(denied).is_err(), "{denied}");
        }
    }

    #[test]
    fn empty_list_applies_to_nothing() {
        let caller = caller(r#"[{"effect": "allow", "actions": []}]"#);
        assert!(authorize(&caller, Action::Read, Resource::Product, None).is_err());
    }

    #[test]
    fn key_is_never_shown() {
        assert!(!format!("{:?}", caller("[]")).contains("sesame"));
        for broken in [r#""sesa me""#, "20260101", r#"{"sesame": 1}"#, r#""""#] {
            let error = serde_json::from_str::<Secret>(broken).unwrap_err().to_string();
            assert!(!error.contains("sesa") && !error.contains("2026"), "{error}");
        }
    }

    fn key(secret: &str, name: &str) -> ApiKey {
        let key = format!(r#"{{"key": "{secret}", "name": "{name}"}}"#);
        serde_json::from_str(&key).unwrap()
    }

    fn names(ring: &KeyRing) -> Vec<String> {
        ring.list().iter().map(|key| key.name.clone()).collect()
    }

    #[test]
    fn keys_are_added_replaced_and_removed_by_name() {
        let ring = KeyRing::new([key("one-secret", "one")]);
        let start = ring.list();
        ring.put(key("two-secret", "two")).unwrap();
        assert_eq!(names(&ring), ["one", "two"]);
        ring.put(key("new-secret", "one")).unwrap();
        assert_eq!(names(&ring), ["one", "two"]);
        assert!(ring.authenticate(Some("one-secret")).is_err());
        assert_eq!(ring.authenticate(Some("new-secret")).unwrap().name(), "one");
        let taken = KeyTaken("one".to_owned());
        assert_eq!(ring.put(key("new-secret", "two")), Err(taken));
        assert!(ring.remove("two") && !ring.remove("two"));
        assert!(ring.change("one", |key| key.policies.clear()));
        assert!(!ring.change("two", |key| key.policies.clear()));
        ring.reset(start);
        assert_eq!(ring.authenticate(Some("one-secret")).unwrap().name(), "one");
        let text = "one-secret two-secret new-secret";
        assert_eq!(ring.hide_in(text), "*** *** ***", "former keys stay hidden");
    }

    #[test]
    fn decision_names_the_policy_that_made_it() {
        let key: ApiKey = serde_json::from_str(
            r#"{"key": "a", "name": "a", "policies": [
                {"effect": "deny", "actions": ["CREATE"]},
                {"effect": "allow", "resources": ["PRODUCT"]}
            ]}"#,
        )
        .unwrap();
        for (action, resource, is_allowed, policy) in [
            (Action::Create, Resource::Product, false, Some(0)),
            (Action::Read, Resource::Product, true, Some(1)),
            (Action::Read, Resource::Organization, false, None),
        ] {
            let decision = Decision { is_allowed, policy };
            assert_eq!(explain(&key, action, resource, None), decision);
        }
    }
}
