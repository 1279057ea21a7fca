//! A server with negligible overhead: it has two canned responses and ignores the rest of the request.

use std::thread;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;

use crate::Failure;
use crate::items::Items;

const STATUS: &str = r#"{"pipeline_id":1,"pipeline_item_id":1,"is_ready":true,"document_indexed":true,"custom_questions_answered":true,"platform_entity_data_ready":true}"#;

/// Starts a server that responds to every request after `delay`, and returns its base URL.
///
/// One thread serves all connections, so that the scheduler cannot favour one client.
pub(crate) fn start(items: &Items, delay: Duration) -> Result<String, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let base_url = format!("http://{}", listener.local_addr()?);
    let items = items.clone();
    thread::spawn(move || {
        runtime.block_on(async {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, items.clone(), delay));
            }
        });
    });
    Ok(base_url)
}

/// Serves a connection until the client hangs up.
async fn serve(mut stream: TcpStream, items: Items, delay: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (requests, mut answers) = stream.split();
    let mut lines = BufReader::new(requests).lines();
    while let Some(request) = lines.next_line().await? {
        while lines.next_line().await?.is_some_and(|line| !line.is_empty()) {}
        let body = if request.contains("/status ") {
            STATUS.to_owned()
        } else {
            let number = |name, absent| parameter(&request, name).unwrap_or(absent);
            items.page(number("skip=", 0), number("limit=", 100))
        };
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: 8c5fa1a6";
        let length = body.len();
        let answer = format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}");
        answers.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

pub(crate) fn parameter(request: &str, name: &str) -> Option<usize> {
    let (_, value) = request.split_once(name)?;
    value.split(['&', ' ']).next()?.parse().ok()
}
