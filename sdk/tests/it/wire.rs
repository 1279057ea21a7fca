//! Requests, byte for byte.

use platform_sdk::chrono::NaiveDate;
use platform_sdk::types::{AddOrganizationRequest, SortOrder};
use platform_sdk::{FundingStage, OrganizationId, PipelineId};
use serde_json::{Value, json};

use crate::canned::{Canned, KEY};

async fn search_server() -> Canned {
    Canned::json(200, json!({"total_count": 0, "results": []})).await
}

async fn item_server(status: u16) -> Canned {
    Canned::json(
        status,
        crate::contract()["components"]["examples"]["AddedItem"]["value"].clone(),
    )
    .await
}

/// All filters, in the order in which they are sent.
const FILTERS: &str = "business_types=freight_logistics&business_types=warehousing&countries=NO&countries=DK\
    &employee_count_max=250&employee_count_min=10&founded_year_max=2024&founded_year_min=2010\
    &funded_from=2018-01-01&funded_to=2026-06-30&funding_stages=seed&funding_stages=series_a\
    &headquarters_only=false&limit=10";

/// Sets every filter of a search, and checks the request.
macro_rules! assert_search {
    ($operation:ident, $parameter:ident($value:expr), $path:literal, $before:literal, $after:literal) => {{
        let server = search_server().await;
        let found = server
            .client()
            .$operation()
            .$parameter($value)
            .countries(["NO", "DK"])
            .regions(["NO-46"])
            .employee_count_min(10)
            .employee_count_max(250)
            .founded_year_min(2010)
            .founded_year_max(2024)
            .business_types(vec!["freight_logistics".to_owned(), "warehousing".to_owned()])
            .funding_stages([FundingStage::Seed, FundingStage::SeriesA])
            .funded_from("2018-01-01")
            .funded_to(NaiveDate::from_ymd_opt(2026, 6, 30).unwrap())
            .headquarters_only(false)
            .skip(20)
            .limit(10)
            .send()
            .await
            .unwrap();
        assert_eq!(found.total_count, 0);
        let filters = FILTERS.replace("&employee_count_max", concat!($before, "&employee_count_max"));
        let expected = format!("GET {}?{filters}{}&regions=NO-46&skip=20", $path, $after);
        assert_eq!(server.request_line(), expected);
    }};
}

#[tokio::test]
async fn search_organizations_by_organization() {
    assert_search!(
        search_organizations_by_organization,
        organization_id(1001),
        "/search/organizations/1001/similar",
        "",
        ""
    );
}

#[tokio::test]
async fn search_organizations_by_description() {
    assert_search!(
        search_organizations_by_description,
        description("keeps fish & chips cold, 100 %: brrr + æøå"),
        "/search/organizations/similar",
        "&description=keeps+fish+%26+chips+cold%2C+100+%25%3A+brrr+%2B+%C3%A6%C3%B8%C3%A5",
        ""
    );
}

#[tokio::test]
async fn search_organizations_by_customer() {
    assert_search!(
        search_organizations_by_customer,
        organization_customer("seafood exporters"),
        "/search/organizations/similar-customers",
        "",
        "&organization_customer=seafood+exporters"
    );
}

#[tokio::test]
async fn search_products_by_product() {
    assert_search!(
        search_products_by_product,
        product_id(5001),
        "/search/products/5001/similar",
        "",
        ""
    );
}

#[tokio::test]
async fn search_products_by_description() {
    assert_search!(
        search_products_by_description,
        description("a logger"),
        "/search/products/similar",
        "&description=a+logger",
        ""
    );
}

#[tokio::test]
async fn search_products_by_customer() {
    assert_search!(
        search_products_by_customer,
        product_customer("hospital pharmacies"),
        "/search/products/similar-customers",
        "",
        "&product_customer=hospital+pharmacies"
    );
}

#[tokio::test]
async fn list_items() {
    let server = Canned::json(200, json!({"pipeline_id": 2, "total_count": 0, "items": []})).await;
    let page = server
        .client()
        .list_items()
        .pipeline_id(2)
        .skip(100)
        .limit(1000)
        .sort_by("question.102")
        .sort_order(SortOrder::Desc)
        .send()
        .await
        .unwrap();
    assert_eq!(page.pipeline_id, PipelineId::from(2));
    let expected = "GET /api/v1/pipelines/2/items?limit=1000&skip=100&sort_by=question.102&sort_order=desc";
    assert_eq!(server.request_line(), expected);
}

#[tokio::test]
async fn get_item_values() {
    let server = item_server(200).await;
    let item = server
        .client()
        .get_item_values()
        .pipeline_id(2)
        .pipeline_item_id(200_013)
        .send()
        .await
        .unwrap();
    assert_eq!(item.organization_id, Some(1008.into()));
    assert_eq!(server.request_line(), "GET /api/v1/pipelines/2/items/200013/values");
}

#[tokio::test]
async fn get_item_status() {
    let status = crate::contract()["components"]["examples"]["InProgressStatus"]["value"].clone();
    let server = Canned::json(200, status).await;
    let status = server
        .client()
        .get_item_status()
        .pipeline_id(2)
        .pipeline_item_id(200_013)
        .send()
        .await
        .unwrap();
    assert!(!status.is_ready);
    assert_eq!(server.request_line(), "GET /api/v1/pipelines/2/items/200013/status");
}

#[tokio::test]
async fn add_organization() {
    let server = item_server(201).await;
    let item = server
        .client()
        .add_organization()
        .pipeline_id(2)
        .organization_id(1001)
        .send()
        .await
        .unwrap();
    assert_eq!(item.status(), 201);
    assert_eq!(server.request_line(), "POST /api/v1/pipelines/2/organizations");
    let request = server.request();
    let body: Value = serde_json::from_slice(request.body_ref()).unwrap();
    assert_eq!(body, json!({"organization_id": 1001}));
    assert_eq!(header(&request, "content-type"), ["application/json"]);
}

#[tokio::test]
async fn whole_body_can_be_set() {
    let server = item_server(201).await;
    let body = AddOrganizationRequest::builder().organization_id(OrganizationId::from(1001));
    let body = AddOrganizationRequest::try_from(body).unwrap();
    let client = server.client();
    client
        .add_organization()
        .pipeline_id(2)
        .body(body)
        .send()
        .await
        .unwrap();
    assert_eq!(server.request().body_ref(), br#"{"organization_id":1001}"#);
}

#[tokio::test]
async fn parameters_that_are_not_given_are_not_sent() {
    let server = search_server().await;
    let client = server.client();
    client
        .search_organizations_by_description()
        .description("a")
        .send()
        .await
        .unwrap();
    assert_eq!(server.request_line(), "GET /search/organizations/similar?description=a");
}

#[tokio::test]
async fn list_filters_accept_common_collections() {
    let server = search_server().await;
    let client = server.client();
    let search = client.search_organizations_by_organization().organization_id(1);
    let slice: &[&str] = &["DK"];
    let kept = vec!["SE"];
    for (search, query) in [
        (search.clone().countries("NO"), "?countries=NO"),
        (search.clone().countries("NO".to_owned()), "?countries=NO"),
        (search.clone().countries(["NO", "DK"]), "?countries=NO&countries=DK"),
        (search.clone().countries(slice), "?countries=DK"),
        (search.clone().countries(&kept), "?countries=SE"),
        (search.clone().countries(Vec::<String>::new()), ""),
        (search.clone().funding_stages("seed"), "?funding_stages=seed"),
        (
            search.clone().funding_stages(FundingStage::Seed),
            "?funding_stages=seed",
        ),
        (
            search.clone().funding_stages(["seed", "moonshot"]),
            "?funding_stages=seed&funding_stages=moonshot",
        ),
    ] {
        search.send().await.unwrap();
        let request = server.requests().pop().unwrap();
        let sent = request
            .uri()
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        assert_eq!(sent, query);
    }
}

#[tokio::test]
async fn headers_identify_the_caller_and_nothing_else() {
    let server = search_server().await;
    server
        .client()
        .search_products_by_description()
        .description("a")
        .send()
        .await
        .unwrap();
    let request = server.request();
    assert_eq!(header(&request, "api-key"), [KEY]);
    assert_eq!(header(&request, "accept"), ["application/json"]);
    assert_eq!(
        header(&request, "user-agent"),
        [concat!("platform-sdk/", env!("CARGO_PKG_VERSION"))]
    );
    let mut names: Vec<String> = request.headers().iter().map(|(name, _)| name.to_string()).collect();
    names.sort();
    assert_eq!(names, ["accept", "accept-encoding", "api-key", "host", "user-agent"]);
}

#[tokio::test]
async fn path_of_the_base_url_goes_before_that_of_the_operation() {
    let server = search_server().await;
    for base_url in [server.base_url() + "/platform", server.base_url() + "/platform/"] {
        let client = crate::canned::client(&base_url);
        client.search_products_by_product().product_id(1).send().await.unwrap();
        let request = server.requests().pop().unwrap();
        assert_eq!(request.uri().path(), "/platform/search/products/1/similar");
    }
}

#[tokio::test]
async fn invalid_request_is_not_sent() {
    let server = search_server().await;
    let client = server.client();
    let by_id = client.search_organizations_by_organization();
    for (request, message) in [
        (
            by_id.clone().organization_id(1).limit(u64::MAX),
            "`limit` does not fit `i32`: out of range integral type conversion attempted",
        ),
        (
            by_id.organization_id(1).funded_to("2023-02-29"),
            "`funded_to` does not fit `DateBound`: not an existing date in the form YYYY-MM-DD: input is out of range",
        ),
    ] {
        let error = request.send().await.unwrap_err();
        assert!(error.is_invalid());
        assert_eq!(error.status(), None);
        let expected = format!("search_organizations_by_organization: {message}; nothing was sent");
        assert_eq!(error.to_string(), expected);
    }
    let list = client.list_items().pipeline_id(1).sort_order("down");
    let error = list.send().await.unwrap_err();
    let message = "list_items: `sort_order` does not fit `SortOrder`: expected `asc` or `desc`; nothing was sent";
    assert_eq!(error.to_string(), message);
    // The compiler cannot check what a closure sets on a body.
    let add = client.add_organization().pipeline_id(6);
    let error = add.body_map(|body| body).send().await.unwrap_err();
    assert!(error.is_invalid());
    let message = "add_organization: `organization_id` is missing; nothing was sent";
    assert_eq!(error.to_string(), message);
    assert_eq!(server.requests().len(), 0);
}

fn header(request: &httpmock::HttpMockRequest, name: &str) -> Vec<String> {
    let headers = request.headers();
    let values = headers.get_all(name).into_iter();
    values.map(|value| value.to_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn filters_are_shared_by_all_searches() {
    let filters = platform_sdk::Filters::new()
        .countries(["NO", "DK"])
        .employee_count_min(10)
        .employee_count_max(None::<i32>)
        .funded_from(Some("2018-01-01"))
        .headquarters_only(false);
    let server = search_server().await;
    let search = server.client().search_products_by_customer();
    let search = search.product_customer("grocers").limit(5).employee_count_min(3);
    search.filters(&filters).send().await.unwrap();
    assert_eq!(
        server.request_line(),
        "GET /search/products/similar-customers?countries=NO&countries=DK&employee_count_min=10\
         &funded_from=2018-01-01&headquarters_only=false&limit=5&product_customer=grocers"
    );
    let client = server.client();
    let _ = client.search_organizations_by_organization().filters(&filters);
    let _ = client.search_organizations_by_description().filters(&filters);
    let _ = client.search_organizations_by_customer().filters(&filters);
    let _ = client.search_products_by_product().filters(&filters);
    let _ = client.search_products_by_description().filters(filters);
}

#[tokio::test]
async fn success_has_its_request_id() {
    use platform_sdk::RequestId;

    let body = json!({"total_count": 0, "results": []}).to_string();
    let server = Canned::new(200, &[("X-Request-Id", "abc-1")], body).await;
    let found = server
        .client()
        .search_products_by_product()
        .product_id(1)
        .send()
        .await
        .unwrap();
    assert_eq!(found.request_id(), Some("abc-1"));
}
