//! An unreadable item does not affect the other items of its page, and does not stop a walk.

use platform_sdk::mock::{Answer, Server, examples};
use platform_sdk::paging::{Event, Reaction};
use platform_sdk::types::{ItemPage, PipelineItem};
use platform_sdk::{Client, Error};
use serde_json::{Value, json};

/// The items of a pipeline. The items at the positions in `bad` have no values.
fn items(count: i64, bad: &[i64]) -> Vec<Value> {
    let whole = serde_json::to_value(&examples::item_page::first_page().items[0]).unwrap();
    let items = (0..count).map(|row| {
        let mut item = whole.clone();
        item["pipeline_item_id"] = json!(row + 1);
        if bad.contains(&row) {
            item["values"] = Value::Null;
        }
        item
    });
    items.collect()
}

/// A server with pages of 10 rows. Each page starts with the last row of the previous page.
async fn server(bad: &[i64]) -> Server {
    let server = Server::start().await;
    let all = items(25, bad);
    let client = server.client();
    for skip in 0..25_usize {
        for limit in [1, 5, 10] {
            let rows: Vec<&Value> = all.iter().skip(skip).take(limit).collect();
            let body = json!({"pipeline_id": 2, "total_count": 25, "items": rows}).to_string();
            server
                .when(client.list_items().skip(skip).limit(limit))
                .answers([Answer::raw(200, "application/json", body)]);
        }
    }
    server
}

fn walk(client: &Client) -> platform_sdk::paging::Walk<PipelineItem> {
    client.list_items().pipeline_id(2).walk().page_size(10)
}

fn id(item: &PipelineItem) -> i64 {
    item.pipeline_item_id.get()
}

#[tokio::test]
async fn unreadable_item_is_an_event_with_its_place_and_its_json() {
    let server = server(&[3, 9, 24]).await;
    let mut events = walk(&server.client()).events().unwrap();
    let (mut ids, mut rows) = (Vec::new(), Vec::new());
    while let Some(event) = events.next().await {
        match event.unwrap() {
            Event::Item(item) => ids.push(id(&item)),
            Event::Unreadable(item) => {
                assert_eq!(item.path(), "values");
                assert!(item.reason().contains("null"), "{}", item.reason());
                assert_eq!(item.raw()["pipeline_item_id"], item.row() + 1);
                assert!(!format!("{item:?} {item}").contains("organization"));
                rows.push(item.row());
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(rows, [3, 9, 24]);
    let readable: Vec<i64> = (1..=25).filter(|id| ![4, 10, 25].contains(id)).collect();
    assert_eq!(ids, readable);
}

#[tokio::test]
async fn walk_that_fails_at_an_unreadable_item_is_resumed_past_it() {
    let server = server(&[0, 3, 9, 10, 24]).await;
    let client = server.client();
    for by_pages in [false, true] {
        let (mut ids, mut errors) = (Vec::new(), Vec::new());
        let mut walk_again = walk(&client);
        loop {
            let (error, cursor) = match by_pages {
                true => {
                    let mut pages = walk_again.pages().unwrap();
                    let error = loop {
                        match pages.next().await {
                            Some(Ok(page)) => ids.extend(page.items.iter().map(id)),
                            Some(Err(error)) => break Some(error),
                            None => break None,
                        }
                    };
                    (error, pages.cursor())
                }
                false => {
                    let mut items = walk_again.items().unwrap();
                    let error = loop {
                        match items.next().await {
                            Some(Ok(item)) => ids.push(id(&item)),
                            Some(Err(error)) => break Some(error),
                            None => break None,
                        }
                    };
                    (error, items.cursor())
                }
            };
            let Some(error) = error else { break };
            assert!(error.is_undecodable() && errors.len() < 6, "{error}");
            errors.push(error.unreadable().unwrap().row());
            walk_again = walk(&client).resume(cursor);
        }
        assert_eq!(errors, [0, 3, 9, 10, 24], "by pages: {by_pages}");
        let readable: Vec<i64> = (1..=25).filter(|id| ![1, 4, 10, 11, 25].contains(id)).collect();
        assert_eq!(ids, readable, "by pages: {by_pages}");
    }
}

#[tokio::test]
async fn walk_continues_past_unreadable_items_on_request() {
    let server = server(&[3, 9]).await;
    let client = server.client();
    let ignored = walk(&client).on_unreadable(Reaction::Ignore).collect().await.unwrap();
    assert_eq!(ignored.len(), 23);

    let mut pages = walk(&client).on_unreadable(Reaction::Report).pages().unwrap();
    let mut rows = Vec::new();
    while let Some(page) = pages.next().await {
        rows.extend(page.unwrap().unreadable.iter().map(|item| item.row()));
    }
    assert_eq!(rows, [3, 9]);

    let mut events = walk(&client).on_unreadable(Reaction::Fail).events().unwrap();
    let mut error = None;
    while let Some(event) = events.next().await {
        error = event.err().or(error);
    }
    let error: Error = error.unwrap();
    assert_eq!(
        error.to_string(),
        "list_items: row 3 does not match the contract at values"
    );
}

#[tokio::test]
async fn page_with_a_fault_outside_its_items_is_an_error() {
    let server = Server::start().await;
    let client = server.client();
    let body = json!({"pipeline_id": 2, "total_count": "many", "items": items(1, &[0])}).to_string();
    server
        .when(client.list_items())
        .answers([Answer::raw(200, "application/json", body)]);
    let error = walk(&client).collect().await.unwrap_err();
    assert!(error.is_undecodable() && error.unreadable().is_none(), "{error}");
}

#[tokio::test]
async fn whole_floats_and_a_byte_order_mark_are_read() {
    let server = Server::start().await;
    let client = server.client();
    let mut page = serde_json::to_value(examples::item_page::first_page()).unwrap();
    page["total_count"] = json!(1.0);
    page["items"][0]["pipeline_id"] = json!(2.0);
    let text = format!("\u{feff}{page}");
    server
        .when(client.list_items())
        .answers([Answer::raw(200, "application/json", text)]);
    let read: ItemPage = client.list_items().pipeline_id(2).send().await.unwrap().into_inner();
    assert_eq!(read.total_count, 1);
    assert_eq!(read.items[0].pipeline_id.get(), 2);

    let funding: platform_sdk::types::Funding = serde_json::from_str(r#"{"total_usd": 1500000.0}"#).unwrap();
    assert_eq!(funding.total_usd, Some(1_500_000));
}
