//! The examples do what they document, on the reference server and without a network.

#![allow(clippy::expect_used, clippy::unwrap_used)]

// The tests do not call `main` of the examples, but the functions that it calls.
#[allow(dead_code)]
#[path = "../../export.rs"]
mod export;
#[allow(dead_code)]
#[path = "../../import.rs"]
mod import;
#[allow(dead_code)]
#[path = "../../quickstart.rs"]
mod quickstart;
#[allow(dead_code)]
#[path = "../../test_an_app.rs"]
mod test_an_app;

mod app_is_tested;
mod ends_in_words;
mod export_goes_on;
mod guides;
mod import_adds_once;
mod quickstart_runs;
