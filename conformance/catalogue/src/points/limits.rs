//! Points about `limit` and `skip`, of lists and of searches: values out of bounds, and the bounds that the source
//! does not give.

use serde_json::{Value, json};

use super::bound::{Tried, bound};
use super::observation::{
    ObservationResult, Pages, observed, observed_other, observed_value, on_each, rejected_or, unknown_without,
};
use super::{Point, point};
use engine::case::Need;
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Stop;
use platform_contract::Contract;
use searches::calls::{Search, count, results, total_count};
use searches::keeps::founded_year;

/// The greatest number to try when looking for a bound.
const FURTHEST: i64 = 100_000;

pub(super) fn of_lists(contract: &Contract) -> Vec<Point> {
    let of = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    let maximum = Pages::Items.number(contract, "limit", "maximum");
    vec![
        of(below_minimum(
            "list-limit-below-minimum",
            "What is the response to a limit of 0 when items are listed?",
        ))
        .by(|probe| limit_is(probe, Pages::Items, 0)),
        of(above_maximum(
            "list-limit-above-maximum",
            "What is the response to a limit above the maximum when items are listed?",
        ))
        .by(move |probe| limit_is(probe, Pages::Items, maximum + 1)),
        of(malformed(
            "list-limit-malformed",
            "What is the response to a limit that is not a whole number when items are listed?",
        ))
        .by(|probe| limit_is(probe, Pages::Items, "ten")),
        of(skip_below_zero(
            "list-skip-below-minimum",
            "What is the response to a skip below 0 when items are listed?",
        ))
        .by(|probe| skip_is(probe, Pages::Items, "-1")),
        of(skip_malformed(
            "list-skip-malformed",
            "What is the response to a skip that is not a whole number when items are listed?",
        ))
        .by(|probe| skip_is(probe, Pages::Items, "ten")),
        of(point(
            "list-skip-huge",
            "What is the response to a skip above 2^53 - 1 when items are listed?",
            ("refused", json!(422), "It is rejected with this status."),
        ))
        .or("past-the-end", "An empty page, as for any place past the end.")
        .or("ignored", "The first page.")
        .found_out("Lists items with skip=9007199254740992.")
        .by(|probe| skip_is(probe, Pages::Items, "9007199254740992")),
        of(point(
            "list-skip-maximum",
            "What is the response of a list to the greatest skip of the contract, 2^53 - 1?",
            (
                "past-the-end",
                Value::Null,
                "An empty page, as for any place past the end.",
            ),
        ))
        .or("refused", "It is rejected with this status.")
        .or("ignored", "The first page.")
        .found_out("Lists items with skip=9007199254740991.")
        .by(|probe| skip_is(probe, Pages::Items, "9007199254740991")),
        of(point(
            "skip-past-the-end",
            "What does a page of items past the end contain?",
            ("empty", Value::Null, "Nothing, and total_count is still correct."),
        ))
        .or("refused", "The request is rejected with this status.")
        .or(
            "empty-without-count",
            "Nothing, and total_count differs from the other pages.",
        )
        .or("not-empty", "Items.")
        .found_out("Lists items with skip=total_count.")
        .by(|probe| past_the_end(probe, Pages::Items)),
    ]
}

pub(super) fn of_searches(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    let Some(first) = searches.first() else {
        return Vec::new();
    };
    let default = first.number("limit", "default");
    let maximum = first.number("limit", "maximum");
    let reach = first.reach;
    vec![
        point(
            "search-limit-default",
            "How many results does a page of a search have when no limit is given?",
            ("number", json!(default), "This many, if the search finds as many."),
        )
        .found_out("Searches without a limit, and compares the page with total_count.")
        .by(on_each(&searches, default_limit)),
        point(
            "search-limit-maximum",
            "How many results can one page of a search have?",
            ("number", json!(maximum), "At most this many."),
        )
        .or("unbounded", "Any number: no limit was found up to the value.")
        .found_out(
            "Searches with greater and greater limits, and bisects between the greatest limit that is honoured and \
             the least that is not.",
        )
        // About twenty requests for each search when the limit is far above the contract's.
        .sends(160)
        .by(on_each(&searches, greatest_limit)),
        above_maximum(
            "search-limit-above-maximum",
            "What is the response of a search to a limit above the maximum?",
        )
        .found_out("Searches with a limit one above the contract's maximum.")
        .by(on_each(&searches, move |probe, search| {
            limit_is(probe, Pages::Results(search), maximum + 1)
        })),
        below_minimum(
            "search-limit-below-minimum",
            "What is the response of a search to a limit of 0?",
        )
        .by(on_each(&searches, |probe, search| {
            limit_is(probe, Pages::Results(search), 0)
        })),
        malformed(
            "search-limit-malformed",
            "What is the response of a search to a limit that is not a whole number?",
        )
        .by(on_each(&searches, |probe, search| {
            limit_is(probe, Pages::Results(search), "ten")
        })),
        point(
            "search-reach",
            "How many results of a search can be reached by paging?",
            (
                "number",
                json!(reach),
                "At most this many: a page that would end after them is rejected.",
            ),
        )
        .or("unbounded", "All of them: no limit was found up to the value.")
        .found_out("Searches with a limit of 1 and greater and greater skips, and bisects.")
        .sends(160)
        .by(on_each(&searches, greatest_skip)),
        point(
            "search-past-the-end",
            "What does a page of a search past the last result contain?",
            ("empty", Value::Null, "Nothing, and total_count is still correct."),
        )
        .or("refused", "The request is rejected with this status.")
        .or(
            "empty-without-count",
            "Nothing, and total_count differs from the other pages.",
        )
        .or("not-empty", "Results.")
        .found_out("Searches with skip=total_count, narrowed to a founding year to bring the end within reach.")
        .by(on_each(&searches, |probe, search| {
            past_the_end(probe, Pages::Results(search))
        })),
    ]
}

fn below_minimum(id: &'static str, question: &'static str) -> Point {
    let rejected = ("refused", json!(422), "It is rejected with this status.");
    point(id, question, rejected)
        .or("empty", "An empty page.")
        .or("raised", "A page of one entry: the limit is raised to 1.")
        .or("ignored", "The page that a request without a limit gets.")
        .found_out("Requests a page with limit=0.")
}

fn above_maximum(id: &'static str, question: &'static str) -> Point {
    let rejected = ("refused", json!(422), "It is rejected with this status.");
    point(id, question, rejected)
        .or("clamped", "A page of as many entries as the contract's maximum.")
        .or("ignored", "The page that a request without a limit gets.")
        .or(
            "honoured",
            "A page of as many entries as requested: the maximum is greater.",
        )
        .found_out("Requests a page with a limit one above the contract's maximum.")
}

fn malformed(id: &'static str, question: &'static str) -> Point {
    let rejected = ("refused", json!(422), "It is rejected with this status.");
    point(id, question, rejected)
        .or("ignored", "The page that a request without a limit gets.")
        .found_out("Requests a page with limit=ten.")
}

fn skip_below_zero(id: &'static str, question: &'static str) -> Point {
    let rejected = ("refused", json!(422), "It is rejected with this status.");
    point(id, question, rejected)
        .or("ignored", "The first page.")
        .or("from-the-end", "The last entry: skip is counted from the end.")
        .found_out("Requests a page with skip=-1.")
}

fn skip_malformed(id: &'static str, question: &'static str) -> Point {
    let rejected = ("refused", json!(422), "It is rejected with this status.");
    point(id, question, rejected)
        .or("ignored", "The first page.")
        .found_out("Requests a page with skip=ten.")
}

/// Observes how a limit that is out of bounds is treated.
async fn limit_is(probe: Probe, pages: Pages, limit: impl Into<Value>) -> ObservationResult {
    let limit = limit.into();
    let text = limit.as_str().map_or_else(|| limit.to_string(), str::to_owned);
    let response = pages.call(&probe)?.query("limit", text).send().await?;
    if response.status != 200 {
        return rejected_or(&response, || {
            observed_other("answered 2xx other than 200", &[&response])
        });
    }
    let bare = probe.ok(pages.call(&probe)?.send().await?)?;
    let (seen, usual, all) = (pages.count(&response), pages.count(&bare), total_count(&bare));
    let evidence = [&response, &bare];
    let asked = limit.as_i64();
    let maximum = pages.number(probe.contract(), "limit", "maximum");
    if asked.is_some_and(|asked| asked > maximum) {
        // With fewer entries than the maximum, both behaviours return all of them.
        if all <= maximum {
            return unknown_without(format!("more than {maximum} entries to list"));
        }
        return match seen {
            seen if Some(seen) == asked => observed("honoured", &evidence),
            seen if seen == maximum => observed("clamped", &evidence),
            seen if seen == usual => observed("ignored", &evidence),
            seen if seen < maximum => observed_value("clamped", seen, &evidence),
            seen => observed_other(format!("{seen} entries"), &evidence),
        };
    }
    match seen {
        0 => observed("empty", &evidence),
        1 if usual > 1 => observed("raised", &evidence),
        seen if seen == usual => observed("ignored", &evidence),
        seen => observed_other(format!("{seen} entries"), &evidence),
    }
}

/// Observes how a skip that is out of bounds is treated.
async fn skip_is(probe: Probe, pages: Pages, skip: &'static str) -> ObservationResult {
    let call = pages.call(&probe)?.query("skip", skip);
    let response = call.query("limit", 2).send().await?;
    if response.status != 200 {
        return rejected_or(&response, || {
            observed_other("answered 2xx other than 200", &[&response])
        });
    }
    let first = probe.ok(pages.call(&probe)?.query("limit", 2).send().await?)?;
    let evidence = [&response, &first];
    match pages.entries(&response) {
        [] => observed("past-the-end", &evidence),
        entries if entries == pages.entries(&first) => observed("ignored", &evidence),
        [_] => observed("from-the-end", &evidence),
        _ => observed_other("another page than the first", &evidence),
    }
}

async fn past_the_end(probe: Probe, pages: Pages) -> ObservationResult {
    // A founding year brings the end of a search within reach.
    let year = match pages {
        Pages::Items => None,
        Pages::Results(ref search) => {
            let first = probe.ok(pages.call(&probe)?.send().await?)?;
            let found = pages.entries(&first);
            let Some(year) = found.iter().find_map(|result| founded_year(search, result)) else {
                return unknown_without("a result with a founding date");
            };
            Some(year)
        }
    };
    let call = || -> Result<_, Stop> {
        let call = pages.call(&probe)?.query("limit", 1);
        Ok(call
            .query_some("founded_year_min", year)
            .query_some("founded_year_max", year))
    };
    let first = probe.ok(call()?.send().await?)?;
    let end = total_count(&first);
    let response = call()?.query("skip", end).send().await?;
    rejected_or(&response, || {
        let evidence = [&response, &first];
        match (pages.count(&response), total_count(&response) == end) {
            (0, true) => observed("empty", &evidence),
            (0, false) => observed("empty-without-count", &evidence),
            _ => observed("not-empty", &evidence),
        }
    })
}

async fn default_limit(probe: Probe, search: Search) -> ObservationResult {
    let bare = probe.ok(search.call(&probe)?.send().await?)?;
    let seen = count(results(&bare));
    match total_count(&bare) > seen {
        true => observed_value("number", seen, &[&bare]),
        false => unknown_without(format!("a search that finds more than {seen} records")),
    }
}

async fn greatest_limit(probe: Probe, search: Search) -> ObservationResult {
    let known = search.number("limit", "maximum");
    let mut all = 0;
    let over = with_limit(&probe, &search, known + 1).await?;
    all = all.max(total_count(&over.response));
    if !over.within && over.response.status == 200 {
        return observed_value("number", over.count, &[&over.response]);
    }
    let at = with_limit(&probe, &search, known).await?;
    if !over.within && at.within {
        return observed_value("number", known, &[&at.response, &over.response]);
    }
    let try_limit = |limit| with_limit(&probe, &search, limit);
    let (within, beyond) = if at.within { (known + 1, FURTHEST) } else { (0, known) };
    // Above the number of all records, a capped page cannot be distinguished from an honoured limit.
    match bound(within, beyond, try_limit).await? {
        (least, None) => observed_value("unbounded", least.min(all.max(known)), &[&over.response]),
        (most, Some(beyond)) => observed_value("number", most, &[&beyond]),
    }
}

async fn with_limit(probe: &Probe, search: &Search, limit: i64) -> Result<Tried, Stop> {
    let response = search.call(probe)?.query("limit", limit).send().await?;
    let count = count(results(&response));
    let whole = count == limit || count == total_count(&response);
    Ok(Tried {
        within: response.status == 200 && whole,
        count,
        response,
    })
}

async fn greatest_skip(probe: Probe, search: Search) -> ObservationResult {
    let reach = search.reach;
    let (at, over) = (
        with_skip(&probe, &search, reach - 1).await?,
        with_skip(&probe, &search, reach).await?,
    );
    if at.within && !over.within {
        return observed_value("number", reach, &[&at.response, &over.response]);
    }
    let (within, beyond) = if at.within { (reach, FURTHEST) } else { (-1, reach - 1) };
    match bound(within, beyond, |skip| with_skip(&probe, &search, skip)).await? {
        (_, None) => observed_value("unbounded", FURTHEST, &[&over.response]),
        (most, Some(beyond)) => observed_value("number", most + 1, &[&beyond]),
    }
}

async fn with_skip(probe: &Probe, search: &Search, skip: i64) -> Result<Tried, Stop> {
    let call = search.call(probe)?.query("skip", skip);
    let response = call.query("limit", 1).send().await?;
    Ok(Tried {
        within: response.status == 200,
        count: count(results(&response)),
        response,
    })
}
