//! The order of a list: what the values of a column are compared by, where ties and missing values stand,
//! and what is sorted.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::sight::{Pages, Seen, across, refused_or_accepted, saw, saw_other, untold};
use super::{Point, point};
use crate::support::column_values::{columns, compare, first_value, neighbours};
use engine::case::Need;
use engine::session::Probe;
use engine::session::observed::{Listing, item_id};
use engine::target::PipelineRole::ManyItems;
use engine::transport::client::Answer;
use engine::verdict::Stop;

pub(super) fn points() -> Vec<Point> {
    let points = vec![
        point(
            "list-pages",
            "Do the pages of a list, taken one after the other, hold every item once?",
            ("each-once", Value::Null, "Yes: pages of any size are cut from the same list."),
        )
        .or("repeated", "No: some item stands on two pages.")
        .or("missed", "No: some item stands on none of them.")
        .or("other-order", "Each once, in another order than pages of another size.")
        .found_out("Lists the items of every known pipeline in large and in small pages.")
        .governing([
            "paging/any-page-size-walks-to-the-same-items",
            "paging/no-item-stands-twice",
        ])
        .by(pages),
        point(
            "sort-column-form",
            "What becomes of a sort_by that is not an id of a question column, such as question.01?",
            ("refused", json!(400), "It is refused with this status."),
        )
        .or("ignored", "Items are listed all the same.")
        .found_out("Lists items with sort_by=question.01, sort_by=question.x and sort_by=name.")
        .governing(["sort/invalid-form-is-rejected"])
        .by(|probe| async move {
            let named = ["question.01", "question.x", "name"].map(|text| (text.to_owned(), text));
            across(named, |text| {
                let call = Pages::Items.call(&probe).map(|call| call.query("sort_by", text));
                async move { refused_or_accepted(call?, "ignored").await }
            })
            .await
        }),
        point(
            "sort-order-malformed",
            "What becomes of a sort_order that is neither asc nor desc?",
            ("refused", json!(422), "It is refused with this status."),
        )
        .or("ignored", "Items are listed all the same.")
        .found_out("Lists items with sort_order=up.")
        .governing(["sort/other-order-is-rejected"])
        .by(|probe| async move {
            let call = probe.call("list_items").path("pipeline_id", probe.pipeline(ManyItems)?);
            refused_or_accepted(call.query("sort_order", "up"), "ignored").await
        }),
        point(
            "sort-order-alone",
            "What does sort_order do without sort_by?",
            ("orders-by-item-id", Value::Null, "It is the order of the item ids."),
        )
        .or("ignored", "Items are in ascending order of their ids all the same.")
        .or("refused", "It is refused with this status.")
        .found_out("Lists items with sort_order=desc and no sort_by.")
        .governing(["sort/order-alone-orders-by-item-id"])
        .by(order_alone),
        point(
            "sort-values",
            "In what order do the values of a column stand?",
            (
                "numbers-strings-booleans",
                Value::Null,
                "By the first value of each item: numbers numerically, then strings by code point, then false before true; desc reverses that.",
            ),
        )
        .or("strings-otherwise", "Numbers are in numerical order; strings are not by code point: without regard to case, or by a language.")
        .or("numbers-as-texts", "Numbers are in the order of their texts: 10 before 9.")
        .or("kinds-otherwise", "Each kind of value is in order, and the kinds are in another.")
        .or("unsorted", "Neither numbers nor strings are in order.")
        .found_out("Lists the items of every known pipeline by every question, asc and desc.")
        .governing([
            "sort/ascending-by-first-value",
            "sort/descending-by-first-value",
            "sort/kinds-are-in-order",
            "sort/descending-mirrors-ascending",
        ])
        .by(values),
        point(
            "sort-ties",
            "In what order do items of the same value stand?",
            ("by-item-id", Value::Null, "By ascending id of the item, in both orders."),
        )
        .or("by-item-id-as-sorted", "By id of the item, descending when the order is descending.")
        .or("otherwise", "By neither.")
        .found_out("Lists the items of every known pipeline by every question, asc and desc.")
        .governing(["sort/ties-by-item-id"])
        .by(ties),
        point(
            "sort-missing-values",
            "Where do items without a value stand?",
            ("last", Value::Null, "Behind all others, in both orders."),
        )
        .or("first", "Before all others, in both orders.")
        .or("as-least", "Before all others when ascending, behind them when descending.")
        .or("as-greatest", "Behind all others when ascending, before them when descending.")
        .or("left-out", "They are not listed.")
        .found_out("Lists the items of every known pipeline by every question, asc and desc.")
        .governing(["sort/missing-values-are-last"])
        .by(missing),
        point(
            "sort-scope",
            "What is sorted: the whole pipeline, or each page?",
            ("pipeline", Value::Null, "The whole pipeline, before paging."),
        )
        .or("page", "Each page by itself: the pages are those of the item ids.")
        .or("otherwise", "Pages do not add up to one sorted list.")
        .found_out("Lists the items of every known pipeline by every question, in large and in small pages.")
        .governing(["sort/sorted-is-a-permutation", "sort/before-paging"])
        .by(scope),
    ];
    points
        .into_iter()
        .map(|point| point.needs([Need::Pipeline(ManyItems)]))
        .collect()
}

async fn pages(probe: Probe) -> Seen {
    let mut looked_at = None;
    for pipeline in &probe.known().pipelines {
        let whole = probe.listing(pipeline.pipeline_id, None, None).await?;
        let third = i64::try_from(whole.items.len() / 3 + 1).unwrap_or(i64::MAX);
        let limit = third.min(Pages::Items.number("limit", "maximum"));
        let small = probe.walk(pipeline.pipeline_id, None, None, limit).await?;
        // Fewer items make one page, whatever its size.
        if whole.items.len() < 2 || !small.complete {
            continue;
        }
        let (of_whole, of_small) = (whole.ids(), small.ids());
        let evidence: Vec<_> = small.pages.iter().take(2).collect();
        let distinct = |ids: &[i64]| ids.iter().copied().collect::<BTreeSet<_>>();
        let (all, met) = (distinct(&of_whole), distinct(&of_small));
        if met.len() < of_small.len() || all.len() < of_whole.len() {
            return saw("repeated", &evidence);
        }
        if all != met {
            return saw("missed", &evidence);
        }
        if of_whole != of_small {
            return saw("other-order", &evidence);
        }
        looked_at = small.first_page().cloned();
    }
    match looked_at {
        Some(page) => saw("each-once", &[&page]),
        None => untold("a pipeline with two items"),
    }
}

async fn order_alone(probe: Probe) -> Seen {
    let call = probe
        .call("list_items")
        .path("pipeline_id", probe.pipeline(ManyItems)?);
    let answer = call.query("sort_order", "desc").send().await?;
    super::sight::refused_or(&answer, || {
        let ids: Vec<_> = engine::session::observed::items(&answer)
            .iter()
            .map(item_id)
            .collect();
        match ids.len() {
            0 | 1 => untold("a pipeline with two items"),
            _ if ids.is_sorted_by(|one, other| one > other) => saw("orders-by-item-id", &[&answer]),
            _ if ids.is_sorted() => saw("ignored", &[&answer]),
            _ => saw_other("another order", &[&answer]),
        }
    })
}

/// A column of a pipeline, listed both ways.
struct Sorted {
    pipeline_id: u64,
    column: String,
    ascending: std::sync::Arc<Listing>,
    descending: std::sync::Arc<Listing>,
}

impl Sorted {
    fn evidence(&self) -> Vec<&Answer> {
        let pages = [self.ascending.first_page(), self.descending.first_page()];
        pages.into_iter().flatten().collect()
    }
}

/// Every column of every known pipeline, listed both ways.
async fn sorted(probe: &Probe) -> Result<Vec<Sorted>, Stop> {
    let mut all = Vec::new();
    for (pipeline_id, column) in columns(probe)? {
        let ascending = probe
            .listing(pipeline_id, Some(&column), Some("asc"))
            .await?;
        let descending = probe
            .listing(pipeline_id, Some(&column), Some("desc"))
            .await?;
        all.push(Sorted {
            pipeline_id,
            column,
            ascending,
            descending,
        });
    }
    Ok(all)
}

async fn values(probe: Probe) -> Seen {
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
        return untold("two items with a value of one question");
    }
    match () {
        () if in_order(|one, other| Some(compare(one, other))) => {
            saw("numbers-strings-booleans", &evidence)
        }
        () if in_order(of_one_kind) => saw("kinds-otherwise", &evidence),
        () if in_order(of_numbers) => saw("strings-otherwise", &evidence),
        () if in_order(|one, other| Some(text(one).cmp(&text(other)))) => {
            saw("numbers-as-texts", &evidence)
        }
        () => saw("unsorted", &evidence),
    }
}

/// Values of one kind; those of different kinds may stand in any order.
fn of_one_kind(one: &Value, other: &Value) -> Option<Ordering> {
    (std::mem::discriminant(one) == std::mem::discriminant(other)).then(|| compare(one, other))
}

/// Numbers alone.
fn of_numbers(one: &Value, other: &Value) -> Option<Ordering> {
    (one.is_number() && other.is_number()).then(|| compare(one, other))
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The ids of neighbours of the same value, or without one.
fn tied(listing: &Listing, column: &str) -> Vec<(i64, i64)> {
    let same =
        |pair: &&[Value]| match (first_value(&pair[0], column), first_value(&pair[1], column)) {
            (Some(one), Some(other)) => compare(one, other) == Ordering::Equal,
            (None, None) => true,
            _ => false,
        };
    let pairs = listing.items.windows(2).filter(same);
    pairs
        .map(|pair| (item_id(&pair[0]), item_id(&pair[1])))
        .collect()
}

async fn ties(probe: Probe) -> Seen {
    let all = sorted(&probe).await?;
    let evidence: Vec<_> = all.iter().flat_map(Sorted::evidence).take(2).collect();
    let of = |listing: fn(&Sorted) -> &Listing| -> Vec<(i64, i64)> {
        all.iter()
            .flat_map(|sorted| tied(listing(sorted), &sorted.column))
            .collect()
    };
    let (up, down) = (
        of(|sorted| &sorted.ascending),
        of(|sorted| &sorted.descending),
    );
    if down.is_empty() {
        return untold("two items with the same value of one question");
    }
    let ascend = |pairs: &[(i64, i64)]| pairs.iter().all(|(one, other)| one < other);
    let descend = |pairs: &[(i64, i64)]| pairs.iter().all(|(one, other)| one > other);
    match () {
        () if ascend(&up) && ascend(&down) => saw("by-item-id", &evidence),
        () if ascend(&up) && descend(&down) => saw("by-item-id-as-sorted", &evidence),
        () => saw("otherwise", &evidence),
    }
}

/// Where the items without a value stand.
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

async fn missing(probe: Probe) -> Seen {
    let all = sorted(&probe).await?;
    let evidence: Vec<_> = all.iter().flat_map(Sorted::evidence).take(2).collect();
    let mut met = Vec::new();
    for sorted in &all {
        let unsorted = probe.listing(sorted.pipeline_id, None, None).await?;
        if sorted.ascending.items.len() < unsorted.items.len() {
            return saw("left-out", &evidence);
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
        [] => untold("a question that some items have a value of, and some have none"),
        [(Place::Last, Place::Last)] => saw("last", &evidence),
        [(Place::First, Place::First)] => saw("first", &evidence),
        [(Place::First, Place::Last)] => saw("as-least", &evidence),
        [(Place::Last, Place::First)] => saw("as-greatest", &evidence),
        _ => saw_other("between the others, or here so and there so", &evidence),
    }
}

async fn scope(probe: Probe) -> Seen {
    let maximum = probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("maximum");
    let mut told = false;
    for sorted in sorted(&probe).await? {
        let whole = &sorted.descending;
        if whole.items.len() < 2 {
            continue;
        }
        told = true;
        let third = i64::try_from(whole.items.len() / 3 + 1)
            .unwrap_or(maximum)
            .min(maximum);
        let small = probe
            .walk(
                sorted.pipeline_id,
                Some(&sorted.column),
                Some("desc"),
                third,
            )
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
            true => saw("page", &evidence),
            false => saw("otherwise", &evidence),
        };
    }
    match told {
        true => saw("pipeline", &[]),
        false => untold("a pipeline with two items and a question"),
    }
}
