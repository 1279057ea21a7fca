//! Who may use the controls.

use std::net::IpAddr;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::problem::AdminProblem;

/// Where the routes under `/__admin` may be used from. Anyone who can use them can change everything on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdminAccess {
    /// From this machine: the server must listen on a loopback address, and requests must be sent to one.
    Loopback,
    /// From anywhere.
    Public,
}

/// Lets a request through if it may come from a test. Requests from web pages are rejected: any page that a developer
/// opens could otherwise reach a server on the same machine.
pub(super) async fn check(State(access): State<AdminAccess>, request: Request, next: Next) -> Response {
    let mut response = match fault(access, &request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    };
    let no_store = axum::http::HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, no_store);
    response
}

fn fault(access: AdminAccess, request: &Request) -> Option<AdminProblem> {
    let headers = request.headers();
    if headers.contains_key(ORIGIN) {
        let detail = "the controls cannot be used from the page of a browser; send the request without Origin";
        return Some(AdminProblem::forbidden(detail));
    }
    if access == AdminAccess::Loopback && !names_loopback(headers) {
        let detail = "the header Host must name this machine, such as localhost or 127.0.0.1";
        return Some(AdminProblem::forbidden(detail));
    }
    if request.uri().query().is_some() {
        let detail = "this path takes no query parameters; leave them out";
        return Some(AdminProblem::invalid(detail));
    }
    None
}

/// Whether the request was sent to a name of this machine. A page whose own name was made to resolve to this machine
/// sends that name.
fn names_loopback(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else {
        // Over a connection HTTP/1.1 requires it, so this is a call in the same process, or a program with HTTP/1.0.
        return true;
    };
    let authority = host.to_str().ok().and_then(|text| text.parse().ok());
    authority.is_some_and(|authority: Authority| {
        let host = authority.host().trim_matches(['[', ']']);
        let address = host.parse::<IpAddr>();
        host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|it| it.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_name_the_loopback() {
        for (host, expected) in [
            ("localhost", true),
            ("LocalHost:8080", true),
            ("127.0.0.1:8080", true),
            ("127.9.9.9", true),
            ("[::1]:8080", true),
            ("localhost.evil.example", false),
            ("evil.example:8080", false),
            ("10.0.0.1", false),
            ("[::2]", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            assert_eq!(names_loopback(&headers), expected, "{host}");
        }
        assert!(names_loopback(&HeaderMap::new()));
    }
}
