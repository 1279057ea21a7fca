//! A deployment to try the kit on: the reference server in this process, on a port, at a time of its own.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use chrono::{DateTime, TimeZone, Utc};
use futures::FutureExt;
use futures::future::BoxFuture;
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::model::Platform;
use platform_server_stub::model::clock::{Clock as _, ManualClock};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::stub;
use engine::clock::Clock;
use engine::target::Target;

/// A reference server whose time stands still until somebody waits.
#[derive(Debug)]
pub(super) struct Machine {
    platform: Platform,
    router: Router,
    clock: ManualClock,
}

impl Machine {
    /// One of the built-in data.
    pub(super) fn built_in() -> Self {
        Self::of(Dataset::built_in())
    }

    /// One of other data.
    pub(super) fn of(dataset: Arc<Dataset>) -> Self {
        let clock = ManualClock::new(start());
        let platform = Platform::in_memory(dataset, Arc::new(clock.clone()));
        Self {
            router: Server::new(platform.clone()).router(),
            platform,
            clock,
        }
    }

    /// Ends what goes on in the background: it waits for a time that nobody moves on any more, and keeps all
    /// data as long.
    pub(super) async fn stop(self) {
        self.platform.shut_down().await;
    }

    /// The service; all clones have one state and one quota.
    pub(super) fn router(&self) -> Router {
        self.router.clone()
    }

    /// The time that it goes by, for the one who waits.
    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(MovedOn(self.clock.clone()))
    }
}

/// When every such server is started.
fn start() -> DateTime<Utc> {
    Utc.timestamp_opt(1_795_000_000, 0)
        .single()
        .unwrap_or_default()
}

/// A time that whoever waits moves on.
#[derive(Debug)]
struct MovedOn(ManualClock);

impl Clock for MovedOn {
    fn elapsed(&self) -> Duration {
        (self.0.now() - start()).to_std().unwrap_or_default()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.0.advance(duration).boxed()
    }
}

/// A router on a free port of this machine, until it is dropped.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) target: Target,
    _stop: oneshot::Sender<()>,
}

impl Served {
    pub(super) async fn start(router: Router) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let shutdown = async {
                // Dropped is stopped.
                let _ = stopped.await;
            };
            axum::serve(listener, router)
                .with_graceful_shutdown(shutdown)
                .await
        });
        Ok(Self {
            target: stub::target(address),
            _stop: stop,
        })
    }
}
