//! The examples do what they say, on the reference server and with no network.

#![allow(clippy::expect_used, clippy::unwrap_used)]

// Its `main` is not called: what it does is.
#[allow(dead_code)]
#[path = "../../quickstart.rs"]
mod quickstart;

mod quickstart_runs;
