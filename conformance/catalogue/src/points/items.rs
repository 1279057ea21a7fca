//! Points about the values and the readiness of items: what the source names and does not define.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::observation::{ObservationResult, observed, observed_other, unknown_without};
use super::{Point, point};
use engine::case::Need;
use engine::rules::entry::{is_question, is_url};
use engine::session::Probe;
use engine::session::observed::{item_id, question_columns};
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use pipelines::item::{entity_columns, entity_id_of, key_pattern, pending, question_pattern};
use pipelines::sync::has_offset;

/// The number of items of a pipeline to read individually.
const SAMPLE: usize = 4;

pub(super) fn points() -> Vec<Point> {
    let points = vec![
        point(
            "readiness-without-a-document",
            "Is document_indexed true for an item without a document?",
            ("indexed", Value::Null, "Yes."),
        )
        .or("not-indexed", "No.")
        .found_out("Reads the status of ready items that have no document.")
        .by(readiness),
        point(
            "result-unless-completed",
            "Does a question that is not completed have a result?",
            ("empty", Value::Null, "No: its result is an empty list."),
        )
        .or("kept", "Yes: some such question has a result.")
        .found_out("Reads every question of every item that can be listed.")
        .by(|probe| {
            entries(probe, "empty", "a question that is not completed", |name, entry| {
                let unfinished = name.starts_with("question.") && entry["status"] != "completed";
                unfinished.then(|| if entry["result"] == json!([]) { "empty" } else { "kept" })
            })
        }),
        point(
            "sync-error",
            "When is sync_error set?",
            ("exactly-in-error", Value::Null, "Exactly while sync_status is error."),
        )
        .or(
            "kept",
            "It stays set while the sync runs again, or becomes an empty text.",
        )
        .or("not-told", "It is null even while sync_status is error.")
        .found_out("Reads every value of every item that can be listed.")
        .by(|probe| {
            entries(probe, "exactly-in-error", "a value that was synced", |_, entry| match (
                entry["sync_status"] == "error",
                entry["sync_error"].is_null(),
            ) {
                (true, true) => Some("not-told"),
                // A message after a success contradicts what the source states.
                (false, false) if entry["sync_status"] == "success" && entry["sync_error"] != "" => None,
                (false, false) => Some("kept"),
                (true, false) => Some("exactly-in-error"),
                (false, true) => None,
            })
        }),
        point(
            "sync-time-without-a-status",
            "Does a value without a sync status have a sync time?",
            ("null", Value::Null, "No: last_synced_at is null."),
        )
        .or("given", "Yes: some such value has a time.")
        .found_out("Reads every value of every item that can be listed.")
        .by(|probe| {
            entries(probe, "null", "a value without a sync status", |_, entry| {
                let is_null = |member: &str| entry[member].is_null();
                is_null("sync_status").then(|| if is_null("last_synced_at") { "null" } else { "given" })
            })
        }),
        point(
            "certainty-without-an-answer",
            "Does a question without an answer have a certainty_score?",
            ("null", Value::Null, "No: it is null."),
        )
        .or("given", "Yes: some such question has one.")
        .found_out("Reads every question of every item that can be listed.")
        .by(|probe| {
            entries(probe, "null", "a question without an answer", |name, entry| {
                let unanswered = is_question(name) && entry["result"] == json!([]);
                unanswered.then(|| {
                    if entry["certainty_score"].is_null() {
                        "null"
                    } else {
                        "given"
                    }
                })
            })
        }),
        point(
            "certainty-of-an-answer",
            "Does every answer of a question have a certainty_score?",
            ("given", Value::Null, "Yes."),
        )
        .or("null", "No: it is null for some answer.")
        .found_out("Reads every question of every item that can be listed.")
        .by(|probe| {
            entries(probe, "given", "an answer of a question", |name, entry| {
                let is_answered = entry["status"] == "completed" && entry["result"] != json!([]);
                (is_question(name) && is_answered).then(|| {
                    if entry["certainty_score"].is_null() {
                        "null"
                    } else {
                        "given"
                    }
                })
            })
        }),
        point(
            "reference-form",
            "Is every reference of a value a URL according to RFC 3986?",
            ("url", Value::Null, "Yes: non-ASCII letters are percent-encoded."),
        )
        .or(
            "otherwise",
            "No: some reference has non-ASCII letters, or is not an absolute URL.",
        )
        .found_out("Reads every value of every item that can be listed.")
        .by(|probe| {
            entries(probe, "url", "a value with a reference", |_, entry| {
                let references = entry["references"].as_array()?;
                let are_urls = references.iter().all(is_url);
                (!references.is_empty()).then_some(if are_urls { "url" } else { "otherwise" })
            })
        }),
        point(
            "item-entity-id",
            "Does an item have the id that its entity_type names?",
            ("present", Value::Null, "Yes."),
        )
        .or("absent", "No: the id of some item is null.")
        .found_out("Reads every item that can be listed.")
        .by(entity_id),
        point(
            "item-questions",
            "Does an item have an entry for every question of its pipeline?",
            ("every-question", Value::Null, "Yes, as soon as it exists."),
        )
        .or("some-questions", "No: some item lacks a question that another has.")
        .found_out("Compares the questions of all items that can be listed, separately for each pipeline.")
        .by(questions),
        point(
            "item-entity-columns",
            "Do all items of a pipeline have the same columns of entity data?",
            (
                "same",
                Value::Null,
                "Yes: where a field is not known, the result is empty.",
            ),
        )
        .or("known-fields", "No: some item lacks a column that another has.")
        .found_out("Compares the columns of all items that can be listed, separately for each pipeline.")
        .by(same_columns),
        point(
            "questions-answered",
            "When is custom_questions_answered true?",
            (
                "no-question-pending",
                Value::Null,
                "Exactly when no question of the item is pending.",
            ),
        )
        .or("although-pending", "Even while some question is pending.")
        .or("later", "Not for every item without a pending question.")
        .found_out("Reads the values and the status of a few items of each known pipeline.")
        .by(questions_answered),
        point(
            "entity-column-names",
            "Which form do the names of entity data columns have?",
            (
                "field-paths",
                Value::Null,
                "Paths of fields, such as organization.metrics.employee_count.",
            ),
        )
        .or("other-names", "The name of some column is not such a path.")
        .found_out("Reads every column of every item that can be listed.")
        .by(|probe| async move {
            let pattern = key_pattern(probe.contract())?;
            let shows = move |name: &str, _: &Value| match is_question(name) {
                true => None,
                false if pattern.is_match(name) => Some("field-paths"),
                false => Some("other-names"),
            };
            entries(probe, "field-paths", "an item with a column of entity data", shows).await
        }),
        point(
            "question-ids",
            "Which form do question ids have in column names?",
            ("numbers", Value::Null, "Numbers from 1, such as question.201."),
        )
        .or("other-ids", "The id of some question is not such a number.")
        .found_out("Reads every column of every item that can be listed.")
        .by(|probe| async move {
            let pattern = question_pattern(probe.contract())?;
            let shows = move |name: &str, _: &Value| match pattern.is_match(name) {
                _ if !is_question(name) => None,
                true => Some("numbers"),
                false => Some("other-ids"),
            };
            entries(probe, "numbers", "an item with a question", shows).await
        }),
        point(
            "sync-time-form",
            "Does the time of a sync have a UTC offset?",
            ("with-an-offset", Value::Null, "Yes: it has the form of RFC 3339."),
        )
        .or("another-form", "No, or it has another form.")
        .found_out("Reads every value of every item that can be listed.")
        .by(|probe| {
            entries(
                probe,
                "with-an-offset",
                "a value with the time of a sync",
                |_, entry| {
                    let time = Some(&entry["last_synced_at"]).filter(|time| !time.is_null())?;
                    match time.as_str().is_some_and(has_offset) {
                        true => Some("with-an-offset"),
                        false => Some("another-form"),
                    }
                },
            )
        }),
    ];
    points
        .into_iter()
        .map(|point| point.needs([Need::Pipeline(ManyItems)]))
        .collect()
}

async fn entity_id(probe: Probe) -> ObservationResult {
    let mut looked_at = None;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        let Some(page) = listing.first_page().filter(|_| !listing.items.is_empty()) else {
            continue;
        };
        if listing.items.iter().any(|item| item[entity_id_of(item)].is_null()) {
            return observed("absent", &[page]);
        }
        looked_at = Some(page.clone());
    }
    match looked_at {
        Some(page) => observed("present", &[&page]),
        None => unknown_without("an item"),
    }
}

async fn questions(probe: Probe) -> ObservationResult {
    let mut looked_at = None;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        let all: BTreeSet<_> = listing.items.iter().flat_map(question_columns).collect();
        let Some(page) = listing.first_page().filter(|_| !all.is_empty()) else {
            continue;
        };
        let lacks_one = |item: &Value| question_columns(item).len() < all.len();
        if listing.items.iter().any(lacks_one) {
            return observed("some-questions", &[page]);
        }
        looked_at = Some(page.clone());
    }
    match looked_at {
        Some(page) => observed("every-question", &[&page]),
        None => unknown_without("a pipeline with a question and an item"),
    }
}

async fn same_columns(probe: Probe) -> ObservationResult {
    let mut looked_at = None;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        let all: BTreeSet<_> = listing.items.iter().flat_map(entity_columns).collect();
        let is_comparable = !all.is_empty() && listing.items.len() > 1;
        let Some(page) = listing.first_page().filter(|_| is_comparable) else {
            continue;
        };
        let lacks_one = |item: &Value| entity_columns(item).len() < all.len();
        if listing.items.iter().any(lacks_one) {
            return observed("known-fields", &[page]);
        }
        looked_at = Some(page.clone());
    }
    match looked_at {
        Some(page) => observed("same", &[&page]),
        None => unknown_without("two items of a pipeline with a column of entity data"),
    }
}

async fn questions_answered(probe: Probe) -> ObservationResult {
    let mut looked_at = None;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        for item in listing.items.iter().take(SAMPLE) {
            let read = |operation| {
                let call = probe.call(operation).path("pipeline_id", pipeline.pipeline_id);
                call.path("pipeline_item_id", item_id(item)).send()
            };
            let before = probe.ok(read("get_item_values").await?)?;
            let status = probe.ok(read("get_item_status").await?)?;
            let after = probe.ok(read("get_item_values").await?)?;
            // Two readings that agree show that nothing changed between them.
            if pending(&before.body) != pending(&after.body) {
                continue;
            }
            let evidence = [&before, &status];
            let answered = status.at("/custom_questions_answered").as_bool();
            match (pending(&before.body) == 0, answered) {
                (_, None) => return observed_other("not a boolean", &[&status]),
                (false, Some(true)) => return observed("although-pending", &evidence),
                (true, Some(false)) => return observed("later", &evidence),
                _ => looked_at = Some((before, status)),
            }
        }
    }
    match looked_at {
        Some((values, status)) => observed("no-question-pending", &[&values, &status]),
        None => unknown_without("an item"),
    }
}

async fn readiness(probe: Probe) -> ObservationResult {
    let mut shown: Option<(bool, HttpResponse)> = None;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        let without = listing.items.iter().filter(|item| item["document_id"].is_null());
        for item in without.take(SAMPLE) {
            let call = probe.call("get_item_status").path("pipeline_id", pipeline.pipeline_id);
            let response = probe.ok(call.path("pipeline_item_id", item_id(item)).send().await?)?;
            let Some(indexed) = response.at("/document_indexed").as_bool() else {
                return observed_other("not a boolean", &[&response]);
            };
            match &shown {
                Some((before, other)) if *before != indexed => {
                    return observed_other("true for some items, false for others", &[other, &response]);
                }
                _ => shown = Some((indexed, response)),
            }
        }
    }
    match shown {
        None => unknown_without("an item without a document"),
        Some((true, response)) => observed("indexed", &[&response]),
        Some((false, response)) => observed("not-indexed", &[&response]),
    }
}

/// Observes the entries of all items that can be listed. A behaviour that departs from the contract's counts more than
/// the contract's own.
async fn entries(
    probe: Probe,
    of_the_contract: &'static str,
    lacking: &'static str,
    shows: impl Fn(&str, &Value) -> Option<&'static str>,
) -> ObservationResult {
    let mut seen: Vec<(&'static str, Option<HttpResponse>)> = Vec::new();
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        for item in &listing.items {
            for (name, entry) in item["values"].as_object().into_iter().flatten() {
                if let Some(behaviour) = shows(name, entry)
                    && !seen.iter().any(|(met, _)| *met == behaviour)
                {
                    seen.push((behaviour, listing.first_page().cloned()));
                }
            }
        }
    }
    seen.sort_by_key(|(met, _)| *met);
    let departure = seen.iter().find(|(met, _)| *met != of_the_contract);
    let found = departure.or(seen.first()).cloned();
    let (behaviour, page) = found.ok_or_else(|| Stop::Inconclusive(lacking.to_owned()))?;
    observed(behaviour, &page.iter().collect::<Vec<_>>())
}
