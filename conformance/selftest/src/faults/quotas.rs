//! Quotas that are not told, not enforced, or not renewed.

use crate::exchange::Plant;
use crate::fault::{Family, Fault, fault, header};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "quota",
    title: "Quotas",
    faults,
};

/// A key with a quota of ten requests.
const LIMITED: &str = "dev-rate-limited";

fn faults() -> Vec<Fault> {
    let used_up = || vec![list(); 11];
    let refused = "/components/responses/RateLimited";
    vec![
        fault(
            "is-not-told",
            header("RateLimit"),
            "Nobody is told what is left of a quota.",
        )
        .shown_by([list()])
        .answer(|_, answered| answered.remove_header("ratelimit")),
        fault(
            "policy-is-not-told",
            header("RateLimit-Policy"),
            "Nobody is told how large a quota is.",
        )
        .shown_by([list()])
        .answer(|_, answered| answered.remove_header("ratelimit-policy")),
        fault(
            "stays-full",
            header("RateLimit"),
            "What is left of a quota never gets less.",
        )
        .shown_by([list(), list()])
        .answer(|_, answered| {
            if answered.headers.contains_key("ratelimit") {
                answered.set_header("ratelimit", r#""default";r=4;t=2"#);
            }
        }),
        fault(
            "more-is-left-than-there-was",
            header("RateLimit"),
            "More is left of a quota than there ever was.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            if answered.headers.contains_key("ratelimit") {
                answered.set_header("ratelimit", r#""default";r=99;t=2"#);
            }
        }),
        fault(
            "comes-back-by-itself",
            header("Retry-After"),
            "A quota that is used up does not say when to come back.",
        )
        .shown_by(used_up())
        .answer(|_, answered| answered.remove_header("retry-after")),
        fault(
            "comes-back-at-once",
            header("Retry-After"),
            "A quota that is used up says to come back at once.",
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
            "A quota that is used up says the date to come back on.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.set_header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT");
            }
        }),
        fault(
            "comes-back-too-early",
            header("Retry-After"),
            "A quota that is used up says to come back after a second, and is not renewed by then.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.set_header("retry-after", "1");
            }
        }),
        fault(
            "is-not-enforced",
            refused,
            "A quota is told and never enforced.",
        )
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
            "is-403",
            refused,
            "A quota that is used up is answered 403.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.becomes(403, "authorization_denied");
            }
        }),
        fault(
            "is-503",
            refused,
            "A quota that is used up is answered 503.",
        )
        .shown_by(used_up())
        .answer(|_, answered| {
            if answered.status == 429 {
                answered.becomes(503, "unavailable");
            }
        }),
        fault(
            "does-not-count-searches",
            refused,
            "Searches do not count, and are never refused for a quota.",
        )
        .shown_by(vec![
            get("/search/organizations/similar?description=fish")
                .key(LIMITED);
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
