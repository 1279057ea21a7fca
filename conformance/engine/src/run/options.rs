//! Options of a run.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::case::CitationError;
use crate::pattern::Pattern;
use crate::report::Requirement;
use crate::run::known_failures::KnownFailures;
use crate::transport::attempt::Recorder;
use crate::transport::rate::Rate;
use crate::verdict::Level;
use platform_contract::Contract;

/// The default limit on the body of a response, in bytes: 64 MB.
pub const MAX_BODY_BYTES: u64 = 64_000_000;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether cases may add organizations to the writable pipeline. Additions cannot be removed.
    pub allow_writes: bool,
    /// The cases to run; all if empty.
    pub only: Vec<Pattern>,
    /// The cases to leave out of those.
    pub exclude: Vec<Pattern>,
    /// The time limit for one response.
    pub timeout: Duration,
    /// How long to wait until the deployment responds, before the first request of the run; `None` does not wait.
    pub wait_for: Option<Duration>,
    /// How many cases run side by side, and how many requests are in flight at once; at least 1.
    pub concurrency: usize,
    /// The limit on the request rate; `None` sets no limit.
    pub rate: Option<Rate>,
    /// The limit on requests of the run, if lower than the announced one: requests beyond it are not sent, and their
    /// cases are [`Verdict::Errored`](crate::Verdict::Errored).
    pub max_requests: Option<u64>,
    /// The limit on the body of a response, in bytes. A longer one does not count as a response: its case is
    /// [`Verdict::Errored`](crate::Verdict::Errored).
    pub max_body_bytes: u64,
    /// Stops the run after this number of failed cases. Cases that are already running finish; the rest are
    /// [`Verdict::Skipped`](crate::Verdict::Skipped). `None` sets no limit.
    pub max_failures: Option<NonZeroUsize>,
    /// The level that the deployment is judged at.
    pub level: Level,
    /// The seed of the property runs: the same seed generates the same requests.
    pub seed: u64,
    /// The number of property runs of each case of the group `law`.
    pub property_runs: u64,
    /// The time limit for an item to become ready: a longer wait fails the case, at either level. With `None`, the
    /// limit is two minutes, and a longer wait makes the case [`Verdict::Inconclusive`](crate::Verdict::Inconclusive):
    /// the contract promises no time.
    pub ready_within: Option<Duration>,
    /// Failures that do not fail the run.
    pub known_failures: KnownFailures,
    /// What must be checked for the run to be green.
    pub require: Vec<Requirement>,
    /// Receives every request with its response, such as [`Har`](crate::report::har::Har).
    pub recorder: Option<Arc<dyn Recorder>>,
    /// Ends the run when it is cancelled: nothing more is sent, the remaining cases are
    /// [`Verdict::Skipped`](crate::Verdict::Skipped), and there is still a report.
    pub interrupt: CancellationToken,
    /// Also ends the wait for requests that may change something, when it is cancelled after
    /// [`interrupt`](Self::interrupt). Their outcome is then unknown.
    pub abandon: CancellationToken,
    /// The contract that the deployment is judged by: the one that the cases were made from.
    pub contract: Arc<Contract>,
}

impl Default for Options {
    /// All cases that change nothing, four at a time, 30 seconds for each response; eight property runs, always the
    /// same, so that two reports can be compared.
    fn default() -> Self {
        Self {
            allow_writes: false,
            only: Vec::new(),
            exclude: Vec::new(),
            timeout: Duration::from_secs(30),
            wait_for: None,
            concurrency: 4,
            rate: None,
            max_requests: None,
            max_body_bytes: MAX_BODY_BYTES,
            max_failures: None,
            level: Level::Contract,
            seed: 0,
            property_runs: 8,
            ready_within: None,
            known_failures: KnownFailures::default(),
            require: Vec::new(),
            recorder: None,
            interrupt: CancellationToken::new(),
            abandon: CancellationToken::new(),
            contract: Arc::clone(Contract::bundled()),
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A pattern that no case matches is a mistake, not a request to run nothing.
    #[error("no case matches {0}: name an id, or a group as in limit/*; `platform-conformance list --ids` shows all")]
    NoSuchCase(Pattern),
    /// A case cites something that the contract does not have.
    #[error(transparent)]
    Citation(CitationError),
    /// A requirement that no case matches.
    #[error("no case matches the requirement {0}: `platform-conformance list` shows all rules")]
    NoSuchRequirement(Requirement),
    /// There is no key with full access.
    #[error("no API key: set PLATFORM_API_KEY, or name a variable for full_access in the target file")]
    NoKey,
    /// The HTTP client could not be set up.
    #[error("the HTTP client could not be set up; check the certificates and the proxy of the target")]
    Client(#[source] reqwest::Error),
}
