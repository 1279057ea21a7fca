//! A scripted in-process service, on a clock that skips waits.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes};
use axum::http::{Request, Response};
use futures::StreamExt;
use platform_sdk::{Client, ClientBuilder, reqwest};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::canned::KEY;

/// One step of a script.
#[derive(Clone)]
pub(crate) enum Step {
    Answer(u16, Vec<(&'static str, String)>, String),
    /// No response arrives.
    Stall,
    /// The connection is reset before a response.
    Reset,
    /// The connection is reset in the middle of a successful response.
    BreakOff,
}

impl Step {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Answer(status, Vec::new(), body.to_string())
    }

    /// An error response with this status and no body.
    pub(crate) fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), String::new())
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Self::Answer(_, headers, _) = &mut self {
            headers.push((name, value.to_owned()));
        }
        self
    }

    pub(crate) async fn play(self) -> io::Result<Response<Body>> {
        let lost = || io::Error::from(io::ErrorKind::ConnectionReset);
        match self {
            Self::Answer(status, headers, body) => {
                let mut answer = Response::builder().status(status);
                for (name, value) in headers {
                    answer = answer.header(name, value);
                }
                Ok(answer.body(body.into()).unwrap())
            }
            Self::Stall => std::future::pending().await,
            Self::Reset => Err(lost()),
            Self::BreakOff => {
                let pieces = [Ok(Bytes::from("{\"pipeline")), Err(lost())];
                let body = Body::from_stream(futures::stream::iter(pieces).fuse());
                Ok(Response::new(body))
            }
        }
    }
}

/// Plays its steps in order, and repeats the last one.
#[derive(Clone)]
pub(crate) struct Script {
    steps: Arc<Mutex<VecDeque<Step>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A request and when it arrived.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) at: Instant,
    pub(crate) request: Arc<axum::http::request::Parts>,
}

impl Script {
    pub(crate) fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: Arc::new(Mutex::new(steps.into_iter().collect())),
            seen: Arc::default(),
        }
    }

    /// Returns a client that uses this script instead of the network.
    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        let script = self.clone();
        Client::builder()
            .api_key(KEY)
            .service(tower::service_fn(move |request: Request<reqwest::Body>| {
                script.clone().answer(request)
            }))
    }

    async fn answer(self, request: Request<reqwest::Body>) -> io::Result<Response<Body>> {
        let (parts, _body) = request.into_parts();
        self.seen.lock().unwrap().push(Seen {
            at: Instant::now(),
            request: Arc::new(parts),
        });
        let step = {
            let mut steps = self.steps.lock().unwrap();
            let step = steps.front().cloned().expect("a script has a step");
            if steps.len() > 1 {
                steps.pop_front();
            }
            step
        };
        step.play().await
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

pub(crate) fn ready() -> Step {
    Step::json(
        200,
        &json!({
            "pipeline_id": 2, "pipeline_item_id": 200_001, "is_ready": true, "document_indexed": true,
            "custom_questions_answered": true, "platform_entity_data_ready": true,
        }),
    )
}

pub(crate) fn added() -> Step {
    Step::json(
        201,
        &json!({
            "pipeline_id": 6, "pipeline_item_id": 600_002, "entity_type": "organization",
            "organization_id": 1001, "person_id": null, "document_id": null, "values": {},
        }),
    )
}
