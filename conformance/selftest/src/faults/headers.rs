//! Headers that are missing, duplicated, or wrong.

use axum::http::{HeaderName, HeaderValue, StatusCode};

use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, header, response};
use crate::witness::{add_organization, get, request};

pub(super) const FAMILY: Family = Family {
    name: "header",
    title: "Headers",
    faults,
};

fn faults() -> Vec<Fault> {
    let mut faults = of_responses();
    faults.extend(of_methods());
    faults.extend(of_lengths());
    faults
}

fn of_responses() -> Vec<Fault> {
    let list = || get("/api/v1/pipelines/2/items");
    vec![
        fault(
            "request-id-is-new",
            header("X-Request-Id"),
            "The request id is always a new one.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            if answered.is_success() {
                answered.set_header("x-request-id", "another");
            }
        }),
        fault(
            "request-id-is-missing",
            header("X-Request-Id"),
            "A success has no request id.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            if answered.is_success() {
                answered.remove_header("x-request-id");
            }
        }),
        fault(
            "request-id-is-missing-in-errors",
            header("X-Request-Id"),
            "An error has no request id in its header.",
        )
        .shown_by([get("/api/v1/pipelines/99/items")])
        .answer(|_, answered| {
            if answered.status.is_client_error() {
                answered.remove_header("x-request-id");
            }
        }),
        fault(
            "request-id-of-an-unknown-item-is-new",
            header("X-Request-Id"),
            "404 item_not_found has a new id in its body, although the request brought one.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/999/status").header("x-request-id", "mine")])
        .answer(|asked, answered| {
            let is_kept = asked.header("x-request-id").is_some();
            if is_kept && answered.code() == "item_not_found" {
                answered.json()["request_id"] = "another".into();
            }
        }),
        fault(
            "request-id-of-additions-is-in-lower-case",
            header("X-Request-Id"),
            "The request id of an addition is repeated in lower case.",
        )
        .shown_by([add_organization(1001).header("x-request-id", "Mine")])
        .request(|asked| {
            let lower = asked.header("x-request-id").map(str::to_lowercase);
            if let Some(lower) = lower.filter(|_| asked.calls("add_organization")) {
                asked.set_header("x-request-id", &lower);
            }
        }),
        fault(
            "deprecated-without-a-date",
            EVERY_OPERATION,
            "Deprecation is true, without a date of announcement or removal.",
        )
        .shown_by([list()])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                answered.set_header("deprecation", "true");
            }
        }),
        fault(
            "any-request-id-is-kept",
            header("X-Request-Id"),
            "A malformed request id is repeated unchanged.",
        )
        .shown_by([list().header("x-request-id", "two words")])
        .answer(|asked, answered| {
            if let Some(id) = asked
                .header("x-request-id")
                .filter(|id| !id.is_empty())
                .map(str::to_owned)
            {
                answered.set_header("x-request-id", &id);
            }
        }),
        fault(
            "request-id-is-cleaned",
            header("X-Request-Id"),
            "A malformed request id is repeated without the characters that are not allowed.",
        )
        .shown_by([list().header("x-request-id", "two words")])
        .answer(|asked, answered| {
            let id = asked.header("x-request-id").unwrap_or_default();
            let is_kept = |letter: &char| letter.is_ascii_alphanumeric() || "._-".contains(*letter);
            let id: String = id.chars().filter(is_kept).take(128).collect();
            if !id.is_empty() {
                answered.set_header("x-request-id", &id);
            }
        }),
        fault(
            "request-id-is-cut",
            header("X-Request-Id"),
            "A request id is cut to 64 characters.",
        )
        .shown_by([list().header("x-request-id", &"a".repeat(128))])
        .answer(|_, answered| {
            let id = answered.headers.get("x-request-id").and_then(|id| id.to_str().ok());
            if let Some(id) = id.and_then(|id| id.get(..64)).map(str::to_owned) {
                answered.set_header("x-request-id", &id);
            }
        }),
        fault(
            "request-id-is-the-same",
            header("X-Request-Id"),
            "All new request ids are the same.",
        )
        .shown_by([list().header("x-request-id", "")])
        .planted(|_| {
            Plant::request(|asked| {
                if asked.headers.get("x-request-id").is_none() {
                    asked.set_header("x-request-id", "request");
                }
            })
        }),
        fault(
            "may-be-stored",
            header("Cache-Control"),
            "A list may be stored for a minute.",
        )
        .shown_by([list()])
        .answer(|asked, answered| {
            if asked.calls("list_items") {
                answered.set_header("cache-control", "max-age=60");
            }
        }),
        fault(
            "status-may-be-stored",
            header("Cache-Control"),
            "A status has no Cache-Control.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") {
                answered.remove_header("cache-control");
            }
        }),
        fault(
            "searches-may-be-stored",
            header("Cache-Control"),
            "Searches may be stored by any cache.",
        )
        .shown_by([get("/search/products/similar?description=fish")])
        .answer(|asked, answered| {
            if asked.searches() {
                answered.set_header("cache-control", "public, max-age=3600");
            }
        }),
        fault(
            "errors-may-be-stored",
            header("Cache-Control"),
            "An error has no Cache-Control.",
        )
        .shown_by([get("/api/v1/pipelines/99/items")])
        .answer(|_, answered| {
            if answered.status.is_client_error() {
                answered.remove_header("cache-control");
            }
        }),
        fault(
            "stored-and-not",
            header("Cache-Control"),
            "Cache-Control is sent twice, with contradicting values.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            answered
                .headers
                .append("cache-control", HeaderValue::from_static("max-age=60"));
        }),
        fault(
            "json-is-text",
            response("list_items", 200),
            "A list has the media type text/plain.",
        )
        .shown_by([list()])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                answered.set_header("content-type", "text/plain; charset=utf-8");
            }
        }),
        fault(
            "json-is-of-a-vendor",
            response("search_organizations_by_description", 200),
            "A search has a media type of its own.",
        )
        .shown_by([get("/search/organizations/similar?description=fish")])
        .answer(|asked, answered| {
            if asked.searches() && answered.is_success() {
                answered.set_header("content-type", "application/vnd.platform+json");
            }
        }),
        fault(
            "success-is-a-problem",
            response("get_item_values", 200),
            "Values have the media type of a problem.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") {
                answered.set_header("content-type", "application/problem+json");
            }
        }),
        fault(
            "location-is-missing",
            header("Location"),
            "The response to an addition has no Location.",
        )
        .shown_by([add_organization(1001)])
        .answer(|_, answered| answered.remove_header("location")),
        fault(
            "location-names-the-item",
            header("Location"),
            "Location names the item instead of its values.",
        )
        .shown_by([add_organization(1001)])
        .answer(|_, answered| {
            let location = answered
                .headers
                .get("location")
                .and_then(|location| location.to_str().ok());
            if let Some(item) = location
                .and_then(|path| path.strip_suffix("/values"))
                .map(str::to_owned)
            {
                answered.set_header("location", &item);
            }
        }),
        fault(
            "location-names-the-list",
            header("Location"),
            "Location names the list of the pipeline.",
        )
        .shown_by([add_organization(1001)])
        .answer(|_, answered| {
            if answered.status == 201 {
                answered.set_header("location", "/api/v1/pipelines/6/items");
            }
        }),
        fault(
            "redirects",
            EVERY_OPERATION,
            "A status gets a redirect to another path.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/status")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && answered.is_success() {
                answered.status = axum::http::StatusCode::TEMPORARY_REDIRECT;
                answered.set_header("location", "/api/v1/status/");
            }
        }),
    ]
}

/// HEAD and OPTIONS.
fn of_methods() -> Vec<Fault> {
    let items = "/api/v1/pipelines/2/items";
    let on = |method: &'static str, change: fn(&Asked, &mut Answered)| {
        move |asked: &Asked, answered: &mut Answered| {
            if asked.method == method {
                change(asked, answered);
            }
        }
    };
    let reject = |_: &Asked, answered: &mut Answered| {
        if answered.is_success() {
            answered.becomes(405, "method_not_allowed");
            answered.set_header("allow", "GET, POST");
        }
    };
    vec![
        fault(
            "head-finds-items-elsewhere",
            EVERY_OPERATION,
            "HEAD for an item of another pipeline gets 200.",
        )
        .shown_by([request("HEAD", "/api/v1/pipelines/2/items/100001/values")])
        .answer(on("HEAD", |asked, answered| {
            if answered.status == 400 && asked.segment(4) == "items" {
                answered.status = StatusCode::OK;
                answered.set_header("content-type", "application/json");
            }
        })),
        fault("head-is-refused", EVERY_OPERATION, "HEAD gets 405.")
            .shown_by([request("HEAD", items)])
            .answer(on("HEAD", reject)),
        fault(
            "head-has-no-type",
            EVERY_OPERATION,
            "The response to HEAD has no Content-Type.",
        )
        .shown_by([request("HEAD", items)])
        .answer(on("HEAD", |_, answered| {
            answered.remove_header("content-type");
        })),
        fault(
            "head-has-length-zero",
            EVERY_OPERATION,
            "The response to HEAD says that the body of GET is empty.",
        )
        .shown_by([request("HEAD", items)])
        .answer(on("HEAD", |_, answered| {
            answered.set_header("content-length", "0");
        })),
        fault(
            "head-looks-at-no-parameter",
            EVERY_OPERATION,
            "HEAD gets 200 with any parameters.",
        )
        .shown_by([request("HEAD", format!("{items}?limit=0"))])
        .answer(on("HEAD", |_, answered| {
            if answered.status == 422 {
                answered.status = axum::http::StatusCode::OK;
                answered.set_header("content-type", "application/json");
            }
        })),
        fault(
            "head-is-answered-without-a-key",
            EVERY_OPERATION,
            "HEAD gets 200 without a key.",
        )
        .shown_by([request("HEAD", items).key("")])
        .request(|asked| {
            if asked.method == "HEAD" && asked.header("api-key").is_none() {
                asked.set_header("api-key", "dev-full-access");
            }
        }),
        fault("options-is-refused", EVERY_OPERATION, "OPTIONS gets 405.")
            .shown_by([request("OPTIONS", items)])
            .answer(on("OPTIONS", reject)),
        fault("options-has-a-body", EVERY_OPERATION, "OPTIONS gets 200.")
            .shown_by([request("OPTIONS", items)])
            .answer(on("OPTIONS", |_, answered| {
                answered.status = axum::http::StatusCode::OK;
            })),
        fault(
            "options-names-no-method",
            EVERY_OPERATION,
            "The response to OPTIONS has no Allow.",
        )
        .shown_by([request("OPTIONS", items)])
        .answer(on("OPTIONS", |_, answered| answered.remove_header("allow"))),
        fault(
            "options-does-not-name-head",
            EVERY_OPERATION,
            "Allow does not name HEAD where an item is read.",
        )
        .shown_by([request("OPTIONS", "/api/v1/pipelines/1/items/100001/values")])
        .answer(on("OPTIONS", |asked, answered| {
            if asked.path.ends_with("/values") {
                answered.set_header("allow", "GET, OPTIONS");
            }
        })),
        fault(
            "options-does-not-name-itself",
            EVERY_OPERATION,
            "Allow does not name OPTIONS.",
        )
        .shown_by([request("OPTIONS", items)])
        .answer(on("OPTIONS", |_, answered| {
            let allowed = answered.headers.get("allow").and_then(|allowed| allowed.to_str().ok());
            let others = allowed.map(|allowed| allowed.replace(",OPTIONS", ""));
            answered.set_header("allow", &others.unwrap_or_default());
        })),
        fault(
            "options-does-not-name-post",
            EVERY_OPERATION,
            "Allow does not name POST where organizations are added.",
        )
        .shown_by([request("OPTIONS", "/api/v1/pipelines/6/organizations")])
        .answer(on("OPTIONS", |asked, answered| {
            if asked.path.ends_with("/organizations") {
                answered.set_header("allow", "OPTIONS");
            }
        })),
    ]
}

/// Long requests of a permitted length.
fn of_lengths() -> Vec<Fault> {
    /// The default limit of common gateways.
    const GATEWAY: usize = 8 * 1024;
    let padding = "x".repeat(2 * GATEWAY);
    let nearly = "x".repeat(31 * 1024);
    let items = "/api/v1/pipelines/2/items";
    vec![
        fault(
            "target-of-16-kib-is-refused",
            EVERY_OPERATION,
            "A request target of more than 8 KiB gets 414.",
        )
        .shown_by([get(format!("{items}?padding={padding}"))])
        .answer(|asked, answered| {
            if asked.query.len() > GATEWAY && !asked.searches() {
                answered.becomes(414, "uri_too_long");
            }
        }),
        fault(
            "target-is-cut",
            EVERY_OPERATION,
            "The part of a request target after 8 KiB is dropped.",
        )
        .shown_by([get(format!("{items}?padding={padding}"))])
        .request(|asked| {
            if asked.calls("list_items") && asked.query.len() > GATEWAY {
                asked.keep(|_, value| value.len() < GATEWAY);
            }
        }),
        fault(
            "fields-of-16-kib-are-refused",
            EVERY_OPERATION,
            "Header fields of more than 8 KiB get 431.",
        )
        .shown_by([get(items).header("x-padding", &padding)])
        .answer(|asked, answered| {
            if asked.headers.values().any(|value| value.len() > GATEWAY) {
                answered.becomes(431, "headers_too_large");
            }
        }),
        fault(
            "long-request-id-is-shortened",
            header("X-Request-Id"),
            "Of a request id that is too long, the beginning is kept.",
        )
        .shown_by([get(items).header("x-request-id", &"a".repeat(200))])
        .answer(|asked, answered| {
            let id = asked.header("x-request-id").unwrap_or_default();
            if let Some(start) = id.get(..128).filter(|_| id.len() > 128) {
                let start = start.to_owned();
                answered.set_header("x-request-id", &start);
            }
        }),
        fault(
            "fields-of-31-kib-are-refused",
            EVERY_OPERATION,
            "Header fields of more than 31 KiB get 431.",
        )
        .shown_by([get(items).header("x-padding", &nearly)])
        .answer(|asked, answered| {
            let field = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + 4;
            if asked.headers.iter().map(field).sum::<usize>() > 31 * 1024 {
                answered.becomes(431, "headers_too_large");
            }
        }),
        fault(
            "target-of-31-kib-is-refused",
            EVERY_OPERATION,
            "A request target of more than 31 KiB gets 414.",
        )
        .shown_by([get(format!("{items}?padding={nearly}"))])
        .answer(|asked, answered| {
            if asked.path.len() + asked.query.len() > 31 * 1024 {
                answered.becomes(414, "uri_too_long");
            }
        }),
    ]
}
