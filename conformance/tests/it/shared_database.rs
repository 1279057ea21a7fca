//! The whole catalogue on two servers behind one address, which share a database: they behave as one, also while one of
//! them is killed and started again.

use std::env;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use platform_conformance::report::Silent;
use platform_conformance::stub::target;
use platform_conformance::{Options, catalogue, run};
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::store::PostgresSettings;
use platform_server_stub::{Limits, Server, serve_router};
use tokio::net::TcpListener;
use tokio::sync::{RwLock, oneshot};
use tokio_postgres::NoTls;
use tower::ServiceExt;

use crate::reference_server::shown;

/// The URL of a PostgreSQL server whose databases the tests may change.
const VARIABLE: &str = "PLATFORM_TEST_POSTGRES";

/// How long the second server lives.
const LIFE: Duration = Duration::from_millis(500);

/// A new, empty schema; `None` if there is no server to test with, which a line says.
async fn schema() -> Option<PostgresSettings> {
    let Ok(url) = env::var(VARIABLE) else {
        // Not by a macro whose output the tests capture.
        let _ = writeln!(
            std::io::stderr(),
            "{VARIABLE} is not set, so the kit is not tested on PostgreSQL; to test it: .ci/postgres cargo test"
        );
        return None;
    };
    let (session, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let name = format!("kit_{}", std::process::id());
    session.batch_execute(&format!("CREATE SCHEMA {name}")).await.unwrap();
    Some(format!("{url}?options=-csearch_path%3D{name}").parse().unwrap())
}

/// A server of one process.
struct Process {
    platform: Platform,
    router: Router,
}

impl Process {
    async fn start(settings: &PostgresSettings) -> Self {
        let platform = Platform::with_postgres(Dataset::built_in(), Arc::new(SystemClock), settings).await;
        let platform = platform.unwrap();
        platform.resume();
        Self {
            router: Server::new(platform.clone()).router(),
            platform,
        }
    }

    /// Ends it between two requests, and whatever it does in the background at once.
    async fn kill(&self) {
        self.platform.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_catalogue_passes_on_two_servers_that_share_a_database_while_one_is_killed() {
    let Some(settings) = schema().await else { return };
    let steady = Process::start(&settings).await;
    let other = Arc::new(RwLock::new(Process::start(&settings).await));
    // Requests go to the two in turn.
    let (turns, served) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&other));
    let balancer = Router::new().fallback(move |request: Request| {
        let (turn, router) = (turns.fetch_add(1, Ordering::Relaxed), steady.router.clone());
        let served = Arc::clone(&served);
        async move {
            if turn % 2 == 0 {
                return router.oneshot(request).await;
            }
            let served = served.read().await;
            served.router.clone().oneshot(request).await
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = target(listener.local_addr().unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(serve_router(listener, balancer, Limits::default(), async move {
        // The sender is dropped to stop the server.
        let _ = stopped.await;
    }));
    let killing = tokio::spawn(async move {
        loop {
            tokio::time::sleep(LIFE).await;
            let next = Process::start(&settings).await;
            let mut process = other.write().await;
            process.kill().await;
            *process = next;
        }
    });
    let options = Options {
        allow_writes: true,
        ..Options::default()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    killing.abort();
    drop(stop);
    serving.await.unwrap();
    assert_eq!(report.summary.passed, report.cases.len(), "{}", shown(&report));
}
