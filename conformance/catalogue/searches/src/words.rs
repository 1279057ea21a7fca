//! Cases about the words of a search text: each of them counts, wherever it stands. Part of the group `search-text`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::calls::{Finds, Search, distance, ids, results};
use crate::compared::{Compared, compare};
use crate::own_words::described;
use engine::case::Case;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-text";

/// Two long texts that differ at their end.
const ENDS: [&str; 2] = ["insurance for banks and brokers", "bridges and towers of steel"];
/// Two long texts that differ at their beginning.
const BEGINNINGS: [&str; 2] = ["loggers for the cold chain of fish", "insurance for banks and brokers"];
/// The half that two long texts share.
const SHARED: &str = "producers in the region";
/// What the longest texts share: long words, so that a model with few tokens reads all of them, and letters of two
/// bytes, so that more bytes than the last words have are left out where bytes are counted.
const FILLING: &str = "international manufacturing of café équipement ";
/// The number of descriptions that are compared.
const UNLIKE: usize = 4;
/// Texts about customers. Of two that share no word, a search that compares words knows neither, or ranks differently.
const CUSTOMERS: [&str; 6] = [
    "hospitals clinics",
    "banks insurers",
    "schools universities",
    "farms fisheries",
    "airlines airports",
    "software developers",
];
/// The number of results whose scores are not the same by chance.
const SCORED: usize = 5;
/// How often the longest texts have the words in which they differ.
const DIFFERENT_WORDS: usize = 2;
/// Marks between the halves of a long text; each could be taken for the end of the text. A firewall may object to
/// quotes.
const MARKS: &str = "(as above), fish & fruit #1: a+b/c; 50% – more? Yes!\n\t* and so on... ";
/// Texts with a place for words, each with marks that could be taken for the end of the text, for a remark, a tag, a
/// phrase or a field. A gateway may object to some of them.
const MARKED: [&str; 9] = [
    "producers, = | ; : # ~ ^ \\ < ( [ { \" ' ` $ % @ {}",
    "{} = : | > ) ] } producers",
    "producers ({}) in Europe",
    "producers [{}] in Europe",
    "producers <{}> in Europe",
    "producers \"{}\" in Europe",
    "{} (in Europe)",
    "{} \"in Europe\"",
    "producers\n\n{}",
];
/// Words for the place in a text.
const WORDS: [&str; 2] = [
    "of loggers for the cold chain of fish",
    "of insurance for banks and brokers",
];
/// A text that means something else, or nothing, without the letters beyond ASCII.
const ACCENTED: &str = "crème brûlée, pâté, entrepôt réfrigéré";
/// Every page that can be reached.
const PAGES: i64 = i64::MAX;
/// The greatest length of a text that is a record's description.
const OWN_CHARACTERS: usize = 500;
/// How many letters beyond ASCII a description needs before stripping them changes its words.
const FEW: usize = 8;
/// The number of words of a record's description that make a text.
const OWN_WORDS: usize = 8;
/// The limit on the requests that find two texts which a search tells apart.
const CONTROLS: u64 = 4;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let searches = Search::all(contract);
    let by_text = searches.iter().filter(|search| !search.is_by_known_record());
    by_text.flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    vec![
        of_texts(
            search,
            "unlike-texts-rank-differently",
            "The descriptions of some records do not all find the same",
        )
        .sends((1 + UNLIKE + CUSTOMERS.len()) as u64)
        .check_with(search.clone(), unlike),
        of_texts(
            search,
            "accents-count",
            "A text ranks differently without its letters beyond ASCII",
        )
        .check_with(search.clone(), accented),
        of_texts(
            search,
            "marks-hide-no-words",
            "Texts with different words inside, before or behind brackets, quotes and other marks are ranked differently",
        )
        .sends(CONTROLS + (MARKED.len() * WORDS.len()) as u64)
        .check_with(search.clone(), marked),
        of_texts(
            search,
            "whole-text-counts",
            "Two long texts that only begin alike are ranked differently",
        )
        .sends(CONTROLS + 2)
        .check_with(search.clone(), ends),
        of_texts(
            search,
            "beginning-counts",
            "Two long texts that only end alike are ranked differently",
        )
        .sends(CONTROLS + 2)
        .check_with(search.clone(), beginnings),
        of_texts(
            search,
            "longest-text-counts",
            "Two texts of the greatest length that differ only in their last words are ranked differently",
        )
        .and(search.at(&search.subject().name, "maxLength"))
        .point("search-text-length")
        .sends(CONTROLS + 4)
        .check_with(search.clone(), longest),
    ]
}

fn of_texts(search: &Search, law: &str, title: &str) -> Case {
    let case = search
        .case(GROUP, law, title, &search.operation.pointer)
        .quote(ranks(search));
    // For products it is decided.
    match search.finds {
        Finds::Organizations => case,
        Finds::Products => case.point("search-own-words"),
    }
}

/// The sentence that defines what a search by text ranks.
fn ranks(search: &Search) -> &'static str {
    let is_of_customers = search.subject().name.ends_with("_customer");
    match (search.finds, is_of_customers) {
        (Finds::Organizations, false) => {
            "Ranks organizations by how closely what they do matches a free-text description in meaning."
        }
        (Finds::Organizations, true) => {
            "Ranks organizations by how close their customer bases are in meaning to a free-text description of a \
             target customer."
        }
        (Finds::Products, false) => {
            "Ranks products, each with its organization, by how closely what they do matches a free-text description \
             in meaning."
        }
        (Finds::Products, true) => {
            "Ranks products, each with its organization, by how close their customer bases are in meaning to a \
             free-text description of a target customer."
        }
    }
}

/// Compares the results for unlike texts. If all are the same, at several distances, the text does not count.
async fn unlike(probe: Probe, search: Search) -> Outcome {
    let Some(by_description) = Search::by_description(probe.contract(), search.finds) else {
        return probe.inconclusive("a search by description");
    };
    let all = by_description.walked(&probe, 1).await?;
    let texts: BTreeSet<_> = described(&by_description, &all.results)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    let step = (texts.len() / UNLIKE).max(1);
    let mut pages = Vec::new();
    for text in texts.iter().step_by(step).take(UNLIKE) {
        pages.push(probe.ok(search.call_with(&probe, text).send().await?)?);
    }
    let Some((first, others)) = pages.split_first().filter(|_| pages.len() == UNLIKE) else {
        return probe.inconclusive(format!("{UNLIKE} records with different descriptions"));
    };
    // A search by description knows the words of its own records. Another may know none of them.
    let is_by_description = by_description.operation.id == search.operation.id;
    let compared = |other: &HttpResponse| match compare(search.finds, results(first), results(other)) {
        Compared::Nothing
            if is_by_description && !is_flat(first) && ranked(&search, first) == ranked(&search, other) =>
        {
            Compared::Same
        }
        compared => compared,
    };
    let compared: Vec<_> = others.iter().map(compared).collect();
    let differ = compared.iter().any(|one| matches!(one, Compared::Different));
    if is_by_description {
        assert_scores_differ(&probe, &search, &pages);
    }
    let is_unclear = !differ && compared.iter().any(|one| matches!(one, Compared::Nothing));
    if is_unclear && !ranks_all_alike(&probe, &search, first).await? {
        return probe.inconclusive("results at different distances for the descriptions of some records");
    }
    probe.assert_as(
        Some(BTreeSet::new()),
        differ,
        "the results for the descriptions of some records",
        "other records, or another distance for some record, for one of them",
        format!("the same for each of {UNLIKE} descriptions"),
        &pages.iter().collect::<Vec<_>>(),
    );
    Ok(())
}

/// Reports records that have the same score whatever finds them, in an order that depends on the text.
fn assert_scores_differ(probe: &Probe, search: &Search, pages: &[HttpResponse]) {
    let ids = |page| ids(search.finds, results(page));
    let is_ranked = pages.iter().any(|page| ids(page) != ids(&pages[0]));
    let mut scores = pages.iter().flat_map(|page| results(page).iter().map(distance));
    let is_one = scores.next().is_some_and(|first| scores.all(|score| score == first));
    let is_enough = pages.iter().all(|page| results(page).len() >= SCORED);
    probe.assert_as(
        Some(BTreeSet::new()),
        !(is_ranked && is_one && is_enough),
        "the similarity scores of the results for the descriptions of some records",
        "scores that the results are ranked by",
        "other records for each description, and the same score for all",
        &pages.iter().collect::<Vec<_>>(),
    );
}

/// Whether texts about different customers find what this page shows: results at different distances, or nearer than
/// those of a search that knows none of the words.
async fn ranks_all_alike(probe: &Probe, search: &Search, page: &HttpResponse) -> Result<bool, Stop> {
    if has_no_distances(page) || is_flat(page) && !results(page).iter().any(is_near) {
        return Ok(false);
    }
    for text in CUSTOMERS {
        let other = probe.ok(search.call_with(probe, text).send().await?)?;
        if ranked(search, page) != ranked(search, &other) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A text that is ignored or cut off ranks like another with the same beginning.
async fn ends(probe: Probe, search: Search) -> Outcome {
    halves(probe, search, ENDS, |end| (SHARED.to_owned(), end)).await
}

async fn beginnings(probe: Probe, search: Search) -> Outcome {
    halves(probe, search, BEGINNINGS, |beginning| (beginning, SHARED.to_owned())).await
}

/// Compares two texts of the greatest length. One that is cut to fewer characters, or to as many bytes, loses its last
/// words. A few first words show whether a search tells such texts apart at all: it may round distances.
async fn longest(probe: Probe, search: Search) -> Outcome {
    let Some(texts) = told_apart(&probe, &search, ENDS).await? else {
        return probe.inconclusive("two short texts that the search tells apart");
    };
    let most = usize::try_from(search.number(&search.subject().name, "maxLength")).unwrap_or(usize::MAX);
    let words = texts.map(|text| vec![text; DIFFERENT_WORDS].join(" "));
    let filled = |words: &str| -> String {
        let length = most.saturating_sub(words.chars().count() + 1);
        FILLING.chars().cycle().take(length).collect()
    };
    if !is_told_apart(
        &probe,
        &search,
        &words.clone().map(|words| format!("{words} {}", filled(&words))),
    )
    .await?
    {
        return probe.inconclusive("two of the longest texts that the search tells apart by their first words");
    }
    let mut found = Vec::new();
    for words in words {
        let text = format!("{} {words}", filled(&words));
        found.push(probe.ok(search.call_with(&probe, text).send().await?)?);
    }
    let what = "the results for two of the longest texts, which only end differently";
    assert_differ(&probe, &search, what, &found)
}

/// Compares two long texts that share one half.
async fn halves(probe: Probe, search: Search, texts: [&str; 2], halves: fn(String) -> (String, String)) -> Outcome {
    let Some(texts) = told_apart(&probe, &search, texts).await? else {
        return probe.inconclusive("two short texts that the search tells apart");
    };
    let mut found = Vec::new();
    for text in texts {
        let (beginning, end) = halves(text);
        let [beginning, end] = [beginning, end].map(|half| vec![half; 8].join(" "));
        let text = format!("{beginning} {MARKS}{end}");
        let response = search.call_with(&probe, text).send().await?;
        // The source states no greatest length.
        if (400..500).contains(&response.status) && probe.searches_have_any_form() {
            return probe.inconclusive("two long texts that the search accepts");
        }
        found.push(probe.ok(response)?);
    }
    let what = "the results for two texts with one half in common";
    assert_differ(&probe, &search, what, &found)
}

/// Pairs of texts that differ only in the words beside some marks.
async fn marked(probe: Probe, search: Search) -> Outcome {
    let Some(words) = told_apart(&probe, &search, WORDS).await? else {
        return probe.inconclusive("two short texts that the search tells apart");
    };
    let mut is_compared = false;
    for text in MARKED {
        let mut found = Vec::new();
        for words in &words {
            found.push(search.call_with(&probe, text.replace("{}", words)).send().await?);
        }
        // A gateway may object to some of the marks.
        if found.iter().any(|page| page.status != 200) {
            continue;
        }
        is_compared = true;
        let what = format!(
            "the results for {:?} and with other words",
            text.replace("{}", &words[0])
        );
        assert_differ(&probe, &search, &what, &found)?;
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("results for a text with marks"),
    }
}

/// Two short texts that a search tells apart: these, or words of two of its own records. A search that compares words
/// may know none of these.
async fn told_apart(probe: &Probe, search: &Search, texts: [&str; 2]) -> Result<Option<[String; 2]>, Stop> {
    let texts = texts.map(str::to_owned);
    if is_told_apart(probe, search, &texts).await? {
        return Ok(Some(texts));
    }
    let Some(own) = own_texts(&search.walked(probe, 1).await?.results) else {
        return Ok(None);
    };
    let is_own = is_told_apart(probe, search, &own).await?;
    Ok(is_own.then_some(own))
}

async fn is_told_apart(probe: &Probe, search: &Search, texts: &[String; 2]) -> Result<bool, Stop> {
    let mut found = Vec::new();
    for text in texts {
        found.push(probe.ok(search.call_with(probe, text).send().await?)?);
    }
    Ok(ranked(search, &found[0]) != ranked(search, &found[1]))
}

/// The words at the beginning of the descriptions of two records, if they differ.
fn own_texts(records: &[Value]) -> Option<[String; 2]> {
    let mut texts = records.iter().filter_map(|record| {
        let words = record["description"]
            .as_str()?
            .split(|letter: char| !letter.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty()).take(OWN_WORDS);
        Some(words.collect::<Vec<_>>().join(" "))
    });
    let (first, last) = (texts.next()?, texts.next_back()?);
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    (words(&first) != words(&last)).then_some([first, last])
}

/// Whether all results are at one distance, as when a search knows none of the words.
fn is_flat(page: &HttpResponse) -> bool {
    let mut distances = results(page).iter().map(distance);
    let first = distances.next();
    distances.all(|one| Some(one) == first)
}

/// Whether a result is nearer than one that has nothing in common with the text, on any scale from 0 to 1 or 2.
fn is_near(result: &Value) -> bool {
    let distance = distance(result);
    0.0 < distance && distance < 0.5
}

/// Whether no result shows its distance.
fn has_no_distances(page: &HttpResponse) -> bool {
    results(page).iter().all(|result| distance(result).is_nan())
}

/// Texts, and what is left of each without the letters beyond ASCII.
async fn accented(probe: Probe, search: Search) -> Outcome {
    let own = search.walked(&probe, PAGES).await?;
    // A search for customers does not compare descriptions.
    let own = beyond_ascii(&own.results).filter(|_| search.subject().name == "description");
    let own = own.map(|text| text.chars().take(OWN_CHARACTERS).collect());
    let mut is_compared = false;
    for text in [Some(ACCENTED.to_owned()), own].into_iter().flatten() {
        // An empty text is rejected, so another one takes its place.
        let bare: String = text.chars().filter(char::is_ascii).collect();
        let bare = if bare.trim().is_empty() { SHARED } else { &bare };
        let mut found = Vec::new();
        for text in [&text, bare] {
            found.push(probe.ok(search.call_with(&probe, text).send().await?)?);
        }
        // A search may know none of these words, but it knows those of its own records.
        if text == ACCENTED && (is_flat(&found[0]) || has_no_distances(&found[0])) {
            continue;
        }
        is_compared = true;
        let what = format!("the results for {text:?}, and without its letters beyond ASCII");
        assert_differ(&probe, &search, &what, &found)?;
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("results at different distances for a text with accents"),
    }
}

/// The description of a record with the most letters beyond ASCII, if there are a few.
fn beyond_ascii(records: &[Value]) -> Option<&str> {
    let letters = |text: &&str| {
        text.chars()
            .filter(|letter| letter.is_alphabetic() && !letter.is_ascii())
            .count()
    };
    let descriptions = records.iter().filter_map(|record| record["description"].as_str());
    let most = descriptions.max_by_key(letters)?;
    (letters(&most) >= FEW).then_some(most)
}

/// The records of a page and their distances, bit by bit. A deployment may have other names for both: a record without
/// an id is known by everything in it.
fn ranked<'a>(search: &Search, page: &'a HttpResponse) -> Vec<(Option<i64>, u64, Option<&'a Value>)> {
    let results = results(page).iter();
    let ranked = results.map(|result| match search.finds.has_id(result) {
        true => (Some(search.finds.id(result)), distance(result).to_bits(), None),
        false => (None, 0, Some(result)),
    });
    ranked.collect()
}

/// Asserts that two pages have other distances or another order.
fn assert_differ(probe: &Probe, search: &Search, what: &str, found: &[HttpResponse]) -> Outcome {
    let (one, other) = (ranked(search, &found[0]), ranked(search, &found[1]));
    // The order of a few records may be the same by chance.
    let least = if has_no_distances(&found[0]) { 10 } else { 1 };
    if one.len() < least {
        return probe.inconclusive("a search that finds a record with a distance, or ten records");
    }
    probe.assert(
        one != other,
        what,
        "other distances or another order",
        "the same distances in the same order",
        &[&found[0], &found[1]],
    );
    Ok(())
}
