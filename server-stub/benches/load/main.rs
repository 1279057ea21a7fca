//! The server under load: time to start, to list and to search, latency of a status beside searches, and memory of an
//! idle connection. There is no pass or fail: `docs/benchmarks.md` has the figures and explains them.
//!
//! ```sh
//! cargo bench -p platform-server-stub
//! cargo bench -p platform-server-stub -- connections data   # these alone
//! POSTGRES_FSYNC=on .ci/postgres cargo bench -p platform-server-stub -- postgres
//! cargo bench -p platform-server-stub -- --reduced          # a tenth of the records: a minute, and 1 GB of memory
//! ```
//!
//! The data is generated here: 100,000 organizations, and one pipeline with an item. Clients and server share the
//! machine's cores, so latencies are higher than clients on other machines would see.

// Benchmarks print their results.
#![allow(clippy::print_stdout)]

mod crowd;
mod data;
mod listing;
mod postgres;
mod search;
mod start;
mod state;

use std::env;
use std::error::Error;
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use platform_server_stub::data::{Data, Dataset};
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::{Limits, Server};
use serde_json::{from_value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

const ORGANIZATIONS: i64 = 100_000;
const SEARCHING: usize = 8;
/// How long latencies are measured.
const WHILE: Duration = Duration::from_secs(5);
/// As many connections as the usual limit of open files allows: this process holds both ends of each.
const CONNECTIONS: usize = 5_000;

const STATUS: &str = "/api/v1/pipelines/1/items/1/status";
/// An item of the built-in data.
const BUILT_IN_STATUS: &str = "/api/v1/pipelines/1/items/100001/status";
const SEARCHES: [&str; 4] = [
    "/search/organizations/similar?description=keeps+fresh+fish+cold",
    "/search/organizations/similar-customers?organization_customer=breweries",
    "/search/organizations/similar?description=paper+mill&limit=100&skip=900",
    "/search/organizations/17/similar",
];

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    if env::args().any(|argument| argument == start::BARE) {
        return start::bare_server().await;
    }
    // `cargo bench` passes `--bench`; `cargo test --benches` does not.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let named: Vec<_> = env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let is_wanted = |name: &str| named.is_empty() || named.iter().any(|it| it == name);
    if is_wanted("connections") {
        idle_connections().await?;
        crowd::beside_a_crowd().await?;
    }
    if is_wanted("start") {
        start::built_in_data().await?;
    }
    if is_wanted("data") {
        data::from_lines().await?;
    }
    if is_wanted("listing") {
        listing::beside_a_bare_handler().await?;
        listing::large_pipeline().await?;
    }
    if is_wanted("state") {
        state::beside_memory().await?;
    }
    if is_wanted("postgres") {
        postgres::beside_the_others().await?;
    }
    if is_wanted("search") {
        search::large_catalogue().await?;
    }
    if is_wanted("status") {
        status_beside_searches().await?;
    }
    Ok(())
}

/// This number of records, or a tenth of it on request.
fn scaled(records: usize) -> usize {
    match env::args().any(|argument| argument == "--reduced") {
        true => records / 10,
        false => records,
    }
}

/// Measures the memory of an idle connection.
async fn idle_connections() -> Outcome<()> {
    let limits = Limits {
        connections: CONNECTIONS * 2,
        ..Limits::default()
    };
    let address = serve(Server::built_in().with_limits(limits)).await?;
    let mut clients = vec![Client::connect(address).await?];
    clients[0].get("/openapi.json").await?;
    println!("{CONNECTIONS} idle connections, memory of each, both ends in this process");
    let before = memory_kb("self", "VmRSS:")?;
    let each = |after: f64| (after - before) / CONNECTIONS as f64;
    for _ in 0..CONNECTIONS {
        match Client::connect(address).await {
            Ok(client) => clients.push(client),
            Err(error) => {
                println!("  not measured, since only {} could be opened: {error}", clients.len());
                println!("  raise the limit of open files: ulimit -n {}", CONNECTIONS * 2 + 100);
                return Ok(());
            }
        }
    }
    // The server accepts the last connection after all the others.
    let mut last = Client::connect(address).await?;
    last.get(BUILT_IN_STATUS).await?;
    println!("  fresh               {:.1} kB", each(memory_kb("self", "VmRSS:")?));
    for client in &mut clients {
        client.get(BUILT_IN_STATUS).await?;
    }
    println!("  after one request   {:.1} kB", each(memory_kb("self", "VmRSS:")?));
    tokio::time::sleep(Duration::from_secs(3)).await;
    println!("  3 s later           {:.1} kB", each(memory_kb("self", "VmRSS:")?));
    Ok(())
}

/// Measures the latency of a status, alone and beside searching clients.
async fn status_beside_searches() -> Outcome<()> {
    let server = Server::new(Platform::in_memory(Arc::new(organizations()?), Arc::new(SystemClock)));
    let address = serve(server).await?;
    println!("status of an item at {ORGANIZATIONS} organizations");
    let idle = latencies(address, STATUS).await?;
    println!("  idle                      {idle}");
    let stop = Arc::new(AtomicBool::new(false));
    let searches = Arc::new(AtomicUsize::new(0));
    let mut searching = JoinSet::new();
    let start = Instant::now();
    for number in 0..SEARCHING {
        let (stop, searches) = (Arc::clone(&stop), Arc::clone(&searches));
        searching.spawn(async move {
            let mut client = Client::connect(address).await?;
            for path in SEARCHES.iter().cycle().skip(number) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                client.get(path).await?;
                searches.fetch_add(1, Ordering::Relaxed);
            }
            Outcome::Ok(())
        });
    }
    let beside = latencies(address, STATUS).await?;
    stop.store(true, Ordering::Relaxed);
    for ended in searching.join_all().await {
        ended?;
    }
    let rate = searches.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64();
    println!("  beside {SEARCHING} searching clients {beside}");
    println!(
        "  ratio                     p50 {:.2}, p99 {:.2}",
        beside.p50 / idle.p50,
        beside.p99 / idle.p99
    );
    println!("  searches meanwhile        {rate:.1} a second");
    Ok(())
}

fn organizations() -> Outcome<Dataset> {
    let kinds = [
        "pumps",
        "linen",
        "cold stores",
        "paper",
        "beer",
        "tools",
        "maps",
        "sails",
    ];
    let places = [
        "harbours",
        "breweries",
        "schools",
        "hospitals",
        "farms",
        "mills",
        "shops",
    ];
    let organizations = (1..=ORGANIZATIONS).map(|id| {
        let number = usize::try_from(id).unwrap_or_default();
        let (kind, place) = (kinds[number % kinds.len()], places[number % places.len()]);
        from_value(json!({
            "organization_id": id,
            "name": format!("{kind} {id}"),
            "description": format!("Makes {kind} number {} for {place}.", id / 56),
            "customer_base": format!("{place} of the {}th district", id % 1000),
        }))
    });
    let data = Data {
        organizations: organizations.collect::<Result<_, _>>()?,
        pipelines: from_value(json!([{"pipeline_id": 1, "name": "one", "items": [
            {"pipeline_item_id": 1, "organization_id": 1}
        ]}]))?,
        ..Data::default()
    };
    Ok(Dataset::new(data)?)
}

async fn serve(server: Server) -> Outcome<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(server.serve(listener, std::future::pending()));
    Ok(address)
}

/// Latencies in microseconds.
struct Latencies {
    p50: f64,
    p99: f64,
    count: usize,
}

impl std::fmt::Display for Latencies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { p50, p99, count } = self;
        write!(f, "p50 {p50:.0} us, p99 {p99:.0} us ({count} requests)")
    }
}

/// Requests a status repeatedly from one client.
async fn latencies(address: SocketAddr, status: &str) -> Outcome<Latencies> {
    let mut client = Client::connect(address).await?;
    let mut taken = Vec::new();
    let start = Instant::now();
    while start.elapsed() < WHILE {
        let sent = Instant::now();
        client.get(status).await?;
        taken.push(sent.elapsed().as_secs_f64() * 1e6);
    }
    taken.sort_by(f64::total_cmp);
    let count = taken.len();
    Ok(Latencies {
        p50: taken[count / 2],
        p99: taken[count * 99 / 100],
        count,
    })
}

/// A minimal client on one connection.
struct Client(TcpStream);

impl Client {
    async fn connect(address: SocketAddr) -> Outcome<Self> {
        Ok(Self(TcpStream::connect(address).await?))
    }

    async fn send(&mut self, text: &str) -> Outcome<()> {
        Ok(self.0.write_all(text.as_bytes()).await?)
    }

    /// Sends a request and returns the body of the response.
    async fn get(&mut self, path: &str) -> Outcome<Vec<u8>> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\r\n");
        self.send(&request).await?;
        self.response().await
    }

    /// Reads a response to its end and returns its body.
    async fn response(&mut self) -> Outcome<Vec<u8>> {
        let (mut response, mut whole) = (Vec::new(), None);
        while whole.is_none_or(|whole| response.len() < whole) {
            if self.0.read_buf(&mut response).await? == 0 {
                return Err("the server closed the connection".into());
            }
            whole = whole.or_else(|| length(&response));
        }
        let head = response.windows(4).position(|four| four == b"\r\n\r\n");
        Ok(response.split_off(head.map_or(0, |place| place + 4)))
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the length of a response once its header has arrived.
fn length(response: &[u8]) -> Option<usize> {
    let end = response.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = str::from_utf8(&response[..end]).ok()?;
    let body = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    Some(head.len() + 4 + body.parse::<usize>().ok()?)
}

/// The memory of a process in kB, by Linux's name for it.
fn memory_kb(process: &str, field: &str) -> Outcome<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no such figure")?.parse()?)
}
