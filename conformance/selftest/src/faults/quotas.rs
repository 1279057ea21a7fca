//! Quotas that are not reported, not enforced, or not renewed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::http::Method;
use serde_json::json;

use crate::exchange::Plant;
use crate::fault::{Family, Fault, fault, header};
use crate::witness::{Witness, add_organization, get, request};

pub(super) const FAMILY: Family = Family {
    name: "quota",
    title: "Quotas",
    faults,
};

/// A key with a quota of ten requests.
const LIMITED: &str = "dev-rate-limited";

fn faults() -> Vec<Fault> {
    let used_up = || vec![list(); 11];
    let rejected = "/components/responses/RateLimited";
    vec![
        fault(
            "is-not-told",
            header("RateLimit"),
            "The rest of a quota is not reported.",
        )
        .shown_by([list()])
        .answer(|_, answered| answered.remove_header("ratelimit")),
        fault(
            "policy-is-not-told",
            header("RateLimit-Policy"),
            "The size of a quota is not reported.",
        )
        .shown_by([list()])
        .answer(|_, answered| answered.remove_header("ratelimit-policy")),
        fault(
            "unknown-keys-have-one",
            "/info",
            "An unknown key gets 429 while the quota of another key is used up.",
        )
        .shown_by(
            used_up()
                .into_iter()
                .chain([get("/api/v1/pipelines/2/items").key("unknown")]),
        )
        .planted(|_| {
            let is_used_up = AtomicBool::new(false);
            Plant::answer(move |asked, answered| {
                if asked.header("api-key") == Some(LIMITED) {
                    is_used_up.store(answered.status == 429, Ordering::Relaxed);
                }
                if answered.code() == "invalid_api_key" && is_used_up.load(Ordering::Relaxed) {
                    answered.becomes(429, "rate_limited");
                    for (name, value) in [
                        ("retry-after", "2"),
                        ("ratelimit", r#""default";r=0;t=2"#),
                        ("ratelimit-policy", r#""default";q=5;w=2"#),
                    ] {
                        answered.set_header(name, value);
                    }
                }
            })
        }),
        fault(
            "searches-do-not-tell",
            header("RateLimit"),
            "Searches do not report the quota, which their requests count against.",
        )
        .shown_by([get("/search/organizations/similar?description=fish").key("dev-rate-limited")])
        .answer(|asked, answered| {
            if asked.searches() {
                answered.remove_header("ratelimit");
                answered.remove_header("ratelimit-policy");
            }
        }),
        fault(
            "errors-do-not-tell",
            header("RateLimit"),
            "Errors other than 429 do not report the quota.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0").key(LIMITED)])
        .answer(|_, answered| {
            if answered.status.is_client_error() && answered.status != 429 {
                answered.remove_header("ratelimit");
                answered.remove_header("ratelimit-policy");
            }
        }),
        fault(
            "policy-is-of-another-plan",
            header("RateLimit-Policy"),
            "The policy has twice as many requests as the quota.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            if answered.headers.contains_key("ratelimit-policy") {
                answered.set_header("ratelimit-policy", r#""default";q=20;w=2"#);
            }
        }),
        fault(
            "stays-full",
            header("RateLimit"),
            "The reported rest of a quota never decreases.",
        )
        .shown_by([list(), list()])
        .answer(|_, answered| {
            if answered.headers.contains_key("ratelimit") {
                answered.set_header("ratelimit", r#""default";r=4;t=2"#);
            }
        }),
        fault(
            "searches-are-not-counted",
            header("RateLimit"),
            "The reported rest of a quota does not decrease with a search.",
        )
        .shown_by([get("/search/products/similar?description=fish").key(LIMITED)])
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() && answered.headers.contains_key("ratelimit") {
                answered.set_header("ratelimit", r#""default";r=5;t=2"#);
            }
        }),
        fault(
            "window-is-in-milliseconds",
            header("RateLimit-Policy"),
            "The window of a policy is in milliseconds.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            if answered.headers.contains_key("ratelimit-policy") {
                answered.set_header("ratelimit-policy", r#""default";q=5;w=2000"#);
            }
        }),
        fault(
            "all-times-are-in-milliseconds",
            header("RateLimit"),
            "The window of a policy and the time until it is renewed are in milliseconds.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            let limit = answered.headers.get("ratelimit").and_then(|limit| limit.to_str().ok());
            if let Some(limit) = limit.map(|limit| format!("{limit}000")) {
                answered.set_header("ratelimit", &limit);
                answered.set_header("ratelimit-policy", r#""default";q=5;w=2000"#);
            }
        }),
        fault(
            "more-is-left-than-there-was",
            header("RateLimit"),
            "The reported rest of a quota exceeds its size.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            if answered.headers.contains_key("ratelimit") {
                answered.set_header("ratelimit", r#""default";r=99;t=2"#);
            }
        }),
        fault(
            "one-too-many-is-left",
            header("RateLimit"),
            "The reported rest of a quota includes the request itself.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            let left = answered.headers.get("ratelimit");
            let left = left.and_then(|left| left.to_str().ok()?.split(";r=").nth(1));
            let left = left.and_then(|left| left.split(';').next()?.parse::<u64>().ok());
            if let (true, Some(left)) = (answered.is_success(), left) {
                let left = format!(r#""default";r={};t=2"#, left + 1);
                answered.set_header("ratelimit", &left);
            }
        }),
        fault(
            "comes-back-by-itself",
            header("Retry-After"),
            "A quota that is used up has no Retry-After.",
        )
        .shown_by(used_up())
        .answer(|_, answered| answered.remove_header("retry-after")),
        fault(
            "head-does-not-say-when",
            header("Retry-After"),
            "A HEAD request beyond the quota is rejected without Retry-After.",
        )
        .shown_by(
            used_up()
                .into_iter()
                .chain([request("HEAD", "/api/v1/pipelines/2/items").key(LIMITED)]),
        )
        .answer(|asked, answered| {
            if asked.method == Method::HEAD {
                answered.remove_header("retry-after");
            }
        }),
        fault(
            "comes-back-at-once",
            header("Retry-After"),
            "A quota that is used up has a Retry-After of 0.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.set_header("retry-after", "0");
            }
        }),
        fault(
            "comes-back-on-a-date",
            header("Retry-After"),
            "Retry-After of a quota that is used up is a date.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.set_header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
            }
        }),
        fault(
            "comes-back-in-milliseconds",
            header("Retry-After"),
            "Retry-After of a quota that is used up is in milliseconds.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            let seconds = answered.headers.get("retry-after").and_then(|text| text.to_str().ok());
            if let Some(seconds) = seconds.and_then(|text| text.parse::<u64>().ok()) {
                answered.set_header("retry-after", &(1000 * seconds).to_string());
            }
        }),
        fault(
            "comes-back-too-early",
            header("Retry-After"),
            "A quota that is used up has a Retry-After of a second, and is not renewed by then.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.set_header("retry-after", "1");
            }
        }),
        fault("is-not-enforced", rejected, "A quota is reported and never enforced.")
            .shown_by(used_up())
            .planted(|_| {
                let let_through = Plant::request(|asked| {
                    if asked.header("api-key") == Some(LIMITED) {
                        asked.set_header("api-key", "dev-read-only");
                    }
                });
                let_through.and_answer(|asked, answered| {
                    if asked.header("api-key") == Some(LIMITED) {
                        answered.set_header("ratelimit", r#""default";r=4;t=2"#);
                        answered.set_header("ratelimit-policy", r#""default";q=5;w=2"#);
                    }
                })
            }),
        fault(
            "one-more-is-accepted",
            header("RateLimit"),
            "A quota that is used up allows one more request.",
        )
        .shown_by(used_up())
        .planted(|_| {
            let was_used_up = AtomicBool::new(false);
            Plant::answer(move |asked, answered| {
                let is_used_up = answered.status == 429;
                if asked.calls("list_items") && is_used_up && !was_used_up.swap(true, Ordering::SeqCst) {
                    answered.succeeds(&json!({"pipeline_id": 1, "total_count": 0, "items": []}));
                    answered.remove_header("retry-after");
                } else if asked.header("api-key") == Some(LIMITED) && !is_used_up {
                    was_used_up.store(false, Ordering::SeqCst);
                }
            })
        }),
        fault(
            "refusals-extend-the-wait",
            header("Retry-After"),
            "After two refused requests, the first one after Retry-After is refused as well.",
        )
        .shown_by(used_up().into_iter().chain([list(), list().later()]))
        .planted(|_| {
            let refused = AtomicUsize::new(0);
            Plant::answer(move |asked, answered| {
                if asked.header("api-key") != Some(LIMITED) {
                    return;
                }
                if answered.status == 429 {
                    refused.fetch_add(1, Ordering::SeqCst);
                } else if refused.swap(0, Ordering::SeqCst) > 1 {
                    answered.becomes(429, "rate_limited");
                    answered.set_header("retry-after", "2");
                }
            })
        }),
        fault("is-403", rejected, "A quota that is used up gets 403.")
            .shown_by(used_up())
            .answer(|_, answered| {
                if answered.status == 429 {
                    answered.becomes(403, "authorization_denied");
                }
            }),
        fault("is-503", rejected, "A quota that is used up gets 503.")
            .shown_by(used_up())
            .answer(|_, answered| {
                if answered.status == 429 {
                    answered.becomes(503, "unavailable");
                }
            }),
        fault(
            "is-503-until-it-is-renewed",
            rejected,
            "A quota that is used up gets 503 with Retry-After.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.becomes(503, "unavailable");
                answered.set_header("retry-after", "2");
            }
        }),
        fault(
            "policies-come-first",
            rejected,
            "A key that may not add gets 403 when its quota is used up.",
        )
        .shown_by(used_up().into_iter().chain([add_organization(1001).key(LIMITED)]))
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.status == 429 {
                answered.becomes(403, "authorization_denied");
            }
        }),
        fault(
            "does-not-count-searches",
            rejected,
            "Searches do not count towards a quota and are never rejected.",
        )
        .shown_by(vec![
            get("/search/organizations/similar?description=fish").key(LIMITED);
            11
        ])
        .request(|asked| {
            if asked.searches() && asked.header("api-key") == Some(LIMITED) {
                asked.set_header("api-key", "dev-read-only");
            }
        }),
    ]
}

fn list() -> Witness {
    get("/api/v1/pipelines/2/items?limit=1").key(LIMITED)
}
