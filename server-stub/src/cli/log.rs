//! What the program logs, and how.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// What is logged unless `RUST_LOG` is set: requests, and anything that needs attention.
const LOGGED: &str = "warn,platform_server_stub::access=info";

/// The format of a log line.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}

/// Starts the log, which goes to standard error.
pub(crate) fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOGGED));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}
