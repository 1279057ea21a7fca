//! Planted faults: each is a small change around the reference server, and each has to turn some case red.
//! A kit that has never been seen to fail says nothing when it passes.

mod bank;

use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use platform_conformance::Verdict;
use platform_server_stub::Server;
use serde_json::{Value, json};

use crate::served;

/// Built once: it is only read, or added to by faults that expect no state.
static SERVER: LazyLock<Server> = LazyLock::new(Server::built_in);

/// What a fault sees of an exchange, and may change in its answer.
struct Exchange {
    method: Method,
    path: String,
    query: String,
    has_key: bool,
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Exchange {
    fn lists_items(&self) -> bool {
        self.method == Method::GET && self.path.ends_with("/items") && self.status == StatusCode::OK
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        parameter(&self.query, name)
    }

    fn items(&mut self) -> &mut Vec<Value> {
        self.body["items"].as_array_mut().unwrap()
    }

    fn becomes(&mut self, status: u16, code: &str) {
        self.status = StatusCode::from_u16(status).unwrap();
        self.body["status"] = json!(status);
        self.body["code"] = json!(code);
    }
}

/// A fault: its name, the cases that are run on it, one of which has to notice, and the change.
struct Fault {
    name: &'static str,
    cases: &'static [&'static str],
    change: Change,
}

enum Change {
    /// Rewrites the query before the server sees it.
    Query(fn(&str) -> String),
    /// Changes the answer.
    Answer(fn(&mut Exchange)),
}

#[tokio::test(flavor = "multi_thread")]
async fn every_planted_fault_is_noticed() {
    let mut survivors = Vec::new();
    for fault in bank::FAULTS {
        let report = served::run_on(planted(fault), fault.cases).await;
        if report.with(Verdict::Failed).is_empty() {
            let verdicts: Vec<_> = report
                .cases
                .iter()
                .map(|case| (&case.id, case.verdict, &case.reason))
                .collect();
            survivors.push(format!("{}: {verdicts:?}", fault.name));
        }
    }
    assert!(
        survivors.is_empty(),
        "these faults turn no case red:\n{survivors:#?}"
    );
}

/// The middleware itself is no fault.
#[tokio::test(flavor = "multi_thread")]
async fn an_exchange_that_is_left_as_it_is_passes() {
    let nothing = Fault {
        name: "nothing",
        cases: &[],
        change: Change::Answer(|_| ()),
    };
    let report = served::run_on(
        planted(&nothing),
        &["limit/*", "header/*", "schema/list_items/200"],
    )
    .await;
    assert_eq!(
        report.summary.passed,
        report.cases.len(),
        "{:?}",
        report.with(Verdict::Failed)
    );
}

fn planted(fault: &Fault) -> Router {
    // Around the whole service: a layer of its own router would stand inside what writes the header Allow.
    let router = Router::new().fallback_service(SERVER.router());
    match fault.change {
        Change::Query(change) => router.layer(from_fn(move |request, next| {
            rewritten(request, next, change)
        })),
        Change::Answer(change) => router.layer(from_fn(move |request, next| {
            answered(request, next, change)
        })),
    }
}

async fn rewritten(mut request: Request, next: Next, change: fn(&str) -> String) -> Response {
    let query = change(request.uri().query().unwrap_or_default());
    let path = request.uri().path().to_owned();
    *request.uri_mut() = format!("{path}?{}", query.trim_start_matches('&'))
        .parse::<Uri>()
        .unwrap();
    next.run(request).await
}

async fn answered(request: Request, next: Next, change: fn(&mut Exchange)) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let has_key = request.headers().contains_key("API-Key");
    let (parts, body) = next.run(request).await.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut exchange = Exchange {
        method,
        path: uri.path().to_owned(),
        query: uri.query().unwrap_or_default().to_owned(),
        has_key,
        status: parts.status,
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    change(&mut exchange);
    exchange.headers.remove("content-length");
    let mut response = Response::new(Body::from(exchange.body.to_string()));
    *response.status_mut() = exchange.status;
    *response.headers_mut() = exchange.headers;
    response
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(found, _)| *found == name)
        .map(|(_, value)| value)
}

/// A query with its parameters of these names left out.
fn without(query: &str, names: &[&str]) -> String {
    let kept = query
        .split('&')
        .filter(|pair| !names.contains(&pair.split('=').next().unwrap_or_default()));
    kept.collect::<Vec<_>>().join("&")
}

/// A query with the whole number of a parameter changed.
fn with_number(query: &str, name: &str, change: fn(i64) -> i64) -> String {
    let changed = |pair: &str| match pair.split_once('=') {
        Some((found, value)) if found == name => match value.parse().map(change) {
            Ok(number) => format!("{name}={number}"),
            Err(_) => pair.to_owned(),
        },
        _ => pair.to_owned(),
    };
    query.split('&').map(changed).collect::<Vec<_>>().join("&")
}

/// Puts the items of a page into another order, when it was asked for by a column and in this order.
fn sort(exchange: &mut Exchange, order: &str, change: fn(&str, &mut Vec<Value>)) {
    let column = exchange.parameter("sort_by").map(str::to_owned);
    if let Some(column) =
        column.filter(|_| exchange.lists_items() && exchange.parameter("sort_order") == Some(order))
    {
        change(&column, exchange.items());
    }
}

/// The first value of a column; null when there is none.
fn first<'a>(item: &'a Value, column: &str) -> &'a Value {
    item["values"][column]["result"]
        .get(0)
        .unwrap_or(&Value::Null)
}

/// Changes every entry of every item of a list.
fn entries(exchange: &mut Exchange, change: fn(&str, &mut Value)) {
    if !exchange.lists_items() {
        return;
    }
    for item in exchange.items() {
        let values = item["values"].as_object_mut().into_iter().flatten();
        values.for_each(|(column, entry)| change(column, entry));
    }
}
