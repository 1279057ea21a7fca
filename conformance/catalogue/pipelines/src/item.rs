//! Cases about the values and the status of an item: they are the same wherever they are read, and consistent with
//! their own rules.

use std::collections::BTreeSet;

use chrono::DateTime;
use regex::Regex;
use serde_json::{Value, json};
use url::Url;

use crate::sample::{SAMPLED, Sampled, listings, sample};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::session::observed::{item_id, items, question_columns};
use engine::target::PipelineRole::ManyItems;
use engine::transport::answer::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::known_part_of;
use platform_contract::{Basis, Contract};

/// The schema of the values of an item, and its keyword for the names of their columns.
const VALUES: &str = "/components/schemas/Values";
/// The schema of one value.
pub(crate) const COLUMN_VALUE: &str = "/components/schemas/ColumnValue";
const KEY_PATTERN: &str = "x-key-pattern";
/// The decision about the states of a question.
pub(crate) const QUESTIONS_END: &str =
    "A question goes from pending to completed, no_answer, failed or skipped, and stays there.";

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
        let case = match rule.sentence {
            Some(sentence) => case.quote(sentence),
            None => case,
        };
        let case = match rule.point {
            Some(point) => case.point(point),
            None => case,
        };
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
        .sends(items)
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
            "every-question-has-an-entry",
            "Every item has an entry for every question of its pipeline",
            VALUES,
        )
        .quote("Every question of the pipeline has its entry, from the moment the item exists.")
        .point("item-questions")
        .check(every_question),
        case(
            "columns-are-field-paths",
            "A column of entity data has the path of a field as its name",
            &columns,
        )
        .point("entity-column-names")
        .check(column_names),
        case(
            "sync-times-have-an-offset",
            "The time of a sync is RFC 3339 with an offset",
            &column("last_synced_at"),
        )
        .quote("Its form is RFC 3339 with an offset; a client also reads a time without one, as UTC.")
        .point("sync-time-form")
        .check(sync_times),
        case(
            "reading-changes-nothing",
            "Reading an item leaves it as it is",
            &values.pointer,
        )
        .sends(3 * items)
        .check(unchanged),
    ];
    cases.extend(rules);
    cases
}

/// A rule for every entry of the values of every item.
pub(crate) struct Rule {
    id: &'static str,
    pub(crate) title: &'static str,
    /// The property that the rule is about, and its sentence if that is not the first one.
    property: &'static str,
    sentence: Option<&'static str>,
    /// The point of the behaviour profile; `None` for a stated rule.
    point: Option<&'static str>,
    /// Whether the entry of a column breaks the rule.
    pub(crate) is_broken: fn(&str, &Value) -> bool,
}

impl Rule {
    /// The decisions that it rests on; empty when the source states it.
    pub(crate) fn decisions(&self, contract: &Contract) -> BTreeSet<String> {
        let pointer = format!("{COLUMN_VALUE}/properties/{}", self.property);
        let basis = match self.sentence {
            Some(sentence) => contract.basis_of(&pointer, sentence),
            None => contract.basis(&pointer),
        };
        let decision = basis.as_ref().and_then(Basis::decision);
        decision.map(str::to_owned).into_iter().collect()
    }
}

pub(crate) const RULES: [Rule; 9] = [
    Rule {
        id: "entity-data-has-no-certainty",
        title: "certainty_score is null for entity data",
        property: "certainty_score",
        sentence: None,
        point: None,
        is_broken: |name, entry| !is_question(name) && !entry["certainty_score"].is_null(),
    },
    Rule {
        id: "entity-data-has-no-status",
        title: "status is null for entity data",
        property: "status",
        sentence: None,
        point: None,
        is_broken: |name, entry| !is_question(name) && !entry["status"].is_null(),
    },
    Rule {
        id: "question-has-a-status",
        title: "A question has an execution status",
        property: "status",
        sentence: None,
        point: None,
        is_broken: |name, entry| is_question(name) && entry["status"].is_null(),
    },
    Rule {
        id: "result-is-empty-unless-completed",
        title: "A question has no result unless it is completed",
        property: "result",
        sentence: Some("Empty unless the question is completed; for entity data, empty unless the field is present."),
        point: Some("result-unless-completed"),
        is_broken: |name, entry| is_question(name) && entry["status"] != "completed" && entry["result"] != json!([]),
    },
    Rule {
        id: "no-certainty-without-an-answer",
        title: "certainty_score is null for a question without an answer",
        property: "certainty_score",
        sentence: Some("and for a question without an answer"),
        point: Some("certainty-without-an-answer"),
        is_broken: |name, entry| {
            is_question(name) && entry["result"] == json!([]) && !entry["certainty_score"].is_null()
        },
    },
    Rule {
        id: "sync-error-exactly-in-error",
        title: "sync_error is set exactly when sync_status is error",
        property: "sync_error",
        sentence: Some("It is set exactly when sync_status is error."),
        point: Some("sync-error"),
        is_broken: |_, entry| (entry["sync_status"] == "error") == entry["sync_error"].is_null(),
    },
    Rule {
        id: "success-has-a-time",
        title: "A value whose sync succeeded has the time of the sync",
        property: "last_synced_at",
        sentence: Some("A later failure leaves it as it is."),
        point: Some("sync-success-time"),
        is_broken: |_, entry| entry["sync_status"] == "success" && entry["last_synced_at"].is_null(),
    },
    Rule {
        id: "references-are-urls",
        title: "Every reference is a URL",
        property: "references/items/format",
        sentence: None,
        point: Some("reference-form"),
        is_broken: |_, entry| {
            let references = entry["references"].as_array().into_iter().flatten();
            references.into_iter().any(|reference| !is_url(reference))
        },
    },
    Rule {
        id: "no-provider-no-sync",
        title: "Without a CRM provider there is no sync status",
        property: "sync_provider",
        sentence: None,
        point: None,
        is_broken: |_, entry| entry["sync_provider"].is_null() && !entry["sync_status"].is_null(),
    },
];

/// Whether a reference is an absolute URL as in RFC 3986, which allows only ASCII.
pub fn is_url(reference: &Value) -> bool {
    let text = reference.as_str().filter(|text| text.is_ascii());
    text.is_some_and(|text| Url::parse(text).is_ok())
}

/// Whether a column holds the answers to a question.
pub fn is_question(column: &str) -> bool {
    column.starts_with("question.")
}

/// Asserts a rule for every entry of every item that can be listed. Each column of a pipeline is one assertion, with
/// the first entry that breaks the rule.
async fn every_entry(probe: Probe, rule: &'static Rule) -> Outcome {
    for listing in listings(&probe).await? {
        let Some(page) = listing.first_page() else {
            continue;
        };
        let entries = || {
            listing.items.iter().flat_map(|item| {
                let entries = item["values"].as_object().into_iter().flatten();
                entries.map(move |(name, entry)| (item_id(item), name, entry))
            })
        };
        for column in entries().map(|(_, name, _)| name).collect::<BTreeSet<_>>() {
            let mine = entries().filter(|(_, name, _)| *name == column);
            let mut wrong = mine.filter(|(_, name, entry)| (rule.is_broken)(name, entry));
            let first = wrong.next();
            let seen = first.map_or_else(String::new, |(item, _, entry)| {
                format!("item {item} has {entry}, and {} more break the rule", wrong.count())
            });
            probe.assert(
                first.is_none(),
                column,
                "an entry that follows the clause",
                seen,
                &[page],
            );
        }
    }
    Ok(())
}

async fn values_agree(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        let (mut listed, mut page) = (sampled.item.clone(), sampled.page.clone());
        let mut answer = sampled.read(&probe, "get_item_values").await?;
        if settled_parts(&probe, &listed, &answer.body).is_some_and(|(one, other)| one != other) {
            // The item may have changed since the list was read.
            page = list_item(&probe, &sampled).await?;
            answer = sampled.read(&probe, "get_item_values").await?;
            listed = items(&page).first().cloned().unwrap_or_default();
        }
        if let Some((listed, read)) = settled_parts(&probe, &listed, &answer.body) {
            let what = format!("item {}", sampled.id());
            probe.assert_same(&what, &listed, &read, &[&answer, &page]);
        }
    }
    Ok(())
}

/// Reads the page that contains only this item.
async fn list_item(probe: &Probe, sampled: &Sampled) -> Result<Answer, Stop> {
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
            let answer = sampled.read(&probe, operation).await?;
            let expect = probe.expect(&answer);
            let expect = expect.body("/pipeline_id", sampled.pipeline_id);
            expect.body("/pipeline_item_id", sampled.id());
        }
    }
    Ok(())
}

async fn conjunction(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        let answer = sampled.read(&probe, "get_item_status").await?;
        assert_conjunction(&probe, &answer);
    }
    Ok(())
}

pub(crate) fn assert_conjunction(probe: &Probe, status: &Answer) {
    let is = |stage: &str| status.body[stage] == true;
    let all = is("document_indexed") && is("custom_questions_answered") && is("platform_entity_data_ready");
    probe.assert(status.body["is_ready"] == all, "is_ready", all, &status.text, &[status]);
}

async fn questions_answered(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        let before = sampled.read(&probe, "get_item_values").await?;
        let status = sampled.read(&probe, "get_item_status").await?;
        let after = sampled.read(&probe, "get_item_values").await?;
        // Two equal reads show that nothing changed between them.
        if pending(&before.body) == pending(&after.body) {
            let expected = pending(&before.body) == 0;
            let seen = &status.body["custom_questions_answered"];
            // It is stated that a pending question has not reached a terminal state, whatever the terminal states are.
            let decisions = (!expected).then(BTreeSet::new);
            probe.assert_as(
                decisions,
                *seen == expected,
                "the body at /custom_questions_answered",
                expected,
                seen,
                &[&status, &before],
            );
        }
    }
    Ok(())
}

/// The number of pending questions of an item.
pub fn pending(item: &Value) -> usize {
    let entries = item["values"].as_object().into_iter().flatten();
    entries.filter(|(_, entry)| entry["status"] == "pending").count()
}

async fn document_indexed(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        let item = &sampled.item;
        if item["document_id"].is_null() && item["entity_type"] != "document" {
            let answer = sampled.read(&probe, "get_item_status").await?;
            probe.expect(&answer).body("/document_indexed", true);
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

async fn unchanged(probe: Probe) -> Outcome {
    for sampled in sample(&probe).await? {
        if !is_settled(&sampled.item) {
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
/// When the contract's pattern cannot be parsed, which is a fault of the catalogue.
pub fn key_pattern(contract: &Contract) -> Result<Regex, Stop> {
    let pattern = contract.get(&format!("{VALUES}/{KEY_PATTERN}"));
    let pattern = pattern.and_then(Value::as_str).unwrap_or_default();
    Regex::new(pattern).map_err(|error| Stop::Errored(format!("a fault of the case: {error}")))
}

async fn column_names(probe: Probe) -> Outcome {
    let pattern = key_pattern(probe.contract())?;
    let mut looked_at = false;
    for listing in listings(&probe).await? {
        let columns = listing.items.iter();
        let columns = columns.flat_map(|item| item["values"].as_object().into_iter().flatten());
        let columns: BTreeSet<_> = columns.map(|(name, _)| name).collect();
        let Some(page) = listing.first_page() else {
            continue;
        };
        for column in columns.into_iter().filter(|column| !is_question(column)) {
            looked_at = true;
            let holds = pattern.is_match(column);
            let expected = format!("a name that matches {pattern}");
            probe.assert(holds, "the name of a column", expected, column, &[page]);
        }
    }
    match looked_at {
        true => Ok(()),
        false => probe.inconclusive("an item with a column of entity data"),
    }
}

/// Whether a time has the form of RFC 3339, with an offset.
pub fn has_offset(time: &str) -> bool {
    DateTime::parse_from_rfc3339(time).is_ok()
}

async fn sync_times(probe: Probe) -> Outcome {
    let mut looked_at = false;
    for listing in listings(&probe).await? {
        let entries = listing.items.iter();
        let entries = entries.flat_map(|item| item["values"].as_object().into_iter().flatten());
        let times = entries.map(|(_, entry)| &entry["last_synced_at"]);
        let times: Vec<_> = times.filter(|time| !time.is_null()).collect();
        let Some(page) = listing.first_page().filter(|_| !times.is_empty()) else {
            continue;
        };
        looked_at = true;
        let wrong = times.iter().find(|time| !time.as_str().is_some_and(has_offset));
        let seen = wrong.map_or_else(String::new, |time| time.to_string());
        let expected = "a date and time as in RFC 3339, such as 2026-03-31T12:00:00Z";
        probe.assert(wrong.is_none(), "last_synced_at", expected, seen, &[page]);
    }
    match looked_at {
        true => Ok(()),
        false => probe.inconclusive("a value with the time of a sync"),
    }
}
