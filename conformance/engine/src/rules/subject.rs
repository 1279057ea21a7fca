//! A response that is checked, and the mismatches that it shows.

use std::collections::BTreeSet;

use crate::finding::{Finding, Steadiness};
use crate::resting::decisions_at;
use crate::transport::answer::Answer;
use platform_contract::Contract;

/// A response, and the findings in it.
pub(super) struct Subject<'a> {
    pub(super) contract: &'a Contract,
    pub(super) answer: &'a Answer,
    pub(super) findings: Vec<Finding>,
}

impl Subject<'_> {
    /// Records a mismatch, short enough to read. Every secret that the deployment repeats is removed here.
    pub(super) fn record(
        &mut self,
        what: impl AsRef<str>,
        expected: impl AsRef<str>,
        seen: impl AsRef<str>,
    ) {
        self.record_as(None, what, expected, seen);
    }

    /// Records a mismatch with what the contract requires at a place.
    pub(super) fn record_at(
        &mut self,
        place: &str,
        what: impl AsRef<str>,
        expected: impl AsRef<str>,
        seen: impl AsRef<str>,
    ) {
        let decisions = Some(decisions_at(self.contract, place));
        self.record_as(decisions, what, expected, seen);
    }

    pub(super) fn record_as(
        &mut self,
        decisions: Option<BTreeSet<String>>,
        what: impl AsRef<str>,
        expected: impl AsRef<str>,
        seen: impl AsRef<str>,
    ) {
        let secrets = &self.answer.secrets;
        let id = self.answer.header("x-request-id");
        let what = secrets.written_excerpt(what.as_ref());
        self.findings.push(Finding {
            cause: what.clone(),
            what,
            expected: secrets.written_excerpt(expected.as_ref()),
            seen: secrets.excerpt(seen.as_ref()),
            requests: vec![secrets.written(&self.answer.curl)],
            request_ids: id.map(|id| secrets.excerpt(id)).into_iter().collect(),
            decisions,
            times: 1,
            steadiness: Steadiness::Unconfirmed,
        });
    }

    /// Gives the last mismatch a cause other than its own text.
    pub(super) fn because(&mut self, cause: String) {
        if let Some(finding) = self.findings.last_mut() {
            finding.cause = self.answer.secrets.excerpt(&cause);
        }
    }
}
