//! What hooks of the app get for each attempt, for its own headers and metrics.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Request, StatusCode};

use crate::error::ErrorClass;

pub(crate) type OnRequest = Arc<dyn Fn(&'static str, &mut Request) + Send + Sync>;
pub(crate) type OnResponse = Arc<dyn Fn(&AttemptReport) + Send + Sync>;

/// Report of one attempt at a call, as passed to
/// [`ClientBuilder::on_response`](crate::ClientBuilder::on_response). It contains no key, no search
/// text and no text from the server.
///
/// ```
/// use platform_sdk::{AttemptReport, ErrorClass};
///
/// fn count(report: &AttemptReport) {
///     let result = report.class().map_or("ok".to_owned(), |class| format!("{class:?}"));
///     println!("{} {result} {:?}", report.operation(), report.duration());
///     if report.resends() > 0 || report.class() == Some(ErrorClass::RateLimited) {
///         println!("{report}");
///     }
///     assert!(report.status().is_none_or(|status| status.as_u16() >= 200));
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptReport {
    pub(crate) operation: &'static str,
    pub(crate) resends: usize,
    pub(crate) duration: Duration,
    pub(crate) status: Option<StatusCode>,
    pub(crate) class: Option<ErrorClass>,
}

impl AttemptReport {
    /// Returns the `operationId`.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns the number of earlier attempts of the call: 0 for the first attempt.
    pub fn resends(&self) -> usize {
        self.resends
    }

    /// Returns the time from sending until the response was read, by the client's clock. Delays
    /// before it do not count.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// Returns the status of the response, or `None` if there was none.
    pub fn status(&self) -> Option<StatusCode> {
        self.status
    }

    /// Returns the class of the failure, or `None` on success.
    pub fn class(&self) -> Option<ErrorClass> {
        self.class
    }
}

/// `list_items: 200 OK after 12ms`
impl fmt::Display for AttemptReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.operation)?;
        match (self.status, self.class) {
            (Some(status), _) => write!(f, "{status}")?,
            (None, Some(class)) => write!(f, "{class:?}")?,
            (None, None) => f.write_str("no response")?,
        }
        write!(f, " after {:?}", self.duration)
    }
}
