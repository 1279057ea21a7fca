//! Cases that check on every operation what `headers` checks on a list: the headers of every response.

use std::sync::Arc;

use crate::header::headers::{MALFORMED, REQUEST_ID, WELL_FORMED, assert_another_id, assert_apart, assert_challenge};
use crate::header::methods::ask_options;
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// An operation, with its position among all.
type Numbered = (usize, Arc<Operation>);

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter().cloned().enumerate();
    operations.flat_map(of_operation).collect()
}

fn of_operation((position, operation): Numbered) -> Vec<Case> {
    let case = |rule: &str, title: &str, name: &str, point: &str| {
        let id = &operation.id;
        Case::new(
            format!("header/{rule}/{id}"),
            format!("{id}: {title}"),
            format!("/components/headers/{name}"),
        )
        .on([id.as_str()])
        .needs(RequestTemplate::valid(&operation).needs())
        .writes(if operation.is_read() { 0 } else { 4 })
        .point(point)
    };
    let numbered = || (position, Arc::clone(&operation));
    vec![
        case(
            "request-id-is-kept",
            "The response repeats a well-formed X-Request-Id",
            "X-Request-Id",
            "request-id",
        )
        .quote(REQUEST_ID)
        .check_with(numbered(), kept),
        case(
            "request-id-is-replaced",
            "Any other X-Request-Id is replaced by a new one",
            "X-Request-Id",
            "request-id",
        )
        .quote(REQUEST_ID)
        .and_quote("/info", "A malformed X-Request-Id header is not an error.")
        .check_with(numbered(), replaced),
        case(
            "request-id-is-new",
            "Two requests without an id get different ones",
            "X-Request-Id",
            "request-id",
        )
        .check_with(numbered(), new_ids),
        case(
            "not-stored",
            "Cache-Control forbids storing any response",
            "Cache-Control",
            "cache-control",
        )
        .check_with(numbered(), not_stored),
        case(
            "www-authenticate",
            "401 names the authentication scheme",
            "WWW-Authenticate",
            "www-authenticate",
        )
        .check_with(numbered(), challenged),
    ]
    .into_iter()
    .map(|case| match operation.is_read() {
        true => case,
        false => case.needs([Need::Pipeline(ManyItems)]),
    })
    .collect()
}

/// Sends a valid request with an id, and one without a key.
async fn with_id(probe: &Probe, operation: &Operation, id: &str) -> Result<Vec<HttpResponse>, Stop> {
    let valid = || RequestTemplate::valid(operation).header("X-Request-Id", id);
    let mut responses = Vec::new();
    for request in [valid(), valid().literal_keys([])] {
        responses.push(request.call(probe).await?.send().await?);
    }
    Ok(responses)
}

async fn kept(probe: Probe, (position, operation): Numbered) -> Outcome {
    // In both cases.
    let id = format!("{}-aZ", WELL_FORMED[position % WELL_FORMED.len()]);
    let mut responses = with_id(&probe, &operation, &id).await?;
    if operation.is_read() {
        let head = RequestTemplate::valid(&operation).header("X-Request-Id", &id);
        responses.push(head.call(&probe).await?.method("HEAD").send().await?);
    }
    responses.push(ask_options(&probe, &operation, &[("X-Request-Id", &id)]).await?);
    for response in &responses {
        probe.expect(response).header("X-Request-Id", &id);
    }
    Ok(())
}

async fn replaced(probe: Probe, (position, operation): Numbered) -> Outcome {
    let id = MALFORMED[position % MALFORMED.len()];
    for response in with_id(&probe, &operation, id).await? {
        assert_another_id(&probe, &response, id);
        probe.assert(
            !matches!(response.status, 400 | 422),
            "the status",
            format!("that of the request without {id:?} as its X-Request-Id"),
            response.summary(),
            &[&response],
        );
    }
    Ok(())
}

async fn new_ids(probe: Probe, (_, operation): Numbered) -> Outcome {
    let valid = async || {
        let call = RequestTemplate::valid(&operation).call(&probe).await?;
        call.send().await
    };
    let (first, second) = (valid().await?, valid().await?);
    assert_apart(&probe, &first, &second);
    Ok(())
}

/// Sends OPTIONS: the headers of the responses to all other requests are checked anyway.
async fn not_stored(probe: Probe, (_, operation): Numbered) -> Outcome {
    let response = ask_options(&probe, &operation, &[]).await?;
    probe.expect(&response).header("Cache-Control", "no-store");
    Ok(())
}

async fn challenged(probe: Probe, (_, operation): Numbered) -> Outcome {
    let request = RequestTemplate::valid(&operation).literal_keys([]);
    let response = request.call(&probe).await?.send().await?;
    if response.status != 401 {
        return probe.inconclusive("a request without a key that gets 401");
    }
    assert_challenge(&probe, &response);
    Ok(())
}
