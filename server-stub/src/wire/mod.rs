//! HTTP: routes, parameters, wire types and errors. The model decides what the service does, not this module.
//!
//! A request passes through the envelope, which every response also passes through, then the authentication, then the
//! handler of its operation. Each handler works in the same order: it checks the policies, reads the whole request, and
//! only then calls the model.

/// Names a group of parameters for the document.
macro_rules! parameters {
    ($vis:vis $name:ident: $($parameter:ident),+) => {
        $vis struct $name;

        impl utoipa::IntoParams for $name {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                vec![$($parameter.describe()),+]
            }
        }
    };
}

/// Names the problems that an operation may respond with, beyond those that all operations share.
macro_rules! problems {
    ($name:ident: [$($code:expr),* $(,)?]) => {
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses()
            -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::response::Response>> {
                $crate::wire::answer::problems(&[$($code),*])
            }
        }
    };
}

mod access;
mod answer;
mod api_key;
mod authentication;
mod call;
mod chunks;
mod cors;
mod document;
mod documents;
mod envelope;
mod health;
mod ids;
mod json;
mod outcome;
mod page;
mod parameter;
mod path;
mod pipelines;
mod problem;
mod rate_limit;
mod request_id;
mod search;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use self::api_key::API_KEY;
use self::authentication::Authentication;
pub use self::cors::{Cors, NotAnOrigin};
pub use self::documents::{CONTRACT_PATH, DOCS_PATH, DOCUMENT_PATH};
pub(crate) use self::health::Draining;
pub use self::health::{HEALTH_PATH, READY_PATH};
pub(crate) use self::outcome::{Outcome, problem, request_id};
use self::pipelines::{add_organization, items};
use self::problem::Problem;
pub use self::problem::ProblemCode;
pub(crate) use self::rate_limit::RateLimiter;
use self::request_id::RequestId;
use self::search::{organizations, products};
use crate::platform::Platform;

/// A platform, and how it is served.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub(crate) platform: Platform,
    pub(crate) limiter: Arc<RateLimiter>,
    /// The pages that may use it from a browser.
    pub(crate) cors: Option<Cors>,
    pub(crate) draining: Draining,
}

/// The whole service over HTTP. `around` may put layers around the routes. They see each request before its key is
/// checked, and each response before it is logged and gets its envelope.
pub(crate) fn router(service: Service, around: impl FnOnce(Router) -> Router) -> Router {
    let cors = service.cors.clone();
    let service = around(routes(service)).layer(middleware::map_request(path::normalized));
    let envelope = middleware::from_fn(envelope::envelope);
    match cors {
        None => service.layer(envelope),
        Some(cors) => service
            .layer(middleware::from_fn_with_state(cors.clone(), cors::answer_preflight))
            .layer(envelope)
            .layer(middleware::from_fn_with_state(cors, cors::allow_reading)),
    }
}

/// The routes of the service, whose responses still lack their envelope.
pub(crate) fn routes(service: Service) -> Router {
    let (routes, _) = operations().split_for_parts();
    let authentication = Authentication {
        platform: service.platform.clone(),
        limiter: service.limiter,
    };
    let public = documents::routes(openapi)
        .merge(health::routes(service.draining))
        .route_layer(middleware::from_fn(access::note_route));
    let routes = routes
        .route_layer(middleware::from_fn_with_state(
            authentication,
            authentication::authenticate,
        ))
        .merge(public)
        .fallback(route_not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(service.platform);
    // A separate router around the routes, because routes add `Allow` outside of their layers.
    Router::new().fallback_service(routes)
}

/// The response to a request that is not well-formed HTTP, which no route receives.
pub(crate) fn malformed_request(headers: &HeaderMap, path: &str, detail: &str) -> Response {
    let mut response = Problem::new(ProblemCode::MalformedRequest, detail).into_response();
    let request_id = RequestId::of(headers);
    envelope::close(&mut response, path, &request_id);
    access::log_without_request(&response, ProblemCode::MalformedRequest, &request_id);
    response
}

/// The response to input that could not be read as a request, by its status.
pub(crate) fn rejection(status: u16) -> Response {
    let (code, detail) = match status {
        414 => (
            ProblemCode::UriTooLong,
            "The request target is too long. Send fewer values of a filter, or a shorter text.",
        ),
        431 => (
            ProblemCode::HeadersTooLarge,
            "The header fields are too large, or there are too many. Send fewer.",
        ),
        _ => (
            ProblemCode::MalformedRequest,
            "This is not a well-formed HTTP/1.1 request.",
        ),
    };
    let mut response = Problem::new(code, detail).into_response();
    let request_id = RequestId::of(&HeaderMap::new());
    envelope::close(&mut response, "/", &request_id);
    access::log_without_request(&response, code, &request_id);
    response
}

/// The response to a client that speaks HTTP where HTTPS is served.
pub(crate) fn https_required() -> Response {
    let detail = "This port serves HTTPS. Send the request to https:// instead of http://.";
    malformed_request(&HeaderMap::new(), "/", detail)
}

/// The OpenAPI document. It is rendered on first use, which takes a few milliseconds.
fn openapi() -> Bytes {
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| {
        let (_, document) = operations().split_for_parts();
        document::complete(document).to_string().into()
    });
    DOCUMENT.clone()
}

/// The ten operations, each with its handler and its description in one.
fn operations() -> OpenApiRouter<Platform> {
    OpenApiRouter::with_openapi(document::base())
        .routes(routes!(organizations::search_organizations_by_organization))
        .routes(routes!(organizations::search_organizations_by_description))
        .routes(routes!(organizations::search_organizations_by_customer))
        .routes(routes!(products::search_products_by_product))
        .routes(routes!(products::search_products_by_description))
        .routes(routes!(products::search_products_by_customer))
        .routes(routes!(items::list_items))
        .routes(routes!(items::get_item_values))
        .routes(routes!(items::get_item_status))
        .routes(routes!(add_organization::add_organization))
}

async fn route_not_found() -> Problem {
    Problem::new(
        ProblemCode::RouteNotFound,
        "There is no such route. Check the path and the base URL.",
    )
}

/// The router adds the header `Allow`.
async fn method_not_allowed(method: Method) -> Response {
    if method == Method::OPTIONS {
        return StatusCode::NO_CONTENT.into_response();
    }
    let detail = "The path does not support this method; the header Allow lists those it supports.";
    Problem::new(ProblemCode::MethodNotAllowed, detail).into_response()
}
