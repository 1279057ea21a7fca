//! Keys, policies and quotas as JSON.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::problem::AdminProblem;
use crate::model::ids::PipelineId;
use crate::model::policy::{Action, ApiKey, Effect, Policy, RateLimit, Resource, Secret};

/// What a policy decides about the requests that it applies to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PolicyEffect {
    Allow,
    Deny,
}

/// An action that a caller requests.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum PolicyAction {
    Read,
    Create,
}

/// A resource that an action applies to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum PolicyResource {
    Organization,
    Product,
    CollectionItem,
}

/// One link of a chain. A list that is left out matches everything, an empty one nothing.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyBody {
    effect: PolicyEffect,
    /// The actions that it applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    actions: Option<Vec<PolicyAction>>,
    /// The resources that it applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<PolicyResource>>,
    /// The pipelines that it applies to; a policy with this list does not apply to searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<i64>>)]
    pipelines: Option<Vec<PipelineId>>,
}

/// A quota.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QuotaBody {
    /// Requests that may be made within one window, 1 or more.
    #[schema(minimum = 1)]
    requests: u32,
    /// Length of the window in seconds, 1 or more.
    #[schema(minimum = 1)]
    window_seconds: u32,
}

/// A key to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewKey {
    /// What a caller sends in the header `API-Key`: 1 to 256 visible ASCII characters. It is never shown again.
    #[schema(value_type = String, min_length = 1, max_length = 256)]
    key: Secret,
    /// Its name in the recorded requests and the log; a key with the same name is replaced.
    #[schema(min_length = 1)]
    name: String,
    /// Its permissions: the first policy that applies to a request decides; if none applies, the request is denied.
    #[serde(default)]
    policies: Vec<PolicyBody>,
    /// Its quota; the default one when left out.
    #[serde(default)]
    rate_limit: Option<QuotaBody>,
}

/// A key without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeyBody {
    name: String,
    policies: Vec<PolicyBody>,
    #[schema(required)]
    rate_limit: Option<QuotaBody>,
}

impl TryFrom<NewKey> for ApiKey {
    type Error = AdminProblem;

    fn try_from(body: NewKey) -> Result<Self, AdminProblem> {
        if body.name.trim().is_empty() {
            return Err(AdminProblem::invalid("name: must not be blank"));
        }
        Ok(Self {
            key: body.key,
            name: body.name,
            policies: body.policies.into_iter().map(Policy::from).collect(),
            rate_limit: body.rate_limit.map(RateLimit::try_from).transpose()?,
        })
    }
}

impl From<&ApiKey> for KeyBody {
    fn from(key: &ApiKey) -> Self {
        Self {
            name: key.name.clone(),
            policies: key.policies.iter().map(PolicyBody::from).collect(),
            rate_limit: key.rate_limit.map(QuotaBody::from),
        }
    }
}

impl From<PolicyBody> for Policy {
    fn from(body: PolicyBody) -> Self {
        let actions = body.actions;
        let resources = body.resources;
        Self {
            effect: match body.effect {
                PolicyEffect::Allow => Effect::Allow,
                PolicyEffect::Deny => Effect::Deny,
            },
            actions: actions.map(|actions| actions.into_iter().map(Action::from).collect()),
            resources: resources.map(|all| all.into_iter().map(Resource::from).collect()),
            pipelines: body.pipelines,
        }
    }
}

impl From<&Policy> for PolicyBody {
    fn from(policy: &Policy) -> Self {
        let (actions, resources) = (policy.actions.as_ref(), policy.resources.as_ref());
        Self {
            effect: match policy.effect {
                Effect::Allow => PolicyEffect::Allow,
                Effect::Deny => PolicyEffect::Deny,
            },
            actions: actions.map(|all| all.iter().copied().map(PolicyAction::from).collect()),
            resources: resources.map(|all| all.iter().copied().map(PolicyResource::from).collect()),
            pipelines: policy.pipelines.clone(),
        }
    }
}

impl From<PolicyAction> for Action {
    fn from(action: PolicyAction) -> Self {
        match action {
            PolicyAction::Read => Self::Read,
            PolicyAction::Create => Self::Create,
        }
    }
}

impl From<Action> for PolicyAction {
    fn from(action: Action) -> Self {
        match action {
            Action::Read => Self::Read,
            Action::Create => Self::Create,
        }
    }
}

impl From<PolicyResource> for Resource {
    fn from(resource: PolicyResource) -> Self {
        match resource {
            PolicyResource::Organization => Self::Organization,
            PolicyResource::Product => Self::Product,
            PolicyResource::CollectionItem => Self::CollectionItem,
        }
    }
}

impl From<Resource> for PolicyResource {
    fn from(resource: Resource) -> Self {
        match resource {
            Resource::Organization => Self::Organization,
            Resource::Product => Self::Product,
            Resource::CollectionItem => Self::CollectionItem,
        }
    }
}

impl TryFrom<QuotaBody> for RateLimit {
    type Error = AdminProblem;

    fn try_from(body: QuotaBody) -> Result<Self, AdminProblem> {
        let QuotaBody {
            requests,
            window_seconds,
        } = body;
        if requests == 0 || window_seconds == 0 {
            let detail = "rate_limit: requests and window_seconds must be at least 1";
            return Err(AdminProblem::invalid(detail));
        }
        Ok(Self {
            requests,
            window_seconds,
        })
    }
}

impl From<RateLimit> for QuotaBody {
    fn from(limit: RateLimit) -> Self {
        Self {
            requests: limit.requests,
            window_seconds: limit.window_seconds,
        }
    }
}
