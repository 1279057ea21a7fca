//! A second check of failures, with nothing remembered of the first: findings that are found again are steady, those
//! that are not are flaky, and those that could not be checked stay unconfirmed. All of them still count.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::case::{Ask, Case};
use crate::cause;
use crate::finding::Finding;
use crate::rules::{SchemaCheck, Seen};
use crate::run::look::{Adding, CaseRun, look};
use crate::run::progress::{compares, has_progressed};
use crate::session::Shared;
use crate::session::observed::Known;
use crate::transport::budget::RequestBudget;
use crate::transport::client::Client;
use crate::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// How often a case is run again while questions are answered.
const LOOKS: usize = 3;
/// How many mismatches of one operation and status get a second check.
const LOOKED_AT_AGAIN: usize = 10;

/// A case that is run again with nothing remembered of the first look, so that it takes its own walks.
pub(crate) struct Again<'a> {
    pub(crate) case: &'a Case,
    pub(crate) check: &'a Ask,
    pub(crate) shared: &'a Arc<Shared>,
    /// The budget for its requests.
    pub(crate) second_looks: &'a Arc<RequestBudget>,
}

impl Again<'_> {
    /// Runs the case with this known data of the deployment. The finding that ended a look is among its findings.
    pub(crate) async fn look(&self, known: Known) -> (CaseRun, Outcome) {
        let (looked, outcome, _) = self.look_and_keep(known).await;
        (looked, outcome)
    }

    /// Does the same, and also returns what the look remembers.
    async fn look_and_keep(&self, known: Known) -> (CaseRun, Outcome, Arc<Shared>) {
        let most = self.case.request_limit(self.shared.property_runs) + self.case.walks;
        let budget = Arc::new(RequestBudget::within(Arc::clone(self.second_looks), most));
        let fresh = Arc::new(self.fresh(known, Arc::clone(&budget)));
        let (mut looked, mut outcome, _) = look(self.case, self.check, &fresh, budget, Adding::No).await;
        keep_finding(&mut looked, &mut outcome);
        (looked, outcome, fresh)
    }

    /// The shared state of a look that remembers nothing.
    pub(crate) fn fresh(&self, known: Known, budget: Arc<RequestBudget>) -> Shared {
        let contract = Arc::clone(self.shared.schema_check.contract());
        Shared::new(
            Arc::clone(&self.shared.client),
            // Responses are watched only in the first look, so that nothing is counted twice.
            Arc::new(SchemaCheck::new(contract, false)),
            known,
            (Arc::clone(&budget), budget),
            (self.shared.seed, self.shared.property_runs),
        )
        .with_search_forms(self.shared.search_forms.clone())
        .with_ready_within(self.shared.ready_within)
    }

    /// Runs a failed case a second time, if the budget allows it, and marks its findings by the result. If questions
    /// were answered between the two looks, a finding that compares responses counts only if it shows in a look without
    /// such progress.
    pub(crate) async fn confirm(&self, looked: &mut CaseRun, outcome: &mut Outcome) {
        let mut before = Arc::clone(self.shared);
        let mut has_moved = false;
        for _ in 0..LOOKS {
            let (again, ended, fresh) = self.look_and_keep(self.shared.known.clone()).await;
            looked.requests += again.requests;
            let is_found = |finding: &Finding| {
                let mut found = again.findings.as_slice().iter();
                found.any(|other| is_same(other, finding))
            };
            // When it did not finish, absent findings prove nothing.
            let mark = |finding: &Finding| (is_found(finding) || ended.is_ok()).then(|| is_found(finding));
            let moves = has_progressed(&before, &fresh);
            has_moved |= moves;
            // One response of a gateway is trouble. A repeated one may be due to the deployment.
            looked
                .findings
                .keep(|finding| !is_of_gateway(finding) || is_found(finding));
            if looked.findings.is_empty() {
                let reason = "a gateway responded instead of the deployment";
                *outcome = Err(Stop::Errored(reason.to_owned()));
                return;
            }
            if has_moved && ended.is_ok() {
                looked.findings.keep(|finding| !compares(finding) || is_found(finding));
            }
            looked.findings.mark(mark);
            if !moves || !looked.findings.as_slice().iter().any(compares) {
                return;
            }
            before = fresh;
        }
        looked.findings.keep(|finding| !compares(finding));
        if looked.findings.is_empty() {
            let reason = "questions were answered during every check of this";
            *outcome = Err(Stop::Inconclusive(reason.to_owned()));
        }
    }
}

/// Keeps the finding that ended a look among its findings.
pub(crate) fn keep_finding(looked: &mut CaseRun, outcome: &mut Outcome) {
    if let Err(Stop::Failed(finding)) = outcome {
        looked.findings.record((**finding).clone());
        *outcome = Ok(());
    }
}

/// Whether two findings are the same difference: the same request shows it, with a response of the same status and
/// code.
pub(crate) fn is_same(one: &Finding, other: &Finding) -> bool {
    let kind = |finding: &Finding| kind_of_response(&finding.seen).to_owned();
    one.what == other.what && one.requests == other.requests && kind(one) == kind(other)
}

/// Whether a finding shows the response of a gateway: one of its statuses, without a code.
fn is_of_gateway(finding: &Finding) -> bool {
    matches!(kind_of_response(&finding.seen), "502" | "503" | "504") && cause::is_of_failure(&finding.cause)
}

/// The status and the code of a response, if a text begins with them: a status is followed by a space. The rest of a
/// body differs between responses.
pub(crate) fn kind_of_response(seen: &str) -> &str {
    let is_status =
        |(status, rest): &(&str, &str)| rest.starts_with(' ') && status.bytes().all(|byte| byte.is_ascii_digit());
    let Some((status, rest)) = seen.split_at_checked(3).filter(is_status) else {
        return "";
    };
    let is_code = |text: &str| text.bytes().all(|byte| matches!(byte, b' ' | b'_' | b'a'..=b'z'));
    match rest.split_once(':') {
        Some((code, _)) if is_code(code) => &seen[..3 + code.len()],
        _ => status,
    }
}

/// Repeats the reads that showed a mismatch, and marks the mismatches by the result. Returns the number of requests.
pub(crate) async fn ask_again(
    contract: &Arc<Contract>,
    client: Arc<Client>,
    second_looks: Arc<RequestBudget>,
    case: &str,
    seen: &mut Seen,
) -> u64 {
    let mut again = BTreeMap::new();
    for finding in seen.findings.as_slice().iter().take(LOOKED_AT_AGAIN) {
        let shown = seen.shown_by.get(&finding.what);
        let Some(shown) = shown.filter(|shown| shown.request.is_plain_read()) else {
            continue;
        };
        // A mismatch that cannot be checked again stays as it is.
        let Ok(response) = client
            .send(&shown.request, &second_looks, &RequestBudget::of(0), Some(case))
            .await
        else {
            continue;
        };
        let check = SchemaCheck::new(Arc::clone(contract), true);
        check.observe(shown.operation.as_ref(), &shown.path, &response);
        again.insert(finding.what.clone(), check.has_found(&finding.what));
    }
    seen.findings.mark(|finding| again.get(&finding.what).copied());
    u64::try_from(again.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Steadiness;

    #[test]
    fn status_and_code_are_the_kind_of_a_response() {
        assert_eq!(
            kind_of_response("422 validation_failed: limit is 0"),
            "422 validation_failed"
        );
        assert_eq!(kind_of_response("502 <html>: nginx</html>"), "502");
        assert_eq!(kind_of_response("502 "), "502");
        assert_eq!(kind_of_response("[1, 2]"), "");
        assert_eq!(kind_of_response("5024"), "");
    }

    #[test]
    fn only_a_response_with_its_status_is_of_a_gateway() {
        let finding = |seen: &str, cause: &str| Finding {
            what: "the response".to_owned(),
            expected: String::new(),
            seen: seen.to_owned(),
            requests: Vec::new(),
            request_ids: Vec::new(),
            decisions: None,
            cause: cause.to_owned(),
            times: 1,
            steadiness: Steadiness::Unconfirmed,
        };
        assert!(is_of_gateway(&finding("502 <html>", "status 502")));
        assert!(!is_of_gateway(&finding("500 <html>", "status 500")));
        for seen in ["5024", "503 results, without it"] {
            assert!(!is_of_gateway(&finding(seen, "")), "{seen}");
        }
    }
}
