//! `limit` and `skip`, of lists and of searches: what is not within their bounds, and where the source
//! gives no bound, where it lies.

use serde_json::{Value, json};

use super::bound::{Tried, bound};
use super::sight::{Pages, Seen, across, refused_or, saw, saw_other, saw_value, searches, untold};
use super::{Point, point};
use crate::search::keeps::founded_year;
use engine::case::Need;
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::client::Answer;
use engine::verdict::Stop;

/// The greatest number that is tried when a bound is looked for.
const FURTHEST: i64 = 100_000;

pub(super) fn of_lists() -> Vec<Point> {
    let of = |point: Point| point.needs([Need::Pipeline(ManyItems)]);
    let maximum = Pages::Items.number("limit", "maximum");
    vec![
        of(below_minimum(
            "list-limit-below-minimum",
            "What becomes of a limit of 0 when items are listed?",
        ))
        .governing([
            "limit/below-minimum-is-rejected",
            "limit/minimum-is-accepted",
        ])
        .by(|probe| limit_is(probe, Pages::Items, 0)),
        of(above_maximum(
            "list-limit-above-maximum",
            "What becomes of a limit above the maximum when items are listed?",
        ))
        .governing(["limit/over-maximum-is-rejected", "limit/huge-is-rejected"])
        .by(move |probe| limit_is(probe, Pages::Items, maximum + 1)),
        of(malformed(
            "list-limit-malformed",
            "What becomes of a limit that is not a whole number when items are listed?",
        ))
        .governing(["limit/not-an-integer-is-rejected"])
        .by(|probe| limit_is(probe, Pages::Items, "ten")),
        of(skip_below_zero(
            "list-skip-below-minimum",
            "What becomes of a skip below 0 when items are listed?",
        ))
        .governing(["skip/below-minimum-is-rejected", "skip/minimum-is-accepted"])
        .by(|probe| skip_is(probe, Pages::Items, "-1")),
        of(skip_malformed(
            "list-skip-malformed",
            "What becomes of a skip that is not a whole number when items are listed?",
        ))
        .governing(["skip/not-an-integer-is-rejected"])
        .by(|probe| skip_is(probe, Pages::Items, "ten")),
        of(point(
            "list-skip-huge",
            "What becomes of a skip beyond any number of items, above 2^53 - 1?",
            ("refused", json!(422), "It is refused with this status."),
        ))
        .or(
            "past-the-end",
            "It is a place past the end: the page is empty.",
        )
        .or("ignored", "The page is the first.")
        .found_out("Lists items with skip=9007199254740992.")
        .governing(["skip/over-maximum-is-rejected", "skip/huge-is-rejected"])
        .by(|probe| skip_is(probe, Pages::Items, "9007199254740992")),
        of(point(
            "list-skip-maximum",
            "What does a list answer to the greatest skip of the contract, 2^53 - 1?",
            (
                "past-the-end",
                Value::Null,
                "An empty page: it is a place past the end.",
            ),
        ))
        .or("refused", "It is refused with this status.")
        .or("ignored", "The page is the first.")
        .found_out("Lists items with skip=9007199254740991.")
        .governing(["skip/maximum-is-accepted"])
        .by(|probe| skip_is(probe, Pages::Items, "9007199254740991")),
        of(point(
            "skip-past-the-end",
            "What is a page of items past the end?",
            (
                "empty",
                Value::Null,
                "It is empty, and total_count still true.",
            ),
        ))
        .or("refused", "It is refused with this status.")
        .or(
            "empty-without-count",
            "It is empty, and total_count is not that of the other pages.",
        )
        .or("not-empty", "It holds items.")
        .found_out("Lists items with skip=total_count.")
        .governing(["paging/skip-past-the-end-is-empty"])
        .by(|probe| past_the_end(probe, Pages::Items)),
    ]
}

pub(super) fn of_searches() -> Vec<Point> {
    let all = searches();
    let default = all[0].number("limit", "default");
    let maximum = all[0].number("limit", "maximum");
    let Pages::Results(search) = all[0] else {
        return Vec::new();
    };
    let reach = search.reach();
    vec![
        point(
            "search-limit-default",
            "How many results has a page of a search when no limit is given?",
            ("number", json!(default), "So many, when there are as many."),
        )
        .found_out("Searches without a limit, and compares the page with total_count.")
        .governing(["search-limit/default-applies/*"])
        .by(|probe| each(probe, default_limit)),
        point(
            "search-limit-maximum",
            "How many results can one page of a search have?",
            ("number", json!(maximum), "So many, and no more."),
        )
        .or("unbounded", "As many as there are: no bound was found up to the value.")
        .found_out("Searches with greater and greater limits, and halves what is left between the greatest that is kept and the least that is not.")
        .governing(["search-limit/maximum-is-accepted/*"])
        // Some twenty of each search, when the bound lies far beyond that of the contract.
        .sends(160)
        .by(|probe| each(probe, greatest_limit)),
        above_maximum("search-limit-above-maximum", "What becomes of a limit above the maximum of a search?")
            .found_out("Searches with a limit of one more than the contract's maximum.")
            .governing(["search-limit/over-maximum-is-rejected/*", "search-limit/huge-is-rejected/*"])
            .by(move |probe| each(probe, move |probe, pages| limit_is(probe, pages, maximum + 1))),
        below_minimum("search-limit-below-minimum", "What becomes of a limit of 0 in a search?")
            .governing(["search-limit/below-minimum-is-rejected/*", "search-limit/minimum-is-accepted/*"])
            .by(|probe| each(probe, |probe, pages| limit_is(probe, pages, 0))),
        malformed("search-limit-malformed", "What becomes of a limit that is not a whole number in a search?")
            .governing(["search-limit/not-an-integer-is-rejected/*"])
            .by(|probe| each(probe, |probe, pages| limit_is(probe, pages, "ten"))),
        point(
            "search-reach",
            "How many results of a search can be reached by paging?",
            ("number", json!(reach), "So many: a page that would end behind them is refused."),
        )
        .or("unbounded", "All of them: no bound was found up to the value.")
        .found_out("Searches with a limit of 1 and greater and greater skips, and halves what is left between.")
        .governing(["search-limit/to-the-reach-is-accepted/*", "search-limit/over-the-reach-is-rejected/*"])
        .sends(160)
        .by(|probe| each(probe, greatest_skip)),
        point(
            "search-past-the-end",
            "What is a page of a search past the end of what is found?",
            ("empty", Value::Null, "It is empty, and total_count still true."),
        )
        .or("refused", "It is refused with this status.")
        .or("empty-without-count", "It is empty, and total_count is not that of the other pages.")
        .or("not-empty", "It holds results.")
        .found_out("Searches with skip=total_count, narrowed by a founding year so that the end is near.")
        .governing(["search-limit/past-the-end-is-empty/*"])
        .by(|probe| each(probe, past_the_end)),
    ]
}

fn below_minimum(id: &'static str, question: &'static str) -> Point {
    let refused = ("refused", json!(422), "It is refused with this status.");
    point(id, question, refused)
        .or("empty", "The page is empty.")
        .or(
            "raised",
            "The page has one entry: the limit is raised to 1.",
        )
        .or("ignored", "The page is the one without a limit.")
        .found_out("Asks for a page with limit=0.")
}

fn above_maximum(id: &'static str, question: &'static str) -> Point {
    let refused = ("refused", json!(422), "It is refused with this status.");
    point(id, question, refused)
        .or(
            "clamped",
            "The page has as many entries as the maximum of the contract.",
        )
        .or("ignored", "The page is the one without a limit.")
        .or(
            "honoured",
            "The page has as many entries as were asked for: the maximum is greater.",
        )
        .found_out("Asks for a page with a limit of one more than the contract's maximum.")
}

fn malformed(id: &'static str, question: &'static str) -> Point {
    let refused = ("refused", json!(422), "It is refused with this status.");
    point(id, question, refused)
        .or("ignored", "The page is the one without a limit.")
        .found_out("Asks for a page with limit=ten.")
}

fn skip_below_zero(id: &'static str, question: &'static str) -> Point {
    let refused = ("refused", json!(422), "It is refused with this status.");
    point(id, question, refused)
        .or("ignored", "The page is the first.")
        .or(
            "from-the-end",
            "The page is the last entry: it is counted from behind.",
        )
        .found_out("Asks for a page with skip=-1.")
}

fn skip_malformed(id: &'static str, question: &'static str) -> Point {
    let refused = ("refused", json!(422), "It is refused with this status.");
    point(id, question, refused)
        .or("ignored", "The page is the first.")
        .found_out("Asks for a page with skip=ten.")
}

/// Asks the same of all six searches.
async fn each<Answered>(probe: Probe, look: impl Fn(Probe, Pages) -> Answered) -> Seen
where
    Answered: Future<Output = Seen> + Send,
{
    let all = searches().into_iter();
    let named = all.map(|pages| (pages.operation().id.clone(), pages));
    across(named, |pages| look(probe.clone(), pages)).await
}

/// How many there are in all, by a page.
fn total(page: &Answer) -> i64 {
    page.at("/total_count").as_i64().unwrap_or(-1)
}

/// What a limit out of bounds is taken for.
async fn limit_is(probe: Probe, pages: Pages, limit: impl Into<Value>) -> Seen {
    let limit = limit.into();
    let text = limit
        .as_str()
        .map_or_else(|| limit.to_string(), str::to_owned);
    let answer = pages.call(&probe)?.query("limit", text).send().await?;
    if answer.status != 200 {
        return refused_or(&answer, || {
            saw_other("answered 2xx, and not 200", &[&answer])
        });
    }
    let bare = probe.ok(pages.call(&probe)?.send().await?)?;
    let (seen, usual, all) = (pages.count(&answer), pages.count(&bare), total(&bare));
    let evidence = [&answer, &bare];
    let asked = limit.as_i64();
    let maximum = pages.number("limit", "maximum");
    if asked.is_some_and(|asked| asked > maximum) {
        // With fewer entries than the maximum, all of them are what either way has to show.
        if all <= maximum {
            return untold(format!("more than {maximum} entries to list"));
        }
        return match seen {
            seen if Some(seen) == asked => saw("honoured", &evidence),
            seen if seen == maximum => saw("clamped", &evidence),
            seen if seen == usual => saw("ignored", &evidence),
            seen if seen < maximum => saw_value("clamped", seen, &evidence),
            seen => saw_other(format!("{seen} entries"), &evidence),
        };
    }
    match seen {
        0 => saw("empty", &evidence),
        1 if usual > 1 => saw("raised", &evidence),
        seen if seen == usual => saw("ignored", &evidence),
        seen => saw_other(format!("{seen} entries"), &evidence),
    }
}

/// What a skip out of bounds is taken for.
async fn skip_is(probe: Probe, pages: Pages, skip: &'static str) -> Seen {
    let call = pages.call(&probe)?.query("skip", skip);
    let answer = call.query("limit", 2).send().await?;
    if answer.status != 200 {
        return refused_or(&answer, || {
            saw_other("answered 2xx, and not 200", &[&answer])
        });
    }
    let first = probe.ok(pages.call(&probe)?.query("limit", 2).send().await?)?;
    let evidence = [&answer, &first];
    match pages.entries(&answer) {
        [] => saw("past-the-end", &evidence),
        entries if entries == pages.entries(&first) => saw("ignored", &evidence),
        [_] => saw("from-the-end", &evidence),
        _ => saw_other("another page than the first", &evidence),
    }
}

async fn past_the_end(probe: Probe, pages: Pages) -> Seen {
    // A founding year brings the end of a search within reach.
    let year = match pages {
        Pages::Items => None,
        Pages::Results(search) => {
            let first = probe.ok(pages.call(&probe)?.send().await?)?;
            let found = pages.entries(&first);
            let Some(year) = found.iter().find_map(|result| founded_year(search, result)) else {
                return untold("a result with a founding date");
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
    let end = total(&first);
    let answer = call()?.query("skip", end).send().await?;
    refused_or(&answer, || {
        let evidence = [&answer, &first];
        match (pages.count(&answer), total(&answer) == end) {
            (0, true) => saw("empty", &evidence),
            (0, false) => saw("empty-without-count", &evidence),
            _ => saw("not-empty", &evidence),
        }
    })
}

async fn default_limit(probe: Probe, pages: Pages) -> Seen {
    let bare = probe.ok(pages.call(&probe)?.send().await?)?;
    let seen = pages.count(&bare);
    match total(&bare) > seen {
        true => saw_value("number", seen, &[&bare]),
        false => untold(format!("a search that finds more than {seen} records")),
    }
}

async fn greatest_limit(probe: Probe, pages: Pages) -> Seen {
    let known = pages.number("limit", "maximum");
    let mut all = 0;
    let over = with_limit(&probe, pages, known + 1).await?;
    all = all.max(total(&over.answer));
    if !over.within && over.answer.status == 200 {
        return saw_value("number", over.count, &[&over.answer]);
    }
    let at = with_limit(&probe, pages, known).await?;
    if !over.within && at.within {
        return saw_value("number", known, &[&at.answer, &over.answer]);
    }
    let try_limit = |limit| with_limit(&probe, pages, limit);
    let (within, beyond) = if at.within {
        (known + 1, FURTHEST)
    } else {
        (0, known)
    };
    // What is beyond all that there is cannot be told from what is kept.
    match bound(within, beyond, try_limit).await? {
        (least, None) => saw_value("unbounded", least.min(all.max(known)), &[&over.answer]),
        (most, Some(beyond)) => saw_value("number", most, &[&beyond]),
    }
}

async fn with_limit(probe: &Probe, pages: Pages, limit: i64) -> Result<Tried, Stop> {
    let answer = pages.call(probe)?.query("limit", limit).send().await?;
    let count = pages.count(&answer);
    let whole = count == limit || count == total(&answer);
    Ok(Tried {
        within: answer.status == 200 && whole,
        count,
        answer,
    })
}

async fn greatest_skip(probe: Probe, pages: Pages) -> Seen {
    let Pages::Results(search) = pages else {
        return untold("a search");
    };
    let reach = search.reach();
    let (at, over) = (
        with_skip(&probe, pages, reach - 1).await?,
        with_skip(&probe, pages, reach).await?,
    );
    if at.within && !over.within {
        return saw_value("number", reach, &[&at.answer, &over.answer]);
    }
    let (within, beyond) = if at.within {
        (reach, FURTHEST)
    } else {
        (-1, reach - 1)
    };
    match bound(within, beyond, |skip| with_skip(&probe, pages, skip)).await? {
        (_, None) => saw_value("unbounded", FURTHEST, &[&over.answer]),
        (most, Some(beyond)) => saw_value("number", most + 1, &[&beyond]),
    }
}

async fn with_skip(probe: &Probe, pages: Pages, skip: i64) -> Result<Tried, Stop> {
    let call = pages.call(probe)?.query("skip", skip);
    let answer = call.query("limit", 1).send().await?;
    Ok(Tried {
        within: answer.status == 200,
        count: pages.count(&answer),
        answer,
    })
}
