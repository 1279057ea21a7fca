//! Sends each request to its namespace.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tower::ServiceExt;

use super::Control;
use super::namespaces::{NamespaceError, is_name};
use crate::wire::{self, API_KEY};

/// The header that names the namespace of a request.
const NAMESPACE: HeaderName = HeaderName::from_static("emulator-namespace");
/// Ends the namespace in a key, as in `suite-1:dev-full-access`.
const SEPARATOR: char = ':';

/// The routes of every namespace that was named so far.
#[derive(Clone)]
pub(crate) struct Dispatch(Arc<Shared>);

struct Shared {
    origin: Control,
    serve: Box<dyn Fn(&Control) -> Router + Send + Sync>,
    served: Mutex<HashMap<String, (Control, Router)>>,
}

impl Dispatch {
    /// Dispatches among the namespaces of `origin`. `serve` makes the routes of one.
    pub(crate) fn new(origin: &Control, serve: impl Fn(&Control) -> Router + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared {
            origin: origin.clone(),
            serve: Box::new(serve),
            served: Mutex::default(),
        }))
    }

    /// The routes of a namespace, which is opened if it does not exist.
    fn routes(&self, name: &str) -> Result<Router, NamespaceError> {
        let control = self.0.origin.namespace(name)?;
        // Nothing panics while holding the lock; even then, all entries would be complete.
        let served = self.0.served.lock();
        let mut served = served.unwrap_or_else(PoisonError::into_inner);
        match served.get(name) {
            Some((same, routes)) if same.is(&control) => Ok(routes.clone()),
            // There is none yet, or only one of a namespace that was removed.
            _ => {
                let open = self.0.origin.namespaces();
                served.retain(|name, _| open.contains(name));
                let routes = (self.0.serve)(&control);
                served.insert(name.to_owned(), (control, routes.clone()));
                Ok(routes)
            }
        }
    }
}

impl fmt::Debug for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatch").finish_non_exhaustive()
    }
}

/// Sends a request that names a namespace to its routes, and any other on.
pub(crate) async fn dispatch(State(dispatch): State<Dispatch>, mut request: Request, next: Next) -> Response {
    let routes = match take_name(request.headers_mut(), &dispatch.0.origin) {
        Ok(None) => return next.run(request).await,
        Ok(Some(name)) => dispatch.routes(&name),
        Err(error) => Err(error),
    };
    match routes {
        Ok(routes) => match routes.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        },
        Err(error) => {
            let detail = format!("No namespace was opened: {error}.");
            wire::malformed_request(request.headers(), request.uri().path(), &detail)
        }
    }
}

/// Takes the name of the namespace out of a request: from its own header, otherwise from the beginning of the key.
fn take_name(headers: &mut HeaderMap, origin: &Control) -> Result<Option<String>, NamespaceError> {
    let mut named = headers.get_all(NAMESPACE).iter();
    let name = match (named.next(), named.next()) {
        (None, _) => return take_name_of_key(headers, origin),
        (Some(name), None) => name.to_str().ok().filter(|name| is_name(name)),
        (Some(_), Some(_)) => None,
    };
    let name = name.ok_or(NamespaceError::MalformedName)?.to_owned();
    headers.remove(NAMESPACE);
    Ok(Some(name))
}

fn take_name_of_key(headers: &mut HeaderMap, origin: &Control) -> Result<Option<String>, NamespaceError> {
    let mut keys = headers.get_all(API_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else {
        return Ok(None);
    };
    let key = key.to_str().unwrap_or_default();
    let Some((name, rest)) = key.split_once(SEPARATOR) else {
        return Ok(None);
    };
    // A key of the platform may have a colon in it.
    if origin.platform().authenticate(Some(key)).is_ok() {
        return Ok(None);
    }
    if !is_name(name) {
        return Err(NamespaceError::MalformedName);
    }
    let rest = HeaderValue::from_str(rest).map_err(|_| NamespaceError::MalformedName)?;
    let name = name.to_owned();
    headers.insert(API_KEY, rest);
    Ok(Some(name))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::data::Dataset;
    use crate::platform::clock::VirtualClock;

    type Taken = Result<Option<String>, NamespaceError>;

    fn taken(pairs: &[(&'static str, &str)]) -> (Taken, HeaderMap) {
        let data = r#"{"api_keys": [{"key": "with:colon", "name": "odd"}]}"#;
        let data = Arc::new(Dataset::from_json(data).unwrap());
        let clock = VirtualClock::frozen_at(DateTime::UNIX_EPOCH);
        let origin = Control::in_memory(data, clock);
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        (take_name(&mut headers, &origin), headers)
    }

    #[test]
    fn name_is_read_from_its_header_or_from_the_key_before_a_colon() {
        let malformed = Err(NamespaceError::MalformedName);
        let (key, header) = ("api-key", "emulator-namespace");
        for (pairs, name, left) in [
            (&[(key, "a")][..], Ok(None), "a"),
            (&[(key, "suite-1:a")], Ok(Some("suite-1")), "a"),
            (&[(key, "suite-1:a:b")], Ok(Some("suite-1")), "a:b"),
            (&[(key, "with:colon")], Ok(None), "with:colon"),
            (&[(key, "x:a"), (header, "y")], Ok(Some("y")), "x:a"),
            (&[(key, ":a")], malformed, ":a"),
            (&[(key, "a/b:c")], malformed, "a/b:c"),
            (&[(key, "a"), (header, "")], malformed, "a"),
            (&[(key, "a"), (header, "x"), (header, "y")], malformed, "a"),
        ] {
            let (taken, headers) = taken(pairs);
            let expected = name.map(|name| name.map(str::to_owned));
            assert_eq!(taken, expected, "{pairs:?}");
            assert_eq!(headers[key], left, "{pairs:?}");
        }
    }
}
