//! What holds for the parameters of every pipeline operation: ids in the path have bounds, nothing is
//! ignored, and every fault is told at once.

use serde_json::json;

use crate::support::any_operation::{first_item, pipeline_for};
use engine::case::{Case, Need};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation, Parameter};

/// Texts that are no whole numbers and still one segment of a path.
const NOT_INTEGERS: [&str; 8] = ["abc", "1.0", "1e2", "0x1", "+1", " 1", "١", "null"];
/// Names that no operation has a query parameter of.
const UNKNOWN: [&str; 6] = ["offset", "Limit", "limit ", "skip[]", "pipeline_id", ""];
/// How many faults are listed, as the quoted sentence says.
pub(crate) const LISTED: usize = 20;
/// How many more a request has.
pub(crate) const BEYOND: usize = 5;
/// Whole numbers that no integer of 64 bits holds.
const HUGE: [&str; 3] = [
    "9223372036854775808",
    "-9223372036854775809",
    "100000000000000000000000000",
];

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let operations = contract
        .operations()
        .iter()
        .filter(|operation| operation.path.starts_with("/api/"));
    let mut cases: Vec<_> = operations.flat_map(of_operation).collect();
    let list_items = contract.operation("list_items");
    cases.push(
        Case::new(
            "parameter/every-fault-is-told",
            "Every fault of a request is told at once",
            list_items.response_pointer(422),
        )
        .quote("errors lists every fault.")
        .needs([Need::Pipeline(ManyItems)])
        .check(every_fault),
    );
    cases.push(
        Case::quoting(
            "parameter/first-20-faults-are-listed",
            "Of many faults the first 20 are listed, and detail has their number",
            "/info",
            "Of more than 20 faults it lists the first 20 in the order of the request, and detail says how many there are.",
        )
        .on(["list_items"])
        .needs([Need::Pipeline(ManyItems)])
        .check(first_faults),
    );
    cases
}

fn of_operation(operation: &'static Operation) -> Vec<Case> {
    let id = &operation.id;
    let unknown = Case::new(
        format!("parameter/unknown-is-rejected/{id}"),
        format!("{id} rejects a parameter that it does not have"),
        operation.response_pointer(422),
    );
    let unknown = unknown
        .led_by("/info", "A value out of range or malformed, a parameter that the operation does not have, and a second value for a parameter that takes one are each answered 422.")
        .needs(needs(operation))
        .writes(writes(operation, UNKNOWN.len()))
        .check(move |probe| unknown_parameter(probe, operation));
    let ids = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == "path");
    let ids = ids.flat_map(|parameter| of_id(operation, parameter));
    std::iter::once(unknown).chain(ids).collect()
}

/// A request to add is a write, were it let through by mistake.
fn needs(operation: &Operation) -> Vec<Need> {
    let mut needs = vec![Need::Pipeline(ManyItems)];
    needs.extend((!operation.is_read()).then_some(Need::Writes));
    needs
}

/// How many of its requests do not only read.
fn writes(operation: &Operation, requests: usize) -> u64 {
    match operation.is_read() {
        true => 0,
        false => requests as u64,
    }
}

fn of_id(operation: &'static Operation, parameter: &'static Parameter) -> Vec<Case> {
    let name = parameter.name.as_str();
    let (least, most) = (parameter.number("minimum"), parameter.number("maximum"));
    let case = |rule: &str, title: String, keyword: &str, values: Vec<String>| {
        let id = format!(
            "parameter/{}-{rule}/{}",
            name.replace('_', "-"),
            operation.id
        );
        Case::new(
            id,
            format!("{}: {title}", operation.id),
            parameter.at(keyword),
        )
        .and(operation.response_pointer(422))
        .needs(needs(operation))
        .writes(writes(operation, values.len()))
        .check(move |probe| refused(probe, operation, name, values.clone()))
    };
    let within = Case::new(
        format!(
            "parameter/{}-bounds-are-accepted/{}",
            name.replace('_', "-"),
            operation.id
        ),
        format!(
            "{}: a {name} of {least} or {most} is an id like any other",
            operation.id
        ),
        parameter.at("minimum"),
    );
    vec![
        case(
            "below-minimum",
            format!("a {name} below {least} is rejected"),
            "minimum",
            vec![(least - 1).to_string(), "-7".to_owned()],
        ),
        case(
            "over-maximum",
            format!("a {name} above {most} is rejected"),
            "maximum",
            vec![(most + 1).to_string()],
        ),
        case(
            "not-an-integer",
            format!("a {name} that is not a whole number is rejected"),
            "type",
            not_integers(operation, most),
        ),
        within
            .and(parameter.at("maximum"))
            .needs(needs(operation))
            .writes(writes(operation, 1))
            .check(move |probe| within_bounds(probe, operation, name, [least, most])),
    ]
}

/// Texts that are no ids of the operation. Where one is added to, none can be read as a pipeline that may exist.
fn not_integers(operation: &Operation, most: i64) -> Vec<String> {
    let is_harmless = |text: &&str| operation.is_read() || text.is_ascii();
    let texts = NOT_INTEGERS.into_iter().filter(is_harmless);
    let texts = texts.map(|text| match operation.is_read() {
        true => text.to_owned(),
        false => text.replace('1', &most.to_string()),
    });
    texts.chain(HUGE.map(str::to_owned)).collect()
}

/// A valid request with one parameter of the path set to this value.
async fn with(probe: &Probe, operation: &Operation, name: &str, value: &str) -> Result<Call, Stop> {
    let mut request = probe.call(&operation.id).path(name, value);
    for parameter in operation
        .parameters
        .iter()
        .filter(|parameter| parameter.name != name)
    {
        request = match parameter.name.as_str() {
            "pipeline_id" => request.path("pipeline_id", probe.pipeline(pipeline_for(operation))?),
            "pipeline_item_id" => request.path("pipeline_item_id", first_item(probe).await?),
            _ => request,
        };
    }
    if operation.is_read() {
        return Ok(request);
    }
    // An organization that hardly exists: if the request were let through, there would be nothing to add.
    Ok(request.json(&json!({ "organization_id": probe.contract().greatest_id() })))
}

async fn refused(probe: Probe, operation: &Operation, name: &str, values: Vec<String>) -> Outcome {
    for value in values {
        let answer = with(&probe, operation, name, &value).await?.send().await?;
        probe
            .expect(&answer)
            .refused(422, "validation_failed")
            .fault_at(&["path", name]);
    }
    Ok(())
}

/// An id within its bounds is looked up, whether it exists or not. Nothing is added to a pipeline that may
/// exist and that nobody named.
async fn within_bounds(
    probe: Probe,
    operation: &Operation,
    name: &str,
    values: [i64; 2],
) -> Outcome {
    let harmless = |value: &i64| operation.is_read() || *value == probe.contract().greatest_id();
    for value in values.into_iter().filter(harmless) {
        let answer = with(&probe, operation, name, &value.to_string())
            .await?
            .send()
            .await?;
        let seen = answer.summary();
        let what = format!("the answer to {name}={value}");
        probe.assert(
            answer.status != 422,
            &what,
            "anything but 422",
            seen,
            &[&answer],
        );
    }
    Ok(())
}

async fn unknown_parameter(probe: Probe, operation: &Operation) -> Outcome {
    for name in UNKNOWN {
        // The rest of the request is sound.
        let call = with(&probe, operation, "", "").await?;
        let answer = call.query(name, 1).send().await?;
        probe.expect(&answer).refused(422, "validation_failed");
        if !name.is_empty() {
            probe.expect(&answer).fault_at(&["query", name]);
        }
    }
    Ok(())
}

async fn every_fault(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let call = probe.call("list_items").path("pipeline_id", pipeline_id);
    let call = call
        .query("limit", 0)
        .query("skip", -1)
        .query("sort_order", "up")
        .query("offset", 1);
    let answer = call.send().await?;
    let mut expect = probe.expect(&answer).refused(422, "validation_failed");
    for name in ["limit", "skip", "sort_order", "offset"] {
        expect = expect.fault_at(&["query", name]);
    }
    Ok(())
}

/// Requests with as many faults as are listed, and with more.
async fn first_faults(probe: Probe) -> Outcome {
    if !probe.faults_are_named() {
        return probe.inconclusive("errors that name the faults of a request");
    }
    for count in [LISTED, LISTED + BEYOND] {
        let names = unknown_names(count);
        let answer = with_parameters(&probe, &names)?.send().await?;
        probe.expect(&answer).refused(422, "validation_failed");
        let expected = format!("{LISTED} errors, those of {}", names[..LISTED].join(", "));
        probe.assert(
            are_listed(&answer, &names),
            "errors",
            expected,
            answer.at("/errors"),
            &[&answer],
        );
        let detail = answer.at("/detail").as_str().unwrap_or_default();
        let is_said = count <= LISTED || has_number(detail, count);
        probe.assert(
            is_said,
            "detail",
            format!("the number {count}"),
            detail,
            &[&answer],
        );
    }
    Ok(())
}

/// Names of parameters that no operation has. Sorted, they are in another order.
pub(crate) fn unknown_names(count: usize) -> Vec<String> {
    let letters: Vec<_> = ('a'..='z').collect();
    let letter = |position: usize| letters[position % letters.len()];
    (0..count)
        .map(|position| format!("unknown_{}{}", letter(25 * position), letter(7 * position)))
        .collect()
}

/// A list of items with these parameters.
pub(crate) fn with_parameters(probe: &Probe, names: &[String]) -> Result<Call, Stop> {
    let call = probe
        .call("list_items")
        .path("pipeline_id", probe.pipeline(ManyItems)?);
    Ok(names.iter().fold(call, |call, name| call.query(name, 1)))
}

/// Whether the errors are those of the first of these parameters, and no others.
pub(crate) fn are_listed(answer: &Answer, names: &[String]) -> bool {
    let (first, beyond) = names.split_at(LISTED.min(names.len()));
    let is_named = |name: &String| answer.names_fault_at(&["query", name]);
    let count = answer.at("/errors").as_array().map_or(0, Vec::len);
    count == first.len() && first.iter().all(is_named) && !beyond.iter().any(is_named)
}

/// Whether a text has this number, in digits.
pub(crate) fn has_number(text: &str, number: usize) -> bool {
    let mut numbers = text.split(|character: char| !character.is_ascii_digit());
    numbers.any(|digits| digits.parse() == Ok(number))
}
