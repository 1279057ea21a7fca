//! Who may do what: API keys, and for each a chain of policies.
//!
//! A decision reads the chain from its first policy on; the first that speaks of the action, the
//! resource and the pipeline in question decides, and where none does the answer is no. An earlier
//! policy is thus the exception to a later one, as in a firewall, and the order shows it.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

pub use super::action::{Action, Resource};
use super::ids::PipelineId;
use super::refusal::Refusal;

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
    fn speaks_of(&self, action: Action, resource: Resource, pipeline: Option<PipelineId>) -> bool {
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
    fn is(&self, shown: &str) -> bool {
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

/// Someone whose key is known. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Caller {
    key: Arc<ApiKey>,
}

impl Caller {
    /// What the caller's key is called; unique among the keys, and no secret.
    pub fn name(&self) -> &str {
        &self.key.name
    }

    /// How often the caller may ask; none when without limit.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.key.rate_limit
    }
}

/// The keys that a platform knows.
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

    /// Finds out whose key this is.
    ///
    /// # Errors
    /// [`Refusal::KeyMissing`] without a key, [`Refusal::KeyUnknown`] with one that is not on the ring.
    pub fn authenticate(&self, key: Option<&str>) -> Result<Caller, Refusal> {
        let shown = key.ok_or(Refusal::KeyMissing)?;
        // Every key is compared, so that the time taken does not tell which one came close.
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
}

/// Asks the caller's chain of policies.
///
/// `pipeline` is the pipeline in question; none for a search, and none where the request names it in a
/// way that cannot be read, so that a caller learns nothing of a request's form before being let in.
///
/// # Errors
/// [`Refusal::NotAuthorized`] when the first policy that speaks of the request denies it, or none does.
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

#[cfg(test)]
mod tests {
    use super::*;

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
