//! The number of requests of each case is measured on the reference server, and a run sends about as many as it
//! announces.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use platform_conformance::{Report, Verdict};
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use serde_json::json;

use crate::served;

/// Requests depend on time: a poll may add one or two.
const NEAR: u64 = 2;
/// They look at new items until these are ready: how often depends on the machine.
const POLLS: [&str; 7] = [
    "add/all-become-ready",
    "add/becomes-ready",
    "add/crm-sync-begins",
    "add/other-pipelines-sync-it",
    "add/ready-item-agrees",
    "add/ready-item-is-in-its-place",
    "add/ready-item-stays",
];

/// Asserts that every case needed as many requests as measured, and the run about as many as announced.
/// `UPDATE_EXPECT=1` writes the measurement.
pub(crate) fn assert_measured(report: &Report, announced: u64) {
    let mut text = String::new();
    for case in &report.cases {
        let _ = writeln!(text, "{} {}", case.id, case.requests);
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/catalogue/requests.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(file, &text).unwrap();
        return;
    }
    let parse = |text: &str| -> BTreeMap<String, u64> {
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        lines
            .map(|(id, requests)| (id.to_owned(), requests.parse().unwrap()))
            .collect()
    };
    let (known, seen) = (parse(&std::fs::read_to_string(file).unwrap()), parse(&text));
    let number = |of: &BTreeMap<String, u64>, id: &String| of.get(id).copied().unwrap_or_default();
    let differs = |id: &&String| {
        let (known, seen) = (number(&known, id), number(&seen, id));
        // A quota that is renewed meanwhile is used up once more.
        let near = match id.as_str() {
            id if id.starts_with("rate-limit/") => known.max(NEAR),
            id if POLLS.contains(&id) => known / 3,
            _ => NEAR,
        };
        known.abs_diff(seen) > near
    };
    let ids = known.keys().chain(seen.keys());
    let mut wrong: Vec<_> = ids
        .filter(differs)
        .map(|id| format!("{id}: {} measured, {} sent", number(&known, id), number(&seen, id)))
        .collect();
    wrong.dedup();
    assert!(
        wrong.is_empty(),
        "catalogue/requests.txt is out of date: run the test `reference_server` with UPDATE_EXPECT=1.\n{wrong:#?}"
    );
    let sent = report.requests;
    assert!(
        announced <= sent * 3 / 2 && sent <= announced * 3 / 2,
        "{announced} announced, {sent} sent"
    );
}

/// Data with more pipelines, questions and items than a run reads.
fn large() -> Arc<Dataset> {
    let places = [("NO", "NO-46"), ("DK", "DK-81"), ("US", "US-CA")];
    let organization = |number: usize| {
        let (country, region) = places[number % places.len()];
        json!({
            "organization_id": 1000 + number,
            "name": format!("Firm {number}"),
            "description": format!("firm {number} keeps the temperature of fresh food"),
            "headquarters": {"country": country, "region": region},
            "metrics": {"employee_count": number, "founded_on": format!("{}-01-01", 1900 + number % 120)},
        })
    };
    let product = |number: u64| {
        json!({
            "product_id": 5000 + number,
            "organization_id": 1000 + number,
            "name": format!("Product {number}"),
            "description": format!("logger {number} of temperatures"),
            "categories": ["freight", "software"],
        })
    };
    let pipeline = |id: u64| {
        let question = |number: u64| {
            json!({
                "question_id": 100 * id + number,
                "text": format!("What is {number}?"),
                "answer_type": "number",
                "category": "llm",
                "answer": {"field": "organization.metrics.employee_count"},
                "takes_seconds": 0,
            })
        };
        let item = |number: u64| {
            let mut item = json!({
                "pipeline_item_id": 10_000 * id + number,
                "organization_id": 1000 + number,
            });
            if id == 3 {
                item["document_id"] = json!(7000 + number);
            }
            item
        };
        let items = if id == 1 { 1_200 } else { 120 };
        json!({
            "pipeline_id": id,
            "name": format!("Pipeline {id}"),
            "entity_type": if id == 3 { "document" } else { "organization" },
            "questions": (0..8).map(question).collect::<Vec<_>>(),
            "items": (0..items).map(item).collect::<Vec<_>>(),
        })
    };
    let data = json!({
        "organizations": (0..1_300).map(organization).collect::<Vec<_>>(),
        "products": (0..600).map(product).collect::<Vec<_>>(),
        "pipelines": (1..=15).map(pipeline).collect::<Vec<_>>(),
    });
    Arc::new(Dataset::from_json(&data.to_string()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn large_data_exhausts_no_request_budget() {
    let platform = Platform::in_memory(large(), Arc::new(SystemClock));
    let report = served::run_on(Server::new(platform).router(), &["*"]).await;
    for case in &report.cases {
        assert_ne!(case.verdict, Verdict::Errored, "{}: {:?}", case.id, case.reason);
        assert_ne!(case.verdict, Verdict::Failed, "{case:#?}");
    }
}
