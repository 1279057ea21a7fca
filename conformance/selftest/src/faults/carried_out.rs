//! Additions that are rejected and carried out all the same.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::StatusCode;
use serde_json::json;

use crate::exchange::{Asked, Plant};
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, response};
use crate::witness::{Witness, add, add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "carried-out",
    title: "Rejected additions that are carried out",
    faults,
};

/// A way in which an addition is wrong, and the rejection.
struct Wrong {
    is: fn(&Asked) -> bool,
    status: u16,
    code: &'static str,
}

fn faults() -> Vec<Fault> {
    let added = || add(6, r#"{"organization_id": 1001}"#);
    let fault = |name: &str, wrong: &'static str, witness: Witness, is: Wrong| {
        fault(name, EVERY_OPERATION, wrong)
            .shown_by([witness, get("/api/v1/pipelines/6/items")])
            .planted(move |_| carried_out(&is))
    };
    let rejected = vec![
        fault(
            "text",
            "A body of another type is rejected, and its organization is added.",
            added().header("content-type", "text/plain"),
            Wrong {
                is: |asked| asked.header("content-type") == Some("text/plain"),
                status: 415,
                code: "unsupported_media_type",
            },
        ),
        fault(
            "without-a-key",
            "A request without a key is rejected, and its organization is added.",
            added().key(""),
            Wrong {
                is: |asked| asked.header("api-key").is_none(),
                status: 401,
                code: "authentication_required",
            },
        ),
        fault(
            "denied",
            "A denied key is rejected, and its organization is added.",
            added().key("dev-read-only"),
            Wrong {
                is: |asked| asked.header("api-key") == Some("dev-read-only") && asked.segment(3) == "6",
                status: 403,
                code: "authorization_denied",
            },
        ),
        fault(
            "over-the-quota",
            "A request over the quota is rejected, and its organization is added.",
            added().key("dev-rate-limited"),
            Wrong {
                is: |asked| asked.header("api-key") == Some("dev-rate-limited"),
                status: 429,
                code: "rate_limited",
            },
        ),
        fault(
            "too-long",
            "A body that is too long is rejected, and its organization is added.",
            add(6, format!("{{\"organization_id\": 1001}}{}", " ".repeat(65_536))),
            Wrong {
                is: |asked| asked.body.len() > 65_536 && asked.header("content-type") == Some("application/json"),
                status: 413,
                code: "body_too_large",
            },
        ),
        fault(
            "id-in-quotes",
            "An id that is a string is rejected, and its organization is added.",
            add(6, r#"{"organization_id": "1001"}"#),
            Wrong {
                is: |asked| asked.json()["organization_id"].is_string(),
                status: 422,
                code: "validation_failed",
            },
        ),
        fault(
            "with-a-parameter",
            "A request with an unknown parameter is rejected, and its organization is added.",
            Witness::adding_with("offset=1", 1001),
            Wrong {
                is: |asked| !asked.query.is_empty(),
                status: 422,
                code: "validation_failed",
            },
        ),
    ];
    rejected.into_iter().chain([already_there()]).collect()
}

/// The pipeline has as many items more as additions were rejected. Which ones it does not show.
fn already_there() -> Fault {
    fault(
        "already-there",
        response("add_organization", 409),
        "An organization that is there already is rejected, and added again.",
    )
    .shown_by([add_organization(2331), get("/api/v1/pipelines/6/items")])
    .planted(|_| {
        let added = AtomicU64::new(0);
        Plant::answer(move |asked, answered| {
            let is_of_6 = asked.segment(3) == "6";
            if is_of_6 && answered.code() == "organization_already_in_pipeline" {
                added.fetch_add(1, Ordering::Relaxed);
            }
            if is_of_6 && asked.calls("list_items") && answered.is_success() {
                let page = answered.json();
                let total = page["total_count"].as_u64().unwrap_or_default();
                page["total_count"] = json!(total + added.load(Ordering::Relaxed));
            }
        })
    })
}

/// Carries out an addition that is wrong in this way, if its organization exists, and rejects it.
fn carried_out(wrong: &Wrong) -> Plant {
    let Wrong { is, status, code } = *wrong;
    let applies = move |asked: &Asked| {
        asked.calls("add_organization") && organization(asked).is_some_and(|id| id < 4_000) && is(asked)
    };
    let mend = Plant::request(move |asked| {
        if let Some(id) = organization(asked).filter(|_| applies(asked)) {
            asked.set_header("api-key", "dev-full-access");
            asked.set_header("content-type", "application/json");
            asked.query.clear();
            asked.body = json!({ "organization_id": id }).to_string().into();
        }
    });
    mend.and_answer(move |asked, answered| {
        if !applies(asked) || !(answered.status == StatusCode::CREATED || answered.status == StatusCode::CONFLICT) {
            return;
        }
        answered.becomes(status, code);
        match status {
            401 => answered.set_header("www-authenticate", "ApiKey"),
            429 => {
                answered.set_header("retry-after", "2");
                answered.set_header("ratelimit", r#""default";r=0;t=2"#);
                answered.set_header("ratelimit-policy", r#""default";q=10;w=2"#);
            }
            422 => {
                let (place, kind) = match asked.query.is_empty() {
                    true => (["body", "organization_id"], "not_an_integer"),
                    false => (["query", "offset"], "unknown"),
                };
                answered.json()["errors"] = json!([{"loc": place, "msg": "is wrong", "type": kind}]);
            }
            _ => {}
        }
    })
}

/// The organization that a body names, in whatever form.
fn organization(asked: &Asked) -> Option<u64> {
    let id = &asked.json()["organization_id"];
    id.as_u64().or_else(|| id.as_str()?.parse().ok())
}
