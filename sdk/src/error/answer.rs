//! Contents of an unexpected response.

use std::fmt;
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, DATE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER, SET_COOKIE};
use serde_json::Value;

use crate::error::quota::Quota;
use crate::generated::problem_code::ProblemCode;
use crate::redact::Redactor;
use crate::text::{excerpt, one_line};
use crate::types::{FieldError, Problem};

/// Why a response is not the expected one.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The status is not a success.
    Status,
    /// A success whose body ends before its JSON does.
    Truncated,
    /// A success that is not JSON.
    NotJson,
    /// A success that cannot be decompressed.
    BadEncoding,
    /// A success that does not match the contract.
    OffContract { path: String },
    /// A success whose body exceeds the client's size limit.
    TooLarge { limit: u64 },
}

/// Text that `Debug` does not show.
#[derive(Clone)]
pub(crate) struct Hidden(pub(crate) String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} characters>", self.0.chars().count())
    }
}

/// Details of a response.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
    /// The quota reported by a 429 response.
    pub(crate) quota: Option<Quota>,
    pub(crate) code: Option<ProblemCode>,
    /// One-line message for people.
    pub(crate) detail: Option<String>,
    /// The beginning of an unreadable success, which may contain customer data.
    pub(crate) excerpt: Option<Hidden>,
    pub(crate) headers: HeaderMap,
    /// The redacted body of an error response.
    pub(crate) body: Option<String>,
    /// The target of a redirect.
    pub(crate) location: Option<String>,
    pub(crate) field_errors: Vec<FieldError>,
    pub(crate) problem: Option<Problem>,
}

impl Answer {
    pub(crate) fn new(status: StatusCode, headers: &HeaderMap, redactor: &Redactor) -> Self {
        Self {
            status,
            request_id: request_id(headers, redactor),
            retry_after: retry_after(headers, SystemTime::now),
            quota: match status {
                StatusCode::TOO_MANY_REQUESTS => Quota::of(headers),
                _ => None,
            },
            code: None,
            detail: None,
            excerpt: None,
            location: location(status, headers, redactor),
            headers: redacted(headers, redactor),
            body: None,
            field_errors: Vec::new(),
            problem: None,
        }
    }

    /// Extracts the details of an error body: the contract's problem document or part of one, what
    /// frameworks and gateways send instead, or the beginning of any text.
    pub(crate) fn describe(&mut self, body: &[u8], redactor: &Redactor) {
        let encoding = self.unknown_encoding();
        let body_as_text = || match &encoding {
            Some(encoding) => Some(format!(
                "the body has the Content-Encoding {encoding}, which was not requested"
            )),
            None => excerpt(body, redactor),
        };
        self.body = (!body.is_empty()).then(|| redactor.text(&String::from_utf8_lossy(body)));
        let Ok(Value::Object(object)) = serde_json::from_slice(body).map(|body| redactor.json(body)) else {
            self.detail = body_as_text();
            return;
        };
        let text = |name: &str| {
            object
                .get(name)
                .and_then(Value::as_str)
                .and_then(|text| one_line(text, 300))
        };
        self.code = text("code").map(ProblemCode::from);
        if let Some(id) = text("request_id") {
            self.request_id = Some(id);
        }
        self.detail = ["detail", "title", "message", "error"].into_iter().find_map(text);
        self.field_errors = ["errors", "detail"]
            .into_iter()
            .filter_map(|name| object.get(name)?.as_array())
            .flatten()
            .filter_map(|fault| serde_json::from_value::<FieldError>(fault.clone()).ok())
            .collect();
        if self.code.is_none() && self.detail.is_none() && self.field_errors.is_empty() {
            self.detail = body_as_text();
        }
        self.problem = serde_json::from_value(Value::Object(object)).ok();
    }

    /// Returns the `Content-Encoding` of a body that was not decompressed.
    fn unknown_encoding(&self) -> Option<String> {
        let encoding = self.headers.get(CONTENT_ENCODING)?.to_str().ok()?;
        one_line(encoding, 50).filter(|encoding| encoding != "identity")
    }

    pub(crate) fn fmt_fault(&self, fault: &Fault, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.to_string();
        match (fault, &self.code) {
            (Fault::Status, Some(code)) => write!(f, "{} {code}", self.status.as_str())?,
            (Fault::Status, None) => f.write_str(&status)?,
            (Fault::Truncated, _) => write!(f, "{status}, but the body is incomplete")?,
            (Fault::NotJson, _) => {
                write!(f, "{status}, but the body is not JSON")?;
                if let Some(encoding) = self.unknown_encoding() {
                    return write!(f, ": it has the Content-Encoding {encoding}, which was not requested");
                }
            }
            (Fault::BadEncoding, _) => write!(
                f,
                "{status}, but the body cannot be decompressed by its Content-Encoding"
            )?,
            (Fault::TooLarge { limit }, _) => write!(
                f,
                "{status}, but the body is larger than {limit} bytes; request less at once, or raise \
                     `max_response_bytes`"
            )?,
            (Fault::OffContract { path }, _) => {
                write!(f, "{status}, but the body does not match the contract at {path}")?;
            }
        }
        match self.faults().or_else(|| self.detail.clone()) {
            // A proxy's page is often titled with the status.
            Some(detail) if detail != status => write!(f, ": {detail}"),
            None if self.status.is_redirection() => match &self.location {
                Some(location) => write!(
                    f,
                    ": redirects are not followed, here to {location}; check the base URL"
                ),
                None if self.status == StatusCode::NOT_MODIFIED => {
                    f.write_str(": the request was not conditional; check the caches before the platform")
                }
                None => f.write_str(": redirects are not followed; check the base URL"),
            },
            _ => Ok(()),
        }
    }

    /// Formats as `query.limit: must be an integer from 1 to 1000; …`.
    fn faults(&self) -> Option<String> {
        let faults = self.field_errors.iter().map(|fault| {
            let place: Vec<String> = fault.loc.iter().map(ToString::to_string).collect();
            format!("{}: {}", place.join("."), fault.msg)
        });
        one_line(&faults.collect::<Vec<_>>().join("; "), 300)
    }
}

/// Returns the target of a redirect, without its query, which may contain a search text.
fn location(status: StatusCode, headers: &HeaderMap, redactor: &Redactor) -> Option<String> {
    let location = headers.get(LOCATION).filter(|_| status.is_redirection())?;
    let location = location.to_str().ok()?.split(['?', '#']).next()?;
    one_line(&redactor.text(location), 300)
}

/// Returns the redacted headers, without those that set a session.
fn redacted(headers: &HeaderMap, redactor: &Redactor) -> HeaderMap {
    let shown = headers.iter().filter(|(name, _)| *name != SET_COOKIE);
    let shown = shown.filter_map(|(name, value)| {
        let value = redactor.text(&String::from_utf8_lossy(value.as_bytes()));
        Some((name.clone(), HeaderValue::from_str(&value).ok()?))
    });
    shown.collect()
}

/// Returns the id of the request in the platform's logs, from its header.
pub(crate) fn request_id(headers: &HeaderMap, redactor: &Redactor) -> Option<String> {
    let id = headers.get("x-request-id")?.to_str().ok()?;
    one_line(&redactor.text(id), 128)
}

/// Returns how long `Retry-After` asks to wait: a number of seconds, or the time until a date. That
/// time is measured from the response's own `Date`, if present, so that a wrong clock on either side
/// does no harm. Of several values, for example from a proxy, the longest is used.
fn retry_after(headers: &HeaderMap, now: impl Fn() -> SystemTime) -> Option<Duration> {
    let date = |text: &str| httpdate::parse_http_date(text).ok();
    let wait = |text: &str| {
        let until = date(text)?;
        let answered = headers.get(DATE).and_then(|it| date(it.to_str().ok()?.trim()));
        let from = answered.unwrap_or_else(&now);
        Some(until.duration_since(from).unwrap_or_default())
    };
    let values = headers.get_all(RETRY_AFTER).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let waits = values.filter_map(|value| {
        // A date itself contains a comma.
        let listed = || value.split(',').filter_map(|part| seconds(part.trim())).max();
        wait(value.trim()).or_else(listed)
    });
    waits.max()
}

/// Parses a number of seconds. Some servers send a fraction.
fn seconds(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

    use super::retry_after;

    /// Returns the wait that the header asks for at 12:00:00.
    fn asked(value: &'static str, date: Option<&'static str>) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_static(date));
        }
        retry_after(&headers, || {
            httpdate::parse_http_date("Mon, 02 Mar 2026 12:00:00 GMT").unwrap_or(SystemTime::UNIX_EPOCH)
        })
    }

    #[test]
    fn seconds_are_read() {
        assert_eq!(asked("120", None), Some(Duration::from_secs(120)));
        assert_eq!(asked(" 0 ", None), Some(Duration::ZERO));
    }

    #[test]
    fn fraction_of_a_second_is_read() {
        assert_eq!(asked("1.5", None), Some(Duration::from_millis(1500)));
        assert_eq!(asked("0.02", None), Some(Duration::from_millis(20)));
    }

    #[test]
    fn longest_of_several_counts() {
        assert_eq!(asked("1, 30", None), Some(Duration::from_secs(30)));
        assert_eq!(asked("soon, 2", None), Some(Duration::from_secs(2)));
        let mut headers = HeaderMap::new();
        for value in ["30", "Mon, 02 Mar 2026 12:00:40 GMT", "7"] {
            headers.append(RETRY_AFTER, HeaderValue::from_static(value));
        }
        headers.insert(DATE, HeaderValue::from_static("Mon, 02 Mar 2026 12:00:00 GMT"));
        let longest = retry_after(&headers, SystemTime::now);
        assert_eq!(longest, Some(Duration::from_secs(40)));
    }

    #[test]
    fn date_is_measured_from_the_date_of_the_response() {
        let until = "Mon, 02 Mar 2026 12:00:30 GMT";
        assert_eq!(asked(until, None), Some(Duration::from_secs(30)));
        let an_hour_behind = Some("Mon, 02 Mar 2026 11:00:00 GMT");
        assert_eq!(asked(until, an_hour_behind), Some(Duration::from_secs(3630)));
        assert_eq!(asked(until, Some("today")), Some(Duration::from_secs(30)));
    }

    #[test]
    fn past_date_is_no_wait() {
        assert_eq!(asked("Mon, 02 Mar 2026 11:59:59 GMT", None), Some(Duration::ZERO));
    }

    #[test]
    fn invalid_values_are_ignored() {
        for value in ["", "soon", "-1", "1e3", "inf", ".", "99999999999999999999999"] {
            assert_eq!(asked(value, None), None, "{value}");
        }
    }
}
