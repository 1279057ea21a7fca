//! All ten operations against the reference server, over a socket.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use platform_sdk::chrono::Utc;
use platform_sdk::types::{PipelineItem, SortOrder};
use platform_sdk::{
    Client, EntityType, ExecutionStatus, FundingStage, OrganizationId, PipelineId, PipelineItemId, ProblemCode,
    RetryPolicy,
};
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::ManualClock;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub(crate) const COLD_FISH: &str = "keeps fresh fish cold on its way to the shops";

/// A server for one test. It stops when dropped.
pub(crate) struct Reference {
    base_url: String,
    _stop: oneshot::Sender<()>,
}

impl Reference {
    pub(crate) async fn start() -> Self {
        Self::serve(Server::built_in()).await
    }

    /// Starts a server whose time only moves when the clock is advanced.
    async fn start_at_rest() -> (Self, ManualClock) {
        let clock = ManualClock::new(Utc::now());
        let platform = Platform::in_memory(Dataset::built_in(), Arc::new(clock.clone()));
        (Self::serve(Server::new(platform)).await, clock)
    }

    pub(crate) async fn serve(server: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(server.serve(listener, async {
            let _ = stopped.await;
        }));
        Self { base_url, _stop: stop }
    }

    pub(crate) fn client(&self, key: &str) -> Client {
        Client::builder().base_url(&self.base_url).api_key(key).build().unwrap()
    }
}

#[tokio::test]
async fn organizations_are_found_nearest_first() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let by_description = client
        .search_organizations_by_description()
        .description(COLD_FISH)
        .limit(10);
    let by_customer = client
        .search_organizations_by_customer()
        .organization_customer("seafood exporters and supermarket chains")
        .limit(10);
    let by_organization = client
        .search_organizations_by_organization()
        .organization_id(1001)
        .limit(10);
    for page in [
        by_description.send().await.unwrap().into_inner(),
        by_customer.send().await.unwrap().into_inner(),
        by_organization.send().await.unwrap().into_inner(),
    ] {
        assert_eq!(page.results.len(), 10);
        assert!(page.total_count > 100);
        let distances = page.results.iter().map(|result| result.similarity.cosine_distance);
        assert!(distances.is_sorted());
    }
}

#[tokio::test]
async fn known_organization_is_not_among_its_own_results() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let known = OrganizationId::from(1001);
    let search = client.search_organizations_by_organization().organization_id(known);
    let page = search.limit(100).send().await.unwrap();
    assert!(page.results.iter().all(|result| result.organization_id != known));
}

#[tokio::test]
async fn filters_hold_for_every_result() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let page = client
        .search_organizations_by_description()
        .description(COLD_FISH)
        .countries(["NO", "DK", "US"])
        .employee_count_min(20)
        .employee_count_max(2000)
        .founded_year_min(1990)
        .funding_stages([FundingStage::Seed, FundingStage::SeriesA, FundingStage::SeriesB])
        .funded_from("2010-01-01")
        .limit(100)
        .send()
        .await
        .unwrap();
    assert!(!page.results.is_empty());
    for result in &page.results {
        let country = result.headquarters.country.as_deref();
        assert!(matches!(country, Some("NO" | "DK" | "US")), "{country:?}");
        assert!(
            result
                .metrics
                .employee_count
                .is_some_and(|count| (20..=2000).contains(&count))
        );
        let stage = result.metrics.funding.last_round_stage.as_ref();
        assert!(matches!(
            stage,
            Some(FundingStage::Seed | FundingStage::SeriesA | FundingStage::SeriesB)
        ));
    }
}

#[tokio::test]
async fn other_offices_count_on_request() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let search = client
        .search_organizations_by_description()
        .description(COLD_FISH)
        .countries("DK");
    let headquarters = search.clone().send().await.unwrap().total_count;
    let anywhere = search.headquarters_only(false).send().await.unwrap().total_count;
    assert!(headquarters < anywhere, "{headquarters} {anywhere}");
}

#[tokio::test]
async fn products_are_found_with_their_organization() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let by_description = client.search_products_by_description().description(COLD_FISH).limit(10);
    let by_customer = client
        .search_products_by_customer()
        .product_customer("hospital pharmacies")
        .limit(10);
    let by_product = client.search_products_by_product().product_id(5001).limit(10);
    for page in [
        by_description.send().await.unwrap().into_inner(),
        by_customer.send().await.unwrap().into_inner(),
        by_product.send().await.unwrap().into_inner(),
    ] {
        assert_eq!(page.results.len(), 10);
        assert!(page.results.iter().all(|product| !product.organization.name.is_empty()));
        let distances = page.results.iter().map(|result| result.similarity.cosine_distance);
        assert!(distances.is_sorted());
    }
}

#[tokio::test]
async fn pages_of_a_pipeline_walk_to_every_item_once() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let mut items: Vec<PipelineItemId> = Vec::new();
    let total = loop {
        let request = client.list_items().pipeline_id(1).skip(items.len() as i64).limit(500);
        let page = request.send().await.unwrap();
        if page.items.is_empty() {
            break page.total_count;
        }
        items.extend(page.items.iter().map(|item| item.pipeline_item_id));
    };
    assert!(total >= 1250);
    assert_eq!(items.len() as i64, total);
    assert_eq!(items.iter().collect::<BTreeSet<_>>().len(), items.len());
}

#[tokio::test]
async fn pipeline_is_sorted_by_a_question_with_the_unanswered_last() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    let page = client
        .list_items()
        .pipeline_id(1)
        .sort_by("question.101")
        .sort_order(SortOrder::Desc)
        .limit(1000)
        .send()
        .await
        .unwrap();
    let answer = |item: &PipelineItem| {
        item.values["question.101"]
            .result
            .first()
            .and_then(|value| value.as_f64())
    };
    let answers: Vec<Option<f64>> = page.items.iter().map(answer).collect();
    // `None` is less than any number, so it comes last in descending order.
    assert!(answers.is_sorted_by(|a, b| a >= b));
    assert!(answers[0].is_some());
}

#[tokio::test]
async fn every_pipeline_can_be_read() {
    let server = Reference::start().await;
    let client = server.client("dev-read-only");
    for (pipeline, entity_type) in [
        (2, EntityType::Organization),
        (3, EntityType::Person),
        (4, EntityType::Document),
        (5, EntityType::Organization),
    ] {
        let page = client
            .list_items()
            .pipeline_id(pipeline)
            .limit(1000)
            .send()
            .await
            .unwrap();
        assert!(!page.items.is_empty());
        assert!(page.items.iter().all(|item| item.entity_type == entity_type));
        let item = &page.items[0];
        let values = client
            .get_item_values()
            .pipeline_id(pipeline)
            .pipeline_item_id(item.pipeline_item_id)
            .send()
            .await
            .unwrap();
        assert_eq!(values.pipeline_item_id, item.pipeline_item_id);
        let status = client
            .get_item_status()
            .pipeline_id(pipeline)
            .pipeline_item_id(item.pipeline_item_id)
            .send()
            .await
            .unwrap();
        assert_eq!(status.pipeline_id, PipelineId::from(pipeline));
    }
}

#[tokio::test]
async fn added_organization_becomes_ready() {
    let (server, clock) = Reference::start_at_rest().await;
    let client = server.client("dev-full-access");
    let add = client.add_organization().pipeline_id(6).organization_id(1002);
    let item = add.send().await.unwrap();
    assert_eq!(item.status(), 201);
    assert_eq!(item.organization_id, Some(1002.into()));
    let question = |item: &PipelineItem| item.values["question.601"].status.clone();
    assert_eq!(question(&item), Some(ExecutionStatus::Pending));

    let status = client
        .get_item_status()
        .pipeline_id(6)
        .pipeline_item_id(item.pipeline_item_id);
    let before = status.clone().send().await.unwrap();
    assert!(!before.is_ready && !before.custom_questions_answered);

    clock.advance(Duration::from_secs(3600)).await;
    let after = status.send().await.unwrap();
    assert!(after.is_ready && after.custom_questions_answered);
    let values = client
        .get_item_values()
        .pipeline_id(6)
        .pipeline_item_id(item.pipeline_item_id);
    let item = values.send().await.unwrap();
    assert_eq!(question(&item), Some(ExecutionStatus::Completed));
    assert!(item.values["question.601"].result[0].as_f64().is_some());
}

#[tokio::test]
async fn organization_is_added_once() {
    let server = Reference::start().await;
    let client = server.client("dev-full-access");
    let request = client.add_organization().pipeline_id(6).organization_id(1003);
    request.clone().send().await.unwrap();
    let error = request.send().await.unwrap_err();
    assert!(error.is_already_in_pipeline());
    assert_eq!(error.code(), Some(&ProblemCode::OrganizationAlreadyInPipeline));
    assert!(error.request_id().is_some());
}

#[tokio::test]
async fn server_errors_are_distinguished() {
    let server = Reference::start().await;
    let full = server.client("dev-full-access");

    let error = full.list_items().pipeline_id(999_999).send().await.unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.code(), Some(&ProblemCode::PipelineNotFound));

    let error = full.list_items().pipeline_id(2).limit(1001).send().await.unwrap_err();
    assert!(error.is_invalid());
    assert_eq!(error.field_errors().len(), 1);
    assert!(error.to_string().contains("query.limit: "), "{error}");

    let error = full
        .list_items()
        .pipeline_id(2)
        .sort_by("name")
        .send()
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(&ProblemCode::InvalidSortBy));

    let error = full
        .add_organization()
        .pipeline_id(3)
        .organization_id(1001)
        .send()
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some(&ProblemCode::NotAnOrganizationPipeline));

    let error = server
        .client("not-a-key")
        .list_items()
        .pipeline_id(2)
        .send()
        .await
        .unwrap_err();
    assert!(error.is_unauthenticated());
    assert_eq!(error.code(), Some(&ProblemCode::InvalidApiKey));

    let error = server
        .client("dev-no-access")
        .list_items()
        .pipeline_id(2)
        .send()
        .await
        .unwrap_err();
    assert!(error.is_denied());

    let read_only = server.client("dev-read-only");
    let error = read_only
        .add_organization()
        .pipeline_id(6)
        .organization_id(1001)
        .send()
        .await
        .unwrap_err();
    assert!(error.is_denied());

    let astray = Client::builder()
        .base_url(format!("{}/v2", server.base_url))
        .api_key("dev-full-access")
        .build()
        .unwrap();
    let error = astray.list_items().pipeline_id(2).send().await.unwrap_err();
    assert_eq!(error.code(), Some(&ProblemCode::RouteNotFound));
    assert!(!error.is_not_found());
}

#[tokio::test]
async fn error_returns_when_the_quota_renews() {
    let server = Reference::start().await;
    let client = server.client("dev-rate-limited");
    let client = client.with_retry_policy(RetryPolicy::never());
    let request = client.list_items().pipeline_id(2).limit(1);
    let error = loop {
        match request.clone().send().await {
            Ok(page) => assert!(page.headers().contains_key("ratelimit")),
            Err(error) => break error,
        }
    };
    assert!(error.is_rate_limited());
    assert!(error.retry_after().is_some_and(|wait| wait >= Duration::from_secs(1)));
}
