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
//! cargo run -p platform-examples --example quickstart
//! ```
//!
//! The library holds what all of them begin with, a [`Platform`] to talk to and the [`Pipeline`]s that it has, and what
//! has little to do with the platform: arguments, text for a screen, and CSV files. An example is code to copy.

mod csv_file;
mod mocked;
mod pipeline;
mod platform;
mod rows;
mod screen;

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

pub use self::csv_file::{Bookmark, CsvFile, write_organizations};
pub use self::mocked::mocked_errors;
pub use self::pipeline::{Pipeline, name_of};
pub use self::platform::{Platform, crowded_server};
pub use self::rows::Rows;
pub use self::screen::{bar, chart, count, counted, fit, progress, visible, wide, wrap};

/// Result of an example or of one of its steps.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Returns the arguments of the program. `usage` names the example and its arguments: `export_pipeline items.csv`.
///
/// # Errors
/// An argument is an option, or there are more than `N`. `finish` prints the usage for `--help`.
pub fn arguments<const N: usize>(usage: &'static str) -> Outcome<[Option<String>; N]> {
    parse(std::env::args().skip(1), usage)
}

fn parse<const N: usize>(given: impl Iterator<Item = String>, usage: &'static str) -> Outcome<[Option<String>; N]> {
    let mut arguments = [const { None }; N];
    let mut places = arguments.iter_mut();
    for argument in given {
        if ["-h", "--help"].contains(&&*argument) {
            return Err(Usage(usage).into());
        }
        if argument.starts_with('-') {
            return Err(format!("unknown option `{argument}`; {}", Usage(usage)).into());
        }
        match places.next() {
            Some(place) => *place = Some(argument),
            None => return Err(format!("unexpected argument `{argument}`; {}", Usage(usage)).into()),
        }
    }
    Ok(arguments)
}

/// The usage of an example, for `--help`.
#[derive(Debug)]
struct Usage(&'static str);

impl fmt::Display for Usage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "usage: {}", self.0)
    }
}

impl Error for Usage {}

/// Ends an example: prints an error and its innermost cause, and returns the exit code.
pub fn finish(outcome: Outcome) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    if is_broken_pipe(&*error) {
        // The reader, such as `head`, has seen enough.
        return ExitCode::SUCCESS;
    }
    if let Some(usage) = error.downcast_ref::<Usage>() {
        // If standard output cannot be written, the usage has nowhere to go.
        let _ = writeln!(io::stdout(), "{usage}");
        return ExitCode::SUCCESS;
    }
    // If standard error cannot be written, the message has nowhere to go.
    let _ = writeln!(io::stderr(), "{}", describe(&*error));
    ExitCode::FAILURE
}

/// Returns an error as a sentence, and its innermost cause on a second line. The causes in between name layers of the
/// software, which do not help a person.
fn describe(error: &(dyn Error + 'static)) -> String {
    let message = format!("error: {}", visible(&error.to_string()));
    let Some(mut cause) = error.source() else {
        return message;
    };
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    format!("{message}\n  caused by: {}", visible(&cause.to_string()))
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

// Compiles the example in the README of the repository.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{describe, parse};

    const USAGE: &str = "export_pipeline items.csv [count]";

    fn parsed(given: &[&str]) -> Result<[Option<String>; 2], String> {
        let parsed = parse(given.iter().map(|it| (*it).to_owned()), USAGE);
        parsed.map_err(|error| error.to_string())
    }

    #[test]
    fn missing_arguments_are_none() {
        assert_eq!(parsed(&[]).unwrap(), [None, None]);
        assert_eq!(parsed(&["items.csv"]).unwrap(), [Some("items.csv".to_owned()), None]);
    }

    #[test]
    fn option_and_additional_argument_are_rejected_with_the_usage() {
        let usage = "usage: export_pipeline items.csv [count]";
        assert_eq!(parsed(&["--help"]).unwrap_err(), usage);
        for (given, message) in [
            (vec!["--resume"], "unknown option `--resume`"),
            (vec!["a", "b", "c"], "unexpected argument `c`"),
        ] {
            assert_eq!(parsed(&given).unwrap_err(), format!("{message}; {usage}"));
        }
    }

    #[test]
    fn innermost_cause_is_shown_and_controls_nothing() {
        #[derive(Debug)]
        struct Layer(&'static str, Option<Box<Layer>>);
        impl std::fmt::Display for Layer {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.0)
            }
        }
        impl std::error::Error for Layer {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                self.1.as_deref().map(|cause| cause as _)
            }
        }
        let layer = |text, cause| Layer(text, Some(Box::new(cause)));
        let error = layer("no connection", layer("client error", Layer("refused\u{1b}[2J", None)));
        assert_eq!(describe(&error), "error: no connection\n  caused by: refused [2J");
        assert_eq!(describe(&Layer("no rows", None)), "error: no rows");
    }
}
