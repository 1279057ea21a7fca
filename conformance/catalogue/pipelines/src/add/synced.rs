//! The CRM sync of a new item: it begins, and what it shows on its way fits together.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::ready::{BETWEEN_LATER_LOOKS, BETWEEN_LOOKS, LOOKS, POLLS, SYNC, assert_sync, item_of};
use super::{added, adding};
use crate::entry::{COLUMN_VALUE, assert_entries};
use crate::sync::LAST_SYNC;
use engine::case::Case;
use engine::session::Probe;
use engine::session::observed::items;
use engine::target::PipelineRole::Writable;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// How long to wait for the sync of a new item to begin and to end, unless the run states a limit.
const SYNCED_WITHIN: Duration = Duration::from_secs(30);

pub(super) fn case(contract: &Contract) -> Case {
    adding(
        contract,
        "crm-sync-begins",
        "CRM sync of a new item begins if other items are synced, and shows how far it is",
        &contract.operation("add_organization").pointer,
    )
    .quote("triggers all associated background processes (custom questions, CRM sync).")
    .and_quote(COLUMN_VALUE, SYNC)
    .and_quote(&format!("{COLUMN_VALUE}/properties/last_synced_at"), LAST_SYNC)
    .on(["list_items", "get_item_values"])
    .point("new-item")
    .adds(1)
    .writes(1)
    .sends(POLLS)
    .check(syncs)
}

/// Reads a new item until its syncs have ended.
async fn syncs(probe: Probe) -> Outcome {
    let list = probe.call("list_items").path("pipeline_id", probe.pipeline(Writable)?);
    let there = probe.ok(list.send().await?)?;
    if !items(&there).iter().any(has_begun) {
        return probe.inconclusive("an item of the writable pipeline whose values are synced");
    }
    let (_, response) = added(&probe).await?;
    let item = item_of(&probe, &response.body)?;
    let patience = probe.ready_within().unwrap_or(SYNCED_WITHIN);
    let deadline = probe.elapsed() + patience;
    let mut succeeded = BTreeSet::new();
    let mut before = response.clone();
    assert_never_synced(&probe, &mut succeeded, None, &response);
    for looks in 1.. {
        let now = item.values(&probe).await?;
        assert_entries(&probe, &now);
        assert_sync(&probe, &before, &now);
        assert_never_synced(&probe, &mut succeeded, Some(&before), &now);
        let is_ready = || async { Ok(item.status(&probe).await?.body["is_ready"] == true) };
        if has_begun(&now.body) && !is_under_way(&now.body) && is_ready().await? {
            return Ok(());
        }
        let left = deadline.saturating_sub(probe.elapsed());
        if left.is_zero() || probe.has_waited_in_vain() {
            break;
        }
        let wait = match looks < LOOKS {
            true => BETWEEN_LOOKS,
            false => BETWEEN_LATER_LOOKS,
        };
        before = now;
        probe.sleep(wait.min(left)).await?;
    }
    if has_begun(&before.body) {
        return Ok(());
    }
    let Some(limit) = probe.ready_within() else {
        return probe.inconclusive(format!("a CRM sync that begins within {} seconds", patience.as_secs()));
    };
    // The contract promises no time; this run limits it.
    probe.assert_as(
        Some(BTreeSet::new()),
        false,
        "the CRM sync of a new item",
        format!("begun within {} seconds, the limit of this run", limit.as_secs()),
        "no value has a sync_status, and values of other items have one",
        &[&response, &before, &there],
    );
    Ok(())
}

/// Whether a sync of some value has begun.
fn has_begun(item: &Value) -> bool {
    let mut entries = item["values"].as_object().into_iter().flatten();
    entries.any(|(_, entry)| !entry["sync_status"].is_null())
}

/// Whether a sync of some value has begun and not ended.
fn is_under_way(item: &Value) -> bool {
    let mut entries = item["values"].as_object().into_iter().flatten();
    entries.any(|(_, entry)| entry["sync_status"] == "pending")
}

/// Asserts that a value whose first sync is under way or has failed has no time of a successful one, and keeps the
/// columns that were synced.
fn assert_never_synced(
    probe: &Probe,
    succeeded: &mut BTreeSet<String>,
    before: Option<&HttpResponse>,
    now: &HttpResponse,
) {
    for (column, entry) in now.body["values"].as_object().into_iter().flatten() {
        if entry["sync_status"] == "success" {
            succeeded.insert(column.clone());
        }
        let was_synced = before.is_some_and(|before| !before.body["values"][column]["last_synced_at"].is_null());
        let is_first = !was_synced && !succeeded.contains(column);
        if !is_first
            || !["pending", "error"]
                .iter()
                .any(|status| entry["sync_status"] == *status)
        {
            continue;
        }
        // It is stated what the time is.
        probe.assert_as(
            Some(BTreeSet::new()),
            entry["last_synced_at"].is_null(),
            &format!("last_synced_at of {column}, which was never synced"),
            "null",
            &entry["last_synced_at"],
            &before.into_iter().chain([now]).collect::<Vec<_>>(),
        );
    }
}
