//! What a layer around the routes may know about a request and its response, and the responses that it may give itself.

use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

use super::access::Access;
use super::problem::{Problem, ProblemCode};
use super::request_id::RequestId;
use crate::platform::keys::Caller;

/// The outcome of a request, as the routes left it in the response.
#[derive(Debug)]
pub(crate) struct Outcome<'a> {
    caller: Option<&'a Caller>,
    problem: Option<&'a Problem>,
}

impl<'a> Outcome<'a> {
    pub(crate) fn of(response: &'a Response) -> Self {
        let extensions = response.extensions();
        Self {
            caller: extensions.get::<Access>().and_then(|it| it.caller.as_ref()),
            problem: extensions.get::<Problem>(),
        }
    }

    /// The name of the caller's key; `None` if the key was not known, or not checked.
    pub(crate) fn key(&self) -> Option<&'a str> {
        self.caller.map(Caller::name)
    }

    /// The problem code of the response; `None` if it is not a problem.
    pub(crate) fn code(&self) -> Option<ProblemCode> {
        self.problem.map(Problem::code)
    }

    /// The errors of the request, one sentence each.
    pub(crate) fn faults(&self) -> Vec<String> {
        let faults = self.problem.into_iter().flat_map(Problem::faults);
        faults.collect()
    }
}

/// The id that the response to a request will carry.
pub(crate) fn request_id(request: &Parts) -> Option<&str> {
    let id = request.extensions.get::<RequestId>();
    id.map(RequestId::as_str)
}

/// A problem, with `Retry-After` in seconds if it is to have one.
pub(crate) fn problem(code: ProblemCode, detail: &str, retry_after: Option<u64>) -> Response {
    Problem::new(code, detail).retry_after(retry_after).into_response()
}
