//! Errors that a deployment does not return on request, from a mock server.

use std::time::Duration;

use platform_sdk::mock::{Answer, Server, examples};
use platform_sdk::{Client, Error, ProblemCode, RetryPolicy};

use crate::Outcome;

/// Mocks the response to a request, sends the request, and returns its error.
macro_rules! error_of {
    ($server:expr, $request:expr, $answer:expr) => {{
        let request = $request;
        $server.when(request.clone()).answers([$answer]);
        request.send().await.err()
    }};
}

/// Returns the errors of the contract that are not among `seen`, and those of responses that do not follow it. A mock
/// server returns each from an operation that can return it.
///
/// # Errors
/// A client cannot be built.
pub async fn mocked_errors(seen: &[Error]) -> Outcome<Vec<Error>> {
    let (server, mut errors) = (Server::start().await, Vec::new());
    let (json, html) = ("application/json", "<html>Please log in</html>");
    let is_new = |code: &&ProblemCode| !seen.iter().any(|error| error.code() == Some(code));
    let page = examples::item_page::first_page;
    let others = [
        Answer::raw(200, "text/html", html),
        Answer::raw(200, json, r#"{"items": [], "total_count": "many"}"#),
        Answer::raw(200, json, " ".repeat(1 << 17)),
        Answer::raw(302, "text/html", html).header("Location", "https://new.example/"),
        Answer::raw(418, "text/plain", "I am a teapot"),
        Answer::from(page()).cut_after(100),
        Answer::from(page()).delayed(Duration::from_secs(1)),
    ];
    let client = server.client_builder().max_response_bytes(1 << 16);
    let client = client.attempt_timeout(Duration::from_millis(200));
    let client = client.retry_policy(RetryPolicy::never()).build()?;
    for (pipeline, answer) in (100..).zip(others) {
        errors.extend(error_of!(server, client.list_items().pipeline_id(pipeline), answer));
    }
    for (id, code) in (1..).zip(ProblemCode::KNOWN.iter().filter(is_new)) {
        errors.extend(problem(&server, &client, code, id).await);
    }
    // This page has fewer items than it says. A walk takes that for a change of the pipeline.
    let list = client.list_items().pipeline_id(99);
    server.when(list.clone()).answer(page());
    errors.extend(list.walk().collect().await.err());

    let wait = client.wait_until_ready().pipeline_id(2);
    let wait = wait.pipeline_item_id(200_013);
    let status = client.get_item_status().pipeline_id(2);
    let pending = examples::item_status::in_progress();
    server.when(status).answer(pending);
    errors.extend(wait.send().await.err());

    let without_tls = Client::builder().base_url(server.base_url().replace("http:", "https:"));
    let without_tls = without_tls.api_key("any").retry_policy(RetryPolicy::never()).build()?;
    let list = without_tls.list_items().pipeline_id(1);
    errors.extend(list.send().await.err());
    Ok(errors)
}

/// Gets a problem from an operation that returns it.
async fn problem(server: &Server, client: &Client, code: &ProblemCode, id: i64) -> Option<Error> {
    match code {
        ProblemCode::ItemNotFound | ProblemCode::ItemNotInPipeline => {
            let status = client.get_item_status().pipeline_id(id).pipeline_item_id(1);
            error_of!(server, status, Answer::problem(code.clone()))
        }
        ProblemCode::ProductNotFound => {
            let search = client.search_products_by_product().product_id(id);
            error_of!(server, search, Answer::problem(code.clone()))
        }
        ProblemCode::BodyTooLarge
        | ProblemCode::MalformedRequest
        | ProblemCode::NotAnOrganizationPipeline
        | ProblemCode::OrganizationAlreadyInPipeline
        | ProblemCode::OrganizationNotFound
        | ProblemCode::UnsupportedMediaType => {
            let add = client.add_organization().pipeline_id(id).organization_id(1);
            error_of!(server, add, Answer::problem(code.clone()))
        }
        _ => {
            let list = client.list_items().pipeline_id(id);
            error_of!(server, list, Answer::problem(code.clone()))
        }
    }
}
