//! The envelope and the order of what a search finds, and what it takes for a text.

use serde_json::{Value, json};

use super::bound::greatest_accepted;
use super::sight::{
    Seen, across, across_searches, is_refusal, refused_or, refused_or_accepted, saw, saw_other,
    saw_value, untold,
};
use super::{Point, point};
use crate::search::calls::{Finds, Search, distance, ids, results, total_count};
use crate::search::ranking::{AMONG_THE_FIRST, described, nearer_to_its_words};
use engine::case::Need;
use engine::session::Probe;
use engine::transport::client::Answer;
use engine::verdict::Stop;

/// How many records are searched for by themselves.
const SEARCHED_FOR: usize = 3;
/// The longest text that is tried: longer ones do not fit into the line of a request.
const LONGEST_TEXT: i64 = 8_000;

pub(super) fn points() -> Vec<Point> {
    let mut points = of_pages();
    points.extend(of_texts());
    points
}

fn of_pages() -> Vec<Point> {
    vec![
        point(
            "search-envelope",
            "What holds the results of a search?",
            ("object", json!(["results", "total_count"]), "A JSON object of these members."),
        )
        .or("list", "Nothing: the body is the list of results.")
        .found_out("Searches, and reads the names of the members.")
        .governing(["search-ranking/pages-are-full-and-count-the-same/*"])
        .by(|probe| across_searches(move |search| envelope(probe.clone(), search))),
        point(
            "search-order",
            "In what order are results, and in what order those of one distance?",
            ("nearest-first-ties-by-id", Value::Null, "Nearest first; of one distance by ascending id."),
        )
        .or("nearest-first", "Nearest first; of one distance in another order.")
        .or("farthest-first", "Farthest first, as is right for a score that grows with likeness.")
        .or("unordered", "By no order of cosine_distance.")
        .or("without-distance", "It cannot be seen: results have no cosine_distance.")
        .found_out("Looks at cosine_distance and the ids of the first pages of a search.")
        .governing([
            "search-ranking/nearest-first-ties-by-id/*",
            "search-ranking/strange-text-is-ranked/*",
        ])
        .by(|probe| across_searches(move |search| order(probe.clone(), search))),
        point(
            "search-distance",
            "Within which bounds is cosine_distance?",
            ("within", json!([0, 2]), "These, the bounds included."),
        )
        .or("outside", "Some distance is less than 0, or more than 2.")
        .or("absent", "Results have no cosine_distance.")
        .found_out("Looks at the first page of a search.")
        .governing(["search-ranking/distances-are-in-bounds/*"])
        .by(|probe| across_searches(move |search| distances(probe.clone(), search))),
        point(
            "search-pages",
            "Do the pages of a search add up to one list?",
            ("one-list", Value::Null, "Yes: pages of any size are cut from the same list, and the same search finds the same."),
        )
        .or("other-lists", "No: another size of the pages shows other results, or another order.")
        .or("changing", "No: the same page shows something else when it is asked for again.")
        .found_out("Searches with a limit of 10 twice, and with a limit of 3 from several places.")
        .governing([
            "search-ranking/any-page-size-walks-to-the-same-list/*",
            "search-ranking/limits-are-prefixes/*",
            "search-ranking/repeated-search-finds-the-same/*",
        ])
        .by(|probe| across_searches(move |search| pages(probe.clone(), search))),
        point(
            "search-own-words",
            "Where does a search for a record's own description find it?",
            ("among-the-first", Value::Null, "Among the first three, records of the same description aside."),
        )
        .or("further-down", "Further down the first page, or not on it.")
        .found_out("Searches for the descriptions of a few results.")
        .governing(["search-ranking/own-description-finds-the-record/*"])
        .by(own_words),
        point(
            "search-known-record",
            "Is the known record among its own results?",
            ("left-out", Value::Null, "No."),
        )
        .or("found", "Yes.")
        .found_out("Searches by a few known records.")
        .governing(["search-ranking/known-record-is-not-found/*"])
        .needs([Need::Organization, Need::Product])
        .by(known_record),
    ]
}

fn of_texts() -> Vec<Point> {
    let refused = || ("refused", json!(422), "It is refused with this status.");
    let most = by_text()
        .next()
        .map(|search| search.number(&search.subject.name, "maxLength"));
    vec![
        point(
            "search-text-length",
            "How many characters may a text to search for have?",
            ("number", json!(most), "So many code points, and no more."),
        )
        .or(
            "unbounded",
            "Any number: no bound was found up to the value.",
        )
        .found_out(
            "Searches for texts of more and more characters, and halves what is left between.",
        )
        .governing([
            "search-text/maximum-is-accepted/*",
            "search-text/maximum-counts-code-points/*",
            "search-text/over-maximum-is-rejected/*",
            "search-text/over-maximum-counts-code-points/*",
            "search-text/one-character-is-accepted/*",
        ])
        .by(|probe| texts(probe, longest_text)),
        point(
            "search-text-missing",
            "What answers a search for no text?",
            refused(),
        )
        .or("nothing-found", "An empty page.")
        .or("found", "A page with results.")
        .found_out("Searches without the parameter, with an empty text, and for a blank.")
        .governing([
            "search-text/missing-is-rejected/*",
            "search-text/empty-is-rejected/*",
            "search-text/blank-is-rejected/*",
        ])
        .by(|probe| texts(probe, no_text)),
        point(
            "search-text-not-utf-8",
            "What answers a text that is no UTF-8?",
            refused(),
        )
        .or("mended", "It is searched for what is left of it.")
        .found_out("Searches for %FF.")
        .governing(["search-text/not-utf-8-is-rejected/*"])
        .by(|probe| {
            texts(probe, |probe, search| async move {
                let call = probe.call(&search.operation.id);
                refused_or_accepted(
                    call.raw_query(&format!("{}=%FF", search.subject.name)),
                    "mended",
                )
                .await
            })
        }),
        point(
            "search-text-encoding",
            "Does a text arrive as it was sent, however it is encoded?",
            (
                "whole",
                Value::Null,
                "Yes: however its bytes are encoded, and an encoded & or + stays text.",
            ),
        )
        .or("cut", "No: an encoded mark ends it, or is lost.")
        .or("plus-is-plus", "A + stays a +.")
        .found_out("Searches for the same text encoded in two ways.")
        .governing([
            "search-text/encoded-marks-stay-text/*",
            "search-text/encoding-does-not-matter/*",
            "search-text/decoded-once/*",
        ])
        .by(|probe| texts(probe, encoding)),
    ]
}

async fn envelope(probe: Probe, search: Search) -> Seen {
    let page = probe.ok(search.call(&probe)?.query("limit", 1).send().await?)?;
    let known = ["results", "total_count"];
    match &page.body {
        Value::Array(_) => saw("list", &[&page]),
        Value::Object(members) => {
            // What the contract names has to be there; it may have more, which clients ignore.
            let all = known.iter().all(|name| members.contains_key(*name));
            let names = match all {
                true => known.map(str::to_owned).to_vec(),
                false => super::sight::member_names(&page.body),
            };
            saw_value("object", names, &[&page])
        }
        _ => saw_other("neither an object nor a list", &[&page]),
    }
}

/// The first pages of a search, joined.
async fn first_pages(probe: &Probe, search: Search) -> Result<(Vec<Value>, Vec<Answer>), Stop> {
    let (mut found, mut pages): (Vec<Value>, Vec<Answer>) = (Vec::new(), Vec::new());
    let limit = search.number("limit", "default");
    for _ in 0..3 {
        let call = search
            .call(probe)?
            .query("skip", found.len())
            .query("limit", limit);
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
            "a search that finds two records at least".to_owned(),
        )),
        _ => Ok((found, pages)),
    }
}

async fn order(probe: Probe, search: Search) -> Seen {
    let (found, pages) = first_pages(&probe, search).await?;
    let evidence = [&pages[0]];
    if found.iter().any(|result| distance(result).is_nan()) {
        return saw("without-distance", &evidence);
    }
    let ascend = found.is_sorted_by(|one, other| distance(one) <= distance(other));
    let by_id = found.windows(2).all(|pair| {
        distance(&pair[0]) != distance(&pair[1])
            || search.finds.id(&pair[0]) < search.finds.id(&pair[1])
    });
    match (ascend, by_id) {
        (true, true) => saw("nearest-first-ties-by-id", &evidence),
        (true, false) => saw("nearest-first", &evidence),
        (false, _) if found.is_sorted_by(|one, other| distance(one) >= distance(other)) => {
            saw("farthest-first", &evidence)
        }
        (false, _) => saw("unordered", &evidence),
    }
}

async fn distances(probe: Probe, search: Search) -> Seen {
    let (found, pages) = first_pages(&probe, search).await?;
    let distances: Vec<_> = found.iter().map(distance).collect();
    let evidence = [&pages[0]];
    match () {
        () if distances.iter().any(|distance| distance.is_nan()) => saw("absent", &evidence),
        () if distances
            .iter()
            .all(|distance| (0.0..=2.0).contains(distance)) =>
        {
            saw_value("within", json!([0, 2]), &evidence)
        }
        () => saw("outside", &evidence),
    }
}

async fn pages(probe: Probe, search: Search) -> Seen {
    let page = async |skip: i64, limit: i64| -> Result<Answer, Stop> {
        let call = search
            .call(&probe)?
            .query("skip", skip)
            .query("limit", limit);
        probe.ok(call.send().await?)
    };
    let (whole, again) = (page(0, 10).await?, page(0, 10).await?);
    let of = |page: &Answer| ids(search.finds, results(page));
    if of(&whole).len() < 10 {
        return untold("a search that finds ten records");
    }
    if of(&whole) != of(&again) {
        return saw("changing", &[&whole, &again]);
    }
    for skip in [0, 3, 7] {
        let part = page(skip, 3).await?;
        let from = usize::try_from(skip).unwrap_or_default();
        if of(&part)[..] != of(&whole)[from..from + 3] {
            return saw("other-lists", &[&whole, &part]);
        }
    }
    saw("one-list", &[&whole])
}

async fn own_words(probe: Probe) -> Seen {
    let by_description = by_text().filter(|search| search.subject.name == "description");
    let named = by_description.map(|search| (search.operation.id.clone(), search));
    across(named, |search| {
        let probe = probe.clone();
        async move {
            let (found, _) = first_pages(&probe, search).await?;
            let mut last = None;
            for (result, text) in described(search, &found).into_iter().take(SEARCHED_FOR) {
                let page = probe.ok(search.call_with(&probe, &text).send().await?)?;
                let nearer = nearer_to_its_words(search.finds, result, results(&page));
                if nearer >= AMONG_THE_FIRST {
                    return saw("further-down", &[&page]);
                }
                last = Some(page);
            }
            match last {
                Some(page) => saw("among-the-first", &[&page]),
                None => untold("a result with a description"),
            }
        }
    })
    .await
}

async fn known_record(probe: Probe) -> Seen {
    let known = Search::all()
        .into_iter()
        .filter(|search| search.is_by_known_record());
    let named = known.map(|search| (search.operation.id.clone(), search));
    across(named, |search| {
        let probe = probe.clone();
        async move {
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
                    return saw("found", &[&page]);
                }
                last = Some(page);
            }
            match last {
                Some(page) => saw("left-out", &[&page]),
                None => untold("a known record"),
            }
        }
    })
    .await
}

/// The searches by text.
fn by_text() -> impl Iterator<Item = Search> {
    Search::all()
        .into_iter()
        .filter(|search| !search.is_by_known_record())
}

/// Asks the same of the four searches by text.
async fn texts<Answered>(probe: Probe, look: impl Fn(Probe, Search) -> Answered) -> Seen
where
    Answered: Future<Output = Seen> + Send,
{
    let named = by_text().map(|search| (search.operation.id.clone(), search));
    across(named, |search| look(probe.clone(), search)).await
}

/// A text of so many characters, in words.
fn words(characters: i64) -> String {
    let words = "cold chain for fresh fish and fruit ".chars().cycle();
    let count = usize::try_from(characters).unwrap_or_default();
    let mut text: String = words.take(count.saturating_sub(1)).collect();
    text.push('x');
    text
}

async fn longest_text(probe: Probe, search: Search) -> Seen {
    let most = search.number(&search.subject.name, "maxLength");
    greatest_accepted(most, LONGEST_TEXT, async |characters| {
        search
            .call_with(&probe, words(characters))
            .query("limit", 1)
            .send()
            .await
    })
    .await
}

async fn no_text(probe: Probe, search: Search) -> Seen {
    let bare = || probe.call(&search.operation.id);
    let asked = [
        ("missing", bare()),
        ("empty", search.call_with(&probe, "")),
        ("blank", search.call_with(&probe, " ")),
    ];
    across(
        asked.map(|(name, call)| (name.to_owned(), call)),
        |call| async {
            let answer = call.send().await?;
            refused_or(&answer, || match results(&answer).is_empty() {
                true => saw("nothing-found", &[&answer]),
                false => saw("found", &[&answer]),
            })
        },
    )
    .await
}

async fn encoding(probe: Probe, search: Search) -> Seen {
    let name = &search.subject.name;
    let ask = async |text: &str| {
        probe
            .call(&search.operation.id)
            .raw_query(&format!("{name}={text}"))
            .query("limit", 10)
            .send()
            .await
    };
    let of = |page: &Answer| (ids(search.finds, results(page)), total_count(page));
    let (percent, plus) = (ask("fresh%20fish").await?, ask("fresh+fish").await?);
    let (whole, cut) = (ask("fish%26fresh%2Bfruit").await?, ask("fish").await?);
    let evidence = [&percent, &plus, &whole, &cut];
    if evidence.iter().any(|answer| is_refusal(answer)) {
        return saw_other("one of the texts is refused", &evidence);
    }
    match () {
        () if of(&percent) != of(&plus) => saw("plus-is-plus", &[&percent, &plus]),
        () if of(&whole) == of(&cut)
            && !results(&cut).is_empty()
            && same_distances(&whole, &cut) =>
        {
            saw("cut", &[&whole, &cut])
        }
        () => saw("whole", &evidence),
    }
}

fn same_distances(one: &Answer, other: &Answer) -> bool {
    results(one)
        .iter()
        .zip(results(other))
        .all(|(one, other)| distance(one) == distance(other))
}
