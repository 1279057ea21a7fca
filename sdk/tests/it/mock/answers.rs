//! Responses of mocks.

use std::time::{Duration, Instant};

use platform_sdk::mock::{Answer, Server, examples, from_json};
use platform_sdk::types::{ItemPage, PipelineItem};
use platform_sdk::{Error, Outcome, ProblemCode, RetryPolicy};
use serde_json::{Value, json};

use crate::contract;

#[tokio::test]
async fn answers_are_returned_in_order_without_waiting() {
    let server = Server::start().await;
    let client = server.client();
    let status = server.when(client.get_item_status()).answers([
        Answer::rate_limited(Duration::from_secs(50)),
        Answer::problem(ProblemCode::Unavailable).header("Retry-After", "50"),
        examples::item_status::in_progress().into(),
        examples::item_status::ready().into(),
    ]);
    let call = || client.get_item_status().pipeline_id(2).pipeline_item_id(200_013);
    let started = Instant::now();
    let ready = [
        call().send().await.unwrap().is_ready,
        call().send().await.unwrap().is_ready,
        call().send().await.unwrap().is_ready,
    ];
    assert_eq!(ready, [false, true, true]);
    status.assert_calls(5);
    assert!(started.elapsed() < Duration::from_secs(40));
}

#[tokio::test]
async fn walk_reads_mocked_pages() {
    let server = Server::start().await;
    let client = server.client();
    let page = |first: i64| {
        let mut page = examples::item_page::first_page();
        let mut second = page.items[0].clone();
        page.items[0].pipeline_item_id = first.into();
        second.pipeline_item_id = (first + 1).into();
        page.items.push(second);
        page.total_count = 3;
        page
    };
    server.when(client.list_items().skip(0)).answer(page(1));
    server.when(client.list_items().skip(1)).answer(page(2));
    let walk = client.list_items().pipeline_id(2).walk().page_size(2);
    let ids = walk.collect().await.unwrap();
    let ids: Vec<i64> = ids.iter().map(|item| item.pipeline_item_id.get()).collect();
    assert_eq!(ids, [1, 2, 3], "{:?}", server.unexpected());
}

/// Returns the error of a call whose mock responds with `answer`.
async fn rejected(answer: Answer<ItemPage>) -> Error {
    let server = Server::start().await;
    let once = server.client_builder().retry_policy(RetryPolicy::never());
    let client = once.build().unwrap();
    server.when(client.list_items()).answers([answer]);
    let call = client.list_items().pipeline_id(2);
    call.send().await.unwrap_err()
}

#[tokio::test]
async fn problem_has_the_status_and_title_of_the_contract() {
    let contract = contract();
    let examples = contract["components"]["examples"].as_object().unwrap();
    let problems = examples
        .values()
        .map(|example| &example["value"])
        .filter(|value| value.get("code").is_some());
    for example in problems {
        let code = example["code"].as_str().unwrap();
        let error = rejected(Answer::problem(code)).await;
        let problem = json!(error.problem().unwrap());
        for member in ["type", "title", "status", "code"] {
            assert_eq!(problem[member], example[member], "{member} of {code}");
        }
        assert_eq!(json!(error.status().unwrap().as_u16()), example["status"]);
        assert_eq!(problem["instance"], "/api/v1/pipelines/2/items");
        assert_eq!(problem["request_id"], "mock-1");
    }
}

#[tokio::test]
async fn every_code_has_the_status_that_the_contract_lists_it_under() {
    let contract = contract();
    let problems = contract.pointer("/components/schemas/ProblemCode/x-problems");
    let problems = problems.unwrap().as_array().unwrap();
    for code in ProblemCode::KNOWN {
        let of_code = |problem: &&Value| problem["code"] == code.as_str();
        let listed = problems.iter().find(of_code).unwrap();
        let error = rejected(Answer::problem(code.clone())).await;
        assert_eq!(error.status().unwrap().as_u16(), listed["status"], "{code}");
        assert_eq!(error.code(), Some(code));
    }
}

#[tokio::test]
async fn problem_sets_the_predicates_of_the_error() {
    type Predicate = fn(&Error) -> bool;
    let cases: [(Answer<ItemPage>, Predicate); 7] = [
        (Answer::problem(ProblemCode::UnknownSortColumn), |e| e.is_invalid()),
        (Answer::problem(ProblemCode::InvalidApiKey), |e| e.is_unauthenticated()),
        (Answer::problem(ProblemCode::AuthorizationDenied), |e| e.is_denied()),
        (Answer::problem(ProblemCode::PipelineNotFound), |e| e.is_not_found()),
        (Answer::problem(ProblemCode::OrganizationAlreadyInPipeline), |e| {
            e.is_already_in_pipeline()
        }),
        (Answer::rate_limited(Duration::from_millis(6001)), |e| {
            e.is_rate_limited() && e.retry_after() == Some(Duration::from_secs(7))
        }),
        (Answer::problem("brand_new"), |e| {
            e.status().unwrap() == 400 && e.code().unwrap().as_str() == "brand_new"
        }),
    ];
    for (answer, holds) in cases {
        let error = rejected(answer).await;
        assert!(holds(&error), "{error}");
    }
}

#[tokio::test]
async fn problem_document_is_sent_as_it_is() {
    let mut problem = examples::problem::invalid_parameters();
    problem.detail = "Two things are wrong.".to_owned();
    let error = rejected(Answer::problem_document(problem.clone())).await;
    assert_eq!(error.problem(), Some(&problem));
    assert_eq!(error.status().unwrap(), 422);
    assert_eq!(error.field_errors().len(), 2);
}

#[tokio::test]
async fn raw_answer_is_sent_as_it_is() {
    let page = "<title>502 Bad Gateway</title><p>nginx</p>";
    let error = rejected(Answer::raw(502, "text/html", page)).await;
    assert!(error.is_server_error());
    assert_eq!(error.outcome(), Outcome::MayHaveHappened);
}

#[tokio::test]
async fn cut_answer_is_truncated() {
    let page = examples::item_page::first_page();
    let error = rejected(Answer::from(page).cut_after(40)).await;
    assert!(error.is_undecodable());
    assert!(error.to_string().contains("is incomplete"), "{error}");
}

#[tokio::test]
async fn delayed_answer_exceeds_the_timeout() {
    let server = Server::start().await;
    let builder = server.client_builder().attempt_timeout(Duration::from_millis(100));
    let client = builder.build().unwrap();
    let page = examples::item_page::first_page;
    let listing = server
        .when(client.list_items())
        .answers([Answer::from(page()).delayed(Duration::from_secs(60)), page().into()]);
    client.list_items().pipeline_id(2).send().await.unwrap();
    listing.assert_calls(2);
}

#[tokio::test]
async fn request_id_of_the_app_is_answered() {
    let server = Server::start().await;
    let client = server.client().with_header("X-Request-Id", "import-7").unwrap();
    server
        .when(client.list_items())
        .answers([Answer::problem(ProblemCode::PipelineNotFound)]);
    let call = client.list_items().pipeline_id(2);
    let error = call.send().await.unwrap_err();
    assert_eq!(error.request_id(), Some("import-7"));
}

#[test]
fn examples_are_those_of_the_contract() {
    use examples::{item_page, item_status, organization_search_page, pipeline_item, product_search_page};

    let contract = contract();
    let is_the = |name: &str, value: Value| {
        let example = &contract["components"]["examples"][name]["value"];
        assert_eq!(value, *example, "{name}");
    };
    is_the("FirstPageOfItems", json!(item_page::first_page()));
    is_the("PastTheEndOfItems", json!(item_page::past_the_end()));
    is_the("ReadyStatus", json!(item_status::ready()));
    is_the("InProgressStatus", json!(item_status::in_progress()));
    is_the("AddedItem", json!(pipeline_item::added()));
    is_the("AnsweredItem", json!(pipeline_item::answered()));
    is_the("SyncedItem", json!(pipeline_item::synced()));
    is_the("OrganizationsFound", json!(organization_search_page::found()));
    is_the(
        "NothingFound",
        json!(organization_search_page::nothing_passes_the_filters()),
    );
    is_the("ProductsFound", json!(product_search_page::found()));
    is_the("NothingFound", json!(product_search_page::nothing_passes_the_filters()));
    is_the("InvalidParameters", json!(examples::problem::invalid_parameters()));
}

#[test]
#[should_panic(
    expected = "the JSON does not match PipelineItem: values.question.201.category: invalid type: integer `7`"
)]
fn mismatched_json_names_the_place() {
    let mut item = json!(examples::pipeline_item::answered());
    item["values"]["question.201"]["category"] = json!(7);
    from_json::<PipelineItem>(item);
}
