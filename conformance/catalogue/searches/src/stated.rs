//! What the source states of filters: each has a meaning, and they may be combined. Their names are decided, so a
//! filter counts only if it has an effect on some search: then the deployment knows it by this name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::calls::{Finds, Search, Walk, count, distance, ids, results};
use crate::keeps::{
    FLAG, Filters, LISTS, NUMBERS, PLACES, categories, employee_count, filter, keeping, last_round_on,
    last_round_stage, places, year,
};
use crate::order::same_distance;
use crate::seen::{most_telling, own_value, own_values};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};

/// The limit on the values of a list that are tried one by one.
const MOST_VALUES: usize = 4;
/// The filters that compare one value of a record, which a result shows. A date filter may compare any round.
const OF_ONE_VALUE: [&str; 5] = [
    "employee_count_min",
    "employee_count_max",
    "founded_year_min",
    "founded_year_max",
    "funding_stages",
];

/// The filters that take a list and compare it with one value of a record: the place of its headquarters, or the stage
/// of its latest round. No record has all values of such a list.
const OF_ONE_LISTED_VALUE: [&str; 3] = ["countries", "regions", "funding_stages"];

/// Whether an organization shows a value that a filter is about.
type Shows = fn(&Value) -> bool;

/// The filters whose meaning is stated.
const MEANINGS: [(&str, Shows); 8] = [
    ("countries", |organization| {
        places(organization, "country", false).next().is_some()
    }),
    ("regions", |organization| {
        places(organization, "region", false).next().is_some()
    }),
    ("employee_count_min", has_employees),
    ("employee_count_max", has_employees),
    ("founded_year_min", has_year),
    ("founded_year_max", has_year),
    ("funding_stages", |organization| {
        last_round_stage(organization).is_some()
    }),
    // An earlier round may be within an upper bound, but none is after the latest.
    ("funded_from", |organization| last_round_on(organization).is_some()),
];

fn has_employees(organization: &Value) -> bool {
    employee_count(organization).is_some()
}

fn has_year(organization: &Value) -> bool {
    year(organization).is_some()
}

/// Asserts that filters that are accepted one by one are accepted together. Their names are decided, so a filter that
/// is rejected by itself shows nothing.
pub(crate) async fn check_combination(probe: &Probe, search: &Search, filters: &Filters) -> Outcome {
    let together = filter(search.call(probe)?, filters).send().await?;
    if together.status == 200 {
        return Ok(());
    }
    let names: BTreeSet<_> = filters.iter().map(|(name, _)| *name).collect();
    for name in names {
        let own = filters.iter().filter(|(other, _)| *other == name).cloned().collect();
        let alone = filter(search.call(probe)?, &own).send().await?;
        if alone.status != 200 {
            return Ok(());
        }
    }
    let what = "filters that are accepted one by one";
    let seen = together.summary();
    probe.assert_as(Some(BTreeSet::new()), false, what, 200, seen, &[&together]);
    Ok(())
}

/// A search with filters, and the records that it finds without any.
pub(crate) struct Filtered<'a> {
    pub(crate) search: &'a Search,
    pub(crate) all: &'a Walk,
    pub(crate) filters: &'a Filters,
    pub(crate) found: &'a Walk,
    /// Whether these are a page after the first.
    pub(crate) is_later: bool,
}

impl Filtered<'_> {
    /// Records the first result that contradicts the filters, whatever is decided about bounds, missing values and
    /// locations: by its own value, by being left out, or by what the deployment does elsewhere.
    pub(crate) async fn check_meaning(&self, probe: &Probe) {
        let mut contradiction = self.shows_another_value(probe).await;
        contradiction = contradiction
            .or_else(|| self.is_lost(probe))
            .or_else(|| self.is_split());
        if contradiction.is_none() {
            contradiction = self.is_excluded_elsewhere(probe).await;
        }
        if contradiction.is_none() {
            contradiction = self.is_excluded_by_each_value(probe).await;
        }
        let Some(Contradiction { expected, seen, pages }) = contradiction else {
            return;
        };
        let own = self.found.pages.iter().chain(self.all.pages.first());
        let evidence: Vec<_> = own.chain(&pages).collect();
        let what = format!(
            "the results of filters that have an effect: {}",
            shown(self.filters.iter())
        );
        probe.assert_as(Some(BTreeSet::new()), false, &what, expected, seen, &evidence);
    }

    /// A result that shows another value than a filter asks for.
    async fn shows_another_value(&self, probe: &Probe) -> Option<Contradiction> {
        let (name, record) =
            contradicted(self.search, self.filters, &self.found.results).or_else(|| self.is_of_no_type())?;
        let (alone, others): (Filters, Filters) = self.filters.iter().cloned().partition(|(other, _)| *other == name);
        let is_combined = others.iter().any(|(other, _)| *other != FLAG);
        if is_combined && self.may_be_alternatives() {
            return None;
        }
        // A bound without an effect may be one that counts for none.
        let own = self
            .all
            .results
            .iter()
            .filter_map(|record| own_values(self.search, &[name], record));
        let telling = most_telling(self.search, &self.all.results, own);
        let is_known = !self.may_be_unknown(&alone);
        let has_effect = is_known && probe.target_names(name)
            || has_effect(probe, &alone).await
            || match telling.filter(|_| is_known) {
                Some(other) => has_effect(probe, &other).await,
                None => false,
            };
        if !has_effect {
            return None;
        }
        let expected = format!("none that shows another value than {}", shown(alone.iter()));
        Some(Contradiction::new(expected, self.record(record), Vec::new()))
    }

    /// Whether one of the values of a list is that of no record. A deployment may ignore a filter with a value that it
    /// does not know.
    fn may_be_unknown(&self, filters: &Filters) -> bool {
        filters.iter().any(|(name, value)| {
            let alone = vec![(*name, value.clone())];
            let keeps = keeping(self.search.finds, &alone);
            LISTS.contains(name) && !self.all.results.iter().any(keeps)
        })
    }

    /// A product that is in none of the categories, as are all products of its organization. A search by a known
    /// product does not show that one.
    fn is_of_no_type(&self) -> Option<(&'static str, &Value)> {
        const NAME: &str = "business_types";
        let is_whole = self.all.total_count == count(&self.all.results);
        let types: Vec<_> = self.filters.iter().filter(|(name, _)| *name == NAME).collect();
        let is_of_all_products = self.search.finds == Finds::Products && !self.search.is_by_known_record();
        if types.is_empty() || !is_whole || !is_of_all_products {
            return None;
        }
        let is_of_type = |product: &Value| categories(product).any(|one| types.iter().any(|(_, name)| name == one));
        let organization = |product: &Value| product["organization"]["organization_id"].as_i64();
        let of_type = self
            .all
            .results
            .iter()
            .chain(&self.found.results)
            .filter(|product| is_of_type(product));
        let offering: BTreeSet<_> = of_type.map(organization).collect();
        let mut found = self.found.results.iter();
        let record = found.find(|product| {
            categories(product).next().is_some()
                && organization(product).is_some()
                && !offering.contains(&organization(product))
        })?;
        Some((NAME, record))
    }

    fn left_out(&self) -> impl Iterator<Item = &Value> {
        left_out(self.search.finds, &self.all.results, &self.found.results, self.is_later)
    }

    /// A record that shows a value inside every filter and is left out.
    fn is_lost(&self, probe: &Probe) -> Option<Contradiction> {
        let alternatives = probe.target_names_lists();
        let is_inside = |record: &&Value| is_inside(self.search, self.filters, alternatives, record);
        // A filter on numbers that the target names is one that the deployment knows.
        let is_known = |name: &str| name == FLAG || NUMBERS.contains(&name) && probe.target_names(name);
        let lost = if self.found.results.is_empty() && self.filters.iter().all(|(name, _)| is_known(name)) {
            self.all.results.iter().find(is_inside)
        } else {
            self.left_out().find(is_inside)
        };
        let lost = lost?;
        let expected = "every record before the last one that shows a value inside";
        let seen = format!("{} is missing", self.record(lost));
        Some(Contradiction::new(expected.to_owned(), seen, Vec::new()))
    }

    /// A filter that keeps one record and leaves out another with the same value. Whether bounds are inclusive is
    /// decided, but records with the same value are on the same side of a bound.
    fn is_split(&self) -> Option<Contradiction> {
        let mut own = self.filters.iter().filter(|(name, _)| *name != FLAG);
        let ((name, _), None) = (own.next()?, own.next()) else {
            return None;
        };
        if !OF_ONE_VALUE.contains(name) {
            return None;
        }
        let value = |record: &Value| own_value(self.search, name, record);
        let mut lost = self.left_out();
        let pair = lost.find_map(|lost| {
            let same = self.found.results.iter().find(|kept| value(kept) == value(lost));
            same.filter(|_| value(lost).is_some()).map(|kept| (lost, kept))
        });
        let (lost, kept) = pair?;
        let expected = "both of two records with the same value, or neither";
        let seen = format!("{}, and {} is missing", self.record(kept), self.record(lost));
        Some(Contradiction::new(expected.to_owned(), seen, Vec::new()))
    }

    /// A result that the same filters exclude on another search of these records, or that one of them excludes alone.
    async fn is_excluded_elsewhere(&self, probe: &Probe) -> Option<Contradiction> {
        let finds = self.search.finds;
        for (search, filters, exclude) in self.elsewhere(probe) {
            // A response that cannot be had excludes nothing.
            let Ok((bare, filtered)) = bare_and_filtered(probe, &search, &filters).await else {
                continue;
            };
            let found: BTreeSet<_> = ids(finds, &self.found.results).into_iter().collect();
            let mut excluded = left_out(finds, &bare.results, results(&filtered), false);
            let seen = excluded
                .find(|record| found.contains(&finds.id(record)))
                .map(|record| self.record(record));
            drop(excluded);
            if let Some(seen) = seen {
                let expected = format!("none that {exclude}");
                let pages = bare.pages.iter().cloned().chain([filtered]);
                return Some(Contradiction::new(expected, seen, pages.collect()));
            }
        }
        None
    }

    /// A result of a filter with several values that each of them excludes alone: whether they are alternatives or only
    /// one of them counts, no record passes that passes none.
    async fn is_excluded_by_each_value(&self, probe: &Probe) -> Option<Contradiction> {
        let finds = self.search.finds;
        let of = |name: &'static str| self.filters.iter().filter(move |(other, _)| *other == name);
        let is_tried = |name: &&'static str| (2..=MOST_VALUES).contains(&of(name).count());
        let name = LISTS.into_iter().find(is_tried)?;
        let mut excluded: BTreeSet<_> = ids(finds, &self.found.results).into_iter().collect();
        let mut pages = Vec::new();
        for value in of(name) {
            let others = self.filters.iter().filter(|(other, _)| *other != name);
            let alone = others.chain([value]).cloned().collect();
            // A response that cannot be had excludes nothing.
            let page = longest_page(probe, self.search, &alone).await.ok()?;
            let by_value: BTreeSet<_> = left_out(finds, &self.all.results, results(&page), false)
                .map(|record| finds.id(record))
                .collect();
            excluded.retain(|record| by_value.contains(record));
            pages.push(page);
        }
        let first = *excluded.first()?;
        let expected = format!("none that each value of {name} excludes alone");
        Some(Contradiction::new(expected, format!("the record {first}"), pages))
    }

    /// The other searches of these records with the same filters, and this one with each filter alone.
    fn elsewhere(&self, probe: &Probe) -> Vec<(Search, Filters, String)> {
        let mut others = Search::all(probe.contract());
        others.retain(|other| other.finds == self.search.finds && other.operation.id != self.search.operation.id);
        let with_the_same = others.into_iter().map(|other| {
            let exclude = format!("the same filters exclude on {}", other.operation.id);
            (other, self.filters.clone(), exclude)
        });
        let mut names: BTreeSet<_> = self.filters.iter().map(|(name, _)| *name).collect();
        names.remove(FLAG);
        if names.len() < 2 || self.may_be_alternatives() {
            names.clear();
        }
        let alone = names.into_iter().map(|name| {
            let of_name = self.filters.iter().filter(|(other, _)| [name, FLAG].contains(other));
            let alone: Filters = of_name.cloned().collect();
            let exclude = format!("{} excludes alone", shown(alone.iter()));
            (self.search.clone(), alone, exclude)
        });
        with_the_same.chain(alone).collect()
    }

    fn record(&self, record: &Value) -> String {
        format!("the record {}", self.search.finds.id(record))
    }

    /// Whether filters that are given together may be alternatives: then no record that passes one of them is left out.
    fn may_be_alternatives(&self) -> bool {
        let id = |record: &Value| self.search.finds.id(record);
        let kept: BTreeSet<_> = self.found.results.iter().map(id).collect();
        let reached = self.all.results.iter().rposition(|record| kept.contains(&id(record)));
        let passes_one = |record: &Value| {
            let mut single = self.filters.iter().filter(|(name, _)| *name != FLAG);
            single.any(|one| keeping(self.search.finds, std::slice::from_ref(one))(record))
        };
        let mut before = self.all.results[..reached.unwrap_or_default()].iter();
        !before.any(|record| !kept.contains(&id(record)) && passes_one(record))
    }
}

/// What the results show, and what they would show otherwise.
struct Contradiction {
    expected: String,
    seen: String,
    /// The pages that show it, beside those of the search itself.
    pages: Vec<HttpResponse>,
}

impl Contradiction {
    fn new(expected: String, seen: String, pages: Vec<HttpResponse>) -> Self {
        Self { expected, seen, pages }
    }
}

/// Whether it is the filter that makes all locations count.
fn is_anywhere((name, value): &(&'static str, String)) -> bool {
    *name == FLAG && value == "false"
}

/// The first few of some filters.
pub(crate) fn shown<'a>(filters: impl Iterator<Item = &'a (&'static str, String)>) -> String {
    let shown: Vec<_> = filters.take(4).map(|(name, value)| format!("{name}={value}")).collect();
    shown.join("&")
}

/// A filter, and a result that shows another value than it asks for.
pub(crate) fn contradicted<'a>(
    search: &Search,
    filters: &Filters,
    found: &'a [Value],
) -> Option<(&'static str, &'a Value)> {
    MEANINGS.iter().find_map(|(name, shows_value)| {
        let mut alone: Filters = filters.iter().filter(|(other, _)| other == name).cloned().collect();
        if alone.is_empty() {
            return None;
        }
        // Any location may count, whether it is shown or not.
        let looks_everywhere = filters.iter().any(is_anywhere);
        let member = PLACES
            .iter()
            .zip(["country", "region"])
            .find(|(place, _)| *place == name);
        let member = member.map(|(_, member)| member).filter(|_| looks_everywhere);
        alone.push((FLAG, "false".to_owned()));
        let keeps = keeping(search.finds, &alone);
        let is_seen = |organization: &Value| {
            shows_value(organization) && member.is_none_or(|member| shows_locations(organization, member))
        };
        let record = found
            .iter()
            .find(|record| is_seen(search.finds.organization(record)) && !keeps(record));
        Some((*name, record?))
    })
}

/// Whether an organization shows its other locations, each with its country or region.
fn shows_locations(organization: &Value, member: &str) -> bool {
    let locations = organization["locations"].as_array();
    locations.is_some_and(|locations| locations.iter().all(|location| location.get(member).is_some()))
}

/// The records of `bare` that `filtered` leaves out before its last result, in the order of the scores; of a later
/// page, those behind its first one. None if the two do not agree on the scores of the records that both have, or if
/// one is not in that order, which is stated for organizations alone: then nothing tells where a record would be.
pub(crate) fn left_out<'a>(
    finds: Finds,
    bare: &'a [Value],
    filtered: &[Value],
    is_later: bool,
) -> impl Iterator<Item = &'a Value> {
    let scores: BTreeMap<_, _> = filtered
        .iter()
        .map(|record| (finds.id(record), distance(record)))
        .collect();
    let is_as_before = |record: &Value| {
        let score = scores.get(&finds.id(record));
        score.is_none_or(|score| same_distance(*score, distance(record)))
    };
    let agree = bare.iter().all(is_as_before) && [bare, filtered].into_iter().all(is_ordered);
    let mut least = scores.values().copied().fold(f64::INFINITY, f64::min);
    let mut greatest = scores.values().copied().fold(f64::NEG_INFINITY, f64::max);
    let ends = bare.first().zip(bare.last());
    let ends = ends.filter(|_| !is_later && !filtered.is_empty());
    match ends.map(|(first, last)| (distance(first), distance(last))) {
        Some((first, last)) if same_distance(first, last) => {}
        Some((first, last)) if first < last => least = f64::NEG_INFINITY,
        Some(_) => greatest = f64::INFINITY,
        None => {}
    }
    let is_before_the_last = move |score: f64| {
        least < score && score < greatest && !same_distance(score, least) && !same_distance(score, greatest)
    };
    bare.iter()
        .filter(move |record| agree && is_before_the_last(distance(record)) && !scores.contains_key(&finds.id(record)))
}

/// Whether the scores of some results rise throughout, or fall throughout.
fn is_ordered(results: &[Value]) -> bool {
    let steps = results.windows(2).map(|pair| (distance(&pair[0]), distance(&pair[1])));
    let steps = steps.filter(|(one, other)| !same_distance(*one, *other));
    let rises: BTreeSet<_> = steps.map(|(one, other)| one < other).collect();
    rises.len() < 2
}

/// Whether a record shows a value inside every filter: none that is equal to a bound, and each value of a list, unless
/// the values of a list are `alternatives`.
fn is_inside(search: &Search, filters: &Filters, alternatives: bool, record: &Value) -> bool {
    let passes = |filters: &[_]| keeping(search.finds, filters)(record);
    filters.iter().filter(|(name, _)| *name != FLAG).all(|one| {
        if alternatives && OF_ONE_LISTED_VALUE.contains(&one.0) {
            let values: Filters = filters.iter().filter(|(name, _)| *name == one.0).cloned().collect();
            return passes(&values);
        }
        let is_at_bound = !LISTS.contains(&one.0) && own_value(search, one.0, record).as_ref() == Some(&one.1);
        !is_at_bound && passes(std::slice::from_ref(one))
    })
}

/// Whether any search has other results with the filter than without it.
async fn has_effect(probe: &Probe, filters: &Filters) -> bool {
    for search in Search::all(probe.contract()) {
        // A response that cannot be had shows no effect.
        let both = bare_and_filtered(probe, &search, filters).await;
        let ids = |page: &[Value]| ids(search.finds, page);
        // The walk may have several pages.
        let first = |bare: &Walk| bare.result_pages().first().map(|page| ids(page)).unwrap_or_default();
        if both.is_ok_and(|(bare, filtered)| first(&bare) != ids(results(&filtered))) {
            return true;
        }
    }
    false
}

/// The first page of a search, of the largest size: without filters, which is read once, and with them.
async fn bare_and_filtered(
    probe: &Probe,
    search: &Search,
    filters: &Filters,
) -> Result<(Arc<Walk>, HttpResponse), Stop> {
    let bare = search.walked(probe, 1).await?;
    Ok((bare, longest_page(probe, search, filters).await?))
}

pub(crate) async fn longest_page(probe: &Probe, search: &Search, filters: &Filters) -> Result<HttpResponse, Stop> {
    let most = search.number("limit", "maximum");
    probe.ok(filter(search.call(probe)?, filters).query("limit", most).send().await?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use platform_contract::Contract;

    use super::*;
    use crate::order::tests::results;

    const FINDS: Finds = Finds::Organizations;

    const BARE: [(i64, f64); 5] = [(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.3), (5, 0.4)];

    #[test]
    fn what_is_missing_before_the_last_result_is_left_out() {
        let bare = results(&BARE);
        let left_out = |filtered: &[(i64, f64)], is_later| {
            let filtered = results(filtered);
            let left_out = left_out(FINDS, &bare, &filtered, is_later);
            ids(FINDS, &left_out.cloned().collect::<Vec<_>>())
        };
        let missing = |filtered: &[(i64, f64)]| left_out(filtered, false);
        assert_eq!(missing(&BARE), [0; 0]);
        assert_eq!(missing(&[(1, 0.1), (4, 0.3)]), [2]);
        // The order of a page does not matter.
        assert_eq!(missing(&[(5, 0.4), (1, 0.1)]), [2, 3, 4]);
        // What is nearer than the first result is on an earlier page, if there is one.
        assert_eq!(missing(&[(2, 0.2), (5, 0.4)]), [1, 3, 4]);
        assert_eq!(left_out(&[(2, 0.2), (5, 0.4)], true), [3, 4]);
        // What is farther than the last result may be on the next page.
        assert_eq!(missing(&[(1, 0.1)]), [0; 0]);
        assert_eq!(missing(&[]), [0; 0]);
        // In another order than that of the scores, it may come later.
        assert_eq!(missing(&[(1, 0.1), (5, 0.4), (4, 0.3)]), [0; 0]);
        // Scores that depend on the filters compare with nothing.
        assert_eq!(missing(&[(1, 0.0), (5, 0.4)]), [0; 0]);
    }

    #[test]
    fn a_record_is_inside_if_it_shows_every_value_and_is_at_no_bound() {
        let search = Search::all(Contract::bundled()).remove(0);
        let record = json!({
            "metrics": {"employee_count": 64},
            "headquarters": {"country": "NO"},
            "locations": [{"country": "DK"}],
        });
        let inside = |pairs: &[(&'static str, &str)]| {
            let filters = pairs.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
            is_inside(&search, &filters, false, &record)
        };
        assert!(inside(&[("countries", "NO")]));
        assert!(inside(&[
            ("countries", "NO"),
            ("employee_count_min", "63"),
            (FLAG, "false")
        ]));
        // Whether the values of a list are alternatives is decided, and so is whether a bound is included.
        assert!(!inside(&[("countries", "NO"), ("countries", "SE")]));
        assert!(!inside(&[("employee_count_min", "64")]));
        assert!(!inside(&[("countries", "DK"), (FLAG, "false")]));
        assert!(!inside(&[("founded_year_min", "1990")]));
    }
}
