//! Assertions on one response.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cause;
use crate::resting::{decisions_at, member_of_problem};
use crate::session::probe::Probe;
use crate::transport::answer::Answer;

/// Assertions on one response.
pub struct Expect<'a> {
    probe: &'a Probe,
    answer: &'a Answer,
}

impl Expect<'_> {
    /// Asserts this status.
    pub fn status(self, status: u16) -> Self {
        let answer = self.answer;
        self.probe.judge(answer.status == status, || {
            let (expected, seen) = (status.to_string(), answer.summary());
            let finding = self.probe.finding("status", &expected, &seen, &[answer]);
            finding.because(cause::of_answer(&[(status, None)], answer))
        });
        self
    }

    /// Asserts a problem with this status and code. The basis of the code is the decisions on problems.
    pub fn refused(self, status: u16, code: &str) -> Self {
        let decisions = (self.answer.status == status).then(|| self.decisions_of("code"));
        self.refused_as(decisions, status, code)
    }

    /// Asserts the same, where the source states that the request is refused, but not how: a success violates what is
    /// stated.
    pub fn refused_as_stated(self, status: u16, code: &str) -> Self {
        let decisions = match self.answer.status {
            200..=299 => Some(BTreeSet::new()),
            seen => (seen == status).then(|| self.decisions_of("code")),
        };
        self.refused_as(decisions, status, code)
    }

    /// Asserts this status with any code. The source states that the request is refused, but not how: a success
    /// violates what is stated.
    pub fn status_of_stated_refusal(self, status: u16) -> Self {
        let answer = self.answer;
        let is_success = (200..=299).contains(&answer.status);
        let decisions = is_success.then(BTreeSet::new);
        self.probe.judge(answer.status == status, || {
            let (expected, seen) = (status.to_string(), answer.summary());
            let finding = self.probe.finding("status", &expected, &seen, &[answer]);
            let cause = cause::of_answer(&[(status, None)], answer);
            finding.because(cause).resting_on(decisions)
        });
        self
    }

    fn refused_as(self, decisions: Option<BTreeSet<String>>, status: u16, code: &str) -> Self {
        // A deployment's profile may allow errors without a code.
        let has_code = self.probe.contract().errors_have("code");
        let same_code = !has_code || self.answer.code() == Some(code);
        let answer = self.answer;
        self.probe.judge(answer.status == status && same_code, || {
            let (expected, seen) = (format!("{status} {code}"), answer.summary());
            let cause = cause::of_answer(&[(status, Some(code))], answer);
            self.probe
                .finding("response", &expected, &seen, &[answer])
                .because(cause)
                .resting_on(decisions)
        });
        self
    }

    fn decisions_of(&self, member: &str) -> BTreeSet<String> {
        decisions_at(self.probe.contract(), &member_of_problem(member))
    }

    /// Asserts that its `errors` name a fault at this place: `["query", "limit"]`. A response other than 422 passes:
    /// [`refused`](Self::refused) asserts the status.
    pub fn fault_at(self, place: &[&str]) -> Self {
        let place = place.iter().copied().map(str::to_owned);
        self.fault_at_any_of(&[place.collect()])
    }

    /// Asserts that its `errors` name a fault at one of these places, with the same exception.
    pub(crate) fn fault_at_any_of(self, places: &[Vec<String>]) -> Self {
        if self.answer.status != 422 || !self.probe.faults_are_named() {
            return self;
        }
        let shown: Vec<_> = places.iter().map(|place| place.join(".")).collect();
        let (answer, probe) = (self.answer, self.probe);
        probe.judge(answer.names_fault_at_any_of(places), || {
            let expected = format!("a fault at {}", shown.join(" or "));
            let seen = answer.at("/errors").to_string();
            probe
                .finding("field errors", &expected, &seen, &[answer])
                .because(Some(cause::of_member("errors", &answer.body)))
                .resting_on(Some(self.decisions_of("errors")))
        });
        self
    }

    /// Asserts that a header has this value.
    pub fn header(self, name: &str, value: &str) -> Self {
        let seen = self.answer.header(name);
        let shown = seen.unwrap_or("missing, or more than one");
        let what = cause::of_header(name);
        self.probe.judge(seen == Some(value), || {
            let finding = self.probe.finding(&what, value, shown, &[self.answer]);
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
            self.answer.at(pointer),
            &[self.answer],
        );
        self
    }
}

impl Probe {
    /// Starts assertions on a response.
    pub fn expect<'a>(&'a self, answer: &'a Answer) -> Expect<'a> {
        Expect { probe: self, answer }
    }
}
