//! Quota of the key, from the response headers `RateLimit` and `RateLimit-Policy`.

use std::time::Duration;

use reqwest::header::HeaderMap;

/// Quota of a key as reported by a response. Fields that cannot be read count as absent, because only
/// the pace of requests depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    /// Interval between requests at which the quota lasts; `None` if nothing was left of it.
    pub(crate) interval: Option<Duration>,
    /// Period after which the quota is renewed.
    pub(crate) window: Duration,
    /// Time until the renewal, if nothing is left.
    pub(crate) used_up_for: Option<Duration>,
}

impl Quota {
    /// Reads `"default";r=42;t=7` and `"default";q=100;w=60`. Of several quotas, uses an exhausted one,
    /// or else the first.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |name| headers.get(name)?.to_str().ok();
        let limits: Vec<Item<'_>> = text("ratelimit").map(items).unwrap_or_default();
        let is_used_up = |item: &&Item<'_>| item.parameter("r") == Some(0);
        let limit = limits.iter().find(is_used_up).or(limits.first());
        let policies: Vec<Item<'_>> = text("ratelimit-policy").map(items).unwrap_or_default();
        let policy = match limit {
            Some(limit) => policies.iter().find(|policy| policy.name == limit.name),
            None => policies.first(),
        };

        let seconds = |item: &Item<'_>, name| item.parameter(name).map(Duration::from_secs);
        let left = limit.and_then(|limit| limit.parameter("r"));
        let reset = limit.and_then(|limit| seconds(limit, "t"));
        let by_policy = policy.and_then(|policy| {
            let (requests, window) = (policy.parameter("q")?, seconds(policy, "w")?);
            Some((share(window, requests)?, window))
        });
        let by_rest = || Some((left.and_then(|left| share(reset?, left)), reset?));
        let (interval, window) = match by_policy {
            Some((interval, window)) => (Some(interval), window),
            None => by_rest()?,
        };
        Some(Self {
            interval,
            window,
            used_up_for: reset.filter(|_| left == Some(0)),
        })
    }
}

/// Divides a time by `requests`.
fn share(time: Duration, requests: u64) -> Option<Duration> {
    time.checked_div(u32::try_from(requests).unwrap_or(u32::MAX))
}

/// Member of a structured field list (RFC 9651), with its parameters.
struct Item<'a> {
    name: &'a str,
    parameters: &'a str,
}

impl Item<'_> {
    /// Returns an integer parameter.
    fn parameter(&self, name: &str) -> Option<u64> {
        let mut parameters = self.parameters.split(';').filter_map(|it| it.split_once('='));
        let (_, value) = parameters.find(|(key, _)| key.trim() == name)?;
        value.trim().parse().ok()
    }
}

/// Splits a list into members. Quota names are short tokens or strings; names with a comma or semicolon
/// are not supported.
fn items(text: &str) -> Vec<Item<'_>> {
    let items = text.split(',').map(|item| {
        let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
        Item {
            name: name.trim(),
            parameters,
        }
    });
    items.collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::{HeaderMap, HeaderValue};

    use super::Quota;

    fn quota(limit: &'static str, policy: &'static str) -> Option<Quota> {
        let mut headers = HeaderMap::new();
        for (name, value) in [("ratelimit", limit), ("ratelimit-policy", policy)] {
            if !value.is_empty() {
                headers.insert(name, HeaderValue::from_static(value));
            }
        }
        Quota::of(&headers)
    }

    fn read(interval_ms: Option<u64>, window: u64, used_up_for: Option<u64>) -> Option<Quota> {
        Some(Quota {
            interval: interval_ms.map(Duration::from_millis),
            window: Duration::from_secs(window),
            used_up_for: used_up_for.map(Duration::from_secs),
        })
    }

    #[test]
    fn pace_follows_the_policy_or_the_remaining_quota() {
        for (limit, policy, expected) in [
            (
                r#""default";r=42;t=7"#,
                r#""default";q=100;w=60"#,
                read(Some(600), 60, None),
            ),
            (
                r#""default";r=0;t=2"#,
                r#""default";q=5;w=2"#,
                read(Some(400), 2, Some(2)),
            ),
            ("", "default; q=5; w=2", read(Some(400), 2, None)),
            (r#""default";r=4;t=2"#, "", read(Some(500), 2, None)),
            (r#""default";r=0;t=2"#, "", read(None, 2, Some(2))),
            (
                r#""day";r=900;t=50000, "burst";r=0;t=1"#,
                r#""day";q=1000;w=86400, "burst";q=10;w=1"#,
                read(Some(100), 1, Some(1)),
            ),
        ] {
            assert_eq!(quota(limit, policy), expected, "{limit} {policy}");
        }
    }

    #[test]
    fn unreadable_headers_are_no_quota() {
        for text in ["", "soon", ";;", r#""default""#, "a;q=0;w=60", "a;r=x;t=-1"] {
            assert_eq!(quota(text, text), None, "{text}");
        }
    }
}
