//! The reference server as a program.

mod cli;
mod signals;

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use platform_server_stub::control::Control;
use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::embedding::QueryEncoder;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::{Clock, SystemClock, VirtualClock};
use platform_server_stub::{Cors, Server};
use tokio::net::TcpListener;

use self::cli::admin::AdminArguments;
use self::cli::check_health;
use self::cli::limits::LimitArguments;
use self::cli::log::{self, LogFormat};
use self::cli::quota::Quota;
use self::cli::store::StoreArguments;
use self::cli::tls::TlsArguments;
use self::signals::Signals;

/// Serve organization and product search and pipeline items on this machine, as openapi.yaml specifies.
///
/// Keys of the built-in data: dev-full-access, dev-read-only, dev-no-access, dev-rate-limited, dev-one-pipeline,
/// dev-create-only, dev-writable-only, dev-organizations-only, dev-some-pipelines. Each request is logged as a line on
/// standard error. RUST_LOG sets the level: RUST_LOG=warn omits requests.
///
/// Every option that changes a setting can also be set in the environment.
///
/// Ctrl-C or SIGTERM stops the server: it closes idle connections, and requests in flight have until the drain deadline
/// to finish. A second signal stops it at once.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES)]
struct Arguments {
    /// Address to listen on, as HOST:PORT, :PORT or PORT. Without HOST, only this machine can connect. Port 0 picks a
    /// free one.
    #[arg(
        long,
        env = "PLATFORM_STUB_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080"
    )]
    listen: String,

    /// Serve this data instead of the built-in data. A file named *.jsonl has a record on each line and is read as a
    /// stream; *.jsonl.zst is the same, compressed.
    #[arg(long, env = "PLATFORM_STUB_DATA", value_name = "FILE")]
    data: Option<PathBuf>,

    /// Serve a generated data set with this many organizations, the same on each machine.
    #[arg(
        long,
        env = "PLATFORM_STUB_GENERATE",
        value_name = "COUNT",
        conflicts_with = "data",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    generate: Option<u32>,

    /// Write all data, vectors and current items to FILE (*.jsonl or *.jsonl.zst) for --data, then exit. API keys are
    /// left out.
    #[arg(long, env = "PLATFORM_STUB_WRITE_DATA", value_name = "FILE")]
    write_data: Option<PathBuf>,

    /// Keep items and their work in this directory, which is created if it does not exist. Without it they are lost
    /// when the server stops.
    #[arg(long, env = "PLATFORM_STUB_STATE", value_name = "DIRECTORY")]
    state: Option<PathBuf>,

    /// Encode search texts with the transformer in this directory, all-MiniLM-L6-v2 with head.safetensors, instead of
    /// the built-in table. Records keep their vectors.
    #[arg(long, env = "PLATFORM_STUB_QUERY_ENCODER", value_name = "DIRECTORY")]
    query_encoder: Option<PathBuf>,

    /// Quota of every key without its own quota: requests per window of seconds, such as 100/60.
    #[arg(long, env = "PLATFORM_STUB_RATE_LIMIT", value_name = "REQUESTS/SECONDS")]
    rate_limit: Option<Quota>,

    /// Allow web pages of these origins to use the server from a browser; * for all.
    #[arg(long, env = "PLATFORM_STUB_CORS", value_name = "ORIGIN,…|*")]
    cors: Option<Cors>,

    /// Format of the log.
    #[arg(long, value_name = "FORMAT", default_value = "text", env = "PLATFORM_STUB_LOG")]
    log: LogFormat,

    /// Print the JSON Schema of a data file and exit.
    #[arg(long)]
    data_schema: bool,

    /// Check whether the server that listens at --listen is ready, and exit with 0 if it is; for the health check of a
    /// container.
    #[arg(long)]
    check_health: bool,

    #[command(flatten)]
    admin: AdminArguments,

    #[command(flatten)]
    store: StoreArguments,

    #[command(flatten)]
    tls: TlsArguments,

    #[command(flatten)]
    limits: LimitArguments,
}

const STORE_WITHOUT_ADMIN: &str = "--admin controls the time and the items of one server, but servers with the same \
     --store share theirs; leave out one of the two, or keep the state of one server with --state";

const EXIT_CODES: &str = "\
Exit codes:
  0          stopped by Ctrl-C or SIGTERM, or --check-health found a ready server
  1          could not start or continue, or --check-health found no ready server
  2          invalid arguments
  130, 143   stopped at once by a second Ctrl-C or SIGTERM";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log::start(arguments.log);
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "platform-server-stub: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    let outcome = runtime.block_on(run(arguments));
    // A search that nobody waits for any more does not delay the exit.
    runtime.shutdown_background();
    outcome
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    if arguments.data_schema {
        let schema = serde_json::to_string_pretty(&Data::json_schema())?;
        return Ok(writeln!(std::io::stdout(), "{schema}")?);
    }
    if arguments.check_health {
        let address = with_host(&arguments.listen);
        return Ok(check_health::check(&address, arguments.tls.is_on()).await?);
    }
    let dataset = match (&arguments.data, arguments.generate) {
        (Some(path), _) => Arc::new(Dataset::read(path)?),
        (None, Some(organizations)) => Arc::new(Dataset::generated(organizations)),
        (None, None) => Dataset::built_in(),
    };
    let admin = arguments.admin.access()?;
    let store = arguments.store.settings()?;
    if store.is_some() && admin.is_some() {
        return Err(STORE_WITHOUT_ADMIN.into());
    }
    let virtual_clock = admin.map(|_| VirtualClock::running());
    let clock: Arc<dyn Clock> = match &virtual_clock {
        Some(clock) => Arc::new(clock.clone()),
        None => Arc::new(SystemClock),
    };
    let data = Arc::clone(&dataset);
    let mut platform = match (&arguments.state, store) {
        (Some(directory), _) => Platform::with_state(data, clock, directory)?,
        (None, Some(settings)) => Platform::with_postgres(data, clock, &settings).await?,
        (None, None) => Platform::in_memory(data, clock),
    };
    if let Some(path) = &arguments.write_data {
        return Ok(dataset.write_with(platform.export().await?, path)?);
    }
    if let Some(directory) = &arguments.query_encoder {
        platform = platform.with_query_encoder(QueryEncoder::open(directory)?);
    }
    let mut server = match (admin, virtual_clock) {
        (Some(access), Some(clock)) => {
            // Only a reset needs the data later.
            let control = Control::of(platform, dataset, clock);
            Server::controlled(&control).with_admin(access)
        }
        _ => {
            // The platform has kept the parts that it needs.
            drop(dataset);
            Server::new(platform)
        }
    };
    if let Some(Quota(rate_limit)) = arguments.rate_limit {
        server = server.with_rate_limit(rate_limit);
    }
    if let Some(cors) = arguments.cors {
        server = server.with_cors(cors);
    }
    server = server.with_limits(arguments.limits.into());
    arguments.tls.check()?;
    // From here on a signal ends the server, not the process.
    let signals = Signals::new()?;
    let address = with_host(&arguments.listen);
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let address = listener.local_addr()?;
    if let Err(error) = server.check_address(address) {
        return Err(format!("{error} with --admin-public").into());
    }
    let greeting = match arguments.tls.load(address.ip())? {
        None => format!("listening on http://{address}\n"),
        Some(tls) => {
            let how_to_trust = arguments.tls.publish(&tls, address.port())?;
            server = server.with_tls(tls);
            format!("listening on https://{address}\n{how_to_trust}")
        }
    };
    // In one write: a reader of the first line may close the pipe after it.
    std::io::stdout().write_all(greeting.as_bytes())?;
    std::io::stdout().flush()?;
    Ok(server.serve(listener, signals.stop()).await?)
}

/// Completes an address with a host: `8080` and `:8080` are port 8080 of this machine.
fn with_host(address: &str) -> String {
    let port = address.strip_prefix(':').unwrap_or(address);
    match port.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => address.to_owned(),
    }
}
