use std::sync::Arc;

use platform_server_stub::Server;
use platform_server_stub::control::{Control, SeedError};
use platform_server_stub::data::{Data, Dataset, Removal};
use platform_server_stub::model::ids::{OrganizationId, QuestionId};
use platform_server_stub::model::planned::PlannedOutcome;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::VirtualClock;
use serde_json::{Value, json};

use super::admin::{admin, with_admin};
use super::{INBOX, add, frozen, get, items, noon, send};

const SEARCH: &str = "/search/organizations/similar?description=knits+woollen+hats&limit=1";

fn hats() -> Value {
    json!({
        "organizations": [{"organization_id": 1, "name": "Hatters", "description": "Knits woollen hats."}],
        "pipelines": [{"pipeline_id": 9, "name": "Shops", "items": [{"pipeline_item_id": 90, "organization_id": 1}]}],
        "api_keys": [{"key": "hatter-secret", "name": "hatter", "policies": [{"effect": "allow"}]}],
    })
}

fn data(json: &Value) -> Data {
    Data::from_json(&json.to_string()).unwrap()
}

#[tokio::test]
async fn seeded_data_replaces_all_data_and_is_restored_by_a_reset() {
    let emulator = frozen().await;
    add(&emulator, 1001).await;
    emulator.seed(data(&hats())).await.unwrap();
    for _ in 0..2 {
        let found = get(&emulator, SEARCH).await.body;
        assert_eq!(
            (&found["total_count"], &found["results"][0]["name"]),
            (&json!(1), &json!("Hatters"))
        );
        assert_eq!(get(&emulator, INBOX).await.code(), (404, "pipeline_not_found"));
        assert_eq!(get(&emulator, "/api/v1/pipelines/9/items").await.body["total_count"], 1);
        for key in ["hatter-secret", "dev-full-access"] {
            let request = format!("GET {SEARCH} HTTP/1.1\r\nAPI-Key: {key}");
            assert_eq!(send(&emulator, &request, "").await.unwrap().status, 200, "{key}");
        }
        emulator.reset().await.unwrap();
    }
}

#[tokio::test]
async fn changed_records_replace_those_with_their_ids_and_leave_the_others() {
    let emulator = frozen().await;
    let added = add(&emulator, 1001).await;
    let before = get(&emulator, "/search/organizations/similar?description=fish&limit=1")
        .await
        .body;
    let total = before["total_count"].as_u64().unwrap();
    emulator.change_records(data(&hats())).await.unwrap();
    let found = get(&emulator, SEARCH).await.body;
    assert_eq!(
        (&found["total_count"], &found["results"][0]["name"]),
        (&json!(total + 1), &json!("Hatters"))
    );
    assert_eq!(items(&emulator).await, 2, "items stay");
    // Another name and another question for what is there; pending work goes on.
    let mut inbox = Data::built_in();
    inbox.organizations.clear();
    inbox.products.clear();
    inbox.pipelines.retain(|pipeline| pipeline.pipeline_id.get() == 6);
    inbox.pipelines[0].items.clear();
    inbox.pipelines[0].questions[0].takes_seconds = 60.0.try_into().unwrap();
    emulator.change_records(inbox).await.unwrap();
    let end = emulator.clock().run_to_idle().await;
    assert!((end - noon()).num_seconds() < 60, "the plan of an item stays");
    let status = format!("{INBOX}/{}/status", added.body["pipeline_item_id"]);
    assert_eq!(get(&emulator, &status).await.body["is_ready"], true);
    emulator.reset().await.unwrap();
    assert_eq!(items(&emulator).await, 1);
    add(&emulator, 1001).await;
    let end = emulator.clock().run_to_idle().await;
    assert!(
        (end - noon()).num_seconds() >= 60,
        "a reset goes back to the changed data"
    );
    let item = json!({"pipelines": [{"pipeline_id": 9, "name": "Shops", "items": [{
        "pipeline_item_id": 90, "organization_id": 1001,
    }]}]});
    emulator.change_records(data(&item)).await.unwrap();
    let list = get(&emulator, "/api/v1/pipelines/9/items").await.body;
    assert_eq!(
        (&list["total_count"], &list["items"][0]["organization_id"]),
        (&json!(1), &json!(1001))
    );
}

#[tokio::test]
async fn removed_records_are_gone_with_their_dependents() {
    let emulator = with_admin().await;
    let data = Dataset::built_in();
    let known = OrganizationId::new(1001).unwrap();
    let added = add(&emulator, 1001).await.body["pipeline_item_id"].clone();
    let products = data.products().filter(|it| it.product.organization_id == known);
    let products: Vec<_> = products.map(|it| it.product.product_id.get()).collect();
    assert!(!products.is_empty(), "the test needs an organization with products");
    let of_question = PlannedOutcome::no_answer(QuestionId::new(601).unwrap());
    emulator.plan(of_question.clone().for_organization(known)).unwrap();
    emulator.plan(of_question).unwrap();
    let initial = data.items().find(|it| it.pipeline_id.get() == 6).unwrap();
    let initial = initial.pipeline_item_id.get();

    let body = json!({"organizations": [1001], "pipelines": [3], "items": [initial]});
    let removed = admin(&emulator, "POST /data/remove", &body).await;
    assert_eq!(removed.status, 204, "{}", removed.text);
    for _ in 0..2 {
        for (path, status) in [
            ("/search/organizations/1001/similar", 404),
            (&format!("/search/products/{}/similar", products[0]), 404),
            ("/search/organizations/1002/similar", 200),
            ("/api/v1/pipelines/3/items", 404),
            (&format!("{INBOX}/{added}/values"), 404),
            (&format!("{INBOX}/{initial}/status"), 404),
        ] {
            assert_eq!(get(&emulator, path).await.status, status, "{path}");
        }
        assert_eq!(items(&emulator).await, 0);
        assert_eq!(add(&emulator, 1001).await.code(), (404, "organization_not_found"));
        emulator.reset().await.unwrap();
    }
    assert!(emulator.plans().is_empty(), "a reset removes plans");
}

#[tokio::test]
async fn plans_for_removed_organizations_are_removed() {
    let emulator = frozen().await;
    let of_question = PlannedOutcome::no_answer(QuestionId::new(601).unwrap());
    let known = OrganizationId::new(1001).unwrap();
    emulator.plan(of_question.clone().for_organization(known)).unwrap();
    emulator.plan(of_question.clone()).unwrap();
    emulator
        .remove_records(Removal::default().organization(known))
        .await
        .unwrap();
    assert_eq!(emulator.plans(), [of_question]);
}

#[tokio::test]
async fn records_that_do_not_exist_are_named_and_nothing_is_removed() {
    let emulator = with_admin().await;
    let body = json!({"organizations": [1001, 5], "products": [6], "pipelines": [77], "items": [8]});
    let rejected = admin(&emulator, "POST /data/remove", &body).await;
    assert_eq!(rejected.status, 422);
    let detail = rejected.body["detail"].as_str().unwrap();
    for expected in [
        "organizations: there is no organization 5; remove it from the list",
        "products: there is no product 6",
        "pipelines: there is no pipeline 77",
        "items: there is no item 8",
    ] {
        assert!(detail.contains(expected), "{detail}");
    }
    assert_eq!(get(&emulator, "/search/organizations/1001/similar").await.status, 200);
}

#[tokio::test]
async fn data_that_does_not_fit_changes_nothing() {
    let emulator = frozen().await;
    add(&emulator, 1001).await;
    let stranger = json!({"products": [{"product_id": 1, "organization_id": 5, "name": "A", "description": "B"}]});
    let taken = json!({"api_keys": [{"key": "dev-full-access", "name": "thief"}]});
    // The inbox has items of organizations.
    let persons = json!({"pipelines": [{"pipeline_id": 6, "name": "Persons", "entity_type": "person"}]});
    for (changes, expected) in [
        (&stranger, "products[0].organization_id: there is no organization 5"),
        (&taken, "the key belongs to `full access` already"),
        (&persons, "pipelines[0].items[0]"),
    ] {
        let error = emulator.change_records(data(changes)).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(items(&emulator).await, 2);
    }
    let error = emulator.seed(data(&stranger)).await.unwrap_err();
    assert!(matches!(error, SeedError::Data(_)), "{error}");
    assert_eq!(items(&emulator).await, 2);
}

#[tokio::test]
async fn server_with_a_state_directory_keeps_its_data() {
    let directory = tempfile::tempdir().unwrap();
    let clock = VirtualClock::frozen_at(noon());
    let built_in = Dataset::built_in();
    let time = Arc::new(clock.clone());
    let platform = Platform::with_state(built_in.clone(), time, directory.path()).unwrap();
    let control = Control::of(platform, built_in, clock);
    let _server = Server::controlled(&control);
    let error = control.seed(data(&hats())).await.unwrap_err();
    assert!(matches!(error, SeedError::Durable), "{error}");
    control.reset().await.unwrap();
}

#[tokio::test]
async fn data_is_replaced_and_changed_over_http() {
    let emulator = with_admin().await;
    assert_eq!(admin(&emulator, "PATCH /data", &hats()).await.status, 204);
    assert_eq!(items(&emulator).await, 1);
    assert_eq!(get(&emulator, SEARCH).await.body["results"][0]["name"], "Hatters");
    let mut only = hats();
    only["organizations"][0]["name"] = json!("Milliners");
    assert_eq!(admin(&emulator, "PUT /data", &only).await.status, 204);
    let found = get(&emulator, SEARCH).await.body;
    assert_eq!(
        (&found["total_count"], &found["results"][0]["name"]),
        (&json!(1), &json!("Milliners"))
    );
    for (line, body, status, expected) in [
        (
            "PUT /data",
            json!({"organisations": []}),
            422,
            "organisations: unknown field `organisations`, expected one of `organizations`",
        ),
        (
            "PUT /data",
            json!({"organizations": [{"organization_id": 1, "name": "A"}]}),
            422,
            "organizations[0]: missing field `description`",
        ),
        (
            "PATCH /data",
            json!({"products": [{"product_id": 1, "organization_id": 5, "name": "A", "description": "B"}]}),
            422,
            "there is no organization 5",
        ),
        (
            "PATCH /data",
            json!({"api_keys": [{"key": "hatter-secret", "name": "other"}]}),
            409,
            "belongs to `hatter`",
        ),
    ] {
        let answer = admin(&emulator, line, &body).await;
        let detail = answer.body["detail"].as_str().unwrap();
        assert_eq!(answer.status, status, "{detail}");
        assert!(detail.contains(expected), "{detail}");
        assert!(!answer.text.contains("hatter-secret"), "{detail}");
    }
}
