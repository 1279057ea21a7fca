//! Values and status of items that violate their own rules, or contradict each other.

use serde_json::{Value, json};

use crate::exchange::Answered;
use crate::fault::{Family, Fault, fault, operation, property};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "item",
    title: "Values and readiness of items",
    faults,
};

fn faults() -> Vec<Fault> {
    let mut faults = readiness();
    faults.extend(columns());
    faults.extend(entries());
    faults.extend(agreement());
    faults
}

fn status(pipeline_id: u64, item: u64) -> Witness {
    get(format!("/api/v1/pipelines/{pipeline_id}/items/{item}/status"))
}

fn crm() -> Witness {
    get("/api/v1/pipelines/5/items")
}

fn readiness() -> Vec<Fault> {
    let of = |name| property("ItemStatus", name);
    let every_status = || {
        [1, 2, 3, 4, 5]
            .into_iter()
            .flat_map(|pipeline| (1..17).map(move |item| status(pipeline, pipeline * 100_000 + item)))
    };
    vec![
        fault("always-ready", of("is_ready"), "is_ready is always true.")
            .shown_by(every_status())
            .answer(|_, answered| on_status(answered, |status| status["is_ready"] = json!(true))),
        fault("never-ready", of("is_ready"), "is_ready is always false.")
            .shown_by(every_status())
            .answer(|_, answered| on_status(answered, |status| status["is_ready"] = json!(false))),
        fault(
            "any-is-enough",
            of("is_ready"),
            "is_ready is true when any of its three conditions is.",
        )
        .shown_by(every_status())
        .answer(|_, answered| {
            on_status(answered, |status| {
                let any = [
                    "document_indexed",
                    "custom_questions_answered",
                    "platform_entity_data_ready",
                ]
                .iter()
                .any(|name| status[*name] == true);
                status["is_ready"] = json!(any);
            });
        }),
        fault(
            "document-being-indexed-does-not-count",
            of("is_ready"),
            "is_ready is true while the document is being indexed, as that of one item is.",
        )
        .shown_by([status(4, 400_012)])
        .answer(|_, answered| {
            on_status(answered, |status| {
                if status["pipeline_item_id"] == 400_012 {
                    status["document_indexed"] = json!(false);
                    status["is_ready"] = json!(true);
                }
            });
        }),
        fault(
            "entity-data-does-not-count",
            of("is_ready"),
            "is_ready is true without entity data once the questions are answered.",
        )
        .shown_by(every_status())
        .answer(|_, answered| {
            on_status(answered, |status| {
                status["platform_entity_data_ready"] = json!(false);
                status["is_ready"] = status["custom_questions_answered"].clone();
            });
        }),
        fault(
            "always-answered",
            of("custom_questions_answered"),
            "custom_questions_answered is always true, and is_ready follows.",
        )
        .shown_by(every_status())
        .answer(|_, answered| {
            on_status(answered, |status| {
                status["custom_questions_answered"] = json!(true);
                status["is_ready"] =
                    json!(status["document_indexed"] == true && status["platform_entity_data_ready"] == true);
            });
        }),
        fault(
            "never-answered",
            of("custom_questions_answered"),
            "custom_questions_answered is always false.",
        )
        .shown_by(every_status())
        .answer(|_, answered| {
            on_status(answered, |status| {
                status["custom_questions_answered"] = json!(false);
                status["is_ready"] = json!(false);
            });
        }),
        fault(
            "no-document-is-not-indexed",
            of("document_indexed"),
            "document_indexed is false for an item without a document.",
        )
        .shown_by(every_status())
        .answer(|asked, answered| {
            if asked.segment(3) != "4" {
                on_status(answered, |status| {
                    status["document_indexed"] = json!(false);
                    status["is_ready"] = json!(false);
                });
            }
        }),
        fault("ready-is-a-word", of("is_ready"), "is_ready is a string.")
            .shown_by(every_status())
            .answer(|_, answered| {
                on_status(answered, |status| {
                    status["is_ready"] = json!(if status["is_ready"] == true { "yes" } else { "no" })
                })
            }),
        fault(
            "status-names-another-item",
            of("pipeline_item_id"),
            "A status names the next item.",
        )
        .shown_by(every_status())
        .answer(|_, answered| {
            on_status(answered, |status| {
                status["pipeline_item_id"] = json!(status["pipeline_item_id"].as_i64().unwrap_or(0) + 1)
            });
        }),
        fault(
            "status-lacks-a-stage",
            of("platform_entity_data_ready"),
            "A status has no flag for entity data.",
        )
        .shown_by(every_status())
        .answer(|_, answered| {
            on_status(answered, |status| {
                status
                    .as_object_mut()
                    .map(|status| status.remove("platform_entity_data_ready"));
            });
        }),
    ]
}

/// The names of the columns of entity data.
fn columns() -> Vec<Fault> {
    let renamed = |name: &str, wrong: &'static str, rename: fn(&str) -> String| {
        fault(name, "/components/schemas/Values/x-key-pattern", wrong)
            .shown_by([get("/api/v1/pipelines/1/items?limit=50")])
            .answer(move |_, answered| {
                answered.items(|item| {
                    let values = item["values"].take();
                    let values = values.as_object().into_iter().flatten();
                    let renamed = |(column, entry): (&String, &Value)| match column {
                        column if column.starts_with("question.") => (column.clone(), entry.clone()),
                        column => (rename(column), entry.clone()),
                    };
                    item["values"] = Value::Object(values.map(renamed).collect());
                });
            })
    };
    vec![
        renamed(
            "columns-have-titles",
            "The names of entity data columns are in capitals, with spaces.",
            |column| column.replace('.', " ").to_uppercase(),
        ),
        renamed(
            "columns-are-pointers",
            "The names of entity data columns are JSON pointers.",
            |column| format!("/{}", column.replace('.', "/")),
        ),
        fault(
            "one-question-is-a-word",
            "/components/schemas/QuestionColumnId/pattern",
            "The column of one question is named after a word.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=50")])
        .answer(|_, answered| {
            answered.items(|item| {
                if let Some(values) = item["values"].as_object_mut()
                    && let Some(entry) = values.remove("question.101")
                {
                    values.insert("question.revenue".to_owned(), entry);
                }
            });
        }),
    ]
}

fn entries() -> Vec<Fault> {
    let of = |name| property("ColumnValue", name);
    let list = || get("/api/v1/pipelines/1/items?limit=50");
    // Every entry of a list, a read or an addition.
    let entry = |name: &str, clause: String, wrong: &'static str, witness: Witness, change: fn(&str, &mut Value)| {
        fault(name, clause, wrong)
            .shown_by([witness])
            .answer(move |_, answered| answered.entries(change))
    };
    vec![
        entry(
            "sync-error-stays",
            of("sync_error"),
            "sync_error stays after a success.",
            crm(),
            |_, entry| {
                if entry["sync_status"] == "success" {
                    entry["sync_error"] = json!("The CRM did not answer.");
                }
            },
        ),
        entry(
            "sync-error-is-lost",
            of("sync_error"),
            "A failed sync has no error.",
            crm(),
            |_, entry| entry["sync_error"] = Value::Null,
        ),
        entry(
            "sync-without-a-provider",
            of("sync_provider"),
            "Values have a sync status without a provider.",
            crm(),
            |_, entry| entry["sync_provider"] = Value::Null,
        ),
        entry(
            "success-without-a-time",
            of("last_synced_at"),
            "A successful sync has no time.",
            crm(),
            |_, entry| entry["last_synced_at"] = Value::Null,
        ),
        entry(
            "time-is-a-number",
            of("last_synced_at"),
            "The time of a sync is a number of seconds.",
            crm(),
            |_, entry| {
                if !entry["last_synced_at"].is_null() {
                    entry["last_synced_at"] = json!(1_795_000_000);
                }
            },
        ),
        entry(
            "time-has-no-zone",
            of("last_synced_at"),
            "The time of a sync has no time zone.",
            crm(),
            |_, entry| {
                if let Some(time) = entry["last_synced_at"]
                    .as_str()
                    .map(|time| time.trim_end_matches('Z').to_owned())
                {
                    entry["last_synced_at"] = json!(time);
                }
            },
        ),
        entry(
            "time-is-written-for-people",
            of("last_synced_at"),
            "The time of a sync ends with the name of its zone, and has no seconds.",
            crm(),
            |_, entry| {
                let date = entry["last_synced_at"].as_str().and_then(|time| time.get(..16));
                if let Some(time) = date.map(|time| format!("{} UTC", time.replace('T', " "))) {
                    entry["last_synced_at"] = json!(time);
                }
            },
        ),
        entry(
            "sync-status-is-unknown",
            of("sync_status"),
            "The status of a successful sync is ok.",
            crm(),
            |_, entry| {
                if entry["sync_status"] == "success" {
                    entry["sync_status"] = json!("ok");
                }
            },
        ),
        entry(
            "entity-data-is-certain",
            of("certainty_score"),
            "Entity data has a certainty of 100.",
            list(),
            |column, entry| {
                if !column.starts_with("question.") {
                    entry["certainty_score"] = json!(100);
                }
            },
        ),
        entry(
            "entity-data-is-completed",
            of("status"),
            "Entity data has the status completed.",
            list(),
            |column, entry| {
                if !column.starts_with("question.") {
                    entry["status"] = json!("completed");
                }
            },
        ),
        entry(
            "question-without-a-status",
            of("status"),
            "A question that was answered has no status.",
            list(),
            |column, entry| {
                if column.starts_with("question.") && entry["status"] == "completed" {
                    entry["status"] = Value::Null;
                }
            },
        ),
        entry(
            "status-is-unknown",
            of("status"),
            "A question that was answered has the status done.",
            list(),
            |_, entry| {
                if entry["status"] == "completed" {
                    entry["status"] = json!("done");
                }
            },
        ),
        entry(
            "answer-without-completion",
            of("result"),
            "The result of a question without an answer is a text that says so.",
            list(),
            |column, entry| {
                if column.starts_with("question.") && entry["status"] != "completed" {
                    entry["result"] = json!(["no response"]);
                }
            },
        ),
        entry(
            "certain-of-nothing",
            of("certainty_score"),
            "A question without an answer has a certainty of 0.",
            list(),
            |column, entry| {
                if column.starts_with("question.") && entry["result"] == json!([]) {
                    entry["certainty_score"] = json!(0);
                }
            },
        ),
        entry(
            "least-certainty-is-lost",
            of("certainty_score"),
            "The least certainties are null.",
            list(),
            |_, entry| {
                if entry["certainty_score"].as_u64().is_some_and(|score| score <= 55) {
                    entry["certainty_score"] = json!(null);
                }
            },
        ),
        entry(
            "more-than-certain",
            of("certainty_score"),
            "A certainty is 101.",
            list(),
            |_, entry| {
                if entry["certainty_score"].is_u64() {
                    entry["certainty_score"] = json!(101);
                }
            },
        ),
        entry(
            "certainty-is-a-fraction",
            of("certainty_score"),
            "A certainty is a fraction of 1.",
            list(),
            |_, entry| {
                if let Some(score) = entry["certainty_score"].as_f64() {
                    entry["certainty_score"] = json!(score / 100.0 + 0.001);
                }
            },
        ),
        entry(
            "result-is-one-value",
            of("result"),
            "A result is a value, not a list.",
            list(),
            |_, entry| entry["result"] = entry["result"][0].clone(),
        ),
        entry(
            "result-holds-null",
            "/components/schemas/ResultValue".to_owned(),
            "An empty result contains null.",
            list(),
            |_, entry| {
                if entry["result"] == json!([]) {
                    entry["result"] = json!([null]);
                }
            },
        ),
        entry(
            "unknown-field-is-null",
            of("result"),
            "The result of entity data is null in a list where the field is not known.",
            list(),
            |column, entry| {
                if !column.starts_with("question.") && entry["result"] == json!([]) {
                    entry["result"] = json!([null]);
                }
            },
        ),
        entry(
            "references-are-missing",
            of("references"),
            "An entry without sources has no references member.",
            list(),
            |_, entry| {
                if entry["references"] == json!([]) {
                    entry.as_object_mut().map(|entry| entry.remove("references"));
                }
            },
        ),
        entry(
            "references-are-no-addresses",
            of("references"),
            "References are names instead of URLs.",
            list(),
            |_, entry| {
                if entry["references"] != json!([]) {
                    entry["references"] = json!(["their web site"]);
                }
            },
        ),
        entry(
            "category-is-unknown",
            of("category"),
            "The category of entity data is crm.",
            list(),
            |_, entry| {
                if entry["category"] == "platform_data" {
                    entry["category"] = json!("crm");
                }
            },
        ),
        fault(
            "question-has-no-entry",
            "/components/schemas/Values",
            "A question without an answer has no entry.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            answered.items(|item| {
                if let Some(values) = item["values"].as_object_mut() {
                    values.retain(|column, entry| !column.starts_with("question.") || entry["status"] == "completed");
                }
            });
        }),
        fault(
            "unknown-field-has-no-entry",
            "/components/schemas/Values",
            "An item has no column for a field that is not known.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            answered.items(|item| {
                if let Some(values) = item["values"].as_object_mut() {
                    values.retain(|column, entry| column.starts_with("question.") || entry["result"] != json!([]));
                }
            });
        }),
        fault(
            "columns-are-numbers",
            "/components/schemas/Values/x-key-pattern",
            "The column of a question is its number.",
        )
        .shown_by([list()])
        .answer(|_, answered| {
            answered.items(|item| {
                if let Value::Object(values) = item["values"].take() {
                    let renamed = values
                        .into_iter()
                        .map(|(column, entry)| (column.replace("question.", ""), entry));
                    item["values"] = renamed.collect::<serde_json::Map<_, _>>().into();
                }
            });
        }),
    ]
}

fn agreement() -> Vec<Fault> {
    let values = || operation("get_item_values");
    let read = || get("/api/v1/pipelines/1/items/100001/values");
    let on_read = |name: &str, wrong: &'static str, change: fn(&mut Value)| {
        fault(name, values(), wrong)
            .shown_by(
                (1..9)
                    .map(|item| get(format!("/api/v1/pipelines/5/items/50000{item}/values")))
                    .chain([read()]),
            )
            .answer(move |asked, answered| {
                if asked.calls("get_item_values") && answered.is_success() {
                    change(answered.json());
                }
            })
    };
    vec![
        fault(
            "list-cuts-results",
            values(),
            "A list shows only the first of several results.",
        )
        .shown_by([get("/api/v1/pipelines/3/items")])
        .answer(|asked, answered| {
            if asked.calls("list_items") {
                answered.entries(|_, entry| {
                    if let Some(result) = entry["result"].as_array_mut() {
                        result.truncate(1);
                    }
                });
            }
        }),
        on_read(
            "reading-leaves-out-references",
            "Reading an item leaves out its references.",
            |item| {
                item["values"]
                    .as_object_mut()
                    .into_iter()
                    .flatten()
                    .for_each(|(_, entry)| entry["references"] = json!([]));
            },
        ),
        on_read(
            "reading-leaves-out-entity-data",
            "Reading an item leaves out entity data.",
            |item| {
                if let Some(values) = item["values"].as_object_mut() {
                    values.retain(|column, _| column.starts_with("question."));
                }
            },
        ),
        on_read(
            "reading-names-another-item",
            "Reading an item shows the id of the next item.",
            |item| {
                item["pipeline_item_id"] = json!(item["pipeline_item_id"].as_i64().unwrap_or(0) + 1);
            },
        ),
        on_read(
            "reading-names-another-organization",
            "Reading an item shows the id of another organization.",
            |item| {
                item["organization_id"] = json!(item["organization_id"].as_i64().unwrap_or(0) + 1);
            },
        ),
        on_read(
            "reading-names-another-kind",
            "Reading an item describes it as a document.",
            |item| item["entity_type"] = json!("document"),
        ),
        on_read(
            "reading-trims-results",
            "Reading an item shows the first letters of a result.",
            |item| {
                for (_, entry) in item["values"].as_object_mut().into_iter().flatten() {
                    for value in entry["result"].as_array_mut().into_iter().flatten() {
                        if let Some(text) = value.as_str().and_then(|text| text.get(..3)) {
                            *value = json!(text);
                        }
                    }
                }
            },
        ),
    ]
}

fn on_status(answered: &mut Answered, change: impl FnOnce(&mut Value)) {
    if answered.is_success() && answered.json().get("is_ready").is_some() {
        change(answered.json());
    }
}
