//! Cross-origin requests: which web pages may use the service from a browser.
//!
//! Off unless set; a response is then exactly that of the contract. tower-http has a layer for CORS, which answers
//! every `OPTIONS` as if it were a preflight. The contract answers `OPTIONS` with `Allow`, so only preflights are
//! answered here.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The methods of the contract.
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST");
/// The request headers that the contract reads, beyond those that browsers always allow.
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static("API-Key, Content-Type, X-Request-Id");
/// The response headers that the contract sends, beyond those that browsers always expose.
const RESPONSE_HEADERS: HeaderValue = HeaderValue::from_static(
    "Allow, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id",
);
/// Seconds for which a browser may cache a preflight; no browser caches it longer.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// The origins whose pages may use the service from a browser.
///
/// ```
/// use platform_server_stub::{Cors, Server};
///
/// let cors: Cors = "http://localhost:5173,https://app.example".parse()?;
/// let router = Server::built_in().with_cors(cors).router();
/// # let _ = router;
///
/// let error = "https://app.example/".parse::<Cors>().unwrap_err();
/// assert!(error.to_string().contains("without a path"));
/// # Ok::<(), platform_server_stub::NotAnOrigin>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cors(Origins);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Origins {
    Any,
    Listed(Arc<[HeaderValue]>),
}

impl Cors {
    /// Allows the pages of every origin.
    pub fn any() -> Self {
        Self(Origins::Any)
    }

    /// The allowed origin for a page with this origin; `None` if it is not allowed.
    fn allowed(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        match &self.0 {
            Origins::Any => Some(HeaderValue::from_static("*")),
            Origins::Listed(origins) => origins.contains(origin).then(|| origin.clone()),
        }
    }
}

/// Parses origins separated by commas, or `*` for every origin.
impl FromStr for Cors {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "*" {
            return Ok(Self::any());
        }
        let origins = text.split(',').map(origin).collect::<Result<_, _>>()?;
        Ok(Self(Origins::Listed(origins)))
    }
}

/// An origin as browsers send it: scheme, host and port, in lower case.
fn origin(text: &str) -> Result<HeaderValue, NotAnOrigin> {
    let text = text.trim().to_ascii_lowercase();
    let fault = || NotAnOrigin(text.clone());
    let uri: Uri = text.parse().map_err(|_| fault())?;
    let whole = match (uri.scheme_str(), uri.authority()) {
        (Some(scheme @ ("http" | "https")), Some(authority)) => format!("{scheme}://{authority}"),
        _ => return Err(fault()),
    };
    match whole == text && !text.contains('@') {
        true => HeaderValue::from_str(&text).map_err(|_| fault()),
        false => Err(fault()),
    }
}

/// A text is not an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotAnOrigin(String);

impl fmt::Display for NotAnOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not an origin; write scheme, host and port without a path, such as http://localhost:5173, \
             or * alone for every origin",
            self.0
        )
    }
}

impl std::error::Error for NotAnOrigin {}

/// Answers preflights from allowed origins. Belongs inside the envelope.
pub(super) async fn answer_preflight(State(cors): State<Cors>, request: Request, next: Next) -> Response {
    let is_preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if !is_preflight || cors.allowed(request.headers()).is_none() {
        return next.run(request).await;
    }
    // The same for every path: otherwise an unknown route would hide its 404 from the page.
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS),
        (ACCESS_CONTROL_MAX_AGE, MAX_AGE),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Lets the pages of allowed origins read a response. Belongs around the envelope, so that it applies to every
/// response.
pub(super) async fn allow_reading(State(cors): State<Cors>, request: Request, next: Next) -> Response {
    let allowed = cors.allowed(request.headers());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if cors.0 != Origins::Any {
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
    if let Some(allowed) = allowed {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_is_scheme_host_and_port() {
        for good in [
            "*",
            "https://app.example",
            "http://localhost:5173,https://app.example",
            "HTTPS://App.Example",
            "http://[::1]:8000",
        ] {
            assert!(good.parse::<Cors>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "app.example",
            "https://app.example/",
            "https://app.example/page",
            "https://user@app.example",
            "ftp://app.example",
            "https://app.example,",
            "*,https://app.example",
            "https://app.example?x",
        ] {
            assert!(bad.parse::<Cors>().is_err(), "{bad}");
        }
    }
}
