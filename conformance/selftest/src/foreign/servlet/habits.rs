//! The decisions of the deployment with the habits of a Java framework where the source is silent.

use serde_json::json;

/// The decisions of this deployment where the source is silent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habits {
    /// Formats an error from its status, its message and the path.
    pub(crate) error: fn(u16, &str, &str) -> (&'static str, String),
    /// Whether an unknown parameter is a bad request.
    pub(crate) rejects_unknown: bool,
    /// Which value of a repeated parameter counts.
    pub(crate) repeated: Repeated,
    /// How a malformed bound or order is treated.
    pub(crate) malformed: Malformed,
    /// Whether a path may end with a slash.
    pub(crate) trailing_slash: bool,
    /// Whether 405 names the methods.
    pub(crate) allow: bool,
    /// Headers of every response.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Whether the route is looked up before the key is checked.
    pub(crate) routes_first: bool,
    /// The number of items that are listed before the first one with a value.
    pub(crate) missing_first: bool,
    /// Whether texts are sorted without regard to case.
    pub(crate) sorts_texts: bool,
    /// The statuses of an addition of an organization that already exists, to a pipeline of another kind, of an
    /// unknown organization, and of an invalid body.
    pub(crate) rejections: [u16; 4],
    /// Whether an unknown key of the body is ignored.
    pub(crate) ignores_keys: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeated {
    First,
    Last,
    Rejected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    Rejected,
    Default,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            error: whole_error,
            rejects_unknown: false,
            repeated: Repeated::First,
            malformed: Malformed::Rejected,
            trailing_slash: true,
            allow: true,
            headers: &[
                ("x-content-type-options", "nosniff"),
                ("cache-control", "no-cache, must-revalidate"),
                ("vary", "Origin"),
            ],
            routes_first: false,
            missing_first: true,
            sorts_texts: false,
            rejections: [422, 409, 404, 400],
            ignores_keys: true,
        }
    }
}

/// `{"timestamp", "status", "error", "path"}`.
pub(crate) fn whole_error(status: u16, message: &str, path: &str) -> (&'static str, String) {
    let body = json!({
        "timestamp": "2025-03-04T05:06:07.123+00:00", "status": status, "error": message, "path": path,
    });
    ("application/json", body.to_string())
}

/// A line of text.
pub(crate) fn text_error(_: u16, message: &str, _: &str) -> (&'static str, String) {
    ("text/plain; charset=utf-8", format!("{message}\n"))
}

/// A list of errors, whose codes are numbers.
pub(crate) fn listed_error(status: u16, message: &str, _: &str) -> (&'static str, String) {
    let body = json!({ "errors": [{"code": u32::from(status) * 100, "message": message}] });
    ("application/vnd.api+json", body.to_string())
}
