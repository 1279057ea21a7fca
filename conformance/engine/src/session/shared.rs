//! What all checks of a run share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use crate::rules::SchemaCheck;
use crate::session::observed::{Known, Listing, Walk};
use crate::session::search_form::SearchForms;
use crate::target::Target;
use crate::transport::budget::RequestBudget;
use crate::transport::client::Client;
use crate::transport::response::HttpResponse;
use crate::verdict::Stop;

/// The state that all checks of a run share.
pub(crate) struct Shared {
    pub(crate) client: Arc<Client>,
    pub(crate) schema_check: Arc<SchemaCheck>,
    /// How the deployment writes searches, in a run that judges only what is stated.
    pub(crate) search_forms: Option<Arc<SearchForms>>,
    pub(crate) known: Known,
    /// The operations that the deployment does not have.
    pub(crate) missing: Mutex<BTreeSet<String>>,
    /// The deployment, for exploring it again.
    pub(crate) target: Option<Arc<Target>>,
    /// What was known when it was last explored again.
    pub(crate) explored: tokio::sync::Mutex<Option<Known>>,
    pub(crate) to_add: Mutex<Vec<u64>>,
    /// Whether the run needs organizations to add.
    pub(crate) finds_to_add: bool,
    pub(crate) listings: Mutex<BTreeMap<ListingKey, Once<Listing>>>,
    pub(crate) searches: Mutex<BTreeMap<SearchKey, Once<Walk>>>,
    /// The approximate memory of the items that are kept in `listings`.
    pub(super) kept: AtomicUsize,
    /// The seed of the property runs.
    pub(crate) seed: u64,
    /// The number of property runs of a case.
    pub(crate) property_runs: u64,
    /// The time limit for an item to become ready, if there is one.
    pub(crate) ready_within: Option<Duration>,
    /// Whether a case waited in vain for an item to become ready.
    pub(crate) has_waited_in_vain: AtomicBool,
    /// The values of the new items that a case saw ready, by pipeline and item.
    pub(super) ready: Mutex<BTreeMap<(u64, i64), HttpResponse>>,
    /// The number of organizations that others added before a case could.
    pub(super) taken: AtomicUsize,
    /// The budget for the walks that all checks share.
    pub(crate) for_all: Arc<RequestBudget>,
    /// The budget for second checks of failures.
    pub(crate) second_looks: Arc<RequestBudget>,
}

/// A walk that is taken on first use, and kept for the rest of the run.
pub(crate) type Once<Walked> = Arc<OnceCell<Arc<Walked>>>;

/// A pipeline, and its listing order: `sort_by` and `sort_order`.
pub(crate) type ListingKey = (u64, Option<String>, Option<String>);
/// A search without filters, and the number of results wanted.
pub(crate) type SearchKey = (String, i64);

impl Shared {
    /// `for_all` is the budget for the walks that all checks share, `second_looks` that for second checks of failures;
    /// `seed` and `property_runs` come from the options.
    pub(crate) fn new(
        client: Arc<Client>,
        schema_check: Arc<SchemaCheck>,
        known: Known,
        (for_all, second_looks): (Arc<RequestBudget>, Arc<RequestBudget>),
        (seed, property_runs): (u64, u64),
    ) -> Self {
        let to_add = Mutex::new(known.to_add.clone());
        let missing = Mutex::new(known.missing.clone());
        Self {
            client,
            schema_check,
            search_forms: None,
            known,
            missing,
            target: None,
            explored: tokio::sync::Mutex::default(),
            to_add,
            finds_to_add: true,
            listings: Mutex::default(),
            searches: Mutex::default(),
            kept: AtomicUsize::new(0),
            for_all,
            second_looks,
            seed,
            property_runs,
            ready_within: None,
            has_waited_in_vain: AtomicBool::new(false),
            ready: Mutex::default(),
            taken: AtomicUsize::new(0),
        }
    }

    /// Returns it with the deployment, for exploring it again.
    pub(crate) fn with_target(self, target: &Target) -> Self {
        Self {
            target: Some(Arc::new(target.clone())),
            ..self
        }
    }

    /// Returns it for a run that needs organizations to add, or for one that does not.
    pub(crate) fn finding_to_add(self, finds_to_add: bool) -> Self {
        Self { finds_to_add, ..self }
    }

    /// Returns it with the forms in which searches are read.
    pub(crate) fn with_search_forms(self, search_forms: Option<Arc<SearchForms>>) -> Self {
        Self { search_forms, ..self }
    }

    /// Why nothing about an operation can be checked, if the deployment does not have it.
    pub(crate) fn lacks(&self, operation: &str) -> Option<Stop> {
        let is_missing = self.missing.lock().contains(operation);
        is_missing.then(|| Stop::Skipped(format!("the deployment does not have {operation}")))
    }

    /// Returns it with a time limit for an item to become ready.
    pub(crate) fn with_ready_within(self, ready_within: Option<Duration>) -> Self {
        Self { ready_within, ..self }
    }
}
