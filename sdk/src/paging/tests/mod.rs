//! Tests of walks over in-memory collections that can change, reject requests and respond out of order.

#![allow(clippy::unwrap_used)]

mod changing;
mod still;
mod throttled;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use proptest::prelude::{Strategy, TestCaseError, any};
use reqwest::header::HeaderMap;
use reqwest::{Method, Request, Url};

use super::rows::Fetched;
use super::source::{Identified, Paged};
use super::{Event, Walk};
use crate::call::core::ClientCore;
use crate::error::{Answer, Fault, Kind};
use crate::redact::Redactor;
use crate::{Client, Error, StatusCode};

#[derive(Debug, Clone, PartialEq)]
struct Thing(i64);

impl Identified for Thing {
    fn id(&self) -> i64 {
        self.0
    }

    fn in_order_of_ids(request: &Request) -> bool {
        let mut parameters = request.url().query_pairs();
        parameters.any(|(_, value)| value == IN_ORDER_OF_IDS)
    }
}

/// Parameter of requests whose rows are in order of ids.
const IN_ORDER_OF_IDS: &str = "in order of ids";

/// A request whose `skip + limit` is at most `REACH`.
#[derive(Clone)]
struct Things<const REACH: u64> {
    core: ClientCore,
    skip: Option<i64>,
    limit: Option<i64>,
    parameter: &'static str,
    server: Arc<Server>,
}

const ENDLESS: u64 = u64::MAX;

type Rows = Result<Vec<i64>, Error>;

struct Server {
    /// Returns the collection for the request with this number.
    collection: Box<dyn Fn(usize) -> Rows + Send + Sync>,
    /// How often each request yields before its response, repeated cyclically.
    delays: Vec<u8>,
    /// Number of rows at the end that are counted but not returned.
    unlisted: usize,
    asked: Mutex<Vec<(u64, u64)>>,
    in_flight: AtomicUsize,
}

impl Server {
    fn requests(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::SeqCst)
    }
}

impl<const REACH: u64> Things<REACH> {
    /// The numbers from 1 to `count`.
    fn still(count: u64) -> Self {
        Self::answering(move |_| Ok(numbers(count)))
    }

    fn answering(collection: impl Fn(usize) -> Rows + Send + Sync + 'static) -> Self {
        // Shared, because creating a client takes longer than any walk here.
        static CLIENT: LazyLock<Client> = LazyLock::new(|| {
            let client = Client::builder().base_url("http://127.0.0.1:1/below").api_key("nobody");
            client.build().unwrap()
        });
        Self {
            core: CLIENT.core.clone(),
            skip: None,
            limit: None,
            parameter: "same",
            server: Arc::new(Server {
                collection: Box::new(collection),
                delays: vec![0],
                unlisted: 0,
                asked: Mutex::default(),
                in_flight: AtomicUsize::new(0),
            }),
        }
    }

    fn delayed(mut self, delays: Vec<u8>) -> Self {
        Arc::get_mut(&mut self.server).unwrap().delays = delays;
        self
    }

    fn skip(mut self, rows: i64) -> Self {
        self.skip = Some(rows);
        self
    }

    fn limit(mut self, rows: i64) -> Self {
        self.limit = Some(rows);
        self
    }

    fn in_order_of_ids(mut self) -> Self {
        self.parameter = IN_ORDER_OF_IDS;
        self
    }

    fn walk(&self) -> Walk<Thing> {
        Walk::over(self.clone())
    }
}

impl<const REACH: u64> Paged for Things<REACH> {
    type Item = Thing;
    const OPERATION: &'static str = "list_things";
    const MAX_LIMIT: u64 = 10;
    const REACH: Option<u64> = if REACH == ENDLESS { None } else { Some(REACH) };

    fn core(&mut self) -> &mut ClientCore {
        &mut self.core
    }

    fn write_down(self) -> Result<Request, Error> {
        let mut url = Url::parse("http://127.0.0.1:1/below/things").unwrap();
        url.query_pairs_mut().append_pair("of", self.parameter);
        for (name, value) in [("skip", self.skip), ("limit", self.limit)] {
            if let Some(value) = value {
                url.query_pairs_mut().append_pair(name, &value.to_string());
            }
        }
        Ok(Request::new(Method::GET, url))
    }

    fn start(&self) -> Option<i64> {
        self.skip
    }

    fn most(&self) -> Option<i64> {
        self.limit
    }

    async fn fetch(self, skip: u64, limit: u64) -> Result<Fetched<Thing>, Error> {
        let _here = InFlight::begin(Arc::clone(&self.server));
        let number = {
            let mut asked = self.server.asked.lock().unwrap();
            asked.push((skip, limit));
            asked.len() - 1
        };
        for _ in 0..self.server.delays[number % self.server.delays.len()] {
            tokio::task::yield_now().await;
        }
        let all = (self.server.collection)(number)?;
        let listed = &all[..all.len().saturating_sub(self.server.unlisted)];
        let rows = listed.iter().skip(skip as usize).take(limit as usize);
        Ok(Fetched {
            rows: rows.copied().map(Thing).map(Ok).collect(),
            total: all.len() as i64,
            request_id: None,
        })
    }
}

struct InFlight(Arc<Server>);

impl InFlight {
    fn begin(server: Arc<Server>) -> Self {
        server.in_flight.fetch_add(1, Ordering::SeqCst);
        Self(server)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

fn numbers(count: u64) -> Vec<i64> {
    (1..=count as i64).collect()
}

fn fail(error: Error) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

fn ids(things: &[Thing]) -> Vec<i64> {
    things.iter().map(Identified::id).collect()
}

fn rejection(status: StatusCode) -> Error {
    let answer = Answer::new(status, &HeaderMap::new(), &Redactor::default());
    Error::new(Kind::Answered(Fault::Status)).with_answer(answer)
}

/// Delays that make responses arrive in any order.
fn delays() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>().prop_map(|delay| delay % 8), 1..12)
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

/// Collects the events of a walk up to its first error.
async fn events(walk: Walk<Thing>) -> (Vec<Event<Thing>>, Option<Error>) {
    let mut stream = walk.events().unwrap();
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => return (events, Some(error)),
        }
    }
    (events, None)
}
