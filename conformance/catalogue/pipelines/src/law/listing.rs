//! Property tests with random pages of one pipeline in random orders: all of them are parts of one collection.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::column_values::{are_equal, compare, first_value, is_of_another_kind};
use crate::item::is_settled;
use crate::law::reads::check_entries;
use crate::ties::{ORDER_OF_TIES, are_tied};
use engine::case::{Case, Need};
use engine::property::{CUT_DOWN, RunResult, expected_responses, random};
use engine::session::Probe;
use engine::session::observed::{KnownPipeline, item_id, items};
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// The limit on the requests of one property run.
const LONGEST: usize = 5;
/// The limit on the columns that the requests of one property run choose from.
const COLUMNS: usize = 2;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let case = Case::new(
        "law/random-pages-agree",
        "The pages of a pipeline agree with each other in any order",
        &list_items.pointer,
    );
    let case = case
        .requests_per_run(LONGEST as u64)
        .sends(CUT_DOWN)
        .quote("consecutive pages neither repeat nor miss an item")
        .and_quote(
            &list_items.parameter("sort_by").pointer,
            "In both orders items without a value come last, and ties are in ascending order of pipeline_item_id.",
        )
        .and_quote(
            &list_items.parameter("skip").pointer,
            "At or past the end of the pipeline the page is empty, and `total_count` is the same as on any other page.",
        )
        .needs([Need::Pipeline(ManyItems)]);
    vec![case.check(listings)]
}

/// A pipeline, and the pages to request, each independent of the others.
#[derive(Debug, Clone, PartialEq)]
struct Listings {
    requests: Vec<Chosen>,
    pipeline: usize,
}

/// One page and its order.
#[derive(Debug, Clone, PartialEq)]
struct Chosen {
    /// The index of a column of the pipeline.
    sort_by: Option<usize>,
    sort_order: Option<&'static str>,
    skip: u64,
    limit: i64,
}

async fn listings(probe: Probe) -> Outcome {
    let list_items = Arc::clone(probe.contract().operation("list_items"));
    let pipelines: Vec<_> = probe
        .known()
        .pipelines
        .iter()
        .filter(|pipeline| pipeline.total_count > 0)
        .cloned()
        .collect();
    if pipelines.is_empty() {
        return probe.inconclusive("a pipeline with items");
    }
    let count = pipelines.len();
    let made_for = Arc::clone(&list_items);
    let strategy = move || made(&made_for, count);
    random(&probe, "pages", strategy, |listings| {
        let pipeline = &pipelines[listings.pipeline];
        perform(&probe, &list_items, pipeline, listings.requests)
    })
    .await
}

fn made(list_items: &Operation, pipelines: usize) -> impl Strategy<Value = Listings> + use<> {
    let (skip, limit) = (list_items.parameter("skip"), list_items.parameter("limit"));
    let furthest = u64::try_from(skip.number("maximum")).unwrap_or(u64::MAX);
    let (least, most) = (limit.number("minimum"), limit.number("maximum"));
    let chosen = (
        prop_oneof![2 => Just(None), 3 => (0..COLUMNS).prop_map(Some)],
        prop_oneof![1 => Just(None), 2 => select(&["asc", "desc"][..]).prop_map(Some)],
        prop_oneof![4 => Just(0), 4 => 1..=30u64, 1 => 31..=2_000u64, 1 => 0..=furthest],
        prop_oneof![6 => least..=15, 2 => least..=120, 1 => Just(most)],
    );
    let chosen = chosen.prop_map(|(sort_by, sort_order, skip, limit)| Chosen {
        sort_by,
        sort_order,
        skip,
        limit,
    });
    (proptest::collection::vec(chosen, 1..=LONGEST), 0..pipelines)
        .prop_map(|(requests, pipeline)| Listings { requests, pipeline })
}

/// A page and its request.
struct Page {
    sort_by: Option<String>,
    is_descending: bool,
    skip: u64,
    response: HttpResponse,
}

async fn perform(
    probe: &Probe,
    list_items: &Operation,
    pipeline: &KnownPipeline,
    requests: Vec<Chosen>,
) -> Result<RunResult, Stop> {
    let mut run = RunResult::default();
    let mut pages: Vec<Page> = Vec::new();
    for chosen in requests {
        // The index is out of range in a pipeline with fewer columns, whose list is then unsorted.
        let column = chosen.sort_by.and_then(|place| pipeline.question_columns.get(place));
        let given = [
            ("skip", Some(chosen.skip.to_string())),
            ("limit", Some(chosen.limit.to_string())),
            ("sort_by", column.cloned()),
            ("sort_order", chosen.sort_order.map(str::to_owned)),
        ];
        let call = probe.call(&list_items.id);
        let call = given
            .iter()
            .fold(call.path("pipeline_id", pipeline.pipeline_id), |call, (name, value)| {
                call.query_some(name, value.as_ref())
            });
        let response = call.send().await?;
        run.responses.push(response.clone());
        if response.status != 429 {
            let query: Vec<_> = given
                .iter()
                .filter_map(|(name, value)| Some(((*name).to_owned(), Some(value.as_deref()?))))
                .collect();
            expected_responses(list_items, &[], &query, vec![(200, None)]).check(&response, &mut run);
        }
        if response.status == 200 {
            let page = Page {
                sort_by: column.cloned(),
                is_descending: chosen.sort_order == Some("desc"),
                skip: chosen.skip,
                response,
            };
            page.check(probe.contract(), pipeline.pipeline_id, chosen.limit, &mut run);
            for before in &pages {
                compare_pages(before, &page, &mut run);
            }
            pages.push(page);
        }
        if run.violation.is_some() {
            break;
        }
    }
    Ok(run)
}

impl Page {
    fn items(&self) -> &[Value] {
        items(&self.response)
    }

    fn total(&self) -> u64 {
        self.response.at("/total_count").as_u64().unwrap_or(0)
    }

    /// Checks the laws of one page.
    fn check(&self, contract: &Contract, pipeline_id: u64, limit: i64, run: &mut RunResult) {
        let left = self.total().saturating_sub(self.skip);
        let expected = left.min(limit.unsigned_abs());
        let seen = self.items().len();
        run.check(
            u64::try_from(seen).is_ok_and(|seen| seen == expected),
            "a page has limit items, or all that are left",
            || format!("{expected} items"),
            || format!("{seen} items of {}", self.total()),
        );
        run.check(
            self.response.at("/pipeline_id") == pipeline_id
                && self.items().iter().all(|item| item["pipeline_id"] == pipeline_id),
            "a page and its items name the pipeline from the request",
            || pipeline_id.to_string(),
            || self.response.at("/pipeline_id").to_string(),
        );
        let ordered: Vec<_> = self.items().iter().filter(|item| self.is_ordered(item)).collect();
        let wrong = ordered
            .windows(2)
            .find(|pair| self.order(pair[0], pair[1]) != Ordering::Less);
        let shown = |item: &Value| match &self.sort_by {
            Some(column) => format!(
                "item {} with {}",
                item_id(item),
                first_value(item, column).unwrap_or(&Value::Null)
            ),
            None => format!("item {}", item_id(item)),
        };
        let column = self.sort_by.as_deref();
        let law = match (wrong, column) {
            (Some(pair), Some(column)) if are_tied(pair[0], pair[1], column) => ORDER_OF_TIES,
            _ => "items are in the requested order",
        };
        run.check(
            wrong.is_none(),
            law,
            || "by the first value, items without a value last, ties by ascending id".to_owned(),
            || {
                wrong.map_or_else(String::new, |pair| {
                    format!("{} before {}", shown(pair[0]), shown(pair[1]))
                })
            },
        );
        for item in self.items() {
            check_entries(contract, item, run);
        }
    }

    /// Whether the place of an item in the requested order is defined.
    fn is_ordered(&self, item: &Value) -> bool {
        let column = self.sort_by.as_ref();
        column.is_none_or(|column| !is_of_another_kind(item, column))
    }

    /// Compares two items by the requested order.
    fn order(&self, one: &Value, other: &Value) -> Ordering {
        let ids = item_id(one).cmp(&item_id(other));
        let turned = |order: Ordering| match self.is_descending {
            true => order.reverse(),
            false => order,
        };
        let Some(column) = &self.sort_by else {
            return turned(ids);
        };
        match (first_value(one, column), first_value(other, column)) {
            (Some(one), Some(other)) => match compare(one, other) {
                // They are equal as floating-point numbers only.
                Ordering::Equal if !are_equal(one, other) => Ordering::Less,
                order => turned(order).then(ids),
            },
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => ids,
        }
    }

    /// The ids of the items, by their positions in the whole list.
    fn places(&self) -> BTreeMap<u64, i64> {
        (self.skip..).zip(self.items().iter().map(item_id)).collect()
    }
}

/// Checks the laws of two pages of one pipeline.
fn compare_pages(one: &Page, other: &Page, run: &mut RunResult) {
    run.check(
        one.total() == other.total(),
        "total_count is the same on every page",
        || one.total().to_string(),
        || other.total().to_string(),
    );
    if one.total() != other.total() {
        return;
    }
    let before: BTreeMap<_, _> = one.items().iter().map(|item| (item_id(item), item)).collect();
    let changed = other.items().iter().find(|item| {
        let known = before.get(&item_id(item));
        known.is_some_and(|known| known != item && is_settled(known) && is_settled(item))
    });
    run.check(
        changed.is_none(),
        "an item is the same on every page",
        || changed.map_or_else(String::new, |item| before[&item_id(item)].to_string()),
        || changed.map_or_else(String::new, ToString::to_string),
    );
    if one.sort_by == other.sort_by {
        same_list(one, other, run);
    }
    let all = [one, other].map(|page| page.places().into_values().collect::<BTreeSet<_>>());
    let is_whole = |page: &Page| page.skip == 0 && u64::try_from(page.items().len()) == Ok(page.total());
    run.check(
        !is_whole(one) || !is_whole(other) || all[0] == all[1],
        "every order has the same items",
        || format!("{:?}", all[0]),
        || format!("{:?}", all[1]),
    );
}

/// Checks that two pages of one list have the same items where they overlap; by id, one order is the reverse of the
/// other.
fn same_list(one: &Page, other: &Page, run: &mut RunResult) {
    let is_turned = one.is_descending != other.is_descending;
    if is_turned && one.sort_by.is_some() {
        return;
    }
    let mut expected = one.places();
    if is_turned {
        let turn = |(place, id)| Some((one.total().checked_sub(place + 1)?, id));
        expected = expected.into_iter().filter_map(turn).collect();
    }
    let seen = other.places();
    let differs = expected
        .iter()
        .find(|(place, id)| seen.get(place).is_some_and(|seen| seen != *id));
    run.check(
        differs.is_none(),
        "pages are parts of one list",
        || differs.map_or_else(String::new, |(place, id)| format!("item {id} at position {place}")),
        || differs.map_or_else(String::new, |(place, _)| format!("{:?}", seen.get(place))),
    );
}
