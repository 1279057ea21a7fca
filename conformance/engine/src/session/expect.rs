//! Assertions on one response.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cause;
use crate::resting::{decisions_at, decisions_of_rejection, member_of_problem};
use crate::session::probe::Probe;
use crate::transport::response::HttpResponse;

/// Assertions on one response.
pub struct Expect<'a> {
    probe: &'a Probe,
    response: &'a HttpResponse,
}

impl Expect<'_> {
    /// Asserts this status.
    pub fn status(self, status: u16) -> Self {
        let is_success = (200..=299).contains(&status);
        let rejection = decisions_of_rejection(self.probe.contract(), self.response);
        self.status_as(rejection.filter(|_| is_success), status)
    }

    /// Asserts this status, where the source states either the status or that the request is rejected: any other
    /// success violates what is stated.
    pub fn stated_status(self, status: u16) -> Self {
        let is_success = (200..=299).contains(&self.response.status);
        self.status_as(is_success.then(BTreeSet::new), status)
    }

    /// Asserts this success, where the target declares that the key may send the request: a denial violates what is
    /// stated.
    pub fn permitted(self, status: u16) -> Self {
        let is_denied = self.response.status == 403;
        self.status_as(is_denied.then(BTreeSet::new), status)
    }

    /// Asserts 200, for a record that searches find: that it is not found violates what is stated.
    pub fn known(self) -> Self {
        let is_unknown = self.response.status == 404;
        self.status_as(is_unknown.then(BTreeSet::new), 200)
    }

    /// Asserts the status of a problem with this code in a response without a body, such as that to HEAD.
    pub fn rejected_without_body(self, status: u16, code: &str) -> Self {
        self.status_because(None, status, Some(code))
    }

    fn status_as(self, decisions: Option<BTreeSet<String>>, status: u16) -> Self {
        self.status_because(decisions, status, None)
    }

    fn status_because(self, decisions: Option<BTreeSet<String>>, status: u16, code: Option<&str>) -> Self {
        let response = self.response;
        self.probe.judge(response.status == status, || {
            let (expected, seen) = (status.to_string(), response.summary());
            let finding = self.probe.finding("status", &expected, &seen, &[response]);
            let cause = cause::of_response(&[(status, code)], response);
            finding.because(cause).resting_on(decisions)
        });
        self
    }

    /// Asserts a problem with this status and code. The basis of the code is the decisions on problems.
    pub fn rejected(self, status: u16, code: &str) -> Self {
        let decisions = (self.response.status == status).then(|| self.decisions_of("code"));
        self.rejected_as(decisions, status, code)
    }

    /// Same as [`rejected`](Self::rejected), where the source states that the request is rejected, but not how: a
    /// success violates what is stated.
    pub fn rejected_as_stated(self, status: u16, code: &str) -> Self {
        let decisions = match self.response.status {
            200..=299 => Some(BTreeSet::new()),
            seen => (seen == status).then(|| self.decisions_of("code")),
        };
        self.rejected_as(decisions, status, code)
    }

    /// Same as [`rejected`](Self::rejected), where the source states the status too: only the code is decided.
    pub fn rejected_with_stated_status(self, status: u16, code: &str) -> Self {
        let decisions = match self.response.status == status {
            true => self.decisions_of("code"),
            false => BTreeSet::new(),
        };
        self.rejected_as(Some(decisions), status, code)
    }

    /// Asserts the same, where the source states the status of a denial, but not that this request is denied: a success
    /// violates what is decided, and so does a key that is unknown or has no quota left.
    pub(crate) fn denied_with_stated_status(self, status: u16, code: &str) -> Self {
        match self.response.status {
            200..=299 | 401 | 429 => self.rejected(status, code),
            _ => self.rejected_with_stated_status(status, code),
        }
    }

    fn rejected_as(self, decisions: Option<BTreeSet<String>>, status: u16, code: &str) -> Self {
        // A deployment's profile may allow errors without a code.
        let has_code = self.probe.contract().errors_have("code");
        let same_code = !has_code || self.response.code() == Some(code);
        let response = self.response;
        self.probe.judge(response.status == status && same_code, || {
            let (expected, seen) = (format!("{status} {code}"), response.summary());
            let cause = cause::of_response(&[(status, Some(code))], response);
            self.probe
                .finding("response", &expected, &seen, &[response])
                .because(cause)
                .resting_on(decisions)
        });
        self
    }

    fn decisions_of(&self, member: &str) -> BTreeSet<String> {
        decisions_at(self.probe.contract(), &member_of_problem(member))
    }

    /// Asserts that its `errors` name an error at this place: `["query", "limit"]`. A response other than 422 passes:
    /// [`rejected`](Self::rejected) asserts the status.
    pub fn fault_at(self, place: &[&str]) -> Self {
        let place = place.iter().copied().map(str::to_owned);
        self.fault_at_any_of(&[place.collect()])
    }

    /// Asserts that its `errors` name an error at one of these places, with the same exception.
    pub(crate) fn fault_at_any_of(self, places: &[Vec<String>]) -> Self {
        if self.response.status != 422 || !self.probe.faults_are_named() {
            return self;
        }
        let shown: Vec<_> = places.iter().map(|place| place.join(".")).collect();
        let (response, probe) = (self.response, self.probe);
        probe.judge(response.names_fault_at_any_of(places), || {
            let expected = format!("an error at {}", shown.join(" or "));
            let seen = response.at("/errors").to_string();
            probe
                .finding("field errors", &expected, &seen, &[response])
                .because(Some(cause::of_member("errors", &response.body)))
                .resting_on(Some(self.decisions_of("errors")))
        });
        self
    }

    /// Asserts that a header has this value.
    pub fn header(self, name: &str, value: &str) -> Self {
        let seen = self.response.header(name);
        let shown = seen.unwrap_or("missing, or more than one");
        let what = cause::of_header(name);
        self.probe.judge(seen == Some(value), || {
            let finding = self.probe.finding(&what, value, shown, &[self.response]);
            finding.because(Some(what.clone()))
        });
        self
    }

    /// Asserts that the node of the body at a JSON Pointer has this value.
    pub fn body(self, pointer: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.probe.assert_same(
            &format!("body at {pointer}"),
            &value,
            self.response.at(pointer),
            &[self.response],
        );
        self
    }
}

impl Probe {
    /// Starts assertions on a response.
    pub fn expect<'a>(&'a self, response: &'a HttpResponse) -> Expect<'a> {
        Expect { probe: self, response }
    }
}
