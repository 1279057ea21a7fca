//! Matching of calls to mocks.

use std::collections::{BTreeMap, BTreeSet};

use platform_contract::Contract;
use platform_sdk::mock::{Server, examples};
use platform_sdk::types::{AddOrganizationRequest, SortOrder};
use platform_sdk::{FundingStage, reqwest};
use serde_json::json;

/// Calls an operation and asserts that a mock with another value for any one parameter does not match.
/// Returns the names of the operation and its parameters.
macro_rules! matched {
    ($operation:ident => $answer:expr; $($parameter:ident: $value:expr, not $other:expr;)+) => {{
        let server = Server::start().await;
        let client = server.client();
        let others = [$((
            stringify!($parameter),
            server.when(client.$operation().$parameter($other)).answer($answer),
        )),+];
        let this = server.when(client.$operation()$(.$parameter($value))+).answer($answer);
        let any = server.when(client.$operation()).answer($answer);

        let call = client.$operation()$(.$parameter($value))+;
        assert_eq!(call.send().await.unwrap().into_inner(), $answer);
        for (parameter, other) in others {
            assert_eq!(other.calls(), 0, "{parameter} of {}", stringify!($operation));
        }
        this.assert_calls(1);
        any.assert_calls(0);
        (stringify!($operation), BTreeSet::from([$(stringify!($parameter)),+]))
    }};
}

/// The same for a search, which takes the filters in addition to its own parameter.
macro_rules! matched_search {
    ($operation:ident => $answer:expr; $parameter:ident: $value:expr, not $other:expr) => {
        matched! {
            $operation => $answer;
            $parameter: $value, not $other;
            countries: ["NO", "DK"], not ["NO", "SE"];
            regions: "NO-46", not "NO-11";
            employee_count_min: 10, not 11;
            employee_count_max: 250, not 25;
            founded_year_min: 2010, not 2011;
            founded_year_max: 2024, not 2023;
            business_types: ["freight_logistics", "warehousing"], not "freight_logistics";
            funding_stages: [FundingStage::Seed, FundingStage::SeriesA], not FundingStage::Seed;
            funded_from: "2018-01-01", not "2018-01-02";
            funded_to: "2026-06-30", not "2026-06-29";
            headquarters_only: false, not true;
            skip: 20, not 0;
            limit: 10, not 100;
        }
    };
}

#[tokio::test]
async fn every_parameter_of_every_operation_is_matched() {
    use examples::product_search_page;
    use examples::{item_page, item_status, organization_search_page, pipeline_item};

    let matched = BTreeMap::from([
        matched! {
            list_items => item_page::first_page();
            pipeline_id: 2, not 3;
            skip: 100, not 10;
            limit: 1000, not 100;
            sort_by: "question.201", not "question.202";
            sort_order: SortOrder::Desc, not SortOrder::Asc;
        },
        matched! {
            get_item_status => item_status::ready();
            pipeline_id: 2, not 3;
            pipeline_item_id: 200_001, not 200_002;
        },
        matched! {
            get_item_values => pipeline_item::answered();
            pipeline_id: 2, not 3;
            pipeline_item_id: 200_001, not 200_002;
        },
        matched! {
            add_organization => pipeline_item::added();
            pipeline_id: 2, not 3;
            organization_id: 1008, not 1009;
        },
        matched_search! {
            search_organizations_by_organization => organization_search_page::found();
            organization_id: 1001, not 1002
        },
        matched_search! {
            search_organizations_by_description => organization_search_page::found();
            description: "fish & chips: 100 % æøå", not "fish"
        },
        matched_search! {
            search_organizations_by_customer => organization_search_page::nothing_passes_the_filters();
            organization_customer: "seafood exporters", not "supermarkets"
        },
        matched_search! {
            search_products_by_product => product_search_page::found();
            product_id: 5001, not 5002
        },
        matched_search! {
            search_products_by_description => product_search_page::found();
            description: "a logger", not "a lodger"
        },
        matched_search! {
            search_products_by_customer => product_search_page::nothing_passes_the_filters();
            product_customer: "hospital pharmacies", not "hospitals"
        },
    ]);
    let matched = json!(matched);
    assert_eq!(matched, json!(parameters_of_the_contract()));
}

/// Returns the names of all parameters, including properties of bodies, by operation.
fn parameters_of_the_contract() -> BTreeMap<String, BTreeSet<String>> {
    let contract = Contract::bundled();
    let operations = contract.operations().iter();
    operations
        .map(|operation| {
            let parameters = operation.parameters.iter();
            let mut names: BTreeSet<String> = parameters.map(|parameter| parameter.name.clone()).collect();
            let bodies = operation.body.iter().flat_map(|body| &body.content);
            for (_, schema) in bodies {
                let properties = contract.resolve(schema)["properties"].as_object();
                names.extend(properties.into_iter().flatten().map(|(name, _)| name.clone()));
            }
            (operation.id.clone(), names)
        })
        .collect()
}

#[tokio::test]
async fn open_parameter_of_a_mock_matches_anything() {
    let server = Server::start().await;
    let client = server.client();
    let listing = server
        .when(client.list_items().limit(10))
        .answer(examples::item_page::first_page());
    for (pipeline, skip) in [(1, 0), (2, 20)] {
        let call = client.list_items().pipeline_id(pipeline).skip(skip);
        call.limit(10).send().await.unwrap();
    }
    listing.assert_calls(2);
}

#[tokio::test]
async fn values_of_a_list_match_in_any_order_if_all_match() {
    let server = Server::start().await;
    let client = server.client();
    let search = || client.search_products_by_description().description("a");
    let nordic = server
        .when(search().countries(["NO", "DK"]))
        .answer(examples::product_search_page::found());
    search().countries(["DK", "NO"]).send().await.unwrap();
    for other in [vec!["NO"], vec!["NO", "DK", "SE"], vec!["NO", "NO"], vec![]] {
        let error = search().countries(other).send().await.unwrap_err();
        assert_eq!(error.status(), Some(reqwest::StatusCode::NOT_IMPLEMENTED));
    }
    nordic.assert_calls(1);
}

#[tokio::test]
async fn empty_list_matches_its_absence() {
    let server = Server::start().await;
    let client = server.client();
    let search = || client.search_products_by_description().description("a");
    let unfiltered = server
        .when(search().countries(Vec::<String>::new()))
        .answer(examples::product_search_page::found());
    assert!(search().countries("NO").send().await.is_err());
    search().send().await.unwrap();
    unfiltered.assert_calls(1);
}

#[tokio::test]
async fn body_is_matched_however_it_was_built() {
    let server = Server::start().await;
    let client = server.client();
    let body = AddOrganizationRequest::builder().organization_id(1008);
    let added = server
        .when(client.add_organization().body(body))
        .answer(examples::pipeline_item::added());
    let item = client.add_organization().pipeline_id(2).organization_id(1008);
    assert_eq!(item.send().await.unwrap().status(), 201);
    added.assert_calls(1);
}

#[tokio::test]
async fn first_mock_that_matches_answers() {
    let server = Server::start().await;
    let client = server.client();
    let second_page = server
        .when(client.list_items().skip(1))
        .answer(examples::item_page::past_the_end());
    let any_page = server
        .when(client.list_items())
        .answer(examples::item_page::first_page());
    client.list_items().pipeline_id(2).skip(1).send().await.unwrap();
    client.list_items().pipeline_id(2).send().await.unwrap();
    second_page.assert_calls(1);
    any_page.assert_calls(1);
}
