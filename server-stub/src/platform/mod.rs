//! The service without HTTP: one method for each operation of the contract, under its name in the contract, and the
//! background processing.
//!
//! [`Platform`] returns records or a [`Rejection`]. Nothing in here depends on routes, status codes, headers or wire
//! types, or reads the time other than through the [`clock`].

pub mod clock;
pub mod keys;
mod operations;
mod plans;
mod queries;
mod workers;

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use chrono::{DateTime, Utc};
use futures::TryStreamExt;

use self::clock::Clock;
use self::keys::{Caller, KeyRing};
use self::plans::Plans;
use self::queries::Queries;
use self::workers::Workers;
use crate::data::Dataset;
use crate::model::ids::PipelineId;
use crate::model::planned::PlannedOutcome;
use crate::model::policy::{Action, QuotaState, RateLimit, Resource};
use crate::model::rejection::Rejection;
use crate::model::store_error::StoreError;
use crate::store::{
    Catalogue, Ledger, MemoryLedger, Pool, PostgresError, PostgresLedger, PostgresSettings, Record, RedbLedger,
    StateError,
};
use platform_embedding::QueryEncoder;

/// The whole service. Clones are cheap and share everything; when the last one is dropped, background processing stops.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use platform_server_stub::data::Dataset;
/// use platform_server_stub::platform::Platform;
/// use platform_server_stub::platform::clock::ManualClock;
/// use platform_server_stub::model::ids::{OrganizationId, PipelineId};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let clock = ManualClock::new("2026-11-20T12:00:00Z".parse()?);
/// let platform = Platform::in_memory(Dataset::built_in(), Arc::new(clock.clone()));
///
/// let inbox = PipelineId::new(6)?;
/// let item = platform.add_organization(inbox, OrganizationId::new(1001)?).await?;
/// assert!(!item.status().is_ready());
///
/// clock.advance(Duration::from_secs(3)).await;
/// assert!(platform.get_item_status(inbox, item.pipeline_item_id).await?.is_ready());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Platform {
    shared: Arc<Shared>,
    queries: Queries,
}

#[derive(Debug)]
struct Shared {
    catalogue: RwLock<Arc<dyn Catalogue>>,
    ledger: Arc<dyn Ledger>,
    keys: KeyRing,
    clock: Arc<dyn Clock>,
    workers: Workers,
    plans: Plans,
    /// The threads that search and encode search texts.
    pool: Pool,
}

impl Platform {
    /// A platform with records from `catalogue`, items in `ledger`, the API keys `keys`, and the time of `clock`.
    pub fn new(catalogue: Arc<dyn Catalogue>, ledger: Arc<dyn Ledger>, keys: KeyRing, clock: Arc<dyn Clock>) -> Self {
        Self::with_pool(catalogue, ledger, keys, clock, Pool::new())
    }

    fn with_pool(
        catalogue: Arc<dyn Catalogue>,
        ledger: Arc<dyn Ledger>,
        keys: KeyRing,
        clock: Arc<dyn Clock>,
        pool: Pool,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                catalogue: RwLock::new(catalogue),
                ledger,
                keys,
                clock,
                workers: Workers::default(),
                plans: Plans::default(),
                pool,
            }),
            queries: Queries::Table,
        }
    }

    /// Encodes search texts with a transformer from now on, on the threads that search. The vectors of records and of
    /// the rules of questions stay as they are. Clones made earlier are not changed.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    ///
    /// use platform_server_stub::data::Dataset;
    /// use platform_server_stub::embedding::QueryEncoder;
    /// use platform_server_stub::model::filter::Filters;
    /// use platform_server_stub::model::search::Page;
    /// use platform_server_stub::platform::Platform;
    /// use platform_server_stub::platform::clock::SystemClock;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # // A tiny model with random weights.
    /// # let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("embedding/tests/fixtures/tiny-model");
    /// # let directory = directory.as_path();
    /// let encoder = QueryEncoder::open(directory)?;
    /// let platform = Platform::in_memory(Dataset::built_in(), Arc::new(SystemClock));
    /// let platform = platform.with_query_encoder(encoder);
    ///
    /// let (text, page) = ("pumps for breweries", Page { skip: 0, limit: 3 });
    /// let found = platform.search_products_by_description(text, &Filters::default(), page).await?;
    /// assert_eq!(found.results.len(), 3);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_query_encoder(mut self, encoder: QueryEncoder) -> Self {
        self.queries = Queries::by(encoder, self.shared.pool.clone());
        self
    }

    /// A platform that starts with a data set and its keys, and keeps its state in memory.
    pub fn in_memory(dataset: Arc<Dataset>, clock: Arc<dyn Clock>) -> Self {
        let ledger = MemoryLedger::new(dataset.records());
        Self::of(&dataset, Arc::new(ledger), clock)
    }

    /// A platform that starts with a data set and its keys, and keeps its items and their work in a directory. A
    /// confirmed addition is still there when the platform is opened again, however the process ended, and work
    /// continues from where it stopped. Records and keys always come from the data set.
    ///
    /// The directory is created if it does not exist. It belongs to one platform at a time, and to the data set that it
    /// was created with. Call [`resume`](Self::resume) to continue the work; a [`Server`](crate::Server) does so when
    /// it serves.
    ///
    /// # Errors
    /// [`StateError`] when the directory cannot be used.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use platform_server_stub::data::Dataset;
    /// use platform_server_stub::model::ids::{OrganizationId, PipelineId};
    /// use platform_server_stub::platform::Platform;
    /// use platform_server_stub::platform::clock::SystemClock;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// # let directory = directory.path();
    /// let open = || Platform::with_state(Dataset::built_in(), Arc::new(SystemClock), directory);
    /// let inbox = PipelineId::new(6)?;
    ///
    /// let platform = open()?;
    /// let item = platform.add_organization(inbox, OrganizationId::new(1001)?).await?;
    /// platform.shut_down().await;
    /// drop(platform);
    ///
    /// let again = open()?;
    /// let kept = again.get_item_values(inbox, item.pipeline_item_id).await?;
    /// assert_eq!(kept.organization_id, item.organization_id);
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_state(dataset: Arc<Dataset>, clock: Arc<dyn Clock>, directory: &Path) -> Result<Self, StateError> {
        let ledger = RedbLedger::open(directory, &dataset.fingerprint(), dataset.records())?;
        Ok(Self::of(&dataset, Arc::new(ledger), clock))
    }

    /// A platform that starts with a data set and its keys, and keeps its items and their work in a PostgreSQL
    /// database. Any number of platforms with the same data, in any number of processes, may share it: each sees what
    /// any of them has confirmed, and each change is made once. If one is killed, the others take over its work within
    /// seconds. Records and keys always come from the data set.
    ///
    /// The tables are created if there are none, and belong to the data set that they were created with. Call
    /// [`resume`](Self::resume) to carry out work; a [`Server`](crate::Server) does so when it serves. Must be called
    /// within a tokio runtime, in which the platform is used.
    ///
    /// # Errors
    /// [`PostgresError`] when the database cannot be used.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use platform_server_stub::data::Dataset;
    /// use platform_server_stub::platform::Platform;
    /// use platform_server_stub::platform::clock::SystemClock;
    /// use platform_server_stub::store::PostgresSettings;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let settings: PostgresSettings = std::env::var("PLATFORM_STUB_STORE")?.parse()?;
    /// let platform = Platform::with_postgres(Dataset::built_in(), Arc::new(SystemClock), &settings).await?;
    /// platform.ready().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn with_postgres(
        dataset: Arc<Dataset>,
        clock: Arc<dyn Clock>,
        settings: &PostgresSettings,
    ) -> Result<Self, PostgresError> {
        let ledger = PostgresLedger::open(settings, &dataset.fingerprint(), dataset.records()).await?;
        if !settings.has_searches() {
            return Ok(Self::of(&dataset, Arc::new(ledger), clock));
        }
        let records = dataset.catalogue().clone();
        let pool = records.pool().clone();
        let catalogue = ledger.searches(records).await?;
        let keys = KeyRing::new(dataset.api_keys().iter().cloned());
        Ok(Self::with_pool(
            Arc::new(catalogue),
            Arc::new(ledger),
            keys,
            clock,
            pool,
        ))
    }

    fn of(dataset: &Dataset, ledger: Arc<dyn Ledger>, clock: Arc<dyn Clock>) -> Self {
        let keys = KeyRing::new(dataset.api_keys().iter().cloned());
        let catalogue = dataset.catalogue().clone();
        let pool = catalogue.pool().clone();
        Self::with_pool(Arc::new(catalogue), ledger, keys, clock, pool)
    }

    /// The clock of the platform.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared.clock
    }

    /// All items of all pipelines at this moment, each with the work that is left for it, for [`Dataset::write_with`].
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn export(&self) -> Result<Vec<Record>, StoreError> {
        self.shared.ledger.export().try_collect().await
    }

    /// Carries out the work in the ledger, in the background. Adding an organization does the same. Must be called
    /// within a tokio runtime.
    pub fn resume(&self) {
        let Shared { ledger, clock, .. } = &*self.shared;
        self.shared.workers.wake(ledger, clock);
    }

    /// Stops background processing, and returns when it has stopped. Items stay as they are until the next addition or
    /// [`resume`](Self::resume) starts it again.
    pub async fn shut_down(&self) {
        self.shared.workers.stop().await;
    }

    /// Plans an outcome for the processes of organizations that are added from now on, instead of the one that follows
    /// from the data. Items that exist keep their plans. Whether a pipeline has the column is not checked.
    pub fn plan(&self, outcome: PlannedOutcome) {
        self.shared.plans.write().push(outcome);
    }

    /// The planned outcomes, in the order in which they were planned.
    pub fn plans(&self) -> Vec<PlannedOutcome> {
        self.shared.plans.read().clone()
    }

    /// Removes all planned outcomes.
    pub fn clear_plans(&self) {
        self.shared.plans.write().clear();
    }

    /// Removes the planned outcomes that are not kept.
    pub(crate) fn retain_plans(&self, keep: impl FnMut(&PlannedOutcome) -> bool) {
        self.shared.plans.write().retain(keep);
    }

    /// Deletes all items and their work, and holds these records instead, as if the platform had started with them.
    /// Keys and time stay as they are. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn reset(&self, records: Vec<Record>) -> Result<(), StoreError> {
        self.shut_down().await;
        let outcome = self.shared.ledger.reset(records).await;
        self.resume();
        outcome
    }

    /// Replaces all records as a whole, and all items and their work. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The errors of the store. The records have been replaced then, and the items have not.
    pub(crate) async fn replace(&self, catalogue: Arc<dyn Catalogue>, records: Vec<Record>) -> Result<(), StoreError> {
        self.shut_down().await;
        {
            let current = self.shared.catalogue.write();
            *current.unwrap_or_else(PoisonError::into_inner) = catalogue;
        }
        self.reset(records).await
    }

    /// Whether its items outlive the process. They belong to the data that it was created with.
    pub(crate) fn is_durable(&self) -> bool {
        self.shared.ledger.is_durable()
    }

    /// A platform with the same catalogue, keys and time, and with these items, which nothing changes unless an
    /// organization is added.
    pub(crate) fn with_items(&self, records: Vec<Record>) -> Self {
        let Shared { keys, clock, .. } = &*self.shared;
        self.apart(records, keys.clone(), Arc::clone(clock))
    }

    /// A platform with the same catalogue, which shares nothing that changes with this one.
    pub(crate) fn apart(&self, records: Vec<Record>, keys: KeyRing, clock: Arc<dyn Clock>) -> Self {
        let ledger = Arc::new(MemoryLedger::new(records));
        let pool = self.shared.pool.clone();
        Self {
            queries: self.queries.clone(),
            ..Self::with_pool(self.catalogue(), ledger, keys, clock, pool)
        }
    }

    /// The API keys of the platform.
    pub(crate) fn keys(&self) -> &KeyRing {
        &self.shared.keys
    }

    /// Checks whether the platform can serve. Its records are loaded before it exists, so this depends on its ledger
    /// alone.
    ///
    /// # Errors
    /// [`StoreError`] when the ledger cannot serve at present.
    pub async fn ready(&self) -> Result<(), StoreError> {
        self.shared.ledger.ready().await
    }

    /// Identifies the caller.
    ///
    /// # Errors
    /// [`Rejection::KeyMissing`], [`Rejection::KeyUnknown`].
    pub fn authenticate(&self, key: Option<&str>) -> Result<Caller, Rejection> {
        self.shared.keys.authenticate(key)
    }

    /// Counts a request of a caller with this quota, if other processes serve the caller too; `None` if this process
    /// alone does, and counts by itself.
    ///
    /// # Errors
    /// The errors of the store.
    pub(crate) async fn count_request(
        &self,
        caller: &Caller,
        limit: RateLimit,
        now: DateTime<Utc>,
    ) -> Result<Option<QuotaState>, StoreError> {
        self.shared.ledger.count_request(caller.name(), limit, now).await
    }

    /// Checks whether a caller may do something; see [`keys::authorize`]. The operations below do not check this
    /// themselves: the wire checks the request's form after authorization and before the operation.
    ///
    /// # Errors
    /// [`Rejection::NotAuthorized`].
    pub fn authorize(
        &self,
        caller: &Caller,
        action: Action,
        resource: Resource,
        pipeline_id: Option<PipelineId>,
    ) -> Result<(), Rejection> {
        keys::authorize(caller, action, resource, pipeline_id)
    }

    /// Checks whether a caller may learn that the id of a pipeline is malformed; see
    /// [`keys::authorize_on_some_pipeline`].
    ///
    /// # Errors
    /// [`Rejection::NotAuthorized`].
    pub fn authorize_on_some_pipeline(
        &self,
        caller: &Caller,
        action: Action,
        resource: Resource,
    ) -> Result<(), Rejection> {
        keys::authorize_on_some_pipeline(caller, action, resource)
    }

    /// The records of this moment.
    fn catalogue(&self) -> Arc<dyn Catalogue> {
        // Nothing panics while holding the lock.
        let catalogue = self.shared.catalogue.read();
        Arc::clone(&catalogue.unwrap_or_else(PoisonError::into_inner))
    }
}
