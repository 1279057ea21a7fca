//! A case about the lists of the other pipelines that may be added to: they have the new item in every order, and show
//! it as its values do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::adding;
use super::elsewhere::{add_beside, of_organizations};
use super::others::assert_listed_in_no_other;
use super::ready::{Item, assert_answered_together};
use crate::item::{assert_same_item, known_item};
use engine::case::{Case, Need};
use engine::session::observed::{Listing, PIPELINES, item_id, items, question_columns};
use engine::session::{Call, Probe};
use engine::target::MOST_PIPELINES_TO_ADD;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// The limit on pipelines that are added to.
const MOST: u64 = MOST_PIPELINES_TO_ADD as u64;
/// The limit on the items of each pipeline that are read in every way, besides the new one.
const EARLIER: usize = 2;
/// The clause about the questions of an item.
const EVERY_QUESTION: &str = "/components/schemas/Values/x-clauses/1";
/// The limit on requests to each pipeline, its walks excluded.
const IN_EACH: u64 = 6 + 4 * (1 + EARLIER as u64) + PIPELINES as u64;

pub(super) fn case(contract: &Contract) -> Case {
    let [list, values, status] =
        ["list_items", "get_item_values", "get_item_status"].map(|operation| contract.operation(operation));
    adding(
        contract,
        "other-pipelines-list-it",
        "A new item of any pipeline is counted and listed in every order, is in no other list, and is the same in its values",
        &list.pointer,
    )
    .and_quote(
        &format!("{}/content/application~1json/schema/properties/total_count", list.response_pointer(200)),
        "Total items in the pipeline.",
    )
    .and(&values.pointer)
    .and(&status.pointer)
    .on(["list_items", "get_item_values", "get_item_status"])
    .needs([Need::OtherPipelines])
    .walks(400)
    .adds(MOST)
    .writes(MOST)
    .sends(IN_EACH * MOST)
    .check(list_it)
}

async fn list_it(probe: Probe) -> Outcome {
    let mut is_added = false;
    for pipeline_id in of_organizations(&probe) {
        // From before the first addition of the run, or of this case.
        let earlier = probe.listing(pipeline_id, None, None).await?;
        let before = probe.ok(list(&probe, pipeline_id).query("limit", 1).send().await?)?;
        let Some((_, response)) = add_beside(&probe, pipeline_id).await? else {
            continue;
        };
        is_added = true;
        let response = probe.ok(response)?;
        let limit = maximum(&probe);
        let now = probe.listing_now(pipeline_id).await?;
        assert_counted(&probe, &before, &now, &response);
        assert_listed_in_no_other(&probe, pipeline_id, &response).await?;
        assert_every_question(&probe, &now, &response);
        if now.total_count <= limit {
            assert_in_every_order(&probe, pipeline_id, &response).await?;
        }
        for placed in read_again(&now, &earlier, item_id(&response.body)) {
            assert_agrees(&probe, pipeline_id, placed).await?;
        }
    }
    match is_added {
        true => Ok(()),
        false => probe.inconclusive("another pipeline of organizations among those that may be added to"),
    }
}

fn list(probe: &Probe, pipeline_id: u64) -> Call {
    probe.call("list_items").path("pipeline_id", pipeline_id)
}

fn maximum(probe: &Probe) -> i64 {
    let list_items = probe.contract().operation("list_items");
    list_items.parameter("limit").number("maximum")
}

/// Asserts that a list has one item more than before, and the new one once. Others may add items meanwhile.
fn assert_counted(probe: &Probe, before: &HttpResponse, now: &Listing, response: &HttpResponse) {
    let evidence: Vec<_> = [before, response].into_iter().chain(now.first_page()).collect();
    let expected = before.at("/total_count").as_i64().map(|total| total + 1);
    let is_counted = expected.is_some_and(|expected| now.total_count >= expected);
    let at_least = format!("at least {}", Value::from(expected));
    let what = "total_count after an addition";
    probe.assert(is_counted, what, at_least, now.total_count, &evidence);
    assert_once(probe, "the list", item_id(&response.body), &now.ids(), &evidence);
}

/// Asserts that all items have the same questions. The first item of an empty pipeline is no exception.
fn assert_every_question(probe: &Probe, now: &Listing, response: &HttpResponse) {
    let of_items = now.items.iter().map(|item| (item_id(item), question_columns(item)));
    let of_items: BTreeMap<_, BTreeSet<_>> = of_items
        .map(|(id, columns)| (id, columns.into_iter().collect()))
        .collect();
    let all: BTreeSet<_> = of_items.values().flatten().collect();
    let lacking = of_items.iter().find(|(_, columns)| columns.len() < all.len());
    if let Some((id, columns)) = lacking {
        let evidence: Vec<_> = std::iter::once(response).chain(now.first_page()).collect();
        let what = format!("the questions of item {id}");
        probe.assert_at(EVERY_QUESTION, false, &what, json!(all), json!(columns), &evidence);
    }
}

fn assert_once(probe: &Probe, place: &str, id: i64, ids: &[i64], evidence: &[&HttpResponse]) {
    let times = ids.iter().filter(|listed| **listed == id).count();
    let what = format!("item {id} in {place}");
    probe.assert(times == 1, &what, "once", format!("{times} times"), evidence);
}

/// Asserts that one page of the greatest length has the new item, in every order.
async fn assert_in_every_order(probe: &Probe, pipeline_id: u64, response: &HttpResponse) -> Outcome {
    let longest = || list(probe, pipeline_id).query("limit", maximum(probe));
    let mut orders = vec![(
        "the list in descending order".to_owned(),
        longest().query("sort_order", "desc"),
    )];
    if let Some(column) = question_columns(&response.body).pop() {
        for order in ["asc", "desc"] {
            let sorted = longest().query("sort_by", &column).query("sort_order", order);
            orders.push((format!("the list by {column}, {order}"), sorted));
        }
    }
    for (place, call) in orders {
        let page = probe.ok(call.send().await?)?;
        let ids: Vec<_> = items(&page).iter().map(item_id).collect();
        assert_once(probe, &place, item_id(&response.body), &ids, &[response, &page]);
    }
    Ok(())
}

/// The places and the ids of the new item and of some that earlier cases added.
fn read_again(now: &Listing, earlier: &Listing, new: i64) -> impl Iterator<Item = (usize, i64)> {
    let earlier: BTreeSet<_> = earlier.ids().into_iter().collect();
    let added = now.ids().into_iter().enumerate();
    let added = added.filter(move |(_, id)| !earlier.contains(id));
    let (own, others): (Vec<_>, Vec<_>) = added.partition(|(_, id)| *id == new);
    others.into_iter().take(EARLIER).chain(own)
}

/// Reads the list and the status of an item between two reads of its values. If both are equal, nothing changed in
/// between.
async fn assert_agrees(probe: &Probe, pipeline_id: u64, (place, id): (usize, i64)) -> Outcome {
    let item = Item::of(pipeline_id, &json!({ "pipeline_item_id": id }));
    let before = item.values(probe).await?;
    let page = list(probe, pipeline_id).query("skip", place).query("limit", 1);
    let page = probe.ok(page.send().await?)?;
    let status = item.status(probe).await?;
    let after = item.values(probe).await?;
    assert_answered_together(probe, &before, &before, &status, &after);
    let known = |item: &Value| known_item(probe.contract(), item);
    let mut listed = items(&page).iter().filter(|listed| item_id(listed) == id);
    if let Some(listed) = listed.next().filter(|_| known(&before.body) == known(&after.body)) {
        let what = format!("item {id} of pipeline {pipeline_id} in the list");
        assert_same_item(probe, &what, &known(&after.body), &known(listed), &[&page, &after]);
    }
    Ok(())
}
