//! Controls of a server for tests: its time, the faults that it injects, the requests that it saw, and the way back to
//! its initial state.
//!
//! A [`Control`] belongs to one platform. The operations of the contract do not know that they are controlled; nothing
//! in here changes what they do, other than through the platform's own clock, items and keys.

pub(crate) mod admin;
mod clause;
mod clauses;
mod cut;
mod delay;
pub(crate) mod dispatch;
mod fault;
mod faults;
mod intercept;
mod namespace_state;
mod namespaces;
mod operation;
mod permissions;
mod plan_error;
mod quota;
mod recorded_body;
mod recorded_requests;
mod redact;
mod seed_error;
mod seeding;
mod snapshot;

use std::sync::Arc;

use axum::{Router, middleware};

pub use self::admin::AdminAccess;
use self::cut::cut_marked;
pub use self::delay::Delay;
pub use self::fault::Fault;
pub use self::faults::{ActiveFault, FaultId};
use self::intercept::intercept;
use self::namespace_state::NamespaceState;
pub use self::namespaces::NamespaceError;
pub use self::operation::Operation;
pub use self::plan_error::PlanError;
pub use self::quota::KeyQuota;
pub use self::recorded_requests::{RecordedRequest, RecordedResponse};
pub use self::seed_error::SeedError;
pub use self::snapshot::{Snapshot, SnapshotError};
use crate::data::Dataset;
use crate::model::pipeline::Pipeline;
use crate::model::planned::{PlannedEvent, PlannedOutcome};
use crate::model::policy::{ApiKey, RateLimit};
use crate::model::store_error::StoreError;
use crate::platform::Platform;
use crate::platform::clock::VirtualClock;
use crate::platform::keys::KeyRing;
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
pub struct Control(Arc<NamespaceState>);

impl Control {
    /// Controls a new platform with this data and time, which keeps its state in memory.
    pub fn in_memory(dataset: Arc<Dataset>, clock: VirtualClock) -> Self {
        let time = Arc::new(clock.clone());
        let platform = Platform::in_memory(Arc::clone(&dataset), time);
        Self::of(platform, dataset, clock)
    }

    /// Controls a platform that was made with this data and this clock.
    pub fn of(platform: Platform, dataset: Arc<Dataset>, clock: VirtualClock) -> Self {
        Self(Arc::new(NamespaceState::new(platform, dataset, clock)))
    }

    /// The controls of a namespace, which is opened if it does not exist: it starts as this one did, with its own
    /// items, time, faults, plans, keys, quotas and recorded requests. Its state is in memory; it shares the items that
    /// it does not change. A request is in the namespace that its header `Emulator-Namespace` names, or else the part
    /// of its key before a colon, as in `suite-1:dev-full-access`. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`NamespaceError`].
    pub fn namespace(&self, name: &str) -> Result<Self, NamespaceError> {
        let state = self.0.namespaces.open(name, || {
            let fork = self.fork();
            // Starts the work that the initial items have left.
            fork.platform().resume();
            fork.0
        });
        state.map(Self)
    }

    /// The names of the namespaces that are open, in order.
    pub fn namespaces(&self) -> Vec<String> {
        self.0.namespaces.names()
    }

    /// Removes a namespace with all that is in it; returns false if there is none with this name.
    pub fn remove_namespace(&self, name: &str) -> bool {
        self.0.namespaces.remove(name)
    }

    /// Whether both control the same platform.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn fork(&self) -> Self {
        let (state, seed) = (&self.0, self.0.seed());
        let clock = state.clock.another();
        let keys = KeyRing::new(seed.keys.iter().map(|key| ApiKey::clone(key)));
        let items = seed.dataset.records().collect();
        let platform = state.platform.apart(items, keys, Arc::new(clock.clone()));
        let fork = Self::of(platform, seed.dataset, clock);
        fork.set_seed(state.faults.seed());
        if let Some(limit) = seed.quota {
            fork.set_initial_quota(limit);
        }
        fork
    }

    /// Sets the seed of all random choices of faults that are added from now on: their delays, and the requests that
    /// they apply to. It is 0 unless set.
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

    /// Sets everything back to the start: items, time, plans, keys, quotas, faults and the recorded requests. The
    /// initial quota of keys without their own is the one given to the server. Requests in flight may see any part of
    /// the reset.
    ///
    /// # Errors
    /// The errors of the store, if it cannot hold the initial items.
    pub async fn reset(&self) -> Result<(), StoreError> {
        self.0.faults.reset();
        self.0.clock.reset().await;
        let seed = self.0.seed();
        let items = seed.dataset.records().collect();
        self.0.platform.reset(items).await?;
        self.0.platform.clear_plans();
        self.0.platform.keys().reset(seed.keys);
        self.0.limiter.set_default(seed.quota);
        self.0.limiter.reset();
        self.0.recorded_requests.reset();
        Ok(())
    }

    /// Takes a snapshot of the items, their work and the time.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let records = self.0.platform.export().await?;
        Ok(Snapshot::of(&self.0.seed().dataset, &self.0.clock, &records))
    }

    /// Goes back to a snapshot: items, their work and the time are as they were then. Everything else stays as it is.
    /// The snapshot is checked completely before anything changes.
    ///
    /// # Errors
    /// [`SnapshotError`].
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let records = snapshot.records(&self.0.seed().dataset)?;
        let (now, is_frozen) = (snapshot.now(), snapshot.is_frozen());
        self.0.platform.shut_down().await;
        self.0.clock.set(now, is_frozen).await;
        Ok(self.0.platform.reset(records).await?)
    }

    /// Adds a fault, which applies from now on. Of several faults, the first that applies to a request wins.
    ///
    /// # Errors
    /// The errors of the store, for a fault with stale responses: it keeps the items as they are now.
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
        self.0.recorded_requests.list()
    }

    /// The last requests for one operation, the oldest first.
    pub fn requests_for(&self, operation: Operation) -> Vec<RecordedRequest> {
        let mut requests = self.requests();
        requests.retain(|request| request.operation == Some(operation));
        requests
    }

    /// Deletes the recorded requests. Their numbers go on.
    pub fn clear_requests(&self) {
        self.0.recorded_requests.clear();
    }

    /// Plans how a question or a sync ends for organizations that are added from now on, instead of the outcome that
    /// follows from the data. Of two plans for the same, the later one counts. Items that exist are not affected.
    ///
    /// # Errors
    /// [`PlanError`] when it could never happen.
    pub fn plan(&self, outcome: PlannedOutcome) -> Result<(), PlanError> {
        if let Some(fault) = outcome.fault() {
            return Err(PlanError::InvalidValue(fault));
        }
        let data = self.0.seed().dataset;
        if let Some(id) = outcome.organization_id
            && data.organization(id).is_none()
        {
            return Err(PlanError::OrganizationNotFound(id));
        }
        if let Some(id) = outcome.pipeline_id
            && data.pipeline(id).is_none()
        {
            return Err(PlanError::PipelineNotFound(id));
        }
        let column = outcome.column();
        let is_for = |pipeline: &&Arc<Pipeline>| {
            let id = outcome.pipeline_id;
            id.is_none_or(|id| id == pipeline.pipeline_id) && pipeline.has_column(column)
        };
        let mut pipelines = data.pipelines().filter(is_for).peekable();
        if pipelines.peek().is_none() {
            return Err(PlanError::ColumnNotFound(column));
        }
        let is_sync = matches!(outcome.event, PlannedEvent::Sync { .. });
        if is_sync && pipelines.all(|pipeline| pipeline.crm_sync.is_none()) {
            return Err(PlanError::NoSync(column));
        }
        self.0.platform.plan(outcome);
        Ok(())
    }

    /// The planned outcomes, in the order in which they were planned.
    pub fn plans(&self) -> Vec<PlannedOutcome> {
        self.0.platform.plans()
    }

    /// Removes all planned outcomes.
    pub fn clear_plans(&self) {
        self.0.platform.clear_plans();
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

    /// Sets the quota of every key without its own quota, at the start and after each reset.
    pub(crate) fn set_initial_quota(&self, limit: RateLimit) {
        self.0.change_seed(|seed| seed.quota = Some(limit));
        self.0.limiter.set_default(Some(limit));
    }
}
