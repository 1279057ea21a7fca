//! The integration tests of the SDK, in one binary.

mod generate;
mod generated;
