//! `skip` and `limit` of the searches: the bounds from both sides, the defaults, how far a search
//! reaches, and what is no number.

use serde_json::Value;

use crate::search::calls::{Search, count, ids, results, total_count};
use crate::search::keeps::founded_year;
use engine::case::Case;
use engine::session::Probe;
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-limit";
const NAMES: [&str; 2] = ["skip", "limit"];

/// Texts that are no whole numbers.
const NOT_INTEGERS: [&str; 6] = ["ten", "", "1.5", "1e1", "0x10", "1,0"];
/// A whole number that no integer of 64 bits holds.
const HUGE: &str = "100000000000000000000000000";

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    Search::of(contract)
        .into_iter()
        .flat_map(of_search)
        .collect()
}

fn of_search(search: Search) -> Vec<Case> {
    let bound =
        |keyword: &str, by: i64| NAMES.map(|name| (search.number(name, keyword) + by).to_string());
    let case = |law: &str, title: &str, keyword: &str| {
        let [first, second] = NAMES.map(|name| search.at(name, keyword));
        search.case(GROUP, law, title, first).and(second)
    };
    let refused = |case: Case, values: [String; 2]| {
        case.and(search.operation.response_pointer(422))
            .check(move |probe| refused(probe, search, values.clone()))
    };
    let [skip, limit] = bound("minimum", 0);
    let at_minimum = format!("skip={skip} and limit={limit} are accepted");
    let [skip, limit] = bound("maximum", 0);
    let at_maximum = format!("skip={skip} is accepted, and limit={limit}");
    let [skip, limit] = bound("default", 0);
    let default = format!("Left out, skip is {skip} and limit {limit}");
    let not_an_integer = search.one_of(&NOT_INTEGERS);
    let reach = search.reach();
    let of_reach = |law: &str, title: &str| search.case(GROUP, law, title, search.place_of_reach());
    vec![
        case("minimum-is-accepted", &at_minimum, "minimum")
            .check(move |probe| at_minimum_of_both(probe, search)),
        case("maximum-is-accepted", &at_maximum, "maximum")
            .check(move |probe| at_maximum_of_each(probe, search)),
        case("default-applies", &default, "default")
            .check(move |probe| default_applies(probe, search)),
        refused(
            case(
                "below-minimum-is-rejected",
                "A skip and a limit below their minimum are rejected",
                "minimum",
            ),
            bound("minimum", -1),
        ),
        refused(
            case(
                "over-maximum-is-rejected",
                "A skip and a limit above their maximum are rejected",
                "maximum",
            ),
            bound("maximum", 1),
        ),
        refused(
            case(
                "not-an-integer-is-rejected",
                "A skip and a limit that are no whole numbers are rejected",
                "type",
            ),
            NAMES.map(|_| not_an_integer.to_owned()),
        ),
        refused(
            case(
                "huge-is-rejected",
                "A skip and a limit beyond 64 bits are rejected",
                "format",
            ),
            NAMES.map(|_| HUGE.to_owned()),
        ),
        case(
            "repeated-is-rejected",
            "A skip and a limit that are given twice are rejected",
            "type",
        )
        .led_by("/info", "a parameter that takes one value may be given only once")
        .and(search.operation.response_pointer(422))
        .check(move |probe| repeated(probe, search)),
        of_reach(
            "to-the-reach-is-accepted",
            &format!("skip + limit = {reach} is accepted"),
        )
        .check(move |probe| reach_is_accepted(probe, search)),
        of_reach(
            "over-the-reach-is-rejected",
            &format!("skip + limit = {} is rejected", reach + 1),
        )
        .led_by("/info", "skip + limit of a search is at most 1000 (422)")
        .and(search.operation.response_pointer(422))
        .check(move |probe| over_reach_is_refused(probe, search)),
        search
            .case(
                GROUP,
                "past-the-end-is-empty",
                "Past the end the page is empty",
                search.place_of("skip"),
            )
            .quote("At or past the end the page is empty, and total_count is the same as on any other page.")
            .check(move |probe| past_the_end(probe, search)),
    ]
}

/// Expects a page of so many results as there are, and no more than `limit`.
async fn page_of(probe: &Probe, search: Search, skip: i64, limit: i64) -> Outcome {
    let answer = search
        .call(probe)?
        .query("skip", skip)
        .query("limit", limit)
        .send()
        .await?;
    probe.expect(&answer).status(200);
    if answer.status == 200 {
        let expected = (total_count(&answer) - skip).clamp(0, limit);
        let seen = count(results(&answer));
        probe.assert(
            seen == expected,
            "the number of results",
            expected,
            seen,
            &[&answer],
        );
    }
    Ok(())
}

async fn at_minimum_of_both(probe: Probe, search: Search) -> Outcome {
    let [skip, limit] = NAMES.map(|name| search.number(name, "minimum"));
    page_of(&probe, search, skip, limit).await
}

/// Each at its maximum alone: together they would exceed the reach.
async fn at_maximum_of_each(probe: Probe, search: Search) -> Outcome {
    let [skip, limit] = NAMES.map(|name| search.number(name, "maximum"));
    page_of(&probe, search, 0, limit).await?;
    page_of(&probe, search, skip, search.reach() - skip).await
}

/// A page without the parameters is the page with their defaults.
async fn default_applies(probe: Probe, search: Search) -> Outcome {
    let [skip, limit] = NAMES.map(|name| search.number(name, "default"));
    let bare = probe.ok(search.call(&probe)?.send().await?)?;
    if total_count(&bare) <= limit {
        return probe.inconclusive(format!("a search that finds more than {limit} records"));
    }
    let seen = count(results(&bare));
    probe.assert(
        seen == limit,
        "the number of results",
        limit,
        seen,
        &[&bare],
    );
    let said = probe.ok(search
        .call(&probe)?
        .query("skip", skip)
        .query("limit", limit)
        .send()
        .await?)?;
    let found = |page: &Answer| Value::from(ids(search.finds, results(page)));
    let what = format!("the results, compared with skip={skip}&limit={limit}");
    probe.assert_same(&what, &found(&said), &found(&bare), &[&bare, &said]);
    Ok(())
}

/// Both are refused; the one that is not named is so when it is sent alone.
async fn refused(probe: Probe, search: Search, values: [String; 2]) -> Outcome {
    let pairs: Vec<_> = NAMES.into_iter().zip(values).collect();
    refused_together(&probe, search, &pairs).await
}

async fn repeated(probe: Probe, search: Search) -> Outcome {
    let twice = NAMES
        .into_iter()
        .chain(NAMES)
        .map(|name| (name, "1".to_owned()));
    refused_together(&probe, search, &twice.collect::<Vec<_>>()).await
}

async fn refused_together(probe: &Probe, search: Search, pairs: &[(&str, String)]) -> Outcome {
    let send = async |pairs: &[(&str, String)]| {
        let call = pairs
            .iter()
            .fold(search.call(probe)?, |call, (name, value)| {
                call.query(name, value)
            });
        call.send().await
    };
    let both = send(pairs).await?;
    probe.expect(&both).refused(422, "validation_failed");
    for name in NAMES {
        if both.names_fault_at(&["query", name]) {
            continue;
        }
        let mine: Vec<_> = pairs
            .iter()
            .filter(|(found, _)| *found == name)
            .cloned()
            .collect();
        let alone = send(&mine).await?;
        probe
            .expect(&alone)
            .refused(422, "validation_failed")
            .fault_at(&["query", name]);
    }
    Ok(())
}

async fn reach_is_accepted(probe: Probe, search: Search) -> Outcome {
    let most = search.number("limit", "maximum");
    page_of(&probe, search, search.reach() - most, most).await
}

/// One too many is refused, whichever of the two is great; `errors` may name either.
async fn over_reach_is_refused(probe: Probe, search: Search) -> Outcome {
    for limit in [
        search.number("limit", "maximum"),
        search.reach() + 1 - search.number("skip", "maximum"),
    ] {
        let skip = search.reach() + 1 - limit;
        let answer = search
            .call(&probe)?
            .query("skip", skip)
            .query("limit", limit)
            .send()
            .await?;
        probe.expect(&answer).refused(422, "validation_failed");
        if !probe.faults_are_named() {
            continue;
        }
        let places = ["skip", "limit"].map(|name| Value::from(vec!["query", name]));
        let errors = answer
            .at("/errors")
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        let named = errors.iter().any(|error| places.contains(&error["loc"]));
        let expected = "a fault at query.skip or query.limit";
        probe.assert(
            named,
            "the errors",
            expected,
            answer.at("/errors"),
            &[&answer],
        );
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
    let Some(year) = results(&first)
        .iter()
        .find_map(|result| founded_year(search, result))
    else {
        return probe.inconclusive("a first result with a founding date");
    };
    let narrowed = || -> Result<_, Stop> {
        let call = search
            .call(&probe)?
            .query("founded_year_min", year)
            .query("founded_year_max", year);
        Ok(call.query("limit", 1))
    };
    let page = probe.ok(narrowed()?.send().await?)?;
    let (end, most) = (total_count(&page), search.number("skip", "maximum"));
    if end > most {
        return probe.inconclusive(format!("at most {most} results of the year {year}"));
    }
    for skip in [end, most] {
        let past = narrowed()?.query("skip", skip).send().await?;
        probe
            .expect(&past)
            .status(200)
            .body("/results", Vec::<Value>::new());
        probe.expect(&past).body("/total_count", end);
    }
    Ok(())
}
