//! The reference server as a program.

use std::error::Error;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use clap::Parser;
use platform_server_stub::Server;
use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::model::Platform;
use platform_server_stub::model::clock::SystemClock;
use platform_server_stub::model::policy::RateLimit;
use tokio::net::TcpListener;
use tracing_subscriber::EnvFilter;

/// Serves organization and product search and pipeline items on this machine, as openapi.yaml says.
///
/// Keys of the built-in data: dev-full-access, dev-read-only, dev-no-access, dev-rate-limited.
/// Logs go to standard error; RUST_LOG sets how much (for example RUST_LOG=info).
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,

    /// Serves this data in place of the built-in data.
    #[arg(long, value_name = "FILE.json")]
    data: Option<PathBuf>,

    /// Quota of every key that has none of its own, such as 100/60: requests, and the seconds of the window.
    #[arg(long, value_name = "REQUESTS/SECONDS")]
    rate_limit: Option<Quota>,

    /// Prints the JSON Schema of a data file and exits.
    #[arg(long)]
    data_schema: bool,
}

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

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    match run(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "platform-server-stub: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    if arguments.data_schema {
        let schema = serde_json::to_string_pretty(&Data::json_schema())?;
        return Ok(writeln!(std::io::stdout(), "{schema}")?);
    }
    let dataset = match &arguments.data {
        Some(path) => Arc::new(load(path)?),
        None => Dataset::built_in(),
    };
    let mut server = Server::new(Platform::in_memory(dataset, Arc::new(SystemClock)));
    if let Some(Quota(rate_limit)) = arguments.rate_limit {
        server = server.with_rate_limit(rate_limit);
    }
    let listener = TcpListener::bind(arguments.listen)
        .await
        .map_err(|error| format!("cannot listen on {}: {error}", arguments.listen))?;
    writeln!(
        std::io::stdout(),
        "listening on http://{}",
        listener.local_addr()?
    )?;
    std::io::stdout().flush()?;
    Ok(server.serve(listener, stop_signal()).await?)
}

fn load(path: &Path) -> Result<Dataset, String> {
    let place = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read {place}: {error}"))?;
    Dataset::from_json(&text).map_err(|error| format!("{place} cannot be used:\n{error}"))
}

/// Completes on Ctrl-C, and on the signal that service managers send.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
