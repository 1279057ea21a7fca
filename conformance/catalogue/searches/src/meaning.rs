//! Cases about what the rank of a result depends on: on the known record, and on what a search compares. Part of the
//! group `search-ranking`.
//!
//! The contract does not define the distance, so a case compares distances with each other, never with a number.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use serde_json::Value;

use crate::calls::{Finds, Search, Walk, distance, results, walk};
use crate::compared::{Compared, among, assert_differ, assert_lists_differ, compare, moved};
use crate::keeps::filter;
use crate::own_words::described;
use crate::ranking::GROUP;
use crate::seen::{most_telling, own_values, shown_filters};
use engine::case::Case;
use engine::case::values::BEYOND_32_BITS;
use engine::session::Probe;
use engine::session::search_form::{at, leaves};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The number of known records to compare.
const KNOWN: usize = 5;
/// The number of results of a search by a known record whose ranks are compared.
const NEAREST: usize = 10;
/// The number of comparisons that decide something.
const ENOUGH: usize = 6;
/// The number of organizations whose products cannot be alike by chance.
const OFFERING: usize = 3;
/// The number of pages to look for products of one organization.
const PAGES: i64 = 3;
/// The number of filters beside which two subjects are compared.
const FILTERS: usize = 3;
/// The number of pairs among which the one with the least in common is looked for.
const PAIRS: usize = 40;
/// How a deployment may shorten ids: to 32 bits, to a byte, to their last two digits.
const SHORTENED: [fn(i64) -> i64; 3] = [|id| id % BEYOND_32_BITS, |id| id % 256, |id| id % 100];
/// Customers that many products are for.
const CUSTOMERS: &str = "schools, hospitals and public authorities";

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let searches = Search::all(contract);
    let by_record = searches.iter().filter(|search| search.is_by_known_record());
    let by_customer = searches.iter().filter(|search| is_of_customers(search));
    let for_products = by_customer.clone().filter(|search| search.finds == Finds::Products);
    let by_what_they_do = searches
        .iter()
        .filter(|search| search.finds == Finds::Products && !is_of_customers(search));
    by_record
        .flat_map(of_known_records)
        .chain(by_customer.map(|search| of_customers(contract, search)))
        .chain(for_products.map(of_own_customers))
        .chain(by_what_they_do.map(of_one_organization))
        .chain(searches.iter().map(beside_filters))
        .collect()
}

fn of_own_customers(search: &Search) -> Case {
    let title = "Products of one organization that are made for different audiences are not all equally near";
    search
        .case(
            GROUP,
            "products-have-their-own-customers",
            title,
            &search.operation.pointer,
        )
        .quote(ranks_by(search))
        .and("/components/schemas/Product/properties/target_audiences")
        .and(search.operation.response_pointer(200))
        .point("search-own-words")
        .sends(10)
        .check_with(search.clone(), own_customers)
}

fn of_one_organization(search: &Search) -> Case {
    search
        .case(
            GROUP,
            "products-are-not-their-organization",
            "Products of one organization with different descriptions are not all equally near",
            &search.operation.pointer,
        )
        .quote(ranks_by(search))
        .and(search.operation.response_pointer(200))
        .needs(search.needs())
        .point("search-own-words")
        .check_with(search.clone(), own_descriptions)
}

/// The sentence on what a search ranks by.
fn ranks_by(search: &Search) -> &'static str {
    match (search.finds, search.is_by_known_record(), is_of_customers(search)) {
        (Finds::Organizations, true, _) => {
            "Ranks organizations by how close they are to a known one in business scope, business model, customers \
             and characteristics."
        }
        (Finds::Organizations, _, true) => {
            "Ranks organizations by how close their customer bases are in meaning to a free-text description of a \
             target customer."
        }
        (Finds::Organizations, ..) => {
            "Ranks organizations by how closely what they do matches a free-text description in meaning."
        }
        (Finds::Products, true, _) => {
            "Ranks products, each with its organization, by how close they are to a known one in business scope, \
             business model, customers and characteristics."
        }
        (Finds::Products, _, true) => {
            "Ranks products, each with its organization, by how close their customer bases are in meaning to a \
             free-text description of a target customer."
        }
        (Finds::Products, ..) => {
            "Ranks products, each with its organization, by how closely what they do matches a free-text description \
             in meaning."
        }
    }
}

fn is_of_customers(search: &Search) -> bool {
    search.subject().name.ends_with("_customer")
}

fn of_known_records(search: &Search) -> [Case; 2] {
    let case = |law: &str, title: &str| {
        let case = search
            .case(GROUP, law, title, &search.operation.pointer)
            .quote(ranks_by(search));
        case.needs(search.needs())
    };
    let differ = case(
        "known-records-rank-differently",
        "Searches by known records with unlike descriptions rank differently",
    );
    let differ = match search.finds {
        Finds::Organizations => differ,
        Finds::Products => differ.point("search-own-words"),
    };
    [
        differ.check_with(search.clone(), rank_differently),
        case(
            "known-record-ranks-like-its-description",
            "What is similar to a known record is nearer to its description than to those of others",
        )
        .and(search.operation.response_pointer(200))
        .point("search-own-words")
        .check_with(search.clone(), rank_like_descriptions),
    ]
}

fn of_customers(contract: &Contract, search: &Search) -> Case {
    let title = "A text ranks records differently by their customers than by what they are";
    let case = search
        .case(
            GROUP,
            "customers-are-not-descriptions",
            title,
            &search.operation.pointer,
        )
        .quote(ranks_by(search))
        .check_with(search.clone(), customers);
    let by_description = Search::by_description(contract, search.finds);
    let case = by_description
        .iter()
        .fold(case, |case, other| case.and(&other.operation.pointer));
    // For products it is decided.
    match search.finds {
        Finds::Organizations => case,
        Finds::Products => case.point("search-own-words"),
    }
}

/// A deployment that remembers results by their filters must tell apart what they are similar to as well. The names of
/// the filters are decided, but a search that takes them still ranks by its text or record.
fn beside_filters(search: &Search) -> Case {
    let title = "Beside the same filters, another text or known record ranks differently";
    let case = search.case(GROUP, "subject-counts-beside-filters", title, &search.operation.pointer);
    let case = match search.finds {
        Finds::Organizations => case,
        // That they are ranked is decided.
        Finds::Products => case.point("search-own-words"),
    };
    case.quote(ranks_by(search))
        .needs(search.needs())
        .sends(5 + 2 * FILTERS as u64)
        .check_with(search.clone(), differ_beside_filters)
}

/// Looks for an organization with two products that are made for different audiences and have different distances.
async fn own_customers(probe: Probe, search: Search) -> Outcome {
    let most = search.number("limit", "maximum");
    let found = walk(&probe, &|| Ok(search.call_with(&probe, CUSTOMERS)), most, most * PAGES).await?;
    assert_own_distances(&probe, &found, "that are made for different audiences", made_for_others)
}

/// Looks for an organization with two products that are described differently and have different distances.
async fn own_descriptions(probe: Probe, search: Search) -> Outcome {
    let found = search.walked(&probe, PAGES).await?;
    assert_own_distances(&probe, &found, "that are described differently", described_differently)
}

/// Asserts that some organization has two telling products at different distances.
fn assert_own_distances(
    probe: &Probe,
    found: &Walk,
    kind: &str,
    telling: for<'a> fn(&[&'a Value]) -> Option<[&'a Value; 2]>,
) -> Outcome {
    // Records that have nothing in common with the text are all at the same distance.
    let farthest = found.results.last().map_or(f64::NAN, distance);
    let mut offered = BTreeMap::<_, Vec<&Value>>::new();
    for product in found.results.iter().filter(|product| distance(product) < farthest) {
        let id = product["organization"]["organization_id"].as_i64();
        offered.entry(id).or_default().push(product);
    }
    let telling: Vec<_> = offered.values().filter_map(|products| telling(products)).collect();
    let differ = telling.iter().any(|[one, other]| distance(one) != distance(other));
    if telling.len() < OFFERING && !differ {
        return probe.inconclusive(format!("{OFFERING} organizations with products {kind}"));
    }
    probe.assert(
        differ,
        &format!("the distances of products of one organization {kind}"),
        "different distances for some organization",
        format!("the same distance, for each of {} organizations", telling.len()),
        &found.evidence(),
    );
    Ok(())
}

/// Two products with unlike descriptions.
fn described_differently<'a>(products: &[&'a Value]) -> Option<[&'a Value; 2]> {
    let described = |product: &&'a Value| Some((*product, product["description"].as_str()?));
    let mut described = products.iter().filter_map(described);
    let (first, text) = described.next()?;
    let (other, _) = described.find(|(_, other)| are_unlike(text, other))?;
    Some([first, other])
}

/// Whether texts have at most half of their sequences of three characters in common. Texts with the same meaning may
/// differ in a name: `Fjordfrost AS carries fish` and `Nordkjøl AS carries fish`.
fn are_unlike(one: &str, other: &str) -> bool {
    let threes = |text: &str| {
        let characters: Vec<_> = text.to_lowercase().chars().collect();
        let length = characters.len().clamp(1, 3);
        characters
            .windows(length)
            .map(<[char]>::to_vec)
            .collect::<BTreeSet<_>>()
    };
    let [one, other] = [one, other].map(threes);
    2 * one.intersection(&other).count() <= one.union(&other).count()
}

/// Two products that have no audience in common.
fn made_for_others<'a>(products: &[&'a Value]) -> Option<[&'a Value; 2]> {
    let audiences = |product: &'a Value| product["target_audiences"].as_array().filter(|all| !all.is_empty());
    let (first, rest) = products.split_first()?;
    let own = audiences(first)?;
    let is_for_others = |other: &&&'a Value| {
        let theirs = audiences(other);
        theirs.is_some_and(|theirs| theirs.iter().all(|audience| !own.contains(audience)))
    };
    let other = rest.iter().find(is_for_others)?;
    Some([first, other])
}

/// A page of the largest size.
async fn page_of(probe: &Probe, search: &Search, subject: impl Display) -> Result<HttpResponse, Stop> {
    let most = search.number("limit", "maximum");
    probe.ok(search.call_with(probe, subject).query("limit", most).send().await?)
}

/// Some of these records with unlike descriptions, from all over the list.
fn sample(by_description: &Search, records: &[Value]) -> Result<Vec<(i64, String)>, Stop> {
    let mut by_text = BTreeMap::new();
    for (record, text) in described(by_description, records) {
        by_text.entry(text).or_insert(by_description.finds.id(record));
    }
    let step = (by_text.len() / KNOWN).max(1);
    let (spread, others): (Vec<_>, Vec<_>) = (0..).zip(by_text).partition(|(position, _)| position % step == 0);
    let mut sample: Vec<(i64, String)> = Vec::new();
    for (_, (text, id)) in spread.into_iter().chain(others) {
        if sample.len() < KNOWN && sample.iter().all(|(_, known)| are_unlike(known, &text)) {
            sample.push((id, text));
        }
    }
    match sample.len() {
        0 | 1 => Err(Stop::not_seen("two records with unlike descriptions")),
        _ => Ok(sample),
    }
}

/// The search by description for the kind of record that a search finds.
fn by_description(probe: &Probe, search: &Search) -> Result<Search, Stop> {
    let found = Search::by_description(probe.contract(), search.finds);
    found.ok_or_else(|| Stop::not_seen("a search by description"))
}

/// Compares pages of the default size, because the name of the parameter that asks for more is decided.
async fn rank_differently(probe: Probe, search: Search) -> Outcome {
    let by_description = by_description(&probe, &search)?;
    let page = probe.ok(by_description.call(&probe)?.send().await?)?;
    let all = by_description.walked(&probe, PAGES).await?;
    let sample = sample(&by_description, results(&page))?;
    let what = "the results for two known records";
    let mut is_compared = false;
    // One right after the other: results may be remembered for the one that came first.
    for [one, other] in pairs_of_like_ids(&by_description, &all.results) {
        let one = probe.ok(search.call_with(&probe, one).send().await?)?;
        let other = probe.ok(search.call_with(&probe, other).send().await?)?;
        is_compared |= assert_differ(&probe, search.finds, what, [&one, &other]);
    }
    let mut pages = Vec::new();
    for (id, _) in sample {
        pages.push((id, probe.ok(search.call_with(&probe, id).send().await?)?));
    }
    if let Some(((_, first), others)) = pages.split_first() {
        for (_, other) in others {
            is_compared |= assert_differ(&probe, search.finds, what, [first, other]);
        }
    }
    if search.finds == Finds::Products {
        assert_known_products_count(&probe, &pages, &[results(&page), &all.results].concat());
        assert_own_characteristics_count(&probe, &search, &all).await?;
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("records at different distances from two known records"),
    }
}

/// Asserts that searches by known products of different organizations are not all the same. That products are ranked is
/// decided, but what is similar to a known product depends on it.
fn assert_known_products_count(probe: &Probe, pages: &[(i64, HttpResponse)], products: &[Value]) {
    let finds = Finds::Products;
    let organizations: BTreeMap<_, _> = products
        .iter()
        .filter_map(|product| Some((finds.id(product), product["organization"]["organization_id"].as_i64()?)))
        .collect();
    let mut seen = BTreeSet::new();
    let of_others = |(id, _): &&(i64, HttpResponse)| organizations.get(id).is_some_and(|own| seen.insert(*own));
    let pages: Vec<_> = pages.iter().filter(of_others).map(|(_, page)| page).collect();
    let Some((first, others)) = pages.split_first() else {
        return;
    };
    let is_same = |other: &&HttpResponse| matches!(compare(finds, results(first), results(other)), Compared::Same);
    if others.len() + 1 >= OFFERING && others.iter().all(is_same) {
        probe.assert_as(
            Some(BTreeSet::new()),
            false,
            &format!("the results for known products of {} organizations", pages.len()),
            "other products, or another distance for some product",
            "the same distance for each product that all find",
            &pages,
        );
    }
}

/// Asserts that products of one organization with unlike descriptions are not similar to the same, for several
/// organizations: the characteristics of the known product count.
async fn assert_own_characteristics_count(probe: &Probe, search: &Search, all: &Walk) -> Outcome {
    let finds = Finds::Products;
    let mut offered = BTreeMap::<_, Vec<&Value>>::new();
    for product in &all.results {
        let organization = product["organization"]["organization_id"].as_i64();
        offered.entry(organization).or_default().push(product);
    }
    let pairs = offered.values().filter_map(|products| described_differently(products));
    let pairs: Vec<_> = pairs.take(OFFERING).collect();
    if pairs.len() < OFFERING {
        return Ok(());
    }
    let mut pages = Vec::new();
    for pair in pairs {
        let [one, other] = pair.map(|product| search.call_with(probe, finds.id(product)));
        let pair = [probe.ok(one.send().await?)?, probe.ok(other.send().await?)?];
        let [one, other] = pair.each_ref().map(results);
        if !matches!(compare(finds, one, other), Compared::Same) {
            return Ok(());
        }
        pages.extend(pair);
    }
    probe.assert_as(
        Some(BTreeSet::new()),
        false,
        "the results for two known products of one organization",
        "other products, or another distance for some product, for one of several organizations",
        "the same distance for each product that both find",
        &pages.iter().collect::<Vec<_>>(),
    );
    Ok(())
}

/// Pairs of ids that are the same once shortened, of records with unlike descriptions and little else in common. A
/// deployment that reads ids in 32 bits, or remembers results by a part of an id, takes one for the other.
fn pairs_of_like_ids(by_description: &Search, records: &[Value]) -> Vec<[i64; 2]> {
    let id = |record: &Value| by_description.finds.id(record);
    let described = described(by_description, records);
    let pair_of = |shortened: &fn(i64) -> i64| {
        let mut groups = BTreeMap::<i64, Vec<_>>::new();
        for (record, text) in &described {
            groups.entry(shortened(id(record))).or_default().push((*record, text));
        }
        let pairs = groups.values().flat_map(|group| {
            let others = group.iter().skip(1).filter(|(other, _)| id(other) != id(group[0].0));
            others.map(|other| [group[0], *other])
        });
        let unlike = pairs.take(PAIRS).filter(|[one, other]| are_unlike(one.1, other.1));
        let pair = unlike.min_by_key(|[one, other]| in_common(one.0, other.0))?;
        Some(pair.map(|(record, _)| id(record)))
    };
    SHORTENED.iter().filter_map(pair_of).collect()
}

/// How many values two records have in common.
fn in_common(one: &Value, other: &Value) -> usize {
    let values = leaves(one).into_iter().filter(|(_, value)| !value.is_null());
    values.filter(|(path, value)| at(other, path) == *value).count()
}

/// Compares searches for two subjects, beside filters that keep some of the records that are not equally near to both.
async fn differ_beside_filters(probe: Probe, search: Search) -> Outcome {
    let by_description = by_description(&probe, &search)?;
    let page = probe.ok(by_description.call(&probe)?.send().await?)?;
    let sample = sample(&by_description, results(&page))?;
    let subject = |(id, text): &(i64, String)| match search.is_by_known_record() {
        true => id.to_string(),
        false => text.clone(),
    };
    let (one, other) = (subject(&sample[0]), subject(&sample[1]));
    let longest = [
        page_of(&probe, &search, &one).await?,
        page_of(&probe, &search, &other).await?,
    ];
    let mut is_compared = differ_on_longest(&probe, &search, [&one, &other], longest.each_ref()).await?;
    let moved = moved(search.finds, &longest[0], &longest[1]);
    let telling = |name| {
        let candidates = moved.iter().filter_map(|record| own_values(&search, &[name], record));
        most_telling(&search, &moved, candidates)
    };
    let most = search.number("limit", "maximum");
    for filters in shown_filters(&search).filter_map(telling).take(FILTERS) {
        let send = async |subject: &str| {
            let call = search.call_with(&probe, subject).query("limit", most);
            probe.ok(filter(call, &filters).send().await?)
        };
        let pages = [&send(&one).await?, &send(&other).await?];
        let among_moved = |page| among(search.finds, results(page), &moved);
        is_compared |= assert_lists_differ(
            &probe,
            search.finds,
            "the results for two texts or known records, with the same filters",
            pages.map(among_moved).each_ref().map(Vec::as_slice),
            pages,
        );
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("filters that keep records at different distances from two texts or known records"),
    }
}

/// Compares the longest pages for two texts or known records, as far as pages of the default size tell them apart:
/// pages may be remembered by the rest of the request. Returns whether there was anything to compare.
async fn differ_on_longest(
    probe: &Probe,
    search: &Search,
    [one, other]: [&str; 2],
    longest: [&HttpResponse; 2],
) -> Result<bool, Stop> {
    let short = async |subject: &str| probe.ok(search.call_with(probe, subject).send().await?);
    let moved = moved(search.finds, &short(one).await?, &short(other).await?);
    let among_moved = |page: &HttpResponse| among(search.finds, results(page), &moved);
    Ok(assert_lists_differ(
        probe,
        search.finds,
        "the results for two texts or known records, on the longest page",
        longest.map(among_moved).each_ref().map(Vec::as_slice),
        longest,
    ))
}

/// Searches for customers and for a description with the same text, for pages of the default size. Another text is
/// searched for the other way round: a deployment may remember the results of the first search.
async fn customers(probe: Probe, search: Search) -> Outcome {
    let by_description = by_description(&probe, &search)?;
    let text = search.text(&probe);
    let other = format!("{text} and more");
    let by_customer = probe.ok(search.call(&probe)?.send().await?)?;
    let described = probe.ok(by_description.call_with(&probe, text).send().await?)?;
    let other_described = probe.ok(by_description.call_with(&probe, &other).send().await?)?;
    let other_by_customer = probe.ok(search.call_with(&probe, &other).send().await?)?;
    let what = "the results for a text as customers, and as a description";
    let mut differ = assert_differ(&probe, search.finds, what, [&by_customer, &described]);
    differ |= assert_differ(&probe, search.finds, what, [&other_by_customer, &other_described]);
    match differ {
        true => Ok(()),
        false => probe.inconclusive("records at different distances from the text"),
    }
}

/// Compares the ranks that the nearest results of each known record have in the searches for the descriptions: of its
/// own record, and of the others. A known record is compared in more than its description, so it need not be the same
/// order.
async fn rank_like_descriptions(probe: Probe, search: Search) -> Outcome {
    let by_description = by_description(&probe, &search)?;
    let walk = by_description.walked(&probe, i64::MAX).await?;
    let sample = sample(&by_description, &walk.results)?;
    let (mut similar, mut described) = (Vec::new(), Vec::new());
    for (id, text) in &sample {
        similar.push(page_of(&probe, &search, id).await?);
        described.push(page_of(&probe, &by_description, text).await?);
    }
    let known: Vec<_> = sample.iter().map(|(id, _)| *id).collect();
    let [nearest, ranked] = [&similar, &described].map(|pages| pages.iter().map(results).collect::<Vec<_>>());
    let (pairs, points) = won(search.finds, &known, &nearest, &ranked);
    if pairs < ENOUGH {
        return probe.inconclusive("records whose nearest ones differ in their rank for several descriptions");
    }
    let expected = format!(
        "the nearest results nearer to the description of the known record than to another's in at least {} of \
         {pairs} comparisons",
        pairs * 3 / 4
    );
    let evidence: Vec<_> = similar.iter().chain(&described).collect();
    let what = "the results for some known records";
    probe.assert(
        points * 4 >= pairs * 3,
        what,
        expected,
        format!("{points} of {pairs}"),
        &evidence,
    );
    Ok(())
}

/// The number of comparisons of a known record's nearest results, and how many the own description won. A tie proves
/// nothing.
fn won(finds: Finds, known: &[i64], similar: &[&[Value]], described: &[&[Value]]) -> (usize, usize) {
    let (mut pairs, mut points) = (0, 0);
    for (position, nearest) in similar.iter().enumerate() {
        for other in (0..described.len()).filter(|other| *other != position) {
            // The two records are each first for their own descriptions, so neither of them is ranked.
            let is_ranked = |result: &&Value| ![known[position], known[other]].contains(&finds.id(result));
            let nearest: Vec<_> = nearest.iter().filter(is_ranked).take(NEAREST).collect();
            let [own, other] = [position, other].map(|of| {
                let page: Vec<_> = described[of].iter().filter(is_ranked).collect();
                ranks(finds, &nearest, &page)
            });
            pairs += usize::from(own != other);
            points += usize::from(own < other);
        }
    }
    (pairs, points)
}

/// The sum of the ranks of some results on another page. One that is not on the page comes after all that are.
fn ranks(finds: Finds, nearest: &[&Value], page: &[&Value]) -> usize {
    let rank = |result: &&Value| page.iter().position(|other| finds.id(other) == finds.id(result));
    let most = page.len();
    nearest.iter().map(|result| rank(result).unwrap_or(most)).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compared::tests::page;

    #[test]
    fn ids_that_are_one_once_shortened_are_compared_if_they_are_described_differently() {
        let search = Search::by_description(Contract::bundled(), Finds::Organizations).unwrap();
        let record = |id: i64, text: &str| json!({"organization_id": id, "description": text});
        let pairs = |records: [Value; 3]| pairs_of_like_ids(&search, &records);
        let wide = BEYOND_32_BITS + 7;
        let [in_32_bits, in_a_byte] = [[7, wide]; 2];
        assert_eq!(
            pairs([record(7, "a"), record(8, "b"), record(wide, "c")]),
            [in_32_bits, in_a_byte]
        );
        assert_eq!(pairs([record(7, "a"), record(107, "c"), record(8, "b")]), [[7, 107]]);
        assert_eq!(
            pairs([record(7, "c"), record(107, "c"), record(wide, "c")]),
            [[0; 2]; 0]
        );
        assert_eq!(pairs([record(6, "a"), record(8, "b"), record(wide, "c")]), [[0; 2]; 0]);
    }

    #[test]
    fn a_result_that_is_not_on_a_page_comes_last() {
        let (nearest, other) = (page(&[(7, 0.1), (1, 0.2)]), page(&[(1, 0.1), (2, 0.2)]));
        let [nearest, other] = [&nearest, &other].map(|page| page.iter().collect::<Vec<_>>());
        assert_eq!(ranks(Finds::Organizations, &nearest, &other), 2);
    }

    #[test]
    fn all_results_of_a_few_records_prove_nothing() {
        let (first, second) = (
            page(&[(1, 0.0), (2, 0.3), (3, 0.5)]),
            page(&[(2, 0.0), (3, 0.1), (1, 0.3)]),
        );
        let similar = [&first[1..], &second[1..]];
        let known = [1, 2];
        assert_eq!(won(Finds::Organizations, &known, &similar, &[&first, &second]), (0, 0));
    }
}
