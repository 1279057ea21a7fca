//! A response that is checked, and the mismatches that it shows.

use std::collections::BTreeSet;

use crate::difference::NOTHING;
use crate::finding::{Finding, Steadiness};
use crate::mojibake::with_meant;
use crate::resting::decisions_at;
use crate::transport::departure::Departure;
use crate::transport::response::HttpResponse;
use platform_contract::Contract;

/// A response, and the mismatches in it.
pub(super) struct Subject<'a> {
    pub(super) contract: &'a Contract,
    pub(super) response: &'a HttpResponse,
    pub(super) mismatches: Vec<Mismatch>,
    /// The departures from which other findings may follow.
    pub(super) departures: Vec<Departure>,
    /// Whether the response shows what the rule is about. If not, it counts only for a mismatch.
    is_exercised: bool,
}

/// A mismatch whose texts are not all redacted: it becomes a [`Finding`] only if it is the first of its kind. A
/// deployment that decided otherwise shows the same one in thousands of responses.
pub(super) struct Mismatch {
    /// Redacted.
    pub(super) what: String,
    expected: String,
    seen: String,
    cause: Option<String>,
    decisions: Option<BTreeSet<String>>,
    /// How often the response shows it.
    pub(super) times: u64,
}

impl<'a> Subject<'a> {
    pub(super) fn new(contract: &'a Contract, response: &'a HttpResponse) -> Self {
        Self {
            contract,
            response,
            mismatches: Vec::new(),
            departures: Vec::new(),
            is_exercised: true,
        }
    }

    /// Notes whether the response shows what the rule is about: an empty page follows every rule of its items.
    pub(super) fn exercises(&mut self, is_exercised: bool) {
        self.is_exercised = is_exercised;
    }

    /// Whether the rule was checked: the response shows what it is about, or a mismatch.
    pub(super) fn is_checked(&self) -> bool {
        self.is_exercised || !self.mismatches.is_empty()
    }

    /// Records a mismatch.
    pub(super) fn record(&mut self, what: impl AsRef<str>, expected: impl Into<String>, seen: impl Into<String>) {
        self.record_as(None, what, expected, seen);
    }

    /// Records a mismatch with what the contract requires at a place.
    pub(super) fn record_at(
        &mut self,
        place: &str,
        what: impl AsRef<str>,
        expected: impl Into<String>,
        seen: impl Into<String>,
    ) {
        let decisions = Some(decisions_at(self.contract, place));
        self.record_as(decisions, what, expected, seen);
    }

    pub(super) fn record_as(
        &mut self,
        decisions: Option<BTreeSet<String>>,
        what: impl AsRef<str>,
        expected: impl Into<String>,
        seen: impl Into<String>,
    ) {
        self.mismatches.push(Mismatch {
            what: self.response.secrets.written_excerpt(what.as_ref()),
            expected: expected.into(),
            seen: seen.into(),
            cause: None,
            decisions,
            times: 1,
        });
    }

    /// Counts the mismatch at a position once more.
    pub(super) fn repeats(&mut self, position: usize) {
        if let Some(mismatch) = self.mismatches.get_mut(position) {
            mismatch.times += 1;
        }
    }

    /// Gives the last mismatch a cause other than its own text.
    pub(super) fn because(&mut self, cause: String) {
        if let Some(mismatch) = self.mismatches.last_mut() {
            mismatch.cause = Some(cause);
        }
    }
}

impl Subject<'_> {
    /// Gives the last mismatch a cause from which other findings may follow: those about this member, or about anything
    /// in the body.
    pub(super) fn departs(&mut self, member: Option<&str>, cause: String) {
        let departure = Departure {
            member: member.map(str::to_owned),
            cause: self.response.secrets.excerpt(&cause),
        };
        // The causes of errors are those of their members.
        if self.response.status < 300 && !self.departures.contains(&departure) {
            self.departures.push(departure);
        }
        self.because(cause);
    }
}

impl Mismatch {
    /// The finding, short enough to read. Every secret that the deployment repeats is removed here.
    pub(super) fn into_finding(self, response: &HttpResponse) -> Finding {
        let secrets = &response.secrets;
        let id = response.header("x-request-id");
        Finding {
            cause: match self.cause {
                Some(cause) => secrets.excerpt(&cause),
                None => self.what.clone(),
            },
            what: self.what,
            expected: secrets.written_excerpt(&self.expected),
            seen: match self.seen.as_str() {
                "" => NOTHING.to_owned(),
                seen => with_meant(secrets.excerpt(seen)),
            },
            requests: vec![secrets.written(&response.curl)],
            request_ids: id.map(|id| secrets.excerpt(id)).into_iter().collect(),
            decisions: self.decisions,
            times: self.times,
            steadiness: Steadiness::Unconfirmed,
        }
    }
}
