//! How long a run waits after a 429 or a 503.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::RETRY_AFTER;

use crate::target::Role;
use crate::transport::request::{Credential, Request};
use crate::transport::response::HttpResponse;

/// The longest wait after a 429.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The first wait after a 429 that does not say how long; it doubles each further time.
const FIRST_GUESS: Duration = Duration::from_secs(1);
/// The longest of these waits.
const LONGEST_GUESS: Duration = Duration::from_secs(30);

/// Whether a request can wait for a quota: requests with the rate-limited key are sent to see the 429.
pub(super) fn waits_for_quota(request: &Request) -> bool {
    request.waits && request.credential != Credential::Role(Role::RateLimited)
}

/// Whether a 503 to the rate-limited key says that nothing is left of its quota: it may be meant as a 429.
pub(super) fn is_over_quota(request: &Request, response: &HttpResponse) -> bool {
    let left = response.header("ratelimit").unwrap_or_default();
    let is_used_up = left.split(';').any(|parameter| parameter.trim() == "r=0");
    response.status == 503 && is_used_up && !waits_for_quota(request)
}

/// How long a 503 asks to wait, unless that is too long.
pub(super) fn unavailable_for(response: &HttpResponse) -> Option<Duration> {
    requested_wait(response).filter(|wait| response.status == 503 && *wait <= LONGEST_WAIT)
}

/// How long to wait after a 429, when the request can wait. Without a `Retry-After`, longer each time.
pub(super) fn wait_for(request: &Request, response: &HttpResponse, attempts: u32) -> Option<Duration> {
    let is_turned_away = waits_for_quota(request) && response.status == 429;
    let guess = || FIRST_GUESS.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
    is_turned_away.then(|| requested_wait(response).unwrap_or_else(|| guess().min(LONGEST_GUESS)))
}

/// How long `Retry-After` asks to wait: a number of seconds, or a date.
pub(super) fn requested_wait(response: &HttpResponse) -> Option<Duration> {
    asked(response.header(RETRY_AFTER.as_str())?.trim(), Utc::now())
}

fn asked(text: &str, now: DateTime<Utc>) -> Option<Duration> {
    let seconds = text.parse().ok().map(Duration::from_secs);
    seconds.or_else(|| {
        let date = DateTime::parse_from_rfc2822(text).ok()?;
        Some((date.to_utc() - now).to_std().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_is_a_number_of_seconds_or_a_date() {
        let now = DateTime::from_timestamp(1_798_372_800, 0).unwrap();
        for (text, seconds) in [
            ("3", Some(3)),
            ("Sun, 27 Dec 2026 12:00:05 GMT", Some(5)),
            ("Sun, 27 Dec 2026 11:00:00 GMT", Some(0)),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(asked(text, now), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
