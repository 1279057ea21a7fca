//! Errors: whether they repeat the key or show internals, and how many faults they list.

use serde_json::{Value, json};

use super::sight::{Seen, across, saw, saw_value, untold};
use super::{Point, point};
use crate::error::contents::{
    Keys, errors_to_hostile, errors_to_keys, hostile_requests, internals_in,
};
use crate::parameter::{BEYOND, LISTED, are_listed, has_number, unknown_names, with_parameters};
use engine::case::Need;
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::client::Answer;
use platform_contract::{Contract, Operation};

/// How many additions with a key and another fault are sent.
const WITH_KEYS: u64 = 3;

pub(super) fn points() -> Vec<Point> {
    let contract = Contract::bundled();
    let all = contract.operations().iter().map(hostile_requests).sum();
    let adding = hostile_requests(contract.operation("add_organization"));
    let points = vec![
        point(
            "error-key",
            "Does an error repeat an API key?",
            ("never", Value::Null, "No, in no form."),
        )
        .or("repeated", "Yes, some error does.")
        .found_out("Calls every operation with a key that is not known, with two keys, and with a parameter that it does not have.")
        .governing(["error/contains-no-key/*"])
        .writes(WITH_KEYS)
        .by(|probe| async move { operations(&probe, keys).await }),
        point(
            "error-internals",
            "Does an error show a stack trace or another internal?",
            ("never", Value::Null, "No."),
        )
        .or("shown", "Yes, some error does.")
        .found_out("Calls every operation with values that a deployment may not expect: quotes, NUL, numbers that do not fit, bytes that are not text.")
        .governing(["error/contains-no-internals/*"])
        .sends(all)
        .writes(adding)
        .by(|probe| async move { operations(&probe, internals).await }),
        point(
            "faults-listed",
            "Which faults of a request that has many are listed?",
            (
                "first",
                json!(LISTED),
                "The first, as many as the value; detail has the number of all.",
            ),
        )
        .or("uncounted", "The first, as many as the value; detail does not have the number of all.")
        .or("all", "All of them.")
        .or("others", "Others, as many as the value.")
        .found_out("Lists items with 25 parameters that the operation does not have.")
        .governing(["parameter/first-20-faults-are-listed"])
        .by(listed),
    ];
    let needs = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    points.into_iter().map(needs).collect()
}

/// Asks the same of every operation that the run may call.
async fn operations<Looked>(
    probe: &Probe,
    look: impl Fn(Probe, &'static Operation) -> Looked,
) -> Seen
where
    Looked: Future<Output = Seen> + Send,
{
    let operations = probe.contract().operations().iter();
    let asked = operations.filter(|operation| operation.is_read() || probe.may_write());
    let named = asked.map(|operation| (operation.id.clone(), operation));
    across(named, |operation| look(probe.clone(), operation)).await
}

async fn keys(probe: Probe, operation: &'static Operation) -> Seen {
    let keys = Keys::of(&probe);
    let errors = errors_to_keys(&probe, operation).await?;
    let repeats = |error: &&Answer| keys.in_error(error).is_some();
    shown(&errors, errors.iter().find(repeats), "repeated")
}

async fn internals(probe: Probe, operation: &'static Operation) -> Seen {
    let errors = errors_to_hostile(&probe, operation).await?;
    let shows = |error: &&Answer| internals_in(error).is_some();
    shown(&errors, errors.iter().find(shows), "shown")
}

fn shown(errors: &[Answer], wrong: Option<&Answer>, behaviour: &'static str) -> Seen {
    match (wrong, errors.first()) {
        (Some(error), _) => saw(behaviour, &[error]),
        (None, Some(error)) => saw("never", &[error]),
        (None, None) => untold("an error"),
    }
}

async fn listed(probe: Probe) -> Seen {
    let names = unknown_names(LISTED + BEYOND);
    let answer = with_parameters(&probe, &names)?.send().await?;
    let Some(count) = answer.at("/errors").as_array().map(Vec::len) else {
        return untold("errors that name the faults of a request");
    };
    let detail = answer.at("/detail").as_str().unwrap_or_default();
    let behaviour = match are_listed(&answer, &names) {
        true if has_number(detail, names.len()) => "first",
        true => "uncounted",
        false if count == names.len() => return saw("all", &[&answer]),
        false => "others",
    };
    saw_value(behaviour, count, &[&answer])
}
