//! A second look at what failed, with nothing remembered of the first: what is found again is steady, what is
//! not is flaky, and what could not be looked at stays unconfirmed. All of it still counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::case::{Ask, Case};
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
    let fresh = Arc::new(Shared::new(
        Arc::clone(&shared.client),
        // What is answered was watched once; nothing is counted twice.
        Arc::new(SchemaCheck::new(shared.schema_check.contract(), false)),
        shared.known.clone(),
        (Arc::clone(&account), Arc::clone(&account)),
        (shared.seed, shared.walks),
    ));
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
        let again = found.any(|other| other.what == finding.what);
        (again || whole).then_some(again)
    });
}

/// Sends those reads again that showed a mismatch, and marks the mismatches by it. Returns how many requests
/// that were.
pub(crate) async fn ask_again(
    contract: &'static Contract,
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
        let check = SchemaCheck::new(contract, true);
        check.observe(shown.operation, &shown.path, &answer);
        again.insert(finding.what.clone(), check.has_found(&finding.what));
    }
    seen.findings
        .mark(|finding| again.get(&finding.what).copied());
    u64::try_from(again.len()).unwrap_or(u64::MAX)
}
