//! The responses of the operations in the served document: bodies and headers by status.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use axum::http::StatusCode;
use serde_json::json;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr};
use utoipa::{IntoResponses, ToSchema};

use super::problem::ProblemCode;

type Responses = BTreeMap<String, RefOr<Response>>;

/// Marks a header as always present. OpenAPI has a keyword for this that the document's library lacks; the
/// [`document`](super::document) adds it.
pub(super) const REQUIRED: &str = "x-required";

/// A success with a body of type `T`.
pub(super) struct Success<T, const STATUS: u16>(PhantomData<T>);

impl<T: ToSchema, const STATUS: u16> IntoResponses for Success<T, STATUS> {
    fn responses() -> Responses {
        let schema = Ref::from_schema_name(T::name());
        let mut response = with_usual_headers(ResponseBuilder::new())
            .content("application/json", ContentBuilder::new().schema(Some(schema)).build());
        if STATUS == StatusCode::CREATED {
            let path = text().format(Some(SchemaFormat::Custom("uri-reference".to_owned())));
            response = response.header("Location", header(Schema::from(path.build()), true));
        }
        BTreeMap::from([(STATUS.to_string(), response.build().into())])
    }
}

/// The problems that an operation may respond with, by their codes.
pub(super) fn problems(codes: &[ProblemCode]) -> Responses {
    let everywhere = [
        ProblemCode::AuthenticationRequired,
        ProblemCode::AuthorizationDenied,
        ProblemCode::ValidationFailed,
        ProblemCode::RateLimited,
        ProblemCode::InternalError,
    ];
    let statuses = codes.iter().chain(&everywhere).map(|code| code.status());
    statuses
        .map(|status| (status_key(status), problem(status).into()))
        .collect()
}

fn status_key(status: StatusCode) -> String {
    if status.is_server_error() {
        "5XX".to_owned()
    } else {
        status.as_str().to_owned()
    }
}

fn problem(status: StatusCode) -> Response {
    let content = || {
        ContentBuilder::new()
            .schema(Some(Ref::from_schema_name("Problem")))
            .build()
    };
    let response = ResponseBuilder::new();
    let response = match status {
        // An unknown key has no quota.
        StatusCode::UNAUTHORIZED => {
            with_envelope_headers(response).header("WWW-Authenticate", header(Schema::from(text().build()), true))
        }
        StatusCode::TOO_MANY_REQUESTS => {
            with_quota_headers(with_envelope_headers(response), true).header("Retry-After", seconds(true))
        }
        status if status.is_server_error() => with_usual_headers(response).header("Retry-After", seconds(false)),
        _ => with_usual_headers(response),
    };
    response
        .content("application/problem+json", content())
        .content("application/json", content())
        .build()
}

fn seconds(required: bool) -> Header {
    let seconds = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int32)))
        .minimum(Some(1));
    header(Schema::from(seconds.build()), required)
}

/// The headers of a response to a key that may have a quota.
fn with_usual_headers(response: ResponseBuilder) -> ResponseBuilder {
    with_quota_headers(with_envelope_headers(response), false)
}

fn with_quota_headers(response: ResponseBuilder, required: bool) -> ResponseBuilder {
    let quota = || header(Schema::from(text().build()), required);
    response
        .header("RateLimit", quota())
        .header("RateLimit-Policy", quota())
}

/// The headers that every response has.
fn with_envelope_headers(response: ResponseBuilder) -> ResponseBuilder {
    let no_store = text().enum_values(Some(["no-store"]));
    response
        .header("X-Request-Id", header(Ref::from_schema_name("RequestId"), true))
        .header("Cache-Control", header(Schema::from(no_store.build()), true))
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn header(schema: impl Into<RefOr<Schema>>, required: bool) -> Header {
    let extensions = required.then(|| ExtensionsBuilder::new().add(REQUIRED, json!(true)).build());
    HeaderBuilder::new().schema(Some(schema)).extensions(extensions).build()
}
