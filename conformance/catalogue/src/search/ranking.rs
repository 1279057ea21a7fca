//! The order of what a search finds: nearest first, the same however it is paged, and near in meaning.

use std::sync::Arc;

use serde_json::Value;

use crate::search::calls::{
    Finds, Search, Walk, Walks, count, distance, results, total_count, walk,
};
use crate::search::order::{assert_law, distances_between, order, pages, prefix};
use engine::case::Case;
use engine::session::Probe;
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-ranking";

/// Pages of the walk that the laws look at.
const PAGES: i64 = 3;
/// How many records are searched for by their own words, and how far down they may stand: another record
/// may say the same in fewer words.
const SEARCHED_FOR: usize = 4;
pub(crate) const AMONG_THE_FIRST: usize = 3;
/// A text of no words.
const STRANGE: &str = "🐟";

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let walks = Walks::of_pages(PAGES);
    Search::of(contract)
        .into_iter()
        .flat_map(|search| of_search(search, walks))
        .collect()
}

fn of_search(search: Search, walks: Walks) -> Vec<Case> {
    let page = search.operation.response_pointer(200);
    let distance = "/components/schemas/Similarity/properties/cosine_distance";
    let product = "/components/schemas/Product/properties/organization";
    let says = Sentences::of(search.finds);
    let case = |law: &str, title: &str, sentence: &str, pointer: &str| {
        search.case(GROUP, law, title, pointer).quote(sentence)
    };
    let in_order = case(
        "nearest-first-ties-by-id",
        "Nearest first, ties by id, no record twice",
        says.order,
        &page,
    );
    let in_bounds = search
        .case(
            GROUP,
            "distances-are-in-bounds",
            "A distance is within its bounds",
            format!("{distance}/minimum"),
        )
        .and(format!("{distance}/maximum"))
        .and(&page);
    let full = case(
        "pages-are-full-and-count-the-same",
        "Every page counts the same",
        says.count,
        &page,
    );
    let prefixes = case(
        "limits-are-prefixes",
        "A smaller page is the beginning of a larger one",
        says.order,
        &page,
    );
    let sizes = case(
        "any-page-size-walks-to-the-same-list",
        "Pages of any size join to one list",
        says.order,
        &page,
    );
    let same = search.case(
        GROUP,
        "repeated-search-finds-the-same",
        "The same search finds the same",
        &page,
    );
    let mut cases = vec![
        walks.check(in_order, search, order_of_walk),
        walks.check(in_bounds, search, bounds_of_walk),
        walks.check(full, search, pages_of_walk),
        walks.check(prefixes, search, smaller_pages),
        walks.check(sizes, search, page_sizes),
        same.check(move |probe| repeated(probe, search)),
    ];
    if !search.is_by_known_record() {
        let title = "A text that no record is near to is ranked as any other";
        let case = case("strange-text-is-ranked", title, says.order, &page);
        cases.push(case.check(move |probe| strange_text(probe, search)));
    }
    if search.is_by_known_record() {
        let title = "The known record is not among its own results";
        let case = case(
            "known-record-is-not-found",
            title,
            says.not_itself,
            &search.operation.pointer,
        );
        cases.push(case.check(move |probe| not_itself(probe, search)));
    }
    if search.subject.name == "description" {
        let title = "A record is found first, or nearly, by its own words";
        let case = case(
            "own-description-finds-the-record",
            title,
            says.meaning,
            &search.operation.pointer,
        );
        let case = case.and(&page);
        cases.push(walks.check(case, search, own_words));
    }
    if search.finds == Finds::Products {
        let title = "A product carries its organization as a search for organizations shows it";
        let case = search
            .case(GROUP, "organization-is-whole", title, product)
            .and_quote("/components/schemas/Product", "a product always has one")
            .and(&page);
        cases.push(walks.check(case, search, same_organization));
    }
    cases
}

/// What the contract says of a kind of record.
struct Sentences {
    order: &'static str,
    count: &'static str,
    meaning: &'static str,
    not_itself: &'static str,
}

impl Sentences {
    fn of(finds: Finds) -> Self {
        match finds {
            Finds::Organizations => Self {
                order: "nearest first, ties in ascending order of organization_id",
                count: "total_count counts all that pass the filters",
                meaning: "Ranks organizations by how close what they do is in meaning to a free-text description.",
                not_itself: "The known organization is neither in its own results nor counted.",
            },
            Finds::Products => Self {
                order: "nearest first, ties in ascending order of product_id",
                count: "total_count counts all that pass the filters",
                meaning: "Ranks products, each with its organization, by how close what they do is in meaning to a \
                          free-text description.",
                not_itself: "The known product is neither in its own results nor counted.",
            },
        }
    }
}

/// What a search finds; a law of order needs two results at least.
async fn found(probe: &Probe, search: Search, walks: Walks) -> Result<Arc<Walk>, Stop> {
    let walk = walks.of(probe, search).await?;
    match walk.results.len() {
        0 | 1 => Err(Stop::Inconclusive(
            "a search that finds two records at least".to_owned(),
        )),
        _ => Ok(walk),
    }
}

async fn order_of_walk(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let walk = found(&probe, search, walks).await?;
    assert_law(
        &probe,
        "the ranking",
        &order(search.finds, &walk.results),
        &walk.evidence(),
    );
    Ok(())
}

/// A text in no language is as far from one record as from another, where a deployment has no words for
/// it: there the order is that of the ids.
async fn strange_text(probe: Probe, search: Search) -> Outcome {
    let most = search.number("limit", "maximum");
    let call = || Ok(search.call_with(&probe, STRANGE));
    let walk = walk(&probe, &call, most, most).await?;
    if walk.results.len() < 2 {
        return probe.inconclusive("a search that finds two records at least");
    }
    assert_law(
        &probe,
        "the ranking",
        &order(search.finds, &walk.results),
        &walk.evidence(),
    );
    Ok(())
}

async fn bounds_of_walk(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let walk = found(&probe, search, walks).await?;
    let schema = "/components/schemas/Similarity/properties/cosine_distance";
    let bound = |keyword| {
        probe
            .contract()
            .get(&format!("{schema}/{keyword}"))
            .and_then(Value::as_f64)
    };
    let (Some(least), Some(most)) = (bound("minimum"), bound("maximum")) else {
        return probe.inconclusive("bounds of cosine_distance in the contract");
    };
    let departures = distances_between(least, most, search.finds, &walk.results);
    assert_law(&probe, "the distances", &departures, &walk.evidence());
    Ok(())
}

async fn pages_of_walk(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let walk = found(&probe, search, walks).await?;
    let most = search.number("limit", "maximum");
    let totals: Vec<_> = walk.pages.iter().map(total_count).collect();
    let wanted = search.reach().min(most * PAGES);
    let evidence: Vec<_> = walk.pages.iter().collect();
    let (_, followed) = walk.page_lengths.split_last().unwrap_or((&0, &[]));
    let short = followed.iter().copied().find(|seen| *seen != most);
    let seen = short.unwrap_or(most);
    probe.assert(
        short.is_none(),
        "a page that others follow",
        most,
        seen,
        &evidence,
    );
    assert_law(
        &probe,
        "the pages",
        &pages(&walk, &totals, wanted),
        &evidence,
    );
    Ok(())
}

async fn smaller_pages(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let walk = found(&probe, search, walks).await?;
    let most = search.number("limit", "maximum");
    for limit in [search.number("limit", "minimum"), most / 2] {
        let page = probe.ok(search.call(&probe)?.query("limit", limit).send().await?)?;
        let mut departures = prefix(search.finds, results(&page), &walk.results);
        let expected = walk.total_count.min(limit);
        let evidence = [&page, &walk.pages[0]];
        let seen = count(results(&page));
        probe.assert(
            seen == expected,
            "the number of results",
            expected,
            seen,
            &evidence,
        );
        departures.truncate(1);
        assert_law(
            &probe,
            &format!("the page with limit={limit}"),
            &departures,
            &evidence,
        );
    }
    Ok(())
}

/// The smallest size, and one that divides nothing, so that pages begin at odd places.
async fn page_sizes(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let all = found(&probe, search, walks).await?;
    let odd = 53.min(search.number("limit", "maximum") - 1).max(1);
    for (limit, wanted) in [(1, 2), (odd, 3 * odd)] {
        let walked = walk(&probe, &|| search.call(&probe), limit, wanted).await?;
        let evidence: Vec<_> = walked.pages.iter().chain(all.pages.first()).collect();
        let mut departures = prefix(search.finds, &walked.results, &all.results);
        departures.extend(pages(&walked, &[], wanted));
        assert_law(
            &probe,
            &format!("the walk in pages of {limit}"),
            &departures,
            &evidence,
        );
    }
    Ok(())
}

async fn repeated(probe: Probe, search: Search) -> Outcome {
    let first = probe.ok(search.call(&probe)?.send().await?)?;
    let second = probe.ok(search.call(&probe)?.send().await?)?;
    probe.assert_same(
        "the body of the second response",
        &first.body,
        &second.body,
        &[&first, &second],
    );
    Ok(())
}

/// Nothing is nearer to a record than itself: were it found, it would be on the first page.
async fn not_itself(probe: Probe, search: Search) -> Outcome {
    let known = match search.finds {
        Finds::Organizations => &probe.known().organizations,
        Finds::Products => &probe.known().products,
    };
    for id in known.iter().take(SEARCHED_FOR) {
        let most = search.number("limit", "maximum");
        let page = probe.ok(search
            .call_with(&probe, id)
            .query("limit", most)
            .send()
            .await?)?;
        let position = results(&page)
            .iter()
            .position(|result| result[search.finds.id_member()] == *id);
        let seen = position.map_or_else(String::new, |position| format!("it is result {position}"));
        probe.assert(
            position.is_none(),
            "the results",
            format!("none is {id} itself"),
            seen,
            &[&page],
        );
    }
    Ok(())
}

async fn own_words(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let walk = found(&probe, search, walks).await?;
    let described = described(search, &walk.results);
    if described.is_empty() {
        return probe.inconclusive("a record with a description");
    }
    // From all over the walk, not all from among the nearest.
    for (result, text) in described
        .iter()
        .step_by((described.len() / SEARCHED_FOR).max(1))
        .take(SEARCHED_FOR)
    {
        let page = probe.ok(search.call_with(&probe, text).send().await?)?;
        let nearer = nearer_to_its_words(search.finds, result, results(&page));
        let expected = format!(
            "fewer than {AMONG_THE_FIRST} of another description are nearer than {}",
            search.finds.id(result)
        );
        let what = "the results for a record's own description";
        let seen = format!("{nearer} are nearer");
        probe.assert(nearer < AMONG_THE_FIRST, what, expected, seen, &[&page]);
    }
    Ok(())
}

/// Records with their own descriptions, each as long as a text to search for may be.
pub(crate) fn described(search: Search, records: &[Value]) -> Vec<(&Value, String)> {
    let longest = usize::try_from(search.number("description", "maxLength")).unwrap_or(usize::MAX);
    let texts = records
        .iter()
        .filter_map(|record| Some((record, record["description"].as_str()?)));
    let texts = texts.filter(|(_, text)| !text.trim().is_empty());
    texts
        .map(|(record, text)| (record, text.chars().take(longest).collect()))
        .collect()
}

/// How many results are nearer to the description of a record than the record itself. Those of the same
/// description are as good an answer, and do not count.
pub(crate) fn nearer_to_its_words(finds: Finds, record: &Value, results: &[Value]) -> usize {
    let others: Vec<_> = results
        .iter()
        .filter(|other| {
            other["description"] != record["description"] || finds.id(other) == finds.id(record)
        })
        .cloned()
        .collect();
    nearer_than(finds, finds.id(record), &others)
}

/// How many results are nearer than a record. One that is not on the page can only be as near as the
/// last: many records may have the very same words, and the same distance then.
fn nearer_than(finds: Finds, id: i64, results: &[Value]) -> usize {
    let itself = results
        .iter()
        .find(|result| finds.id(result) == id)
        .or(results.last());
    let its_own = itself.map_or(f64::NAN, distance);
    let nearer = results.iter().take_while(|result| finds.id(result) != id);
    nearer.filter(|result| distance(result) < its_own).count()
}

/// Looks up organizations of products by their own words, in the search for organizations.
async fn same_organization(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let walk = found(&probe, search, walks).await?;
    let Some(by_description) = Search::described(probe.contract(), Finds::Organizations) else {
        return probe.inconclusive("a search for organizations by description");
    };
    let mut compared = 0;
    let organizations = walk.results.iter().map(|product| &product["organization"]);
    for organization in organizations
        .filter(|organization| organization.is_object())
        .take(SEARCHED_FOR)
    {
        let Some(text) = organization["description"]
            .as_str()
            .filter(|text| !text.trim().is_empty())
        else {
            continue;
        };
        let longest = usize::try_from(by_description.number("description", "maxLength"))
            .unwrap_or(usize::MAX);
        let text: String = text.chars().take(longest).collect();
        let page = probe.ok(by_description.call_with(&probe, text).send().await?)?;
        let id = &organization["organization_id"];
        let Some(other) = results(&page)
            .iter()
            .find(|result| result["organization_id"] == *id)
        else {
            continue;
        };
        let evidence: Vec<&Answer> = vec![&walk.pages[0], &page];
        probe.assert_same(
            &format!("organization {id}"),
            &without_similarity(other),
            organization,
            &evidence,
        );
        compared += 1;
    }
    match compared {
        0 => probe.inconclusive("a product whose organization a search by its description finds"),
        _ => Ok(()),
    }
}

/// A result as the record that it is.
fn without_similarity(result: &Value) -> Value {
    let mut record = result.clone();
    if let Some(members) = record.as_object_mut() {
        members.remove("similarity");
    }
    record
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_nearer_counts_and_ties_do_not() {
        let result = |(id, distance): (i64, f64)| json!({"organization_id": id, "similarity": {"cosine_distance": distance}});
        let nearer = |id, pairs: &[(i64, f64)]| {
            let results: Vec<_> = pairs.iter().copied().map(result).collect();
            nearer_than(Finds::Organizations, id, &results)
        };
        let page = [(1, 0.1), (2, 0.1), (3, 0.2), (4, 0.3), (5, 0.3)];
        assert_eq!(nearer(1, &page), 0);
        assert_eq!(nearer(2, &page), 0);
        assert_eq!(nearer(4, &page), 3);
        assert_eq!(nearer(9, &page), 3);
        assert_eq!(nearer(9, &[(1, 0.1), (2, 0.1)]), 0);
    }
}
