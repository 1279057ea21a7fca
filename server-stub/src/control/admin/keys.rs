//! The keys of the platform, and what their policies allow.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::{JsonBody, NoBody};
use super::key_body::{KeyBody, NewKey, PolicyAction, PolicyBody, PolicyResource, QuotaBody};
use super::problem::{AdminProblem, ProblemBody};
use crate::control::Control;
use crate::model::ids::PipelineId;
use crate::model::policy::{ApiKey, Policy, RateLimit};

/// All keys.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KeyList {
    /// In the order in which they were added.
    keys: Vec<KeyBody>,
}

/// The policies of a key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Policies {
    /// The first that applies to a request decides.
    policies: Vec<PolicyBody>,
}

/// The quota of a key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyQuotaBody {
    /// The quota; null for the default one.
    #[schema(required)]
    #[serde(deserialize_with = "Option::deserialize")]
    rate_limit: Option<QuotaBody>,
}

/// A request to explain.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    action: PolicyAction,
    resource: PolicyResource,
    /// The requested pipeline; left out for a search.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    pipeline_id: Option<PipelineId>,
}

/// The decision of a key's policies.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Explanation {
    /// Whether the request passes.
    is_allowed: bool,
    /// The position of the policy that decides, counted from 0; null if none applies, which denies.
    #[schema(required)]
    decided_by: Option<usize>,
    /// The policy that decides.
    #[schema(required)]
    policy: Option<PolicyBody>,
}

/// List the keys, without their secrets
#[utoipa::path(
    get,
    path = "/keys",
    tag = "keys",
    responses((status = 200, body = KeyList), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn list_keys(State(control): State<Control>) -> Json<KeyList> {
    let keys = control.keys();
    Json(KeyList {
        keys: keys.iter().map(|key| KeyBody::from(&**key)).collect(),
    })
}

/// Add a key, or replace the one with the same name
#[utoipa::path(
    post,
    path = "/keys",
    tag = "keys",
    request_body = NewKey,
    responses((status = 201, body = KeyBody), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn put_key(
    State(control): State<Control>,
    JsonBody(body): JsonBody<NewKey>,
) -> Result<(StatusCode, Json<KeyBody>), AdminProblem> {
    let key = ApiKey::try_from(body)?;
    let shown = KeyBody::from(&key);
    let added = control.put_key(key);
    added.map_err(|taken| AdminProblem::conflict(taken.to_string()))?;
    Ok((StatusCode::CREATED, Json(shown)))
}

/// Remove a key
#[utoipa::path(
    delete,
    path = "/keys/{name}",
    tag = "keys",
    params(("name" = String, Path)),
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn remove_key(
    State(control): State<Control>,
    name: Result<Path<String>, PathRejection>,
    NoBody: NoBody,
) -> Result<StatusCode, AdminProblem> {
    let name = read_name(name)?;
    done(control.remove_key(&name))
}

/// Replace the policies of a key
#[utoipa::path(
    put,
    path = "/keys/{name}/policies",
    tag = "keys",
    params(("name" = String, Path)),
    request_body = Policies,
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn set_policies(
    State(control): State<Control>,
    name: Result<Path<String>, PathRejection>,
    JsonBody(Policies { policies }): JsonBody<Policies>,
) -> Result<StatusCode, AdminProblem> {
    let name = read_name(name)?;
    let policies = policies.into_iter().map(Policy::from).collect();
    done(control.set_policies(&name, policies))
}

/// Set the quota of a key
#[utoipa::path(
    put,
    path = "/keys/{name}/rate-limit",
    tag = "keys",
    params(("name" = String, Path)),
    request_body = KeyQuotaBody,
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn set_rate_limit(
    State(control): State<Control>,
    name: Result<Path<String>, PathRejection>,
    JsonBody(KeyQuotaBody { rate_limit }): JsonBody<KeyQuotaBody>,
) -> Result<StatusCode, AdminProblem> {
    let name = read_name(name)?;
    let limit = rate_limit.map(RateLimit::try_from).transpose()?;
    done(control.set_quota(&name, limit))
}

/// Explain what the policies of a key decide, and which of them decides
#[utoipa::path(
    post,
    path = "/keys/{name}/explain",
    tag = "keys",
    params(("name" = String, Path)),
    request_body = Question,
    responses((status = 200, body = Explanation), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn explain_policies(
    State(control): State<Control>,
    name: Result<Path<String>, PathRejection>,
    JsonBody(question): JsonBody<Question>,
) -> Result<Json<Explanation>, AdminProblem> {
    let name = read_name(name)?;
    let (action, resource) = (question.action.into(), question.resource.into());
    let decision = control.explain(&name, action, resource, question.pipeline_id);
    let decision = decision.ok_or_else(no_key)?;
    let keys = control.keys();
    let key = keys.iter().find(|key| key.name == name);
    let policy = key.and_then(|key| key.policies.get(decision.policy?));
    Ok(Json(Explanation {
        is_allowed: decision.is_allowed,
        decided_by: decision.policy,
        policy: policy.map(PolicyBody::from),
    }))
}

fn read_name(name: Result<Path<String>, PathRejection>) -> Result<String, AdminProblem> {
    name.map(|Path(name)| name).map_err(|_| no_key())
}

fn done(found: bool) -> Result<StatusCode, AdminProblem> {
    match found {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(no_key()),
    }
}

fn no_key() -> AdminProblem {
    // The name is not repeated: it may be the secret of a key.
    AdminProblem::not_found("there is no key with this name; GET /__admin/keys lists them")
}
