//! The emulator: a server for one test, and its controls.

mod admin;
mod client;
mod data;
mod faults;
mod isolation;
mod keys;
mod namespaces;
mod processes;
mod recorded_requests;
mod snapshots;
mod state;

use std::io;

use chrono::{DateTime, Utc};
use platform_server_stub::Emulator;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The pipeline that organizations are added to, with four questions.
const INBOX: &str = "/api/v1/pipelines/6/items";
const ADD: &str = "/api/v1/pipelines/6/organizations";

fn noon() -> DateTime<Utc> {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

async fn frozen() -> Emulator {
    Emulator::builder().frozen_at(noon()).start().await.unwrap()
}

#[derive(Debug)]
struct HttpResponse {
    status: u16,
    head: String,
    /// The bytes up to the end of the connection.
    text: String,
    body: Value,
}

impl HttpResponse {
    fn code(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or(""))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

/// Sends a request on its own connection.
async fn send(emulator: &Emulator, request: &str, body: &str) -> io::Result<HttpResponse> {
    send_as(emulator, &format!("{request}\r\nHost: x"), body).await
}

/// Sends a request that has its own `Host`.
async fn send_as(emulator: &Emulator, request: &str, body: &str) -> io::Result<HttpResponse> {
    let address = emulator.base_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await?;
    let length = body.len();
    let request = format!("{request}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    let text = String::from_utf8(bytes).unwrap();
    let (head, text) = text.split_once("\r\n\r\n").unwrap();
    Ok(HttpResponse {
        status: head[9..12].parse().unwrap(),
        head: head.to_owned(),
        text: text.to_owned(),
        body: serde_json::from_str(text).unwrap_or(Value::Null),
    })
}

async fn get(emulator: &Emulator, path: &str) -> HttpResponse {
    let key = emulator.api_key();
    let request = format!("GET {path} HTTP/1.1\r\nAPI-Key: {key}");
    send(emulator, &request, "").await.unwrap()
}

async fn add(emulator: &Emulator, organization: u32) -> HttpResponse {
    let key = emulator.api_key();
    let request = format!("POST {ADD} HTTP/1.1\r\nAPI-Key: {key}\r\nContent-Type: application/json");
    let body = format!(r#"{{"organization_id": {organization}}}"#);
    send(emulator, &request, &body).await.unwrap()
}

/// Number of items in the inbox.
async fn items(emulator: &Emulator) -> u64 {
    get(emulator, INBOX).await.body["total_count"].as_u64().unwrap()
}
