//! The tests of the contract itself, in one binary.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod decisions;
mod document;
mod errors;
mod openapi;
