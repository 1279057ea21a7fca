//! A router on a real socket, as a target.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use chrono::DateTime;
use engine::clock::Clock;
use engine::run::{Pace, Setting, run_cases};
use futures::FutureExt;
use futures::future::BoxFuture;
use platform_conformance::report::{Reporter, Silent};
use platform_conformance::selftest::variants::part_of_the_data;
use platform_conformance::{Options, Report, Target, catalogue, run, stub};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::{Clock as _, ManualClock, SystemClock};
use platform_server_stub::{Limits, Server, serve_router};
use tokio::net::TcpListener;

/// The reference server with a part of its data: a run takes a third of the time.
pub(crate) fn router() -> Router {
    Server::new(Platform::in_memory(part_of_the_data(), Arc::new(SystemClock))).router()
}

/// Serves a router on a free port until the test ends.
pub(crate) async fn address(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let never = std::future::pending();
    tokio::spawn(serve_router(listener, router, Limits::default(), never));
    address
}

/// Serves a router on a free port until the test ends, and returns it as a target with the keys and
/// pipelines of the reference server.
pub(crate) async fn target(router: Router) -> Target {
    stub::target(address(router).await)
}

/// The reference server, except for requests that `change` answers.
pub(crate) fn except(change: impl Fn(&Request) -> Option<Response> + Clone + Send + Sync + 'static) -> Router {
    let around = move |request: Request, next: Next| {
        let changed = change(&request);
        async move {
            match changed {
                Some(response) => response,
                None => next.run(request).await,
            }
        }
    };
    router().layer(from_fn(around))
}

/// Runs some cases on a router, with writes allowed.
pub(crate) async fn run_on(router: Router, only: &[&str]) -> Report {
    let only = only.iter().map(|pattern| (*pattern).into()).collect();
    let options = Options {
        allow_writes: true,
        only,
        ..Options::default()
    };
    run(catalogue(), &target(router).await, &options, &mut Silent)
        .await
        .unwrap()
}

/// A clock that every wait of the kit moves forward at once. Concurrent waits overlap.
#[derive(Debug)]
pub(crate) struct SkippedTime {
    clock: ManualClock,
    /// Held while the clock moves.
    turn: tokio::sync::Mutex<()>,
}

impl Default for SkippedTime {
    fn default() -> Self {
        Self {
            clock: ManualClock::new(DateTime::UNIX_EPOCH),
            turn: tokio::sync::Mutex::default(),
        }
    }
}

impl SkippedTime {
    /// The reference server, on this clock.
    pub(crate) fn reference_server(&self) -> Router {
        let clock = Arc::new(self.clock.clone());
        Server::new(Platform::in_memory(part_of_the_data(), clock)).router()
    }
}

impl Clock for SkippedTime {
    fn elapsed(&self) -> Duration {
        (self.clock.now() - DateTime::UNIX_EPOCH).to_std().unwrap()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        let end = self.elapsed() + duration;
        let sleep = async move {
            let _turn = self.turn.lock().await;
            self.clock.advance(end.saturating_sub(self.elapsed())).await;
        };
        sleep.boxed()
    }
}

/// Runs the catalogue like [`run`](run()), on this clock.
pub(crate) async fn run_on_clock(
    clock: Arc<SkippedTime>,
    target: &Target,
    options: &Options,
    reporter: &mut dyn Reporter,
) -> Report {
    let setting = Setting {
        pace: Pace::SideBySide,
        clock,
        known: None,
        second_looks: true,
    };
    run_cases(catalogue(), setting, target, options, reporter)
        .await
        .unwrap()
}
