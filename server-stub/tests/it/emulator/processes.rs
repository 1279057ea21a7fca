use std::time::Duration;

use platform_server_stub::Emulator;
use platform_server_stub::control::PlanError;
use platform_server_stub::model::column::ColumnId;
use platform_server_stub::model::ids::{OrganizationId, PipelineId, QuestionId};
use platform_server_stub::model::planned::PlannedOutcome;
use serde_json::{Value, json};

use super::admin::{admin, with_admin};
use super::{INBOX, add, frozen, get, send};

/// A pipeline with CRM sync.
const CRM: &str = "/api/v1/pipelines/5";

fn question(id: i64) -> QuestionId {
    QuestionId::new(id).unwrap()
}

fn organization(id: i64) -> OrganizationId {
    OrganizationId::new(id).unwrap()
}

fn column(text: &str) -> ColumnId {
    text.parse().unwrap()
}

/// The values of the inbox item of an organization that is added now, at the end of its process.
async fn values(emulator: &Emulator, organization: u32) -> Value {
    let added = add(emulator, organization).await;
    emulator.clock().run_to_idle().await;
    let item = &added.body["pipeline_item_id"];
    let path = format!("{INBOX}/{item}/values");
    get(emulator, &path).await.body["values"].clone()
}

#[tokio::test]
async fn questions_end_as_planned_for_the_planned_organizations() {
    let emulator = frozen().await;
    let ordinary = values(&emulator, 1001).await;
    emulator.reset().await.unwrap();
    let yes = PlannedOutcome::answer(question(601), ["planned"]).with_certainty(7);
    emulator.plan(yes).unwrap();
    let failure = PlannedOutcome::failure(question(602)).for_organization(organization(1001));
    emulator.plan(failure).unwrap();
    let elsewhere = PlannedOutcome::failure(question(501)).in_pipeline(PipelineId::new(5).unwrap());
    emulator.plan(elsewhere).unwrap();
    let planned = values(&emulator, 1001).await;
    assert_eq!(planned["question.601"]["result"], json!(["planned"]));
    assert_eq!(planned["question.601"]["certainty_score"], 7);
    assert_eq!(planned["question.602"]["status"], "failed");
    assert_eq!(planned["question.603"], ordinary["question.603"]);
    let other = values(&emulator, 1002).await;
    assert_eq!(other["question.601"]["result"], json!(["planned"]));
    assert_ne!(other["question.602"]["status"], "failed");
    emulator.reset().await.unwrap();
    assert_eq!(values(&emulator, 1001).await, ordinary);
}

#[tokio::test]
async fn question_takes_as_long_as_planned() {
    let emulator = frozen().await;
    let late = PlannedOutcome::no_answer(question(601)).after(Duration::from_secs(100));
    emulator.plan(late).unwrap();
    let item = add(&emulator, 1001).await.body["pipeline_item_id"].clone();
    let status = format!("{INBOX}/{item}/status");
    emulator.clock().advance(Duration::from_secs(99)).await;
    assert_eq!(get(&emulator, &status).await.body["is_ready"], false);
    emulator.clock().advance(Duration::from_secs(1)).await;
    assert_eq!(get(&emulator, &status).await.body["is_ready"], true);
}

#[tokio::test]
async fn sync_ends_as_planned() {
    let emulator = frozen().await;
    let rejected = PlannedOutcome::sync_error(column("organization.name"), "The field is read-only.");
    emulator.plan(rejected.for_organization(organization(1101))).unwrap();
    let key = emulator.api_key();
    for (id, expected) in [(1101, json!("The field is read-only.")), (1102, Value::Null)] {
        let request = format!("POST {CRM}/organizations HTTP/1.1\r\nAPI-Key: {key}\r\nContent-Type: application/json");
        let body = format!(r#"{{"organization_id": {id}}}"#);
        let added = send(&emulator, &request, &body).await.unwrap();
        assert_eq!(added.status, 201, "{}", added.text);
        emulator.clock().run_to_idle().await;
        let item = &added.body["pipeline_item_id"];
        let item = get(&emulator, &format!("{CRM}/items/{item}/values")).await;
        let name = &item.body["values"]["organization.name"];
        assert_eq!(name["sync_error"], expected);
        let status = if expected.is_null() { "success" } else { "error" };
        assert_eq!(name["sync_status"], status);
    }
}

#[tokio::test]
async fn impossible_plan_is_rejected() {
    let emulator = frozen().await;
    let [without_sync, inbox, nowhere] = [1, 6, 99].map(|id| PipelineId::new(id).unwrap());
    let name = column("organization.name");
    let empty: [&str; 0] = [];
    let stranger = organization(999_999);
    for (outcome, expected) in [
        (
            PlannedOutcome::failure(question(999)),
            PlanError::ColumnNotFound(column("question.999")),
        ),
        (
            PlannedOutcome::failure(question(501)).in_pipeline(inbox),
            PlanError::ColumnNotFound(column("question.501")),
        ),
        (
            PlannedOutcome::sync_success(name).in_pipeline(without_sync),
            PlanError::NoSync(name),
        ),
        (
            PlannedOutcome::failure(question(601)).in_pipeline(nowhere),
            PlanError::PipelineNotFound(nowhere),
        ),
        (
            PlannedOutcome::failure(question(601)).for_organization(stranger),
            PlanError::OrganizationNotFound(stranger),
        ),
    ] {
        assert_eq!(emulator.plan(outcome), Err(expected));
    }
    let invalid = emulator.plan(PlannedOutcome::answer(question(601), empty));
    assert!(matches!(invalid, Err(PlanError::InvalidValue(_))), "{invalid:?}");
    assert!(emulator.plans().is_empty());
}

#[tokio::test]
async fn processes_are_planned_over_http() {
    let emulator = with_admin().await;
    let failure = json!({
        "pipeline_id": 6, "organization_id": 1001, "column": "question.601",
        "answer": {"status": "failed", "result": [], "references": []}, "takes_seconds": 2.0,
    });
    let answer = json!({
        "column": "question.602",
        "answer": {"status": "completed", "result": ["Rockets", 3, true], "certainty_score": 50,
                   "references": ["https://rockets.example"]},
    });
    let sync = json!({"column": "organization.name", "sync": {"error": "no"}});
    let accepted = json!({"column": "organization.name", "sync": {"error": null}});
    for body in [&failure, &answer, &sync, &accepted] {
        let planned = admin(&emulator, "POST /processes", body).await;
        assert_eq!((planned.status, &planned.body), (201, body), "{}", planned.text);
    }
    let list = admin(&emulator, "GET /processes", &Value::Null).await;
    assert_eq!(list.body["processes"], json!([failure, answer, sync, accepted]));
    let values = values(&emulator, 1001).await;
    assert_eq!(values["question.601"]["status"], "failed");
    assert_eq!(values["question.602"]["result"], json!(["Rockets", 3, true]));
    for (body, expected) in [
        (json!({"column": "question.601"}), "give one of answer and sync"),
        (
            json!({"column": "question"}),
            "column: `question` is neither question.<question_id> nor",
        ),
        (
            json!({"column": "question.601", "answer": {"status": "pending"}}),
            "answer.status: unknown variant `pending`, expected one of",
        ),
        (
            json!({"column": "question.601", "answer": {"status": "failed", "result": [1]}}),
            "result is empty unless",
        ),
        (
            json!({"column": "organization.name", "answer": {"status": "failed"}}),
            "column: only a question has an answer",
        ),
        (
            json!({"column": "question.999", "answer": {"status": "failed"}}),
            "none of its pipelines has the column question.999",
        ),
        (
            json!({"column": "question.101", "sync": {"error": "x"}}),
            "none of its pipelines syncs",
        ),
        (
            json!({"column": "question.601", "answer": {"status": "failed"}, "takes_seconds": 5000}),
            "takes_seconds: ",
        ),
        (
            json!({"organisation_id": 1}),
            "organisation_id: unknown field `organisation_id`, expected one of `pipeline_id`",
        ),
    ] {
        let rejected = admin(&emulator, "POST /processes", &body).await;
        let detail = rejected.body["detail"].as_str().unwrap();
        assert_eq!(rejected.status, 422, "{detail}");
        assert!(detail.contains(expected), "{detail}");
    }
    assert_eq!(admin(&emulator, "DELETE /processes", &Value::Null).await.status, 204);
    assert!(emulator.plans().is_empty());
}
