//! What the contract says of each kind of problem, for those that a test has only the code of.

use serde_json::{Value, json};

use crate::ProblemCode;

/// The status and the title that go with a code. One that this version does not know is answered 400.
fn parts(code: &ProblemCode) -> (u16, &'static str) {
    match code {
        ProblemCode::MalformedRequest => (400, "Malformed request"),
        ProblemCode::InvalidSortBy => (400, "Invalid sort_by"),
        ProblemCode::UnknownSortColumn => (400, "Unknown sort column"),
        ProblemCode::ItemNotInPipeline => (400, "Item not in pipeline"),
        ProblemCode::NotAnOrganizationPipeline => (400, "Not an organization pipeline"),
        ProblemCode::AuthenticationRequired => (401, "Authentication required"),
        ProblemCode::InvalidApiKey => (401, "Invalid API key"),
        ProblemCode::AuthorizationDenied => (403, "Authorization denied"),
        ProblemCode::RouteNotFound => (404, "Route not found"),
        ProblemCode::OrganizationNotFound => (404, "Organization not found"),
        ProblemCode::ProductNotFound => (404, "Product not found"),
        ProblemCode::PipelineNotFound => (404, "Pipeline not found"),
        ProblemCode::ItemNotFound => (404, "Item not found"),
        ProblemCode::MethodNotAllowed => (405, "Method not allowed"),
        ProblemCode::OrganizationAlreadyInPipeline => (409, "Organization already in pipeline"),
        ProblemCode::BodyTooLarge => (413, "Body too large"),
        ProblemCode::UriTooLong => (414, "URI too long"),
        ProblemCode::UnsupportedMediaType => (415, "Unsupported media type"),
        ProblemCode::ValidationFailed => (422, "Validation failed"),
        ProblemCode::RateLimited => (429, "Rate limited"),
        ProblemCode::HeadersTooLarge => (431, "Headers too large"),
        ProblemCode::InternalError => (500, "Internal error"),
        ProblemCode::Unavailable => (503, "Unavailable"),
        ProblemCode::Unknown(_) => (400, "Another problem"),
    }
}

pub(super) fn status(code: &ProblemCode) -> u16 {
    parts(code).0
}

/// The problem document of a request for `path`.
pub(super) fn document(code: &ProblemCode, path: &str, request_id: &str) -> Value {
    let (status, title) = parts(code);
    json!({
        "type": format!("https://platform.example/problems/{code}"),
        "title": title,
        "status": status,
        "detail": format!("{title}: so a mock says."),
        "instance": path,
        "code": code,
        "request_id": request_id,
        "errors": [],
    })
}
