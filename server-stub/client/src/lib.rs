#![doc = include_str!("../README.md")]

mod client;
mod clock;
mod data;
mod error;
mod faults;
mod keys;
mod namespaces;
mod operation;
mod processes;
mod rate_limits;
mod requests;
mod state;

pub use self::client::EmulatorClient;
pub use self::clock::Clock;
pub use self::data::Removal;
pub use self::error::Error;
pub use self::faults::{ActiveFault, Connection, Delay, Fault, FaultId};
pub use self::keys::{Action, Effect, Explanation, Key, NewKey, Policy, Resource};
pub use self::operation::Operation;
pub use self::processes::{Answer, EndStatus, PlannedOutcome, Sync};
pub use self::rate_limits::{RateLimit, RateLimits, UsedRateLimit};
pub use self::requests::{RecordedRequest, RecordedResponse, RequestFilter};
pub use self::state::Snapshot;
