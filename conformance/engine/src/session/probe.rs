//! The handle that a check works with: what is known of the deployment, what pays for requests, and assertions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::cause;
use crate::difference;
use crate::finding::{Finding, Findings, Steadiness};
use crate::redact::Secrets;
use crate::resting::decisions_at;
use crate::rules::SchemaCheck;
use crate::session::collection::Collection;
use crate::session::observed::{Known, Listing, Walk};
use crate::target::PipelineRole;
use crate::target::near_key::NearKey;
use crate::transport::account::Account;
use crate::transport::answer::Answer;
use crate::transport::client::Client;
use crate::verdict::Stop;
use platform_contract::Contract;

/// What all checks of a run share.
pub(crate) struct Shared {
    pub(crate) client: Arc<Client>,
    pub(crate) schema_check: Arc<SchemaCheck>,
    pub(crate) known: Known,
    pub(crate) to_add: Mutex<Vec<u64>>,
    pub(crate) listings: Mutex<BTreeMap<ListingKey, Once<Listing>>>,
    pub(crate) searches: Mutex<BTreeMap<SearchKey, Once<Walk>>>,
    /// About how much memory the items take that are kept in `listings`.
    pub(super) kept: AtomicUsize,
    /// What the random walks are made from.
    pub(crate) seed: u64,
    /// How many random walks a case takes.
    pub(crate) walks: u64,
    /// How long an item may take to become ready, if that is limited.
    pub(crate) ready_within: Option<Duration>,
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
    pub(super) shared: Arc<Shared>,
    /// The id of the case whose check it is.
    pub(super) case: Option<Arc<str>>,
    /// What pays for the requests of this check.
    account: Arc<Account>,
    findings: Arc<Mutex<Findings>>,
    /// What pays for the organizations that this check adds.
    adds: Arc<Account>,
    /// What pays for its requests that do not only read.
    pub(super) writes: Arc<Account>,
    /// Whether anything may have been changed.
    pub(super) changed: Arc<AtomicBool>,
    /// Whether it looks again at what failed: that is paid for by the run.
    looks_again: Arc<AtomicBool>,
    /// What it was answered depends on these collections.
    looked_at: Arc<Mutex<BTreeSet<Collection>>>,
    /// The numbers in the bodies that it sent.
    pub(super) named: Arc<Mutex<BTreeSet<u64>>>,
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
            ready_within: None,
        }
    }

    /// The same, with a limit on how long an item may take to become ready.
    pub(crate) fn with_ready_within(self, ready_within: Option<Duration>) -> Self {
        Self {
            ready_within,
            ..self
        }
    }
}

impl Probe {
    pub(crate) fn new(shared: Arc<Shared>, account: Arc<Account>) -> Self {
        Self {
            shared,
            case: None,
            account,
            findings: Arc::default(),
            adds: Arc::new(Account::of(0)),
            writes: Arc::new(Account::of(0)),
            changed: Arc::default(),
            looks_again: Arc::default(),
            looked_at: Arc::default(),
            named: Arc::default(),
        }
    }

    /// Takes note that what it was answered depends on these collections.
    pub(super) fn looks_at(&self, collections: impl IntoIterator<Item = Collection>) {
        self.looked_at.lock().extend(collections);
    }

    /// The collections that its answers depended on.
    pub(crate) fn looked_at(&self) -> BTreeSet<Collection> {
        self.looked_at.lock().clone()
    }

    /// The same hold, for the check of a case.
    pub(crate) fn of_case(self, id: &str) -> Self {
        Self {
            case: Some(id.into()),
            ..self
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

    /// Whether the run pays for looking again at what has failed.
    pub(crate) fn can_look_again(&self) -> bool {
        self.shared.second_looks.is_left()
    }

    /// From here on, every request looks again at what has failed.
    pub(crate) fn look_again(&self) {
        self.looks_again.store(true, Ordering::Relaxed);
    }

    /// What pays for the next request.
    pub(super) fn account(&self) -> &Account {
        match self.looks_again.load(Ordering::Relaxed) {
            true => &self.shared.second_looks,
            false => &self.account,
        }
    }

    /// Whether anything may have been changed: a request that does not only read was not clearly rejected.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    /// The contract; in a run with a profile, as the deployment decided it.
    pub fn contract(&self) -> &Arc<Contract> {
        self.shared.schema_check.contract()
    }

    /// Whether a URL or a relative reference leads to the origin of the deployment.
    pub fn is_of_same_origin(&self, reference: &str) -> bool {
        self.shared.client.is_of_same_origin(reference)
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

    /// Whether errors name the faults of a request; those of a deployment may not, by its profile.
    pub fn faults_are_named(&self) -> bool {
        self.contract().errors_have("errors")
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

    /// The texts near the key with full access that no role has as its key.
    pub fn near_keys(&self) -> Vec<NearKey> {
        self.shared.client.near_keys()
    }

    /// Whether an answer contains 8 characters or more of a text near the key with full access in one piece, where the
    /// answer to a text that is like no key does not.
    pub fn shows_part_of(&self, near: NearKey, answer: &Answer, usual: &Answer) -> bool {
        let text = |answer: &Answer| {
            let headers = answer.headers.values();
            let headers =
                headers.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            headers
                .chain([answer.text.clone()])
                .collect::<Vec<_>>()
                .join("\n")
        };
        self.shared
            .client
            .shows_part_of(near, &text(answer), &text(usual))
    }

    /// How long an item may take to become ready; `None` if the run does not limit it.
    pub fn ready_within(&self) -> Option<Duration> {
        self.shared.ready_within
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
            &answer.summary(),
            &[&answer],
        );
        let cause = cause::of_answer(&[(200, None)], &answer);
        Err(Stop::Failed(Box::new(finding.because(cause))))
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
        self.assert_as(None, holds, what, expected, seen, evidence);
    }

    /// Asserts something that the contract says at another place than those that the case cites. A deployment that
    /// decided otherwise there does not break a case that is stated.
    pub fn assert_at(
        &self,
        place: &str,
        holds: bool,
        what: &str,
        expected: impl Display,
        seen: impl Display,
        evidence: &[&Answer],
    ) {
        let decisions = || decisions_at(self.contract(), place);
        let decisions = (!holds).then(decisions);
        self.assert_as(decisions, holds, what, expected, seen, evidence);
    }

    /// Asserts something that rests on these decisions; none when it rests on what its case rests on.
    pub fn assert_as(
        &self,
        decisions: Option<BTreeSet<String>>,
        holds: bool,
        what: &str,
        expected: impl Display,
        seen: impl Display,
        evidence: &[&Answer],
    ) {
        self.judge(holds, || {
            self.finding(what, &expected.to_string(), &seen.to_string(), evidence)
                .resting_on(decisions)
        });
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
        expected: &str,
        seen: &str,
        requests: impl Iterator<Item = String>,
    ) {
        self.judge(holds, || Finding {
            requests: requests.map(|request| self.redact(&request)).collect(),
            ..self.finding(what, expected, seen, &[])
        });
    }

    /// Counts an assertion, and records the mismatch if it does not hold.
    pub(crate) fn judge(&self, holds: bool, finding: impl FnOnce() -> Finding) {
        let mut findings = self.findings.lock();
        findings.count();
        if !holds {
            findings.record(finding());
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
    pub(crate) fn finding(
        &self,
        what: &str,
        expected: &str,
        seen: &str,
        evidence: &[&Answer],
    ) -> Finding {
        let secrets = self.shared.client.secrets();
        let ids = evidence
            .iter()
            .filter_map(|answer| answer.header("x-request-id"));
        let (expected, seen) = difference::excerpts(&secrets, expected, seen);
        Finding {
            what: secrets.written_excerpt(what),
            expected,
            seen,
            requests: evidence
                .iter()
                .map(|answer| secrets.written(&answer.curl))
                .collect(),
            request_ids: ids.map(|id| secrets.excerpt(id)).collect(),
            decisions: None,
            cause: cause::of_evidence(evidence).unwrap_or_default(),
            times: 1,
            steadiness: Steadiness::Unconfirmed,
        }
    }

    /// Asserts that two values are the same. Of long values, the first difference is shown, with its place.
    pub fn assert_same(&self, what: &str, expected: &Value, seen: &Value, evidence: &[&Answer]) {
        self.judge(expected == seen, || {
            let (expected, seen) = difference::of_values(expected, seen);
            self.finding(what, &expected, &seen, evidence)
        });
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
