//! Cases about the parameters of the pipeline operations: ids in the path have bounds, nothing is ignored, and every
//! error is reported at once.

use engine::case::values::{HUGE, NOT_INTEGERS, UNKNOWN_PARAMETERS, parameters_of_others};
use engine::case::{Case, Expectation, Need, Rejection, RequestTemplate};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation, Parameter};

/// The number of errors that are listed, as in the quoted sentence.
pub const LISTED: usize = 20;
/// The number of further errors of a request.
pub const BEYOND: usize = 5;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let mut cases: Vec<_> = crate::operations(contract)
        .flat_map(|operation| of_operation(contract, operation))
        .collect();
    cases.extend([
        Case::new(
            "parameter/every-fault-is-told",
            "Every error in a request is reported at once",
            list_items.response_pointer(422),
        )
        .quote("errors lists every error.")
        .point("faults-told")
        .rejects(
            Rejection::invalid()
                .at(["query", "limit"])
                .at(["query", "skip"])
                .at(["query", "sort_order"])
                .at(["query", "offset"]),
            [RequestTemplate::valid(list_items)
                .query("limit", 0)
                .query("skip", -1)
                .query("sort_order", "up")
                .query("offset", 1)],
        ),
        Case::quoting(
            "parameter/first-20-faults-are-listed",
            "The first 20 of many errors are listed, and detail states how many there are",
            "/info",
            "If there are more than 20, it lists the first 20 in the order of the request, and detail gives the \
                 total.",
        )
        .on(["list_items"])
        .needs([Need::Pipeline(ManyItems)])
        .point("faults-listed")
        .check(first_faults),
    ]);
    cases.extend(["get_item_values", "get_item_status"].map(|operation| both_ids(contract.operation(operation))));
    cases
}

fn both_ids(operation: &Operation) -> Case {
    Case::new(
        format!("parameter/both-ids-are-told/{}", operation.id),
        format!("{}: Two malformed ids of a path are both reported", operation.id),
        operation.response_pointer(422),
    )
    .quote("errors lists every error.")
    .point("faults-told")
    .rejects(
        Rejection::invalid()
            .at(["path", "pipeline_id"])
            .at(["path", "pipeline_item_id"]),
        [RequestTemplate::valid(operation)
            .path("pipeline_id", "x")
            .path("pipeline_item_id", "y")],
    )
}

fn of_operation(contract: &Contract, operation: &Operation) -> Vec<Case> {
    let id = &operation.id;
    let unknown = Case::new(
        format!("parameter/unknown-is-rejected/{id}"),
        format!("{id}: An unknown parameter is rejected"),
        operation.response_pointer(422),
    )
    .primary_quote(
        "/info",
        "A value that is out of range or malformed, an unknown parameter, and a second value for a parameter that \
         takes one are each rejected with 422.",
    )
    .point(match operation.is_read() {
        true => "unknown-parameter",
        false => "add-unknown-parameter",
    })
    .expects(UNKNOWN_PARAMETERS.map(|name| {
        // An error may omit the place of a parameter without a name.
        let rejection = match name {
            "" => Rejection::invalid(),
            name => Rejection::invalid().at(["query", name]),
        };
        let request = RequestTemplate::valid(operation).query(name, 1);
        (request, rejection.into())
    }));
    let of_others = Case::new(
        format!("parameter/of-another-operation-is-rejected/{id}"),
        format!("{id}: A parameter that only other operations have is rejected"),
        operation.response_pointer(422),
    )
    .primary_quote("/info", "a parameter must be one that the operation has")
    .point(match operation.is_read() {
        true => "unknown-parameter",
        false => "add-unknown-parameter",
    });
    // At most ten at once: of many errors, only the first are listed.
    let of_others = parameters_of_others(contract, operation)
        .chunks(10)
        .fold(of_others, |case, faults| {
            case.rejects_each(RequestTemplate::valid(operation), faults.to_vec())
        });
    let in_path = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == "path");
    let ids = in_path.flat_map(|parameter| of_id(contract, operation, parameter));
    [unknown, of_others].into_iter().chain(ids).collect()
}

/// The cases of an id in the path.
fn of_id(contract: &Contract, operation: &Operation, parameter: &Parameter) -> Vec<Case> {
    let name = parameter.name.as_str();
    let (least, most) = (parameter.number("minimum"), parameter.number("maximum"));
    let (malformed, out_of_range) = match operation.is_read() {
        true => ("path-id-malformed", "path-id-out-of-range"),
        false => ("add-path-id", "add-path-id"),
    };
    let with = |value: String| RequestTemplate::valid(operation).path(name, value);
    let case = |rule: &str, title: String, keyword: &str| {
        Case::new(
            format!("parameter/{}-{rule}/{}", name.replace('_', "-"), operation.id),
            format!("{}: {title}", operation.id),
            parameter.at(keyword),
        )
    };
    let rejected = |rule: &str, title: String, keyword: &str, point: &str, values: Vec<String>| {
        case(rule, title, keyword)
            .and(operation.response_pointer(422))
            .point(point)
            .rejects(Rejection::invalid().at(["path", name]), values.into_iter().map(with))
    };
    // An id in range is looked up, whether it exists or not. Nothing is added to a pipeline that may exist and that
    // the target does not name.
    let in_range = [least, most].into_iter();
    let in_range = in_range.filter(|id| operation.is_read() || *id == contract.greatest_id());
    vec![
        rejected(
            "below-minimum",
            format!("A {name} below {least} is rejected"),
            "minimum",
            out_of_range,
            vec![(least - 1).to_string(), "-7".to_owned()],
        ),
        rejected(
            "over-maximum",
            format!("A {name} above {most} is rejected"),
            "maximum",
            out_of_range,
            vec![(most + 1).to_string()],
        ),
        rejected(
            "not-an-integer",
            format!("A {name} that is not a whole number is rejected"),
            "type",
            malformed,
            not_integers(operation, most),
        ),
        case(
            "bounds-are-accepted",
            format!("A {name} of {least} or {most} is an id like any other"),
            "minimum",
        )
        .and(parameter.at("maximum"))
        .point(out_of_range)
        .expects(in_range.map(|id| (with(id.to_string()), Expectation::LookedUp))),
    ]
}

/// Texts that are not ids, each one path segment. Those for an operation that adds cannot be read as the id of a
/// pipeline that may exist.
fn not_integers(operation: &Operation, most: i64) -> Vec<String> {
    let usable = |text: &&str| !text.is_empty() && (operation.is_read() || text.is_ascii());
    let texts = NOT_INTEGERS.into_iter().filter(usable);
    let texts = texts.map(|text| match operation.is_read() {
        true => text.to_owned(),
        false => text.replace('1', &most.to_string()),
    });
    texts.chain(HUGE.map(str::to_owned)).collect()
}

/// Sends requests with exactly the number of errors that are listed, and with more.
async fn first_faults(probe: Probe) -> Outcome {
    if !probe.faults_are_named() {
        return probe.inconclusive("errors that name what is wrong with a request");
    }
    for count in [LISTED, LISTED + BEYOND] {
        let names = unknown_names(count);
        let response = with_parameters(&probe, &names)?.send().await?;
        assert_first_are_listed(&probe, &response, &names);
    }
    let names = unknown_names(LISTED + BEYOND);
    let others = probe.contract().operations().iter();
    for operation in others.filter(|operation| operation.is_read() && operation.id != "list_items") {
        let request = names.iter().fold(RequestTemplate::valid(operation), |request, name| {
            request.query(name, 1)
        });
        let sent = async { request.call(&probe).await?.send().await };
        match sent.await {
            Ok(response) => assert_first_are_listed(&probe, &response, &names),
            // The deployment lacks the operation, or a record for it.
            Err(Stop::Skipped(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

fn assert_first_are_listed(probe: &Probe, response: &HttpResponse, names: &[String]) {
    probe.expect(response).rejected(422, "validation_failed");
    let expected = format!("{LISTED} errors, those of {}", names[..LISTED].join(", "));
    probe.assert(
        are_listed(response, names),
        "errors",
        expected,
        response.at("/errors"),
        &[response],
    );
    let detail = response.at("/detail").as_str().unwrap_or_default();
    let count = names.len();
    let is_named = count <= LISTED || has_number(detail, count);
    probe.assert(is_named, "detail", format!("the number {count}"), detail, &[response]);
}

/// Names of parameters that no operation has, in an order that is not alphabetical.
pub fn unknown_names(count: usize) -> Vec<String> {
    let letters: Vec<_> = ('a'..='z').collect();
    let letter = |position: usize| letters[position % letters.len()];
    (0..count)
        .map(|position| format!("unknown_{}{}", letter(25 * position), letter(7 * position)))
        .collect()
}

/// A request for a list of items with these parameters.
pub fn with_parameters(probe: &Probe, names: &[String]) -> Result<Call, Stop> {
    let call = probe.call("list_items").path("pipeline_id", probe.pipeline(ManyItems)?);
    Ok(names.iter().fold(call, |call, name| call.query(name, 1)))
}

/// Whether the errors name the first of these parameters and no others.
pub fn are_listed(response: &HttpResponse, names: &[String]) -> bool {
    let (first, beyond) = names.split_at(LISTED.min(names.len()));
    let is_named = |name: &String| response.names_fault_at(&["query", name]);
    let count = response.at("/errors").as_array().map_or(0, Vec::len);
    count == first.len() && first.iter().all(is_named) && !beyond.iter().any(is_named)
}

/// Whether a text contains this number, in digits.
pub fn has_number(text: &str, number: usize) -> bool {
    let mut numbers = text.split(|character: char| !character.is_ascii_digit());
    numbers.any(|digits| digits.parse() == Ok(number))
}
