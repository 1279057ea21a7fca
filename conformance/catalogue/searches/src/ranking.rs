//! Cases about the order of results: nearest first, and the same in pages of any size.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::calls::{Finds, Search, Walk, count, distance, results, total_count, walk};
use crate::order::{assert_law, distances_between, order, pages, prefix, same_distance};
use engine::case::Case;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;
use platform_contract::known_part;

pub(super) const GROUP: &str = "search-ranking";

/// The number of pages that the laws check.
const PAGES: i64 = 3;
/// The number of organizations of products to search for by their own descriptions.
const SEARCHED_FOR: usize = 5;
/// The number of known records to look for among their own results.
const LOOKED_FOR: usize = 12;
/// A text without words.
const STRANGE: &str = "🐟";

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    Search::all(contract).iter().flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let mut cases = of_pages(search);
    match search.is_by_known_record() {
        true => cases.push(of_known_record(search)),
        false => cases.push(of_strange_text(search)),
    }
    if search.finds == Finds::Products {
        cases.push(of_organizations_of_products(search));
    }
    cases
}

fn of_pages(search: &Search) -> Vec<Case> {
    let page = search.operation.response_pointer(200);
    let distance = "/components/schemas/Similarity/properties/cosine_distance";
    let says = Sentences::of(search.finds);
    let case = |law: &str, title: &str| {
        let case = search.case(GROUP, law, title, &page);
        case.needs(search.needs())
    };
    vec![
        case(
            "nearest-first-ties-by-id",
            "Results are nearest first, ties by id, no record twice",
        )
        .quote(says.order)
        .point("search-order")
        .check_with(search.clone(), order_of_walk),
        search
            .case(
                GROUP,
                "distances-are-in-bounds",
                "A distance is within its bounds",
                format!("{distance}/minimum"),
            )
            .and(format!("{distance}/maximum"))
            .and(&page)
            .point("search-distance")
            .needs(search.needs())
            .check_with(search.clone(), bounds_of_walk),
        case(
            "pages-are-full-and-count-the-same",
            "total_count is the same on every page",
        )
        .quote(says.count)
        .point("search-envelope")
        .check_with(search.clone(), pages_of_walk),
        case("limits-are-prefixes", "A smaller page is the beginning of a larger one")
            .quote(says.order)
            .point("search-pages")
            .check_with(search.clone(), smaller_pages),
        case(
            "any-page-size-walks-to-the-same-list",
            "Pages of any size join to one list",
        )
        .quote(says.order)
        .point("search-pages")
        .check_with(search.clone(), page_sizes),
        case(
            "repeated-search-finds-the-same",
            "The same search returns the same results",
        )
        .point("search-pages")
        .check_with(search.clone(), repeated),
    ]
}

fn of_strange_text(search: &Search) -> Case {
    search
        .case(
            GROUP,
            "strange-text-is-ranked",
            "The results for a text without words are ordered like any other",
            search.operation.response_pointer(200),
        )
        .quote(Sentences::of(search.finds).order)
        .point("search-order")
        .check_with(search.clone(), strange_text)
}

fn of_known_record(search: &Search) -> Case {
    search
        .case(
            GROUP,
            "known-record-is-not-found",
            "The known record is not among its own results",
            &search.operation.pointer,
        )
        .quote(Sentences::of(search.finds).not_itself)
        .point("search-known-record")
        .needs(search.needs())
        .check_with(search.clone(), not_itself)
}

fn of_organizations_of_products(search: &Search) -> Case {
    search
        .case(
            GROUP,
            "organization-is-whole",
            "A product has the same organization as a search for organizations shows",
            "/components/schemas/Product/properties/organization",
        )
        .and_quote("/components/schemas/Product", "a product always has one")
        .and(search.operation.response_pointer(200))
        .point("product-fields")
        .needs(search.needs())
        .check_with(search.clone(), same_organization)
}

/// The sentences of the contract about a kind of record.
pub(super) struct Sentences {
    pub(super) order: &'static str,
    count: &'static str,
    pub(super) meaning: &'static str,
    not_itself: &'static str,
}

impl Sentences {
    pub(super) fn of(finds: Finds) -> Self {
        match finds {
            Finds::Organizations => Self {
                order: "nearest first, ties in ascending order of organization_id",
                count: "total_count counts all that pass the filters",
                meaning: "Ranks organizations by how closely what they do matches a free-text description in meaning.",
                not_itself: "The known organization is neither in its own results nor counted.",
            },
            Finds::Products => Self {
                order: "nearest first, ties in ascending order of product_id",
                count: "total_count counts all that pass the filters",
                meaning: "Ranks products, each with its organization, by how closely what they do matches a free-text \
                          description in meaning.",
                not_itself: "The known product is neither in its own results nor counted.",
            },
        }
    }
}

/// Walks a search; a law of order needs at least two results.
pub(crate) async fn found(probe: &Probe, search: &Search) -> Result<Arc<Walk>, Stop> {
    let walk = search.walked(probe, PAGES).await?;
    match walk.results.len() {
        0 | 1 => Err(Stop::not_seen("a search that finds at least two records")),
        _ => Ok(walk),
    }
}

async fn order_of_walk(probe: Probe, search: Search) -> Outcome {
    let walk = search.walked(&probe, i64::MAX).await?;
    if walk.results.len() < 2 {
        return probe.inconclusive("a search that finds at least two records");
    }
    assert_law(
        &probe,
        "the ranking",
        &order(search.finds, &walk.results),
        &walk.evidence(),
    );
    assert_scored(&probe, &search, &walk);
    Ok(())
}

/// Asserts what the source states of the scores: each result carries one, and organizations are ranked by it, in
/// either direction.
fn assert_scored(probe: &Probe, search: &Search, walk: &Walk) {
    let is_scored = |result: &Value| !distance(result).is_nan();
    if !walk.results.first().is_some_and(is_scored) {
        return;
    }
    let stated = |holds, what, expected, seen: String| {
        probe.assert_as(Some(BTreeSet::new()), holds, what, expected, seen, &walk.evidence());
    };
    let unscored = walk.results.iter().find(|result| !is_scored(result));
    stated(
        unscored.is_none(),
        "the similarity score of each result",
        "one, as the first result has",
        format!("none for {:?}", unscored.map(|result| search.finds.id(result))),
    );
    if unscored.is_some() || search.finds == Finds::Products {
        return;
    }
    let pages = walk.result_pages();
    let scores = pages.iter().map(|page| page.iter().map(distance).collect());
    let scores: Vec<Vec<_>> = scores.collect();
    let is_ranked_inside = scores.iter().all(|page| is_ranked(page.chunks(1)));
    stated(
        is_ranked_inside && is_ranked(scores.iter().map(Vec::as_slice)),
        "the scores of the results",
        "rising or falling throughout, within a page and from page to page",
        "both".to_owned(),
    );
}

/// Whether the scores of no group are above those of the next, or none below.
fn is_ranked<'a>(groups: impl Iterator<Item = &'a [f64]>) -> bool {
    let groups: Vec<_> = groups.collect();
    let is_above = |score: &f64, next: &[f64]| next.iter().any(|next| score > next && !same_distance(*score, *next));
    let rises = |one: &[f64], next: &[f64]| !one.iter().any(|score| is_above(score, next));
    let mut pairs = groups.windows(2);
    pairs.clone().all(|pair| rises(pair[0], pair[1])) || pairs.all(|pair| rises(pair[1], pair[0]))
}

/// Checks a text without words. A deployment may find all records at one distance: the order is then that of the ids.
async fn strange_text(probe: Probe, search: Search) -> Outcome {
    let most = search.number("limit", "maximum");
    let call = || Ok(search.call_with(&probe, STRANGE));
    let walk = walk(&probe, &call, most, most).await?;
    if walk.results.len() < 2 {
        return probe.inconclusive("a search that finds at least two records");
    }
    assert_law(
        &probe,
        "the ranking",
        &order(search.finds, &walk.results),
        &walk.evidence(),
    );
    Ok(())
}

async fn bounds_of_walk(probe: Probe, search: Search) -> Outcome {
    let walk = found(&probe, &search).await?;
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

async fn pages_of_walk(probe: Probe, search: Search) -> Outcome {
    let walk = found(&probe, &search).await?;
    let most = search.number("limit", "maximum");
    let totals: Vec<_> = walk.pages.iter().map(total_count).collect();
    let wanted = search.reach.min(most * PAGES);
    let evidence: Vec<_> = walk.pages.iter().collect();
    let (_, followed) = walk.page_lengths.split_last().unwrap_or((&0, &[]));
    let short = followed.iter().copied().find(|seen| *seen != most);
    let seen = short.unwrap_or(most);
    probe.assert(short.is_none(), "a search with several pages", most, seen, &evidence);
    assert_law(&probe, "the pages", &pages(&walk, &totals, wanted), &evidence);
    Ok(())
}

async fn smaller_pages(probe: Probe, search: Search) -> Outcome {
    let walk = found(&probe, &search).await?;
    let most = search.number("limit", "maximum");
    for limit in [search.number("limit", "minimum"), most / 2] {
        let page = probe.ok(search.call(&probe)?.query("limit", limit).send().await?)?;
        let mut departures = prefix(search.finds, results(&page), &walk.results);
        let expected = walk.total_count.min(limit);
        let evidence = [&page, &walk.pages[0]];
        let seen = count(results(&page));
        probe.assert(seen == expected, "the number of results", expected, seen, &evidence);
        departures.truncate(1);
        assert_law(&probe, &format!("the page with limit={limit}"), &departures, &evidence);
    }
    Ok(())
}

/// Walks in pages of the smallest size, and of a size that divides nothing, so that pages begin at odd positions.
async fn page_sizes(probe: Probe, search: Search) -> Outcome {
    let all = found(&probe, &search).await?;
    let odd = 53.min(search.number("limit", "maximum") - 1).max(1);
    for (limit, wanted) in [(1, 2), (odd, 3 * odd)] {
        let walked = walk(&probe, &|| search.call(&probe), limit, wanted).await?;
        let evidence: Vec<_> = walked.pages.iter().chain(all.pages.first()).collect();
        let mut departures = prefix(search.finds, &walked.results, &all.results);
        departures.extend(pages(&walked, &[], wanted));
        assert_law(&probe, &format!("the walk in pages of {limit}"), &departures, &evidence);
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
    probe.saw_record(&search.operation, &first)
}

/// Nothing is nearer to a record than the record itself: if the search found it, it would be on the first page.
async fn not_itself(probe: Probe, search: Search) -> Outcome {
    let known = match search.finds {
        Finds::Organizations => &probe.known().organizations,
        Finds::Products => &probe.known().products,
    };
    // A number of too few bits shows at the greatest id.
    let greatest = known.iter().max();
    let step = (known.len() / LOOKED_FOR).max(1);
    for id in known.iter().step_by(step).take(LOOKED_FOR).chain(greatest) {
        let most = search.number("limit", "maximum");
        let response = search.call_with(&probe, id).query("limit", most).send().await?;
        if response.status == 404 {
            probe.expect(&response).known();
            continue;
        }
        let page = probe.ok(response)?;
        let position = results(&page)
            .iter()
            .position(|result| result[search.finds.id_member()] == *id);
        let seen = position.map_or_else(String::new, |position| format!("it is result {position}"));
        probe.assert(
            position.is_none(),
            "the results",
            format!("none with the id {id}"),
            seen,
            &[&page],
        );
    }
    Ok(())
}

/// Searches for organizations of products by their own descriptions.
async fn same_organization(probe: Probe, search: Search) -> Outcome {
    let walk = found(&probe, &search).await?;
    let Some(by_description) = Search::by_description(probe.contract(), Finds::Organizations) else {
        return probe.inconclusive("a search for organizations by description");
    };
    let mut compared = 0;
    let organizations = walk.results.iter().map(|product| &product["organization"]);
    let described: Vec<_> = organizations
        .filter_map(|organization| {
            let text = organization["description"].as_str()?;
            (!text.trim().is_empty()).then_some((organization, text))
        })
        .collect();
    // A name with one of these is another one in HTML.
    let with_marks = described.iter().filter(|(organization, _)| {
        let name = organization["name"].as_str();
        name.is_some_and(|name| name.contains(['&', '<', '>', '"', '\'']))
    });
    for (organization, text) in described.iter().take(SEARCHED_FOR).chain(with_marks.take(SEARCHED_FOR)) {
        let longest = usize::try_from(by_description.number("description", "maxLength")).unwrap_or(usize::MAX);
        let text: String = text.chars().take(longest).collect();
        let page = probe.ok(by_description.call_with(&probe, text).send().await?)?;
        let id = &organization["organization_id"];
        let Some(other) = results(&page).iter().find(|result| result["organization_id"] == *id) else {
            continue;
        };
        let evidence: Vec<&HttpResponse> = vec![&walk.pages[0], &page];
        probe.assert_same(
            &format!("organization {id}"),
            &plain_record(probe.contract(), Finds::Organizations, other),
            &plain_record(probe.contract(), Finds::Organizations, organization),
            &evidence,
        );
        compared += 1;
    }
    match compared {
        0 => probe.inconclusive("a product whose organization is found by its description"),
        _ => Ok(()),
    }
}

/// A result as a plain record, with what the contract describes of it: a deployment may add members to one response and
/// not to another.
pub(super) fn plain_record(contract: &Contract, finds: Finds, result: &Value) -> Value {
    let schema = match finds {
        Finds::Organizations => "/components/schemas/Organization",
        Finds::Products => "/components/schemas/Product",
    };
    let schema = contract.get(schema).unwrap_or(&Value::Null);
    let mut record = known_part(contract, schema, result);
    if let Some(members) = record.as_object_mut() {
        members.remove("similarity");
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_ranked_if_they_rise_or_fall_from_one_to_the_next() {
        let is_ranked = |pages: &[&[f64]]| is_ranked(pages.iter().copied());
        assert!(is_ranked(&[]) && is_ranked(&[&[0.3, 0.1]]));
        assert!(is_ranked(&[&[0.1, 0.3], &[0.3, 0.4], &[0.5]]));
        assert!(is_ranked(&[&[0.5], &[0.4, 0.3], &[0.3]]));
        // The nearest page may come first even if each page lists its nearest result last.
        assert!(is_ranked(&[&[0.3, 0.1], &[0.6, 0.4]]));
        assert!(!is_ranked(&[&[0.1, 0.3], &[0.2, 0.4]]));
        assert!(!is_ranked(&[&[0.1], &[0.3], &[0.2]]));
    }
}
