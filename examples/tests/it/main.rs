//! The examples do what they say, on the reference server and with no network.

#![allow(clippy::expect_used, clippy::unwrap_used)]

// The `main` of none is called: what it does is.
#[allow(dead_code)]
#[path = "../../export.rs"]
mod export;
#[allow(dead_code)]
#[path = "../../quickstart.rs"]
mod quickstart;

mod export_goes_on;
mod quickstart_runs;
