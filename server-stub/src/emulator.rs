//! A server for one test: on a free port, with its own state and controls, gone at the end of the test.

use std::collections::BTreeSet;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use axum::Router;
use chrono::{DateTime, Utc};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::control::{AdminAccess, Control, Fault};
use crate::data::Dataset;
use crate::model::policy::{ApiKey, Effect, Policy, RateLimit, Secret};
use crate::platform::Platform;
use crate::platform::clock::VirtualClock;
use crate::platform::keys::KeyRing;
use crate::serve::Limits;
use crate::server::Server;
use crate::store::MemoryLedger;

/// A key that every emulator has, and its name in recorded requests and the log.
const KEY: &str = "emulator-full-access";
const KEY_NAME: &str = "emulator";

/// A reference server that listens on a free port of this machine. It shares nothing with other emulators of the same
/// process except the data that none of them can change.
///
/// It dereferences to its [`Control`], which has a method for every control. When it is dropped, its port is closed at
/// once; [`stop`](Self::stop) lets requests in flight finish.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use platform_server_stub::Emulator;
/// use platform_server_stub::control::{Fault, Operation};
/// use platform_server_stub::wire::ProblemCode;
///
/// let emulator = Emulator::builder()
///     .frozen_at("2026-11-20T12:00:00Z".parse()?)
///     .start()
///     .await?;
/// // Client::builder().base_url(emulator.base_url()).api_key(emulator.api_key())
/// assert!(emulator.base_url().starts_with("http://127.0.0.1:"));
///
/// emulator.add_fault(Fault::problem(ProblemCode::RateLimited).on(Operation::ListItems).times(1)).await?;
/// // … the app runs, and copes with one 429 …
/// emulator.clock().run_to_idle().await;
/// assert!(emulator.requests_for(Operation::ListItems).is_empty());
///
/// emulator.reset().await?;
/// emulator.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Emulator {
    control: Control,
    server: Server,
    base_url: String,
    /// Dropping it stops the server.
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<io::Result<()>>>,
}

impl Emulator {
    /// Options of an emulator.
    pub fn builder() -> EmulatorBuilder {
        EmulatorBuilder::default()
    }

    /// Starts an emulator with the built-in data.
    ///
    /// # Errors
    /// The errors of [`EmulatorBuilder::start`].
    pub async fn start() -> io::Result<Self> {
        Self::builder().start().await
    }

    /// Its URL, such as `http://127.0.0.1:40123`, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// A key with access to everything. The keys of the data work too.
    pub fn api_key(&self) -> &'static str {
        KEY
    }

    /// The same service as a router, for calls in the same process without a socket.
    pub fn router(&self) -> Router {
        self.server.router()
    }

    /// Its controls, as a handle that can be cloned.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Stops it. Requests in flight have until the drain deadline of its [`Limits`] to finish.
    pub async fn stop(mut self) {
        self.stop.take();
        if let Some(served) = self.served.take() {
            // It only fails if it panicked, which the test has seen.
            let _ = served.await;
        }
    }
}

impl Deref for Emulator {
    type Target = Control;

    fn deref(&self) -> &Control {
        &self.control
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        if let Some(served) = &self.served {
            served.abort();
        }
    }
}

/// Options of an [`Emulator`]. Without any, it has the built-in data and the time of the machine.
#[derive(Debug, Default)]
pub struct EmulatorBuilder {
    dataset: Option<Arc<Dataset>>,
    frozen_at: Option<DateTime<Utc>>,
    keys: Vec<ApiKey>,
    faults: Vec<Fault>,
    rate_limit: Option<RateLimit>,
    seed: u64,
    limits: Limits,
    admin: bool,
}

impl EmulatorBuilder {
    /// Sets the data that it starts with, and that [`reset`](Control::reset) goes back to.
    #[must_use]
    pub fn data(mut self, dataset: impl Into<Arc<Dataset>>) -> Self {
        self.dataset = Some(dataset.into());
        self
    }

    /// Starts with a clock that stands still at this time.
    #[must_use]
    pub fn frozen_at(mut self, time: DateTime<Utc>) -> Self {
        self.frozen_at = Some(time);
        self
    }

    /// Adds a key, in addition to those of the data and to [`Emulator::api_key`].
    #[must_use]
    pub fn key(mut self, key: ApiKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Adds a fault from the start. A reset removes it.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Sets the quota of every key without its own quota.
    #[must_use]
    pub fn rate_limit(mut self, rate_limit: RateLimit) -> Self {
        self.rate_limit = Some(rate_limit);
        self
    }

    /// Sets the seed of all random choices of faults; 0 unless set.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the limits on connections.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Serves the controls over HTTP too, under `/__admin`, for an app that is not written in Rust or runs in another
    /// process, and opens [namespaces](Control::namespace).
    #[must_use]
    pub fn admin(mut self) -> Self {
        self.admin = true;
        self
    }

    /// Starts the emulator on a free port of this machine. Must be called within a tokio runtime, in which it runs.
    ///
    /// # Errors
    /// When no port can be opened, or ([`io::ErrorKind::InvalidInput`]) when two keys have the same name.
    pub async fn start(self) -> io::Result<Emulator> {
        let dataset = self.dataset.unwrap_or_else(Dataset::built_in);
        let keys = [dataset.api_keys(), &self.keys, &[full_access()?]].concat();
        check_names(&keys)?;
        let clock = match self.frozen_at {
            None => VirtualClock::running(),
            Some(time) => VirtualClock::frozen_at(time),
        };
        let platform = Platform::new(
            Arc::new(dataset.catalogue().clone()),
            Arc::new(MemoryLedger::new(dataset.records())),
            KeyRing::new(keys),
            Arc::new(clock.clone()),
        );
        let control = Control::of(platform, dataset, clock);
        control.set_seed(self.seed);
        for fault in self.faults {
            control.add_fault(fault).await.map_err(io::Error::other)?;
        }
        let mut server = Server::controlled(&control).with_limits(self.limits);
        if let Some(rate_limit) = self.rate_limit {
            server = server.with_rate_limit(rate_limit);
        }
        if self.admin {
            server = server.with_admin(AdminAccess::Loopback);
        }
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(server.clone().serve(listener, async {
            // Nothing is ever sent: the end of the sender is the signal.
            let _ = stopped.await;
        }));
        Ok(Emulator {
            control,
            server,
            base_url,
            stop: Some(stop),
            served: Some(served),
        })
    }
}

fn full_access() -> io::Result<ApiKey> {
    let key: Secret = KEY.parse().map_err(io::Error::other)?;
    Ok(ApiKey {
        key,
        name: KEY_NAME.to_owned(),
        policies: vec![Policy {
            effect: Effect::Allow,
            actions: None,
            resources: None,
            pipelines: None,
        }],
        rate_limit: None,
    })
}

/// Checks that names are unique, which quotas and recorded requests rest on.
fn check_names(keys: &[ApiKey]) -> io::Result<()> {
    let mut names = BTreeSet::new();
    match keys.iter().find(|key| !names.insert(&key.name)) {
        None => Ok(()),
        Some(key) => {
            let reason = format!("two keys are named `{}`; give each its own name", key.name);
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        }
    }
}
