//! The conformance kit: holds any deployment to `openapi.yaml`, so that a team which points it at staging
//! knows whether the contract is kept, and where not, with a request that shows it.
//!
//! It speaks raw HTTP and never the SDK: a typed client cannot send `limit=-3`. It knows no limit of its
//! own: bounds, defaults, patterns and codes are read from the contract. It writes nothing unless it is
//! allowed to.
//!
//! A [`Case`] is a clause of the contract and a check; the [`catalogue`] is the list of them; [`run`]
//! looks at a [`Target`] with them and tells a [`Reporter`] what happens; the [`Report`] is what is left.
//!
//! ```no_run
//! use platform_conformance::{ApiKey, Options, Role, Target, catalogue, report, run};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let key = ApiKey::new(std::env::var("PLATFORM_API_KEY")?, "PLATFORM_API_KEY")?;
//! let target = Target::new("https://staging.example/platform")?.with_key(Role::FullAccess, key);
//! let report = run(catalogue(), &target, &Options::default(), &mut report::Silent).await?;
//! assert_eq!(report.summary.failed, 0, "{report:#?}");
//! # Ok(())
//! # }
//! ```

mod account;
mod body;
mod case;
mod catalogue;
mod chapter;
mod client;
mod clock;
mod connection;
mod contract;
pub mod diff;
mod discover;
pub mod exit_code;
mod findings;
#[cfg(feature = "harness")]
pub mod harness;
pub mod init;
mod key;
mod known_failures;
mod law;
mod look;
mod observed;
mod options;
mod pattern;
mod plan;
mod preflight;
mod probe;
pub mod profile;
mod redact;
pub mod report;
mod request;
mod run;
mod schema_check;
mod second_look;
mod secret;
#[cfg(feature = "stub")]
pub mod selftest;
mod shell;
#[cfg(feature = "stub")]
pub mod stub;
mod target;
mod target_file;
mod trouble;
mod verdict;

pub use self::case::{Case, Clause, Need};
pub use self::catalogue::points::{Behaviour, MIXED, OTHER, Point, points};
pub use self::catalogue::{GROUPS, Group, catalogue};
pub use self::chapter::Chapter;
pub use self::client::Answer;
pub use self::connection::ConnectionError;
pub use self::contract::to_json_schema;
pub use self::contract::{Basis, Contract, Header, Operation, Parameter, Response};
pub use self::findings::{Finding, Findings, Steadiness};
pub use self::key::{API_KEY_VARIABLE, ApiKey, InvalidApiKey};
pub use self::known_failures::{KnownFailures, KnownFailuresError};
pub use self::observed::{Known, KnownPipeline, Listing};
pub use self::options::{MAX_BODY_BYTES, Options, RunError};
pub use self::pattern::Pattern;
pub use self::plan::plan;
pub use self::probe::{Call, Expect, Probe};
pub use self::profile::{Observed, Profile, ProfileError};
pub use self::report::{
    CaseReport, Event, PlannedAdds, PlannedRequests, PlannedSkip, Report, Reporter, RunPlan,
    Summary,
};
pub use self::request::{Body, Request};
pub use self::run::run;
pub use self::target::{PipelineRole, Role, Target, TargetError};
pub use self::verdict::{Level, Outcome, Stop, Verdict};
