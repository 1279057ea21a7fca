//! The rules for every entry of the values of every item, as a table: they need no known data.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use url::Url;

pub use crate::sample::is_question;
use crate::sample::listings;
use engine::session::Probe;
use engine::session::observed::item_id;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::{Basis, Contract};

/// The schema of one value.
pub(crate) const COLUMN_VALUE: &str = "/components/schemas/ColumnValue";

/// A rule for every entry of the values of every item.
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// The property that the rule is about, and its sentence if that is not the first one.
    pub(crate) property: &'static str,
    pub(crate) sentence: Option<&'static str>,
    /// The point of the behaviour profile; `None` for a stated rule.
    pub(crate) point: Option<&'static str>,
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

/// Texts that stand for nothing, and are the name of no CRM provider.
const NO_NAMES: [&str; 8] = ["", "-", "n/a", "nil", "none", "null", "undefined", "not configured"];

pub(crate) const RULES: [Rule; 12] = [
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
        id: "no-result-is-an-empty-text",
        title: "A result of entity data is empty where the field is not known, instead of an empty text or null",
        property: "result",
        sentence: Some("Empty unless the question is completed; for entity data, empty unless the field is present."),
        point: Some("result-unless-completed"),
        is_broken: |name, entry| {
            let values = entry["result"].as_array().filter(|_| !is_question(name));
            // Other kinds may come with a value, null among them.
            values.is_some_and(|values| {
                let is_nothing = !values.is_empty() && values.iter().all(Value::is_null);
                is_nothing || values.iter().any(|value| value == "")
            })
        },
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
        // An empty text is not a message.
        is_broken: |_, entry| match entry["sync_status"] == "error" {
            true => entry["sync_error"].is_null() || entry["sync_error"] == "",
            false => !entry["sync_error"].is_null(),
        },
    },
    Rule {
        id: "success-has-a-time",
        title: "A value whose sync succeeded has the time of the sync",
        property: "last_synced_at",
        sentence: None,
        point: None,
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
    Rule {
        id: "provider-has-a-name",
        title: "A CRM provider has a name: sync_provider is null instead of a text for nothing",
        property: "sync_provider",
        sentence: None,
        point: None,
        is_broken: |_, entry| {
            let name = entry["sync_provider"].as_str();
            name.is_some_and(|name| NO_NAMES.contains(&&*name.trim().to_lowercase()))
        },
    },
    Rule {
        id: "never-synced-has-no-time",
        title: "A value without a sync status was never synced, and has no time of a sync",
        property: "last_synced_at",
        sentence: Some("It is null as long as sync_status is null."),
        point: Some("sync-time-without-a-status"),
        is_broken: |_, entry| entry["sync_status"].is_null() && !entry["last_synced_at"].is_null(),
    },
];

/// Whether a reference is an absolute URL as in RFC 3986, which allows only ASCII.
pub fn is_url(reference: &Value) -> bool {
    let text = reference.as_str().filter(|text| text.is_ascii());
    text.is_some_and(|text| Url::parse(text).is_ok())
}

/// Asserts every rule for the entries of one item, as a response shows it at one moment.
pub(crate) fn assert_entries(probe: &Probe, item: &HttpResponse) {
    for rule in &RULES {
        let entries = item.body["values"].as_object().into_iter().flatten();
        let mut wrong = entries.filter(|(column, entry)| (rule.is_broken)(column, entry));
        let first = wrong.next();
        let seen = first.map_or_else(String::new, |(column, entry)| format!("{column} is {entry}"));
        let decisions = Some(rule.decisions(probe.contract()));
        probe.assert_as(
            decisions,
            first.is_none(),
            rule.title,
            "entries that follow it",
            seen,
            &[item],
        );
    }
}

/// Asserts a rule for every entry of every item that can be listed. Each column of a pipeline is one assertion, with
/// the first entry that breaks the rule.
pub(crate) async fn every_entry(probe: Probe, rule: &'static Rule) -> Outcome {
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
