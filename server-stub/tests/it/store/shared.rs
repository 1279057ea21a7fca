//! Promises of a store that several servers share: they behave as one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use platform_server_stub::data::Dataset;
use platform_server_stub::model::ids::{OrganizationId, PipelineId};
use platform_server_stub::model::item::Item;
use platform_server_stub::model::policy::RateLimit;
use platform_server_stub::model::search::Page;
use platform_server_stub::model::sort::ItemOrder;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::{ManualClock, SystemClock};
use platform_server_stub::store::{Added, Completed, Ledger, PostgresLedger, PostgresSettings};
use serde_json::json;

use super::laws::{ALL, LEASE, add, at, data, exported, item, plan};
use super::{on_postgres, postgres};

/// Much longer than any of these tests can take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A number of ledgers on one database that has just been begun by the first of them.
async fn ledgers(data: &Dataset, count: usize) -> Option<Vec<PostgresLedger>> {
    let settings = postgres::schema().await?;
    let mut ledgers = Vec::new();
    for _ in 0..count {
        ledgers.push(opened(&settings, data).await);
    }
    Some(ledgers)
}

async fn opened(settings: &PostgresSettings, data: &Dataset) -> PostgresLedger {
    let ledger = PostgresLedger::open(settings, &data.fingerprint(), data.records()).await;
    ledger.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn additions_through_several_servers_get_distinct_ids_and_one_of_identical_ones_wins() {
    let data = data(json!([item(5, 1)]), json!([item(6, 2)]));
    let Some(ledgers) = ledgers(&data, 3).await else { return };
    let adds = ledgers.iter().flat_map(|ledger| {
        let pairs = (2..=3).flat_map(|pipeline| (1..=9).map(move |organization| (pipeline, organization)));
        pairs.map(move |(pipeline, organization)| add(ledger, pipeline, organization, plan(&[1])))
    });
    let mut ids = BTreeSet::new();
    let mut already = 0;
    for added in join_all(adds).await {
        match added.unwrap() {
            Added::New(item) => assert!(ids.insert(item.pipeline_item_id), "{} twice", item.pipeline_item_id),
            Added::Already(_) => already += 1,
        }
    }
    // Nine organizations in two pipelines; two items already existed.
    assert_eq!((ids.len(), already), (16, 3 * 18 - 16));
    let all = exported(&ledgers[0]).await;
    assert_eq!(all.len(), 18);
    assert_eq!(all, exported(&ledgers[2]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn addition_waits_for_an_unconfirmed_one_and_gets_the_id_after_it() {
    let Some(url) = postgres::schema_url().await else {
        return;
    };
    let data = data(json!([]), json!([]));
    let ledger = opened(&url.parse().unwrap(), &data).await;
    let (first, watcher) = (postgres::session(&url).await, postgres::session(&url).await);
    let begin = "BEGIN; SELECT add_item(2, 7, '{}', true, '{}', '{}', '{}', '{}', '{}', '{}')";
    first.batch_execute(begin).await.unwrap();
    let process: i32 = first.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    let adding = tokio::spawn(async move { add(&ledger, 2, 8, Vec::new()).await });
    let waits = async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
        while watcher.query_one(waiting, &[&process]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.unwrap();
    first.batch_execute("COMMIT").await.unwrap();
    let Added::New(item) = adding.await.unwrap().unwrap() else {
        panic!("it is there already");
    };
    assert_eq!(item.pipeline_item_id.get(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_share_the_work_without_doing_any_twice() {
    let Some(ledgers) = ledgers(&data(json!([]), json!([])), 3).await else {
        return;
    };
    for organization in 1..=9 {
        add(&ledgers[0], 2, organization, plan(&[1, 1])).await.unwrap();
    }
    let claims = join_all(ledgers.iter().map(|ledger| ledger.claim(at(1), LEASE, 4))).await;
    let claims: Vec<_> = claims.into_iter().flat_map(Result::unwrap).collect();
    let items: BTreeSet<_> = claims.iter().map(|claim| claim.item.pipeline_item_id).collect();
    assert_eq!(items.len(), claims.len(), "an item was claimed twice");
    // A row that another server looks at is skipped, so that one call may find fewer than there are.
    let rest = ledgers[1].claim(at(1), LEASE, ALL).await.unwrap();
    assert_eq!(claims.len() + rest.len(), 9);
    // Any server may complete the claim, whichever made it, but only once.
    let completions = claims.iter().flat_map(|claim| {
        let after = Item::clone(&claim.item);
        ledgers.iter().map(move |ledger| ledger.complete(claim, after.clone()))
    });
    let done = join_all(completions).await.into_iter();
    let done = done.filter(|outcome| matches!(outcome, Ok(Completed::Done)));
    assert_eq!(done.count(), claims.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn list_shows_one_moment_during_additions() {
    let data = data(json!([]), json!([]));
    let Some(ledgers) = ledgers(&data, 2).await else { return };
    let adding = async {
        for organization in 1..=9 {
            add(&ledgers[0], 2, organization, Vec::new()).await.unwrap();
        }
    };
    let listing = async {
        let mut seen = 0;
        while seen < 9 {
            let everything = Page { skip: 0, limit: 100 };
            let list = ledgers[1]
                .items(PipelineId::new(2).unwrap(), ItemOrder::default(), everything)
                .await;
            let list = list.unwrap();
            assert_eq!(list.total_count, list.items.len());
            assert!(list.total_count >= seen, "an item is gone");
            seen = list.total_count;
        }
    };
    tokio::join!(adding, listing);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_start_together_initialize_the_database_once() {
    let data = data(json!([item(5, 1)]), json!([item(6, 2)]));
    let Some(settings) = postgres::schema().await else {
        return;
    };
    let ledgers = join_all((0..4).map(|_| opened(&settings, &data))).await;
    for ledger in &ledgers {
        let ids: Vec<_> = exported(ledger)
            .await
            .iter()
            .map(|it| it.item.pipeline_item_id.get())
            .collect();
        assert_eq!(ids, [5, 6]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn quotas_are_counted_together() {
    let Some(ledgers) = ledgers(&data(json!([]), json!([])), 2).await else {
        return;
    };
    let limit = RateLimit {
        requests: 3,
        window_seconds: 10,
    };
    let mut left = Vec::new();
    for (turn, second) in [0, 1, 2, 3, 9, 10].into_iter().enumerate() {
        let ledger = &ledgers[turn % 2];
        let state = ledger.count_request("a", limit, at(second)).await.unwrap().unwrap();
        assert_eq!(state.ends, at(if second < 10 { 10 } else { 20 }));
        left.push(state.left);
        assert_eq!(
            ledger
                .count_request(&format!("b{turn}"), limit, at(0))
                .await
                .unwrap()
                .unwrap()
                .left,
            Some(2)
        );
    }
    assert_eq!(left, [Some(2), Some(1), Some(0), None, None, Some(2)]);
}

/// Work with a question that takes no time and one that takes an hour.
fn questions() -> Dataset {
    let question = |id, seconds| json!({"question_id": id, "text": "?", "takes_seconds": seconds});
    let document = json!({
        "organizations": [{"organization_id": 1, "name": "Weaver", "description": "Weaves."}],
        "pipelines": [{"pipeline_id": 1, "name": "one", "questions": [question(1, 0.0), question(2, 0.2)]}],
    });
    Dataset::from_json(&document.to_string()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn server_takes_over_the_work_of_a_stopped_one() {
    let data = Arc::new(questions());
    let Some(settings) = postgres::schema().await else {
        return;
    };
    let open = |clock| Platform::with_postgres(Arc::clone(&data), clock, &settings);
    let (pipeline, organization) = (PipelineId::new(1).unwrap(), OrganizationId::new(1).unwrap());
    // It idles before there is any work.
    let idle = open(Arc::new(SystemClock)).await.unwrap();
    idle.resume();
    // Its clock stands still, so it never makes a change that takes time.
    let clock = ManualClock::new(chrono::Utc::now());
    let gone = open(Arc::new(clock)).await.unwrap();
    let item = gone
        .add_organization(pipeline, organization)
        .await
        .unwrap()
        .pipeline_item_id;
    gone.shut_down().await;
    drop(gone);
    let ready = async {
        while !idle.get_item_status(pipeline, item).await.unwrap().is_ready() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, ready).await.unwrap();
}

#[tokio::test]
async fn claims_of_a_stopped_server_wait_for_the_end_of_the_lease() {
    let data = data(json!([]), json!([]));
    let Some(settings) = postgres::schema().await else {
        return;
    };
    let store = on_postgres(&data, settings).await;
    add(&*store, 2, 1, plan(&[1])).await.unwrap();
    assert_eq!(store.claim(at(1), LEASE, ALL).await.unwrap().len(), 1);
    let store = store.killed(&data).await;
    assert_eq!(store.next_due().await.unwrap(), Some(at(1) + LEASE));
    assert_eq!(store.claim(at(1), LEASE, ALL).await.unwrap(), []);
    assert_eq!(store.claim(at(1) + LEASE, LEASE, ALL).await.unwrap().len(), 1);
}
