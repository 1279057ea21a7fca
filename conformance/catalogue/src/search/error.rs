//! What a search refuses beyond the values of its parameters: unknown records, ids that are none, unknown
//! parameters, and several faults at once.

use crate::search::calls::{Finds, Search};
use engine::case::{Case, Need};
use engine::session::{Call, Probe};
use engine::target::Role;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-error";

/// Texts that are no ids.
const NOT_IDS: [&str; 6] = ["abc", "1.5", "1e3", "0x3e9", "1001x", "９"];
/// An id that no integer of 64 bits holds.
const HUGE: &str = "9223372036854775808";
/// Names of parameters that no search has, as a caller might think that they are called.
const UNKNOWN: [&str; 6] = ["offset", "country", "Limit", "sort_by", "page", "q"];

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    Search::of(contract)
        .into_iter()
        .flat_map(of_search)
        .collect()
}

fn of_search(search: Search) -> Vec<Case> {
    let invalid = search.operation.response_pointer(422);
    let case = |law: &str, title: &str| search.case(GROUP, law, title, &invalid);
    let mut cases = vec![
        case(
            "unknown-parameter-is-rejected",
            "A parameter that it does not have is rejected",
        )
        .led_by("/info", "a parameter must be one that the operation has")
        .check(move |probe| unknown_parameter(probe, search)),
        case(
            "all-faults-are-named",
            "Several faults at once are all named",
        )
        .quote("errors lists every fault.")
        .check(move |probe| all_faults(probe, search)),
    ];
    cases.extend(of_callers(search));
    if search.is_by_known_record() {
        cases.extend(of_known_record(search));
    }
    cases
}

/// Who calls is looked at first: whoever may not search does not learn what is wrong with a request.
fn of_callers(search: Search) -> Vec<Case> {
    let first = |law: &str, title: &str, status: u16| {
        search
            .case(GROUP, law, title, search.operation.response_pointer(status))
            .led_by("/info", "401, 429, 403, 422, 404, 400.")
    };
    let mut cases = vec![
        first(
            "no-key-comes-before-faults",
            "Without a key, a fault of the request is not told",
            401,
        )
        .check(move |probe| async move {
            let call = faulty(&probe, search)?.literal_keys([]);
            refused_first(&probe, call, 401, "authentication_required").await
        }),
        first(
            "denial-comes-before-faults",
            "A key that is denied does not learn of a fault",
            403,
        )
        .needs([Need::Key(Role::NoAccess)])
        .check(move |probe| async move {
            let call = faulty(&probe, search)?.key(Role::NoAccess);
            refused_first(&probe, call, 403, "authorization_denied").await
        }),
    ];
    if search.is_by_known_record() {
        let nobody = search.number(&search.subject.name, "maximum");
        cases.push(
            first(
                "denial-comes-before-not-found",
                "A key that is denied does not learn what exists",
                403,
            )
            .needs([Need::Key(Role::NoAccess)])
            .check(move |probe| async move {
                let call = search.call_with(&probe, nobody).key(Role::NoAccess);
                refused_first(&probe, call, 403, "authorization_denied").await
            }),
        );
    }
    cases
}

/// A search with a fault.
fn faulty(probe: &Probe, search: Search) -> Result<Call, Stop> {
    let too_few = search.number("limit", "minimum") - 1;
    Ok(search.call(probe)?.query("limit", too_few))
}

async fn refused_first(probe: &Probe, call: Call, status: u16, code: &str) -> Outcome {
    let answer = call.send().await?;
    probe.expect(&answer).refused(status, code);
    Ok(())
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
                not_found,
            )
            .led_by("/info", "401, 429, 403, 422, 404, 400.")
            .check(move |probe| fault_before_not_found(probe, search, most)),
        case(
            "id-at-minimum-is-accepted",
            &format!("{least} is an id like any other"),
            "minimum",
        )
        .check(move |probe| looked_up(probe, search, least)),
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
                "An id that is not a whole number is rejected",
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

/// It is looked up, whether it exists or not.
async fn looked_up(probe: Probe, search: Search, id: i64) -> Outcome {
    let answer = search.call_with(&probe, id).send().await?;
    // Errors of a deployment may have no code, by its profile.
    let has_code = probe.contract().errors_have("code");
    let not_found = !has_code || answer.code() == Some(not_found_code(search));
    let holds = answer.status == 200 || (answer.status == 404 && not_found);
    let expected = format!("200, or 404 {}", not_found_code(search));
    probe.assert(holds, "the answer", expected, answer.summary(), &[&answer]);
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
