//! Laws that need no known data: sequences of requests that nobody wrote down, made by proptest from what the
//! contract says of every parameter, and cut down to the shortest one that still shows a fault.
//!
//! What a request deserves is foreseen from the contract alone. Nothing here knows an operation by name
//! beyond what it looks up, and no bound, pattern or code stands here a second time.

mod foresight;
mod value;
mod walk;

pub use self::foresight::{Deserved, Foreseen, Given, fits_form, foresee};
pub use self::value::{any_text, fitting, hostile_names};
pub use self::walk::{CUT_DOWN, Walked, random};
