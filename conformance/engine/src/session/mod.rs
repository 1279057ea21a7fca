//! The tools of a check: it sends requests to the deployment, reads its known data, and makes assertions.

mod additions;
pub mod call;
pub mod collection;
pub mod discover;
pub mod expect;
pub mod listing;
pub mod observed;
pub mod preflight;
pub mod presence;
pub mod probe;
pub mod search_form;
mod shared;
pub mod snapshot;
mod taken;
mod talk;
pub mod texts;
pub mod up;
mod whole;

pub use self::call::Call;
pub use self::expect::Expect;
pub use self::listing::SMALL_PAGES;
pub use self::probe::Probe;
pub(crate) use self::shared::Shared;
