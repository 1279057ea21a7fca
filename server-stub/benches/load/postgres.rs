//! Costs of a PostgreSQL database: additions through one server and through two, and a pipeline with many items.
//!
//! `PLATFORM_BENCH_ITEMS` sets how many items the large pipeline has, a million unless set.

use std::env;
use std::sync::Arc;
use std::time::Instant;

use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::model::column::ColumnId;
use platform_server_stub::model::ids::{PipelineItemId, QuestionId};
use platform_server_stub::model::item::Item;
use platform_server_stub::model::value::Scalar;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::store::{Ledger, PostgresLedger, PostgresSettings, Record};
use tokio_postgres::NoTls;

use super::state::{additions, data};
use super::{Client, Outcome, median, serve};

const ITEMS: i64 = 1_000_000;
const TURNS: usize = 7;

pub(super) async fn beside_the_others() -> Outcome<()> {
    let Ok(url) = env::var("PLATFORM_TEST_POSTGRES") else {
        println!("PostgreSQL is not measured; run it with POSTGRES_FSYNC=on .ci/postgres");
        return Ok(());
    };
    println!("additions a second on PostgreSQL, each with two changes in the background");
    let empty = Arc::new(data(0)?);
    for (clients, servers) in [(1, 1), (8, 1), (64, 1), (64, 2)] {
        let settings = schema(&url, &format!("additions_{clients}_{servers}")).await?;
        let mut started = Vec::new();
        for _ in 0..servers {
            started.push(on(&empty, &settings).await?);
        }
        let rate = additions(started, clients).await?;
        println!("  {clients:2} clients, servers: {servers}     {rate:.0}");
    }
    large_pipeline(&url).await
}

/// Measures entering many items, and reading pages of them.
async fn large_pipeline(url: &str) -> Outcome<()> {
    let count = env::var("PLATFORM_BENCH_ITEMS").map_or(Ok(ITEMS), |count| count.parse())?;
    let (empty, one) = (Arc::new(data(0)?), data(1)?);
    let settings = schema(url, "large").await?;
    let records = records(&one, count)?;
    let ledger = PostgresLedger::open(&settings, &empty.fingerprint(), []).await?;
    let start = Instant::now();
    ledger.reset(records).await?;
    println!("a pipeline of {count} items on PostgreSQL");
    println!("  entering them             {:.1?}", start.elapsed());
    drop(ledger);
    let mut client = Client::connect(serve(on(&empty, &settings).await?).await?).await?;
    for (name, query) in [
        ("first page of 100", "limit=100".to_owned()),
        ("last page", format!("limit=100&skip={}", count - 100)),
        ("first sorted page", "limit=100&sort_by=question.1".to_owned()),
        (
            "first, descending",
            "limit=100&sort_by=question.1&sort_order=desc".to_owned(),
        ),
        (
            "last sorted page",
            format!("limit=100&sort_by=question.1&skip={}", count - 100),
        ),
    ] {
        let path = format!("/api/v1/pipelines/1/items?{query}");
        client.get(&path).await?;
        let mut times = Vec::new();
        for _ in 0..TURNS {
            let start = Instant::now();
            client.get(&path).await?;
            times.push(start.elapsed());
        }
        println!("  {name:25} {:.1?}", median(times));
    }
    Ok(())
}

/// Copies of one item under different ids, with different answers, and without their organization, which a pipeline has
/// once.
fn records(one: &Dataset, count: i64) -> Outcome<Vec<Record>> {
    let model = one.items().next().ok_or("the data has an item")?;
    let question = ColumnId::Question(QuestionId::new(1)?);
    let record = |id: i64| {
        let mut item = Item::clone(model);
        item.pipeline_item_id = PipelineItemId::new(id)?;
        item.organization_id = None;
        if let Some(value) = item.values.get_mut(&question) {
            value.result = vec![Scalar::from((id * 7919 % 100_003).unsigned_abs())];
        }
        Ok(Record::finished(Arc::new(item)))
    };
    (1..=count).map(record).collect()
}

async fn on(data: &Arc<Dataset>, settings: &PostgresSettings) -> Outcome<Server> {
    let clock = Arc::new(SystemClock);
    Ok(Server::new(
        Platform::with_postgres(Arc::clone(data), clock, settings).await?,
    ))
}

/// A schema that is new each time.
async fn schema(url: &str, name: &str) -> Outcome<PostgresSettings> {
    let (session, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    let begin = format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}");
    session.batch_execute(&begin).await?;
    Ok(format!("{url}?options=-csearch_path%3D{name}").parse()?)
}
