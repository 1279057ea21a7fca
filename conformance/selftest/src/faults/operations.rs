//! Rules for every operation that are broken for one operation, one status or one method.

use axum::http::StatusCode;

use crate::exchange::{Answered, Asked};
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, header, operation, response};
use crate::witness::{add_organization, get, request};

pub(super) const FAMILY: Family = Family {
    name: "operation",
    title: "Rules for every operation, broken on one",
    faults,
};

const ITEMS: &str = "/api/v1/pipelines/2/items";
const VALUES: &str = "/api/v1/pipelines/2/items/200001/values";
const STATUS: &str = "/api/v1/pipelines/2/items/200001/status";
const FISH: &str = "/search/organizations/similar?description=fish";

fn faults() -> Vec<Fault> {
    [
        of_missing_ones(),
        of_request_ids(),
        of_challenges(),
        of_methods(),
        of_negotiation(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Operations that a deployment does not have, as routers and frameworks answer them.
fn of_missing_ones() -> Vec<Fault> {
    let missing = |name: &'static str, id: &'static str, what: &'static str, (status, code): (u16, &'static str)| {
        fault(name, operation(id), what).answer(move |asked, answered| {
            if asked.calls(id) {
                answered.becomes(status, code);
            }
        })
    };
    vec![
        missing(
            "status-is-missing",
            "get_item_status",
            "The route of the status of an item is unknown.",
            (404, "route_not_found"),
        )
        .shown_by([get(STATUS)]),
        missing(
            "customers-of-products-are-missing",
            "search_products_by_customer",
            "Products cannot be searched by customers yet: 501.",
            (501, "not_implemented"),
        )
        .shown_by([get("/search/products/similar-customers?product_customer=fish")]),
        missing(
            "additions-are-missing",
            "add_organization",
            "A pipeline can be listed and not added to: 405.",
            (405, "method_not_allowed"),
        )
        .shown_by([add_organization(1001)]),
    ]
}

fn of_request_ids() -> Vec<Fault> {
    let id = || header("X-Request-Id");
    vec![
        fault(
            "searches-make-request-ids",
            id(),
            "A search does not keep the request id.",
        )
        .shown_by([get(FISH)])
        .request(|asked| {
            if asked.searches() {
                asked.headers.remove("x-request-id");
            }
        }),
        fault(
            "status-makes-request-ids",
            id(),
            "A status does not keep the request id.",
        )
        .shown_by([get(STATUS)])
        .request(|asked| {
            if asked.calls("get_item_status") {
                asked.headers.remove("x-request-id");
            }
        }),
        fault(
            "additions-make-request-ids",
            id(),
            "An addition does not keep the request id.",
        )
        .shown_by([add_organization(1001)])
        .request(|asked| {
            if asked.calls("add_organization") {
                asked.headers.remove("x-request-id");
            }
        }),
        fault("options-make-request-ids", id(), "OPTIONS has no request id.")
            .shown_by([request("OPTIONS", ITEMS)])
            .answer(|asked, answered| {
                if asked.method == "OPTIONS" {
                    answered.remove_header("x-request-id");
                }
            }),
        fault("heads-make-request-ids", id(), "HEAD does not keep the request id.")
            .shown_by([request("HEAD", VALUES)])
            .request(|asked| {
                if asked.method == "HEAD" {
                    asked.headers.remove("x-request-id");
                }
            }),
        fault(
            "products-keep-any-request-id",
            id(),
            "A search for products keeps a request id with a space.",
        )
        .shown_by([get("/search/products/similar?description=fish").header("x-request-id", "a b")])
        .answer(|asked, answered| {
            let is_of_products = asked.operation.is_some_and(|id| id.starts_with("search_products"));
            if let Some(id) = asked
                .header("x-request-id")
                .filter(|id| is_of_products && !id.is_empty())
            {
                answered.set_header("x-request-id", id);
            }
        }),
        fault(
            "values-share-a-request-id",
            id(),
            "All values are read with one request id.",
        )
        .shown_by([get(VALUES).header("x-request-id", "")])
        .request(|asked| {
            if asked.calls("get_item_values") && asked.header("x-request-id").is_none() {
                asked.set_header("x-request-id", "values");
            }
        }),
    ]
}

fn of_challenges() -> Vec<Fault> {
    vec![
        fault(
            "searches-challenge-bearers",
            header("WWW-Authenticate"),
            "A search without a key asks for a bearer token.",
        )
        .shown_by([get(FISH).key("")])
        .answer(|asked, answered| {
            if asked.searches() && answered.status == 401 {
                answered.set_header("www-authenticate", "Bearer");
            }
        }),
        fault(
            "additions-challenge-users",
            header("WWW-Authenticate"),
            "An addition without a key asks for a password.",
        )
        .shown_by([add_organization(1001).key("")])
        .answer(|asked, answered| {
            if asked.calls("add_organization") && answered.status == 401 {
                answered.set_header("www-authenticate", "Basic realm=\"platform\"");
            }
        }),
    ]
}

fn of_methods() -> Vec<Fault> {
    vec![
        fault(
            "heads-ask-no-policy",
            EVERY_OPERATION,
            "HEAD with a denied key gets 200.",
        )
        .shown_by([request("HEAD", ITEMS).key("dev-no-access")])
        .answer(|asked, answered| {
            if asked.method == "HEAD" && answered.status == 403 {
                answered.status = StatusCode::OK;
                answered.set_header("content-type", "application/json");
            }
        }),
        fault(
            "head-of-the-unknown-is-found",
            EVERY_OPERATION,
            "HEAD of an unknown item gets 200.",
        )
        .shown_by([request("HEAD", "/api/v1/pipelines/2/items/9007199254740991/status")])
        .answer(|asked, answered| {
            if asked.method == "HEAD" && answered.status == 404 && asked.operation.is_some() {
                answered.status = StatusCode::OK;
                answered.set_header("content-type", "application/json");
            }
        }),
        fault(
            "head-may-be-stored",
            header("Cache-Control"),
            "HEAD of a status may be stored for a minute.",
        )
        .shown_by([request("HEAD", STATUS)])
        .answer(|asked, answered| {
            if asked.method == "HEAD" && asked.calls("get_item_status") {
                answered.set_header("cache-control", "max-age=60");
            }
        }),
        fault(
            "options-may-be-stored",
            header("Cache-Control"),
            "OPTIONS may be stored for a day.",
        )
        .shown_by([request("OPTIONS", ITEMS)])
        .answer(|asked, answered| {
            if asked.method == "OPTIONS" {
                answered.set_header("cache-control", "public, max-age=86400");
            }
        }),
    ]
}

/// Requests that ask for another form of the response, or for a part of it.
fn of_negotiation() -> Vec<Fault> {
    let no_change = |asked: &Asked, answered: &mut Answered| {
        if asked.method == "GET" && answered.is_success() {
            answered.set_text("");
            answered.status = StatusCode::NOT_MODIFIED;
            answered.remove_header("content-type");
        }
    };
    vec![
        fault(
            "status-is-not-modified",
            response("get_item_status", 200),
            "A status gets 304 to a request with If-None-Match.",
        )
        .shown_by([get(STATUS).header("if-none-match", "*")])
        .answer(move |asked, answered| {
            if asked.calls("get_item_status") && asked.header("if-none-match").is_some() {
                no_change(asked, answered);
            }
        }),
        fault(
            "tag-of-a-list-is-honoured",
            response("list_items", 200),
            "A list has an ETag, and gets 304 to a request that brings it.",
        )
        .shown_by([get(ITEMS)])
        .answer(move |asked, answered| {
            if asked.calls("list_items") && answered.is_success() {
                let tag = format!("W/\"{:x}\"", answered.text().len());
                answered.set_header("etag", &tag);
                if asked.header("if-none-match") == Some(&tag) {
                    no_change(asked, answered);
                }
            }
        }),
        fault(
            "search-is-not-modified",
            response("search_products_by_description", 200),
            "A search gets 304 to a request with If-Modified-Since.",
        )
        .shown_by([get("/search/products/similar?description=fish")
            .header("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT")])
        .answer(move |asked, answered| {
            if asked.searches() && asked.header("if-modified-since").is_some() {
                no_change(asked, answered);
            }
        }),
        fault(
            "values-are-sent-in-part",
            response("get_item_values", 200),
            "Range cuts values: 206.",
        )
        .shown_by([get(VALUES).header("range", "bytes=0-9")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && asked.header("range").is_some() && answered.is_success() {
                let part: String = answered.text().chars().take(10).collect();
                answered.set_text(part);
                answered.status = StatusCode::PARTIAL_CONTENT;
            }
        }),
        fault(
            "browsers-get-a-page",
            response("search_organizations_by_description", 200),
            "A browser gets HTML.",
        )
        .shown_by([get(FISH).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")])
        .answer(|asked, answered| {
            if asked.searches()
                && asked
                    .header("accept")
                    .is_some_and(|accept| accept.contains("text/html"))
            {
                let page = format!("<pre>{}</pre>", answered.text());
                answered.set_text(page);
                answered.set_header("content-type", "text/html");
            }
        }),
        fault(
            "parameters-of-accept-are-refused",
            operation("get_item_status"),
            "A status gets 406 unless Accept names one type.",
        )
        .shown_by([get(STATUS).header("accept", "application/json, application/problem+json;q=0.9")])
        .answer(|asked, answered| {
            if asked.calls("get_item_status") && asked.header("accept").is_some_and(|accept| accept.contains(',')) {
                answered.becomes(406, "not_acceptable");
            }
        }),
        fault(
            "errors-follow-accept",
            response("list_items", 422),
            "An error is plain text for a browser.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0").header("accept", "text/html,*/*;q=0.8")])
        .answer(|asked, answered| {
            if answered.status.is_client_error()
                && asked
                    .header("accept")
                    .is_some_and(|accept| accept.contains("text/html"))
            {
                answered.set_text("The request was rejected.");
                answered.set_header("content-type", "text/plain");
            }
        }),
    ]
}
