//! What a search refuses beyond the values of its parameters: unknown records, ids that are none, unknown
//! parameters, and several faults at once.

use super::search_calls::{Finds, Search};
use crate::case::Case;
use crate::contract::Contract;
use crate::probe::Probe;
use crate::verdict::Outcome;

const GROUP: &str = "search-error";

/// Texts that are no ids.
const NOT_IDS: [&str; 6] = ["abc", "1.5", "1e3", "0x3e9", "1001x", "９"];
/// An id that no integer of 64 bits holds.
const HUGE: &str = "9223372036854775808";
/// Names of parameters that no search has, as a caller might think that they are called.
const UNKNOWN: [&str; 6] = ["offset", "country", "Limit", "sort_by", "page", "q"];

pub(super) fn cases(contract: &'static Contract) -> Vec<Case> {
    Search::of(contract)
        .into_iter()
        .flat_map(of_search)
        .collect()
}

fn of_search(search: Search) -> Vec<Case> {
    let invalid = search.operation.response_pointer(422);
    let case = |law: &str, title: &str| search.case(GROUP, law, title, &invalid);
    let mut cases = vec![
        case("unknown-parameter-is-rejected", "A parameter that it does not have is rejected")
            .quote("a parameter must be one that the operation has, and a parameter that takes one value may be given only once (422).")
            .check(move |probe| unknown_parameter(probe, search)),
        case("all-faults-are-named", "Several faults at once are all named")
            .quote("errors names every fault.")
            .check(move |probe| all_faults(probe, search)),
    ];
    if search.is_by_known_record() {
        cases.extend(of_known_record(search));
    }
    cases
}

fn of_known_record(search: Search) -> Vec<Case> {
    let name = search.subject.name.as_str();
    let (least, most) = (
        search.number(name, "minimum"),
        search.number(name, "maximum"),
    );
    let case = |law: &str, title: &str, keyword: &str| {
        search.case(GROUP, law, title, search.at(name, keyword))
    };
    let refused = |case: Case, ids: Vec<String>| {
        case.and(search.operation.response_pointer(422))
            .check(move |probe| refused(probe, search, ids.clone()))
    };
    let not_found = search.operation.response_pointer(404);
    vec![
        search
            .case(
                GROUP,
                "unknown-record-is-not-found",
                "A record that does not exist is answered 404",
                &not_found,
            )
            .and(search.at(name, "maximum"))
            .check(move |probe| not_found_at(probe, search, most)),
        search
            .case(
                GROUP,
                "faults-come-before-not-found",
                "A fault of the request is told before 404",
                "/info/description",
            )
            .quote("401, 403, 422, 404, 400.")
            .decided("D18")
            .and(not_found)
            .check(move |probe| fault_before_not_found(probe, search, most)),
        refused(
            case(
                "id-below-minimum-is-rejected",
                &format!("An id below {least} is rejected"),
                "minimum",
            ),
            [least - 1, least - 2].map(|id| id.to_string()).into(),
        ),
        refused(
            case(
                "id-over-maximum-is-rejected",
                &format!("An id above {most} is rejected"),
                "maximum",
            ),
            vec![(most + 1).to_string()],
        ),
        refused(
            case(
                "id-malformed-is-rejected",
                "An id that is no whole number is rejected",
                "type",
            ),
            NOT_IDS.map(str::to_owned).into(),
        ),
        refused(
            case(
                "id-huge-is-rejected",
                "An id beyond 64 bits is rejected",
                "format",
            ),
            vec![HUGE.to_owned()],
        ),
    ]
}

async fn unknown_parameter(probe: Probe, search: Search) -> Outcome {
    let name = search.one_of(&UNKNOWN);
    let answer = search.call(&probe)?.query(name, "1").send().await?;
    probe
        .expect(&answer)
        .refused(422, "validation_failed")
        .fault_at(&["query", name]);
    Ok(())
}

/// A fault of each kind, the subject's among them.
async fn all_faults(probe: Probe, search: Search) -> Outcome {
    let (subject, value) = match search.is_by_known_record() {
        true => ("path", "abc"),
        false => ("query", " "),
    };
    let call = search
        .call_with(&probe, value)
        .query("limit", search.number("limit", "maximum") + 1);
    let call = call
        .query("skip", 1)
        .query("skip", 2)
        .query("countries", "NO")
        .query("countries", "dk");
    let call = call
        .query("founded_year_min", "soon")
        .query("funded_from", "2023-02-30")
        .query("offset", 3);
    let answer = call
        .query("employee_count_min", 2)
        .query("employee_count_max", 1)
        .send()
        .await?;
    probe
        .expect(&answer)
        .refused(422, "validation_failed")
        .fault_at(&[subject, &search.subject.name]);
    for name in [
        "limit",
        "skip",
        "countries",
        "founded_year_min",
        "funded_from",
        "offset",
    ] {
        probe.expect(&answer).fault_at(&["query", name]);
    }
    let errors = answer
        .at("/errors")
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let bounds = ["employee_count_min", "employee_count_max"];
    let named = errors
        .iter()
        .any(|error| bounds.iter().any(|name| error["loc"][1] == *name));
    let expected = "a fault at query.employee_count_min or query.employee_count_max";
    probe.assert(
        named,
        "the errors",
        expected,
        answer.at("/errors"),
        &[&answer],
    );
    Ok(())
}

fn not_found_code(search: Search) -> &'static str {
    match search.finds {
        Finds::Organizations => "organization_not_found",
        Finds::Products => "product_not_found",
    }
}

async fn not_found_at(probe: Probe, search: Search, id: i64) -> Outcome {
    let answer = search.call_with(&probe, id).send().await?;
    probe.expect(&answer).refused(404, not_found_code(search));
    Ok(())
}

async fn fault_before_not_found(probe: Probe, search: Search, id: i64) -> Outcome {
    let call = search
        .call_with(&probe, id)
        .query("limit", search.number("limit", "minimum") - 1);
    let answer = call.send().await?;
    probe
        .expect(&answer)
        .refused(422, "validation_failed")
        .fault_at(&["query", "limit"]);
    Ok(())
}

async fn refused(probe: Probe, search: Search, ids: Vec<String>) -> Outcome {
    for id in ids {
        let answer = search.call_with(&probe, id).send().await?;
        probe
            .expect(&answer)
            .refused(422, "validation_failed")
            .fault_at(&["path", &search.subject.name]);
    }
    Ok(())
}
