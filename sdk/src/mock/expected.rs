//! Matches requests to mocks.

use std::collections::BTreeMap;
use std::fmt;

use httpmock::HttpMockRequest;
use serde::Serialize;
use serde_json::Value;

use crate::call::argument::Argument;
use crate::call::operation::Operation;

/// A request of the client, as accepted by [`Server::when`](super::Server::when). Only the requests in
/// [`builder`](crate::builder) implement it.
///
/// ```
/// use platform_sdk::ProblemCode;
/// use platform_sdk::mock::{Answer, Mock, Request, Server};
///
/// /// Mocks any operation as unavailable.
/// fn unavailable<R: Request>(server: &Server, request: R) -> Mock {
///     server.when(request).answers([Answer::problem(ProblemCode::Unavailable)])
/// }
/// ```
pub trait Request {
    /// The value that the operation returns on success.
    type Answer: 'static;

    #[doc(hidden)]
    fn expected(self) -> Expected;
}

/// An operation, and the expected values of some of its parameters. Parameters in the path, the query and the
/// body are treated alike, as a name and its values as text.
#[derive(Debug)]
pub struct Expected {
    operation: &'static Operation,
    /// The operation's success status.
    pub(super) success: u16,
    given: Vec<(String, Vec<String>)>,
    /// The parameters that a request must not have.
    excluded: Vec<String>,
}

impl Expected {
    pub(crate) fn new(operation: &'static Operation, success: u16) -> Self {
        Self {
            operation,
            success,
            given: Vec::new(),
            excluded: Vec::new(),
        }
    }

    /// Expects the value of a parameter, if the request sets it.
    #[track_caller]
    pub(crate) fn parameter<T: Serialize>(mut self, name: &str, argument: Argument<T>) -> Self {
        let value = match argument.optional(name) {
            Ok(None) => return self,
            Ok(Some(value)) => serde_json::to_value(value).map_err(|error| error.to_string()),
            Err(invalid) => Err(invalid.to_string()),
        };
        match value {
            Ok(value) => self.given.push((name.to_owned(), texts(&value))),
            Err(why) => panic!("{}: {why}", self.operation.id),
        }
        self
    }

    /// Expects the properties of the body, if the request has one.
    #[track_caller]
    pub(crate) fn body<B>(self, body: Argument<B>, properties: impl FnOnce(B, Self) -> Self) -> Self {
        match body {
            Argument::Missing => self,
            Argument::Given(body) => properties(body, self),
            Argument::Unfit(why) => panic!("{}: {why}", self.operation.id),
        }
    }

    pub(super) fn exclude(&mut self, parameter: &str) {
        self.excluded.push(parameter.to_owned());
    }

    /// Returns the differences of a request, one phrase each, or `None` if it is for another operation.
    pub(super) fn differences(&self, request: &HttpMockRequest) -> Option<Vec<String>> {
        let actual = self.parameters_of(request)?;
        let different = self.given.iter().filter_map(|(name, expected)| {
            match actual.get(name).map(Vec::as_slice).unwrap_or_default() {
                // The values of a list are alternatives, so their order does not matter.
                actual if sorted(actual) == sorted(expected) => None,
                [] => Some(format!("{name} is missing")),
                actual => Some(format!("{name} is {}", actual.join(", "))),
            }
        });
        let excluded = self.excluded.iter();
        let excluded = excluded.filter(|name| actual.contains_key(*name));
        let excluded = excluded.map(|name| format!("{name} is there"));
        Some(different.chain(excluded).collect())
    }

    /// Returns the values of all parameters of a request, or `None` if it is for another operation.
    fn parameters_of(&self, request: &HttpMockRequest) -> Option<BTreeMap<String, Vec<String>>> {
        if request.method_str() != self.operation.method {
            return None;
        }
        let mut parameters: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let uri = request.uri();
        let (template, path) = (self.operation.path.split('/'), uri.path().split('/'));
        if template.clone().count() != path.clone().count() {
            return None;
        }
        for (expected, actual) in template.zip(path) {
            match expected.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) => parameters.entry(name.to_owned()).or_default().push(actual.to_owned()),
                None if expected == actual => {}
                None => return None,
            }
        }
        for (name, value) in request.query_params() {
            parameters.entry(name).or_default().push(value);
        }
        if let Ok(Value::Object(body)) = serde_json::from_slice(request.body_ref()) {
            for (name, value) in body {
                parameters.entry(name).or_default().extend(texts(&value));
            }
        }
        Some(parameters)
    }
}

/// Formats as `list_items(pipeline_id=2, limit=50)`.
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = self.given.iter();
        let given = given.map(|(name, values)| format!("{name}={}", values.join(",")));
        let excluded = self.excluded.iter().map(|name| format!("no {name}"));
        let given: Vec<String> = given.chain(excluded).collect();
        write!(f, "{}({})", self.operation.id, given.join(", "))
    }
}

/// Returns the values of a parameter as they appear in a request.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

fn sorted(values: &[String]) -> Vec<&String> {
    let mut values: Vec<&String> = values.iter().collect();
    values.sort();
    values
}
