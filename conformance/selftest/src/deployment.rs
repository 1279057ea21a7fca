//! A deployment to test the kit on: the reference server in this process, on its own port and with its own clock.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::DATE;
use axum::middleware::map_response;
use axum::response::Response;
use chrono::{DateTime, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::{Clock as _, ManualClock};
use platform_server_stub::{Limits, Server, serve_router};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::relay::Relay;
use crate::stub;
use engine::clock::Clock;
use engine::target::Target;

/// A reference server whose clock moves only when a caller waits.
#[derive(Debug)]
pub(super) struct ReferenceServer {
    platform: Platform,
    router: Router,
    start: DateTime<Utc>,
    clock: ManualClock,
}

impl ReferenceServer {
    /// Starts a server with the built-in data.
    pub(super) fn built_in() -> Self {
        Self::of(Dataset::built_in())
    }

    /// Starts a server with other data.
    pub(super) fn of(dataset: Arc<Dataset>) -> Self {
        let start = Utc::now();
        let clock = ManualClock::new(start);
        let platform = Platform::in_memory(dataset, Arc::new(clock.clone()));
        let router = Server::new(platform.clone()).router();
        Self {
            router: dated(router, clock.clone()),
            platform,
            start,
            clock,
        }
    }

    /// Aborts the background tasks, which wait for a clock that no longer moves and would keep all data until then.
    pub(super) async fn stop(self) {
        self.platform.shut_down().await;
    }

    /// The service; all clones share one state and one quota.
    pub(super) fn router(&self) -> Router {
        self.router.clone()
    }

    /// Lets this time pass on the clock of the server.
    pub(super) async fn pass(&self, duration: Duration) {
        self.clock().sleep(duration).await;
    }

    /// The clock of the server, for callers that wait.
    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(AdvancingClock {
            start: self.start,
            clock: self.clock.clone(),
            turn: tokio::sync::Mutex::default(),
        })
    }
}

/// Dates the responses of a service by this clock, which runs ahead of the machine's clock after a wait.
fn dated(router: Router, clock: ManualClock) -> Router {
    router.layer(map_response(move |mut response: Response| {
        let date = clock.now().format("%a, %d %b %Y %H:%M:%S GMT").to_string();
        if let Ok(date) = HeaderValue::try_from(date) {
            response.headers_mut().insert(DATE, date);
        }
        async { response }
    }))
}

/// A clock that waiting callers move forward. Concurrent waits overlap.
#[derive(Debug)]
struct AdvancingClock {
    start: DateTime<Utc>,
    clock: ManualClock,
    /// Held while the clock moves.
    turn: tokio::sync::Mutex<()>,
}

impl Clock for AdvancingClock {
    fn elapsed(&self) -> Duration {
        (self.clock.now() - self.start).to_std().unwrap_or_default()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        let end = self.elapsed() + duration;
        let sleep = async move {
            let _turn = self.turn.lock().await;
            let left = end.saturating_sub(self.elapsed());
            if !left.is_zero() {
                self.clock.advance(left).await;
            }
        };
        sleep.boxed()
    }
}

/// A router on a free port of this machine, until it is dropped.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) target: Target,
    pub(super) address: SocketAddr,
    _stop: [oneshot::Sender<()>; 2],
}

impl Served {
    /// Serves a router with the connections of the reference server, behind a relay if there is one.
    pub(super) async fn start(router: Router, relay: Option<Relay>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let mut address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(serve_router(listener, router, Limits::default(), async move {
            // Dropping the sender stops the server.
            let _ = stopped.await;
        }));
        let (stop_relay, relay_stopped) = oneshot::channel();
        if let Some(relay) = relay {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let behind = std::mem::replace(&mut address, listener.local_addr()?);
            tokio::spawn(relay.run(listener, behind, relay_stopped));
        }
        Ok(Self {
            target: stub::target(address),
            address,
            _stop: [stop, stop_relay],
        })
    }
}
