//! API keys, and the decisions of their policies.
//!
//! The first policy of the chain that applies to the action, the resource and the pipeline decides. If none applies,
//! the request is denied. An earlier policy is thus an exception to a later one, as in a firewall.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::ids::PipelineId;
use crate::model::policy::{Action, ApiKey, Effect, RateLimit, Resource};
use crate::model::refusal::Refusal;

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

/// The keys of a platform.
#[derive(Debug, Clone)]
pub struct KeyRing {
    keys: Vec<Arc<ApiKey>>,
}

impl KeyRing {
    /// A ring of these keys; the secrets and the names must each be unique.
    pub fn new(keys: impl IntoIterator<Item = ApiKey>) -> Self {
        Self {
            keys: keys.into_iter().map(Arc::new).collect(),
        }
    }

    /// Identifies the caller by a key.
    ///
    /// # Errors
    /// [`Refusal::KeyMissing`] without a key, [`Refusal::KeyUnknown`] with an unknown one.
    pub fn authenticate(&self, key: Option<&str>) -> Result<Caller, Refusal> {
        let shown = key.ok_or(Refusal::KeyMissing)?;
        // Every key is compared, so that the time taken does not reveal which one was similar.
        let matching =
            self.keys.iter().fold(
                None,
                |found, key| if key.key.is(shown) { Some(key) } else { found },
            );
        let key = matching.ok_or(Refusal::KeyUnknown)?;
        Ok(Caller {
            key: Arc::clone(key),
        })
    }

    /// Replaces every key of the ring that occurs in a text.
    pub fn hide_in(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for key in &self.keys {
            text = key.key.hide_in(&text);
        }
        text
    }
}

/// Checks the caller's chain of policies.
///
/// `pipeline` is the requested pipeline; `None` for a search.
///
/// # Errors
/// [`Refusal::NotAuthorized`] if the first policy that applies to the request denies it, or if none applies.
pub fn authorize(
    caller: &Caller,
    action: Action,
    resource: Resource,
    pipeline: Option<PipelineId>,
) -> Result<(), Refusal> {
    let deciding = caller
        .key
        .policies
        .iter()
        .find(|policy| policy.speaks_of(action, resource, pipeline));
    match deciding.map(|policy| policy.effect) {
        Some(Effect::Allow) => Ok(()),
        Some(Effect::Deny) | None => Err(Refusal::NotAuthorized { action, resource }),
    }
}

/// Checks the caller's chain of policies for a pipeline whose id is malformed. The caller may learn that it is
/// malformed if the chain allows the action on the resource in some pipeline.
///
/// # Errors
/// [`Refusal::NotAuthorized`] if the chain allows this in no pipeline.
pub fn authorize_on_some_pipeline(
    caller: &Caller,
    action: Action,
    resource: Resource,
) -> Result<(), Refusal> {
    let policies = caller.key.policies.iter();
    let named: BTreeSet<_> = policies
        .flat_map(|policy| policy.pipelines.iter().flatten())
        .collect();
    // Policies treat all pipelines that they do not name alike.
    let other = (1..)
        .flat_map(PipelineId::new)
        .find(|id| !named.contains(id));
    let mut pipelines = named.into_iter().copied().chain(other);
    let allowed = pipelines.any(|id| authorize(caller, action, resource, Some(id)).is_ok());
    match allowed {
        true => Ok(()),
        false => Err(Refusal::NotAuthorized { action, resource }),
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
        assert!(matches!(ring.authenticate(None), Err(Refusal::KeyMissing)));
        for wrong in ["", "sesam", "sesamee", "Sesame", "sesamf"] {
            assert!(
                matches!(ring.authenticate(Some(wrong)), Err(Refusal::KeyUnknown)),
                "{wrong}"
            );
        }
    }

    #[test]
    fn without_a_policy_everything_is_denied() {
        assert!(authorize(&caller("[]"), Action::Read, Resource::Organization, None).is_err());
    }

    #[test]
    fn the_first_policy_that_speaks_decides() {
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
            assert_eq!(
                decision.is_ok(),
                allowed,
                "{action} {resource} {pipeline:?}"
            );
        }
    }

    #[test]
    fn some_pipeline_may_be_named_or_any_other() {
        let on_some = |policies: &str| {
            authorize_on_some_pipeline(&caller(policies), Action::Read, Resource::CollectionItem)
        };
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
    fn an_empty_list_speaks_of_nothing() {
        let caller = caller(r#"[{"effect": "allow", "actions": []}]"#);
        assert!(authorize(&caller, Action::Read, Resource::Product, None).is_err());
    }

    #[test]
    fn a_key_is_never_shown() {
        assert!(!format!("{:?}", caller("[]")).contains("sesame"));
        for broken in [r#""sesa me""#, "20260101", r#"{"sesame": 1}"#, r#""""#] {
            let error = serde_json::from_str::<Secret>(broken)
                .unwrap_err()
                .to_string();
            assert!(
                !error.contains("sesa") && !error.contains("2026"),
                "{error}"
            );
        }
    }
}
