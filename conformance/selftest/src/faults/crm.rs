//! Values that say of CRM sync what cannot be.

use serde_json::{Value, json};

use crate::fault::{Family, Fault, fault, property};
use crate::witness::{Witness, add_organization, get};

pub(super) const FAMILY: Family = Family {
    name: "crm",
    title: "CRM sync",
    faults,
};

fn faults() -> Vec<Fault> {
    let of = |name| property("ColumnValue", name);
    let entry = |name: &str, clause: String, wrong: &'static str, witness: Witness, change: fn(&mut Value)| {
        fault(name, clause, wrong)
            .shown_by([witness])
            .answer(move |_, answered| answered.entries(|_, entry| change(entry)))
    };
    vec![
        entry(
            "never-synced-has-a-time",
            of("last_synced_at"),
            "A value that was never synced has the time of a sync.",
            get("/api/v1/pipelines/2/items"),
            |entry| {
                if entry["sync_status"].is_null() {
                    entry["last_synced_at"] = json!("1970-01-01T00:00:00Z");
                }
            },
        ),
        entry(
            "no-provider-is-an-empty-text",
            of("sync_provider"),
            "Without a CRM, the provider is an empty text.",
            get("/api/v1/pipelines/2/items"),
            |entry| {
                if entry["sync_provider"].is_null() {
                    entry["sync_provider"] = json!("");
                }
            },
        ),
        entry(
            "never-synced-has-an-error",
            of("sync_error"),
            "A value that was never synced has the message of a failed sync.",
            get("/api/v1/pipelines/2/items"),
            |entry| {
                if entry["sync_status"].is_null() {
                    entry["sync_error"] = json!("No CRM is configured.");
                }
            },
        ),
        entry(
            "provider-is-blank",
            of("sync_provider"),
            "The name of the provider is a space.",
            get("/api/v1/pipelines/5/items"),
            |entry| {
                if !entry["sync_provider"].is_null() {
                    entry["sync_provider"] = json!(" ");
                }
            },
        ),
        entry(
            "no-provider-is-a-word",
            of("sync_provider"),
            "Without a CRM, the provider is the word none.",
            get("/api/v1/pipelines/2/items"),
            |entry| {
                if entry["sync_provider"].is_null() {
                    entry["sync_provider"] = json!("None");
                }
            },
        ),
        fault(
            "new-item-was-synced-before",
            of("last_synced_at"),
            "The values of a new item have the time of a sync before they are synced.",
        )
        .shown_by([add_organization(1001)])
        .answer(|asked, answered| {
            if asked.calls("add_organization") {
                answered.entries(|_, entry| entry["last_synced_at"] = json!("2026-01-12T09:00:00Z"));
            }
        }),
        entry(
            "last-sync-is-to-come",
            of("last_synced_at"),
            "The time of a sync is that of the next one, which is to come.",
            get("/api/v1/pipelines/5/items"),
            |entry| {
                if !entry["last_synced_at"].is_null() {
                    entry["last_synced_at"] = json!("2126-03-31T12:00:00Z");
                }
            },
        ),
        entry(
            "time-is-of-http",
            of("last_synced_at"),
            "The time of a sync has the form of a Date header.",
            get("/api/v1/pipelines/5/items"),
            |entry| {
                if !entry["last_synced_at"].is_null() {
                    entry["last_synced_at"] = json!("Wed, 11 Nov 2026 09:00:00 GMT");
                }
            },
        ),
        entry(
            "months-count-from-zero",
            of("last_synced_at"),
            "In the time of a sync January is the month 00.",
            get("/api/v1/pipelines/5/items"),
            |entry| {
                if !entry["last_synced_at"].is_null() {
                    entry["last_synced_at"] = json!("2026-00-12T09:00:00Z");
                }
            },
        ),
        entry(
            "error-says-nothing",
            of("sync_error"),
            "The message of a failed sync is an empty text.",
            get("/api/v1/pipelines/5/items"),
            |entry| {
                if entry["sync_status"] == "error" {
                    entry["sync_error"] = json!("");
                }
            },
        ),
        entry(
            "error-is-lost-after-a-success",
            of("sync_error"),
            "A value that was synced before has no message of the failure since then.",
            get("/api/v1/pipelines/5/items"),
            |entry| {
                if !entry["last_synced_at"].is_null() {
                    entry["sync_error"] = Value::Null;
                }
            },
        ),
    ]
}
