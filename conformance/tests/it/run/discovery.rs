//! What a run finds out before its first case: a pipeline that is named and not there, and texts by which a search
//! finds records and tells them apart.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::Uri;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use platform_conformance::report::Silent;
use platform_conformance::{Verdict, catalogue, run};
use platform_server_stub::Server;
use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::only;
use crate::served;

#[tokio::test(flavor = "multi_thread")]
async fn named_pipeline_that_is_not_found_is_a_finding() {
    let id = "cross/any-pipeline/list_items";
    let target = served::target(crate::served::router()).await;
    for (named, verdict) in [(7, Verdict::Passed), (99, Verdict::Failed)] {
        let target = target.clone().with_more_pipelines([named]);
        let report = run(catalogue(), &target, &only(&[id]), &mut Silent).await.unwrap();
        let case = report.case(id).unwrap();
        assert_eq!(case.verdict, verdict, "{case:#?}");
        let says = case.findings.iter().any(|finding| finding.what.contains("pipeline 99"));
        assert_eq!(says, named == 99, "{case:#?}");
    }
}

/// The description that a search is asked for.
fn description(uri: &Uri) -> Option<String> {
    let mut pairs = form_urlencoded::parse(uri.query()?.as_bytes());
    let (_, text) = pairs.find(|(name, _)| name == "description")?;
    uri.path().ends_with("/similar").then(|| text.into_owned())
}

/// A search that finds everything at one distance, unless the text is from one of its own descriptions.
fn comparing_words(asked: Arc<Mutex<Vec<String>>>) -> Router {
    let around = move |request: Request, next: Next| {
        let text = description(request.uri());
        asked.lock().unwrap().extend(text.clone());
        async move {
            let response = next.run(request).await;
            // The descriptions of the built-in data are sentences.
            match text.filter(|text| !text.contains('.')) {
                Some(_) => at_one_distance(response).await,
                None => response,
            }
        }
    };
    crate::served::router().layer(from_fn(around))
}

async fn at_one_distance(response: Response) -> Response {
    let (head, body) = response.into_parts();
    let mut page: Value = serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap();
    for result in page["results"].as_array_mut().into_iter().flatten() {
        result["similarity"]["cosine_distance"] = json!(1.0);
    }
    let body = page.to_string();
    let mut response = Response::from_parts(head, Body::from(body.clone()));
    response.headers_mut().insert("content-length", body.len().into());
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_example_is_replaced_by_words_of_the_deployment() {
    let asked = Arc::default();
    let target = served::target(comparing_words(Arc::clone(&asked))).await;
    let id = "search-ranking/nearest-first-ties-by-id/search_organizations_by_description";
    let report = run(catalogue(), &target, &only(&[id]), &mut Silent).await.unwrap();
    assert_eq!(report.with(Verdict::Passed).len(), 1, "{report:#?}");
    let asked = asked.lock().unwrap();
    let last = asked.last().unwrap();
    assert!(last.contains('.'), "{asked:#?}");
}

/// A search by description that finds nothing, except by a text with a word of the contract's examples.
fn finding_little() -> Router {
    crate::served::except(|request| {
        let text = description(request.uri())?;
        let nothing = json!({"total_count": 0, "results": []}).to_string();
        let response = Response::builder().header("content-type", "application/json");
        let is_found = ["fish", "temperature"].iter().any(|word| text.contains(word));
        (!is_found).then(|| response.body(Body::from(nothing)).unwrap())
    })
}

/// Not every text finds something by a search that compares words.
#[tokio::test(flavor = "multi_thread")]
async fn records_are_found_by_the_example_if_no_general_text_finds_any() {
    let id = "search-ranking/known-record-is-not-found/search_organizations_by_organization";
    let report = served::run_on(finding_little(), &[id]).await;
    let case = report.case(id).unwrap();
    assert_eq!(case.verdict, Verdict::Passed, "{case:#?}");
}

/// The reference server, with ids beyond 32 bits for the products whose ids have this remainder.
fn with_great_products(remainder: i64) -> Router {
    let mut data = Data::built_in();
    for product in &mut data.products {
        let id = product.product_id.get();
        if id % 2 == remainder {
            product.product_id = (id + (1 << 33)).try_into().unwrap();
        }
    }
    let data = Arc::new(Dataset::new(data).unwrap());
    Server::new(Platform::in_memory(data, Arc::new(SystemClock))).router()
}

/// Whichever product a search finds first, its id is beyond 32 bits on one of the two.
#[tokio::test(flavor = "multi_thread")]
async fn id_that_fits_is_looked_for_beyond_the_first_record() {
    let id = "search-error/id-is-whole/search_products_by_product";
    for remainder in [0, 1] {
        let report = served::run_on(with_great_products(remainder), &[id]).await;
        assert_eq!(report.case(id).unwrap().verdict, Verdict::Passed, "{report:#?}");
    }
}
