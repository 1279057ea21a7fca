//! Cases about the order of `list_items`: every rule, for every question column of every known pipeline.

mod cut;
mod deep;
mod parameters;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::column_values::{
    columns, comparable, compare, first_value, groups, is_of_another_kind, neighbours, rank, shown, sole_value,
};
use crate::ties::{TIES, about_ties, are_tied, assert_same_order};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::session::observed::{Listing, item_id, items};
use engine::target::PipelineRole::ManyItems;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

use self::cut::{Cut, END};

/// The decision about the order of values.
pub(crate) const BY_VALUE: &str = "Items are ordered by the first value of result: numbers numerically, then strings by \
                                   code point, then booleans, false before true";
/// The number of items that are skipped in descending order.
const SKIPPED: usize = 2;
/// How many letters of a text decide its place. An index may hold no more than a part of it.
const LETTERS: usize = 16;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let (sort_by, sort_order) = (list_items.parameter("sort_by"), list_items.parameter("sort_order"));
    let rule = |id: &str, title: &str, sentence: &str| {
        let case = Case::new(format!("sort/{id}"), title, &sort_by.pointer).quote(sentence);
        // Each column is walked in both orders.
        case.needs([Need::Pipeline(ManyItems)]).walks(1_000)
    };
    let order = |id: &str, title: &str, pointer: String| {
        Case::new(format!("sort/{id}"), title, pointer)
            .needs([Need::Pipeline(ManyItems)])
            .walks(1_000)
    };
    let mut cases = vec![
        order(
            "default-is-item-id",
            "Without sort_by items are ordered by id",
            sort_by.pointer.clone(),
        )
        .quote("without it, items are ordered by id")
        .check(by_item_id),
        order(
            "order-alone-orders-by-item-id",
            "sort_order without sort_by orders by item id",
            sort_order.pointer.clone(),
        )
        .quote("Without sort_by, it applies to the item ids.")
        .point("sort-order-alone")
        .check(order_alone),
        order(
            "default-order-is-ascending",
            "Without sort_order the order is ascending",
            sort_order.at("default"),
        )
        .sends(96)
        .check(default_order),
        rule(
            "ascending-by-first-value",
            "asc: the first values of a column ascend",
            BY_VALUE,
        )
        .point("sort-values")
        .check(|probe| by_first_value(probe, "asc")),
        rule(
            "descending-by-first-value",
            "desc: the first values of a column descend",
            "desc reverses that",
        )
        .point("sort-values")
        .check(|probe| by_first_value(probe, "desc")),
        rule(
            "kinds-are-in-order",
            "Numbers come before strings, strings before booleans",
            BY_VALUE,
        )
        .point("sort-values")
        .check(kinds),
        rule(
            "missing-values-are-last",
            "Items without a value are last in both orders",
            "In both orders items without a value come last",
        )
        .point("sort-missing-values")
        .check(missing_last),
        rule(
            "ties-by-item-id",
            "Ties are in ascending order of the item id in both orders",
            TIES,
        )
        .point("sort-ties")
        .check(ties),
        rule(
            "descending-mirrors-ascending",
            "desc is asc reversed, except for ties and missing values",
            "desc reverses that",
        )
        .point("sort-values")
        .check(mirrored),
        rule(
            "sorted-is-a-permutation",
            "A sorted walk returns the same items as an unsorted one",
            "Sorting applies to the whole pipeline, before paging.",
        )
        .point("sort-scope")
        .check(permutation),
        rule(
            "before-paging",
            "Small pages are cut from the whole sorted pipeline",
            "Sorting applies to the whole pipeline, before paging.",
        )
        .point("sort-scope")
        .sends(480)
        .check(before_paging),
        rule(
            "deep-pages-are-cut-from-the-same-order",
            "A short page deep in a sorted list has the items of a long one",
            "Sorting applies to the whole pipeline, before paging.",
        )
        .point("sort-scope")
        .check(deep::deep_pages),
    ];
    cases.extend(parameters::cases(contract));
    cases
}

async fn by_item_id(probe: Probe) -> Outcome {
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        assert_ids_ascend(&probe, &listing, &listing.ids());
    }
    Ok(())
}

/// Asserts that ids ascend, if there is more than one.
fn assert_ids_ascend(probe: &Probe, listing: &Listing, ids: &[i64]) {
    let Some(first) = listing.first_page() else {
        return;
    };
    if ids.len() < 2 {
        return;
    }
    let fall = ids.windows(2).find(|pair| pair[0] >= pair[1]);
    let seen = fall.map_or_else(String::new, |pair| format!("{} before {}", pair[0], pair[1]));
    probe.assert(fall.is_none(), "the order of the items", "by item id", seen, &[first]);
}

async fn order_alone(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let ascending = probe.listing(pipeline_id, None, Some("asc")).await?;
    assert_ids_ascend(&probe, &ascending, &ascending.ids());
    let descending = probe.listing(pipeline_id, None, Some("desc")).await?;
    let backwards: Vec<_> = descending.ids().into_iter().rev().collect();
    assert_ids_ascend(&probe, &descending, &backwards);
    let call = probe.call("list_items").path("pipeline_id", pipeline_id);
    let call = call.query("sort_order", "desc").query("skip", SKIPPED);
    let page = probe.ok(call.query("limit", END).send().await?)?;
    let expected = descending.ids().into_iter().skip(SKIPPED).take(END);
    let (expected, seen) = (
        expected.collect::<Vec<_>>(),
        items(&page).iter().map(item_id).collect::<Vec<_>>(),
    );
    // It is stated what skip is, and that item ids, which are unique, are the order without sort_by.
    probe.assert_as(
        Some(BTreeSet::new()),
        seen == expected,
        &format!("the items after the first {SKIPPED} in descending order"),
        format!("{expected:?}"),
        format!("{seen:?}"),
        &descending.first_page().into_iter().chain([&page]).collect::<Vec<_>>(),
    );
    match ascending.items.len() {
        0 | 1 => probe.inconclusive("a pipeline with two items"),
        _ => Ok(()),
    }
}

/// Compares both ends of a column without sort_order with those in the default order.
async fn default_order(probe: Probe) -> Outcome {
    let list_items = probe.contract().operation("list_items");
    let default = list_items.parameter("sort_order").schema["default"].clone();
    for (pipeline_id, column) in columns(&probe)? {
        let explicit = probe.listing(pipeline_id, Some(&column), default.as_str()).await?;
        let last = explicit.items.len().saturating_sub(END);
        for skip in BTreeSet::from([0, last]) {
            let bare = Cut {
                pipeline_id,
                sort_by: &column,
                sort_order: None,
                skip,
                limit: END,
            };
            bare.check(&probe, &explicit).await?;
        }
        let descending = sorted(&probe, pipeline_id, &column, "desc").await?;
        assert_turned(&probe, &column, &explicit, &descending);
        assert_measured(&probe, &column, "asc", &explicit);
        assert_measured(&probe, &column, "desc", &descending);
        cut::assert_cut_alike(&probe, (pipeline_id, &column), &explicit, &descending).await?;
    }
    Ok(())
}

/// Asserts that a column of numbers or dates never falls in ascending order and never rises in descending order within
/// the first page: whether each page is sorted by itself is decided, as is the order among values of several kinds.
fn assert_measured(probe: &Probe, column: &str, order: &str, listing: &Listing) {
    let results = listing
        .items
        .iter()
        .take(END)
        .map(|item| &item["values"][column]["result"]);
    let results: Vec<_> = results
        .filter_map(Value::as_array)
        .filter(|result| !result.is_empty())
        .map(Vec::as_slice)
        .collect();
    let (Some(page), Some(wrong)) = (listing.first_page(), against_order(&results, order)) else {
        return;
    };
    let seen = wrong.map_or_else(String::new, |[first, second]| format!("{first} before {second}"));
    let what = format!("the numbers or dates by {column} {order}");
    let expected = if order == "asc" { "none falls" } else { "none rises" };
    probe.assert(wrong.is_none(), &what, expected, seen, &[page]);
}

/// The first two neighbours in the wrong order, if these are all numbers or all dates.
fn against_order<'a>(results: &[&'a [Value]], order: &str) -> Option<Option<[&'a Value; 2]>> {
    let kinds: [fn(&Value) -> Option<f64>; 2] = [Value::as_f64, day];
    let measured = kinds.iter().find_map(|measure| {
        let measured = results.iter().map(|result| match result {
            [value] => Some((measure(value)?, value)),
            _ => None,
        });
        let measured: Option<Vec<_>> = measured.collect();
        measured.filter(|measured| !measured.is_empty())
    })?;
    let mut neighbours = measured.windows(2);
    let wrong = neighbours.find(|pair| match order {
        "asc" => pair[0].0 > pair[1].0,
        _ => pair[0].0 < pair[1].0,
    });
    Some(wrong.map(|pair| [pair[0].1, pair[1].1]))
}

/// The day of a date. As texts, dates such as `2024-05-31` are in the order of their days.
fn day(value: &Value) -> Option<f64> {
    let date: NaiveDate = value.as_str().filter(|text| text.len() == 10)?.parse().ok()?;
    Some(date.to_epoch_days().into())
}

/// Asserts that desc differs from asc, whatever the values are ordered by: the source states that there are two
/// orders. Numbers that differ are in reverse order, and so are booleans. Texts that differ may be ties, if they have
/// the same letters.
fn assert_turned(probe: &Probe, column: &str, ascending: &Listing, descending: &Listing) {
    if !ascending.complete || !descending.complete {
        return;
    }
    let of_kind = |listing: &Listing, is_of_kind: fn(&Value) -> bool| {
        let values = listing.items.iter().filter_map(|item| sole_value(item, column));
        let values = values.filter(|value| is_of_kind(value));
        // Texts that differ only in case may be ties; 0 and 0.0 are.
        let values = values.map(|value| match value {
            Value::String(text) => json!(text.to_lowercase()),
            other => comparable(other),
        });
        let mut values: Vec<_> = values.collect();
        values.dedup();
        values
    };
    let shown = |values: &[Value]| json!(values.get(..5).unwrap_or(values)).to_string();
    let evidence: Vec<_> = [descending.first_page(), ascending.first_page()]
        .into_iter()
        .flatten()
        .collect();
    let results = ascending.items.iter().map(|item| &item["values"][column]["result"]);
    let mut results = results.filter_map(Value::as_array);
    let has_lists = results.any(|result| result.len() > 1);
    let kinds: [fn(&Value) -> bool; 3] = [Value::is_number, Value::is_boolean, Value::is_string];
    for is_of_kind in kinds {
        let [forwards, backwards] = [ascending, descending].map(|listing| of_kind(listing, is_of_kind));
        let are_texts = forwards.iter().all(Value::is_string);
        // Among values of other kinds, texts may be ordered as those are.
        let is_mixed = of_kind(ascending, |_| true).len() != forwards.len();
        if forwards.len() < 2 || (are_texts && is_mixed) {
            continue;
        }
        // Where items have several values, their number may count. Then those with one value are ties.
        if has_lists && !forwards.is_sorted_by(|one, other| compare(one, other) != Ordering::Greater) {
            continue;
        }
        let holds = match are_texts {
            true => forwards != backwards,
            false => forwards.iter().eq(backwards.iter().rev()),
        };
        let (first, last) = (shown(&backwards), format!("asc begins with {}", shown(&forwards)));
        let what = format!("the order by {column} desc");
        let seen = format!("it begins with {first}, {last}");
        probe.assert(holds, &what, "the reverse of asc", seen, &evidence);
        if are_texts {
            let same = same_in_both(ascending, descending, column);
            let seen = same.map_or_else(String::new, |pair| {
                let [one, other] =
                    [&pair[0], &pair[1]].map(|item| sole_value(item, column).cloned().unwrap_or_default());
                format!("{one} before {other} in both orders")
            });
            probe.assert(same.is_none(), &what, "the reverse of asc", seen, &evidence);
        }
    }
}

/// Returns two neighbours in ascending order whose texts have different letters, and which keep their order when
/// descending. Signs, digits, letters beyond ASCII and leading words may not count.
fn same_in_both<'a>(ascending: &'a Listing, descending: &Listing, column: &str) -> Option<&'a [Value]> {
    let letters = |item: &Value| {
        let text = sole_value(item, column)?.as_str().filter(|text| text.is_ascii())?;
        let letters = text.chars().filter(char::is_ascii_alphabetic);
        let letters: String = letters.take(LETTERS).map(|one| one.to_ascii_lowercase()).collect();
        (!letters.is_empty()).then_some(letters)
    };
    let places: BTreeMap<_, _> = descending.items.iter().map(item_id).zip(0..).collect();
    let are_the_same = |pair: &&[Value]| {
        let (Some(one), Some(other)) = (letters(&pair[0]), letters(&pair[1])) else {
            return false;
        };
        let place = |item: &Value| places.get(&item_id(item));
        let differ = !one.ends_with(&other) && !other.ends_with(&one);
        differ
            && place(&pair[0])
                .zip(place(&pair[1]))
                .is_some_and(|(one, other)| one < other)
    };
    ascending.items.windows(2).find(are_the_same)
}

async fn sorted(probe: &Probe, pipeline_id: u64, column: &str, order: &str) -> Result<Arc<Listing>, Stop> {
    probe.listing(pipeline_id, Some(column), Some(order)).await
}

async fn by_first_value(probe: Probe, order: &'static str) -> Outcome {
    for (pipeline_id, column) in columns(&probe)? {
        let listing = sorted(&probe, pipeline_id, &column, order).await?;
        let Some(page) = listing.first_page() else {
            continue;
        };
        if neighbours(&listing, &column).next().is_none() {
            continue;
        }
        let against = if order == "asc" {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        let wrong = neighbours(&listing, &column).find(|(one, other)| compare(one.1, other.1) == against);
        let what = format!("the order by {column} {order}");
        let seen = wrong.map_or_else(String::new, shown);
        probe.assert(wrong.is_none(), &what, "by the first value of each item", seen, &[page]);
    }
    Ok(())
}

async fn kinds(probe: Probe) -> Outcome {
    for (pipeline_id, column) in columns(&probe)? {
        let listing = sorted(&probe, pipeline_id, &column, "asc").await?;
        let Some(page) = listing.first_page() else {
            continue;
        };
        let kinds: Vec<_> = listing
            .items
            .iter()
            .filter_map(|item| first_value(item, &column))
            .map(rank)
            .collect();
        if kinds.iter().collect::<BTreeSet<_>>().len() < 2 {
            continue;
        }
        let seen = json!(kinds);
        let what = format!("the kinds of values by {column} (0 number, 1 string, 2 boolean)");
        probe.assert(kinds.is_sorted(), &what, "ascending", seen, &[page]);
    }
    Ok(())
}

/// The items of a sorted list whose place in it is defined.
fn of_known_kinds<'a>(listing: &'a Listing, column: &str) -> Vec<&'a Value> {
    let items = listing.items.iter();
    items.filter(|item| !is_of_another_kind(item, column)).collect()
}

async fn missing_last(probe: Probe) -> Outcome {
    for (pipeline_id, column) in columns(&probe)? {
        for order in ["asc", "desc"] {
            let listing = sorted(&probe, pipeline_id, &column, order).await?;
            let Some(page) = listing.first_page() else {
                continue;
            };
            let ordered = of_known_kinds(&listing, &column);
            let is_missing = |item: &&&Value| first_value(item, &column).is_none();
            let missing = ordered.iter().filter(is_missing).count();
            if missing == 0 || missing == ordered.len() {
                continue;
            }
            let wrong = ordered
                .windows(2)
                .find(|pair| is_missing(&&pair[0]) && !is_missing(&&pair[1]));
            let seen = wrong.map_or_else(String::new, |pair| {
                format!("item {} without a value, and values after it", item_id(pair[0]))
            });
            let what = format!("items without a value by {column} {order}");
            probe.assert(wrong.is_none(), &what, "after all others", seen, &[page]);
        }
    }
    Ok(())
}

async fn ties(probe: Probe) -> Outcome {
    for (pipeline_id, column) in columns(&probe)? {
        for order in ["asc", "desc"] {
            let listing = sorted(&probe, pipeline_id, &column, order).await?;
            let Some(page) = listing.first_page() else {
                continue;
            };
            let ordered = of_known_kinds(&listing, &column);
            let tied = ordered.windows(2).filter(|pair| are_tied(pair[0], pair[1], &column));
            let tied: Vec<_> = tied.collect();
            if tied.is_empty() {
                continue;
            }
            let wrong = tied.iter().find(|pair| item_id(pair[0]) >= item_id(pair[1]));
            let seen = wrong.map_or_else(String::new, |pair| {
                format!("{} before {}", item_id(pair[0]), item_id(pair[1]))
            });
            let what = format!("ties by {column} {order}");
            about_ties(&probe).assert(wrong.is_none(), &what, "by item id, ascending", seen, &[page]);
        }
    }
    Ok(())
}

async fn mirrored(probe: Probe) -> Outcome {
    for (pipeline_id, column) in columns(&probe)? {
        let ascending = sorted(&probe, pipeline_id, &column, "asc").await?;
        let descending = sorted(&probe, pipeline_id, &column, "desc").await?;
        let (forwards, mut backwards) = (groups(&ascending, &column), groups(&descending, &column));
        backwards.reverse();
        if forwards.len() < 2 {
            continue;
        }
        let evidence: Vec<_> = [ascending.first_page(), descending.first_page()]
            .into_iter()
            .flatten()
            .collect();
        let parting = forwards.iter().zip(&backwards).find(|(one, other)| one != other);
        let seen = match parting {
            Some(((one, _), (other, _))) => format!("{other} where the mirror has {one}"),
            None => format!("{} different values instead of {}", backwards.len(), forwards.len()),
        };
        let what = format!("desc by {column}");
        probe.assert(
            forwards == backwards,
            &what,
            "asc reversed, value by value",
            seen,
            &evidence,
        );
    }
    Ok(())
}

async fn permutation(probe: Probe) -> Outcome {
    for (pipeline_id, column) in columns(&probe)? {
        let unsorted = probe.listing(pipeline_id, None, None).await?;
        for order in ["asc", "desc"] {
            let sorted = sorted(&probe, pipeline_id, &column, order).await?;
            let ids = |listing: &Listing| {
                let mut ids = listing.ids();
                ids.sort_unstable();
                ids
            };
            let evidence: Vec<_> = [sorted.first_page(), unsorted.first_page()]
                .into_iter()
                .flatten()
                .collect();
            let what = format!("the items by {column} {order}, as a set");
            probe.assert_same(&what, &json!(ids(&unsorted)), &json!(ids(&sorted)), &evidence);
            let lost = unsorted.items.len().saturating_sub(sorted.items.len());
            // Whatever they are sorted by, it is stated that all items are listed.
            probe.assert_as(
                Some(BTreeSet::new()),
                lost == 0 || !unsorted.complete,
                &format!("the number of items by {column} {order}"),
                format!("all {}, as without sort_by", unsorted.items.len()),
                format!("{lost} fewer"),
                &evidence,
            );
        }
    }
    Ok(())
}

/// Walks through one column of each pipeline in pages of a third, and reads the middle of the others.
async fn before_paging(probe: Probe) -> Outcome {
    let largest = probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("maximum");
    let mut walked = BTreeSet::new();
    for (pipeline_id, column) in columns(&probe)? {
        let whole = sorted(&probe, pipeline_id, &column, "desc").await?;
        if whole.items.len() < 2 {
            continue;
        }
        // Pages of a third suit any number of items.
        let third = whole.items.len() / 3 + 1;
        if walked.insert(pipeline_id) {
            let third = i64::try_from(third).unwrap_or(largest).min(largest);
            let walk = probe.walk(pipeline_id, Some(&column), Some("desc"), third).await?;
            let what = format!("the items by {column} in pages of {third}");
            let evidence: Vec<_> = walk.first_page().into_iter().chain(whole.first_page()).collect();
            assert_same_order(&probe, &what, &column, &whole.items, &walk.items, &evidence);
        }
        let middle = Cut {
            pipeline_id,
            sort_by: &column,
            sort_order: Some("desc"),
            skip: third,
            limit: third.min(END),
        };
        middle.check(&probe, &whole).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_dates_are_out_of_order_where_one_falls() {
        let against = |results: Value, order: &str| {
            let results = results.as_array().unwrap().clone();
            let results: Vec<_> = results
                .iter()
                .map(|result| result.as_array().unwrap().as_slice())
                .collect();
            against_order(&results, order).map(|wrong| wrong.map(|pair| json!(pair)))
        };
        assert_eq!(against(json!([[2], [10], [10.5]]), "asc"), Some(None));
        assert_eq!(against(json!([[10], [2]]), "asc"), Some(Some(json!([10, 2]))));
        assert_eq!(against(json!([["2019-05-31"], ["2020-01-01"]]), "asc"), Some(None));
        let by_day = json!([["2024-01-01"], ["2019-05-31"]]);
        assert_eq!(against(by_day, "asc"), Some(Some(json!(["2024-01-01", "2019-05-31"]))));
        let rising = json!([["2019-05-31"], ["2024-01-01"]]);
        assert_eq!(against(rising, "desc"), Some(Some(json!(["2019-05-31", "2024-01-01"]))));
        // Neither all numbers nor all dates, or several values of one item.
        assert_eq!(against(json!([["2024-01-01"], [2]]), "asc"), None);
        assert_eq!(against(json!([["b"], ["a"]]), "asc"), None);
        assert_eq!(against(json!([[3, 1], [2]]), "asc"), None);
    }
}
