//! What the source states of every page, whatever was asked for: its length, and the order of a search.

use serde_json::Value;
use url::form_urlencoded;

use crate::rules::subject::Subject;
use platform_contract::Operation;

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
    let Some(items) = subject.response.at("/items").as_array() else {
        return;
    };
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

/// Records results that neither rise nor fall with their distance.
pub(super) fn check_ranking(subject: &mut Subject<'_>) {
    let results = subject.response.at("/results").as_array().into_iter().flatten();
    let distances: Vec<_> = results.map(distance).collect();
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
    use super::*;
    use platform_contract::Contract;

    #[test]
    fn the_limit_of_a_request_is_certain_or_the_greatest() {
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
