//! A second look at what failed, with nothing remembered of the first: what is found again is steady, what is
//! not is flaky, and what could not be looked at stays unconfirmed. All of it still counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::case::{Ask, Case};
use crate::finding::Finding;
use crate::rules::{SchemaCheck, Seen};
use crate::run::look::{Adding, Verdicted, look};
use crate::session::Shared;
use crate::session::observed::Known;
use crate::transport::account::Account;
use crate::transport::client::Client;
use crate::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// How many mismatches of one operation and status are looked at a second time.
const LOOKED_AT_AGAIN: usize = 10;

/// A case that is looked at again, with nothing remembered of the first look, so that it walks for itself.
pub(crate) struct Again<'a> {
    pub(crate) case: &'a Case,
    pub(crate) check: &'a Ask,
    pub(crate) shared: &'a Arc<Shared>,
    /// What pays for it.
    pub(crate) second_looks: &'a Arc<Account>,
}

impl Again<'_> {
    /// Looks at the case of a deployment of which this is known. The finding that ended a look is among its findings.
    pub(crate) async fn look(&self, known: Known) -> (Verdicted, Outcome) {
        let most = self.case.most(self.shared.walks) + self.case.walks;
        let account = Arc::new(Account::within(Arc::clone(self.second_looks), most));
        let fresh = Arc::new(self.fresh(known, Arc::clone(&account)));
        let (mut looked, mut outcome, _) =
            look(self.case, self.check, &fresh, account, Adding::No).await;
        keep_finding(&mut looked, &mut outcome);
        (looked, outcome)
    }

    /// What a look works with that remembers nothing.
    pub(crate) fn fresh(&self, known: Known, account: Arc<Account>) -> Shared {
        let contract = Arc::clone(self.shared.schema_check.contract());
        Shared::new(
            Arc::clone(&self.shared.client),
            // What is answered was watched once; nothing is counted twice.
            Arc::new(SchemaCheck::new(contract, false)),
            known,
            (Arc::clone(&account), account),
            (self.shared.seed, self.shared.walks),
        )
        .with_ready_within(self.shared.ready_within)
    }

    /// Looks a second time at what failed, when it is paid for, and marks what was found by it.
    pub(crate) async fn confirm(&self, looked: &mut Verdicted) {
        let (again, ended) = self.look(self.shared.known.clone()).await;
        looked.requests += again.requests;
        looked.findings.mark(|finding| {
            let mut found = again.findings.as_slice().iter();
            let again = found.any(|other| is_same(other, finding));
            // When it did not come to its end, what was not found says nothing.
            (again || ended.is_ok()).then_some(again)
        });
    }
}

/// Keeps the finding that ended a look among its findings.
pub(crate) fn keep_finding(looked: &mut Verdicted, outcome: &mut Outcome) {
    if let Err(Stop::Failed(finding)) = outcome {
        looked.findings.record((**finding).clone());
        *outcome = Ok(());
    }
}

/// Whether two findings are the same departure: the same request shows it, with an answer of the same status and code.
pub(crate) fn is_same(one: &Finding, other: &Finding) -> bool {
    let kind = |finding: &Finding| kind_of_answer(&finding.seen).to_owned();
    one.what == other.what && one.requests == other.requests && kind(one) == kind(other)
}

/// The status and the code of an answer, where a text begins with them. The rest of a body differs from one answer to
/// the next.
pub(crate) fn kind_of_answer(seen: &str) -> &str {
    let is_digit = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((status, rest)) = seen
        .split_at_checked(3)
        .filter(|(status, _)| is_digit(status))
    else {
        return "";
    };
    let is_code = |text: &str| {
        text.bytes()
            .all(|byte| matches!(byte, b' ' | b'_' | b'a'..=b'z'))
    };
    match rest.split_once(':') {
        Some((code, _)) if is_code(code) => &seen[..3 + code.len()],
        _ => status,
    }
}

/// Sends those reads again that showed a mismatch, and marks the mismatches by it. Returns how many requests
/// that were.
pub(crate) async fn ask_again(
    contract: &Arc<Contract>,
    client: Arc<Client>,
    second_looks: Arc<Account>,
    case: &str,
    seen: &mut Seen,
) -> u64 {
    let mut again = BTreeMap::new();
    for finding in seen.findings.as_slice().iter().take(LOOKED_AT_AGAIN) {
        let shown = seen.shown_by.get(&finding.what);
        let Some(shown) = shown.filter(|shown| shown.request.is_plain_read()) else {
            continue;
        };
        // A mismatch that cannot be looked at again stays as it is.
        let Ok(answer) = client
            .send(&shown.request, &second_looks, &Account::of(0), Some(case))
            .await
        else {
            continue;
        };
        let check = SchemaCheck::new(Arc::clone(contract), true);
        check.observe(shown.operation.as_ref(), &shown.path, &answer);
        again.insert(finding.what.clone(), check.has_found(&finding.what));
    }
    seen.findings
        .mark(|finding| again.get(&finding.what).copied());
    u64::try_from(again.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_of_the_kind_of_its_status_and_code() {
        assert_eq!(
            kind_of_answer("422 validation_failed: limit is 0"),
            "422 validation_failed"
        );
        assert_eq!(kind_of_answer("502 <html>: nginx</html>"), "502");
        assert_eq!(kind_of_answer("502 "), "502");
        assert_eq!(kind_of_answer("[1, 2]"), "");
    }
}
