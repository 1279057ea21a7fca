//! What a run may do.

use std::num::NonZeroU32;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::pattern::Pattern;
use crate::run::known_failures::KnownFailures;
use crate::verdict::Level;
use platform_contract::Contract;

/// The longest body of an answer that is read, in bytes, when nothing else is said: 64 MB.
pub const MAX_BODY_BYTES: u64 = 64_000_000;

/// What a run may do.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether cases may add organizations to the writable pipeline. What was added cannot be taken out.
    pub allow_writes: bool,
    /// The cases to run; all when empty.
    pub only: Vec<Pattern>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// How many cases run side by side, and how many requests are in flight at once, at least 1.
    pub concurrency: usize,
    /// The most requests a second; as fast as answers come when there is none.
    pub rate: Option<NonZeroU32>,
    /// The most requests of the run, when that is less than it announces: what would be sent beyond is
    /// not, and its cases are [`Verdict::Errored`](crate::Verdict::Errored).
    pub max_requests: Option<u64>,
    /// The longest body of an answer that is read, in bytes. The request of a longer one has no answer: its
    /// case is [`Verdict::Errored`](crate::Verdict::Errored).
    pub max_body_bytes: u64,
    /// What the deployment is held to.
    pub level: Level,
    /// What the random walks are made from: the same seed makes the same requests.
    pub seed: u64,
    /// How many random walks each case of the group `law` takes.
    pub walks: u64,
    /// Failures that do not fail the run.
    pub known_failures: KnownFailures,
    /// Ends the run when it is cancelled: nothing is sent any more, the cases that are left are
    /// [`Verdict::Skipped`](crate::Verdict::Skipped), and there still is a report.
    pub interrupt: CancellationToken,
    /// Ends the wait for requests that may change something, too, when it is cancelled after
    /// [`interrupt`](Self::interrupt): nobody can tell then what became of them.
    pub abandon: CancellationToken,
    /// The contract that the deployment is held to: the one that the cases were made from.
    pub contract: &'static Contract,
}

impl Default for Options {
    /// All cases that change nothing, four at a time, 30 seconds an answer; eight random walks, always the
    /// same, so that two runs can be compared.
    fn default() -> Self {
        Self {
            allow_writes: false,
            only: Vec::new(),
            timeout: Duration::from_secs(30),
            concurrency: 4,
            rate: None,
            max_requests: None,
            max_body_bytes: MAX_BODY_BYTES,
            level: Level::Contract,
            seed: 0,
            walks: 8,
            known_failures: KnownFailures::default(),
            interrupt: CancellationToken::new(),
            abandon: CancellationToken::new(),
            contract: Contract::bundled(),
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A pattern that no case matches is a mistake, not a wish to run nothing.
    #[error("no case matches {0}: `platform-conformance list` shows them all")]
    NoSuchCase(Pattern),
    /// There is no key with full access.
    #[error(
        "no API key: set PLATFORM_API_KEY, or name a variable for full_access in the target file"
    )]
    NoKey,
    /// The HTTP client could not be set up.
    #[error("the HTTP client could not be set up")]
    Client(#[source] reqwest::Error),
}
