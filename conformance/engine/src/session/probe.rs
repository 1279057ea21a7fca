//! The probe that a check works with: the known data of the deployment, the budgets for requests, and assertions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;

use crate::cause;
use crate::difference;
use crate::finding::{Finding, Findings, Steadiness};
use crate::mojibake::{encoded_twice, with_meant};
use crate::redact::Secrets;
use crate::resting::{decisions_at, decisions_of_rejection, decisions_of_sentence};
use crate::session::collection::Collection;
use crate::session::observed::Known;
use crate::session::shared::Shared;
use crate::target::PipelineRole;
use crate::target::near_key::NearKey;
use crate::transport::budget::RequestBudget;
use crate::transport::response::HttpResponse;
use crate::verdict::Stop;
use platform_contract::{Contract, Operation};

/// A check's access to the deployment.
#[derive(Clone)]
pub struct Probe {
    pub(super) shared: Arc<Shared>,
    /// The id of the case that the check belongs to.
    pub(super) case: Option<Arc<str>>,
    /// The budget for the requests of this check.
    budget: Arc<RequestBudget>,
    findings: Arc<Mutex<Findings>>,
    /// The budget for the organizations that this check adds.
    adds: Arc<RequestBudget>,
    /// The budget for its non-read requests.
    pub(super) writes: Arc<RequestBudget>,
    /// Whether anything may have been changed.
    pub(super) changed: Arc<AtomicBool>,
    /// Whether it is a second check of a failure, which the run pays for.
    looks_again: Arc<AtomicBool>,
    /// The collections that its responses depended on.
    looked_at: Arc<Mutex<BTreeSet<Collection>>>,
    /// The numbers in the bodies that it sent.
    pub(super) named: Arc<Mutex<BTreeSet<u64>>>,
    /// The organizations that this check may add, with the number of requests that were sent to add each.
    pub(super) additions: Arc<Mutex<BTreeMap<u64, usize>>>,
    /// The cause of a finding whose responses show none.
    cause: Option<String>,
    /// The decisions that a finding rests on; `None` means the basis of its case.
    basis: Option<BTreeSet<String>>,
}

impl Probe {
    pub(crate) fn new(shared: Arc<Shared>, budget: Arc<RequestBudget>) -> Self {
        Self {
            shared,
            case: None,
            budget,
            findings: Arc::default(),
            adds: Arc::new(RequestBudget::of(0)),
            writes: Arc::new(RequestBudget::of(0)),
            changed: Arc::default(),
            looks_again: Arc::default(),
            looked_at: Arc::default(),
            named: Arc::default(),
            additions: Arc::default(),
            cause: None,
            basis: None,
        }
    }

    /// Records that its responses depended on these collections.
    pub(super) fn looks_at(&self, collections: impl IntoIterator<Item = Collection>) {
        self.looked_at.lock().extend(collections);
    }

    /// The collections that its responses depended on.
    pub(crate) fn looked_at(&self) -> BTreeSet<Collection> {
        self.looked_at.lock().clone()
    }

    /// Returns the probe for the check of a case.
    pub(crate) fn of_case(self, id: &str) -> Self {
        Self {
            case: Some(id.into()),
            ..self
        }
    }

    /// Returns the probe with limits on the organizations it adds and on non-read requests.
    pub(crate) fn with_adds(self, most: u64, writes: u64) -> Self {
        Self {
            adds: Arc::new(RequestBudget::of(most)),
            writes: Arc::new(self.shared.client.additions(writes)),
            ..self
        }
    }

    /// Whether the run may send non-read requests.
    pub fn may_write(&self) -> bool {
        self.shared.client.may_write()
    }

    /// Returns the probe with requests paid for by all checks together.
    pub fn for_all(&self) -> Self {
        Self {
            budget: Arc::clone(&self.shared.for_all),
            ..self.clone()
        }
    }

    /// Returns the probe with requests paid for like those of second checks.
    pub(super) fn paid_as_second_look(&self) -> Self {
        Self {
            budget: Arc::clone(&self.shared.second_looks),
            ..self.clone()
        }
    }

    /// Whether the run has requests left for second checks.
    pub(crate) fn can_look_again(&self) -> bool {
        self.shared.second_looks.is_left()
    }

    /// Makes every further request part of a second check.
    pub(crate) fn look_again(&self) {
        self.looks_again.store(true, Ordering::Relaxed);
    }

    /// The budget for the next request.
    pub(super) fn budget(&self) -> &RequestBudget {
        match self.looks_again.load(Ordering::Relaxed) {
            true => &self.shared.second_looks,
            false => &self.budget,
        }
    }

    /// Whether anything may have been changed: a non-read request was not clearly rejected.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    /// The contract; in a run with a profile, with the deployment's decisions.
    pub fn contract(&self) -> &Arc<Contract> {
        self.shared.schema_check.contract()
    }

    /// Whether a URL or a relative reference resolves to the origin of the deployment.
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

    /// Returns the time since the run began, including waits.
    pub fn elapsed(&self) -> Duration {
        self.shared.client.clock().elapsed()
    }

    /// Whether the target names this parameter of searches. At the level `stated`, any other parameter may have a name
    /// that is not the contract's.
    pub fn target_names(&self, parameter: &str) -> bool {
        let forms = self.shared.search_forms.as_ref();
        forms.is_some_and(|forms| forms.names().has_parameter(parameter))
    }

    /// Whether searches, including their pages, may have another form than in the contract. They may at the level
    /// `stated`.
    pub fn searches_have_any_form(&self) -> bool {
        self.shared.search_forms.is_some()
    }

    /// Whether the target states how a parameter takes several values. Otherwise, at the level `stated`, a deployment
    /// may honour only one of them.
    pub fn target_names_lists(&self) -> bool {
        let forms = self.shared.search_forms.as_ref();
        forms.is_some_and(|forms| forms.names().has_lists())
    }

    /// Whether errors name what is wrong with a request; a deployment's profile may allow errors that do not.
    pub fn faults_are_named(&self) -> bool {
        self.contract().errors_have("errors")
    }

    /// The seed of the property runs of the run.
    pub fn seed(&self) -> u64 {
        self.shared.seed
    }

    /// The number of property runs of a case.
    pub fn property_runs(&self) -> u64 {
        self.shared.property_runs
    }

    /// The known data of the deployment.
    pub fn known(&self) -> &Known {
        &self.shared.known
    }

    /// The body of a response to one search, read as that of another: what it shows may not be what was asked for.
    pub fn read_as(&self, search: &Operation, response: &HttpResponse) -> Value {
        let body = response.body.clone();
        match &self.shared.search_forms {
            Some(forms) => forms.read_body(self.contract(), search, body),
            None => body,
        }
    }

    /// An id that no record is likely to have, and that the deployment looks up.
    pub fn unknown_id(&self) -> i64 {
        self.known().unknown_id.unwrap_or_else(|| self.contract().unknown_id())
    }

    /// The texts similar to the key with full access that are not the key of any role.
    pub fn near_keys(&self) -> Vec<NearKey> {
        self.shared.client.near_keys()
    }

    /// The bytes of the header fields of every request with full access, including the key.
    pub fn usual_fields(&self) -> usize {
        self.shared.client.usual_fields()
    }

    /// Whether a response contains at least 8 consecutive characters of a text similar to the key with full access, and
    /// the response to an unrelated text does not.
    pub fn shows_part_of(&self, near: NearKey, response: &HttpResponse, usual: &HttpResponse) -> bool {
        let text = |response: &HttpResponse| {
            let headers = response.headers.values();
            let headers = headers.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            headers.chain([response.text.clone()]).collect::<Vec<_>>().join("\n")
        };
        self.shared.client.shows_part_of(near, &text(response), &text(usual))
    }

    /// The time limit for an item to become ready; `None` if the run does not limit it.
    pub fn ready_within(&self) -> Option<Duration> {
        self.shared.ready_within
    }

    /// Whether an earlier case waited in vain for an item to become ready: another wait would take as long.
    pub fn has_waited_in_vain(&self) -> bool {
        self.shared.has_waited_in_vain.load(Ordering::Relaxed)
    }

    /// Remembers for the other cases that an item did not become ready in time.
    pub fn note_waited_in_vain(&self) {
        self.shared.has_waited_in_vain.store(true, Ordering::Relaxed);
    }

    /// Remembers the values of a new item that is ready, for a check at the end of the run.
    pub fn note_ready(&self, pipeline_id: u64, item: i64, values: &HttpResponse) {
        self.shared.ready.lock().insert((pipeline_id, item), values.clone());
    }

    /// The values of the new items that were ready, when they were last read, by pipeline and item.
    pub fn seen_ready(&self) -> BTreeMap<(u64, i64), HttpResponse> {
        self.shared.ready.lock().clone()
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
        found.ok_or_else(|| Stop::Skipped("no search found an organization".to_owned()))
    }

    /// A known product.
    ///
    /// # Errors
    /// Skips the case when there is none.
    pub fn product(&self) -> Result<u64, Stop> {
        let found = self.known().products.first().copied();
        found.ok_or_else(|| Stop::Skipped("no search found a product".to_owned()))
    }

    /// An organization that is not in the writable pipeline and that no other case adds.
    ///
    /// # Errors
    /// Skips the case when none is left, and ends it when it adds more than it announced.
    pub fn organization_to_add(&self) -> Result<u64, Stop> {
        self.take_addition()?;
        let mut left = self.shared.to_add.lock();
        let lacking = "no organization is left to add: name more as organizations under [add]";
        let organization = left.pop().ok_or_else(|| Stop::Skipped(lacking.to_owned()))?;
        self.additions.lock().insert(organization, 0);
        Ok(organization)
    }

    /// Counts an addition.
    fn take_addition(&self) -> Result<(), Stop> {
        match self.adds.take() {
            true => Ok(()),
            false => Err(Stop::Errored(format!(
                "a bug in the case: it adds more than the {} organizations that it announces",
                self.adds.limit()
            ))),
        }
    }

    /// An organization that may be added to a pipeline other than the writable one; `there` are the organizations
    /// already in that pipeline. It stays available for the writable pipeline.
    ///
    /// # Errors
    /// Those of [`organization_to_add`](Self::organization_to_add).
    pub fn organization_to_add_beside(&self, there: &BTreeSet<u64>) -> Result<u64, Stop> {
        self.take_addition()?;
        let mut candidates = self.known().to_add.iter().rev();
        let found = candidates.find(|organization| !there.contains(organization));
        let lacking = "all organizations are there already: name more as organizations under [add]";
        let organization = found.copied().ok_or_else(|| Stop::Skipped(lacking.to_owned()))?;
        self.additions.lock().insert(organization, 0);
        Ok(organization)
    }

    /// An organization as [`organization_to_add`](Self::organization_to_add) returns it: a preferred one as long as one
    /// is left, otherwise any.
    ///
    /// # Errors
    /// Those of [`organization_to_add`](Self::organization_to_add).
    pub fn organization_to_add_among(&self, preferred: impl Fn(u64) -> bool) -> Result<u64, Stop> {
        let mut left = self.shared.to_add.lock();
        // They are taken from the end.
        if let Some(place) = left.iter().rposition(|organization| preferred(*organization)) {
            let chosen = left.remove(place);
            left.push(chosen);
        }
        drop(left);
        self.organization_to_add()
    }

    /// Returns a response that the check builds on, which must be a success. Counts no assertion.
    ///
    /// # Errors
    /// Fails the case when it is not.
    pub fn ok(&self, response: HttpResponse) -> Result<HttpResponse, Stop> {
        if (200..300).contains(&response.status) {
            return Ok(response);
        }
        let finding = self.finding(
            "a request that the check depends on",
            "2xx",
            &response.summary(),
            &[&response],
        );
        let cause = cause::of_response(&[(200, None)], &response);
        let decisions = decisions_of_rejection(self.contract(), &response);
        Err(Stop::Failed(Box::new(finding.because(cause).resting_on(decisions))))
    }

    /// Asserts a condition; `evidence` are the responses that show whether it holds.
    pub fn assert(
        &self,
        holds: bool,
        what: &str,
        expected: impl Display,
        seen: impl Display,
        evidence: &[&HttpResponse],
    ) {
        self.assert_as(None, holds, what, expected, seen, evidence);
    }

    /// Returns the same probe, whose findings have these parameters as their cause, unless their responses show another
    /// one. If some of the parameters fail without the others, on the same operation, those are the cause.
    #[must_use]
    pub fn about<'a>(&self, parameters: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            cause: Some(cause::of_parameters(parameters)),
            ..self.clone()
        }
    }

    /// Returns the same probe, whose findings rest on this sentence of the contract, and have this cause, unless their
    /// responses show another one.
    #[must_use]
    pub fn due_to(&self, cause: &str, place: &str, sentence: &str) -> Self {
        Self {
            cause: Some(cause.to_owned()),
            basis: Some(decisions_of_sentence(self.contract(), place, sentence)),
            ..self.clone()
        }
    }

    /// Asserts a condition of the contract at a place that the case does not cite. A deployment that decided
    /// differently there does not fail a stated case.
    pub fn assert_at(
        &self,
        place: &str,
        holds: bool,
        what: &str,
        expected: impl Display,
        seen: impl Display,
        evidence: &[&HttpResponse],
    ) {
        let decisions = || decisions_at(self.contract(), place);
        let decisions = (!holds).then(decisions);
        self.assert_as(decisions, holds, what, expected, seen, evidence);
    }

    /// Asserts a condition that rests on these decisions; `None` means the basis of its case.
    pub fn assert_as(
        &self,
        decisions: Option<BTreeSet<String>>,
        holds: bool,
        what: &str,
        expected: impl Display,
        seen: impl Display,
        evidence: &[&HttpResponse],
    ) {
        self.judge(holds, || {
            self.finding(what, &expected.to_string(), &seen.to_string(), evidence)
                .resting_on(decisions.or_else(|| self.basis.clone()))
        });
    }

    /// Counts assertions that held.
    pub(crate) fn count(&self, assertions: u64) {
        let mut findings = self.findings.lock();
        (0..assertions).for_each(|_| findings.count());
    }

    /// Asserts a condition shown by these requests, which are shell lines.
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

    /// Redacts a text of the kit.
    pub fn redact(&self, text: &str) -> String {
        self.shared.client.redact(text)
    }

    /// Redacts a text from the deployment.
    pub fn redact_said(&self, text: &str) -> String {
        self.shared.client.secrets().said(text)
    }

    /// The API keys of the target, for searching text from a deployment.
    pub fn keys(&self) -> Secrets {
        self.shared.client.keys()
    }

    /// Creates a mismatch, short enough to read. Every secret that the deployment repeats is removed here.
    pub(crate) fn finding(&self, what: &str, expected: &str, seen: &str, evidence: &[&HttpResponse]) -> Finding {
        let secrets = self.shared.client.secrets();
        let ids = evidence.iter().filter_map(|response| response.header("x-request-id"));
        let of_encoding = || encoded_twice(seen).map(|_| cause::of_encoding_twice());
        let cause = cause::of_evidence(evidence)
            .or_else(|| cause::of_departure(evidence, what, expected, seen))
            .or_else(of_encoding)
            .or_else(|| self.cause.clone());
        let (expected, seen) = difference::excerpts(&secrets, expected, seen);
        Finding {
            what: secrets.written_excerpt(what),
            expected,
            seen: with_meant(seen),
            requests: evidence
                .iter()
                .map(|response| secrets.written(&response.curl))
                .collect(),
            request_ids: ids.map(|id| secrets.excerpt(id)).collect(),
            decisions: self.basis.clone(),
            cause: cause.unwrap_or_default(),
            times: 1,
            steadiness: Steadiness::Unconfirmed,
        }
    }

    /// Asserts that two values are equal. For long values, the first difference is shown, with its place.
    pub fn assert_same(&self, what: &str, expected: &Value, seen: &Value, evidence: &[&HttpResponse]) {
        self.judge(expected == seen, || {
            let (expected, seen) = difference::of_values(expected, seen);
            self.finding(what, &expected, &seen, evidence)
        });
    }

    /// Ends the check when it has nothing to check: the text names what was looked for, such as `an item with a
    /// question`.
    ///
    /// # Errors
    /// Always, so that it can be used with `return`.
    pub fn inconclusive(&self, looked_for: impl Display) -> Result<(), Stop> {
        Err(Stop::not_seen(looked_for))
    }

    pub(crate) fn take_findings(&self) -> Findings {
        std::mem::take(&mut *self.findings.lock())
    }
}
