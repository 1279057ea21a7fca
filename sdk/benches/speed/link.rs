//! Walking a pipeline over a slow link, with compressed and uncompressed responses.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use platform_sdk::{Client, ClientBuilder};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

use crate::Failure;
use crate::call::KEY;
use crate::canned::parameter;
use crate::items::Items;

/// The bandwidth of the link, shared by all connections.
const BITS_PER_SECOND: u32 = 50_000_000;

/// The number of items to walk, and of items per page.
const WALKED: usize = 10_000;
const PAGE: usize = 1000;

/// The number of bytes sent at once.
const PIECE: usize = 16 * 1024;

/// Walks the pipeline both ways, and prints the times.
pub(crate) fn measure(items: &Items) -> Result<(), Failure> {
    let base_url = start(items)?;
    let builder = || Client::builder().base_url(&base_url).api_key(KEY);
    let plain = || reqwest::Client::builder().no_gzip().no_zstd().no_proxy();
    let (compressed, plain) = (walk(builder())?, walk(builder().http_client(plain))?);
    println!("| {WALKED} items at 50 Mbit/s | compressed | plain | plain / compressed |");
    println!("|---|---:|---:|---:|");
    let ratio = plain.div_duration_f64(compressed);
    println!("| walk | {compressed:.2?} | {plain:.2?} | {ratio:.1} |");
    Ok(())
}

fn walk(client: ClientBuilder) -> Result<Duration, Failure> {
    let walk = client
        .build()?
        .list_items()
        .pipeline_id(1)
        .limit(i32::try_from(WALKED)?)
        .walk();
    let began = Instant::now();
    let items = Runtime::new()?.block_on(walk.collect())?;
    match items.len() {
        WALKED => Ok(began.elapsed()),
        other => Err(format!("{other} items came").into()),
    }
}

/// Starts a server behind the link. The time includes the compression of each page.
fn start(items: &Items) -> Result<String, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let base_url = format!("http://{}", listener.local_addr()?);
    let (items, link) = (items.clone(), Arc::new(Link(Mutex::new(Instant::now()))));
    thread::spawn(move || {
        runtime.block_on(async {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, items.clone(), Arc::clone(&link)));
            }
        });
    });
    Ok(base_url)
}

struct Link(Mutex<Instant>);

impl Link {
    /// Returns when the link has transferred this many more bytes.
    fn taken(&self, bytes: usize) -> Instant {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bits = u32::try_from(bytes * 8).unwrap_or(u32::MAX);
        *free = (*free).max(Instant::now()) + Duration::from_secs(1) * bits / BITS_PER_SECOND;
        *free
    }
}

async fn serve(mut stream: TcpStream, items: Items, link: Arc<Link>) -> std::io::Result<()> {
    let (requests, mut answers) = stream.split();
    let mut lines = BufReader::new(requests).lines();
    while let Some(request) = lines.next_line().await? {
        let mut takes_gzip = false;
        while let Some(line) = lines.next_line().await?.filter(|line| !line.is_empty()) {
            let line = line.to_ascii_lowercase();
            takes_gzip |= line.starts_with("accept-encoding:") && line.contains("gzip");
        }
        let number = |name, absent| parameter(&request, name).unwrap_or(absent);
        let mut body = items.page(number("skip=", 0), number("limit=", PAGE)).into_bytes();
        let mut head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n".to_owned();
        if takes_gzip {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&body)?;
            body = encoder.finish()?;
            head.push_str("Content-Encoding: gzip\r\n");
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        answers.write_all(head.as_bytes()).await?;
        for piece in body.chunks(PIECE) {
            tokio::time::sleep_until(link.taken(piece.len()).into()).await;
            answers.write_all(piece).await?;
        }
    }
    Ok(())
}
