//! Property tests with random reads of items, from the list, by their values and by their status: all three agree, and
//! reading changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use chrono::DateTime;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::item::{QUESTIONS_END, SAME_COLUMNS, VALUES, are_alike, is_settled, known_item};
use crate::sample::pending;
use engine::case::{Case, Need};
use engine::property::{CUT_DOWN, RunResult, random};
use engine::rules::entry::{COLUMN_VALUE, RULES, is_question};
use engine::rules::item::has_every_condition;
use engine::session::Probe;
use engine::session::observed::{item_id, items};
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The limit on the requests of one property run.
const LONGEST: usize = 6;
/// The number of items of a pipeline that the requests of one property run choose from.
const ITEMS: usize = 3;
/// The decision about the time of the last sync.
const LATER_FAILURE: &str = "A later failure leaves it as it is.";
/// The number of items at the beginning of a pipeline that are read.
const FIRST: usize = 200;

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let [list, values, status] =
        ["list_items", "get_item_values", "get_item_status"].map(|operation| &contract.operation(operation).pointer);
    let case = Case::new(
        "law/random-reads-agree",
        "The list, the values and the status of an item agree in any order of reading",
        values,
    );
    let case = case
        .requests_per_run(LONGEST as u64)
        .sends(CUT_DOWN)
        .and(status)
        .and(list)
        .and(COLUMN_VALUE)
        .needs([Need::Pipeline(ManyItems)]);
    vec![case.check(reads)]
}

/// A pipeline, some of its items, and the reads in order.
#[derive(Debug, Clone, PartialEq)]
struct Reads {
    requests: Vec<(Read, usize)>,
    items: Vec<usize>,
    pipeline: usize,
}

/// A way to read an item.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Read {
    Values,
    Status,
    /// On a page that contains only this item.
    List,
}

/// The first items of a pipeline.
struct Items {
    pipeline_id: u64,
    ids: Vec<i64>,
}

async fn reads(probe: Probe) -> Outcome {
    let mut pipelines = Vec::new();
    // What an earlier run added may still be on its way, and change between two reads.
    let writable = probe.known().roles.get(&Writable);
    let others = probe.known().pipelines.iter();
    for pipeline in others.filter(|pipeline| Some(&pipeline.pipeline_id) != writable) {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        let ids: Vec<_> = listing.ids().into_iter().take(FIRST).collect();
        if !ids.is_empty() {
            pipelines.push(Items {
                pipeline_id: pipeline.pipeline_id,
                ids,
            });
        }
    }
    if pipelines.is_empty() {
        return probe.inconclusive("a pipeline with items");
    }
    let count = pipelines.len();
    random(
        &probe,
        "reads",
        move || made(count),
        |reads| perform(&probe, &pipelines[reads.pipeline], reads),
    )
    .await
}

fn made(pipelines: usize) -> impl Strategy<Value = Reads> {
    let read = select(&[Read::Values, Read::Status, Read::List][..]);
    (
        proptest::collection::vec((read, 0..ITEMS), 1..=LONGEST),
        proptest::collection::vec(0..FIRST, ITEMS),
        0..pipelines,
    )
        .prop_map(|(requests, items, pipeline)| Reads {
            requests,
            items,
            pipeline,
        })
}

async fn perform(probe: &Probe, known: &Items, reads: Reads) -> Result<RunResult, Stop> {
    let (contract, mut run) = (probe.contract(), RunResult::default());
    let (mut seen, mut statuses) = (BTreeMap::<i64, Value>::new(), BTreeMap::<i64, Value>::new());
    for (read, choice) in reads.requests {
        // A position beyond the end of a small pipeline wraps around.
        let place = reads.items[choice] % known.ids.len();
        let id = known.ids[place];
        let response = call(probe, known.pipeline_id, read, id, place).await?;
        run.responses.push(response.clone());
        if response.status == 429 {
            continue;
        }
        run.check(
            response.status == 200,
            "an item that the list shows can be read",
            || "200".to_owned(),
            || response.summary(),
        );
        let body = match read {
            Read::List => items(&response).first().cloned().unwrap_or_default(),
            Read::Values | Read::Status => response.body.clone(),
        };
        run.check(
            body["pipeline_item_id"] == id && body["pipeline_id"] == known.pipeline_id,
            "a response is about the requested item",
            || format!("item {id} of pipeline {}", known.pipeline_id),
            || response.text.clone(),
        );
        if run.has_decisive_violation() {
            break;
        }
        match read {
            Read::Status => {
                check_status(contract, &body, seen.get(&id), &mut run);
                statuses.insert(id, body);
            }
            Read::List | Read::Values => {
                check_entries(contract, &body, &mut run);
                if let Some(before) = seen.get(&id) {
                    check_progress(contract, before, &body, &mut run);
                }
                if let Some(status) = statuses.get(&id) {
                    check_answers(contract, status, &body, &mut run);
                }
                seen.insert(id, body);
            }
        }
        if run.has_decisive_violation() {
            break;
        }
    }
    Ok(run)
}

async fn call(probe: &Probe, pipeline_id: u64, read: Read, id: i64, place: usize) -> Result<HttpResponse, Stop> {
    let operation = match read {
        Read::Values => "get_item_values",
        Read::Status => "get_item_status",
        Read::List => "list_items",
    };
    let call = probe.call(operation).path("pipeline_id", pipeline_id);
    let call = match read {
        Read::List => call.query("skip", place).query("limit", 1),
        Read::Values | Read::Status => call.path("pipeline_item_id", id),
    };
    call.send().await
}

/// Checks the rules of every entry of an item.
pub(crate) fn check_entries(contract: &Contract, item: &Value, run: &mut RunResult) {
    for (column, entry) in item["values"].as_object().into_iter().flatten() {
        for rule in &RULES {
            run.check_as(
                || Some(rule.decisions(contract)),
                !rule.is_broken(column, entry),
                rule.title,
                || format!("{column} of item {} to follow it", item_id(item)),
                || entry.to_string(),
            );
        }
    }
}

/// Checks a status against the values that were read before it: an answered question stays answered.
fn check_status(contract: &Contract, status: &Value, before: Option<&Value>, run: &mut RunResult) {
    let is = |stage: &str| status[stage] == true;
    let all = has_every_condition(status);
    run.check(
        status["is_ready"] == all,
        "is_ready is true exactly when its three conditions are",
        || all.to_string(),
        || status.to_string(),
    );
    if before.is_some_and(|values| pending(values) == 0) {
        run.check_as(
            || decided(contract, COLUMN_VALUE, QUESTIONS_END),
            is("custom_questions_answered"),
            "a question answered in the values is answered in the status",
            || "custom_questions_answered: true".to_owned(),
            || status.to_string(),
        );
    }
}

/// Checks values against the status that was read before them.
fn check_answers(contract: &Contract, status: &Value, values: &Value, run: &mut RunResult) {
    if status["custom_questions_answered"] == true {
        run.check_as(
            || decided(contract, COLUMN_VALUE, QUESTIONS_END),
            pending(values) == 0,
            "a question answered in the status is answered in the values",
            || "no pending question".to_owned(),
            || values.to_string(),
        );
    }
}

/// The decision that a sentence of the contract rests on.
fn decided(contract: &Contract, place: &str, sentence: &str) -> Option<BTreeSet<String>> {
    let basis = contract.basis_of(place, sentence)?;
    let decision = basis.decision().map(str::to_owned);
    Some(decision.into_iter().collect())
}

/// Checks two consecutive reads of one item.
fn check_progress(contract: &Contract, before: &Value, after: &Value, run: &mut RunResult) {
    let synced = format!("{COLUMN_VALUE}/properties/last_synced_at");
    let (earlier, now) = (known_item(contract, before), known_item(contract, after));
    let is_same = !is_settled(before) || earlier == now;
    let is_alike = is_same || are_alike(&earlier, &now);
    run.check(
        is_alike,
        "a settled item is the same when it is read again",
        || before.to_string(),
        || after.to_string(),
    );
    run.check_as(
        || decided(contract, VALUES, SAME_COLUMNS),
        is_same || !is_alike,
        "a settled item has the same columns when it is read again",
        || before.to_string(),
        || after.to_string(),
    );
    for (column, entry) in before["values"].as_object().into_iter().flatten() {
        let later = &after["values"][column];
        let was_over = is_question(column) && entry["status"] != "pending";
        run.check_as(
            || decided(contract, COLUMN_VALUE, QUESTIONS_END),
            !was_over || later["status"] == entry["status"],
            "a question with a final status keeps it",
            || format!("{column}: {}", entry["status"]),
            || later.to_string(),
        );
        let time = |entry: &Value| DateTime::parse_from_rfc3339(entry["last_synced_at"].as_str()?).ok();
        run.check_as(
            || decided(contract, &synced, LATER_FAILURE),
            time(entry).is_none_or(|before| time(later).is_some_and(|after| after >= before)),
            "the time of the last sync stays or becomes later",
            || format!("{column}: {}", entry["last_synced_at"]),
            || later.to_string(),
        );
    }
}
