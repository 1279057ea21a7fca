//! The engine of the conformance kit: runs a list of [`Case`]s against a [`Target`] over raw HTTP, sends [`Event`]s to
//! a [`Reporter`], and returns a [`Report`].
//!
//! It has no cases, planted faults or server: cases are arguments of [`run()`]. Limits, codes and schemas come from
//! the contract in [`Options`]. It only reads unless it is allowed to write, and never sends more than it announced.
//!
//! The modules, in order; each imports only those before it: `secret`, `redact`, [`target`], [`transport`], `resting`,
//! `rules`, [`session`], [`case`](mod@case), [`property`], [`report`], [`run`](mod@run), `harness`.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod case;
mod cause;
pub mod chapter;
pub mod clock;
mod difference;
pub mod exit_code;
pub mod finding;
#[cfg(feature = "harness")]
pub mod harness;
mod mojibake;
pub mod pattern;
pub mod property;
pub mod redact;
pub mod report;
mod resting;
pub mod rules;
pub mod run;
pub mod secret;
pub mod session;
pub mod target;
pub mod transport;
mod variants;
pub mod verdict;

pub use self::case::{
    Binding, Case, Citation, CitationError, Clause, Exchange, Expectation, Need, QueryFault, Rejection, RequestTemplate,
};
pub use self::chapter::Chapter;
pub use self::finding::{Finding, Findings, Steadiness};
pub use self::pattern::Pattern;
pub use self::report::{
    CaseReport, Estimate, Event, PlannedAdds, PlannedRequests, PlannedSkip, Report, Reporter, Requirement,
    RequirementReport, Rule, RuleSummary, RunPlan, Shortage, Summary,
};
pub use self::run::known_failures::{KnownFailures, KnownFailuresError};
pub use self::run::options::{MAX_BODY_BYTES, Options, RunError};
pub use self::run::plan::plan;
pub use self::run::run;
pub use self::session::collection::Collection;
pub use self::session::observed::{Known, KnownPipeline, Listing};
pub use self::session::{Call, Expect, Probe};
pub use self::target::command::{KeyCommand, KeyCommandError};
pub use self::target::connection::ConnectionError;
pub use self::target::key::{API_KEY_VARIABLE, ApiKey, InvalidApiKey, KeyFromCommandError};
pub use self::target::search_names::{SearchNames, UnknownSearchName};
pub use self::target::{PipelineRole, Role, SomePipelines, Target, TargetError};
pub use self::transport::attempt::{Attempt, RECORDED_BODY, RecordedBody, RecordedResponse, Recorder};
pub use self::transport::rate::{InvalidRate, Rate};
pub use self::transport::raw::{Conversation, End, Message, Talk};
pub use self::transport::request::{Body, Request};
pub use self::transport::response::HttpResponse;
pub use self::verdict::{Level, Outcome, Stop, Verdict};
