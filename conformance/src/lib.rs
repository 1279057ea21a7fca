//! The conformance kit: holds any deployment to `openapi.yaml`, so that a team which points it at staging
//! knows whether the contract is kept, and where not, with a request that shows it.
//!
//! It speaks raw HTTP and never the SDK: a typed client cannot send `limit=-3`. It knows no limit of its
//! own: bounds, defaults, patterns and codes are read from the contract. It writes nothing unless it is
//! allowed to.
//!
//! A [`Case`] is a clause of the contract and a check; the [`catalogue`](catalogue()) is the list of them; [`run`](run())
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

pub mod diff;
pub mod init;

pub use catalogue::profile::{self, Observed, Profile, ProfileError};
pub use catalogue::{Behaviour, GROUPS, Group, MIXED, OTHER, Point, catalogue, points};
#[cfg(feature = "harness")]
pub use engine::harness;
pub use engine::{
    API_KEY_VARIABLE, Answer, ApiKey, Body, Call, Case, CaseReport, Chapter, Clause,
    ConnectionError, Event, Expect, Finding, Findings, InvalidApiKey, Known, KnownFailures,
    KnownFailuresError, KnownPipeline, Level, Listing, MAX_BODY_BYTES, Need, Options, Outcome,
    Pattern, PipelineRole, PlannedAdds, PlannedRequests, PlannedSkip, Probe, Report, Reporter,
    Request, Role, RunError, RunPlan, Steadiness, Stop, Summary, Target, TargetError, Verdict,
    exit_code, plan, report, run,
};
pub use platform_contract::{
    Basis, Contract, Header, Operation, Parameter, Response, to_json_schema,
};
#[cfg(feature = "stub")]
pub use selftest::{self, stub};
