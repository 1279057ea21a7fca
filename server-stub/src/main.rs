//! The reference server as a program.

mod signals;

use std::error::Error;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use clap::Parser;
use humantime::Duration;
use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::model::policy::RateLimit;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::{Limits, Server};
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

use self::signals::Signals;

/// Serves organization and product search and pipeline items on this machine, as openapi.yaml says.
///
/// Keys of the built-in data: dev-full-access, dev-read-only, dev-no-access, dev-rate-limited,
/// dev-one-pipeline.
/// Each request is a line of the log, which goes to standard error. RUST_LOG sets how much is logged: RUST_LOG=warn
/// leaves requests out.
///
/// Every option can be set by the environment too.
///
/// Ctrl-C or SIGTERM stops the server: idle connections are closed, and requests in flight get until the
/// drain deadline to finish. A second one stops it at once.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES)]
struct Arguments {
    /// Address to listen on, as HOST:PORT, :PORT or PORT; without HOST, this machine alone. Port 0 takes a free one.
    #[arg(
        long,
        env = "PLATFORM_STUB_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080"
    )]
    listen: String,

    /// Serves this data instead of the built-in data. A file with the name *.jsonl has a record on each line and is
    /// read as a stream; *.jsonl.zst is the same, compressed.
    #[arg(long, env = "PLATFORM_STUB_DATA", value_name = "FILE")]
    data: Option<PathBuf>,

    /// Serves a generated world of this many organizations instead, the same on each machine.
    #[arg(
        long,
        env = "PLATFORM_STUB_GENERATE",
        value_name = "COUNT",
        conflicts_with = "data",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    generate: Option<u32>,

    /// Writes the data with its vectors, and the items that --state has now, to a file *.jsonl or *.jsonl.zst, which
    /// --data reads, and exits. API keys are left out.
    #[arg(long, env = "PLATFORM_STUB_WRITE_DATA", value_name = "FILE")]
    write_data: Option<PathBuf>,

    /// Keeps items and their work in this directory, which is made if it does not exist; without it they are gone when
    /// the server stops.
    #[arg(long, env = "PLATFORM_STUB_STATE", value_name = "DIRECTORY")]
    state: Option<PathBuf>,

    /// Quota of every key that has none of its own, such as 100/60: requests, and the seconds of the window.
    #[arg(
        long,
        env = "PLATFORM_STUB_RATE_LIMIT",
        value_name = "REQUESTS/SECONDS"
    )]
    rate_limit: Option<Quota>,

    /// Form of the log.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "text",
        env = "PLATFORM_STUB_LOG"
    )]
    log: LogForm,

    /// Prints the JSON Schema of a data file and exits.
    #[arg(long)]
    data_schema: bool,

    #[command(flatten)]
    limits: LimitArguments,
}

/// Limits on connections. A duration is written as in 500ms, 5s or 2min.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits on connections (durations such as 500ms, 5s, 2min)")]
struct LimitArguments {
    /// Time that requests in flight get to finish after Ctrl-C or SIGTERM.
    #[arg(long, env = "PLATFORM_STUB_DRAIN", value_name = "DURATION", default_value_t = Limits::default().drain.into())]
    drain: Duration,

    /// Time from the first byte of a request to the end of its header.
    #[arg(long, env = "PLATFORM_STUB_HEADER_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().header_timeout.into())]
    header_timeout: Duration,

    /// Time for the whole body of a request.
    #[arg(long, env = "PLATFORM_STUB_BODY_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().body_timeout.into())]
    body_timeout: Duration,

    /// Time that a connection may stay open without a request.
    #[arg(long, env = "PLATFORM_STUB_IDLE_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().idle_timeout.into())]
    idle_timeout: Duration,

    /// Time without progress while a response is sent.
    #[arg(long, env = "PLATFORM_STUB_WRITE_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().write_timeout.into())]
    write_timeout: Duration,

    /// Connections served at once; further clients wait.
    #[arg(long, env = "PLATFORM_STUB_MAX_CONNECTIONS", value_name = "COUNT", default_value_t = Limits::default().connections)]
    max_connections: usize,
}

impl From<LimitArguments> for Limits {
    fn from(arguments: LimitArguments) -> Self {
        Self {
            drain: arguments.drain.into(),
            header_timeout: arguments.header_timeout.into(),
            body_timeout: arguments.body_timeout.into(),
            idle_timeout: arguments.idle_timeout.into(),
            write_timeout: arguments.write_timeout.into(),
            connections: arguments.max_connections,
        }
    }
}

/// What is logged unless `RUST_LOG` says otherwise: requests, and what somebody should look at.
const LOGGED: &str = "warn,platform_server_stub::access=info";

/// How a line of the log is written.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum LogForm {
    /// For people.
    Text,
    /// For programs: one JSON object a line.
    Json,
}

const EXIT_CODES: &str = "\
Exit codes:
  0          stopped by Ctrl-C or SIGTERM
  1          could not start or could not go on
  2          the arguments are wrong
  130, 143   stopped at once by a second Ctrl-C or SIGTERM";

#[derive(Debug, Clone, Copy)]
struct Quota(RateLimit);

impl FromStr for Quota {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text
            .split_once('/')
            .and_then(|(requests, seconds)| Some((requests.parse().ok()?, seconds.parse().ok()?)));
        match numbers {
            Some((requests @ 1.., window_seconds @ 1..)) => Ok(Self(RateLimit {
                requests,
                window_seconds,
            })),
            _ => Err("takes two whole numbers from 1 on, such as 100/60"),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_log(arguments.log);
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "platform-server-stub: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start_log(form: LogForm) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOGGED));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match form {
        LogForm::Text => log.init(),
        LogForm::Json => log.json().flatten_event(true).init(),
    }
}

fn serve(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let outcome = runtime.block_on(run(arguments));
    // A search that nobody waits for any more does not hold the program up.
    runtime.shutdown_background();
    outcome
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    if arguments.data_schema {
        let schema = serde_json::to_string_pretty(&Data::json_schema())?;
        return Ok(writeln!(std::io::stdout(), "{schema}")?);
    }
    let dataset = match (&arguments.data, arguments.generate) {
        (Some(path), _) => Arc::new(Dataset::read(path)?),
        (None, Some(organizations)) => Arc::new(Dataset::generated(organizations)),
        (None, None) => Dataset::built_in(),
    };
    let (data, clock) = (Arc::clone(&dataset), Arc::new(SystemClock));
    let platform = match &arguments.state {
        Some(directory) => Platform::with_state(data, clock, directory)?,
        None => Platform::in_memory(data, clock),
    };
    if let Some(path) = &arguments.write_data {
        return Ok(dataset.write_with(platform.export().await?, path)?);
    }
    // The platform has kept what it needs of it.
    drop(dataset);
    let mut server = Server::new(platform);
    if let Some(Quota(rate_limit)) = arguments.rate_limit {
        server = server.with_rate_limit(rate_limit);
    }
    server = server.with_limits(arguments.limits.into());
    // From here on a signal ends the server, not the process.
    let signals = Signals::new()?;
    let address = with_host(&arguments.listen);
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    writeln!(
        std::io::stdout(),
        "listening on http://{}",
        listener.local_addr()?
    )?;
    std::io::stdout().flush()?;
    Ok(server.serve(listener, signals.stop()).await?)
}

/// An address with its host: `8080` and `:8080` are port 8080 of this machine.
fn with_host(address: &str) -> String {
    let port = address.strip_prefix(':').unwrap_or(address);
    match port.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => address.to_owned(),
    }
}
