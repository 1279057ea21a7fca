//! Rules for the headers that announce a removal.

use chrono::DateTime;

use crate::rules::subject::Subject;

/// How long before a removal it must be announced, in days: twelve months at their shortest.
const ANNOUNCED_AHEAD: i64 = 365;

/// Checks that a deprecation is announced as RFC 9745 and RFC 8594 require, and early enough.
pub(super) fn check_deprecation(subject: &mut Subject<'_>) {
    let response = subject.response;
    let text = |name| {
        response
            .headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let Some(deprecation) = text("deprecation") else {
        return;
    };
    let since = deprecation.strip_prefix('@').and_then(|seconds| seconds.parse().ok());
    let Some(since) = since.and_then(|seconds| DateTime::from_timestamp(seconds, 0)) else {
        subject.record("header Deprecation", "a date such as @1735689600", deprecation);
        return;
    };
    let sunset = text("sunset").unwrap_or("missing");
    let is_late = DateTime::parse_from_rfc2822(sunset)
        .is_ok_and(|sunset| (sunset.to_utc() - since).num_days() >= ANNOUNCED_AHEAD);
    if !is_late {
        let expected = format!("an HTTP date at least 12 months after {since}");
        subject.record("header Sunset", expected, sunset);
    }
}
