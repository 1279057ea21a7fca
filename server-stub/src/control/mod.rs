//! Controls of a server for tests: its time, the faults that it injects, the requests that it saw, and the way back to
//! its initial state.
//!
//! A [`Control`] belongs to one platform. The operations of the contract do not know that they are controlled; nothing
//! in here changes what they do, other than through the platform's own clock, items and keys.

pub(crate) mod admin;
mod cut;
mod delay;
mod fault;
mod faults;
mod intercept;
mod journal;
mod operation;
mod recorded_body;
mod redact;
mod world;

use std::sync::Arc;

use axum::{Router, middleware};

pub use self::admin::AdminAccess;
use self::cut::cut_marked;
pub use self::delay::Delay;
pub use self::fault::Fault;
use self::faults::Faults;
pub use self::faults::{ActiveFault, FaultId};
use self::intercept::intercept;
use self::journal::Journal;
pub use self::journal::{RecordedRequest, RecordedResponse};
pub use self::operation::Operation;
use self::world::World;
use crate::data::Dataset;
use crate::model::policy::RateLimit;
use crate::model::store_error::StoreError;
use crate::platform::Platform;
use crate::platform::clock::VirtualClock;
use crate::wire::{self, RateLimiter, Service};

/// The controls of one platform. Clones are cheap and control the same platform.
///
/// A test usually has them through an [`Emulator`](crate::Emulator). This is how a server is controlled that the test
/// builds itself:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use platform_server_stub::Server;
/// use platform_server_stub::control::{Control, Fault, Operation};
/// use platform_server_stub::data::Dataset;
/// use platform_server_stub::platform::clock::VirtualClock;
/// use platform_server_stub::wire::ProblemCode;
///
/// let clock = VirtualClock::frozen_at("2026-11-20T12:00:00Z".parse()?);
/// let control = Control::in_memory(Dataset::built_in(), clock);
/// let router = Server::controlled(&control).router();
///
/// control.add_fault(Fault::problem(ProblemCode::Unavailable).times(1)).await?;
/// control.clock().advance(Duration::from_secs(60)).await;
/// control.reset().await?;
/// # let _ = router;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Control(Arc<World>);

impl Control {
    /// Controls a new platform with this data and time, which keeps its state in memory.
    pub fn in_memory(dataset: Arc<Dataset>, clock: VirtualClock) -> Self {
        let time = Arc::new(clock.clone());
        let platform = Platform::in_memory(Arc::clone(&dataset), time);
        Self::of(platform, dataset, clock)
    }

    /// Controls a platform that was made with this data and this clock.
    pub fn of(platform: Platform, dataset: Arc<Dataset>, clock: VirtualClock) -> Self {
        Self(Arc::new(World {
            platform,
            dataset,
            clock,
            limiter: Arc::new(RateLimiter::new(None)),
            faults: Faults::new(0),
            journal: Journal::default(),
        }))
    }

    /// Sets the seed of everything that is drawn by faults that are added from now on: their delays, and the requests
    /// that they apply to. It is 0 unless set.
    pub fn set_seed(&self, seed: u64) {
        self.0.faults.set_seed(seed);
    }

    /// The platform.
    pub fn platform(&self) -> &Platform {
        &self.0.platform
    }

    /// The clock of the platform: freeze it, advance it, or run it until no work is left.
    pub fn clock(&self) -> &VirtualClock {
        &self.0.clock
    }

    /// Sets everything back to the start: items, time, quotas, faults and the journal. Requests in flight may see any
    /// part of it.
    ///
    /// # Errors
    /// The errors of the store, if it cannot hold the initial items.
    pub async fn reset(&self) -> Result<(), StoreError> {
        self.0.faults.reset();
        self.0.clock.reset().await;
        let items = self.0.dataset.records().collect();
        self.0.platform.reset(items).await?;
        self.0.limiter.reset();
        self.0.journal.reset();
        Ok(())
    }

    /// Adds a fault, which applies from now on. Of several faults, the first that applies to a request wins.
    ///
    /// # Errors
    /// The errors of the store, for a fault that answers stale reads: it keeps the items as they are now.
    pub async fn add_fault(&self, fault: Fault) -> Result<FaultId, StoreError> {
        let stale = match fault.is_stale() {
            false => None,
            true => {
                let items = self.0.platform.export().await?;
                let service = Service {
                    platform: self.0.platform.with_items(items),
                    limiter: Arc::clone(&self.0.limiter),
                    cors: None,
                    draining: wire::Draining::default(),
                };
                Some(wire::routes(service))
            }
        };
        Ok(self.0.faults.add(fault, stale))
    }

    /// The faults that were added and not removed, with the number of requests that each was applied to.
    pub fn active_faults(&self) -> Vec<ActiveFault> {
        self.0.faults.list()
    }

    /// Removes a fault; returns false if there is none with this id.
    pub fn remove_fault(&self, id: FaultId) -> bool {
        self.0.faults.remove(id)
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.0.faults.clear();
    }

    /// The last 1,000 requests to the platform, the oldest first. Probes, documents and requests to the controls are
    /// not among them.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.0.journal.list()
    }

    /// The last requests for one operation, the oldest first.
    pub fn requests_for(&self, operation: Operation) -> Vec<RecordedRequest> {
        let mut requests = self.requests();
        requests.retain(|request| request.operation == Some(operation));
        requests
    }

    /// Forgets all requests. Their numbers go on.
    pub fn clear_requests(&self) {
        self.0.journal.clear();
    }

    /// The service with these controls around its routes.
    pub(crate) fn router(&self, service: Service) -> Router {
        let intercept = middleware::from_fn_with_state(Arc::clone(&self.0), intercept);
        let router = wire::router(service, |routes| routes.layer(intercept));
        router.layer(middleware::from_fn(cut_marked))
    }

    /// Counts the requests of each key.
    pub(crate) fn limiter(&self) -> &Arc<RateLimiter> {
        &self.0.limiter
    }

    /// Sets the quota of every key without its own quota.
    pub(crate) fn set_rate_limit(&self, rate_limit: Option<RateLimit>) {
        self.0.limiter.set_default(rate_limit);
    }
}
