//! Points about the contents of errors: whether they repeat the key or show internals, and how many errors they list.

use serde_json::{Value, json};
use std::sync::Arc;

use super::observation::{ObservationResult, across, observed, observed_value, unknown_without};
use super::{Point, point};
use engine::case::Need;
use engine::rules::internals::internals_in;
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use pipelines::error::contents::{Keys, errors_to, hostile_requests, requests_with_keys};
use pipelines::parameter::{BEYOND, LISTED, are_listed, has_number, unknown_names, with_parameters};
use platform_contract::{Contract, Operation};

/// Limits the additions with a key and another error.
const WITH_KEYS: u64 = 3;

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let all = contract
        .operations()
        .iter()
        .map(|operation| hostile_requests(operation).len() as u64)
        .sum();
    let adding = hostile_requests(contract.operation("add_organization")).len() as u64;
    let points = vec![
        point(
            "error-key",
            "Does an error response repeat the API key?",
            ("never", Value::Null, "No, in no form."),
        )
        .or("repeated", "Yes: some error does.")
        .found_out(
            "Calls every operation with an unknown key, with two keys, and with a parameter that it does not have.",
        )
        .writes(WITH_KEYS)
        .by(|probe| async move { operations(&probe, keys).await }),
        point(
            "error-internals",
            "Does an error response show a stack trace or other internals?",
            ("never", Value::Null, "No."),
        )
        .or("shown", "Yes: some error does.")
        .found_out(
            "Calls every operation with values that a deployment may not expect: quotes, NUL, numbers that do not \
             fit, bytes that are not UTF-8.",
        )
        .sends(all)
        .writes(adding)
        .by(|probe| async move { operations(&probe, internals).await }),
        point(
            "faults-listed",
            "Which errors are listed when a request has many?",
            (
                "first",
                json!(LISTED),
                "The first ones, as many as the value; detail contains the number of all.",
            ),
        )
        .or(
            "uncounted",
            "The first ones, as many as the value; detail does not contain the number of all.",
        )
        .or("all", "All of them.")
        .or("others", "Other ones, as many as the value.")
        .found_out("Lists items with 25 parameters that the operation does not have.")
        .by(listed),
    ];
    let needs = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    points.into_iter().map(needs).collect()
}

/// Sends the same request to every operation that the run may call.
async fn operations<Looked>(probe: &Probe, look: impl Fn(Probe, Arc<Operation>) -> Looked) -> ObservationResult
where
    Looked: Future<Output = ObservationResult> + Send,
{
    let operations = probe.contract().operations().iter();
    let asked = operations.filter(|operation| operation.is_read() || probe.may_write());
    let named = asked.map(|operation| (operation.id.clone(), Arc::clone(operation)));
    across(named, |operation| look(probe.clone(), operation)).await
}

async fn keys(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let keys = Keys::of(&probe);
    let errors = errors_to(&probe, requests_with_keys(&operation)).await?;
    let repeats = |error: &&HttpResponse| keys.in_error(error).is_some();
    shown(&errors, errors.iter().find(repeats), "repeated")
}

async fn internals(probe: Probe, operation: Arc<Operation>) -> ObservationResult {
    let errors = errors_to(&probe, hostile_requests(&operation)).await?;
    let shows = |error: &&HttpResponse| internals_in(error).is_some();
    shown(&errors, errors.iter().find(shows), "shown")
}

fn shown(errors: &[HttpResponse], wrong: Option<&HttpResponse>, behaviour: &'static str) -> ObservationResult {
    match (wrong, errors.first()) {
        (Some(error), _) => observed(behaviour, &[error]),
        (None, Some(error)) => observed("never", &[error]),
        (None, None) => unknown_without("an error"),
    }
}

async fn listed(probe: Probe) -> ObservationResult {
    let names = unknown_names(LISTED + BEYOND);
    let response = with_parameters(&probe, &names)?.send().await?;
    let Some(count) = response.at("/errors").as_array().map(Vec::len) else {
        return unknown_without("errors that name what is wrong with a request");
    };
    let detail = response.at("/detail").as_str().unwrap_or_default();
    let behaviour = match are_listed(&response, &names) {
        true if has_number(detail, names.len()) => "first",
        true => "uncounted",
        false if count == names.len() => return observed("all", &[&response]),
        false => "others",
    };
    observed_value(behaviour, count, &[&response])
}
