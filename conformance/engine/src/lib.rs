//! The engine of the conformance kit: runs a list of [`Case`]s against a [`Target`] over raw HTTP, and tells a
//! [`Reporter`] what happens; what is left is a [`Report`].
//!
//! It knows no case, no planted fault and no server: cases are handed to [`run()`]. It reads its limits, codes and
//! schemas from the contract that it is handed, and has none of its own. It sends nothing that does not only read
//! unless it is allowed to, and never more than it has announced.
//!
//! The modules, in order; each imports only those before it: `secret`, `redact`, [`target`], [`transport`], `rules`,
//! [`session`], [`case`](mod@case), [`property`], [`report`], [`run`](mod@run), `harness`.

pub mod case;
pub mod chapter;
pub mod clock;
pub mod exit_code;
pub mod finding;
#[cfg(feature = "harness")]
pub mod harness;
pub mod pattern;
pub mod property;
pub mod redact;
pub mod report;
pub mod rules;
pub mod run;
pub mod secret;
pub mod session;
pub mod target;
pub mod transport;
pub mod verdict;

pub use self::case::{Case, Clause, Need};
pub use self::chapter::Chapter;
pub use self::finding::{Finding, Findings, Steadiness};
pub use self::pattern::Pattern;
pub use self::report::{
    CaseReport, Event, PlannedAdds, PlannedRequests, PlannedSkip, Report, Reporter, RunPlan,
    Summary,
};
pub use self::run::known_failures::{KnownFailures, KnownFailuresError};
pub use self::run::options::{MAX_BODY_BYTES, Options, RunError};
pub use self::run::plan::plan;
pub use self::run::run;
pub use self::session::observed::{Known, KnownPipeline, Listing};
pub use self::session::{Call, Expect, Probe};
pub use self::target::connection::ConnectionError;
pub use self::target::key::{API_KEY_VARIABLE, ApiKey, InvalidApiKey};
pub use self::target::{PipelineRole, Role, Target, TargetError};
pub use self::transport::client::Answer;
pub use self::transport::request::{Body, Request};
pub use self::verdict::{Level, Outcome, Stop, Verdict};
