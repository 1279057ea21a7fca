//! Cases about what does not depend on the rest of a request: each error of an operation that reads, crossed with every
//! valid parameter, with all of them, and with HEAD. A check that exists on one path through a deployment may be
//! missing on another: on a later page, in one order, with one filter.

mod any_pipeline;
mod writings;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use engine::case::values::UNKNOWN_KEY;
use engine::case::{Case, Need, RequestTemplate};
use engine::session::observed::items;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::target::Role::NoAccess;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation, Parameter};

/// The number of requests that are repeated with a key that is allowed to send them.
const REMEMBERED: usize = 2;
/// More items than any pipeline has.
const BEHIND: u64 = 1_000_000_000;
/// A name that is not a parameter of any operation.
const UNKNOWN_NAME: &str = "offset";
/// The parameter that names a column, and a member of an item that is not a column.
const SORT_BY: &str = "sort_by";
const OTHER_COLUMN: &str = "pipeline_item_id";
/// The decision about parameters that do not fit.
const NEVER_IGNORED: &str = "Parameters are never clamped and never ignored.";

/// An error that a request deserves, whatever else it says.
#[derive(Debug, Clone, Copy)]
struct Law {
    rule: &'static str,
    title: &'static str,
    status: u16,
    sentence: &'static str,
    mistake: Mistake,
}

/// What a request has to be rejected for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mistake {
    NoKey,
    UnknownKey,
    DeniedKey,
    UnknownParameter,
    MalformedValues,
    /// A value of this parameter that is one below its minimum or one above its maximum.
    OutOfRange(&'static str, Bound),
    OtherColumn,
    UnknownColumn,
    UnknownRecord,
}

impl Mistake {
    /// Whether the source states an error for it.
    fn is_stated(self) -> bool {
        match self {
            Self::NoKey
            | Self::UnknownKey
            | Self::DeniedKey
            | Self::OtherColumn
            | Self::UnknownColumn
            | Self::UnknownRecord => true,
            Self::UnknownParameter | Self::MalformedValues | Self::OutOfRange(..) => false,
        }
    }
}

/// A bound of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    Minimum,
    Maximum,
}

const LAWS: [Law; 12] = [
    Law {
        rule: "missing-key",
        title: "A request without a key is rejected, whatever else it says",
        status: 401,
        sentence: "The first that applies is the response",
        mistake: Mistake::NoKey,
    },
    Law {
        rule: "unknown-key",
        title: "A request with an unknown key is rejected, whatever else it says",
        status: 401,
        sentence: "So is a request with an unknown key",
        mistake: Mistake::UnknownKey,
    },
    Law {
        rule: "no-access",
        title: "A key without the permission is denied, whatever else the request says",
        status: 403,
        sentence: "The first that applies is the response",
        mistake: Mistake::DeniedKey,
    },
    Law {
        rule: "unknown-parameter",
        title: "An unknown parameter is rejected, whatever else the request says",
        status: 422,
        sentence: NEVER_IGNORED,
        mistake: Mistake::UnknownParameter,
    },
    Law {
        rule: "malformed-value",
        title: "A malformed value of any parameter is rejected, whatever else the request says",
        status: 422,
        sentence: NEVER_IGNORED,
        mistake: Mistake::MalformedValues,
    },
    Law {
        rule: "limit-below-minimum",
        title: "A limit below its minimum is rejected, whatever else the request says",
        status: 422,
        sentence: NEVER_IGNORED,
        mistake: Mistake::OutOfRange("limit", Bound::Minimum),
    },
    Law {
        rule: "limit-above-maximum",
        title: "A limit above its maximum is rejected, whatever else the request says",
        status: 422,
        sentence: NEVER_IGNORED,
        mistake: Mistake::OutOfRange("limit", Bound::Maximum),
    },
    Law {
        rule: "skip-below-minimum",
        title: "A skip below its minimum is rejected, whatever else the request says",
        status: 422,
        sentence: NEVER_IGNORED,
        mistake: Mistake::OutOfRange("skip", Bound::Minimum),
    },
    Law {
        rule: "skip-above-maximum",
        title: "A skip above its maximum is rejected, whatever else the request says",
        status: 422,
        sentence: NEVER_IGNORED,
        mistake: Mistake::OutOfRange("skip", Bound::Maximum),
    },
    Law {
        rule: "other-column",
        title: "A sort_by that is not the column of a question is rejected, whatever else the request says",
        status: 400,
        sentence: NEVER_IGNORED,
        mistake: Mistake::OtherColumn,
    },
    Law {
        rule: "unknown-column",
        title: "A question that the pipeline does not have is rejected, whatever else the request says",
        status: 400,
        sentence: NEVER_IGNORED,
        mistake: Mistake::UnknownColumn,
    },
    Law {
        rule: "unknown-record",
        title: "An unknown record is not found, whatever else the request says",
        status: 404,
        sentence: "The first that applies is the response",
        mistake: Mistake::UnknownRecord,
    },
];

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let reads: Vec<_> = contract.operations().iter().filter(|one| one.is_read()).collect();
    let crossed = LAWS
        .iter()
        .flat_map(|law| reads.iter().filter_map(move |operation| crossed(operation, *law)));
    crossed
        .chain(writings::cases(&reads))
        .chain(any_pipeline::cases(contract))
        .collect()
}

fn crossed(operation: &Arc<Operation>, law: Law) -> Option<Case> {
    let has = |location: &str| operation.parameters.iter().any(|one| one.location == location);
    let applies = match law.mistake {
        Mistake::MalformedValues => has("query"),
        Mistake::OtherColumn | Mistake::UnknownColumn => operation.parameters.iter().any(|one| one.name == SORT_BY),
        Mistake::OutOfRange(name, _) => operation.parameters.iter().any(|one| one.name == name),
        // Without a parameter there is no rest but HEAD, which the source does not know.
        Mistake::UnknownRecord => has("path") && has("query"),
        _ => true,
    };
    let case = Case::new(
        format!("cross/{}/{}", law.rule, operation.id),
        format!("{}: {}", operation.id, law.title),
        operation.response_pointer(law.status),
    )
    .needs(RequestTemplate::valid(operation).needs())
    .needs((law.mistake == Mistake::DeniedKey).then_some(Need::Key(NoAccess)))
    .sends(requests(operation, law.mistake))
    .check_with((Arc::clone(operation), law), rejects);
    let case = match point(operation, law.mistake) {
        Some(point) => case.primary_quote("/info", law.sentence).point(point),
        None => case,
    };
    applies.then_some(case)
}

/// The point of the behaviour profile that governs a law, unless the source states it.
fn point(operation: &Operation, mistake: Mistake) -> Option<&'static str> {
    let (searching, reading_items) = match mistake {
        Mistake::NoKey | Mistake::UnknownKey => ("search-authentication", Some("unknown-key")),
        Mistake::DeniedKey => ("search-authorization", Some("read-permission")),
        Mistake::UnknownParameter => ("search-unknown-parameter", Some("unknown-parameter")),
        Mistake::MalformedValues => ("filter-value-malformed", Some("list-limit-malformed")),
        Mistake::OutOfRange(name, Bound::Minimum) => (
            "search-limit-below-minimum",
            match name {
                "skip" => Some("list-skip-below-minimum"),
                _ => Some("list-limit-below-minimum"),
            },
        ),
        Mistake::OutOfRange(name, Bound::Maximum) => (
            "search-limit-above-maximum",
            match name {
                "skip" => Some("list-skip-huge"),
                _ => Some("list-limit-above-maximum"),
            },
        ),
        // No search has a column.
        Mistake::OtherColumn => return Some("sort-column-form"),
        Mistake::UnknownColumn => return None,
        Mistake::UnknownRecord => ("search-unknown-record", None),
    };
    match operation.is_search() {
        true => Some(searching),
        false => reading_items,
    }
}

/// The rest of a request: its optional parameters, each with a valid value, and its method.
#[derive(Debug, Clone, Default, PartialEq)]
struct Rest {
    query: Vec<(String, String)>,
    is_head: bool,
    /// Whether it asks for a page behind the end. How far one may skip was decided.
    is_behind: bool,
}

/// Each valid parameter by itself, all of them, a page behind the end, and HEAD.
fn rests(operation: &Operation, column: Option<&str>) -> Vec<Rest> {
    let all: Vec<_> = optional(operation)
        .filter_map(|parameter| Some((parameter.name.clone(), valid(parameter, column)?)))
        .collect();
    let of = |query: &[(String, String)]| Rest {
        query: query.to_vec(),
        ..Rest::default()
    };
    let head = Rest {
        is_head: true,
        ..Rest::default()
    };
    let each = all.iter().map(|one| of(std::slice::from_ref(one)));
    // What a search can reach has a bound of its own.
    let mut of_pages = optional(operation).filter(|_| !operation.is_search());
    let behind = of_pages.find(|one| one.name == "skip").map(|skip| {
        let most = skip.schema["maximum"].as_u64().unwrap_or(BEHIND).min(BEHIND);
        Rest {
            is_behind: true,
            ..of(&[(skip.name.clone(), most.to_string())])
        }
    });
    each.chain((all.len() > 1).then(|| of(&all)))
        .chain(behind)
        .chain([head])
        .collect()
}

fn optional(operation: &Operation) -> impl Iterator<Item = &Parameter> {
    let in_query = operation.parameters.iter().filter(|one| one.location == "query");
    in_query.filter(|parameter| !parameter.required)
}

/// A value that a parameter accepts and that is not its default. None of them contradicts another.
fn valid(parameter: &Parameter, column: Option<&str>) -> Option<String> {
    let name = parameter.name.as_str();
    if name == SORT_BY {
        return column.map(str::to_owned);
    }
    let schema = parameter.schema.get("items").unwrap_or(&parameter.schema);
    let last = |values: &Vec<Value>| values.last().and_then(Value::as_str).map(str::to_owned);
    let form = (schema["type"].as_str(), schema["format"].as_str());
    match (name, form) {
        ("countries", _) => Some("NO".to_owned()),
        ("regions", _) => Some("NO-46".to_owned()),
        ("business_types", _) => Some("warehousing".to_owned()),
        (_, (Some("boolean"), _)) => Some("false".to_owned()),
        (_, (_, Some("date"))) if name.ends_with("_to") => Some("2030-12-31".to_owned()),
        (_, (_, Some("date"))) => Some("2001-01-31".to_owned()),
        (_, (Some("integer"), _)) if name.ends_with("_max") => schema["maximum"].as_i64().map(|most| most.to_string()),
        (_, (Some("integer"), _)) => schema["minimum"].as_i64().map(|least| least.max(1).to_string()),
        _ => schema["enum"].as_array().and_then(last),
    }
}

/// A value that a parameter has to reject.
fn malformed(parameter: &Parameter) -> String {
    let schema = parameter.schema.get("items").unwrap_or(&parameter.schema);
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (_, Some("date")) => "2023-02-30".to_owned(),
        (Some("integer"), _) => "ten".to_owned(),
        (Some("boolean"), _) => "maybe".to_owned(),
        // Neither a value of a list nor of a pattern.
        _ => " ".to_owned(),
    }
}

/// The parameters whose malformed values are 422: a malformed `sort_by` has an error of its own. A search is asked for
/// the values of its filters, which one decision is about.
fn rejecting(operation: &Operation) -> impl Iterator<Item = &Parameter> {
    optional(operation).filter(|parameter| match parameter.name.as_str() {
        SORT_BY => false,
        "skip" | "limit" => !operation.is_search(),
        _ => true,
    })
}

fn requests(operation: &Operation, mistake: Mistake) -> u64 {
    let rests = rests(operation, Some(""));
    // A page behind the end is asked for without the mistake, too.
    let behind = rests.iter().filter(|rest| rest.is_behind).count();
    let rests = rests.len() + behind;
    let requests = match mistake {
        // Alone, with all others, and with HEAD.
        Mistake::MalformedValues => 3 * rejecting(operation).count(),
        // And without any.
        Mistake::DeniedKey | Mistake::NoKey | Mistake::UnknownKey => rests + 1 + REMEMBERED,
        _ => rests + 1,
    };
    u64::try_from(requests).unwrap_or(u64::MAX)
}

/// A column of the pipeline that a request names.
fn column(probe: &Probe) -> Option<String> {
    let pipelines = probe.known().pipelines.iter();
    let mine = probe.pipeline(ManyItems).ok()?;
    let mut mine = pipelines.filter(|pipeline| pipeline.pipeline_id == mine);
    mine.next()?.question_columns.first().cloned()
}

async fn rejects(probe: Probe, (operation, law): (Arc<Operation>, Law)) -> Outcome {
    let is_of_column = matches!(law.mistake, Mistake::OtherColumn | Mistake::UnknownColumn);
    let column = column(&probe).filter(|_| !is_of_column);
    let mut rests = rests(&operation, column.as_deref());
    // The source does not know HEAD, and states what an unknown pipeline or item is.
    rests.retain(|rest| !rest.is_head || point(&operation, law.mistake).is_some());
    let valid = RequestTemplate::valid(&operation);
    let mut place = None;
    let (request, code) = match law.mistake {
        Mistake::NoKey => (valid.literal_keys([]), "authentication_required"),
        Mistake::UnknownKey => (valid.literal_keys([UNKNOWN_KEY]), "invalid_api_key"),
        Mistake::DeniedKey => (valid.key(NoAccess), "authorization_denied"),
        Mistake::UnknownParameter => (valid.query(UNKNOWN_NAME, 1), "validation_failed"),
        Mistake::OtherColumn => (valid.query(SORT_BY, OTHER_COLUMN), "invalid_sort_by"),
        Mistake::UnknownColumn => (
            valid.query(SORT_BY, format!("question.{}", probe.unknown_id())),
            "unknown_sort_column",
        ),
        Mistake::UnknownRecord => (valid.of_unknown_record(), not_found(&operation)),
        Mistake::OutOfRange(name, bound) => {
            place = Some(name);
            let value = beyond(operation.parameter(name), bound);
            (valid.query(name, value), "validation_failed")
        }
        Mistake::MalformedValues => return rejects_values(&probe, &operation, &rests).await,
    };
    if let Some(behind) = rests.iter().position(|rest| rest.is_behind) {
        let alone = RequestTemplate::valid(&operation).call(&probe).await?;
        if with(alone, &rests[behind]).send().await?.status != 200 {
            rests.remove(behind);
        }
    }
    if let Some(name) = place {
        for rest in &mut rests {
            rest.query.retain(|(other, _)| other != name);
        }
        rests.retain(|rest| rest.is_head || !rest.query.is_empty());
        // A value that is accepted by itself fails a case of its own.
        let alone = request.call(&probe).await?.send().await?;
        if alone.status != law.status {
            if is_over_limit(&operation, law.mistake) {
                for rest in rests.iter().filter(|rest| !rest.is_head) {
                    let response = with(request.call(&probe).await?, rest).send().await?;
                    assert_no_more_than_the_maximum(&probe, &operation, &response);
                }
            }
            return probe.inconclusive(format!("a {name} out of its range that is rejected by itself"));
        }
    }
    let has_queries = rests.iter().any(|rest| !rest.is_head);
    // Whether a key counts, and what it may do, is decided, and so is which error comes first. But the source states an
    // error for each of these, and a deployment that gives it knows the mistake.
    let is_known_mistake = law.mistake.is_stated() && !operation.is_search() && has_queries && {
        let alone = request.call(&probe).await?.send().await?;
        alone.status == law.status
    };
    for rest in &rests {
        let response = with(request.call(&probe).await?, rest).send().await?;
        expect(&probe, &response, rest, (law.status, code), place);
        if is_over_limit(&operation, law.mistake) {
            assert_no_more_than_the_maximum(&probe, &operation, &response);
        }
        if is_known_mistake && !rest.is_head {
            let is_success = (200..300).contains(&response.status);
            probe.assert_as(
                Some(BTreeSet::new()),
                !is_success,
                "the response to a request that is rejected without these parameters",
                law.status,
                response.summary(),
                &[&response],
            );
        }
    }
    if matches!(law.mistake, Mistake::NoKey | Mistake::UnknownKey | Mistake::DeniedKey) {
        // An error that is remembered without its key is returned to others.
        for rest in rests.iter().filter(|rest| !rest.is_head).take(REMEMBERED) {
            let right = with(RequestTemplate::valid(&operation).call(&probe).await?, rest);
            probe.expect(&right.send().await?).status(200);
        }
    }
    Ok(())
}

/// Whether it is about a `limit` above the maximum that the source states.
fn is_over_limit(operation: &Operation, mistake: Mistake) -> bool {
    mistake == Mistake::OutOfRange("limit", Bound::Maximum) && !operation.is_search()
}

/// Asserts that a page has no more items than the source allows, whether the limit was rejected or clamped.
fn assert_no_more_than_the_maximum(probe: &Probe, operation: &Operation, page: &HttpResponse) {
    let most = operation.parameter("limit").number("maximum");
    let seen = i64::try_from(items(page).len()).unwrap_or(i64::MAX);
    probe.assert_as(
        Some(BTreeSet::new()),
        seen <= most,
        "the number of items on a page",
        format!("at most {most}"),
        seen,
        &[page],
    );
}

/// The first value beyond a bound.
fn beyond(parameter: &Parameter, bound: Bound) -> i64 {
    match bound {
        Bound::Minimum => parameter.number("minimum") - 1,
        Bound::Maximum => parameter.number("maximum") + 1,
    }
}

/// The code of an unknown record: that of the last parameter of the path.
fn not_found(operation: &Operation) -> &'static str {
    let mut in_path = operation.parameters.iter().filter(|one| one.location == "path");
    match in_path.next_back().map(|parameter| parameter.name.as_str()) {
        Some("organization_id") => "organization_not_found",
        Some("product_id") => "product_not_found",
        Some("pipeline_item_id") => "item_not_found",
        _ => "pipeline_not_found",
    }
}

async fn rejects_values(probe: &Probe, operation: &Operation, rests: &[Rest]) -> Outcome {
    let plain = Rest::default();
    let all = rests.iter().max_by_key(|rest| rest.query.len()).unwrap_or(&plain);
    let head = rests.iter().find(|rest| rest.is_head).unwrap_or(&plain);
    let valid = RequestTemplate::valid(operation);
    for parameter in rejecting(operation) {
        let name = parameter.name.as_str();
        for rest in [&plain, all, head] {
            let mut rest = rest.clone();
            rest.query.retain(|(other, _)| other != name);
            let call = with(valid.call(probe).await?, &rest);
            let response = call.query(name, malformed(parameter)).send().await?;
            expect(probe, &response, &rest, (422, "validation_failed"), Some(name));
        }
    }
    Ok(())
}

fn with(call: Call, rest: &Rest) -> Call {
    let query = rest.query.iter();
    let call = query.fold(call, |call, (name, value)| call.query(name, value));
    match rest.is_head {
        true => call.method("HEAD"),
        false => call,
    }
}

/// Expects a problem; a response to HEAD has its status alone.
fn expect(probe: &Probe, response: &HttpResponse, rest: &Rest, problem: (u16, &str), place: Option<&str>) {
    let (status, code) = problem;
    if rest.is_head {
        probe.expect(response).rejected_without_body(status, code);
        return;
    }
    let expect = probe.expect(response).rejected(status, code);
    if let Some(name) = place {
        expect.fault_at(&["query", name]);
    }
}
