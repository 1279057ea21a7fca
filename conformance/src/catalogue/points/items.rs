//! Values and readiness of items: what the source names and does not define.

use serde_json::{Value, json};

use super::sight::{Seen, saw, saw_other, untold};
use super::{Point, point};
use crate::case::Need;
use crate::catalogue::item_values::{has_offset, is_question, key_pattern};
use crate::client::Answer;
use crate::observed::item_id;
use crate::probe::Probe;
use crate::target::PipelineRole::ManyItems;
use crate::verdict::Stop;

/// How many items of a pipeline are read one by one.
const SAMPLE: usize = 4;

pub(super) fn points() -> Vec<Point> {
    let points = vec![
        point(
            "readiness-without-a-document",
            "Is document_indexed true for an item without a document?",
            ("indexed", Value::Null, "It is true."),
        )
        .or("not-indexed", "It is false.")
        .found_out("Reads the status of ready items that have no document.")
        .governing(["item/document-indexed-without-a-document"])
        .by(readiness),
        point(
            "result-unless-completed",
            "Has a question that is not completed a result?",
            ("empty", Value::Null, "No: its result is an empty list."),
        )
        .or("kept", "Yes: some such question has one.")
        .found_out("Looks at every question of every item that can be listed.")
        .governing(["item/result-is-empty-unless-completed"])
        .by(|probe| {
            entries(probe, "a question that is not completed", |name, entry| {
                let unfinished = name.starts_with("question.") && entry["status"] != "completed";
                unfinished.then(|| {
                    if entry["result"] == json!([]) {
                        "empty"
                    } else {
                        "kept"
                    }
                })
            })
        }),
        point(
            "sync-error",
            "When is sync_error set?",
            (
                "exactly-in-error",
                Value::Null,
                "Exactly when sync_status is error.",
            ),
        )
        .or(
            "kept",
            "It stays when the sync has succeeded or was started again.",
        )
        .or("not-told", "It is null although sync_status is error.")
        .found_out("Looks at every value of every item that can be listed.")
        .governing(["item/sync-error-exactly-in-error"])
        .by(|probe| {
            entries(probe, "a value that was synced", |_, entry| {
                match (
                    entry["sync_status"] == "error",
                    entry["sync_error"].is_null(),
                ) {
                    (true, true) => Some("not-told"),
                    (false, false) => Some("kept"),
                    (true, false) => Some("exactly-in-error"),
                    (false, true) => None,
                }
            })
        }),
        point(
            "sync-success-time",
            "Has a value whose sync succeeded the time of it?",
            ("told", Value::Null, "Yes: last_synced_at is set."),
        )
        .or("not-told", "No: some such value has none.")
        .found_out("Looks at every value of every item that can be listed.")
        .governing(["item/success-has-a-time"])
        .by(|probe| {
            entries(probe, "a value whose sync succeeded", |_, entry| {
                let succeeded = entry["sync_status"] == "success";
                succeeded.then(|| {
                    if entry["last_synced_at"].is_null() {
                        "not-told"
                    } else {
                        "told"
                    }
                })
            })
        }),
        point(
            "entity-column-names",
            "What are the names of columns of entity data?",
            (
                "field-paths",
                Value::Null,
                "Paths of fields, such as organization.metrics.employee_count.",
            ),
        )
        .or(
            "other-names",
            "Some column has a name that is not such a path.",
        )
        .found_out("Looks at every column of every item that can be listed.")
        .governing(["item/columns-are-field-paths"])
        .by(|probe| async move {
            let pattern = key_pattern()?;
            let shows = move |name: &str, _: &Value| match is_question(name) {
                true => None,
                false if pattern.is_match(name) => Some("field-paths"),
                false => Some("other-names"),
            };
            entries(probe, "an item with a column of entity data", shows).await
        }),
        point(
            "sync-time-form",
            "Has the time of a sync an offset?",
            ("with-an-offset", Value::Null, "Yes: its form is RFC 3339."),
        )
        .or("another-form", "No, or its form is another one.")
        .found_out("Looks at every value of every item that can be listed.")
        .governing(["item/sync-times-have-an-offset"])
        .by(|probe| {
            entries(probe, "a value with the time of a sync", |_, entry| {
                let time = Some(&entry["last_synced_at"]).filter(|time| !time.is_null())?;
                match time.as_str().is_some_and(has_offset) {
                    true => Some("with-an-offset"),
                    false => Some("another-form"),
                }
            })
        }),
    ];
    points
        .into_iter()
        .map(|point| point.needs([Need::Pipeline(ManyItems)]))
        .collect()
}

async fn readiness(probe: Probe) -> Seen {
    let mut told: Option<(bool, Answer)> = None;
    for pipeline in &probe.known().pipelines {
        let listing = probe.listing(pipeline.pipeline_id, None, None).await?;
        let without = listing
            .items
            .iter()
            .filter(|item| item["document_id"].is_null());
        for item in without.take(SAMPLE) {
            let call = probe
                .call("get_item_status")
                .path("pipeline_id", pipeline.pipeline_id);
            let answer = probe.ok(call.path("pipeline_item_id", item_id(item)).send().await?)?;
            let Some(indexed) = answer.at("/document_indexed").as_bool() else {
                return saw_other("no boolean", &[&answer]);
            };
            match &told {
                Some((before, other)) if *before != indexed => {
                    return saw_other("true of some, false of others", &[other, &answer]);
                }
                _ => told = Some((indexed, answer)),
            }
        }
    }
    match told {
        None => untold("an item without a document"),
        Some((true, answer)) => saw("indexed", &[&answer]),
        Some((false, answer)) => saw("not-indexed", &[&answer]),
    }
}

/// What the entries of all items that can be listed show, where they show anything: one that differs from
/// the others tells more than they do.
async fn entries(
    probe: Probe,
    lacking: &'static str,
    shows: impl Fn(&str, &Value) -> Option<&'static str>,
) -> Seen {
    let mut seen: Vec<(&'static str, Option<Answer>)> = Vec::new();
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
    seen.sort_by_key(|(behaviour, _)| *behaviour);
    let rule = [
        "empty",
        "exactly-in-error",
        "field-paths",
        "told",
        "with-an-offset",
    ];
    let departure = seen.iter().find(|(behaviour, _)| !rule.contains(behaviour));
    let found = departure.or(seen.first()).cloned();
    let (behaviour, page) = found.ok_or_else(|| Stop::Inconclusive(lacking.to_owned()))?;
    saw(behaviour, &page.iter().collect::<Vec<_>>())
}
