//! From the addition to a ready item and beyond: how the item becomes ready, that every way of reading it agrees, and
//! that it does not change afterwards.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::time::Duration;

use chrono::DateTime;
use serde_json::{Value, json};

use super::{add_one, added, adding};
use crate::column_values::{compare, first_value};
use crate::entry::assert_entries;
use crate::item::{QUESTIONS_END, assert_conjunction, assert_same_item, known_item};
use crate::sample::pending;
use crate::sort::BY_VALUE;
use crate::sync::{LAST_SYNC, assert_past_syncs, assert_synced_since};
use engine::case::Case;
use engine::rules::entry::{COLUMN_VALUE, is_question};
use engine::session::Probe;
use engine::session::observed::{item_id, items, question_columns};
use engine::target::PipelineRole::Writable;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The limit on the requests of a case that waits for an item.
pub(super) const POLLS: u64 = 300;
/// How long to wait for an item to become ready before the case ends without a verdict.
const READY_WITHIN: Duration = Duration::from_secs(120);
/// What gives a verdict about an item that has not become ready.
pub(super) const LIMIT: &str = "with --ready-within, a later one fails";
/// The wait between two of the first reads of an item.
pub(super) const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// The number of reads before the wait grows.
pub(super) const LOOKS: u32 = 25;
/// The number of later reads within the longest wait.
const LATER_LOOKS: u32 = 100;
/// The shortest wait between two later reads of an item.
pub(super) const BETWEEN_LATER_LOOKS: Duration = Duration::from_secs(1);
/// How often a ready item is read.
const READS: usize = 6;
/// How often a ready item is compared.
const ROUNDS: usize = 3;
/// The number of items at the end of the pipeline that are searched for a ready one.
const NEWEST: u64 = 5;
/// The number of items that a run may add while one becomes ready.
const SINCE: u64 = 100;
/// The number of questions by which a pipeline with a new item is sorted.
const SORTED_BY: usize = 3;
/// What the contract says of an item without questions.
const NO_QUESTION: &str = "/components/schemas/ItemStatus/properties/custom_questions_answered/x-clauses/0";
/// The decision about a ready item.
pub(super) const STAYS_READY: &str = "Once true, it stays true unless a new question is asked.";
/// The decision about the course of a sync.
pub(super) const SYNC: &str = "CRM sync goes from null to pending and on to success or error; from success and from error it may go back to \
     pending.";

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let values = &contract.operation("get_item_values").pointer;
    let case = |id: &str, title: &str, pointer: &str| {
        adding(contract, id, title, pointer)
            .on(["list_items", "get_item_values", "get_item_status"])
            .adds(1)
            .writes(1)
            .sends(POLLS)
    };
    vec![
        adding(
            contract,
            "created-has-its-document",
            "document_indexed is true for a new item, which has no document",
            "/components/schemas/ItemStatus/properties/document_indexed",
        )
        .quote("True for an item without a document.")
        .on(["get_item_status"])
        .point("readiness-without-a-document")
        .adds(1)
        .writes(1)
        .check(has_its_document),
        case(
            "ready-item-agrees",
            "A ready item is the same in the list, in its values and in its status",
            values,
        )
        .and(&contract.operation("get_item_status").pointer)
        .and(&contract.operation("list_items").pointer)
        .check(agrees),
        case(
            "ready-item-is-in-its-place",
            "A ready item is sorted by its answers",
            &contract.operation("list_items").parameter("sort_by").pointer,
        )
        .quote(BY_VALUE)
        .point("sort-values")
        .check(is_in_its_place),
        case(
            "ready-item-stays",
            "A ready item stays ready, its questions stay answered, and what was synced is not forgotten",
            "/components/schemas/ItemStatus/properties/is_ready",
        )
        .quote(STAYS_READY)
        .and_quote(COLUMN_VALUE, QUESTIONS_END)
        .and_quote(COLUMN_VALUE, SYNC)
        .and_quote(&format!("{COLUMN_VALUE}/properties/last_synced_at"), LAST_SYNC)
        .and(values)
        .point("ready-item")
        .check(stays),
    ]
}

/// An item that is read by itself.
pub(super) struct Item {
    pipeline_id: u64,
    id: i64,
}

impl Item {
    /// An item of a pipeline, as a response shows it.
    pub(super) fn of(pipeline_id: u64, item: &Value) -> Self {
        Self {
            pipeline_id,
            id: item_id(item),
        }
    }

    async fn read(&self, probe: &Probe, operation: &str) -> Result<HttpResponse, Stop> {
        let call = probe.call(operation).path("pipeline_id", self.pipeline_id);
        probe.ok(call.path("pipeline_item_id", self.id).send().await?)
    }

    pub(super) async fn values(&self, probe: &Probe) -> Result<HttpResponse, Stop> {
        self.read(probe, "get_item_values").await
    }

    pub(super) async fn status(&self, probe: &Probe) -> Result<HttpResponse, Stop> {
        self.read(probe, "get_item_status").await
    }

    /// Remembers that it is ready, with these values.
    pub(super) fn note_ready(&self, probe: &Probe, values: &HttpResponse) {
        probe.note_ready(self.pipeline_id, self.id, values);
    }

    /// The new items that earlier cases saw ready, each with its values then.
    pub(super) fn seen_ready(probe: &Probe) -> Vec<(Self, HttpResponse)> {
        let seen = probe.seen_ready().into_iter();
        seen.map(|((pipeline_id, id), values)| (Self { pipeline_id, id }, values))
            .collect()
    }
}

async fn has_its_document(probe: Probe) -> Outcome {
    let (_, response) = added(&probe).await?;
    let status = item_of(&probe, &response.body)?.status(&probe).await?;
    probe.expect(&status).body("/document_indexed", true);
    Ok(())
}

/// Reads a new item until it is ready, and compares every read with the previous one.
pub(super) async fn becomes_ready(probe: Probe) -> Outcome {
    let (organization, response) = added(&probe).await?;
    let item = item_of(&probe, &response.body)?;
    let mut values = response.clone();
    let mut is_first = true;
    let mut with_data: Option<HttpResponse> = None;
    let ready = until_ready(&probe, &item, |status, now| {
        assert_conjunction(&probe, status);
        assert_transitions(&probe, &values, now);
        assert_sync(&probe, &values, now);
        assert_entries(&probe, now);
        if !std::mem::take(&mut is_first) {
            assert_answered_together(&probe, &response, &values, status, now);
        }
        if let Some(before) = &with_data {
            assert_available(&probe, before, now);
        } else if status.body["platform_entity_data_ready"] == true {
            with_data = Some(now.clone());
        }
        values = now.clone();
    });
    let Some((status, now)) = ready.await? else {
        return too_late(&probe, &response);
    };
    probe.assert(
        pending(&now.body) == 0,
        "the questions of a ready item",
        "none pending",
        format!("{} pending", pending(&now.body)),
        &[&status, &now],
    );
    let refused = add_one(&probe, organization)?.send().await?;
    probe
        .expect(&refused)
        .rejected_as_stated(409, "organization_already_in_pipeline");
    // Another addition, if there is another organization, is no reason to begin again.
    if let Ok(other) = probe.organization_to_add() {
        add_one(&probe, other)?.send().await?;
    }
    let (later, again) = (item.status(&probe).await?, item.values(&probe).await?);
    probe.expect(&later).body("/is_ready", true);
    assert_transitions(&probe, &now, &again);
    Ok(())
}

pub(super) fn item_of(probe: &Probe, item: &Value) -> Result<Item, Stop> {
    Ok(Item::of(probe.pipeline(Writable)?, item))
}

/// An item was not ready in time. The contract promises no time; a run may limit it.
fn too_late(probe: &Probe, response: &HttpResponse) -> Outcome {
    let Some(limit) = probe.ready_within() else {
        let seconds = READY_WITHIN.as_secs();
        return probe.inconclusive(format!("an item that is ready within {seconds} seconds ({LIMIT})"));
    };
    probe.assert_as(
        Some(BTreeSet::new()),
        false,
        "the time until the item is ready",
        format!("at most {} seconds, the limit of this run", limit.as_secs()),
        "it is not ready then",
        &[response],
    );
    Ok(())
}

/// Reads the status and the values of an item until it is ready. Returns them; `None` when the time is over.
async fn until_ready(
    probe: &Probe,
    item: &Item,
    mut look: impl FnMut(&HttpResponse, &HttpResponse),
) -> Result<Option<(HttpResponse, HttpResponse)>, Stop> {
    let patience = probe.ready_within().unwrap_or(READY_WITHIN);
    let deadline = probe.elapsed() + patience;
    for looks in 1.. {
        let status = item.status(probe).await?;
        let values = item.values(probe).await?;
        look(&status, &values);
        if status.body["is_ready"] == true {
            item.note_ready(probe, &values);
            return Ok(Some((status, values)));
        }
        let left = deadline.saturating_sub(probe.elapsed());
        if left.is_zero() || probe.has_waited_in_vain() {
            probe.note_waited_in_vain();
            return Ok(None);
        }
        let wait = match looks < LOOKS {
            true => BETWEEN_LOOKS,
            false => BETWEEN_LATER_LOOKS.max(patience / LATER_LOOKS),
        };
        probe.sleep(wait.min(left)).await?;
    }
    Ok(None)
}

/// Asserts that a question with a final status keeps it.
pub(super) fn assert_transitions(probe: &Probe, before: &HttpResponse, after: &HttpResponse) {
    for column in question_columns(&before.body) {
        let (was, is) = (
            &before.body["values"][&column]["status"],
            &after.body["values"][&column]["status"],
        );
        if was == "pending" {
            continue;
        }
        probe.assert(
            was == is,
            &format!("the status of {column}"),
            format!("{was}, as before"),
            is,
            &[before, after],
        );
    }
}

/// Asserts that a status agrees with the values that were read before it, and with those that were read after it. The
/// questions may have been answered in between. `first` is the earliest look at the item.
pub(super) fn assert_answered_together(
    probe: &Probe,
    first: &HttpResponse,
    before: &HttpResponse,
    status: &HttpResponse,
    after: &HttpResponse,
) {
    let columns = question_columns(&before.body);
    if columns != question_columns(&after.body) {
        return;
    }
    let answered = &status.body["custom_questions_answered"];
    if columns.is_empty() {
        let what = "custom_questions_answered of an item without questions";
        probe.assert_at(NO_QUESTION, *answered == true, what, true, answered, &[before, status]);
        return;
    }
    let (was_pending, is_pending) = (pending(&before.body) > 0, pending(&after.body) > 0);
    let expected = match (was_pending, is_pending) {
        (false, _) => true,
        (true, true) => false,
        (true, false) => return,
    };
    let what = "custom_questions_answered, by the values before and after";
    // That a pending question has not reached its end is stated; which statuses are an end is not, and neither is
    // whether a question that reached it can be asked again. One that was executed has ended, and where questions were
    // shown before that, there are no others.
    let are_all = pending(&first.body) > 0 && question_columns(&first.body) == columns;
    let is_executed = |entry: &Value| entry["status"] == "completed" || entry["status"] == "no_answer";
    let are_executed = |item: &HttpResponse| columns.iter().all(|column| is_executed(&item.body["values"][column]));
    let have_ended = are_all && are_executed(before) && are_executed(after);
    let decisions = (was_pending && is_pending || have_ended).then(BTreeSet::new);
    probe.assert_as(
        decisions,
        *answered == expected,
        what,
        expected,
        answered,
        &[before, status, after],
    );
}

/// A ready item and its position in the list.
pub(super) struct Ready {
    item: Item,
    place: u64,
}

/// An item that is added for it and becomes ready: an older one may be read from elsewhere. If that takes too long, a
/// ready item among the newest of the pipeline.
pub(super) async fn ready_item(probe: &Probe) -> Result<Ready, Stop> {
    let (_, response) = added(probe).await?;
    let item = item_of(probe, &response.body)?;
    if until_ready(probe, &item, |_, _| {}).await?.is_some() {
        let newest = newest(probe, SINCE).await?;
        let own = newest.iter().find(|(_, listed)| item_id(listed) == item.id);
        if let Some((place, _)) = own {
            return Ok(Ready { item, place: *place });
        }
    }
    let found = newest_ready(probe).await?;
    found.ok_or_else(|| Stop::not_seen("a ready item"))
}

/// Reads a ready item several times, and returns the first read that shows it not ready, or with a pending question.
/// `None` if there is no ready item.
pub async fn look_at_ready_item(probe: &Probe) -> Result<Option<(HttpResponse, bool)>, Stop> {
    let Some(Ready { item, .. }) = newest_ready(probe).await? else {
        return Ok(None);
    };
    for look in 1.. {
        let (status, values) = (item.status(probe).await?, item.values(probe).await?);
        let is_ready = status.body["is_ready"] == true;
        if !is_ready || look == READS {
            return Ok(Some((status, is_ready)));
        }
        if pending(&values.body) > 0 {
            return Ok(Some((values, false)));
        }
        probe.sleep(BETWEEN_LOOKS).await?;
    }
    Ok(None)
}

/// A ready item among the newest of the pipeline.
async fn newest_ready(probe: &Probe) -> Result<Option<Ready>, Stop> {
    for (place, listed) in newest(probe, NEWEST).await?.into_iter().rev() {
        let item = item_of(probe, &listed)?;
        if item.status(probe).await?.body["is_ready"] == true {
            return Ok(Some(Ready { item, place }));
        }
    }
    Ok(None)
}

/// The newest items of the pipeline, each with its position: items are in the order of their ids.
async fn newest(probe: &Probe, most: u64) -> Result<Vec<(u64, Value)>, Stop> {
    let total = page(probe, 0, 1).await?.at("/total_count").as_u64();
    let first = total.unwrap_or(0).saturating_sub(most);
    let newest = page(probe, first, most).await?;
    Ok((first..).zip(items(&newest).iter().cloned()).collect())
}

async fn page(probe: &Probe, skip: u64, limit: u64) -> Result<HttpResponse, Stop> {
    let call = probe
        .call("list_items")
        .path("pipeline_id", probe.pipeline(Writable)?)
        .query("skip", skip)
        .query("limit", limit);
    probe.ok(call.send().await?)
}

/// Reads an item in every way, between two equal reads of its values: nothing changed meanwhile.
async fn agrees(probe: Probe) -> Outcome {
    let Ready { item, place } = ready_item(&probe).await?;
    let mut is_compared = false;
    for _ in 0..ROUNDS {
        let before = item.values(&probe).await?;
        let list = page(&probe, place, 1).await?;
        let status = item.status(&probe).await?;
        let after = item.values(&probe).await?;
        let listed = items(&list).first();
        let listed = listed.filter(|listed| item_id(listed) == item.id);
        let known = |item: &Value| known_item(probe.contract(), item);
        let Some(listed) = listed.filter(|_| known(&before.body) == known(&after.body)) else {
            continue;
        };
        is_compared = true;
        let what = format!("item {} in the list", item.id);
        assert_same_item(&probe, &what, &known(&after.body), &known(listed), &[&list, &after]);
        assert_conjunction(&probe, &status);
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("a ready item that stays the same while it is read"),
    }
}

/// Sorts the pipeline by the questions that a new item has answers to: what was sorted before it was answered is sorted
/// again.
async fn is_in_its_place(probe: Probe) -> Outcome {
    let (_, response) = added(&probe).await?;
    let item = item_of(&probe, &response.body)?;
    let Some((_, values)) = until_ready(&probe, &item, |_, _| {}).await? else {
        return probe.inconclusive("an item that becomes ready in time");
    };
    let answered = question_columns(&values.body).into_iter();
    let answered = answered.filter(|column| first_value(&values.body, column).is_some());
    let writable = probe.pipeline(Writable)?;
    let limit = probe
        .contract()
        .operation("list_items")
        .parameter("limit")
        .number("maximum");
    let mut is_compared = false;
    for column in answered.take(SORTED_BY) {
        for order in ["asc", "desc"] {
            let call = probe
                .call("list_items")
                .path("pipeline_id", writable)
                .query("limit", limit);
            let call = call.query("sort_by", &column).query("sort_order", order);
            let page = probe.ok(call.send().await?)?;
            is_compared |= assert_in_its_place(&probe, item.id, (&column, order), &page);
        }
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("a new item with an answer, in a list that is one page long"),
    }
}

/// Asserts that no item is on the wrong side of a new one. Returns whether there are others with a value.
fn assert_in_its_place(probe: &Probe, id: i64, (column, order): (&str, &str), page: &HttpResponse) -> bool {
    let with_values = items(page).iter();
    let values: Vec<_> = with_values
        .filter_map(|item| Some((item_id(item), first_value(item, column)?)))
        .collect();
    let Some(place) = values.iter().position(|(other, _)| *other == id) else {
        return false;
    };
    let own = values[place].1;
    let (before, after) = match order {
        "asc" => (Ordering::Greater, Ordering::Less),
        _ => (Ordering::Less, Ordering::Greater),
    };
    let others = values.iter().enumerate();
    let wrong = others
        .map(|(other, (id, value))| (other < place, id, value))
        .find(|(is_before, _, value)| {
            let against = if *is_before { before } else { after };
            compare(value, own) == against
        });
    let seen = wrong.map_or_else(String::new, |(is_before, id, value)| {
        let side = if is_before { "before" } else { "after" };
        format!("item {id} with {value} {side} it")
    });
    // It is decided how texts are ordered, and values of several kinds.
    let are_numbers = values.iter().all(|(_, value)| value.is_number());
    probe.assert_as(
        are_numbers.then(BTreeSet::new),
        wrong.is_none(),
        &format!("the place of item {id} with {own} by {column} {order}"),
        "between smaller and greater values",
        seen,
        &[page],
    );
    values.len() > 1
}

/// Reads a ready item several times.
async fn stays(probe: Probe) -> Outcome {
    let Ready { item, .. } = ready_item(&probe).await?;
    let mut before = item.values(&probe).await?;
    let (first, mut changes) = (before.clone(), 0);
    for _ in 0..READS {
        let status = item.status(&probe).await?;
        let now = item.values(&probe).await?;
        if question_columns(&first.body) == question_columns(&now.body) {
            probe.expect(&status).body("/is_ready", true);
        }
        assert_transitions(&probe, &before, &now);
        assert_answered_together(&probe, &first, &before, &status, &now);
        assert_sync(&probe, &before, &now);
        assert_entries(&probe, &now);
        assert_past_syncs(&probe, std::slice::from_ref(&now.body), &now);
        assert_available(&probe, &first, &now);
        changes += usize::from(answers(&before.body) != answers(&now.body));
        before = now;
        probe.sleep(BETWEEN_LOOKS).await?;
    }
    // An answer may be refreshed. If it differs on most reads, reading changes it.
    probe.assert_at(
        &probe.contract().operation("get_item_values").pointer,
        changes * 2 <= READS,
        "the answers of a ready item",
        "the same, however often they are read",
        format!("another response on {changes} of {READS} reads"),
        &[&first, &before],
    );
    Ok(())
}

/// The answers of an item, without the state of their CRM sync.
pub(super) fn answers(item: &Value) -> Value {
    let entries = item["values"].as_object().into_iter().flatten();
    let questions = entries.filter(|(column, _)| is_question(column));
    questions
        .map(|(column, entry)| {
            let told = ["result", "certainty_score", "category", "references"].map(|name| &entry[name]);
            json!([column, told])
        })
        .collect()
}

/// Asserts that a completed sync is not lost, as long as the provider is the same.
pub(super) fn assert_sync(probe: &Probe, before: &HttpResponse, after: &HttpResponse) {
    for (column, was) in before.body["values"].as_object().into_iter().flatten() {
        let is = &after.body["values"][column];
        if was["sync_provider"].is_null() || was["sync_provider"] != is["sync_provider"] {
            continue;
        }
        let time = |entry: &Value| DateTime::parse_from_rfc3339(entry["last_synced_at"].as_str()?).ok();
        let kept = time(was).is_none_or(|was| time(is).is_some_and(|is| is >= was));
        // It is stated what the time is.
        probe.assert_as(
            Some(BTreeSet::new()),
            kept,
            &format!("the last sync of {column}"),
            "the time of the last success or a later one",
            format!("{is}, after {was}"),
            &[before, after],
        );
        probe.assert(
            was["sync_status"].is_null() || !is["sync_status"].is_null(),
            &format!("the sync of {column}"),
            "a status",
            format!("{is}, after {was}"),
            &[before, after],
        );
        let first = time(is).filter(|_| was["last_synced_at"].is_null());
        assert_synced_since(probe, column, first, [before, after]);
    }
}

/// Asserts that entity data is available from when a status said so: a value that comes later was not.
fn assert_available(probe: &Probe, since: &HttpResponse, now: &HttpResponse) {
    let has_value = |entry: &Value| entry["result"].as_array().is_some_and(|result| !result.is_empty());
    for (column, is) in now.body["values"].as_object().into_iter().flatten() {
        let was = &since.body["values"][column];
        if is_question(column) || has_value(was) {
            continue;
        }
        let what = format!("{column}, since platform_entity_data_ready is true");
        probe.assert(
            !has_value(is),
            &what,
            "no value, as before",
            &is["result"],
            &[since, now],
        );
    }
}
