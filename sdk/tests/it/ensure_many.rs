//! Adding at scale: organizations that already exist cost little.

use futures::StreamExt;
use platform_sdk::mock::{self, Answer};
use platform_sdk::{Client, Presence, ProblemCode};
use platform_server_stub::Server;

#[tokio::test]
async fn existing_organization_costs_one_request_without_its_item() {
    let server = mock::Server::start().await;
    let client = server.client();
    let adding = server
        .when(client.add_organization().pipeline_id(6).organization_id(1001))
        .answers([Answer::problem(ProblemCode::OrganizationAlreadyInPipeline)]);
    let request = client.ensure_organization().pipeline_id(6).organization_id(1001);
    let presence = request.without_item().send().await.unwrap();
    assert_eq!(presence, Presence::AlreadyThere);
    adding.assert_calls(1);
    assert!(server.unexpected().is_empty());
}

#[tokio::test]
async fn lost_answer_without_an_item_is_resolved_by_adding_again() {
    let server = mock::Server::start().await;
    let client = server.client();
    let adding = server
        .when(client.add_organization().pipeline_id(6).organization_id(1001))
        .answers([
            Answer::problem(ProblemCode::InternalError),
            Answer::problem(ProblemCode::OrganizationAlreadyInPipeline),
        ]);
    let request = client.ensure_organization().pipeline_id(6).organization_id(1001);
    let presence = request.without_item().send().await.unwrap();
    assert_eq!(presence, Presence::FoundAfterLostAnswer);
    adding.assert_calls(2);
}

#[tokio::test]
async fn importing_again_costs_one_walk() {
    let requests = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&requests);
    let router = Server::built_in().router();
    let service = tower::service_fn(move |request| {
        counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        tower::ServiceExt::oneshot(router.clone(), request)
    });
    let client = Client::builder()
        .service(service)
        .api_key("dev-full-access")
        .build()
        .unwrap();
    let organizations = || futures::stream::iter(1001..1021);
    let import = client.ensure_organizations().pipeline_id(6);
    let first: Vec<_> = import.clone().send(organizations()).await.unwrap().collect().await;
    assert_eq!(first.len(), 20);
    assert!(first.iter().all(|(_, presence)| presence.is_ok()), "{first:?}");

    let before = requests.load(std::sync::atomic::Ordering::SeqCst);
    let again: Vec<_> = import.send(organizations()).await.unwrap().collect().await;
    let again: Vec<_> = again.into_iter().map(|(_, presence)| presence.unwrap()).collect();
    assert_eq!(again, [Presence::AlreadyThere; 20]);
    assert_eq!(requests.load(std::sync::atomic::Ordering::SeqCst) - before, 1);
}

/// A walk over a thousand items takes one page, the largest that the contract allows.
#[tokio::test]
async fn importing_a_thousand_again_costs_one_request() {
    let server = mock::Server::start().await;
    let client = server.client();
    let items = (1..=1000).map(|organization| {
        let mut item = mock::examples::pipeline_item::added();
        item.pipeline_item_id = (200_000 + organization).into();
        item.organization_id = Some(organization.into());
        item
    });
    let listing = server
        .when(client.list_items().pipeline_id(2))
        .answer(mock::examples::item_page::of(items));
    let import = client.ensure_organizations().pipeline_id(2);
    let import = import.send(futures::stream::iter(1..=1000)).await.unwrap();
    let presences: Vec<_> = import.map(|(_, presence)| presence.unwrap()).collect().await;
    assert_eq!(presences, [Presence::AlreadyThere; 1000]);
    listing.assert_calls(1);
    assert!(server.unexpected().is_empty());
}
