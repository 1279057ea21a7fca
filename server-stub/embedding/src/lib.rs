//! Turns a text into a vector whose direction is the text's meaning, so that search can find records that share no word
//! with the query, and compares vectors.
//!
//! [`embed`] uses a table that is compiled in. A [`QueryEncoder`] uses the sentence model that the table is distilled
//! from, to give search texts better vectors in the same space. A [`Matrix`](matrix::Matrix) holds the vectors of many
//! records and compares them with one vector, as fast as memory can be read.
//!
//! ```
//! use platform_embedding::embed;
//!
//! let sought = embed("beer");
//! assert!(sought.distance(&embed("brewery")) < sought.distance(&embed("insurance")));
//! ```
//!
//! It is a crate of its own so that it alone can be optimized in builds for tests: without that the tests take too
//! long, and optimizing the whole server takes too long to build.

pub mod matrix;
mod phrases;
mod query;
mod rows;
mod table;
pub mod vector;
mod wordpiece;

#[cfg(test)]
mod quality;

pub use self::query::{Aspect, EncoderError, QueryEncoder};
pub use self::table::embed;
pub use self::vector::{DIMENSIONS, Vector};
