//! Requests that match no mock, and invalid mocks.

use platform_sdk::mock::{Server, examples};
use platform_sdk::types::Problem;
use platform_sdk::{ProblemCode, reqwest};

#[tokio::test]
async fn request_without_a_key_gets_401() {
    let server = Server::start().await;
    let listing = server
        .when(server.client().list_items())
        .answer(examples::item_page::first_page());
    let url = format!("{}/api/v1/pipelines/2/items", server.base_url());
    let answer = reqwest::get(url).await.unwrap();
    assert_eq!(answer.status(), 401);
    let problem: Problem = answer.json().await.unwrap();
    assert_eq!(problem.code, ProblemCode::AuthenticationRequired);
    listing.assert_calls(0);
    let unexpected = ["no mock for GET /api/v1/pipelines/2/items: it has no API-Key"];
    assert_eq!(server.unexpected(), unexpected);
}

#[tokio::test]
async fn request_of_an_operation_without_a_mock_is_reported() {
    let server = Server::start().await;
    let client = server.client();
    let page = examples::item_page::first_page();
    server.when(client.list_items()).answer(page);
    let item = examples::pipeline_item::answered();
    server.when(client.get_item_values()).answer(item);
    let call = client.get_item_status().pipeline_id(2).pipeline_item_id(7);
    let error = call.send().await.unwrap_err();
    assert!(!error.is_not_found());
    assert_eq!(error.attempts().len(), 1);
    assert_eq!(
        error.to_string(),
        "get_item_status: 501 Not Implemented: no mock for GET /api/v1/pipelines/2/items/7/status: \
         there is none for this operation (request mock-1)"
    );
}

#[tokio::test]
async fn nearest_mock_is_named_first_with_all_differences() {
    let server = Server::start().await;
    let client = server.client();
    let page = examples::item_page::first_page;
    let far = client.list_items().pipeline_id(3).skip(5).limit(50);
    server.when(far).answer(page());
    let near = client.list_items().pipeline_id(2).limit(50);
    server.when(near).answer(page());
    let call = client.list_items().pipeline_id(2).limit(10);
    let _ = call.send().await.unwrap_err();
    assert_eq!(
        server.unexpected(),
        ["no mock for GET /api/v1/pipelines/2/items?limit=10: \
          list_items(pipeline_id=2, limit=50), but limit is 10; \
          list_items(pipeline_id=3, limit=50, skip=5), but pipeline_id is 2 and limit is 10 and \
          skip is missing"]
    );
}

#[tokio::test]
#[should_panic(expected = "list_items(pipeline_id=2): 0 calls, not 1\nno mock for GET \
    /api/v1/pipelines/7/items: list_items(pipeline_id=2), but pipeline_id is 7")]
async fn missing_call_reports_the_requests_that_came() {
    let server = Server::start().await;
    let client = server.client();
    let listing = server
        .when(client.list_items().pipeline_id(2))
        .answer(examples::item_page::first_page());
    let call = client.list_items().pipeline_id(7);
    let _ = call.send().await;
    listing.assert_calls(1);
}

#[tokio::test]
#[should_panic(expected = "list_items: `limit` does not fit `i32`")]
async fn impossible_value_is_rejected_in_a_mock() {
    let server = Server::start().await;
    let _ = server.when(server.client().list_items().limit(i64::MAX));
}

#[tokio::test]
#[should_panic(expected = "list_items(): no answer")]
async fn mock_without_an_answer_is_rejected() {
    let server = Server::start().await;
    server.when(server.client().list_items()).answers([]);
}

#[tokio::test]
async fn mocks_of_httpmock_can_be_added() {
    let server = Server::start().await;
    server
        .when(server.client().list_items())
        .answer(examples::item_page::first_page());
    let token = server.mock(|when, then| {
        when.method("POST").path("/oauth/token");
        then.status(200).body("{}");
    });
    let url = format!("{}/oauth/token", server.base_url());
    let answer = reqwest::Client::new().post(url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    token.assert_calls(1);
    assert!(server.unexpected().is_empty());
}
