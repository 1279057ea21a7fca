//! Cases about `skip` and `limit` of the searches: the bounds from both sides, the defaults, the reach of a search,
//! and values that are not numbers.

use serde_json::Value;

use crate::calls::{Search, count, ids, results, total_count};
use crate::keeps::founded_year;
use engine::case::values::{BEYOND_32_BITS, GIVEN_ONCE, HUGE, NOT_INTEGERS, WRITTEN_AS_IN_JSON};
use engine::case::{Case, QueryFault, Rejection};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-limit";
const NAMES: [&str; 2] = ["skip", "limit"];

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let number = |keyword: &str| NAMES.map(|name| search.number(name, keyword));
    let [least_skip, least_limit] = number("minimum");
    let [most_skip, most_limit] = number("maximum");
    let [default_skip, default_limit] = number("default");
    let reach = search.reach;
    let case = |law: &str, title: &str, keyword: &str| {
        let [first, second] = NAMES.map(|name| search.at(name, keyword));
        search.case(GROUP, law, title, first).and(second)
    };
    let unprocessable = search.operation.response_pointer(422);
    let both = |skip: i64, limit: i64| [QueryFault::new("skip", skip), QueryFault::new("limit", limit)];
    let both_are = |text: &str| NAMES.map(|name| QueryFault::new(name, text));
    let page = |skip: i64, limit: i64| search.request().query("skip", skip).query("limit", limit);
    vec![
        case(
            "minimum-is-accepted",
            &format!("skip={least_skip} and limit={least_limit} are accepted"),
            "minimum",
        )
        .point("search-limit-below-minimum")
        .needs(search.needs())
        .check_with(search.clone(), at_minimum_of_both),
        case(
            "maximum-is-accepted",
            &format!("skip={most_skip} is accepted, and so is limit={most_limit}"),
            "maximum",
        )
        .point("search-limit-maximum")
        .needs(search.needs())
        .check_with(search.clone(), at_maximum_of_each),
        case(
            "default-applies",
            &format!("The default of skip is {default_skip}, and that of limit is {default_limit}"),
            "default",
        )
        .point("search-limit-default")
        .needs(search.needs())
        .check_with(search.clone(), default_applies),
        case(
            "below-minimum-is-rejected",
            "A skip or limit below its minimum is rejected",
            "minimum",
        )
        .and(&unprocessable)
        .point("search-limit-below-minimum")
        .rejects_each(search.request(), both(least_skip - 1, least_limit - 1)),
        case(
            "over-maximum-is-rejected",
            "A skip or limit above its maximum is rejected",
            "maximum",
        )
        .and(&unprocessable)
        .point("search-limit-above-maximum")
        .rejects_each(search.request(), both(most_skip + 1, most_limit + 1))
        // By itself it would be beyond the reach of a search with the default of limit.
        .rejects(
            Rejection::invalid().at(["query", "skip"]),
            [page(most_skip + 1, least_limit)],
        )
        // Both are within the bounds if they are truncated to 32 bits.
        .rejects_each(search.request(), both(BEYOND_32_BITS + 1, BEYOND_32_BITS + 1)),
        NOT_INTEGERS.iter().fold(
            case(
                "not-an-integer-is-rejected",
                "A skip or limit that is not a whole number is rejected",
                "type",
            )
            .and_quote("/info", WRITTEN_AS_IN_JSON)
            .and(&unprocessable)
            .point("search-limit-malformed"),
            |case, text| case.rejects_each(search.request(), both_are(text)),
        ),
        HUGE.into_iter().fold(
            case(
                "huge-is-rejected",
                "A skip or limit beyond 64 bits is rejected",
                "format",
            )
            .and(&unprocessable)
            .point("search-limit-above-maximum"),
            |case, text| case.rejects_each(search.request(), both_are(text)),
        ),
        case(
            "repeated-is-rejected",
            "A skip or limit that is sent twice is rejected",
            "type",
        )
        .primary_quote("/info", GIVEN_ONCE)
        .and(&unprocessable)
        .point("search-repeated-parameter")
        .rejects_each(
            search.request(),
            NAMES.map(|name| QueryFault::repeated(name, ["1", "1"].map(str::to_owned))),
        ),
        search
            .case(
                GROUP,
                "to-the-reach-is-accepted",
                &format!("skip + limit = {reach} is accepted"),
                search.place_of_reach(),
            )
            .point("search-reach")
            .needs(search.needs())
            .check_with(search.clone(), reach_is_accepted),
        search
            .case(
                GROUP,
                "over-the-reach-is-rejected",
                &format!("skip + limit = {} is rejected", reach + 1),
                search.place_of_reach(),
            )
            .primary_quote("/info", "skip + limit of a search is at most 1000 (422)")
            .and(&unprocessable)
            .point("search-reach")
            // One above the reach, with the maximum of either parameter. The rule names the place of its error.
            .rejects(
                Rejection::invalid().at(["query", "skip"]),
                [
                    page(reach + 1 - most_limit, most_limit),
                    page(most_skip, reach + 1 - most_skip),
                ],
            )
            // The default of limit counts too.
            .rejects(
                Rejection::invalid().at(["query", "skip"]),
                [search.request().query("skip", reach + 1 - default_limit)],
            ),
        search
            .case(
                GROUP,
                "past-the-end-is-empty",
                "Past the end the page is empty",
                search.place_of("skip"),
            )
            .quote("At or past the end the page is empty, and total_count is the same as on any other page.")
            .point("search-past-the-end")
            .needs(search.needs())
            .check_with(search.clone(), past_the_end),
    ]
}

/// Expects a page of `limit` results, or of all that are left.
async fn page_of(probe: &Probe, search: &Search, skip: i64, limit: i64) -> Outcome {
    let response = search
        .call(probe)?
        .query("skip", skip)
        .query("limit", limit)
        .send()
        .await?;
    probe.expect(&response).status(200);
    if response.status == 200 {
        probe.assert_whole(&search.operation, &response);
        let total = total_count(&response);
        let expected = (total - skip).clamp(0, limit);
        let seen = count(results(&response));
        let shown = format!("{expected}, as total_count is {total}");
        probe.assert(seen == expected, "the number of results", shown, seen, &[&response]);
    }
    Ok(())
}

async fn at_minimum_of_both(probe: Probe, search: Search) -> Outcome {
    let [skip, limit] = NAMES.map(|name| search.number(name, "minimum"));
    page_of(&probe, &search, skip, limit).await
}

/// Checks the maximum of each parameter separately: together they exceed the reach.
async fn at_maximum_of_each(probe: Probe, search: Search) -> Outcome {
    let [skip, limit] = NAMES.map(|name| search.number(name, "maximum"));
    page_of(&probe, &search, 0, limit).await?;
    page_of(&probe, &search, skip, search.reach - skip).await
}

/// Checks that a page without the parameters equals the page with their defaults.
async fn default_applies(probe: Probe, search: Search) -> Outcome {
    let [skip, limit] = NAMES.map(|name| search.number(name, "default"));
    let bare = probe.ok(search.call(&probe)?.send().await?)?;
    if total_count(&bare) <= limit {
        return probe.inconclusive(format!("a search that finds more than {limit} records"));
    }
    let seen = count(results(&bare));
    probe.assert(seen == limit, "the number of results", limit, seen, &[&bare]);
    let said = probe.ok(search
        .call(&probe)?
        .query("skip", skip)
        .query("limit", limit)
        .send()
        .await?)?;
    let found = |page: &HttpResponse| Value::from(ids(search.finds, results(page)));
    let what = format!("the results, compared with skip={skip}&limit={limit}");
    probe.assert_same(&what, &found(&said), &found(&bare), &[&bare, &said]);
    Ok(())
}

async fn reach_is_accepted(probe: Probe, search: Search) -> Outcome {
    let most = search.number("limit", "maximum");
    page_of(&probe, &search, search.reach - most, most).await
}

/// A filter on the founding year of the first result brings the end within reach.
async fn past_the_end(probe: Probe, search: Search) -> Outcome {
    let first = probe.ok(search.call(&probe)?.query("limit", 1).send().await?)?;
    let Some(year) = results(&first).iter().find_map(|result| founded_year(&search, result)) else {
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
    probe.assert(end >= 0, "total_count", "0 or more", page.at("/total_count"), &[&page]);
    if end < 0 {
        return Ok(());
    }
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
