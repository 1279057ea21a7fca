//! Examples to start with: one file for each task, run by the tests.
//!
//! | example | task |
//! |---|---|
//! | `quickstart` | search by meaning, list and sort a pipeline, add an organization and wait until it is ready |
//! | `export` | write all items of a pipeline to a file, and resume an interrupted export |
//! | `import` | add many organizations concurrently, each only once, and wait until they are ready |
//! | `test_an_app` | test an app offline, with the reference server without a socket and with canned responses |
//!
//! ```sh
//! cargo run --release -p platform-examples --example quickstart
//! ```
//!
//! The examples share no code, so you can copy each file as it is.

// Compiles the example in the README of the repository.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
