//! `skip` and `limit` of the searches: the bounds from both sides, the defaults, how far a search
//! reaches, and what is no number.

use serde_json::Value;

use super::search_calls::{Search, count, ids, results, total_count};
use super::search_keeps::founded_year;
use crate::case::Case;
use crate::contract::Contract;
use crate::probe::Probe;
use crate::verdict::{Outcome, Stop};

const GROUP: &str = "search-limit";

/// Texts that are no whole numbers.
const NOT_INTEGERS: [&str; 4] = ["", "ten", "1.5", "1e1"];
/// A whole number that no integer of 64 bits holds.
const HUGE: &str = "100000000000000000000000000";

pub(super) fn cases(_: &Contract) -> Vec<Case> {
    Search::all().into_iter().flat_map(of_search).collect()
}

fn of_search(search: Search) -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["limit", "skip"] {
        cases.extend(of_parameter(search, name));
    }
    let reach = search.reach();
    let case =
        |law: &str, title: &str| search.case(GROUP, law, title, search.place_of_reach()).decided("D05");
    cases.extend([
        case("skip-and-limit-to-the-reach-are-accepted", &format!("skip + limit = {reach} is accepted"))
            .check(move |probe| reach_is_accepted(probe, search)),
        case("skip-and-limit-over-the-reach-are-rejected", &format!("skip + limit = {} is rejected", reach + 1))
            .quote("skip + limit of a search is at most 1000 (422)")
            .and(search.operation.response_pointer(422))
            .check(move |probe| over_reach_is_refused(probe, search)),
        search
            .case(
                GROUP,
                "skip-past-the-end-finds-nothing-more",
                "Past the end the page is empty and total_count still true",
                search.place_of("skip"),
            )
            .quote("At or past the end the page is empty and total_count still true.")
            .check(move |probe| past_the_end(probe, search)),
    ]);
    cases
}

fn of_parameter(search: Search, name: &'static str) -> Vec<Case> {
    let (least, most) = (search.number(name, "minimum"), search.number(name, "maximum"));
    let default = search.number(name, "default");
    let case = |law: &str, title: String, keyword: &str| {
        search.case(GROUP, &format!("{name}-{law}"), &title, search.at(name, keyword))
    };
    let refused = |case: Case, values: Vec<String>| {
        case.and(search.operation.response_pointer(422))
            .check(move |probe| refused(probe, search, name, values.clone()))
    };
    vec![
        case("minimum-is-accepted", format!("{name}={least} is accepted"), "minimum")
            .check(move |probe| accepted(probe, search, name, least)),
        case("maximum-is-accepted", format!("{name}={most} is accepted"), "maximum")
            .check(move |probe| accepted(probe, search, name, most)),
        case("default-applies", format!("Without {name} it is {default}"), "default")
            .check(move |probe| default_applies(probe, search, name)),
        refused(
            case("below-minimum-is-rejected", format!("A {name} below {least} is rejected"), "minimum"),
            [least - 1, -most].map(|value| value.to_string()).into(),
        ),
        refused(
            case("over-maximum-is-rejected", format!("A {name} above {most} is rejected"), "maximum"),
            vec![(most + 1).to_string()],
        ),
        refused(
            case("not-an-integer-is-rejected", format!("A {name} that is no whole number is rejected"), "type"),
            NOT_INTEGERS.map(str::to_owned).into(),
        ),
        refused(
            case("huge-is-rejected", format!("A {name} beyond 64 bits is rejected"), "format"),
            vec![HUGE.to_owned()],
        ),
        case("repeated-is-rejected", format!("A {name} that is given twice is rejected"), "type")
            .quote("a parameter that takes one value may be given only once")
            .decided("D14")
            .and(search.operation.response_pointer(422))
            .check(move |probe| repeated(probe, search, name)),
    ]
}

/// A page of no more than `limit` results, and no fewer when there are that many.
async fn accepted(probe: Probe, search: Search, name: &'static str, value: i64) -> Outcome {
    let call = search.call(&probe)?.query(name, value);
    // The greatest skip leaves room for one result alone.
    let room = search.reach() - search.number("skip", "maximum");
    let call = if name == "skip" { call.query("limit", room) } else { call };
    let answer = call.send().await?;
    probe.expect(&answer).status(200);
    if answer.status != 200 {
        return Ok(());
    }
    let (skip, limit) = if name == "skip" { (value, room) } else { (0, value) };
    let expected = (total_count(&answer) - skip).clamp(0, limit);
    let seen = count(results(&answer));
    probe.assert(seen == expected, "the number of results", expected, seen, &[&answer]);
    Ok(())
}

/// A page without the parameter is the page with its default.
async fn default_applies(probe: Probe, search: Search, name: &'static str) -> Outcome {
    let default = search.number(name, "default");
    let bare = probe.ok(search.call(&probe)?.send().await?)?;
    if total_count(&bare) <= default {
        return probe.inconclusive(format!("a search that finds more than {default} records"));
    }
    let explicit = probe.ok(search.call(&probe)?.query(name, default).send().await?)?;
    let found = |page| Value::from(ids(search.finds, results(page)));
    let what = format!("the results without {name}, compared with {name}={default}");
    probe.assert_same(&what, &found(&explicit), &found(&bare), &[&bare, &explicit]);
    if name == "limit" {
        let seen = count(results(&bare));
        probe.assert(seen == default, "the number of results", default, seen, &[&bare]);
    }
    Ok(())
}

async fn refused(probe: Probe, search: Search, name: &'static str, values: Vec<String>) -> Outcome {
    for value in values {
        let answer = search.call(&probe)?.query(name, value).send().await?;
        probe.expect(&answer).refused(422, "validation_failed").fault_at(&["query", name]);
    }
    Ok(())
}

async fn repeated(probe: Probe, search: Search, name: &'static str) -> Outcome {
    for second in [1, 2] {
        let answer = search.call(&probe)?.query(name, 1).query(name, second).send().await?;
        probe.expect(&answer).refused(422, "validation_failed").fault_at(&["query", name]);
    }
    Ok(())
}

async fn reach_is_accepted(probe: Probe, search: Search) -> Outcome {
    let most = search.number("limit", "maximum");
    for limit in [most, 1] {
        let call = search.call(&probe)?.query("skip", search.reach() - limit).query("limit", limit);
        probe.expect(&call.send().await?).status(200);
    }
    Ok(())
}

/// One too many is refused, whichever of the two is great; `errors` may name either.
async fn over_reach_is_refused(probe: Probe, search: Search) -> Outcome {
    let most = search.number("limit", "maximum");
    for limit in [most, search.reach() + 1 - search.number("skip", "maximum")] {
        let skip = search.reach() + 1 - limit;
        let answer = search.call(&probe)?.query("skip", skip).query("limit", limit).send().await?;
        probe.expect(&answer).refused(422, "validation_failed");
        let places = ["skip", "limit"].map(|name| Value::from(vec!["query", name]));
        let errors = answer.at("/errors").as_array().map_or(&[][..], Vec::as_slice);
        let named = errors.iter().any(|error| places.contains(&error["loc"]));
        let expected = "a fault at query.skip or query.limit";
        probe.assert(named, "the errors", expected, answer.at("/errors"), &[&answer]);
    }
    // The default of limit counts too.
    let skip = search.reach() + 1 - search.number("limit", "default");
    let answer = search.call(&probe)?.query("skip", skip).send().await?;
    probe.expect(&answer).refused(422, "validation_failed");
    Ok(())
}

/// A filter brings the end within reach: the founding year of the first result.
async fn past_the_end(probe: Probe, search: Search) -> Outcome {
    let first = probe.ok(search.call(&probe)?.query("limit", 1).send().await?)?;
    let Some(year) = results(&first).iter().find_map(|result| founded_year(search, result)) else {
        return probe.inconclusive("a first result with a founding date");
    };
    let narrowed = || -> Result<_, Stop> {
        let call = search.call(&probe)?.query("founded_year_min", year).query("founded_year_max", year);
        Ok(call.query("limit", 1))
    };
    let page = probe.ok(narrowed()?.send().await?)?;
    let (end, most) = (total_count(&page), search.number("skip", "maximum"));
    if end > most {
        return probe.inconclusive(format!("at most {most} results of the year {year}"));
    }
    for skip in [end, most] {
        let past = narrowed()?.query("skip", skip).send().await?;
        probe.expect(&past).status(200).body("/results", Vec::<Value>::new());
        probe.expect(&past).body("/total_count", end);
    }
    Ok(())
}
