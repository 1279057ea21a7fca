//! A second look at what failed, with nothing remembered of the first: what is found again is steady, what is
//! not is flaky, and what could not be looked at stays unconfirmed. All of it still counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::case::{Ask, Case};
use crate::finding::Finding;
use crate::rules::{SchemaCheck, Seen};
use crate::run::look::{Adding, Verdicted, look};
use crate::session::Shared;
use crate::transport::account::Account;
use crate::transport::client::Client;
use crate::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// How many mismatches of one operation and status are looked at a second time.
const LOOKED_AT_AGAIN: usize = 10;

/// Looks a second time at what failed, when it is paid for, and marks what was found by it.
pub(crate) async fn look_again(
    case: &Case,
    check: &Ask,
    shared: &Shared,
    second_looks: &Arc<Account>,
    looked: &mut Verdicted,
    outcome: &mut Outcome,
) {
    if let Err(Stop::Failed(finding)) = outcome {
        looked.findings.record((**finding).clone());
        *outcome = Ok(());
    }
    if looked.findings.is_empty() {
        return;
    }
    // Nothing is remembered for it, so that it walks for itself.
    let most = case.most(shared.walks) + case.walks;
    let account = Arc::new(Account::within(Arc::clone(second_looks), most));
    let fresh = Shared::new(
        Arc::clone(&shared.client),
        // What is answered was watched once; nothing is counted twice.
        Arc::new(SchemaCheck::new(
            Arc::clone(shared.schema_check.contract()),
            false,
        )),
        shared.known.clone(),
        (Arc::clone(&account), Arc::clone(&account)),
        (shared.seed, shared.walks),
    );
    let fresh = Arc::new(fresh.with_ready_within(shared.ready_within));
    let (again, ended, _) = look(case, check, &fresh, Arc::clone(&account), Adding::No).await;
    looked.requests += account.used();
    let mut found = again.findings;
    let whole = match ended {
        Ok(()) => true,
        Err(Stop::Failed(finding)) => {
            found.record(*finding);
            true
        }
        // It did not come to its end: what was not found says nothing.
        Err(_) => false,
    };
    looked.findings.mark(|finding| {
        let mut found = found.as_slice().iter();
        let again = found.any(|other| is_same(other, finding));
        (again || whole).then_some(again)
    });
}

/// Whether two findings are the same departure: the same request shows it, with an answer of the same status and code.
fn is_same(one: &Finding, other: &Finding) -> bool {
    let kind = |finding: &Finding| kind_of_answer(&finding.seen).to_owned();
    one.what == other.what && one.requests == other.requests && kind(one) == kind(other)
}

/// The status and the code of an answer, where a text begins with them. The rest of a body differs from one answer to
/// the next.
fn kind_of_answer(seen: &str) -> &str {
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
            .send(&shown.request, &second_looks, &Account::of(0))
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
