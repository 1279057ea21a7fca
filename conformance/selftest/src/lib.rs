//! The self-test of the kit: deployments with planted faults, all of which it has to detect, and deployments that
//! differ only in what the contract leaves open, none of which may fail.
//!
//! A [`Fault`] and a [`Variant`] are small changes to requests and responses around the reference server's router.
//! None is inside the server: the kit sees a fault from outside, as in any deployment.
//!
//! ```
//! # mod platform_conformance { pub use platform_conformance_selftest as selftest; }
//! use platform_conformance::selftest::{Plan, judge};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plan = Plan { faults: vec!["limit/default-is-50".into()], variants: Vec::new(), ..Plan::default() };
//! let judgement = judge(&plan, |_| ()).await?;
//! assert_eq!(judgement.killed(), 1);
//! # Ok(())
//! # }
//! ```

mod deployment;
mod exchange;
mod fault;
pub mod faults;
mod foreign;
mod judge;
mod judgement;
pub mod matrix;
mod part;
mod plan;
mod relay;
mod serve;
pub mod stub;
pub mod terminal;
pub mod variants;
mod witness;

pub use self::exchange::{Answered, Asked, Plant};
pub use self::fault::{Family, Fault};
pub use self::judge::{JudgeError, Progress, judge, judge_together};
pub use self::judgement::{Alarm, Judgement, OnFault, OnVariant};
pub use self::plan::Plan;
pub use self::serve::{serve_fault, serve_variant};
pub use self::variants::Variant;
pub use self::witness::Witness;
