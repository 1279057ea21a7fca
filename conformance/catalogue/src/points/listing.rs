//! Points about the order of a list: how the values of a column are compared, where ties and missing values are
//! placed, and whether the pipeline or each page is sorted.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::observation::{
    ObservationResult, Pages, across, observed, observed_other, rejected_or_accepted, unknown_without,
};
use super::{Point, point};
use engine::case::Need;
use engine::session::Probe;
use engine::session::observed::{Listing, item_id};
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use pipelines::column_values::{columns, compare, first_value, neighbours};

pub(super) fn points() -> Vec<Point> {
    let points = vec![
        point(
            "list-pages",
            "Do the consecutive pages of a list contain every item once?",
            (
                "each-once",
                Value::Null,
                "Yes: pages of any size are cut from the same list.",
            ),
        )
        .or("repeated", "No: some item is on two pages.")
        .or("missed", "No: some item is on none of them.")
        .or("other-order", "Yes, in another order than pages of another size.")
        .found_out("Lists the items of every known pipeline in large and in small pages.")
        .by(pages),
        point(
            "sort-column-form",
            "What is the response to a sort_by that is not the id of a question column, such as question.01?",
            ("refused", json!(400), "It is rejected with this status."),
        )
        .or("ignored", "It is ignored: items are listed.")
        .found_out("Lists items with sort_by=question.01, sort_by=question.x and sort_by=name.")
        .by(|probe| async move {
            let named = ["question.01", "question.x", "name"].map(|text| (text.to_owned(), text));
            across(named, |text| {
                let call = Pages::Items.call(&probe).map(|call| call.query("sort_by", text));
                async move { rejected_or_accepted(call?, "ignored").await }
            })
            .await
        }),
        point(
            "sort-order-malformed",
            "What is the response to a sort_order other than asc and desc?",
            ("refused", json!(422), "It is rejected with this status."),
        )
        .or("ignored", "It is ignored: items are listed.")
        .found_out("Lists items with sort_order=up.")
        .by(|probe| async move {
            let call = probe.call("list_items").path("pipeline_id", probe.pipeline(ManyItems)?);
            rejected_or_accepted(call.query("sort_order", "up"), "ignored").await
        }),
        point(
            "sort-order-alone",
            "What is the effect of sort_order without sort_by?",
            ("orders-by-item-id", Value::Null, "It sets the order of the item ids."),
        )
        .or("ignored", "None: items are in ascending order of their ids.")
        .or("refused", "The request is rejected with this status.")
        .found_out("Lists items with sort_order=desc and no sort_by.")
        .by(order_alone),
        point(
            "sort-values",
            "In which order are the values of a column sorted?",
            (
                "numbers-strings-booleans",
                Value::Null,
                "By the first value of each item: numbers numerically, then strings by code point, then false \
                     before true; desc reverses that.",
            ),
        )
        .or(
            "strings-otherwise",
            "Numbers are in numerical order; strings are not ordered by code point, but ignoring case or by a \
             language.",
        )
        .or("numbers-as-texts", "Numbers are ordered as strings: 10 before 9.")
        .or(
            "kinds-otherwise",
            "The values of each kind are in order, and the kinds are in another order.",
        )
        .or("unsorted", "Neither numbers nor strings are in order.")
        .found_out("Lists the items of every known pipeline by every question, asc and desc.")
        .by(values),
        point(
            "sort-ties",
            "In which order are items with the same value returned?",
            (
                "by-item-id",
                Value::Null,
                "By ascending id of the item, in both orders.",
            ),
        )
        .or(
            "by-item-id-as-sorted",
            "By id of the item, in the direction of sort_order.",
        )
        .or("otherwise", "In neither of these orders.")
        .found_out("Lists the items of every known pipeline by every question, asc and desc.")
        .by(ties),
        point(
            "sort-missing-values",
            "Where do items without a value appear?",
            ("last", Value::Null, "After all others, in both orders."),
        )
        .or("first", "Before all others, in both orders.")
        .or(
            "as-least",
            "Before all others when ascending, after them when descending.",
        )
        .or(
            "as-greatest",
            "After all others when ascending, before them when descending.",
        )
        .or("left-out", "They are not listed.")
        .found_out("Lists the items of every known pipeline by every question, asc and desc.")
        .by(missing),
        point(
            "sort-scope",
            "Is the whole pipeline sorted, or each page separately?",
            ("pipeline", Value::Null, "The whole pipeline, before paging."),
        )
        .or("page", "Each page separately: the pages are those of the item ids.")
        .or("otherwise", "The pages do not join to one sorted list.")
        .found_out("Lists the items of every known pipeline by every question, in large and in small pages.")
        .by(scope),
    ];
    points
        .into_iter()
        .map(|point| point.needs([Need::Pipeline(ManyItems)]))
        .collect()
}

async fn pages(probe: Probe) -> ObservationResult {
    let mut looked_at = None;
    for pipeline in &probe.known().pipelines {
        let whole = probe.listing(pipeline.pipeline_id, None, None).await?;
        let third = i64::try_from(whole.items.len() / 3 + 1).unwrap_or(i64::MAX);
        let limit = third.min(Pages::Items.number(probe.contract(), "limit", "maximum"));
        let small = probe.walk(pipeline.pipeline_id, None, None, limit).await?;
        // Fewer items fit on one page of any size.
        if whole.items.len() < 2 || !small.complete {
            continue;
        }
        let (of_whole, of_small) = (whole.ids(), small.ids());
        let evidence: Vec<_> = small.pages.iter().take(2).collect();
        let distinct = |ids: &[i64]| ids.iter().copied().collect::<BTreeSet<_>>();
        let (all, met) = (distinct(&of_whole), distinct(&of_small));
        if met.len() < of_small.len() || all.len() < of_whole.len() {
            return observed("repeated", &evidence);
        }
        if all != met {
            return observed("missed", &evidence);
        }
        if of_whole != of_small {
            return observed("other-order", &evidence);
        }
        looked_at = small.first_page().cloned();
    }
    match looked_at {
        Some(page) => observed("each-once", &[&page]),
        None => unknown_without("a pipeline with two items"),
    }
}

async fn order_alone(probe: Probe) -> ObservationResult {
    let call = probe.call("list_items").path("pipeline_id", probe.pipeline(ManyItems)?);
    let response = call.query("sort_order", "desc").send().await?;
    super::observation::rejected_or(&response, || {
        let ids: Vec<_> = engine::session::observed::items(&response)
            .iter()
            .map(item_id)
            .collect();
        match ids.len() {
            0 | 1 => unknown_without("a pipeline with two items"),
            _ if ids.is_sorted_by(|one, other| one > other) => observed("orders-by-item-id", &[&response]),
            _ if ids.is_sorted() => observed("ignored", &[&response]),
            _ => observed_other("another order", &[&response]),
        }
    })
}

/// A column of a pipeline, listed in both orders.
struct Sorted {
    pipeline_id: u64,
    column: String,
    ascending: std::sync::Arc<Listing>,
    descending: std::sync::Arc<Listing>,
}

impl Sorted {
    fn evidence(&self) -> Vec<&HttpResponse> {
        let pages = [self.ascending.first_page(), self.descending.first_page()];
        pages.into_iter().flatten().collect()
    }
}

/// Lists every column of every known pipeline in both orders.
async fn sorted(probe: &Probe) -> Result<Vec<Sorted>, Stop> {
    let mut all = Vec::new();
    for (pipeline_id, column) in columns(probe)? {
        let ascending = probe.listing(pipeline_id, Some(&column), Some("asc")).await?;
        let descending = probe.listing(pipeline_id, Some(&column), Some("desc")).await?;
        all.push(Sorted {
            pipeline_id,
            column,
            ascending,
            descending,
        });
    }
    Ok(all)
}

async fn values(probe: Probe) -> ObservationResult {
    let all = sorted(&probe).await?;
    let evidence: Vec<_> = all.iter().flat_map(Sorted::evidence).take(2).collect();
    let in_order = |compare: fn(&Value, &Value) -> Option<Ordering>| {
        let holds = |listing: &Listing, column: &str, against: Ordering| {
            neighbours(listing, column).all(|(one, other)| compare(one.1, other.1) != Some(against))
        };
        all.iter().all(|sorted| {
            holds(&sorted.ascending, &sorted.column, Ordering::Greater)
                && holds(&sorted.descending, &sorted.column, Ordering::Less)
        })
    };
    let pairs = all
        .iter()
        .map(|sorted| neighbours(&sorted.ascending, &sorted.column).count());
    if pairs.sum::<usize>() == 0 {
        return unknown_without("two items with a value of one question");
    }
    match () {
        () if in_order(|one, other| Some(compare(one, other))) => observed("numbers-strings-booleans", &evidence),
        () if in_order(of_one_kind) => observed("kinds-otherwise", &evidence),
        () if in_order(of_numbers) => observed("strings-otherwise", &evidence),
        () if in_order(|one, other| Some(text(one).cmp(&text(other)))) => observed("numbers-as-texts", &evidence),
        () => observed("unsorted", &evidence),
    }
}

/// Whether values of one kind are in order; different kinds may be in any order.
fn of_one_kind(one: &Value, other: &Value) -> Option<Ordering> {
    (std::mem::discriminant(one) == std::mem::discriminant(other)).then(|| compare(one, other))
}

/// Whether numbers are in order.
fn of_numbers(one: &Value, other: &Value) -> Option<Ordering> {
    (one.is_number() && other.is_number()).then(|| compare(one, other))
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the ids of adjacent items that have the same value, or that have none.
fn tied(listing: &Listing, column: &str) -> Vec<(i64, i64)> {
    let same = |pair: &&[Value]| match (first_value(&pair[0], column), first_value(&pair[1], column)) {
        (Some(one), Some(other)) => compare(one, other) == Ordering::Equal,
        (None, None) => true,
        _ => false,
    };
    let pairs = listing.items.windows(2).filter(same);
    pairs.map(|pair| (item_id(&pair[0]), item_id(&pair[1]))).collect()
}

async fn ties(probe: Probe) -> ObservationResult {
    let all = sorted(&probe).await?;
    let evidence: Vec<_> = all.iter().flat_map(Sorted::evidence).take(2).collect();
    let of = |listing: fn(&Sorted) -> &Listing| -> Vec<(i64, i64)> {
        all.iter()
            .flat_map(|sorted| tied(listing(sorted), &sorted.column))
            .collect()
    };
    let (up, down) = (of(|sorted| &sorted.ascending), of(|sorted| &sorted.descending));
    if down.is_empty() {
        return unknown_without("two items with the same value of one question");
    }
    let ascend = |pairs: &[(i64, i64)]| pairs.iter().all(|(one, other)| one < other);
    let descend = |pairs: &[(i64, i64)]| pairs.iter().all(|(one, other)| one > other);
    match () {
        () if ascend(&up) && ascend(&down) => observed("by-item-id", &evidence),
        () if ascend(&up) && descend(&down) => observed("by-item-id-as-sorted", &evidence),
        () => observed("otherwise", &evidence),
    }
}

/// Observes where the items without a value are placed.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Place {
    First,
    Last,
    Between,
}

fn place(listing: &Listing, column: &str) -> Option<Place> {
    let missing: Vec<_> = listing
        .items
        .iter()
        .map(|item| first_value(item, column).is_none())
        .collect();
    let changes = missing.windows(2).filter(|pair| pair[0] != pair[1]).count();
    match (changes, missing.first()?) {
        (0, _) => None,
        (1, false) => Some(Place::Last),
        (1, true) => Some(Place::First),
        _ => Some(Place::Between),
    }
}

async fn missing(probe: Probe) -> ObservationResult {
    let all = sorted(&probe).await?;
    let evidence: Vec<_> = all.iter().flat_map(Sorted::evidence).take(2).collect();
    let mut met = Vec::new();
    for sorted in &all {
        let unsorted = probe.listing(sorted.pipeline_id, None, None).await?;
        if sorted.ascending.items.len() < unsorted.items.len() {
            return observed("left-out", &evidence);
        }
        let places = (
            place(&sorted.ascending, &sorted.column),
            place(&sorted.descending, &sorted.column),
        );
        if let (Some(up), Some(down)) = places
            && !met.contains(&(up, down))
        {
            met.push((up, down));
        }
    }
    match met[..] {
        [] => unknown_without("a question for which some items have a value and others have none"),
        [(Place::Last, Place::Last)] => observed("last", &evidence),
        [(Place::First, Place::First)] => observed("first", &evidence),
        [(Place::First, Place::Last)] => observed("as-least", &evidence),
        [(Place::Last, Place::First)] => observed("as-greatest", &evidence),
        _ => observed_other("between the others, or in different places", &evidence),
    }
}

async fn scope(probe: Probe) -> ObservationResult {
    let maximum = probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("maximum");
    let mut any_listed = false;
    for sorted in sorted(&probe).await? {
        let whole = &sorted.descending;
        if whole.items.len() < 2 {
            continue;
        }
        any_listed = true;
        let third = i64::try_from(whole.items.len() / 3 + 1).unwrap_or(maximum).min(maximum);
        let small = probe
            .walk(sorted.pipeline_id, Some(&sorted.column), Some("desc"), third)
            .await?;
        let unsorted = probe.listing(sorted.pipeline_id, None, None).await?;
        let set = |ids: Vec<i64>| ids.into_iter().collect::<std::collections::BTreeSet<_>>();
        let evidence: Vec<_> = small.pages.iter().take(2).collect();
        if small.ids() == whole.ids() && set(whole.ids()) == set(unsorted.ids()) {
            continue;
        }
        let pages_of = |ids: Vec<i64>| -> Vec<_> {
            let pages = ids.chunks(usize::try_from(third).unwrap_or(1));
            pages.map(|page| set(page.to_vec())).collect()
        };
        return match pages_of(small.ids()) == pages_of(unsorted.ids()) {
            true => observed("page", &evidence),
            false => observed("otherwise", &evidence),
        };
    }
    match any_listed {
        true => observed("pipeline", &[]),
        false => unknown_without("a pipeline with two items and a question"),
    }
}
