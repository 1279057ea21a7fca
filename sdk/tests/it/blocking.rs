//! Blocking client: every operation, walks, imports, waits, and calls within async code.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use platform_sdk::blocking::Client;
use platform_sdk::paging::Event;
use platform_sdk::{ErrorClass, Outcome, Presence, RetryPolicy};
use platform_server_stub::Server;
use tokio::runtime::Builder;

fn client() -> Client {
    let builder = platform_sdk::Client::builder()
        .service(Server::built_in().router())
        .api_key("dev-full-access");
    builder.build_blocking().unwrap()
}

#[test]
fn every_operation_is_called() {
    let client = client();
    let added = client.add_organization().pipeline_id(6).organization_id(1001);
    let added = added.send().unwrap().pipeline_item_id;
    let status = client.get_item_status().pipeline_id(6);
    let status = status.pipeline_item_id(added).send().unwrap();
    assert_eq!(status.pipeline_item_id, added);
    let values = client.get_item_values().pipeline_id(6);
    let values = values.pipeline_item_id(added).send().unwrap();
    assert_eq!(values.pipeline_item_id, added);
    let listed = client.list_items().pipeline_id(6).limit(1).send().unwrap();
    assert_eq!(listed.items.len(), 1);

    let text = "hospital pharmacies";
    let search = client.search_organizations_by_description();
    assert!(search.description(text).limit(1).send().is_ok());
    let search = client.search_organizations_by_customer();
    assert!(search.organization_customer(text).send().is_ok());
    let search = client.search_organizations_by_organization();
    assert!(search.organization_id(1001).send().is_ok());
    let search = client.search_products_by_description();
    assert!(search.description(text).send().is_ok());
    let search = client.search_products_by_customer();
    assert!(search.product_customer(text).send().is_ok());
    let search = client.search_products_by_product();
    assert!(search.product_id(5001).send().is_ok());
}

#[test]
fn walk_is_an_iterator_that_is_resumed() {
    let client = client();
    let walk = || client.list_items().pipeline_id(1).walk().page_size(100);
    let mut items = walk().items().unwrap();
    let first: Vec<_> = items.by_ref().take(150).map(Result::unwrap).collect();
    assert_eq!(items.total_count(), Some(1280));
    assert_eq!(items.cursor().position(), 150);
    let rest = walk().resume(items.cursor()).collect().unwrap();
    let ids: HashSet<_> = first.iter().chain(&rest).map(|item| item.pipeline_item_id).collect();
    assert_eq!((first.len(), rest.len(), ids.len()), (150, 1130, 1280));

    let pages = walk().pages().unwrap().map(|page| page.unwrap().items.len());
    assert_eq!(pages.sum::<usize>(), 1280);
    let events = walk().events().unwrap();
    let is_item = |event: &Result<Event<_>, _>| matches!(event, Ok(Event::Item(_)));
    assert_eq!(events.filter(is_item).count(), 1280);
    let rows = client.list_items().pipeline_id(2).walk().rows().unwrap();
    assert!(!rows.is_empty());
}

#[test]
fn walk_that_fails_ends() {
    let client = client().with_retry_policy(RetryPolicy::never());
    let mut items = client.list_items().pipeline_id(99).walk().items().unwrap();
    assert!(items.next().unwrap().unwrap_err().is_not_found());
    assert!(items.next().is_none());
}

#[test]
fn organizations_are_ensured_and_waited_for() {
    let client = client();
    let request = client.ensure_organization().pipeline_id(6);
    let request = request.organization_id(1001);
    let ensured = request.clone().send().unwrap();
    assert_eq!(ensured.presence, Presence::Created);
    let presence = request.without_item().send().unwrap();
    assert_eq!(presence, Presence::AlreadyThere);

    let import = client.ensure_organizations().pipeline_id(6).concurrency(2);
    let import = import.send([1001, 1002, 1003]).unwrap();
    let created = import.filter(|(_, presence)| matches!(presence, Ok(Presence::Created)));
    assert_eq!(created.count(), 2);

    let wait = client.wait_until_ready().item(&ensured.item);
    let statuses: Vec<_> = wait.clone().progress().unwrap().map(Result::unwrap).collect();
    assert!(statuses.last().unwrap().is_ready);
    assert!(wait.clone().send().unwrap().is_ready);
    assert!(wait.values().unwrap().values.pending().next().is_none());
    let items = client.list_items().pipeline_id(6).walk().collect().unwrap();
    let wait = client.wait_until_all_ready().pipeline_id(6);
    let wait = wait.items(items.iter().map(|item| item.pipeline_item_id));
    assert!(wait.send().unwrap().not_ready.is_empty());
    let request = client.add_organization_and_wait().pipeline_id(6);
    let added = request.organization_id(1004).send().unwrap();
    assert!(added.item.values.pending().next().is_none());
}

#[test]
fn threads_share_a_client() {
    let client = client();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| client.list_items().pipeline_id(1).send().unwrap());
        }
    });
}

/// Calls from a spawned task and from the main task of a runtime.
fn within<T: Send + 'static>(runtime: &mut Builder, call: fn(&Client) -> T) -> (T, T) {
    let (here, spawned) = (client(), client());
    runtime.enable_all().build().unwrap().block_on(async {
        let from_task = tokio::spawn(async move { call(&spawned) }).await;
        let from_main = call(&here);
        // Dropping the client's own runtime here must not panic.
        drop(here);
        (from_main, from_task.unwrap())
    })
}

#[test]
fn blocking_call_in_async_code_is_an_error() {
    for runtime in [&mut Builder::new_current_thread(), &mut Builder::new_multi_thread()] {
        let (from_main, from_task) = within(runtime, |client| client.list_items().pipeline_id(1).send());
        for error in [from_main.unwrap_err(), from_task.unwrap_err()] {
            assert_eq!(error.class(), ErrorClass::Configuration);
            assert_eq!(error.outcome(), Outcome::NotSent);
            let message = error.to_string();
            assert!(message.starts_with("list_items: "), "{message}");
            assert!(message.contains("spawn_blocking"), "{message}");
        }
        let (from_main, from_task) = within(runtime, |client| {
            let mut items = client.list_items().pipeline_id(1).walk().items().unwrap();
            (items.next().unwrap().unwrap_err(), items.next().is_none())
        });
        for (error, is_over) in [from_main, from_task] {
            assert!(error.is_configuration() && is_over, "{error}");
        }
    }
}

#[test]
fn call_on_a_blocking_thread_succeeds() {
    for runtime in [&mut Builder::new_current_thread(), &mut Builder::new_multi_thread()] {
        let client = client();
        let call = move || client.list_items().pipeline_id(1).send();
        let runtime = runtime.enable_all().build().unwrap();
        let page = runtime.block_on(async { tokio::task::spawn_blocking(call).await });
        assert_eq!(page.unwrap().unwrap().total_count, 1280);
    }
}

/// A hook runs on the thread of its call, during the call.
#[test]
fn hook_may_make_a_call() {
    let (inner, totals) = (client(), Arc::new(Mutex::new(Vec::new())));
    let seen = Arc::clone(&totals);
    let builder = platform_sdk::Client::builder()
        .service(Server::built_in().router())
        .api_key("dev-full-access")
        .on_response(move |_| {
            let page = inner.list_items().pipeline_id(1).limit(1).send();
            seen.lock().unwrap().push(page.map(|page| page.total_count));
        });
    let client = builder.build_blocking().unwrap();
    let walk = client.list_items().pipeline_id(1).walk().page_size(400);
    assert_eq!(walk.collect().unwrap().len(), 1280);
    let totals = totals.lock().unwrap();
    assert_eq!(totals.len(), 4);
    assert!(totals.iter().all(|total| matches!(total, Ok(1280))), "{totals:?}");
}

#[test]
fn deadline_is_kept_over_a_real_connection() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let builder = platform_sdk::Client::builder().base_url(base_url);
    let client = builder.api_key("key").build_blocking().unwrap();
    let client = client.with_deadline(Duration::from_millis(100));
    let error = client.list_items().pipeline_id(1).send().unwrap_err();
    assert!(error.is_timeout(), "{error}");
}
