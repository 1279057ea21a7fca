//! Cases about the pages of `list_items`: pages of any size are parts of one collection.

mod any_pipeline;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::item::{is_settled, known_item};
use engine::case::values::BEYOND_32_BITS;
use engine::case::{Case, Need};
use engine::session::observed::{Listing, PIPELINES, item_id, items};
use engine::session::{Call, Probe, SMALL_PAGES};
use engine::target::PipelineRole::{self, ManyItems, Other};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The length of a sorted page whose items are compared.
const SORTED: usize = 50;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let list_items = contract.operation("list_items");
    let (skip, limit) = (list_items.parameter("skip"), list_items.parameter("limit"));
    let page = format!("{}/content/application~1json/schema", list_items.response_pointer(200));
    let total = format!("{page}/properties/total_count");
    let case = |id: &str, title: &str, pointer: &str| {
        Case::new(format!("paging/{id}"), title, pointer).needs([Need::Pipeline(ManyItems)])
    };
    let most_pages = u64::try_from(SMALL_PAGES).unwrap_or(u64::MAX);
    let total_order = "consecutive pages neither repeat nor miss an item";
    vec![
        case(
            "any-page-size-walks-to-the-same-items",
            "Pages of any size join to the same items",
            &list_items.pointer,
        )
        .quote(total_order)
        .needs([Need::Pipeline(Other)])
        .point("list-pages")
        .sends(8 * most_pages)
        .check(any_page_size),
        case(
            "no-item-stands-twice",
            "A walk returns each item once",
            &list_items.pointer,
        )
        .quote(total_order)
        .point("list-pages")
        .check(no_item_twice),
        case(
            "all-items-are-found",
            "A walk returns as many items as total_count",
            &total,
        )
        .quote("Total items in the pipeline.")
        .walks(200)
        .check(all_items),
        case(
            "shorter-page-is-a-prefix",
            "A page is the beginning of any longer page",
            &limit.pointer,
        )
        .check(prefixes),
        case(
            "skip-leaves-out-as-many",
            "skip omits exactly that number of items",
            &skip.pointer,
        )
        .check(skips),
        case(
            "page-is-as-long-as-it-can-be",
            "A page has limit items, or all that are left",
            &limit.pointer,
        )
        .check(lengths),
        case(
            "skip-past-the-end-is-empty",
            "At and past the end the page is empty, and total_count is that of any other page",
            &skip.pointer,
        )
        .quote(
            "At or past the end of the pipeline the page is empty, and total_count is the same as on any other page.",
        )
        .and(skip.at("maximum"))
        .and(&total)
        .point("skip-past-the-end")
        .check(past_the_end),
        case(
            "total-count-is-the-same-on-every-page",
            "total_count is the same on every page",
            &total,
        )
        .sends(most_pages + 2)
        .check(same_total),
        case(
            "repeated-read-is-the-same",
            "The same request returns the same page",
            &list_items.pointer,
        )
        .check(repeated),
        case(
            "item-is-the-same-on-every-page",
            "An item is the same on a page of any length and in any order",
            &list_items.pointer,
        )
        .and("/components/schemas/PipelineItem")
        .walks(200)
        .sends(8 * u64::try_from(PIPELINES).unwrap_or(u64::MAX))
        .check(same_items),
        case(
            "page-names-its-pipeline",
            "A page and its items name the pipeline from the request",
            &page,
        )
        .check(names_its_pipeline),
        case(
            "limit-never-exceeded",
            "No page has more items than limit, and none more than its maximum",
            &limit.pointer,
        )
        .and(limit.at("maximum"))
        .quote("The maximum number of items returned.")
        .check(never_exceeded),
        any_pipeline::case(contract),
    ]
}

/// Returns the page with this skip and limit, which has to be a success.
async fn page(probe: &Probe, pipeline_id: u64, skip: usize, limit: i64) -> Result<HttpResponse, Stop> {
    let call = probe.call("list_items").path("pipeline_id", pipeline_id);
    probe.ok(call.query("skip", skip).query("limit", limit).send().await?)
}

fn maximum(probe: &Probe) -> i64 {
    probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("maximum")
}

/// Returns the listing of a pipeline that has items and was walked to the end.
async fn whole(probe: &Probe, role: PipelineRole) -> Result<std::sync::Arc<Listing>, Stop> {
    let listing = probe.listing(probe.pipeline(role)?, None, None).await?;
    if listing.items.is_empty() || !listing.complete {
        return Err(Stop::not_seen("a pipeline with items, small enough to be walked"));
    }
    Ok(listing)
}

async fn any_page_size(probe: Probe) -> Outcome {
    for (role, sizes) in [(ManyItems, vec![97, 100, 333, 999]), (Other, vec![1, 2, 3, 7])] {
        let pipeline_id = probe.pipeline(role)?;
        let whole = whole(&probe, role).await?;
        for size in sizes {
            let walk = probe.walk(pipeline_id, None, None, size).await?;
            if !walk.complete {
                continue;
            }
            let evidence: Vec<_> = walk.pages.iter().take(2).collect();
            let expected = json!(whole.ids());
            let what = format!("the items of pipeline {pipeline_id} in pages of {size}");
            probe.assert_same(&what, &expected, &json!(walk.ids()), &evidence);
        }
    }
    Ok(())
}

async fn no_item_twice(probe: Probe) -> Outcome {
    let listing = whole(&probe, ManyItems).await?;
    let ids = listing.ids();
    let distinct: BTreeSet<_> = ids.iter().collect();
    let evidence: Vec<_> = listing.pages.iter().collect();
    let expected = format!("{} different values of pipeline_item_id", ids.len());
    probe.assert(
        distinct.len() == ids.len(),
        "the items of all pages",
        expected,
        distinct.len(),
        &evidence,
    );
    Ok(())
}

async fn all_items(probe: Probe) -> Outcome {
    let mut has_items = false;
    for pipeline_id in probe.known().pipelines.iter().map(|pipeline| pipeline.pipeline_id) {
        let listing = probe.listing(pipeline_id, None, None).await?;
        let Some(first) = listing.first_page() else {
            continue;
        };
        // The walk ends at total_count; one request beyond it detects a total_count that is too low. A deployment that
        // rejects it has nothing more to show: that it should answer with an empty page is checked elsewhere.
        let call = probe.call("list_items").path("pipeline_id", pipeline_id);
        let beyond = call.query("skip", listing.items.len()).query("limit", 1).send().await?;
        let is_rejected = (400..500).contains(&beyond.status);
        let beyond = if is_rejected { beyond } else { probe.ok(beyond)? };
        let seen = listing.items.len() + items(&beyond).len();
        has_items |= seen > 0;
        let holds = !listing.complete || i64::try_from(seen).is_ok_and(|seen| seen == listing.total_count);
        probe.assert(
            holds,
            "total_count",
            format!("{seen}, as many as there are"),
            listing.total_count,
            &[first, &beyond],
        );
    }
    match has_items {
        true => Ok(()),
        false => probe.inconclusive("a pipeline with items"),
    }
}

async fn prefixes(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let mut longest = page(&probe, pipeline_id, 0, maximum(&probe)).await?;
    let has_several = items(&longest).len() > 1;
    for limit in [maximum(&probe) - 1, 100, 10, 2, 1] {
        let shorter = page(&probe, pipeline_id, 0, limit).await?;
        let count = items(&shorter).len();
        let beginning = items(&longest).get(..count).unwrap_or_default();
        let what = format!("the page with limit={limit}");
        probe.assert(
            beginning == items(&shorter),
            &what,
            "the beginning of the longer page",
            first_difference(beginning, items(&shorter)),
            &[&shorter, &longest],
        );
        longest = shorter;
    }
    match has_several {
        true => Ok(()),
        false => probe.inconclusive("a page with two items"),
    }
}

async fn skips(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let listing = whole(&probe, ManyItems).await?;
    let count = listing.items.len();
    for skip in BTreeSet::from([0, 1, 2, count / 2, count.saturating_sub(1)]) {
        let response = page(&probe, pipeline_id, skip, 5).await?;
        let expected = &listing.items[skip..count.min(skip + 5)];
        let what = format!("the page with skip={skip}");
        let seen = first_difference(expected, items(&response));
        probe.assert(
            expected == items(&response),
            &what,
            "the items from that position on",
            seen,
            &[&response],
        );
    }
    Ok(())
}

async fn lengths(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let listing = whole(&probe, ManyItems).await?;
    let count = listing.items.len();
    for (skip, limit) in [
        (0, 1),
        (0, 100),
        (0, 101),
        (0, maximum(&probe) / 2),
        (1, maximum(&probe) - 1),
        (0, maximum(&probe)),
        (count - 1, 1),
        (count - 1, 100),
        (count / 2, 7),
    ] {
        let response = page(&probe, pipeline_id, skip, limit).await?;
        let expected = (count - skip).min(usize::try_from(limit).unwrap_or(usize::MAX));
        let what = format!("the number of items with skip={skip} and limit={limit}");
        probe.assert(
            items(&response).len() == expected,
            &what,
            expected,
            items(&response).len(),
            &[&response],
        );
    }
    Ok(())
}

async fn past_the_end(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let first = page(&probe, pipeline_id, 0, 1).await?;
    // What the member should be is checked in every response.
    let Some(total) = first.at("/total_count").as_i64() else {
        return probe.inconclusive("a total_count");
    };
    let furthest = probe
        .contract()
        .operation("list_items")
        .parameter("skip")
        .number("maximum");
    // The third one is 0 if it is truncated to 32 bits.
    let beyond = total.max(BEYOND_32_BITS);
    for skip in [total, total + 1, beyond, furthest] {
        let response = probe
            .call("list_items")
            .path("pipeline_id", pipeline_id)
            .query("skip", skip)
            .send()
            .await?;
        probe.expect(&response).status(200).body("/items", json!([]));
        if response.status == 200 {
            // The source states what it counts, whatever page it stands on.
            let seen = response.at("/total_count");
            probe.assert_as(
                Some(BTreeSet::new()),
                *seen == total,
                "body at /total_count",
                total,
                seen,
                &[&response, &first],
            );
        }
    }
    probe.saw_record(probe.contract().operation("list_items"), &first)
}

async fn same_total(probe: Probe) -> Outcome {
    let listing = whole(&probe, ManyItems).await?;
    // Small pages make many of them: a total may be wrong on only some pages.
    let walk = probe.walk(probe.pipeline(ManyItems)?, None, None, 25).await?;
    for page in listing
        .pages
        .iter()
        .chain(&walk.pages)
        .chain(&sorted_pages(&probe).await?)
    {
        probe.expect(page).body("/total_count", listing.total_count);
    }
    Ok(())
}

/// Two pages after the first that are sorted by a question, if there is one to sort by.
async fn sorted_pages(probe: &Probe) -> Result<Vec<HttpResponse>, Stop> {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let mut known = probe.known().pipelines.iter();
    let known = known.find(|pipeline| pipeline.pipeline_id == pipeline_id);
    let Some(column) = known.and_then(|pipeline| pipeline.question_columns.first()) else {
        return Ok(Vec::new());
    };
    let mut pages = Vec::new();
    for order in ["asc", "desc"] {
        let list = probe.call("list_items").path("pipeline_id", pipeline_id);
        let sorted = list.query("sort_by", column).query("sort_order", order);
        pages.push(sorted.query("skip", 3).query("limit", 5).send().await?);
    }
    // Whether a pipeline can be sorted is the question of other cases.
    pages.retain(|page| page.status == 200);
    Ok(pages)
}

async fn repeated(probe: Probe) -> Outcome {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let first = page(&probe, pipeline_id, 3, 50).await?;
    for _ in 0..3 {
        let again = page(&probe, pipeline_id, 3, 50).await?;
        let seen = first_difference(items(&first), items(&again));
        probe.assert(
            first.body == again.body,
            "the page",
            "the same as before",
            seen,
            &[&first, &again],
        );
    }
    probe.saw_record(probe.contract().operation("list_items"), &first)
}

async fn names_its_pipeline(probe: Probe) -> Outcome {
    let mut has_items = false;
    for pipeline in &probe.known().pipelines {
        let id = pipeline.pipeline_id;
        let response = page(&probe, id, 0, 100).await?;
        probe.expect(&response).body("/pipeline_id", id);
        has_items |= !items(&response).is_empty();
        let stray = items(&response).iter().find(|item| item["pipeline_id"] != id);
        let seen = stray.map_or(Value::Null, |item| item["pipeline_id"].clone());
        probe.assert(stray.is_none(), "the pipeline_id of an item", id, seen, &[&response]);
    }
    match has_items {
        true => Ok(()),
        false => probe.inconclusive("a page with an item"),
    }
}

async fn never_exceeded(probe: Probe) -> Outcome {
    let mut longest = 0;
    let pipeline_id = probe.pipeline(ManyItems)?;
    for limit in [1, 2, 99, 101, maximum(&probe)] {
        let response = page(&probe, pipeline_id, 0, limit).await?;
        let count = items(&response).len();
        longest = longest.max(count);
        let holds = i64::try_from(count).is_ok_and(|count| count <= limit);
        probe.assert(
            holds,
            "the number of items",
            format!("at most {limit}"),
            count,
            &[&response],
        );
    }
    assert_maximum(&probe).await?;
    match longest {
        0 | 1 => probe.inconclusive("a pipeline with two items"),
        _ => Ok(()),
    }
}

/// Asks the longest list for more than a page may have. Whether that is rejected is decided, but the source states the
/// maximum.
async fn assert_maximum(probe: &Probe) -> Outcome {
    let maximum = maximum(probe);
    let pipelines = probe.known().pipelines.iter();
    let Some(longest) = pipelines.max_by_key(|pipeline| pipeline.total_count) else {
        return Ok(());
    };
    for limit in [maximum + 1, 10 * maximum] {
        let list = probe.call("list_items").path("pipeline_id", longest.pipeline_id);
        let response = list.query("limit", limit).send().await?;
        let count = items(&response).len();
        probe.assert_as(
            Some(BTreeSet::new()),
            i64::try_from(count).is_ok_and(|count| count <= maximum),
            &format!("the number of items with limit={limit}"),
            format!("at most {maximum}, or an error"),
            count,
            &[&response],
        );
    }
    Ok(())
}

/// Describes the first difference between two lists of items.
fn first_difference(expected: &[Value], seen: &[Value]) -> String {
    let ids = |items: &[Value]| items.iter().map(engine::session::observed::item_id).collect::<Vec<_>>();
    let (expected_ids, seen_ids) = (ids(expected), ids(seen));
    if expected_ids == seen_ids {
        return "the same items, but not all with the same content".to_owned();
    }
    let position = expected_ids
        .iter()
        .zip(&seen_ids)
        .take_while(|(one, other)| one == other)
        .count();
    let at = |ids: &[i64]| ids.get(position).map_or("none".to_owned(), i64::to_string);
    format!(
        "at position {position} item {} instead of {}",
        at(&seen_ids),
        at(&expected_ids)
    )
}

/// Compares the items of a short page and of a sorted one with those of the longest pages.
async fn same_items(probe: Probe) -> Outcome {
    let mut compared = false;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        let list = || probe.call("list_items").path("pipeline_id", pipeline.pipeline_id);
        let in_the_middle = || list().query("skip", listing.items.len() / 2).query("limit", 3);
        compared |= compare_items(&probe, &listing, in_the_middle).await?;
        if let Some(column) = pipeline.question_columns.first() {
            let by_column = || list().query("sort_by", column).query("limit", SORTED);
            compared |= compare_items(&probe, &listing, by_column).await?;
        }
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("an item that no background process is about to change"),
    }
}

/// Compares the items of a page with those of a listing that are settled. One that differs may have changed since: it
/// is read by itself, before and after another look at the page. Returns whether there is an item to compare.
async fn compare_items(probe: &Probe, listing: &Listing, list: impl Fn() -> Call) -> Result<bool, Stop> {
    let page = probe.ok(list().send().await?)?;
    let settled = listing.items.iter().filter(|item| is_settled(item));
    let known: BTreeMap<_, _> = settled.map(|item| (item_id(item), item)).collect();
    let described = |item| known_item(probe.contract(), item);
    let pairs = items(&page).iter();
    let pairs: Vec<_> = pairs
        .filter_map(|item| Some((*known.get(&item_id(item))?, item)))
        .collect();
    let differs = pairs
        .iter()
        .find(|(known, item)| known != item && described(known) != described(item));
    let Some((known, _)) = differs else {
        if let Some((known, item)) = pairs.first() {
            let what = format!("item {}", item_id(item));
            probe.assert_same(&what, &described(known), &described(item), &[&page]);
        }
        return Ok(!pairs.is_empty());
    };
    let id = item_id(known);
    let values = async || {
        let call = probe.call("get_item_values").path("pipeline_id", &known["pipeline_id"]);
        probe.ok(call.path("pipeline_item_id", id).send().await?)
    };
    let before = values().await?;
    let page = probe.ok(list().send().await?)?;
    let after = values().await?;
    let shown = items(&page).iter().find(|item| item_id(item) == id);
    let Some(shown) = shown.filter(|_| described(&before.body) == described(&after.body)) else {
        return Ok(false);
    };
    let what = format!("item {id}");
    probe.assert_same(&what, &described(&after.body), &described(shown), &[&page, &after]);
    Ok(true)
}
