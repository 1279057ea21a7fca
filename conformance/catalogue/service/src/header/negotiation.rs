//! Cases about requests that ask for another form of the response, or for a part of it: the contract has one form, and
//! a client that polls has to receive all of it.

use std::sync::Arc;

use engine::case::{Case, RequestTemplate};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// A date later than that of any record.
const FUTURE: &str = "Fri, 31 Dec 9998 23:59:59 GMT";
/// The values of `Accept` that clients send: one of a program, one of a browser. JSON matches both.
pub(crate) const ACCEPTED: [&str; 2] = [
    "application/json, application/problem+json;q=0.9",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let reads = operations.filter(|operation| operation.is_read());
    reads
        .flat_map(|operation| [in_full(operation), one_form(operation)])
        .collect()
}

fn in_full(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    Case::quoting(
        format!("header/conditions-change-nothing/{id}"),
        format!("{id}: A request with If-None-Match, If-Modified-Since or Range gets the full response"),
        "/info",
        "Responses carry Cache-Control: no-store",
    )
    .and(operation.response_pointer(200))
    .on([id.as_str()])
    .needs(RequestTemplate::valid(operation).needs())
    .point("conditional-requests")
    .check_with(Arc::clone(operation), answered_in_full)
}

fn one_form(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    Case::quoting(
        format!("header/accept-changes-nothing/{id}"),
        format!("{id}: Whatever JSON fits in Accept, the response is JSON"),
        "/info",
        "It is sent as application/problem+json.",
    )
    .and_quote("/info", "The body of a success is sent as application/json.")
    .and(operation.response_pointer(200))
    .on([id.as_str()])
    .needs(RequestTemplate::valid(operation).needs())
    .point("accept")
    .check_with(Arc::clone(operation), answered_in_json)
}

async fn answered_in_full(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let (whole, conditional) = with_conditions(&probe, &operation).await?;
    for response in &conditional {
        probe.assert(
            response.status == whole.status && response.is_json,
            "the response",
            format!("{}, with all of its body", whole.status),
            response.summary(),
            &[response, &whole],
        );
    }
    probe.saw_whole(&operation, &whole)
}

/// Returns the response to a plain request, and those to the same request with a condition or a range.
pub async fn with_conditions(probe: &Probe, operation: &Operation) -> Result<(HttpResponse, Vec<HttpResponse>), Stop> {
    let valid = || RequestTemplate::valid(operation);
    let whole = probe.ok(valid().call(probe).await?.send().await?)?;
    let header = |name: &str| whole.header(name).map(str::to_owned);
    let tag = header("etag").unwrap_or_else(|| "*".to_owned());
    let since = header("last-modified").unwrap_or_else(|| FUTURE.to_owned());
    let requests = [
        valid().header("If-None-Match", &tag),
        valid().header("If-Modified-Since", &since).header("Range", "bytes=0-9"),
    ];
    let mut conditional = Vec::new();
    for request in requests {
        // Not observed: this check is about the status itself.
        let call = request.call(probe).await?.unobserved();
        conditional.push(call.send().await?);
    }
    Ok((whole, conditional))
}

async fn answered_in_json(probe: Probe, operation: Arc<Operation>) -> Outcome {
    for response in with_accept(&probe, &operation).await? {
        let seen = response.header("content-type").unwrap_or_default();
        probe.assert(
            is_declared(&operation, &response),
            "the status and the media type",
            "those of the contract",
            format!("{} with Content-Type: {seen}", response.status),
            &[&response],
        );
        if response.status == 200 {
            probe.assert_whole(&operation, &response);
        }
    }
    Ok(())
}

/// Returns the responses to requests with a header `Accept`: two valid ones, and one without a key.
pub async fn with_accept(probe: &Probe, operation: &Operation) -> Result<Vec<HttpResponse>, Stop> {
    let valid = |accept| RequestTemplate::valid(operation).header("Accept", accept);
    let [program, browser] = ACCEPTED;
    let mut responses = Vec::new();
    for request in [valid(program), valid(browser), valid(browser).literal_keys([])] {
        let call = request.call(probe).await?.unobserved();
        responses.push(call.send().await?);
    }
    Ok(responses)
}

/// Whether the contract declares the status, and the media type for it.
pub fn is_declared(operation: &Operation, response: &HttpResponse) -> bool {
    let media_type = response.header("content-type").unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let declared_response = operation.response(response.status);
    declared_response.is_some_and(|declared_response| {
        let mut declared = declared_response.content.iter();
        declared.any(|(name, _)| name.eq_ignore_ascii_case(essence))
    })
}
