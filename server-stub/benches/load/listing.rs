//! Listing items, compared with a bare handler that returns the same bytes, and walking a large pipeline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use bytes::Bytes;
use platform_server_stub::Server;
use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use serde_json::{from_value, json};
use tokio::net::TcpListener;

use super::{Client, Outcome, median, serve};

const TURNS: usize = 9;
/// Requests in one turn.
const REQUESTS: u32 = 300;
const ITEMS: i64 = 100_000;

/// Measures the time of a list of 100 items, and of a handler that only returns the same bytes.
pub(super) async fn beside_a_bare_handler() -> Outcome<()> {
    let path = "/api/v1/pipelines/1/items?limit=100";
    let server = serve(Server::built_in()).await?;
    let mut ours = Client::connect(server).await?;
    let body = Bytes::from(ours.get(path).await?);
    let length = body.len();
    let bare = Router::new().route(
        "/api/v1/pipelines/1/items",
        get(|| async move { ([(CONTENT_TYPE, "application/json")], body) }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, bare).await });
    let mut bare = Client::connect(address).await?;
    let (mut with_us, mut with_bare) = (Vec::new(), Vec::new());
    // In turns, so that a busy machine slows both equally.
    for _ in 0..TURNS {
        with_us.push(requests(&mut ours, path).await?);
        with_bare.push(requests(&mut bare, path).await?);
    }
    let (ours, bare) = (median(with_us), median(with_bare));
    println!("list of 100 items, {length} bytes, one connection");
    println!("  this server               {:.1?}", ours / REQUESTS);
    println!("  bare handler, same bytes  {:.1?}", bare / REQUESTS);
    println!(
        "  rate, of the bare one's   {:.2}",
        bare.as_secs_f64() / ours.as_secs_f64()
    );
    Ok(())
}

async fn requests(client: &mut Client, path: &str) -> Outcome<Duration> {
    let start = Instant::now();
    for _ in 0..REQUESTS {
        client.get(path).await?;
    }
    Ok(start.elapsed())
}

/// Measures how long pages of a large pipeline take, at its beginning and at its end, in its default order and sorted.
pub(super) async fn large_pipeline() -> Outcome<()> {
    let items: Vec<_> = (1..=ITEMS)
        .map(|id| json!({"pipeline_item_id": id, "organization_id": id}))
        .collect();
    let organizations = (1..=ITEMS).map(|id| {
        from_value(json!({
            "organization_id": id,
            "name": format!("Mill {id}"),
            "description": "Makes paper.",
            "metrics": {"employee_count": id * 7919 % 100_003},
        }))
    });
    let data = Data {
        organizations: organizations.collect::<Result<_, _>>()?,
        pipelines: from_value(json!([{
            "pipeline_id": 1,
            "name": "all",
            "questions": [{
                "question_id": 1,
                "text": "Size?",
                "answer_type": "number",
                "answer": {"field": "organization.metrics.employee_count"},
            }],
            "items": items,
        }]))?,
        ..Data::default()
    };
    let dataset = Arc::new(Dataset::new(data)?);
    let platform = Platform::in_memory(dataset, Arc::new(SystemClock));
    let address = serve(Server::new(platform)).await?;
    let mut client = Client::connect(address).await?;
    println!("page of 100 items of a pipeline of {ITEMS}");
    for (name, sorting) in [("by id", ""), ("sorted", "&sort_by=question.1")] {
        let path = |skip| format!("/api/v1/pipelines/1/items?limit=100&skip={skip}{sorting}");
        let start = Instant::now();
        client.get(&path(0)).await?;
        println!("  {name}, first use       {:.1?}", start.elapsed());
        for (what, skip) in [("first page", 0), ("last page", ITEMS - 100)] {
            client.get(&path(skip)).await?;
            let mut taken = Vec::new();
            for _ in 0..200 {
                let start = Instant::now();
                client.get(&path(skip)).await?;
                taken.push(start.elapsed());
            }
            println!("  {name}, {what:10}      {:.1?}", median(taken));
        }
    }
    let start = Instant::now();
    for skip in (0..ITEMS).step_by(100) {
        client
            .get(&format!(
                "/api/v1/pipelines/1/items?limit=100&skip={skip}&sort_by=question.1"
            ))
            .await?;
    }
    println!("  walk, sorted, by pages of 100: {:.1?}", start.elapsed());
    Ok(())
}
