//! What a check is given: it sends requests to the deployment, reads what is known of it, and says what
//! it expected and what it saw.

pub mod discover;
pub mod observed;
pub mod preflight;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::finding::{Finding, Findings, Steadiness};
use crate::redact::Secrets;
use crate::rules::SchemaCheck;
use crate::session::observed::{Known, Listing, Walk, memory_of};
use crate::target::{PipelineRole, Role};
use crate::transport::account::Account;
use crate::transport::client::{Answer, Client};
use crate::transport::request::{Body, Credential, Request, encode};
use crate::verdict::Stop;
use platform_contract::{Contract, Operation};

/// The most pages of one walk.
const PAGES: usize = 20;
/// The most pages of a walk in small pages.
pub const SMALL_PAGES: usize = 50;

/// About how much memory the items of one walk may take: one that finds more is left half-way. The pages that
/// the contract allows take half of it.
const WALKED: usize = 400_000_000;
/// About how much memory all items may take that a run keeps.
const KEPT: usize = 1_000_000_000;

/// What all checks of a run share.
pub(crate) struct Shared {
    pub(crate) client: Arc<Client>,
    pub(crate) schema_check: Arc<SchemaCheck>,
    pub(crate) known: Known,
    pub(crate) to_add: Mutex<Vec<u64>>,
    pub(crate) listings: Mutex<BTreeMap<ListingKey, Once<Listing>>>,
    pub(crate) searches: Mutex<BTreeMap<SearchKey, Once<Walk>>>,
    /// About how much memory the items take that are kept in `listings`.
    kept: AtomicUsize,
    /// What the random walks are made from.
    pub(crate) seed: u64,
    /// How many random walks a case takes.
    pub(crate) walks: u64,
    /// What pays for the walks that all checks share.
    pub(crate) for_all: Arc<Account>,
    /// What pays for looking again at what failed.
    pub(crate) second_looks: Arc<Account>,
}

/// What is walked through when it is first asked for, and kept for the rest of the run.
pub(crate) type Once<Walked> = Arc<OnceCell<Arc<Walked>>>;

/// A pipeline, and the order it is listed in: `sort_by` and `sort_order`.
pub(crate) type ListingKey = (u64, Option<String>, Option<String>);
/// A search without filters, and how many of its results are wanted.
pub(crate) type SearchKey = (String, i64);

/// A check's hold on the deployment.
#[derive(Clone)]
pub struct Probe {
    shared: Arc<Shared>,
    /// What pays for the requests of this check.
    account: Arc<Account>,
    findings: Arc<Mutex<Findings>>,
    /// What pays for the organizations that this check adds.
    adds: Arc<Account>,
    /// What pays for its requests that do not only read.
    writes: Arc<Account>,
    /// Whether anything may have been changed.
    changed: Arc<AtomicBool>,
    /// Whether it looks again at what failed: that is paid for by the run.
    looks_again: Arc<AtomicBool>,
}

impl Shared {
    /// `for_all` pays for the walks that all checks share, `second_looks` for looking again at what failed;
    /// `seed` and `walks` are those of the options.
    pub(crate) fn new(
        client: Arc<Client>,
        schema_check: Arc<SchemaCheck>,
        known: Known,
        (for_all, second_looks): (Arc<Account>, Arc<Account>),
        (seed, walks): (u64, u64),
    ) -> Self {
        let to_add = Mutex::new(known.to_add.clone());
        Self {
            client,
            schema_check,
            known,
            to_add,
            listings: Mutex::default(),
            searches: Mutex::default(),
            kept: AtomicUsize::new(0),
            for_all,
            second_looks,
            seed,
            walks,
        }
    }
}

impl Probe {
    pub(crate) fn new(shared: Arc<Shared>, account: Arc<Account>) -> Self {
        Self {
            shared,
            account,
            findings: Arc::default(),
            adds: Arc::new(Account::of(0)),
            writes: Arc::new(Account::of(0)),
            changed: Arc::default(),
            looks_again: Arc::default(),
        }
    }

    /// The same hold, with limits on the organizations it adds and on the requests that do not only read.
    pub(crate) fn with_adds(self, most: u64, writes: u64) -> Self {
        Self {
            adds: Arc::new(Account::of(most)),
            writes: Arc::new(self.shared.client.additions(writes)),
            ..self
        }
    }

    /// Whether the run may send requests that do not only read.
    pub fn may_write(&self) -> bool {
        self.shared.client.may_write()
    }

    /// The same hold, whose requests are paid for by all checks together.
    pub fn for_all(&self) -> Self {
        Self {
            account: Arc::clone(&self.shared.for_all),
            ..self.clone()
        }
    }

    /// From here on, every request looks again at what has failed.
    pub(crate) fn look_again(&self) {
        self.looks_again.store(true, Ordering::Relaxed);
    }

    /// What pays for the next request.
    fn account(&self) -> &Account {
        match self.looks_again.load(Ordering::Relaxed) {
            true => &self.shared.second_looks,
            false => &self.account,
        }
    }

    /// Whether anything may have been changed: a request that is no read was not plainly refused.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    /// The contract; in a run with a profile, as the deployment decided it.
    pub fn contract(&self) -> &'static Contract {
        self.shared.schema_check.contract()
    }

    /// Waits.
    ///
    /// # Errors
    /// When the run is interrupted.
    pub async fn sleep(&self, duration: Duration) -> Result<(), Stop> {
        self.shared.client.sleep(duration).await
    }

    /// How much time has passed since the run began, waits included.
    pub fn elapsed(&self) -> Duration {
        self.shared.client.clock().elapsed()
    }

    /// A request to an operation, with the key of full access.
    ///
    /// # Panics
    /// When the contract has no such operation: a fault of the catalogue.
    pub fn call(&self, operation: &str) -> Call {
        let operation = self.contract().operation(operation);
        self.start(&operation.method, &operation.path, Some(operation))
    }

    /// A request to a route that is no operation: unknown, or known with another method.
    pub fn route(&self, method: &str, path: &str) -> Call {
        self.start(method, path, None)
    }

    /// Whether errors name the faults of a request; those of a deployment may not, by its profile.
    pub fn faults_are_named(&self) -> bool {
        self.contract().errors_have("errors")
    }

    fn start(&self, method: &str, path: &str, operation: Option<&'static Operation>) -> Call {
        Call {
            probe: self.clone(),
            operation,
            is_observed: true,
            query: Vec::new(),
            request: Request {
                method: method.to_owned(),
                path: path.to_owned(),
                credential: Credential::Role(Role::FullAccess),
                headers: Vec::new(),
                body: None,
            },
        }
    }

    /// What the random walks of the run are made from.
    pub fn seed(&self) -> u64 {
        self.shared.seed
    }

    /// How many random walks a case takes.
    pub fn walks(&self) -> u64 {
        self.shared.walks
    }

    /// What is known of the deployment.
    pub fn known(&self) -> &Known {
        &self.shared.known
    }

    /// The pipeline of a role.
    ///
    /// # Errors
    /// Skips the case when there is none.
    pub fn pipeline(&self, role: PipelineRole) -> Result<u64, Stop> {
        let found = self.known().roles.get(&role).copied();
        found.ok_or_else(|| Stop::Skipped(format!("no pipeline of the role {}", role.as_str())))
    }

    /// A known organization.
    ///
    /// # Errors
    /// Skips the case when there is none.
    pub fn organization(&self) -> Result<u64, Stop> {
        let found = self.known().organizations.first().copied();
        found.ok_or_else(|| Stop::Skipped("no organization is known".to_owned()))
    }

    /// A known product.
    ///
    /// # Errors
    /// Skips the case when there is none.
    pub fn product(&self) -> Result<u64, Stop> {
        let found = self.known().products.first().copied();
        found.ok_or_else(|| Stop::Skipped("no product is known".to_owned()))
    }

    /// An organization that is not in the writable pipeline and that no other case adds.
    ///
    /// # Errors
    /// Skips the case when none is left, and ends it when it adds more than it has announced.
    pub fn organization_to_add(&self) -> Result<u64, Stop> {
        if !self.adds.take() {
            return Err(Stop::Errored(format!(
                "a fault of the case: it adds more than the {} organizations that it announces",
                self.adds.limit()
            )));
        }
        let mut left = self.shared.to_add.lock();
        let lacking = "no organization is left to add: name more under [add] organizations";
        left.pop().ok_or_else(|| Stop::Skipped(lacking.to_owned()))
    }

    /// All items of a pipeline, walked once a run for each order. Counts no assertion.
    ///
    /// # Errors
    /// When a page is not answered 200.
    pub async fn listing(
        &self,
        pipeline_id: u64,
        sort_by: Option<&str>,
        sort_order: Option<&str>,
    ) -> Result<Arc<Listing>, Stop> {
        let key = (
            pipeline_id,
            sort_by.map(str::to_owned),
            sort_order.map(str::to_owned),
        );
        let cell = {
            let mut listings = self.shared.listings.lock();
            Arc::clone(listings.entry(key).or_default())
        };
        let maximum = self
            .contract()
            .operation("list_items")
            .parameter("limit")
            .number("maximum");
        let walk = || async {
            let all = self.for_all();
            let kept = &self.shared.kept;
            let left = KEPT.saturating_sub(kept.load(Ordering::Relaxed));
            let order = (sort_by, sort_order);
            let walk = all.walk_within(left.min(WALKED), pipeline_id, order, maximum);
            let (listing, memory) = walk.await?;
            kept.fetch_add(memory, Ordering::Relaxed);
            Ok(Arc::new(listing))
        };
        Ok(Arc::clone(cell.get_or_try_init(walk).await?))
    }

    /// Where the run keeps what a search without filters finds, once it was walked through.
    pub fn search(&self, operation: &str, wanted: i64) -> Once<Walk> {
        let searches = &self.shared.searches;
        let mut searches = searches.lock();
        let key = (operation.to_owned(), wanted);
        Arc::clone(searches.entry(key).or_default())
    }

    /// Walks through the pages of a pipeline. Of the items of a sorted walk is kept what their order is
    /// judged by: their ids, and the values that they are sorted by. Counts no assertion.
    ///
    /// # Errors
    /// When a page is not answered 200.
    pub async fn walk(
        &self,
        pipeline_id: u64,
        sort_by: Option<&str>,
        sort_order: Option<&str>,
        limit: i64,
    ) -> Result<Listing, Stop> {
        let walk = self.walk_within(WALKED, pipeline_id, (sort_by, sort_order), limit);
        Ok(walk.await?.0)
    }

    /// The same, until the items take so much memory; says too how much they take.
    async fn walk_within(
        &self,
        most_memory: usize,
        pipeline_id: u64,
        (sort_by, sort_order): (Option<&str>, Option<&str>),
        limit: i64,
    ) -> Result<(Listing, usize), Stop> {
        let mut memory = 0;
        let mut listing = Listing {
            items: Vec::new(),
            pages: Vec::new(),
            total_count: 0,
            complete: false,
        };
        // Small pages are walked as far as the largest ones reach, when that is not too far.
        let maximum = self
            .contract()
            .operation("list_items")
            .parameter("limit")
            .number("maximum");
        let as_far = PAGES * usize::try_from((maximum / limit.max(1)).max(1)).unwrap_or(1);
        let most = as_far.min(SMALL_PAGES);
        while listing.pages.len() < most && !listing.complete {
            let call = self
                .call("list_items")
                .path("pipeline_id", pipeline_id)
                .query("limit", limit);
            let call = call.query("skip", listing.items.len());
            let call = call
                .query_some("sort_by", sort_by)
                .query_some("sort_order", sort_order);
            let mut page = self.ok(call.send().await?)?;
            if listing.pages.is_empty() {
                listing.total_count = page.at("/total_count").as_i64().unwrap_or(-1);
            }
            let mut items = page.take("items");
            if let Some(column) = sort_by {
                items
                    .iter_mut()
                    .for_each(|item| *item = for_order(item, column));
            }
            memory += items.iter().map(memory_of).sum::<usize>();
            let nothing_left = items.is_empty();
            listing.items.extend(items);
            let reached = i64::try_from(listing.items.len()).unwrap_or(i64::MAX);
            listing.complete = nothing_left || reached >= listing.total_count;
            listing.pages.push(page);
            if memory > most_memory {
                break;
            }
        }
        Ok((listing, memory))
    }

    /// An answer that the check builds on, which has to be a success. Counts no assertion.
    ///
    /// # Errors
    /// Fails the case when it is not.
    pub fn ok(&self, answer: Answer) -> Result<Answer, Stop> {
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        let finding = self.finding(
            "a request that the check builds on",
            "to be answered 2xx",
            answer.summary(),
            &[&answer],
        );
        Err(Stop::Failed(Box::new(finding)))
    }

    /// Asserts something of an answer.
    pub fn expect<'a>(&'a self, answer: &'a Answer) -> Expect<'a> {
        Expect {
            probe: self,
            answer,
        }
    }

    /// Asserts that something holds; `evidence` are the answers that show whether it does.
    pub fn assert(
        &self,
        holds: bool,
        what: &str,
        expected: impl Display,
        seen: impl Display,
        evidence: &[&Answer],
    ) {
        let mut findings = self.findings.lock();
        findings.count();
        if !holds {
            findings.record(self.finding(what, &expected.to_string(), seen.to_string(), evidence));
        }
    }

    /// Counts assertions that held.
    pub(crate) fn count(&self, assertions: u64) {
        let mut findings = self.findings.lock();
        (0..assertions).for_each(|_| findings.count());
    }

    /// Asserts something that these requests show, lines for a shell.
    pub fn assert_shown(
        &self,
        holds: bool,
        what: &str,
        expected: String,
        seen: String,
        requests: impl Iterator<Item = String>,
    ) {
        let mut findings = self.findings.lock();
        findings.count();
        if !holds {
            let shown = self.finding(what, &expected, seen, &[]);
            let redact = |request: String| self.redact(&request);
            findings.record(Finding {
                requests: requests.map(redact).collect(),
                ..shown
            });
        }
    }

    /// A text that the kit wrote, without any key of the target.
    pub fn redact(&self, text: &str) -> String {
        self.shared.client.redact(text)
    }

    /// A text that the deployment sent, without any key of the target.
    pub fn redact_said(&self, text: &str) -> String {
        self.shared.client.secrets().said(text)
    }

    /// The API keys of the target, to be found in what a deployment sends.
    pub fn keys(&self) -> Secrets {
        self.shared.client.keys()
    }

    /// A mismatch, short enough to be read. Here every secret is taken out of it that the deployment repeats.
    fn finding(&self, what: &str, expected: &str, seen: String, evidence: &[&Answer]) -> Finding {
        let secrets = self.shared.client.secrets();
        let ids = evidence
            .iter()
            .filter_map(|answer| answer.header("x-request-id"));
        Finding {
            what: secrets.written_excerpt(what),
            expected: secrets.written_excerpt(expected),
            seen: secrets.excerpt(&seen),
            requests: evidence
                .iter()
                .map(|answer| secrets.written(&answer.curl))
                .collect(),
            request_ids: ids.map(|id| secrets.excerpt(id)).collect(),
            times: 1,
            steadiness: Steadiness::Unconfirmed,
        }
    }

    /// Asserts that two values are the same.
    pub fn assert_same(&self, what: &str, expected: &Value, seen: &Value, evidence: &[&Answer]) {
        self.assert(expected == seen, what, expected, seen, evidence);
    }

    /// Ends the check when it has nothing to look at: the text says what was looked for.
    ///
    /// # Errors
    /// Always, so that it can stand behind `return`.
    pub fn inconclusive(&self, looked_for: impl Into<String>) -> Result<(), Stop> {
        Err(Stop::Inconclusive(looked_for.into()))
    }

    pub(crate) fn take_findings(&self) -> Findings {
        std::mem::take(&mut *self.findings.lock())
    }
}

/// What the order of a sorted walk is judged by. A deployment may have many columns, and is walked through for
/// each: whole items would take too much memory.
fn for_order(item: &mut Value, column: &str) -> Value {
    let value = item
        .get_mut("values")
        .and_then(|values| values.get_mut(column));
    let value = value.map(Value::take);
    json!({ "pipeline_item_id": item["pipeline_item_id"], "values": { column: value } })
}

/// A request that is being put together. Values are sent as they are given: nothing is checked here.
#[must_use = "a call does nothing until it is sent"]
pub struct Call {
    probe: Probe,
    operation: Option<&'static Operation>,
    /// Whether the response is held to the contract on the side.
    is_observed: bool,
    query: Vec<String>,
    request: Request,
}

impl Call {
    /// Fills in a parameter of the path.
    pub fn path(mut self, name: &str, value: impl Display) -> Self {
        self.request.path = self
            .request
            .path
            .replace(&format!("{{{name}}}"), &encode(&value.to_string()));
        self
    }

    /// Adds a parameter to the query; a second one of the same name is sent beside the first.
    pub fn query(mut self, name: &str, value: impl Display) -> Self {
        self.query
            .push(format!("{}={}", encode(name), encode(&value.to_string())));
        self
    }

    /// Adds a parameter to the query when there is a value.
    pub fn query_some(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Adds to the query what is already encoded, or is not meant to be.
    pub fn raw_query(mut self, text: &str) -> Self {
        self.query.push(text.to_owned());
        self
    }

    /// Sends another method to the same path. Its response is not one of the operation.
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.request.method);
        self.unobserved()
    }

    /// Leaves the response to this check alone: it is not held to the contract on the side.
    pub fn unobserved(mut self) -> Self {
        self.is_observed = false;
        self
    }

    /// Sends the key of another role.
    pub fn key(mut self, role: Role) -> Self {
        self.request.credential = Credential::Role(role);
        self
    }

    /// Sends texts that are no one's key, a header each; none leaves the header out.
    pub fn literal_keys<'a>(mut self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        self.request.credential =
            Credential::Literal(texts.into_iter().map(str::to_owned).collect());
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: impl Display) -> Self {
        self.request
            .headers
            .push((name.to_owned(), value.to_string()));
        self
    }

    /// Gives it a body of the type `application/json`.
    pub fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json")
            .body(Body::Text(body.to_string()))
    }

    /// Gives it a body, and no type.
    pub fn body(mut self, body: Body) -> Self {
        self.request.body = Some(body);
        self
    }

    /// Sends it. Whatever is answered is held to the contract on the side.
    ///
    /// # Errors
    /// When the deployment is not reached or does not answer in time.
    pub async fn send(mut self) -> Result<Answer, Stop> {
        let path = self.request.path.clone();
        if path.contains('{') {
            return Err(Stop::Errored(format!(
                "a fault of the case: {path} is not filled in"
            )));
        }
        if !self.query.is_empty() {
            self.request.path = format!("{path}?{}", self.query.join("&"));
        }
        let shared = &self.probe.shared;
        let account = self.probe.account();
        let sent = shared
            .client
            .send(&self.request, account, &self.probe.writes)
            .await;
        let refused = matches!(&sent, Ok(answer) if (400..500).contains(&answer.status));
        if !self.request.only_reads() && !refused {
            self.probe.changed.store(true, Ordering::Relaxed);
        }
        let answer = sent?;
        if self.is_observed {
            shared.schema_check.observe(self.operation, &path, &answer);
        }
        Ok(answer)
    }
}

/// Assertions on one answer.
pub struct Expect<'a> {
    probe: &'a Probe,
    answer: &'a Answer,
}

impl Expect<'_> {
    /// The status is this one.
    pub fn status(self, status: u16) -> Self {
        let holds = self.answer.status == status;
        self.probe.assert(
            holds,
            "the status",
            status,
            self.answer.summary(),
            &[self.answer],
        );
        self
    }

    /// It is a problem of this status and code.
    pub fn refused(self, status: u16, code: &str) -> Self {
        // A deployment whose errors have no code, by its profile, tells by the status alone.
        let has_code = self.probe.contract().errors_have("code");
        let same_code = !has_code || self.answer.code() == Some(code);
        let holds = self.answer.status == status && same_code;
        let expected = format!("{status} {code}");
        self.probe.assert(
            holds,
            "the answer",
            expected,
            self.answer.summary(),
            &[self.answer],
        );
        self
    }

    /// Its `errors` name a fault at this place: `["query", "limit"]`. Says nothing of an answer that is
    /// not 422; [`refused`](Self::refused) does.
    pub fn fault_at(self, place: &[&str]) -> Self {
        if self.answer.status != 422 || !self.probe.faults_are_named() {
            return self;
        }
        let expected = format!("a fault at {}", place.join("."));
        let seen = self.answer.at("/errors");
        self.probe.assert(
            self.answer.names_fault_at(place),
            "the errors",
            expected,
            seen,
            &[self.answer],
        );
        self
    }

    /// A header has this value.
    pub fn header(self, name: &str, value: &str) -> Self {
        let seen = self.answer.header(name);
        let shown = seen.unwrap_or("it is missing, or there more than once");
        self.probe.assert(
            seen == Some(value),
            &format!("the header {name}"),
            value,
            shown,
            &[self.answer],
        );
        self
    }

    /// The node of the body at a JSON pointer is this one.
    pub fn body(self, pointer: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.probe.assert_same(
            &format!("the body at {pointer}"),
            &value,
            self.answer.at(pointer),
            &[self.answer],
        );
        self
    }
}
