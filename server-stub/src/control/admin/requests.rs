//! The requests that the platform received.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::body::{JsonBody, NoBody};
use super::problem::ProblemBody;
use crate::control::Control;
use crate::control::operation::Operation;
use crate::control::recorded_requests::RecordedRequest;
use crate::wire::ProblemCode;

/// Recorded requests.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RequestList {
    /// Number of requests in the list.
    count: usize,
    /// The oldest first. The server keeps the last 1,000.
    requests: Vec<RecordedRequest>,
}

/// What requests to find: those that have everything that is given.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RequestFilter {
    /// For this operation.
    operation: Option<Operation>,
    /// With this method, in upper case.
    method: Option<String>,
    /// With this path.
    path: Option<String>,
    /// With this response status.
    status: Option<u16>,
    /// With this problem code in the response.
    code: Option<ProblemCode>,
    /// By the key of this name.
    key: Option<String>,
    /// Later than the request of this number.
    after_number: Option<u64>,
}

impl RequestList {
    fn of(requests: Vec<RecordedRequest>) -> Json<Self> {
        Json(Self {
            count: requests.len(),
            requests,
        })
    }
}

impl RequestFilter {
    fn admits(&self, request: &RecordedRequest) -> bool {
        fn agrees<T: PartialEq>(wanted: Option<T>, seen: Option<T>) -> bool {
            wanted.is_none() || wanted == seen
        }
        let response = request.response.as_ref();
        agrees(self.operation, request.operation)
            && agrees(self.method.as_deref(), Some(request.method.as_str()))
            && agrees(self.path.as_deref(), Some(request.path.as_str()))
            && agrees(self.status, response.map(|it| it.status))
            && agrees(self.code, response.and_then(|it| it.code))
            && agrees(self.key.as_deref(), response.and_then(|it| it.key.as_deref()))
            && self.after_number.is_none_or(|number| request.number > number)
    }
}

/// List the last requests
#[utoipa::path(
    get,
    path = "/requests",
    tag = "requests",
    responses((status = 200, body = RequestList), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn list_requests(State(control): State<Control>) -> Json<RequestList> {
    RequestList::of(control.requests())
}

/// Find requests
#[utoipa::path(
    post,
    path = "/requests/find",
    tag = "requests",
    request_body = RequestFilter,
    responses((status = 200, body = RequestList), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn find_requests(
    State(control): State<Control>,
    JsonBody(filter): JsonBody<RequestFilter>,
) -> Json<RequestList> {
    let mut requests = control.requests();
    requests.retain(|request| filter.admits(request));
    RequestList::of(requests)
}

/// Delete the recorded requests
#[utoipa::path(
    delete,
    path = "/requests",
    tag = "requests",
    responses((status = 204, description = "Done."), (status = "4XX", body = ProblemBody))
)]
pub(super) async fn clear_requests(State(control): State<Control>, NoBody: NoBody) -> StatusCode {
    control.clear_requests();
    StatusCode::NO_CONTENT
}
