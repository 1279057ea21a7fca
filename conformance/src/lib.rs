//! The conformance kit: checks any deployment against `openapi.yaml`, so that a team can point it at staging and learn
//! which clauses of the contract are violated, with a request that shows each violation.
//!
//! It sends raw HTTP instead of using the SDK: a typed client cannot send `limit=-3`. It contains no limits of its
//! own: bounds, defaults, patterns and codes are read from the contract. It writes nothing unless it is allowed to.
//!
//! A [`Case`] is a clause of the contract and a check; the [`catalogue`](catalogue()) lists them; [`run`](run()) runs
//! them on a [`Target`], sends events to a [`Reporter`] and returns a [`Report`].
//!
//! ```no_run
//! use platform_conformance::{ApiKey, Options, Role, Target, catalogue, exit_code, report, run};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let key = ApiKey::new(std::env::var("PLATFORM_API_KEY")?, "PLATFORM_API_KEY")?;
//! let target = Target::new("https://staging.example/platform")?.with_key(Role::FullAccess, key);
//! let report = run(catalogue(), &target, &Options::default(), &mut report::Silent).await?;
//! // A run that checked nothing does not pass either.
//! assert_eq!(exit_code::of(&report.summary), exit_code::PASSED, "{:?}", report.summary);
//! # Ok(())
//! # }
//! ```
//!
//! The guide, with the program and its options, is the README of this crate.
#![cfg_attr(
    feature = "harness",
    doc = "[`harness`] runs the catalogue in the `cargo test` of a service."
)]
#![cfg_attr(feature = "stub", doc = "[`selftest`] tests the kit itself on planted faults.")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod contents;
pub mod diff;
pub mod init;
pub mod known_failures;

pub use catalogue::profile::{self, Observed, Profile, ProfileError};
pub use catalogue::{Behaviour, GROUPS, Group, MIXED, OTHER, Point, catalogue, points};
#[cfg(feature = "harness")]
pub use engine::harness;
pub use engine::run::plan::chosen;
pub use engine::session::up::attempts as attempts_to_wait;
pub use engine::{
    API_KEY_VARIABLE, ApiKey, Attempt, Binding, Body, Call, Case, CaseReport, Chapter, Citation, CitationError, Clause,
    Collection, ConnectionError, Conversation, End, Estimate, Event, Exchange, Expect, Expectation, Finding, Findings,
    HttpResponse, InvalidApiKey, InvalidRate, KeyCommand, KeyCommandError, KeyFromCommandError, Known, KnownFailures,
    KnownFailuresError, KnownPipeline, Level, Listing, MAX_BODY_BYTES, Message, Need, Options, Outcome, Pattern,
    PipelineRole, PlannedAdds, PlannedRequests, PlannedSkip, Probe, QueryFault, RECORDED_BODY, Rate, RecordedBody,
    RecordedResponse, Recorder, Rejection, Report, Reporter, Request, RequestTemplate, Requirement, RequirementReport,
    Role, Rule, RuleSummary, RunError, RunPlan, SearchNames, Shortage, SomePipelines, Steadiness, Stop, Summary, Talk,
    Target, TargetError, UnknownSearchName, Verdict, exit_code, plan, report, run,
};
pub use platform_contract::{Basis, Contract, Header, Operation, Parameter, Response, to_json_schema};
#[cfg(feature = "stub")]
#[doc(inline)]
pub use selftest;
#[cfg(feature = "stub")]
pub use selftest::stub;

// Compiles the example in the guide.
#[cfg(all(doctest, feature = "harness"))]
#[doc = include_str!("../README.md")]
mod guide {}
