//! Cases about requests that a search rejects for other reasons than the values of its parameters: unknown records,
//! ids that are not ids, unknown parameters, and several errors at once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::calls::{Finds, Search};
use engine::case::values::{HUGE, NOT_INTEGERS, UNKNOWN_PARAMETERS, parameters_of_others};
use engine::case::{Binding, Case, Expectation, QueryFault, Rejection};
use engine::session::Probe;
use engine::target::{PipelineRole, Role};
use engine::verdict::Outcome;
use platform_contract::Contract;

const GROUP: &str = "search-error";
/// How many records that lack a field are tried.
const INCOMPLETE: u64 = 12;
/// The sentence of the contract about precedence.
const PRECEDENCE: &str = "401, 429, 403, 422, 404, 400.";

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let mut cases = of_parameters(search);
    cases.extend(of_callers(search));
    if search.is_by_known_record() {
        cases.extend(of_known_record(search));
        if search.finds == Finds::Organizations {
            cases.push(of_listed_organization(search));
        }
    }
    cases
}

fn of_parameters(search: &Search) -> Vec<Case> {
    let case = |law: &str, title: &str| search.case(GROUP, law, title, search.operation.response_pointer(422));
    // An error may omit the place of a parameter without a name.
    let unknown = UNKNOWN_PARAMETERS.into_iter().filter(|name| !name.is_empty());
    let subject = search.subject().name.as_str();
    let (place, without_subject) = match search.is_by_known_record() {
        true => ("path", search.bare_request().path(subject, "abc")),
        false => ("query", search.bare_request().query(subject, " ")),
    };
    let faults = [
        ("limit", (search.number("limit", "maximum") + 1).to_string()),
        ("skip", "1".to_owned()),
        ("skip", "2".to_owned()),
        ("countries", "NO".to_owned()),
        ("countries", "dk".to_owned()),
        ("founded_year_min", "soon".to_owned()),
        ("funded_from", "2023-02-30".to_owned()),
        ("offset", "3".to_owned()),
        ("employee_count_min", "2".to_owned()),
        ("employee_count_max", "1".to_owned()),
    ];
    let faulty = faults
        .iter()
        .fold(without_subject, |request, (name, value)| request.query(name, value));
    let most = search.most_values("countries");
    let too_many = (0..=most).fold(search.request().query("limit", 0), |request, _| {
        request.query("countries", "NO")
    });
    // A text that is missing is an error like any other; a path always has its record.
    let too_few = search.bare_request().query("limit", 0);
    let missing = (!search.is_by_known_record()).then_some(too_few);
    vec![
        case("unknown-parameter-is-rejected", "An unknown parameter is rejected")
            .primary_quote("/info", "a parameter must be one that the operation has")
            .point("search-unknown-parameter")
            .rejects_each(search.request(), unknown.map(|name| QueryFault::new(name, 1))),
        case(
            "parameter-of-another-operation-is-rejected",
            "A parameter that only other operations have is rejected",
        )
        .primary_quote("/info", "a parameter must be one that the operation has")
        .point("search-unknown-parameter")
        .rejects_each(
            search.request(),
            parameters_of_others(Contract::bundled(), &search.operation),
        ),
        case("all-faults-are-named", "All of several errors are reported")
            .quote("errors lists every error.")
            .point("search-faults-told")
            .rejects(
                Rejection::invalid()
                    .at([place, subject])
                    .at(["query", "limit"])
                    .at(["query", "skip"])
                    .at(["query", "countries"])
                    .at(["query", "founded_year_min"])
                    .at(["query", "funded_from"])
                    .at(["query", "offset"])
                    .at_any_of([["query", "employee_count_min"], ["query", "employee_count_max"]]),
                [faulty],
            )
            // Several values of one parameter, too.
            .rejects(
                Rejection::invalid()
                    .at(["query", "countries", "0"])
                    .at(["query", "countries", "1"]),
                [search.request().query("countries", "no").query("countries", "dk")],
            )
            .rejects(
                Rejection::invalid().at([place, subject]).at(["query", "limit"]),
                missing,
            )
            .rejects(
                Rejection::invalid().at(["query", "countries"]).at(["query", "limit"]),
                [too_many],
            ),
    ]
}

/// The cases of the caller's key, which is checked first: a caller without permission learns nothing about the
/// request.
fn of_callers(search: &Search) -> Vec<Case> {
    let first = |law: &str, title: &str, status: u16| {
        search
            .case(GROUP, law, title, search.operation.response_pointer(status))
            .primary_quote("/info", PRECEDENCE)
    };
    let too_few = search.number("limit", "minimum") - 1;
    let faulty = || search.request().query("limit", too_few);
    let denied = || Rejection::new(403, "authorization_denied");
    let mut cases = vec![
        first(
            "no-key-comes-before-faults",
            "Without a key, an error in the request is not reported",
            401,
        )
        .point("search-authentication")
        .rejects(
            Rejection::new(401, "authentication_required"),
            [faulty().literal_keys([])],
        ),
        first(
            "denial-comes-before-faults",
            "A denied key does not learn of an error in the request",
            403,
        )
        .point("search-authorization")
        .rejects(denied(), [faulty().key(Role::NoAccess)]),
    ];
    if search.is_by_known_record() {
        let unknown = search.bare_request().path(&search.subject().name, Binding::UnknownId);
        cases.push(
            first(
                "denial-comes-before-not-found",
                "A denied key does not learn what exists",
                403,
            )
            .point("search-authorization")
            .rejects(denied(), [unknown.key(Role::NoAccess)]),
        );
    }
    cases
}

/// A record that an item names exists.
fn of_listed_organization(search: &Search) -> Case {
    let listed = Binding::OrganizationIn(PipelineRole::ManyItems);
    search
        .case(
            GROUP,
            "listed-record-is-known",
            "A search by a record that an item names does not return 404",
            search.operation.response_pointer(404),
        )
        .point("search-unknown-record")
        .expects([(
            search.bare_request().path(&search.subject().name, listed),
            Expectation::AnyStatusBut(404),
        )])
}

fn of_known_record(search: &Search) -> Vec<Case> {
    let name = search.subject().name.as_str();
    let (least, most) = (search.number(name, "minimum"), search.number(name, "maximum"));
    let case = |law: &str, title: &str, keyword: &str| search.case(GROUP, law, title, search.at(name, keyword));
    let unprocessable = search.operation.response_pointer(422);
    let missing = search.operation.response_pointer(404);
    let invalid = || Rejection::invalid().at(["path", name]);
    let not_found = || match search.finds {
        Finds::Organizations => Rejection::new(404, "organization_not_found"),
        Finds::Products => Rejection::new(404, "product_not_found"),
    };
    let known = match search.finds {
        Finds::Organizations => Binding::Organization,
        Finds::Products => Binding::Product,
    };
    let by_id = |id: i64| search.bare_request().path(name, id);
    let by_text = |text: &str| search.bare_request().path(name, text);
    let unknown = || search.bare_request().path(name, Binding::UnknownId);
    // Without the text, the request has another path.
    let not_ids = NOT_INTEGERS.into_iter().filter(|text| !text.is_empty());
    vec![
        search
            .case(
                GROUP,
                "unknown-record-is-not-found",
                "A search by a record that does not exist returns 404",
                &missing,
            )
            .and(search.at(name, "maximum"))
            .point("search-unknown-record")
            // An id as great as the contract allows, whatever the deployment looks up elsewhere.
            .rejects(not_found(), [by_id(Contract::bundled().unknown_id())]),
        search
            .case(
                GROUP,
                "incomplete-record-is-known",
                "A search by a record that lacks a field does not return 404",
                &missing,
            )
            .point("search-unknown-record")
            .needs(search.needs())
            .sends(INCOMPLETE)
            .check_with(search.clone(), incomplete_records),
        search
            .case(
                GROUP,
                "id-is-whole",
                "An id that shares only its lower 32 bits with a known record's id returns 404",
                &missing,
            )
            .and(search.at(name, "maximum"))
            .point("search-unknown-record")
            .rejects(not_found(), [search.bare_request().path(name, known.beyond_32_bits())]),
        search
            .case(
                GROUP,
                "faults-come-before-not-found",
                "An error in the request is reported before 404",
                &missing,
            )
            .primary_quote("/info", PRECEDENCE)
            .point("search-precedence-422-404")
            .rejects(
                Rejection::invalid().at(["query", "limit"]),
                [unknown().query("limit", search.number("limit", "minimum") - 1)],
            ),
        case(
            "id-at-minimum-is-accepted",
            &format!("{least} is an id like any other"),
            "minimum",
        )
        .point("search-id-out-of-range")
        .expects([(by_id(least), Expectation::StatusOr(200, not_found()))]),
        case(
            "id-below-minimum-is-rejected",
            &format!("An id below {least} is rejected"),
            "minimum",
        )
        .and(&unprocessable)
        .point("search-id-out-of-range")
        .rejects(invalid(), [least - 1, least - 2].map(by_id)),
        case(
            "id-over-maximum-is-rejected",
            &format!("An id above {most} is rejected"),
            "maximum",
        )
        .and(&unprocessable)
        .point("search-id-out-of-range")
        .rejects(invalid(), [by_id(most + 1)]),
        case(
            "id-malformed-is-rejected",
            "An id that is not a whole number is rejected",
            "type",
        )
        .and(&unprocessable)
        .point("search-id-malformed")
        .rejects(invalid(), not_ids.map(by_text)),
        case("id-huge-is-rejected", "An id beyond 64 bits is rejected", "format")
            .and(&unprocessable)
            .point("search-id-malformed")
            .rejects(invalid(), HUGE.map(by_text)),
    ]
}

/// The records that lack something that others have are known.
async fn incomplete_records(probe: Probe, search: Search) -> Outcome {
    let all = search.walked(&probe, i64::MAX).await?;
    let incomplete = without_each_member(search.finds, &all.results);
    if incomplete.is_empty() {
        return probe.inconclusive("a record that lacks a field that others have");
    }
    for (_, id) in (0..INCOMPLETE).zip(incomplete) {
        let response = search.call_with(&probe, id).query("limit", 1).send().await?;
        probe.expect(&response).status(200);
    }
    Ok(())
}

/// For each member that only some records have, the first record without it.
fn without_each_member(finds: Finds, records: &[Value]) -> BTreeSet<i64> {
    let mut seen = BTreeMap::<String, (bool, Option<i64>)>::new();
    for record in records {
        note_members(String::new(), record, finds.id(record), &mut seen);
    }
    let of_some = seen.into_values().filter(|(is_shown, _)| *is_shown);
    of_some.filter_map(|(_, without)| without).collect()
}

/// Notes which members a record has and lacks, at any depth.
fn note_members(path: String, value: &Value, id: i64, seen: &mut BTreeMap<String, (bool, Option<i64>)>) {
    if let Value::Object(members) = value {
        seen.entry(path.clone()).or_default().0 = true;
        for (name, member) in members {
            note_members(format!("{path}/{name}"), member, id, seen);
        }
        return;
    }
    let (is_shown, without) = seen.entry(path).or_default();
    match value.is_null() {
        true => *without = without.or(Some(id)),
        false => *is_shown = true,
    }
}
