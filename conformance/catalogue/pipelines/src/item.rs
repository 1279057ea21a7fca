//! Cases about the values and the status of an item: they are the same wherever they are read, and consistent with
//! their own rules.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::Value;

use crate::entry::every_entry;
use crate::sample::{SAMPLED, SAMPLED_WITH_DOCUMENTS, Sampled, listings, sample, sample_with_documents};
pub use crate::sample::{entity_columns, pending};
use crate::sync::{LAST_SYNC, past_syncs, sync_times, times_of_iso_8601};
use engine::case::{Case, Need};
use engine::rules::entry::{COLUMN_VALUE, RULES, is_question};
use engine::rules::item::has_every_condition;
use engine::session::Probe;
use engine::session::observed::{item_id, items, question_columns};
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;
use platform_contract::known_part_of;

/// The form of the name of a question column.
const QUESTION_ID: &str = "/components/schemas/QuestionColumnId/pattern";
/// The schema of the values of an item, and its keyword for the names of their columns.
pub(crate) const VALUES: &str = "/components/schemas/Values";
const KEY_PATTERN: &str = "x-key-pattern";
/// The decision about the states of a question.
pub(crate) const QUESTIONS_END: &str =
    "A question goes from pending to completed, no_answer, failed or skipped, and stays there.";

/// The decision about the columns of entity data.
pub(crate) const SAME_COLUMNS: &str =
    "All items of a pipeline have the same columns of entity data; where a field is not known, result is empty.";

/// The cause of a finding about columns of entity data that only some responses have.
const COLUMNS_WITHOUT_VALUES: &str = "columns of entity data without a value";

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let (values, status) = (
        contract.operation("get_item_values"),
        contract.operation("get_item_status"),
    );
    let column = |property: &str| format!("{COLUMN_VALUE}/properties/{property}");
    let readiness = |property: &str| format!("/components/schemas/ItemStatus/properties/{property}");
    let columns = format!("{VALUES}/{KEY_PATTERN}");
    let case = |id: &str, title: &str, pointer: &str| {
        // Every pipeline is walked.
        Case::new(format!("item/{id}"), title, pointer)
            .on([&*contract.operation("list_items").id, &*values.id, &*status.id])
            .needs([Need::Pipeline(ManyItems)])
            .walks(200)
    };
    // The limit on the items that are read individually, once each.
    let items = u64::try_from(SAMPLED).unwrap_or(u64::MAX);
    let rules = RULES.iter().map(|rule| {
        let case = case(rule.id, rule.title, &column(rule.property));
        let case = rule.sentence.into_iter().fold(case, Case::quote);
        let case = rule.point.into_iter().fold(case, Case::point);
        case.check(|probe| every_entry(probe, rule))
    });
    let mut cases = vec![
        case(
            "values-agree-with-the-list",
            "Reading an item's values shows what the list shows",
            &values.pointer,
        )
        .sends(items)
        .check(values_agree),
        case(
            "values-name-what-was-asked-for",
            "Values and status name the pipeline and the item from the request",
            &values.pointer,
        )
        .and(&status.pointer)
        .sends(2 * items)
        .check(named),
        case(
            "is-ready-is-the-conjunction",
            "is_ready is true exactly when its three conditions are",
            &readiness("is_ready"),
        )
        .sends(SAMPLED_WITH_DOCUMENTS as u64)
        .check(conjunction),
        case(
            "answered-when-no-question-is-pending",
            "custom_questions_answered is true exactly when no question is pending",
            &readiness("custom_questions_answered"),
        )
        .and_quote(COLUMN_VALUE, QUESTIONS_END)
        .point("questions-answered")
        .sends(3 * items)
        .check(questions_answered),
        case(
            "document-indexed-without-a-document",
            "document_indexed is true for an item without a document",
            &readiness("document_indexed"),
        )
        .quote("True for an item without a document.")
        .point("readiness-without-a-document")
        .sends(items)
        .check(document_indexed),
        case(
            "entity-has-its-id",
            "An item has the id that its entity_type names",
            "/components/schemas/PipelineItem",
        )
        .quote("The id that entity_type names is present; the others may be.")
        .and("/components/schemas/EntityType")
        .point("item-entity-id")
        .check(entity_ids),
        case(
            "id-is-of-one-item",
            "No two items have the same id, in whatever pipelines they are",
            "/components/schemas/PipelineItemId",
        )
        .quote("Unique identifier of the item")
        .check(unique_ids),
        case(
            "every-question-has-an-entry",
            "Every item has an entry for every question of its pipeline",
            VALUES,
        )
        .quote("Every question of the pipeline has its entry, from the moment the item exists.")
        .point("item-questions")
        .check(every_question),
        case(
            "every-entity-column-has-an-entry",
            "All items of a pipeline have the same columns of entity data",
            VALUES,
        )
        .quote(SAME_COLUMNS)
        .point("item-entity-columns")
        .check(every_entity_column),
        case(
            "columns-are-field-paths",
            "A column of entity data has the path of a field as its name",
            &columns,
        )
        .point("entity-column-names")
        .check(column_names),
        case(
            "questions-have-numbers",
            "The column of a question has the number of the question",
            QUESTION_ID,
        )
        .point("question-ids")
        .check(question_ids),
        case(
            "sync-times-have-an-offset",
            "The time of a sync is RFC 3339 with an offset",
            &column("last_synced_at"),
        )
        .quote("Its form is RFC 3339 with an offset; a client also reads a time without one, as UTC.")
        .point("sync-time-form")
        .check(sync_times),
        case(
            "sync-times-are-iso-8601",
            "The time of a sync is a time of ISO 8601",
            &column("last_synced_at"),
        )
        .quote("ISO 8601")
        .check(times_of_iso_8601),
        case(
            "sync-times-are-past",
            "The time of a sync is not later than the response that shows it",
            &column("last_synced_at"),
        )
        .quote(LAST_SYNC)
        .check(past_syncs),
        case(
            "reading-changes-nothing",
            "Reading an item leaves it as it is",
            &values.pointer,
        )
        .sends(3 * items)
        .check(unchanged),
    ];
    cases.extend(rules);
    cases.push(crate::entity::case(contract));
    cases
}

async fn values_agree(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        let (mut listed, mut page) = (sampled.item.clone(), sampled.page.clone());
        let mut response = sampled.read(&probe, "get_item_values").await?;
        if settled_parts(&probe, &listed, &response.body).is_some_and(|(one, other)| one != other) {
            // The item may have changed since the list was read.
            page = list_item(&probe, &sampled).await?;
            response = sampled.read(&probe, "get_item_values").await?;
            listed = items(&page).first().cloned().unwrap_or_default();
        }
        if let Some((listed, read)) = settled_parts(&probe, &listed, &response.body) {
            let what = format!("item {}", sampled.id());
            assert_same_item(&probe, &what, &listed, &read, &[&response, &page]);
        }
    }
    Ok(())
}

/// Reads the page that contains only this item.
async fn list_item(probe: &Probe, sampled: &Sampled) -> Result<HttpResponse, Stop> {
    let call = probe.call("list_items");
    let call = call.path("pipeline_id", sampled.pipeline_id);
    let call = call.query("skip", sampled.place).query("limit", 1);
    probe.ok(call.send().await?)
}

/// The part of an item that the contract describes, from two reads, without the entries that a background process may
/// have changed in between. `None` if the ids differ: the list has changed.
fn settled_parts(probe: &Probe, one: &Value, other: &Value) -> Option<(Value, Value)> {
    let mut parts = [one, other].map(|item| known_item(probe.contract(), item));
    let unsettled: Vec<String> = parts
        .iter()
        .flat_map(|item| item["values"].as_object().into_iter().flatten())
        .filter(|(_, entry)| !is_settled_entry(entry))
        .map(|(column, _)| column.clone())
        .collect();
    for values in parts.iter_mut().filter_map(|item| item["values"].as_object_mut()) {
        values.retain(|column, _| !unsettled.contains(column));
    }
    let [one, other] = parts;
    (one["pipeline_item_id"] == other["pipeline_item_id"]).then_some((one, other))
}

/// The part of an item that the contract describes: a deployment may add members to one response and not to another.
pub(crate) fn known_item(contract: &Contract, item: &Value) -> Value {
    known_part_of(contract, contract.operation("get_item_values"), item)
}

/// Asserts that two responses show the same item. Where they differ only in columns of entity data that one of them
/// has without a value and the other not at all, this rests on the decision about these columns.
pub(crate) fn assert_same_item(probe: &Probe, what: &str, expected: &Value, seen: &Value, evidence: &[&HttpResponse]) {
    match expected != seen && are_alike(expected, seen) {
        true => {
            let of_columns = probe.due_to(COLUMNS_WITHOUT_VALUES, VALUES, SAME_COLUMNS);
            of_columns.assert_same(what, expected, seen, evidence);
        }
        false => probe.assert_same(what, expected, seen, evidence),
    }
}

/// Whether two reads of an item show the same, apart from columns of entity data that one of them has without a value
/// and the other not at all.
pub(crate) fn are_alike(one: &Value, other: &Value) -> bool {
    shown_of(one, other) == shown_of(other, one)
}

/// An item without the columns of entity data that have no value and that another read of it does not have.
fn shown_of(item: &Value, other: &Value) -> Value {
    let mut item = item.clone();
    if let Some(values) = item["values"].as_object_mut() {
        let is_empty = |entry: &Value| entry["result"].as_array().is_none_or(Vec::is_empty);
        values.retain(|column, entry| is_question(column) || !is_empty(entry) || other["values"].get(column).is_some());
    }
    item
}

/// Whether no background process is about to change an item.
pub(crate) fn is_settled(item: &Value) -> bool {
    let mut entries = item["values"].as_object().into_iter().flatten();
    entries.all(|(_, entry)| is_settled_entry(entry))
}

fn is_settled_entry(entry: &Value) -> bool {
    entry["status"] != "pending" && entry["sync_status"] != "pending"
}

async fn named(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        for operation in ["get_item_values", "get_item_status"] {
            let response = sampled.read(&probe, operation).await?;
            let expect = probe.expect(&response);
            let expect = expect.body("/pipeline_id", sampled.pipeline_id);
            expect.body("/pipeline_item_id", sampled.id());
        }
    }
    Ok(())
}

async fn conjunction(probe: Probe) -> Outcome {
    for sampled in sample_with_documents(&probe).await? {
        let response = sampled.read(&probe, "get_item_status").await?;
        assert_conjunction(&probe, &response);
    }
    Ok(())
}

/// Asserts that an item is ready exactly when all stages are, as the source states.
pub(crate) fn assert_conjunction(probe: &Probe, status: &HttpResponse) {
    let all = has_every_condition(&status.body);
    let holds = status.body["is_ready"] == all;
    probe.assert_as(Some(BTreeSet::new()), holds, "is_ready", all, &status.text, &[status]);
}

async fn questions_answered(probe: Probe) -> Outcome {
    let mut looks = Vec::new();
    for sampled in sample(&probe).await? {
        let before = sampled.read(&probe, "get_item_values").await?;
        let status = sampled.read(&probe, "get_item_status").await?;
        let after = sampled.read(&probe, "get_item_values").await?;
        // Two equal reads show that nothing changed between them.
        if pending(&before.body) == pending(&after.body) {
            looks.push((sampled.pipeline_id, before, status));
        }
    }
    let answered = |status: &HttpResponse| status.body["custom_questions_answered"].clone();
    let questions = |pipeline_id: u64, values: &HttpResponse| -> (u64, BTreeSet<_>) {
        (pipeline_id, question_columns(&values.body).into_iter().collect())
    };
    // Those of an item that was answered are all questions that are configured, and their statuses are terminal. A
    // question that was executed has ended, with an answer or without one.
    let executed = ["completed", "no_answer"].map(|status| Value::from(status).to_string());
    let (mut configured, mut terminal) = (BTreeSet::new(), BTreeSet::from(executed));
    for (pipeline_id, values, _) in looks.iter().filter(|(_, _, status)| answered(status) == true) {
        configured.insert(questions(*pipeline_id, values));
        terminal.extend(statuses(&values.body));
    }
    // Where questions are shown before they are executed, all that any item shows are those that are configured.
    for listing in listings(&probe).await? {
        let waiting = listing.items.iter().find(|item| pending(item) > 0);
        if let Some(pipeline_id) = waiting.and_then(|item| item["pipeline_id"].as_u64()) {
            configured.insert((pipeline_id, listing.items.iter().flat_map(question_columns).collect()));
        }
    }
    for (pipeline_id, values, status) in &looks {
        let expected = pending(&values.body) == 0;
        // It is stated that a pending question has not reached a terminal state, whatever the terminal states are, and
        // that all configured questions having reached one is what answered means.
        let have_ended = || statuses(&values.body).all(|status| terminal.contains(&status));
        let is_stated = !expected || configured.contains(&questions(*pipeline_id, values)) && have_ended();
        let seen = answered(status);
        probe.assert_as(
            is_stated.then(BTreeSet::new),
            seen == expected,
            "the body at /custom_questions_answered",
            expected,
            seen,
            &[status, values],
        );
    }
    Ok(())
}

/// The statuses of the questions of an item.
fn statuses(item: &Value) -> impl Iterator<Item = String> {
    let entries = item["values"].as_object().into_iter().flatten();
    let questions = entries.filter(|(name, _)| is_question(name));
    questions.map(|(_, entry)| entry["status"].to_string())
}

async fn document_indexed(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        let item = &sampled.item;
        if item["document_id"].is_null() && item["entity_type"] != "document" {
            let response = sampled.read(&probe, "get_item_status").await?;
            probe.expect(&response).body("/document_indexed", true);
        }
    }
    Ok(())
}

/// The member with the id of an item's entity: `person_id`, `document_id` or `organization_id`.
pub fn entity_id_of(item: &Value) -> String {
    format!("{}_id", item["entity_type"].as_str().unwrap_or_default())
}

async fn entity_ids(probe: Probe) -> Outcome {
    for listing in listings(&probe).await? {
        let Some(page) = listing.first_page().filter(|_| !listing.items.is_empty()) else {
            continue;
        };
        let lacking = listing.items.iter().find(|item| item[entity_id_of(item)].is_null());
        let seen = lacking.map_or_else(String::new, |item| {
            format!("item {} is a {} without", item_id(item), item["entity_type"])
        });
        probe.assert(
            lacking.is_none(),
            "the id of an item's entity",
            "an id that is not null",
            seen,
            &[page],
        );
    }
    Ok(())
}

async fn every_question(probe: Probe) -> Outcome {
    for listing in listings(&probe).await? {
        let questions: BTreeSet<_> = listing.items.iter().flat_map(question_columns).collect();
        let Some(page) = listing.first_page().filter(|_| !questions.is_empty()) else {
            continue;
        };
        let lacking = listing
            .items
            .iter()
            .find(|item| question_columns(item).len() < questions.len());
        let seen = lacking.map_or_else(String::new, |item| {
            format!("item {} has {:?}", item_id(item), question_columns(item))
        });
        probe.assert(
            lacking.is_none(),
            "the questions of every item",
            format!("{questions:?}"),
            seen,
            &[page],
        );
    }
    Ok(())
}

async fn every_entity_column(probe: Probe) -> Outcome {
    let mut compared = false;
    for listing in listings(&probe).await? {
        let all: BTreeSet<_> = listing.items.iter().flat_map(entity_columns).collect();
        let is_comparable = !all.is_empty() && listing.items.len() > 1;
        let Some(page) = listing.first_page().filter(|_| is_comparable) else {
            continue;
        };
        compared = true;
        let lacking = listing.items.iter().find(|item| entity_columns(item).len() < all.len());
        let seen = lacking.map_or_else(String::new, |item| {
            format!("item {} has {:?}", item_id(item), entity_columns(item))
        });
        let what = "the columns of entity data of every item";
        probe.assert(lacking.is_none(), what, format!("{all:?}"), seen, &[page]);
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("two items of a pipeline with a column of entity data"),
    }
}

async fn unique_ids(probe: Probe) -> Outcome {
    let listings = listings(&probe).await?;
    let mut seen = BTreeMap::new();
    for listing in &listings {
        for item in &listing.items {
            let Some(page) = listing.first_page() else {
                continue;
            };
            let pipeline = &item["pipeline_id"];
            let Some((other, first)) = seen
                .insert(item_id(item), (pipeline, page))
                .filter(|(other, _)| *other != pipeline)
            else {
                continue;
            };
            let what = format!("the id {}", item_id(item));
            let found = format!("an item of the pipeline {other} and one of {pipeline}");
            probe.assert(false, &what, "one item", found, &[first, page]);
            return Ok(());
        }
    }
    match listings.iter().filter(|listing| !listing.items.is_empty()).count() {
        0 | 1 => probe.inconclusive("two pipelines with items"),
        _ => {
            probe.assert(true, "the ids of all items", "one item each", "", &[]);
            Ok(())
        }
    }
}

async fn unchanged(probe: Probe) -> Outcome {
    let writable = probe.known().roles.get(&Writable);
    for sampled in sample(&probe).await? {
        // What an earlier run added may still be on its way, and change between two reads.
        if !is_settled(&sampled.item) || Some(&sampled.pipeline_id) == writable {
            continue;
        }
        let before = sampled.read(&probe, "get_item_values").await?;
        sampled.read(&probe, "get_item_status").await?;
        let after = sampled.read(&probe, "get_item_values").await?;
        probe.assert_same(
            &format!("item {}", sampled.id()),
            &known_item(probe.contract(), &before.body),
            &known_item(probe.contract(), &after.body),
            &[&before, &after],
        );
    }
    Ok(())
}

/// The pattern of column names.
///
/// # Errors
/// When the contract's pattern cannot be parsed, which is a bug in the catalogue.
pub fn key_pattern(contract: &Contract) -> Result<Regex, Stop> {
    pattern_at(contract, &format!("{VALUES}/{KEY_PATTERN}"))
}

/// The pattern of the names of question columns.
///
/// # Errors
/// When it is not a regular expression.
pub fn question_pattern(contract: &Contract) -> Result<Regex, Stop> {
    pattern_at(contract, QUESTION_ID)
}

fn pattern_at(contract: &Contract, pointer: &str) -> Result<Regex, Stop> {
    let pattern = contract.get(pointer).and_then(Value::as_str).unwrap_or_default();
    Regex::new(pattern).map_err(|error| Stop::Errored(format!("a bug in the case: {error}")))
}

/// A word after `question.` also has the form of a path of fields, so the pattern of all names does not tell.
async fn question_ids(probe: Probe) -> Outcome {
    let pattern = question_pattern(probe.contract())?;
    assert_names(&probe, &pattern, is_question, "an item with a question").await
}

async fn column_names(probe: Probe) -> Outcome {
    let pattern = key_pattern(probe.contract())?;
    let is_of_entity = |column: &str| !is_question(column);
    assert_names(&probe, &pattern, is_of_entity, "an item with a column of entity data").await
}

/// Asserts that the names of all columns of a kind match a pattern.
async fn assert_names(probe: &Probe, pattern: &Regex, is_meant: fn(&str) -> bool, lacking: &str) -> Outcome {
    let mut looked_at = false;
    for listing in listings(probe).await? {
        let columns = listing.items.iter();
        let columns = columns.flat_map(|item| item["values"].as_object().into_iter().flatten());
        let columns: BTreeSet<_> = columns.map(|(name, _)| name).collect();
        let Some(page) = listing.first_page() else {
            continue;
        };
        for column in columns.into_iter().filter(|column| is_meant(column)) {
            looked_at = true;
            let holds = pattern.is_match(column);
            let expected = format!("a name that matches {pattern}");
            probe.assert(holds, "the name of a column", expected, column, &[page]);
        }
    }
    match looked_at {
        true => Ok(()),
        false => probe.inconclusive(lacking),
    }
}
