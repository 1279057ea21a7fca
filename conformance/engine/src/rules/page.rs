//! What the source states of every page, whatever was asked for: its length, and the order of a search.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde_json::Value;
use url::form_urlencoded;

use crate::rules::history::Look;
use crate::rules::subject::Subject;
use platform_contract::Operation;

/// The limit on pages that a pipeline holds back.
const HELD: usize = 16;

/// The totals that the responses of a run show, and the wrong pages whose totals are not certain yet: a page and its
/// total may have been read at different times. A total is certain if the responses before and after the page show the
/// same one, or if the run sees no other one at all.
#[derive(Debug)]
pub(super) struct Totals<P>(BTreeMap<i64, Total<P>>);

/// What a pipeline shows as its total.
#[derive(Debug)]
struct Total<P> {
    total: i64,
    /// Since when, unless the run has seen no other one.
    since: Option<Instant>,
    held: Vec<(Instant, P)>,
}

impl<P> Default for Totals<P> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<P> Totals<P> {
    /// Takes note of a total, and holds back the page beside it if it is wrong. Returns the pages held before whose
    /// totals are certain now.
    pub(super) fn observe(&mut self, pipeline: i64, total: i64, look: Look, wrong: Option<P>) -> Vec<P> {
        let known = self.0.entry(pipeline).or_insert(Total {
            total,
            since: None,
            held: Vec::new(),
        });
        if known.total != total {
            *known = Total {
                total,
                since: Some(look.answered),
                held: Vec::new(),
            };
            return Vec::new();
        }
        let earlier = known.held.extract_if(.., |(answered, _)| *answered <= look.asked);
        let certain = earlier.map(|(_, page)| page).collect();
        let is_later = known.since.is_none_or(|since| since <= look.asked);
        if let Some(page) = wrong.filter(|_| is_later && known.held.len() < HELD) {
            known.held.push((look.answered, page));
        }
        certain
    }

    /// The pages held back of the pipelines that have shown one total only.
    pub(super) fn take_steady(&mut self) -> Vec<P> {
        let steady = self.0.values_mut().filter(|known| known.since.is_none());
        let held = steady.flat_map(|known| std::mem::take(&mut known.held));
        held.map(|(_, page)| page).collect()
    }
}

/// Distances that differ by less may be computed in one way and shown in another.
const SAME: f64 = 1e-6;

/// Whether this is the list of a pipeline.
pub(super) fn is_list(operation: &Operation) -> bool {
    operation.id == "list_items"
}

/// Whether this is a search that the source states the order of.
pub(super) fn is_ranked(operation: &Operation) -> bool {
    operation.id.starts_with("search_organizations_")
}

/// Records a page with more items than its request allows.
pub(super) fn check_length(operation: &Operation, subject: &mut Subject<'_>) {
    let items = subject.response.at("/items").as_array();
    let items = items.map(Vec::as_slice).unwrap_or_default();
    subject.exercises(!items.is_empty());
    let most = most_items(operation, &subject.response.request.path);
    if most.is_some_and(|most| items.len() > most) {
        let expected = most.map_or_else(String::new, |most| format!("at most {most}"));
        subject.record("the number of items of a page", expected, items.len().to_string());
    }
}

/// The number of items that a request allows. Where it is not certain which limit counts, that is the greatest.
fn most_items(operation: &Operation, path: &str) -> Option<usize> {
    let schema = &operation.parameter("limit").schema;
    let number = |name: &str| schema[name].as_u64().and_then(|number| usize::try_from(number).ok());
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let limits: Vec<_> = form_urlencoded::parse(query.as_bytes())
        .filter(|(name, _)| name == "limit")
        .map(|(_, value)| value)
        .collect();
    let most = number("maximum")?;
    match limits.as_slice() {
        [] => number("default"),
        [limit] if !limit.starts_with(['0', '+']) => Some(limit.parse().unwrap_or(most).min(most)),
        _ => Some(most),
    }
}

/// The greatest `skip` that is compared with a page: which greater numbers a deployment knows is decided.
const GREATEST: i64 = i32::MAX as i64;

/// Records a page that is shorter or longer than its `limit` and what is left after its `skip`. Returns the total that
/// it shows, unless something else in the request may count.
pub(super) fn check_remainder(operation: &Operation, subject: &mut Subject<'_>) -> Option<i64> {
    let (skip, limit) = window(operation, &subject.response.request.path)?;
    let items = subject.response.at("/items").as_array()?;
    let total = subject.response.at("/total_count").as_i64()?;
    let expected = total.saturating_sub(skip).clamp(0, limit);
    let seen = i64::try_from(items.len()).unwrap_or(i64::MAX);
    subject.exercises(seen > 0);
    if seen != expected {
        let expected = format!("{expected}: skip is {skip}, limit is {limit} and total_count is {total}");
        subject.record("the number of items of a page", expected, seen.to_string());
    }
    Some(total)
}

/// The `skip` and the `limit` of a request that has no parameters but those of the operation, each once and in its
/// usual form.
fn window(operation: &Operation, path: &str) -> Option<(i64, i64)> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let mut given = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let is_known = operation.parameters.iter().any(|parameter| parameter.name == name);
        if !is_known || given.insert(name, value).is_some() {
            return None;
        }
    }
    let number = |name: &str| -> Option<i64> {
        let bound = |keyword: &str| operation.parameter(name).schema[keyword].as_i64();
        let Some(text) = given.get(name) else {
            return bound("default");
        };
        let number: i64 = text.parse().ok().filter(|number: &i64| number.to_string() == **text)?;
        let greatest = bound("maximum")?.min(GREATEST);
        (bound("minimum")?..=greatest).contains(&number).then_some(number)
    };
    Some((number("skip")?, number("limit")?))
}

/// The kinds of searches that have shown a distance: `true` is for products.
#[derive(Debug, Default)]
pub(super) struct Scored(BTreeSet<bool>);

/// Records a result without a distance, if results of such searches have one.
pub(super) fn check_scores(operation: &Operation, subject: &mut Subject<'_>, scored: &mut Scored) {
    let results = subject.response.at("/results").as_array();
    let results = results.map(Vec::as_slice).unwrap_or_default();
    let finds_products = operation.finds_products();
    let is_scored = results.iter().any(|result| distance(result).is_some());
    subject.exercises(is_scored);
    if is_scored {
        scored.0.insert(finds_products);
    }
    let without = results.iter().position(|result| distance(result).is_none());
    if let Some(without) = without.filter(|_| scored.0.contains(&finds_products)) {
        let seen = format!("result {} has none", without + 1);
        subject.record(
            "the similarity score of a result",
            "a number, as in other results",
            seen,
        );
    }
}

/// Records a record that is on one page twice.
pub(super) fn check_repeats(operation: &Operation, subject: &mut Subject<'_>) {
    let results = subject.response.at("/results").as_array();
    let results = results.map(Vec::as_slice).unwrap_or_default();
    subject.exercises(results.len() > 1);
    let member = match operation.finds_products() {
        true => "product_id",
        false => "organization_id",
    };
    let mut seen = BTreeSet::new();
    let mut ids = results.iter().filter_map(|result| result[member].as_i64());
    if let Some(id) = ids.find(|id| !seen.insert(*id)) {
        let what = format!("the {member} of the results");
        subject.record(what, "each once".to_owned(), format!("{id} twice"));
    }
}

/// Records results that neither rise nor fall with their distance.
pub(super) fn check_ranking(subject: &mut Subject<'_>) {
    let results = subject.response.at("/results").as_array().into_iter().flatten();
    let distances: Vec<_> = results.map(distance).collect();
    subject.exercises(distances.iter().flatten().count() > 1);
    let nearer = |pair: &[Option<f64>]| matches!(pair, [Some(one), Some(other)] if *one > other + SAME);
    let farther = |pair: &[Option<f64>]| matches!(pair, [Some(one), Some(other)] if one + SAME < *other);
    if let (Some(fall), Some(_)) = (
        distances.windows(2).position(nearer),
        distances.windows(2).position(farther),
    ) {
        let shown = |place: usize| distances[place].unwrap_or_default();
        let seen = format!("{} before {}, and elsewhere the reverse", shown(fall), shown(fall + 1));
        subject.record("the distances of the results", "in one order", seen);
    }
}

fn distance(result: &Value) -> Option<f64> {
    result.pointer("/similarity/cosine_distance")?.as_f64()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use platform_contract::Contract;

    #[test]
    fn window_of_an_ambiguous_request_is_unknown() {
        let list = Contract::bundled().operation("list_items");
        for (query, expected) in [
            ("", Some((0, 100))),
            ("?limit=7&skip=3", Some((3, 7))),
            ("?l%69mit=7&sort_by=question.1&sort_order=desc", Some((0, 7))),
            ("?limit=1001", None),
            ("?limit=0", None),
            ("?limit=07", None),
            ("?skip=-1", None),
            ("?limit=7&limit=7", None),
            ("?offset=1", None),
        ] {
            assert_eq!(window(list, &format!("/items{query}")), expected, "{query}");
        }
    }

    #[test]
    fn wrong_page_counts_between_two_responses_with_its_total() {
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let look = |second| Look {
            asked: at(second),
            answered: at(second + 2),
        };
        let mut totals = Totals::default();
        // Each line: when it is asked for, the total, the wrong page, and the pages that are certain after it.
        for (second, total, wrong, certain) in [
            (0, 60, Some("first"), vec![]),
            // Overlaps.
            (1, 60, None, vec![]),
            (2, 60, Some("second"), vec!["first"]),
            (10, 61, Some("with a new total"), vec![]),
            // Overlaps the response with the new total.
            (11, 61, Some("third"), vec![]),
            (12, 61, Some("fourth"), vec![]),
            (14, 61, None, vec!["fourth"]),
            (16, 61, Some("before another total"), vec![]),
            (20, 62, None, vec![]),
            (30, 61, None, vec![]),
            (40, 61, None, vec![]),
        ] {
            assert_eq!(totals.observe(1, total, look(second), wrong), certain, "{second}");
        }
        totals.observe(2, 7, look(0), Some("of a pipeline with one total"));
        totals.observe(1, 61, look(50), Some("of a pipeline with three"));
        assert_eq!(totals.take_steady(), ["of a pipeline with one total"]);
        assert!(totals.take_steady().is_empty());
    }

    #[test]
    fn ambiguous_limit_counts_as_the_maximum() {
        let list = Contract::bundled().operation("list_items");
        for (query, most) in [
            ("", 100),
            ("?skip=3", 100),
            ("?limit=7&skip=3", 7),
            ("?l%69mit=7", 7),
            ("?limit=1000", 1000),
            ("?limit=1001", 1000),
            ("?limit=99999999999999999999999", 1000),
            ("?limit=7&limit=8", 1000),
            ("?limit=007", 1000),
            ("?limit=+7", 1000),
            ("?limit=-7", 1000),
            ("?limit=", 1000),
        ] {
            assert_eq!(most_items(list, &format!("/items{query}")), Some(most), "{query}");
        }
    }
}
