//! The controls over HTTP, under `/__admin`: the same as the methods of [`Control`], for tests in any language.
//!
//! These routes are not part of the contract. They have their own document, `/__admin/openapi.json`, need no key, and
//! are served only on request.

mod body;
mod clock;
mod data;
mod fault_body;
mod faults;
mod guard;
mod key_body;
mod keys;
mod namespaces;
mod origin;
mod problem;
mod processes;
mod quotas;
mod requests;
mod snapshots;
mod state;

use axum::Router;
use axum::extract::OriginalUri;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::routing::{any, get};
use bytes::Bytes;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::guard::AdminAccess;
use self::guard::check;
use self::origin::Controls;
use self::problem::AdminProblem;
use super::Control;

/// Where the routes are.
pub(crate) const ADMIN_PATH: &str = "/__admin";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Controls of the reference server",
        version = "1.0.0",
        description = "For tests: data, state, time, faults, recorded requests, processes, keys and quotas. No part of the platform's \
                       contract. Bodies are JSON objects; unknown members and query parameters are rejected.",
        license(name = "MIT OR Apache-2.0")
    ),
    servers((url = "/__admin"))
)]
struct Description;

/// The routes of a namespace, below [`ADMIN_PATH`]. `origin` has the controls that namespaces are opened from.
pub(crate) fn router(control: &Control, origin: &Control, access: AdminAccess) -> Router {
    let (routes, document) = operations().split_for_parts();
    // A document made from declarations can always be written.
    let document = Bytes::from(document.to_json().unwrap_or_default());
    let document = get(async || ([(CONTENT_TYPE, "application/json")], document));
    let routes = routes
        .route("/openapi.json", document)
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .with_state(Controls {
            here: control.clone(),
            origin: origin.clone(),
        });
    Router::new()
        .nest(ADMIN_PATH, routes)
        // The only path below that nesting leaves out.
        .route(&format!("{ADMIN_PATH}/"), any(not_found))
        .layer(middleware::from_fn_with_state(access, check))
}

fn operations() -> OpenApiRouter<Controls> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(state::reset))
        .routes(routes!(snapshots::take_snapshot, snapshots::restore_snapshot))
        .routes(routes!(data::replace_data, data::change_data))
        .routes(routes!(data::remove_data))
        .routes(routes!(clock::get_clock))
        .routes(routes!(clock::freeze_clock))
        .routes(routes!(clock::resume_clock))
        .routes(routes!(clock::advance_clock))
        .routes(routes!(clock::run_clock_to_idle))
        .routes(routes!(faults::list_faults, faults::add_fault, faults::clear_faults))
        .routes(routes!(faults::get_fault, faults::remove_fault))
        .routes(routes!(requests::list_requests, requests::clear_requests))
        .routes(routes!(requests::find_requests))
        .routes(routes!(
            processes::list_processes,
            processes::plan_process,
            processes::clear_processes
        ))
        .routes(routes!(keys::list_keys, keys::put_key))
        .routes(routes!(keys::remove_key))
        .routes(routes!(keys::set_policies))
        .routes(routes!(keys::set_rate_limit))
        .routes(routes!(keys::explain_policies))
        .routes(routes!(quotas::list_rate_limits, quotas::set_default_rate_limit))
        .routes(routes!(quotas::reset_rate_limits))
        .routes(routes!(namespaces::list_namespaces))
        .routes(routes!(namespaces::remove_namespace))
}

async fn not_found(OriginalUri(uri): OriginalUri) -> AdminProblem {
    let path = uri.path();
    AdminProblem::not_found(format!(
        "nothing is at {path}; {ADMIN_PATH}/openapi.json lists the routes"
    ))
}

async fn method_not_allowed() -> AdminProblem {
    AdminProblem::method_not_allowed()
}
