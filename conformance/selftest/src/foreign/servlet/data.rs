//! The data of the deployment with the habits of a Java framework: JSON, generated from the numbers of the items.

use serde_json::{Value, json};

/// The pipelines: id, kind, and the number of items.
pub(crate) const PIPELINES: [(u64, &str, u64); 4] = [
    (7001, "organization", 120),
    (7002, "person", 5),
    (7003, "document", 6),
    (7004, "organization", 0),
];
/// The columns of the questions.
pub(crate) const QUESTIONS: [&str; 2] = ["question.31", "question.4"];
/// Organizations that are in one.
pub(crate) const LISTED: std::ops::RangeInclusive<u64> = 40_001..=40_120;
/// Organizations that are in no pipeline.
pub(crate) const TO_ADD: std::ops::Range<u64> = 60_001..60_061;

pub(crate) fn is_organization(id: u64) -> bool {
    LISTED.contains(&id) || TO_ADD.contains(&id)
}

/// Every item. Their ids descend while their numbers ascend.
pub(crate) fn items() -> Vec<Value> {
    let items = PIPELINES.into_iter().flat_map(|(pipeline, kind, count)| {
        (1..=count).map(move |number| item(pipeline, kind, number, 40_000 + number))
    });
    items.collect()
}

/// One item.
pub(crate) fn item(pipeline: u64, kind: &str, number: u64, subject: u64) -> Value {
    let id_of = |name: &str| (name == kind).then_some(subject);
    let answer = (!number.is_multiple_of(7)).then(|| json!({"score": number * 53 % 1200}));
    let numbers: Vec<_> = answer.iter().map(|answer| answer["score"].clone()).collect();
    json!({
        "pipeline_id": pipeline,
        "pipeline_item_id": pipeline * 1_000_000 - number,
        "entity_type": kind,
        // An item of a person also has the organization that the person works for.
        "organization_id": match kind { "person" => Some(77), _ => id_of("organization") },
        "person_id": id_of("person"),
        "document_id": id_of("document"),
        "createdAt": "2025-02-03T04:05:06Z",
        "values": {
            "question.31": {
                "result": numbers,
                "category": "llm_visual_engine",
                "certainty_score": if numbers.is_empty() { 0 } else { 100 },
                "status": if numbers.is_empty() { "skipped" } else { "completed" },
                "references": ["www.example.org/a b"],
                "sync_status": "error", "sync_provider": "crm", "last_synced_at": null, "sync_error": null,
                "confidence": "high",
            },
            // A partial answer is kept when a question fails.
            "question.4": {
                "result": [format!("answer {}", number % 11), true],
                "category": "llm",
                "certainty_score": 40,
                "status": if number.is_multiple_of(3) { "failed" } else { "completed" },
                "references": [],
                "sync_status": "success", "sync_provider": "crm", "last_synced_at": "2025-03-04T05:06:07+0200",
                "sync_error": null,
            },
            "organization/employeeCount": {
                "result": [number * 3, null],
                "category": "platform_data",
                "certainty_score": null,
                "status": null,
                "references": [],
                "sync_status": null, "sync_provider": null, "last_synced_at": null, "sync_error": null,
            },
        },
    })
}

/// The sort key of an item for a column.
pub(crate) fn key(item: &Value, column: &str, any_case: bool) -> Option<String> {
    match &item["values"][column]["result"][0] {
        Value::Number(number) => Some(format!("{:>12}", number.to_string())),
        Value::String(text) if any_case => Some(text.to_lowercase()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The readiness of an item.
pub(crate) fn readiness(item: &Value) -> Value {
    let id = item["pipeline_item_id"].as_u64().unwrap_or_default();
    let (indexed, data) = (id.is_multiple_of(2), !id.is_multiple_of(5));
    json!({
        "pipeline_id": item["pipeline_id"],
        "pipeline_item_id": id,
        "is_ready": indexed && data,
        "document_indexed": indexed,
        "custom_questions_answered": true,
        "platform_entity_data_ready": data,
        "progress": 40,
    })
}
