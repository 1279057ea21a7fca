//! Deployments that decided otherwise about empty texts, times of a sync, rejected additions, encoded characters and
//! OPTIONS without a key.

use platform_conformance::selftest::Plant;
use serde_json::{Value, json};

use super::{but, observed};

#[tokio::test(flavor = "multi_thread")]
async fn other_outputs_and_actions_are_recognized() {
    let table = [
        (
            "unknown-text",
            "empty",
            Plant::answer(|_, answered| {
                answered.results(|result| result["description"] = json!(""));
            }),
        ),
        (
            "sync-time-without-a-status",
            "given",
            Plant::answer(|_, answered| {
                answered.entries(|_, entry| {
                    entry["sync_status"] = Value::Null;
                    entry["last_synced_at"] = json!("2026-01-01T00:00:00Z");
                });
            }),
        ),
        (
            "rejected-addition",
            "added",
            Plant::request(|asked| {
                if asked.json()["note"] == 1 {
                    asked.body = json!({ "organization_id": asked.json()["organization_id"] })
                        .to_string()
                        .into();
                }
            })
            .and_answer(|asked, answered| {
                if asked.json()["note"] == 1 && answered.is_success() {
                    answered.becomes(422, "validation_failed");
                }
            }),
        ),
        (
            "encoded-characters",
            "another",
            Plant::answer(|asked, answered| {
                if asked.path.contains("%3") && answered.is_success() {
                    answered.becomes(404, "route_not_found");
                }
            }),
        ),
        (
            "options-key",
            "refused 401",
            Plant::answer(|asked, answered| {
                if asked.method == "OPTIONS" && asked.header("api-key").is_none() {
                    answered.becomes(401, "authentication_required");
                }
            }),
        ),
    ];
    for (point, expected, plant) in table {
        let observed = observed(but(&plant), point).await;
        assert_eq!(observed.shown().as_deref(), Some(expected), "{point}: {observed:#?}");
        assert_eq!(observed.as_the_contract, Some(false), "{point}");
    }
}
