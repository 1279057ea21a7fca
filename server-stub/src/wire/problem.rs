//! Every error of the service, each defined once: its code, its status and its title.
//!
//! A handler returns a [`Problem`]. It becomes a body in one place, the [`envelope`], which knows the request's id and
//! path. The texts here are for clients; internal causes go to the log.
//!
//! [`envelope`]: super::envelope::envelope

use std::fmt;

use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use super::request_id::RequestId;
use crate::model::rejection::Rejection;
use crate::model::store_error::StoreError;

/// Maximum number of errors that one response lists.
pub(super) const FAULTS_MAX: usize = 20;

/// The kinds of problem there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "a code says all there is to say")]
pub enum ProblemCode {
    MalformedRequest,
    InvalidSortBy,
    UnknownSortColumn,
    ItemNotInPipeline,
    NotAnOrganizationPipeline,
    AuthenticationRequired,
    InvalidApiKey,
    AuthorizationDenied,
    RouteNotFound,
    OrganizationNotFound,
    ProductNotFound,
    PipelineNotFound,
    ItemNotFound,
    MethodNotAllowed,
    OrganizationAlreadyInPipeline,
    BodyTooLarge,
    UriTooLong,
    UnsupportedMediaType,
    ValidationFailed,
    RateLimited,
    HeadersTooLarge,
    InternalError,
    Unavailable,
}

impl ProblemCode {
    /// The status of the code, its name on the wire, and its title.
    const fn parts(self) -> (StatusCode, &'static str, &'static str) {
        use StatusCode as S;
        match self {
            Self::MalformedRequest => (S::BAD_REQUEST, "malformed_request", "Malformed request"),
            Self::InvalidSortBy => (S::BAD_REQUEST, "invalid_sort_by", "Invalid sort_by"),
            Self::UnknownSortColumn => (S::BAD_REQUEST, "unknown_sort_column", "Unknown sort column"),
            Self::ItemNotInPipeline => (S::BAD_REQUEST, "item_not_in_pipeline", "Item not in pipeline"),
            Self::NotAnOrganizationPipeline => (
                S::BAD_REQUEST,
                "not_an_organization_pipeline",
                "Not an organization pipeline",
            ),
            Self::AuthenticationRequired => (S::UNAUTHORIZED, "authentication_required", "Authentication required"),
            Self::InvalidApiKey => (S::UNAUTHORIZED, "invalid_api_key", "Invalid API key"),
            Self::AuthorizationDenied => (S::FORBIDDEN, "authorization_denied", "Authorization denied"),
            Self::RouteNotFound => (S::NOT_FOUND, "route_not_found", "Route not found"),
            Self::OrganizationNotFound => (S::NOT_FOUND, "organization_not_found", "Organization not found"),
            Self::ProductNotFound => (S::NOT_FOUND, "product_not_found", "Product not found"),
            Self::PipelineNotFound => (S::NOT_FOUND, "pipeline_not_found", "Pipeline not found"),
            Self::ItemNotFound => (S::NOT_FOUND, "item_not_found", "Item not found"),
            Self::MethodNotAllowed => (S::METHOD_NOT_ALLOWED, "method_not_allowed", "Method not allowed"),
            Self::OrganizationAlreadyInPipeline => (
                S::CONFLICT,
                "organization_already_in_pipeline",
                "Organization already in pipeline",
            ),
            Self::BodyTooLarge => (S::PAYLOAD_TOO_LARGE, "body_too_large", "Body too large"),
            Self::UriTooLong => (S::URI_TOO_LONG, "uri_too_long", "URI too long"),
            Self::UnsupportedMediaType => (
                S::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "Unsupported media type",
            ),
            Self::ValidationFailed => (S::UNPROCESSABLE_ENTITY, "validation_failed", "Validation failed"),
            Self::RateLimited => (S::TOO_MANY_REQUESTS, "rate_limited", "Rate limited"),
            Self::HeadersTooLarge => (
                S::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "headers_too_large",
                "Headers too large",
            ),
            Self::InternalError => (S::INTERNAL_SERVER_ERROR, "internal_error", "Internal error"),
            Self::Unavailable => (S::SERVICE_UNAVAILABLE, "unavailable", "Unavailable"),
        }
    }

    /// The status of the code.
    pub const fn status(self) -> StatusCode {
        self.parts().0
    }

    /// The code on the wire.
    pub const fn as_str(self) -> &'static str {
        self.parts().1
    }
}

/// An error on its way to the client: its body except for the request's id and path.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    code: ProblemCode,
    detail: String,
    errors: Vec<FieldError>,
    /// Seconds until the request may be sent again.
    retry_after: Option<u64>,
}

impl Problem {
    /// The kind of problem.
    pub(super) fn code(&self) -> ProblemCode {
        self.code
    }

    /// The errors of the request, one sentence each.
    pub(super) fn faults(&self) -> impl Iterator<Item = String> {
        self.errors.iter().map(|error| {
            let loc: Vec<_> = error.loc.iter().map(ToString::to_string).collect();
            format!("{} {}", loc.join("."), error.msg)
        })
    }

    /// Sets the seconds until the request may be sent again.
    pub(super) fn retry_after(self, seconds: Option<u64>) -> Self {
        Self {
            retry_after: seconds,
            ..self
        }
    }

    pub(super) fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            errors: Vec::new(),
            retry_after: None,
        }
    }

    /// The response to a malformed request: its first errors, and how many it has.
    pub(super) fn invalid(errors: Vec<FieldError>, count: usize) -> Self {
        let detail = match count {
            1 => "The request has 1 error; see errors.".to_owned(),
            2..=FAULTS_MAX => format!("The request has {count} errors; see errors."),
            _ => format!("The request has {count} errors; errors lists the first {FAULTS_MAX}."),
        };
        Self {
            errors,
            ..Self::new(ProblemCode::ValidationFailed, detail)
        }
    }

    /// The response to a caller who has used up a quota. The quota is restored after `seconds`.
    pub(super) fn rate_limited(detail: String, seconds: u64) -> Self {
        Self {
            retry_after: Some(seconds),
            ..Self::new(ProblemCode::RateLimited, detail)
        }
    }

    /// The body that the client reads.
    pub(super) fn body(self, path: &str, request_id: RequestId) -> ProblemBody {
        let (status, code, title) = self.code.parts();
        ProblemBody {
            kind: format!("https://platform.example/problems/{code}"),
            title,
            status: i32::from(status.as_u16()),
            detail: self.detail,
            instance: path.to_owned(),
            code: self.code,
            request_id,
            errors: self.errors,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        let headers = response.headers_mut();
        if self.code.status() == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static(r#"ApiKey realm="platform""#);
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        let code = match &rejection {
            Rejection::KeyMissing => {
                let detail = "Send an API key in the header API-Key.";
                return Self::new(ProblemCode::AuthenticationRequired, detail);
            }
            Rejection::KeyUnknown => {
                let detail = "The API key is not known. Check that it belongs to this deployment.";
                return Self::new(ProblemCode::InvalidApiKey, detail);
            }
            Rejection::Store(StoreError::Busy) => return Self::busy(),
            Rejection::Store(error @ StoreError::Unavailable(_)) => {
                tracing::error!(error = error as &dyn std::error::Error, "the store cannot be reached");
                return Self::store_out_of_reach();
            }
            Rejection::SortByMalformed => {
                let detail = "sort_by takes a column of the form question.<question_id>, such as question.201.";
                return Self::new(ProblemCode::InvalidSortBy, detail);
            }
            Rejection::Store(error) => {
                tracing::error!(error = error as &dyn std::error::Error, "the store failed");
                return Self::internal();
            }
            Rejection::NotAuthorized { .. } => ProblemCode::AuthorizationDenied,
            Rejection::OrganizationNotFound(_) => ProblemCode::OrganizationNotFound,
            Rejection::ProductNotFound(_) => ProblemCode::ProductNotFound,
            Rejection::PipelineNotFound(_) => ProblemCode::PipelineNotFound,
            Rejection::ItemNotFound(_) => ProblemCode::ItemNotFound,
            Rejection::ItemInOtherPipeline { .. } => ProblemCode::ItemNotInPipeline,
            Rejection::SortColumnNotFound { .. } => ProblemCode::UnknownSortColumn,
            Rejection::NotAnOrganizationPipeline { .. } => ProblemCode::NotAnOrganizationPipeline,
            Rejection::OrganizationAlreadyInPipeline { .. } => ProblemCode::OrganizationAlreadyInPipeline,
        };
        Self::new(code, sentence(&rejection.to_string()))
    }
}

impl Problem {
    /// The response to a body that broke off.
    pub(super) fn cut_off() -> Self {
        let detail = "The request body was cut off before its end. Nothing was changed; send the request again.";
        Self::new(ProblemCode::MalformedRequest, detail)
    }

    /// The response while there is too much work to finish in time.
    fn busy() -> Self {
        let detail = "The platform has too much to do for now. Nothing was changed; try again later.";
        Self {
            retry_after: Some(1),
            ..Self::new(ProblemCode::Unavailable, detail)
        }
    }

    /// The response while the store cannot be reached.
    fn store_out_of_reach() -> Self {
        let detail = "The platform cannot reach its storage for now. Try again later; what you asked for may have been \
             done if it is a change.";
        Self {
            retry_after: Some(1),
            ..Self::new(ProblemCode::Unavailable, detail)
        }
    }

    /// The response to a probe while the server cannot serve.
    pub(super) fn unavailable(detail: &str) -> Self {
        Self::new(ProblemCode::Unavailable, detail)
    }

    /// The response to an error of the server.
    pub(super) fn internal() -> Self {
        let detail = "The platform failed. Quote the request id when asking for help.";
        Self::new(ProblemCode::InternalError, detail)
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// An error (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(super) struct ProblemBody {
    /// Identifies the kind of problem; one URI for each `code`.
    #[serde(rename = "type")]
    #[schema(format = "uri-reference")]
    kind: String,
    /// The kind of problem, in a few words.
    #[schema(value_type = String, min_length = 1)]
    title: &'static str,
    /// The status of the response.
    #[schema(minimum = 400, maximum = 599)]
    status: i32,
    /// What went wrong with this request, and what to do.
    #[schema(min_length = 1)]
    detail: String,
    /// The path that was requested.
    #[schema(format = "uri-reference")]
    instance: String,
    code: ProblemCode,
    request_id: RequestId,
    /// Every error of the request; empty unless `code` is `validation_failed`. If there are more than 20, the first
    /// 20 in the order of the request.
    errors: Vec<FieldError>,
}

/// One error of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct FieldError {
    /// `path`, `query` or `body`, then the name, then the position in a list, counted from 0.
    #[schema(min_items = 1)]
    pub(super) loc: Vec<LocationSegment>,
    /// What is wrong with it, and what would be valid.
    pub(super) msg: String,
    /// The kind of error, for programs.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub(super) kind: FaultKind,
}

/// The kinds of error that the platform reports. The list is open for clients, so the contract has no enum of them:
/// it names them as `x-known-values`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FaultKind {
    Missing,
    Unknown,
    Repeated,
    NotAnInteger,
    NotABoolean,
    NotADate,
    NotOneOf,
    NotUtf8,
    Malformed,
    LessThanMinimum,
    GreaterThanMaximum,
    Blank,
    TooLong,
    TooMany,
    BoundsCrossed,
    OutOfReach,
    NotJson,
    NotAnObject,
}

/// A name, or a position in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum LocationSegment {
    /// A name.
    Name(String),
    /// A position, counted from 0.
    Position(usize),
}

impl fmt::Display for LocationSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Position(position) => position.fmt(f),
        }
    }
}

impl ToSchema for LocationSegment {}

impl PartialSchema for LocationSegment {
    fn schema() -> RefOr<Schema> {
        let position = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(int64())
            .minimum(Some(0));
        let name = ObjectBuilder::new().schema_type(Type::String);
        Schema::from(OneOfBuilder::new().item(name).item(position).build()).into()
    }
}

fn int64() -> Option<SchemaFormat> {
    Some(SchemaFormat::KnownFormat(KnownFormat::Int64))
}

impl From<&str> for LocationSegment {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use platform_contract::Contract;
    use serde_json::Value;

    use super::*;

    #[test]
    fn contract_names_every_kind_of_fault_and_no_other() {
        let schema = serde_json::to_value(FaultKind::schema()).unwrap();
        let sent: BTreeSet<_> = schema["enum"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let place = "/components/schemas/FieldError/properties/type/x-known-values";
        let named = Contract::bundled().get(place).unwrap();
        let named: BTreeSet<_> = named.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(sent, named);
    }
}
