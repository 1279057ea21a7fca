//! Checks every response that any case receives against the contract: a declared status, a declared media type, the
//! headers, the body against its schema, an error that agrees with its status.
//!
//! Mismatches are kept by operation and status until the cases of the group `schema` are judged.

mod body;
mod deprecation;
pub mod entry;
mod fault_kind;
mod history;
pub mod internals;
pub mod item;
mod mismatch;
mod page;
mod problem;
mod subject;
pub mod time;
mod topic;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, OnceLock};

use jsonschema::Validator;
use parking_lot::Mutex;
use serde_json::Value;

use crate::cause;
use crate::finding::{Finding, Findings};
use crate::rules::deprecation::check_deprecation;
use crate::rules::fault_kind::check_kinds;
use crate::rules::history::{History, Look};
use crate::rules::internals::check_internals;
use crate::rules::item::Identities;
use crate::rules::page::{Scored, Totals};
use crate::rules::problem::check_problem;
use crate::rules::subject::Subject;
pub(crate) use crate::rules::topic::looked_for;
pub use crate::rules::topic::{
    ANY, DEPRECATION, HISTORY, INTERNALS, LENGTHS, OTHER_STATUS, PROBLEM_TYPE, RANKING, REMAINDERS, RESULTS, SCORES,
    UNROUTED,
};
use crate::transport::departure::{Departure, ITEM_ID};
use crate::transport::request::Request;
use crate::transport::response::HttpResponse;
use crate::verdict::Level;
use platform_contract::{Basis, Contract, Header, Operation, Response as DeclaredResponse, to_json_schema};

/// The limit on codes whose types are remembered, and on the length of both.
const CODES: usize = 1_000;
const LONGEST_CODE: usize = 1_000;

/// The checks of all responses, and their findings.
pub(crate) struct SchemaCheck {
    contract: Arc<Contract>,
    watching: bool,
    /// The validators of a contract other than the bundled one.
    own: OnceLock<Validators>,
    seen: Mutex<BTreeMap<(String, String), Seen>>,
    /// The first observed `type` of each `code`.
    types: Mutex<BTreeMap<String, String>>,
    /// What single reads showed of items.
    history: Mutex<History>,
    /// The identities of items.
    identities: Mutex<Identities>,
    /// The totals of pipelines.
    totals: Mutex<Totals<WrongPage>>,
    /// Which searches have shown scores.
    scored: Mutex<Scored>,
    /// The cause if items have no ids.
    without_ids: OnceLock<String>,
}

/// The findings in the responses of an operation with a status.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) findings: Findings,
    /// The first request that showed each mismatch, by its text.
    pub(crate) shown_by: BTreeMap<String, Shown>,
}

/// A request that showed a mismatch.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) operation: Option<Arc<Operation>>,
    /// The path, without its query.
    pub(crate) path: String,
    pub(crate) request: Arc<Request>,
}

/// A page that is shorter or longer than what is left of its pipeline.
#[derive(Debug)]
struct WrongPage {
    operation: Arc<Operation>,
    response: HttpResponse,
    shown: Shown,
}

/// The schemas of all responses of the contract, compiled once per process.
static VALIDATORS: LazyLock<Validators> = LazyLock::new(|| validators(Contract::bundled()));

/// Validators by their schemas as written in the contract.
type Validators = BTreeMap<String, Validator>;

fn validators(contract: &Contract) -> Validators {
    let responses = contract.operations().iter();
    let responses = responses.flat_map(|operation| &operation.responses);
    let schemas = responses.flat_map(|declared_response| {
        let bodies = declared_response.content.iter().map(|(_, schema)| schema);
        bodies.chain(declared_response.headers.iter().map(|header| &header.schema))
    });
    let mut validators = BTreeMap::new();
    for schema in schemas {
        let known = validators.contains_key(&schema.to_string());
        let options = || jsonschema::draft202012::options().should_validate_formats(true);
        if !known && let Ok(validator) = options().build(&to_json_schema(contract, schema)) {
            validators.insert(schema.to_string(), validator);
        }
    }
    validators
}

impl SchemaCheck {
    /// Prepares the checks. Nothing is checked without a `watching` case.
    pub(crate) fn new(contract: Arc<Contract>, watching: bool) -> Self {
        Self {
            contract,
            watching,
            own: OnceLock::new(),
            seen: Mutex::default(),
            types: Mutex::default(),
            history: Mutex::default(),
            identities: Mutex::default(),
            totals: Mutex::default(),
            scored: Mutex::default(),
            without_ids: OnceLock::new(),
        }
    }

    /// The contract that responses are checked against.
    pub(crate) fn contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    fn validator(&self, schema: &Value) -> Option<&Validator> {
        let is_bundled = Arc::ptr_eq(&self.contract, Contract::bundled());
        let validators = if is_bundled {
            &*VALIDATORS
        } else {
            self.own.get_or_init(|| validators(&self.contract))
        };
        validators.get(&schema.to_string())
    }

    /// Checks a response of an operation, or of no operation, against the contract. Returns how its body departs from
    /// its schema.
    pub(crate) fn observe(
        &self,
        operation: Option<&Arc<Operation>>,
        path: &str,
        response: &HttpResponse,
    ) -> Vec<Departure> {
        if !self.watching {
            return self.departures(operation, response);
        }
        let mut subject = Subject::new(&self.contract, response);
        let shown = || Shown {
            operation: operation.cloned(),
            path: path.to_owned(),
            request: Arc::clone(&response.request),
        };
        let unrouted = self.contract.unrouted_response(response.status);
        let early = self.contract.early_response(response.status);
        let code = response.code().unwrap_or_default();
        let declared_response = match operation {
            // Its code shows that the request was rejected before it reached an operation.
            _ if early.as_ref().is_some_and(|early| early.codes.contains(code)) => early.as_ref(),
            Some(operation) => operation.response(response.status),
            None => unrouted.as_ref(),
        };
        let name = operation.map_or(UNROUTED, |operation| &operation.id);
        let status = match declared_response {
            Some(declared_response)
                if declared_response.status.len() == 3 && !declared_response.status.ends_with("XX") =>
            {
                self.count(name, OTHER_STATUS, Subject::new(&self.contract, response), None);
                declared_response.status.clone()
            }
            _ => {
                let declared = operation.map(|operation| &operation.responses).into_iter().flatten();
                let declared: Vec<_> = declared
                    .map(|declared_response| declared_response.status.as_str())
                    .collect();
                let expected = format!("one of {}, and never a server error", declared.join(", "));
                let what = format!("status {}", response.status);
                // Where the source states the status of a success, there is no other. It does not know HEAD.
                let is_another_success = (200..300).contains(&response.status)
                    && operation.is_some_and(|operation| {
                        response.request.method == operation.method && has_stated_success(&self.contract, operation)
                    });
                let decisions = is_another_success.then(BTreeSet::new);
                subject.record_as(decisions, what, expected, response.summary());
                if let Some(cause) = cause::of_evidence(&[response]) {
                    subject.because(cause);
                }
                OTHER_STATUS.to_owned()
            }
        };
        // A response that a proxy sends instead has another body and other headers.
        if let Some(declared_response) = declared_response.filter(|_| !is_of_a_proxy(response)) {
            self.check_body(declared_response, &mut subject);
            self.check_headers(declared_response, &mut subject);
            if response.status >= 400 {
                check_problem(&self.contract, declared_response, path, &mut subject);
            }
            if let Some(operation) = operation {
                check_kinds(&self.contract, operation, &mut subject);
            }
        }
        let departures = self.noted(std::mem::take(&mut subject.departures));
        subject.exercises(!response.is_empty_page());
        self.count(name, &status, subject, Some(&shown));
        self.observe_type(response);
        let mut subject = Subject::new(&self.contract, response);
        check_deprecation(&mut subject);
        self.count(ANY, DEPRECATION, subject, Some(&shown));
        if response.status >= 400 {
            let mut subject = Subject::new(&self.contract, response);
            check_internals(&mut subject);
            self.count(ANY, INTERNALS, subject, Some(&shown));
        }
        let of_items = operation.filter(|operation| !operation.is_search() && response.status < 300);
        if let Some(operation) = of_items.filter(|_| response.body.is_object()) {
            self.observe_items(response);
            self.check_items(operation, path, response, &shown);
        }
        if let Some(operation) = operation.filter(|_| response.status == 200) {
            self.observe_page(operation, path, response, &shown);
        }
        departures
    }

    /// How the body of a success departs from its schema.
    fn departures(&self, operation: Option<&Arc<Operation>>, response: &HttpResponse) -> Vec<Departure> {
        let declared = operation.filter(|_| response.status < 300);
        let mut subject = Subject::new(&self.contract, response);
        if let Some(declared) = declared.and_then(|operation| operation.response(response.status)) {
            self.check_body(declared, &mut subject);
        }
        self.noted(subject.departures)
    }

    /// Remembers whether items have ids that the kit can send.
    fn noted(&self, departures: Vec<Departure>) -> Vec<Departure> {
        let is_of_id = |departure: &&Departure| departure.member.as_deref() == Some(ITEM_ID);
        if let Some(departure) = departures.iter().find(is_of_id) {
            self.without_ids.get_or_init(|| departure.cause.clone());
        }
        departures
    }

    /// The departure behind a response to a request for an item whose id could not be read.
    pub(crate) fn without_ids(&self) -> Option<Departure> {
        let cause = self.without_ids.get()?.clone();
        Some(Departure { member: None, cause })
    }

    /// Checks the length of a page, and the order and the scores of its results.
    fn observe_page(&self, operation: &Arc<Operation>, path: &str, response: &HttpResponse, shown: &dyn Fn() -> Shown) {
        let mut subject = Subject::new(&self.contract, response);
        if page::is_list(operation) {
            page::check_length(operation, &mut subject);
            self.count(ANY, LENGTHS, subject, Some(shown));
            self.observe_remainder(operation, path, response, shown);
        } else if page::is_ranked(operation) {
            page::check_ranking(&mut subject);
            self.count(ANY, RANKING, subject, Some(shown));
        }
        if operation.is_search() {
            let mut subject = Subject::new(&self.contract, response);
            page::check_repeats(operation, &mut subject);
            self.count(ANY, RESULTS, subject, Some(shown));
            let mut subject = Subject::new(&self.contract, response);
            page::check_scores(operation, &mut subject, &mut self.scored.lock());
            // That others have scores takes another response.
            self.count(ANY, SCORES, subject, None);
        }
    }

    /// Checks that a page holds what is left of its pipeline. A wrong page counts once its total is certain.
    fn observe_remainder(
        &self,
        operation: &Arc<Operation>,
        path: &str,
        response: &HttpResponse,
        shown: &dyn Fn() -> Shown,
    ) {
        let mut subject = Subject::new(&self.contract, response);
        let total = page::check_remainder(operation, &mut subject);
        let (Some(pipeline), Some(total)) = (item::pipeline_in(path), total) else {
            return;
        };
        let wrong = (!subject.mismatches.is_empty()).then(|| WrongPage {
            operation: Arc::clone(operation),
            response: response.clone(),
            shown: shown(),
        });
        if wrong.is_none() {
            self.count(ANY, REMAINDERS, subject, None);
        }
        let certain = self.totals.lock().observe(pipeline, total, Look::of(response), wrong);
        self.count_wrong(certain);
    }

    fn count_wrong(&self, pages: Vec<WrongPage>) {
        for page in pages {
            let mut subject = Subject::new(&self.contract, &page.response);
            page::check_remainder(&page.operation, &mut subject);
            self.count(ANY, REMAINDERS, subject, Some(&|| page.shown.clone()));
        }
    }

    /// Checks the items or the status that a response shows.
    fn check_items(&self, operation: &Operation, path: &str, response: &HttpResponse, shown: &dyn Fn() -> Shown) {
        for (topic, subject) in item::check(&self.contract, operation, path, response, &self.identities) {
            let takes_two = [item::UNIQUE, item::IDENTITY].contains(&topic);
            self.count(ANY, topic, subject, (!takes_two).then_some(shown));
        }
    }

    /// Compares the items of a response with what earlier responses showed of them.
    fn observe_items(&self, response: &HttpResponse) {
        let look = Look::of(response);
        let mut history = self.history.lock();
        let changes: Vec<_> = match response.at("/items").as_array() {
            Some(listed) => listed
                .iter()
                .filter_map(|item| history.compare(item, look, false))
                .collect(),
            None => history.compare(&response.body, look, true).into_iter().collect(),
        };
        drop(history);
        if changes.is_empty() {
            return;
        }
        let mut subject = Subject::new(&self.contract, response);
        for change in changes.into_iter().flatten() {
            let expected = format!("{}, as in an earlier response", change.was);
            subject.record("the status of a question that had a final one", expected, change.is);
        }
        // A violation takes two responses.
        self.count(ANY, HISTORY, subject, None);
    }

    /// Checks that each code has its own URI.
    fn observe_type(&self, response: &HttpResponse) {
        let (Some(code), Some(kind)) = (response.code(), response.at("/type").as_str()) else {
            return;
        };
        let mut types = self.types.lock();
        let is_first = types.is_empty();
        let is_room = types.len() < CODES || types.contains_key(code);
        if !is_room || code.len().max(kind.len()) > LONGEST_CODE {
            return;
        }
        let known = types.entry(code.to_owned()).or_insert_with(|| kind.to_owned());
        let mut subject = Subject::new(&self.contract, response);
        let said = |text: &str| response.secrets.said(text);
        let what = || format!("field type of the error code {}", said(code));
        if known != kind {
            let expected = format!("{}, as in another response", said(known));
            subject.record(what(), expected, kind);
        }
        let same = types.iter().find(|(other, known)| *other != code && *known == kind);
        if let Some((other, _)) = same {
            let expected = format!("a URI other than that of {}", said(other));
            subject.record(what(), expected, kind);
        }
        drop(types);
        subject.exercises(!is_first);
        // A violation takes two responses.
        self.count(ANY, PROBLEM_TYPE, subject, None);
    }

    /// The findings in the responses of an operation with a status, and the number of those responses.
    pub(crate) fn seen(&self, operation: &str, status: &str) -> Seen {
        let steady = self.totals.lock().take_steady();
        self.count_wrong(steady);
        let seen = self.seen.lock();
        let asked_for = seen.get(&(operation.to_owned(), status.to_owned()));
        asked_for.cloned().unwrap_or_default()
    }

    /// Whether any response had a finding that fails a run at this level.
    pub(crate) fn has_findings(&self, level: Level) -> bool {
        let counts =
            |finding: &Finding| level == Level::Contract || finding.decisions.as_ref().is_some_and(BTreeSet::is_empty);
        let seen = self.seen.lock();
        let mut findings = seen.values().flat_map(|seen| seen.findings.as_slice());
        findings.any(counts)
    }

    /// Whether this mismatch was found in any response.
    pub(crate) fn has_found(&self, what: &str) -> bool {
        let seen = self.seen.lock();
        seen.values().any(|seen| seen.shown_by.contains_key(what))
    }

    fn count(&self, operation: &str, status: &str, subject: Subject<'_>, shown: Option<&dyn Fn() -> Shown>) {
        if !subject.is_checked() {
            return;
        }
        let mut seen = self.seen.lock();
        let seen = seen.entry((operation.to_owned(), status.to_owned())).or_default();
        seen.findings.count();
        for mismatch in subject.mismatches {
            if let Some(shown) = shown.filter(|_| !seen.shown_by.contains_key(&mismatch.what)) {
                seen.shown_by.insert(mismatch.what.clone(), shown());
            }
            if !seen.findings.count_again(&mismatch.what, mismatch.times) {
                let finding = mismatch.into_finding(subject.response);
                seen.findings.record(finding);
            }
        }
    }

    fn check_headers(&self, declared_response: &DeclaredResponse, subject: &mut Subject<'_>) {
        for header in &declared_response.headers {
            let values: Vec<_> = subject.response.headers.get_all(&header.name).iter().collect();
            let what = cause::of_header(&header.name);
            let place = format!("{}/headers/{}", declared_response.pointer, header.name);
            match values[..] {
                [] if header.required => {
                    let place = format!("{place}/required");
                    subject.record_at(&place, what, "present", "missing");
                }
                [] => {}
                [value] => {
                    let text = value.to_str().unwrap_or_default();
                    if !self.header_fits(header, text) {
                        subject.record_at(
                            &format!("{place}/schema"),
                            what,
                            format!("a value that fits the schema: {}", header.schema),
                            text,
                        );
                    }
                }
                _ => subject.record_at(&place, what, "present once", format!("{values:?}")),
            }
        }
    }

    fn header_fits(&self, header: &Header, text: &str) -> bool {
        let schema = self.contract.resolve(&header.schema);
        let value = match schema["type"].as_str() {
            Some("integer") => text.parse::<i64>().map_or(Value::Null, Value::from),
            _ => Value::from(text),
        };
        self.validator(&header.schema)
            .is_none_or(|validator| validator.is_valid(&value))
    }
}

/// Whether the response probably comes from a proxy: a server error that is not a problem document.
fn is_of_a_proxy(response: &HttpResponse) -> bool {
    let media_type = response.header("content-type").unwrap_or_default();
    response.status >= 500 && !media_type.starts_with("application/problem+json")
}

/// Whether the source states the status of an operation's success. Of a search it states the content alone.
fn has_stated_success(contract: &Contract, operation: &Operation) -> bool {
    if operation.is_search() {
        return false;
    }
    let mut successes = operation
        .responses
        .iter()
        .filter(|response| response.status.starts_with('2'));
    successes.any(|response| contract.basis(&response.pointer) == Some(Basis::Stated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_response_schema_compiles() {
        let operations = Contract::bundled().operations().iter();
        for declared_response in operations.flat_map(|operation| &operation.responses) {
            for (_, schema) in &declared_response.content {
                assert!(VALIDATORS.contains_key(&schema.to_string()), "{schema}");
            }
        }
    }
}
