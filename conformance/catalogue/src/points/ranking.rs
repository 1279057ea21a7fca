//! Points about the envelope and the order of search results, and about the text to search for.

use serde_json::{Value, json};

use super::bound::greatest_accepted;
use super::observation::{
    ObservationResult, across, is_rejection, observed, observed_other, observed_value, on_each, rejected_or,
    rejected_or_accepted, unknown_without,
};
use super::{Point, point};
use engine::case::Need;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use platform_contract::Contract;
use searches::calls::{Finds, Search, distance, ids, results, total_count};
use searches::own_words::OwnWords;

/// The number of records to search for individually.
const SEARCHED_FOR: usize = 3;
/// The length of the longest text to try: longer ones do not fit into the request line.
const LONGEST_TEXT: i64 = 8_000;

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    let mut points = of_pages(&searches);
    points.extend(of_texts(&searches));
    points
}

fn of_pages(searches: &[Search]) -> Vec<Point> {
    let mut by_record = searches.to_vec();
    by_record.retain(Search::is_by_known_record);
    let mut by_description = searches.to_vec();
    by_description.retain(|search| search.subject().name == "description");
    vec![
        point(
            "search-envelope",
            "What is the body of a page of results?",
            (
                "object",
                json!(["results", "total_count"]),
                "A JSON object with these members.",
            ),
        )
        .or("list", "The list of results itself.")
        .found_out("Searches, and reads the names of the members.")
        .by(on_each(searches, envelope)),
        point(
            "search-order",
            "In which order are results returned, and in which order those with the same distance?",
            (
                "nearest-first-ties-by-id",
                Value::Null,
                "Nearest first; results with the same distance by ascending id.",
            ),
        )
        .or(
            "nearest-first",
            "Nearest first; results with the same distance in another order.",
        )
        .or(
            "farthest-first",
            "Farthest first, as for a score that grows with similarity.",
        )
        .or("unordered", "Not by cosine_distance.")
        .or("without-distance", "Unknown: results have no cosine_distance.")
        .found_out("Compares cosine_distance and the ids on the first pages of a search.")
        .by(on_each(searches, order)),
        point(
            "search-distance",
            "What are the bounds of cosine_distance?",
            ("within", json!([0, 2]), "These, inclusive."),
        )
        .or("outside", "Some distance is below 0 or above 2.")
        .or("absent", "Results have no cosine_distance.")
        .found_out("Reads the first page of a search.")
        .by(on_each(searches, distances)),
        point(
            "search-pages",
            "Do the pages of a search form one consistent list?",
            (
                "one-list",
                Value::Null,
                "Yes: pages of any size are cut from the same list, and the same search returns the same results.",
            ),
        )
        .or(
            "other-lists",
            "No: pages of another size have other results or another order.",
        )
        .or("changing", "No: the same page changes when it is requested again.")
        .found_out("Searches with a limit of 10 twice, and with a limit of 3 and several skips.")
        .by(on_each(searches, pages)),
        point(
            "search-own-words",
            "Is a record closer to its own description than to those of other records?",
            ("nearer", Value::Null, "Yes, in at least three of four comparisons."),
        )
        .or("not-nearer", "No.")
        .found_out("Searches for the descriptions of a few results.")
        .by(on_each(&by_description, own_words)),
        point(
            "search-known-record",
            "Do the results of a search by a known record include the record?",
            ("left-out", Value::Null, "No."),
        )
        .or("found", "Yes.")
        .found_out("Searches by a few known records.")
        .needs([Need::Organization, Need::Product])
        .by(on_each(&by_record, known_record)),
    ]
}

fn of_texts(searches: &[Search]) -> Vec<Point> {
    let rejected = || ("refused", json!(422), "It is rejected with this status.");
    let mut by_text = searches.to_vec();
    by_text.retain(|search| !search.is_by_known_record());
    let most = by_text
        .first()
        .map(|search| search.number(&search.subject().name, "maxLength"));
    vec![
        point(
            "search-text-length",
            "How many characters may a search text have?",
            ("number", json!(most), "At most this many code points."),
        )
        .or("unbounded", "Any number: no limit was found up to the value.")
        .found_out(
            "Searches for longer and longer texts, and bisects between the longest accepted text and the \
                 shortest rejected one.",
        )
        .by(on_each(&by_text, longest_text)),
        point(
            "search-text-missing",
            "What is the response to a search without a text?",
            rejected(),
        )
        .or("nothing-found", "An empty page.")
        .or("found", "A page with results.")
        .found_out("Searches without the parameter, with an empty text, and for a blank.")
        .by(on_each(&by_text, no_text)),
        point(
            "search-text-not-utf-8",
            "What is the response to a text that is not UTF-8?",
            rejected(),
        )
        .or(
            "mended",
            "The invalid bytes are dropped or replaced, and the rest is searched for.",
        )
        .found_out("Searches for %FF.")
        .by(on_each(&by_text, |probe, search| async move {
            let call = probe.call(&search.operation.id);
            let query = format!("{}=%FF", search.subject().name);
            rejected_or_accepted(call.raw_query(&query), "mended").await
        })),
        point(
            "search-text-encoding",
            "Is a text the same to the search in every encoding of the URL?",
            (
                "whole",
                Value::Null,
                "Yes: every encoding of the bytes is decoded, and an encoded & or + is part of the text.",
            ),
        )
        .or("cut", "No: an encoded & or + ends the text or is lost.")
        .or("plus-is-plus", "A + is not decoded as a blank.")
        .found_out("Searches for the same text encoded in two ways.")
        .by(on_each(&by_text, encoding)),
    ]
}

async fn envelope(probe: Probe, search: Search) -> ObservationResult {
    let page = probe.ok(search.call(&probe)?.query("limit", 1).send().await?)?;
    let known = ["results", "total_count"];
    match &page.body {
        Value::Array(_) => observed("list", &[&page]),
        Value::Object(members) => {
            // The contract's members have to be present; a page may have more, which clients ignore.
            let all = known.iter().all(|name| members.contains_key(*name));
            let names = match all {
                true => known.map(str::to_owned).to_vec(),
                false => super::observation::member_names(&page.body),
            };
            observed_value("object", names, &[&page])
        }
        _ => observed_other("neither an object nor a list", &[&page]),
    }
}

/// Returns the first pages of a search, joined.
async fn first_pages(probe: &Probe, search: &Search) -> Result<(Vec<Value>, Vec<HttpResponse>), Stop> {
    let (mut found, mut pages): (Vec<Value>, Vec<HttpResponse>) = (Vec::new(), Vec::new());
    let limit = search.number("limit", "default");
    for _ in 0..3 {
        let call = search.call(probe)?.query("skip", found.len()).query("limit", limit);
        let page = probe.ok(call.send().await?)?;
        found.extend_from_slice(results(&page));
        let ended = results(&page).is_empty();
        pages.push(page);
        if ended {
            break;
        }
    }
    match found.len() {
        0 | 1 => Err(Stop::Inconclusive(
            "a search that finds at least two records".to_owned(),
        )),
        _ => Ok((found, pages)),
    }
}

async fn order(probe: Probe, search: Search) -> ObservationResult {
    let (found, pages) = first_pages(&probe, &search).await?;
    let evidence = [&pages[0]];
    if found.iter().any(|result| distance(result).is_nan()) {
        return observed("without-distance", &evidence);
    }
    let ascend = found.is_sorted_by(|one, other| distance(one) <= distance(other));
    let by_id = found
        .windows(2)
        .all(|pair| distance(&pair[0]) != distance(&pair[1]) || search.finds.id(&pair[0]) < search.finds.id(&pair[1]));
    match (ascend, by_id) {
        (true, true) => observed("nearest-first-ties-by-id", &evidence),
        (true, false) => observed("nearest-first", &evidence),
        (false, _) if found.is_sorted_by(|one, other| distance(one) >= distance(other)) => {
            observed("farthest-first", &evidence)
        }
        (false, _) => observed("unordered", &evidence),
    }
}

async fn distances(probe: Probe, search: Search) -> ObservationResult {
    let (found, pages) = first_pages(&probe, &search).await?;
    let distances: Vec<_> = found.iter().map(distance).collect();
    let evidence = [&pages[0]];
    match () {
        () if distances.iter().any(|distance| distance.is_nan()) => observed("absent", &evidence),
        () if distances.iter().all(|distance| (0.0..=2.0).contains(distance)) => {
            observed_value("within", json!([0, 2]), &evidence)
        }
        () => observed("outside", &evidence),
    }
}

async fn pages(probe: Probe, search: Search) -> ObservationResult {
    let page = async |skip: i64, limit: i64| -> Result<HttpResponse, Stop> {
        let call = search.call(&probe)?.query("skip", skip).query("limit", limit);
        probe.ok(call.send().await?)
    };
    let (whole, again) = (page(0, 10).await?, page(0, 10).await?);
    let of = |page: &HttpResponse| ids(search.finds, results(page));
    if of(&whole).len() < 10 {
        return unknown_without("a search that finds ten records");
    }
    if of(&whole) != of(&again) {
        return observed("changing", &[&whole, &again]);
    }
    for skip in [0, 3, 7] {
        let part = page(skip, 3).await?;
        let from = usize::try_from(skip).unwrap_or_default();
        if of(&part)[..] != of(&whole)[from..from + 3] {
            return observed("other-lists", &[&whole, &part]);
        }
    }
    observed("one-list", &[&whole])
}

async fn own_words(probe: Probe, search: Search) -> ObservationResult {
    let (found, _) = first_pages(&probe, &search).await?;
    let compared = OwnWords::compare(&probe, &search, &found).await?;
    let pages: Vec<_> = compared.pages.iter().collect();
    match compared.pages.len() {
        0 | 1 => unknown_without("two results with descriptions"),
        _ if compared.is_near() => observed("nearer", &pages),
        _ => observed("not-nearer", &pages),
    }
}

async fn known_record(probe: Probe, search: Search) -> ObservationResult {
    let known = match search.finds {
        Finds::Organizations => &probe.known().organizations,
        Finds::Products => &probe.known().products,
    };
    let mut last = None;
    for id in known.iter().take(SEARCHED_FOR) {
        let page = probe.ok(search.call_with(&probe, id).send().await?)?;
        if results(&page)
            .iter()
            .any(|result| result[search.finds.id_member()] == *id)
        {
            return observed("found", &[&page]);
        }
        last = Some(page);
    }
    match last {
        Some(page) => observed("left-out", &[&page]),
        None => unknown_without("a known record"),
    }
}

/// A text of this length, made of words.
fn words(characters: i64) -> String {
    let words = "cold chain for fresh fish and fruit ".chars().cycle();
    let count = usize::try_from(characters).unwrap_or_default();
    let mut text: String = words.take(count.saturating_sub(1)).collect();
    text.push('x');
    text
}

async fn longest_text(probe: Probe, search: Search) -> ObservationResult {
    let most = search.number(&search.subject().name, "maxLength");
    greatest_accepted(most, LONGEST_TEXT, async |characters| {
        search
            .call_with(&probe, words(characters))
            .query("limit", 1)
            .send()
            .await
    })
    .await
}

async fn no_text(probe: Probe, search: Search) -> ObservationResult {
    let bare = || probe.call(&search.operation.id);
    let asked = [
        ("missing", bare()),
        ("empty", search.call_with(&probe, "")),
        ("blank", search.call_with(&probe, " ")),
    ];
    across(asked.map(|(name, call)| (name.to_owned(), call)), |call| async {
        let response = call.send().await?;
        rejected_or(&response, || match results(&response).is_empty() {
            true => observed("nothing-found", &[&response]),
            false => observed("found", &[&response]),
        })
    })
    .await
}

async fn encoding(probe: Probe, search: Search) -> ObservationResult {
    let name = &search.subject().name;
    let ask = async |text: &str| {
        probe
            .call(&search.operation.id)
            .raw_query(&format!("{name}={text}"))
            .query("limit", 10)
            .send()
            .await
    };
    let of = |page: &HttpResponse| (ids(search.finds, results(page)), total_count(page));
    let (percent, plus) = (ask("fresh%20fish").await?, ask("fresh+fish").await?);
    let (whole, cut) = (ask("fish%26fresh%2Bfruit").await?, ask("fish").await?);
    let evidence = [&percent, &plus, &whole, &cut];
    if evidence.iter().any(|response| is_rejection(response)) {
        return observed_other("one of the texts is rejected", &evidence);
    }
    match () {
        () if of(&percent) != of(&plus) => observed("plus-is-plus", &[&percent, &plus]),
        () if of(&whole) == of(&cut) && !results(&cut).is_empty() && same_distances(&whole, &cut) => {
            observed("cut", &[&whole, &cut])
        }
        () => observed("whole", &evidence),
    }
}

fn same_distances(one: &HttpResponse, other: &HttpResponse) -> bool {
    results(one)
        .iter()
        .zip(results(other))
        .all(|(one, other)| distance(one) == distance(other))
}
