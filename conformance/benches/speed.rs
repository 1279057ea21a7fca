//! The speed of the kit, compared with a bare HTTP client that sends the same requests, and the duration of the
//! catalogue. A benchmark never passes or fails. `docs/benchmarks.md` has the figures and their interpretation.
//!
//! ```sh
//! cargo bench -p platform-conformance
//! cargo bench -p platform-conformance -- --reduced   # one turn of each side
//! ```
//!
//! Kit and bare client take turns on one reference server in this process, with the same number of concurrent
//! requests. The ratio is computed for each turn: on a busy machine the figures drift, but the ratios hardly do. The
//! comparison leaves out the cases about quotas, which mostly wait, and those of the group `http`, whose requests an
//! HTTP client does not send.

// The results are printed.
#![allow(clippy::print_stdout)]

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method};
use axum::middleware::{Next, from_fn};
use http_body_util::BodyExt;
use mimalloc::MiMalloc;
use parking_lot::Mutex;
use platform_conformance::report::Silent;
use platform_conformance::stub::Stub;
use platform_conformance::{ApiKey, Options, Report, Role, Target, Verdict, run};
use platform_server_stub::Server;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The number of turns of each side.
const TURNS: usize = 7;
/// The argument for one turn of each side.
const REDUCED: &str = "--reduced";

/// A request as it arrived.
#[derive(Clone)]
struct Recorded {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Only `cargo bench` passes this argument, not `cargo test --benches`.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let turns = if env::args().any(|argument| argument == REDUCED) {
        1
    } else {
        TURNS
    };
    catalogue(turns).await?;
    requests(turns).await
}

/// The whole catalogue without writes, including its wait for the quota.
async fn catalogue(turns: usize) -> Result<(), Box<dyn Error>> {
    let mut seconds = Vec::new();
    let mut told = String::new();
    for _ in 0..turns {
        let stub = Stub::start().await?;
        let (report, taken) = timed(&stub.target(), &Options::default()).await?;
        stub.stop().await?;
        seconds.push(taken.as_secs_f64());
        told = format!("{} cases, {} requests", report.cases.len(), report.requests);
    }
    println!("the catalogue that only reads: {told}");
    println!("  seconds     {}", spread(&seconds));
    Ok(())
}

/// The kit and a bare client that sends the same requests.
async fn requests(turns: usize) -> Result<(), Box<dyn Error>> {
    let options = Options {
        exclude: vec!["http/*".into()],
        ..Options::default()
    };
    let requests = record(&options).await?;
    // Served as in the program, so that a connection stays open after a response that was sent before the body was
    // read.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(Server::built_in().serve(listener, std::future::pending()));
    let target = target(address)?;
    let concurrency = options.concurrency;
    let mut kit = Vec::new();
    let mut peers = [Peer::Bare, Peer::ReadsJson].map(|peer| (peer, Vec::new(), Vec::new()));
    for _ in 0..turns {
        let (report, taken) = timed(&target, &options).await?;
        let by_kit = per_second(report.requests, taken);
        kit.push(by_kit);
        for (peer, speeds, ratios) in &mut peers {
            let taken = replay(*peer, address, &requests, concurrency).await?;
            let by_peer = per_second(requests.len().try_into()?, taken);
            speeds.push(by_peer);
            ratios.push(by_peer / by_kit);
        }
    }
    println!("{} requests, {concurrency} at once", requests.len());
    println!("  {:<12}{} a second", "kit", spread(&kit));
    for (peer, speeds, ratios) in &peers {
        println!("  {:<12}{} a second", peer.name(), spread(speeds));
        println!("  {:<12}{} times the kit", "", spread(ratios));
    }
    Ok(())
}

async fn timed(target: &Target, options: &Options) -> Result<(Report, Duration), Box<dyn Error>> {
    let start = Instant::now();
    let report = run(platform_conformance::catalogue(), target, options, &mut Silent).await?;
    let taken = start.elapsed();
    let mut failed = report
        .cases
        .iter()
        .filter(|case| matches!(case.verdict, Verdict::Failed | Verdict::Errored));
    match failed.next() {
        None => Ok((report, taken)),
        Some(case) => Err(format!("a case failed on the reference server: {case:#?}").into()),
    }
}

/// The requests that the kit sends.
async fn record(options: &Options) -> Result<Arc<Vec<Recorded>>, Box<dyn Error>> {
    let recorded = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&recorded);
    let router = Server::built_in()
        .router()
        .layer(from_fn(move |request: Request, next: Next| {
            let log = Arc::clone(&log);
            async move {
                let (parts, body) = request.into_parts();
                let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
                log.lock().push(Recorded {
                    method: parts.method.clone(),
                    path: parts.uri.to_string(),
                    headers: parts.headers.clone(),
                    body: body.to_vec(),
                });
                next.run(Request::from_parts(parts, Body::from(body))).await
            }
        }));
    timed(&target(serve(router).await?)?, options).await?;
    let recorded = std::mem::take(&mut *recorded.lock());
    Ok(Arc::new(recorded))
}

/// The client that the kit is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    /// A client that reads every response to its end.
    Bare,
    /// A client that also parses JSON bodies, as any client that inspects responses must.
    ReadsJson,
}

impl Peer {
    fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare client",
            Self::ReadsJson => "reads JSON",
        }
    }
}

/// Sends the requests with the given concurrency and reads every response to its end.
async fn replay(
    peer: Peer,
    address: SocketAddr,
    requests: &Arc<Vec<Recorded>>,
    concurrency: usize,
) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    let client = reqwest::Client::builder().no_proxy().build()?;
    let next = Arc::new(Mutex::new(0..requests.len()));
    let mut workers = JoinSet::new();
    for _ in 0..concurrency {
        let (client, next, requests) = (client.clone(), Arc::clone(&next), Arc::clone(requests));
        workers.spawn(async move {
            loop {
                let position = next.lock().next();
                let Some(request) = position.and_then(|position| requests.get(position)) else {
                    return Ok(());
                };
                let Recorded {
                    method,
                    path,
                    headers,
                    body,
                } = request.clone();
                let sent = client
                    .request(method, format!("http://{address}{path}"))
                    .headers(headers)
                    .body(body)
                    .send()
                    .await?;
                let body = sent.bytes().await?;
                if peer == Peer::ReadsJson {
                    black_box(serde_json::from_slice::<Value>(&body).ok());
                }
            }
        });
    }
    let ended: Vec<Result<(), reqwest::Error>> = workers.join_all().await;
    ended.into_iter().collect::<Result<Vec<()>, _>>()?;
    Ok(start.elapsed())
}

async fn serve(router: Router) -> Result<SocketAddr, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

/// The reference server, without its key that has a quota.
fn target(address: SocketAddr) -> Result<Target, Box<dyn Error>> {
    let keys = [
        (Role::FullAccess, "dev-full-access"),
        (Role::ReadOnly, "dev-read-only"),
        (Role::NoAccess, "dev-no-access"),
    ];
    keys.into_iter()
        .try_fold(Target::new(&format!("http://{address}"))?, |target, (role, key)| {
            Ok(target.with_key(role, ApiKey::new(key, role.variable())?))
        })
}

fn per_second(requests: u64, taken: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "there are a few thousand")]
    let requests = requests as f64;
    requests / taken.as_secs_f64()
}

/// The least, the middle and the greatest of several figures.
fn spread(figures: &[f64]) -> String {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    match figures[..] {
        [least, .., most] => {
            format!("{least:.2} to {most:.2}, middle {:.2}", figures[figures.len() / 2])
        }
        [one] => format!("{one:.2}"),
        [] => String::new(),
    }
}
