//! Examples to start with: one file for each task, run by the tests. `README.md` is a tour of them with their
//! output.
//!
//! | example | task |
//! |---|---|
//! | `quickstart` | search by meaning, list a pipeline, add an organization and wait until it is ready |
//! | `lookalikes` | from one customer to a filtered short-list of similar organizations |
//! | `product_scout` | find products for a need, compare prices, find alternatives |
//! | `ideal_customers` | find who already serves the customers you want, and with which products |
//! | `sorted_board` | show a pipeline as a board, sorted by the answers to a question |
//! | `bulk_add` | add the organizations of a CSV file, each once, and report on every row |
//! | `await_answers` | watch the questions of new items being answered, live |
//! | `export_pipeline` | write all items of a pipeline to CSV, resume, and fetch only what is new |
//! | `crm_health` | chart the CRM sync of a pipeline and list what failed |
//! | `handle_errors` | provoke every error and show what to do about it |
//! | `test_an_app` | test an app offline, on the reference server and with canned responses |
//!
//! ```sh
//! cargo run --release -p platform-examples --example quickstart
//! ```
//!
//! The library holds what all of them begin with, a [`Platform`] to talk to and the [`Pipeline`]s that it has, and what
//! has little to do with the platform: text for a screen, and a CSV file that grows. An example is code to copy.

mod csv_file;
mod pipeline;
mod platform;
mod screen;

use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

pub use self::csv_file::{Bookmark, CsvFile, write_organizations};
pub use self::pipeline::{Pipeline, name_of};
pub use self::platform::{Platform, crowded_server};
pub use self::screen::{bar, chart, count, fit, progress, wrap};

/// Result of an example or of one of its steps.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Ends an example: prints an error with its causes, one on each line, and returns the exit code.
pub fn finish(outcome: Outcome) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    if is_broken_pipe(&*error) {
        // The reader, such as `head`, has seen enough.
        return ExitCode::SUCCESS;
    }
    let mut message = format!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        message += &format!("\n  caused by: {cause}");
        source = cause.source();
    }
    // If standard error cannot be written, the message has nowhere to go.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::FAILURE
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

// Compiles the example in the README of the repository.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
