//! The CRM sync of a new item: it begins, and what it shows on its way fits together.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, FixedOffset};
use serde_json::Value;

use super::ready::{BETWEEN_LATER_LOOKS, BETWEEN_LOOKS, LIMIT, LOOKS, POLLS, SYNC, assert_sync, item_of};
use super::several::walk;
use super::{added, adding};
use crate::entry::assert_entries;
use crate::sync::{LAST_SYNC, assert_iso_8601};
use engine::case::Case;
use engine::rules::entry::COLUMN_VALUE;
use engine::rules::time::{CLOCKS_APART, date_moved_by};
use engine::session::Probe;
use engine::session::observed::{item_id, items};
use engine::target::PipelineRole::Writable;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// How often all new items are looked at until they are ready, and the number of items that are waited for.
const ROUNDS: u64 = 20;
const WAITED_FOR: usize = 12;
/// The clause about the sync of a value.
const SYNC_CLAUSE: &str = "/components/schemas/ColumnValue/x-clauses/1";
/// What is not waited for once more, after another case has waited for it in vain.
const IN_VAIN: &str = "an item that becomes ready in time";
/// The shortest time between two looks in which a sync can succeed and begin again without being seen.
const UNSEEN: Duration = Duration::from_millis(250);
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

/// The case that adds after all others in a whole run.
pub(super) fn last(contract: &Contract) -> Case {
    adding(
        contract,
        "all-become-ready",
        "Every item that was added becomes ready, also one that was added together with others",
        &contract.operation("add_organization").pointer,
    )
    .quote("triggers all associated background processes (custom questions, CRM sync).")
    .on(["list_items", "get_item_status"])
    .point("new-item")
    .walks(200)
    .adds(2)
    .writes(2)
    .sends(ROUNDS * WAITED_FOR as u64 + 4)
    .check(all_become_ready)
}

/// Adds two organizations, one right after the other, and waits for all items that were not there when the run began.
async fn all_become_ready(probe: Probe) -> Outcome {
    let before = probe.listing(probe.pipeline(Writable)?, None, None).await?;
    let there: BTreeSet<_> = before.ids().into_iter().collect();
    let (_, first) = added(&probe).await?;
    let (_, second) = added(&probe).await?;
    let earlier = walk(&probe).await?.ids().into_iter().filter(|id| !there.contains(id));
    let newest = [item_id(&first.body), item_id(&second.body)];
    let earlier = earlier
        .filter(|id| !newest.contains(id))
        .take(WAITED_FOR - newest.len());
    let mut left: Vec<_> = newest.into_iter().chain(earlier.collect::<Vec<_>>()).collect();
    let patience = probe.ready_within().unwrap_or(SYNCED_WITHIN);
    let mut last = None;
    for round in 0..ROUNDS {
        let mut waiting = Vec::new();
        for id in left {
            let call = probe
                .call("get_item_status")
                .path("pipeline_id", probe.pipeline(Writable)?);
            let status = probe.ok(call.path("pipeline_item_id", id).send().await?)?;
            if status.body["is_ready"] != true {
                waiting.push(id);
                last = Some(status);
            }
        }
        left = waiting;
        if left.is_empty() || round + 1 == ROUNDS {
            break;
        }
        if probe.has_waited_in_vain() {
            return probe.inconclusive(IN_VAIN);
        }
        probe
            .sleep(patience / u32::try_from(ROUNDS).unwrap_or(u32::MAX))
            .await?;
    }
    let Some(limit) = probe.ready_within().or(left.is_empty().then_some(patience)) else {
        return probe.inconclusive(format!(
            "items that are all ready within {} seconds ({LIMIT})",
            patience.as_secs()
        ));
    };
    // The contract promises no time; a run may limit it.
    let evidence: Vec<_> = last.iter().chain([&first, &second]).collect();
    probe.assert_as(
        Some(BTreeSet::new()),
        left.is_empty(),
        "the items that were added",
        format!("ready within {} seconds, the limit of this run", limit.as_secs()),
        format!("{} of them are not ready: {left:?}", left.len()),
        &evidence,
    );
    Ok(())
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
    let mut seen = Syncs::of_new(&probe, &response);
    let mut before = response.clone();
    for looks in 1.. {
        let now = item.values(&probe).await?;
        assert_entries(&probe, &now);
        assert_sync(&probe, &before, &now);
        assert_iso_8601(&probe, &now);
        seen.check(&probe, &now);
        let is_ready = || async { Ok(item.status(&probe).await?.body["is_ready"] == true) };
        if has_begun(&now.body) && !is_under_way(&now.body) && is_ready().await? {
            return Ok(());
        }
        before = now;
        let left = deadline.saturating_sub(probe.elapsed());
        if left.is_zero() {
            break;
        }
        if probe.has_waited_in_vain() {
            return probe.inconclusive(IN_VAIN);
        }
        let wait = match looks < LOOKS {
            true => BETWEEN_LOOKS,
            false => BETWEEN_LATER_LOOKS,
        };
        probe.sleep(wait.min(left)).await?;
    }
    if has_begun(&before.body) {
        return Ok(());
    }
    let Some(limit) = probe.ready_within() else {
        return probe.inconclusive(format!(
            "a CRM sync that begins within {} seconds ({LIMIT})",
            patience.as_secs()
        ));
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
pub(super) fn has_begun(item: &Value) -> bool {
    let mut entries = item["values"].as_object().into_iter().flatten();
    entries.any(|(_, entry)| !entry["sync_status"].is_null())
}

/// Whether a sync of some value has begun and not ended.
pub(super) fn is_under_way(item: &Value) -> bool {
    let mut entries = item["values"].as_object().into_iter().flatten();
    entries.any(|(_, entry)| entry["sync_status"] == "pending")
}

/// The time of the last sync of a value, in the form of the contract.
fn synced_at(entry: &Value) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(entry["last_synced_at"].as_str()?).ok()
}

/// What was seen of the syncs of a new item.
pub(super) struct Syncs {
    /// The columns whose sync may have succeeded.
    succeeded: BTreeSet<String>,
    /// When the item was added, at the earliest.
    earliest: Option<DateTime<FixedOffset>>,
    /// The last look at its values.
    last: Option<HttpResponse>,
    looked_at: Duration,
}

impl Syncs {
    /// Begins with the response to the addition. None of the item's values was synced before that. The source may be
    /// read otherwise: the organization may have been synced for another pipeline.
    pub(super) fn of_new(probe: &Probe, added: &HttpResponse) -> Self {
        let earliest = date_moved_by(added, -CLOCKS_APART);
        let mut syncs = Self {
            succeeded: BTreeSet::new(),
            earliest,
            last: None,
            looked_at: probe.elapsed(),
        };
        for (column, entry) in added.body["values"].as_object().into_iter().flatten() {
            let Some((time, earliest)) = synced_at(entry).zip(earliest) else {
                continue;
            };
            probe.assert_at(
                SYNC_CLAUSE,
                time >= earliest,
                &format!("last_synced_at of {column} of a new item"),
                "null, or a time after the addition",
                &entry["last_synced_at"],
                &[added],
            );
        }
        syncs.check(probe, added);
        syncs
    }

    /// Asserts that a value whose first sync is under way or has failed has no time of a successful one, and that one
    /// whose sync succeeded keeps a time. If the last look was long ago, a sync that nobody saw may have succeeded.
    pub(super) fn check(&mut self, probe: &Probe, now: &HttpResponse) {
        let is_unseen = probe.elapsed().saturating_sub(self.looked_at) >= UNSEEN;
        let since = self.last.as_ref().and_then(|last| date_moved_by(last, -CLOCKS_APART));
        let is_new = |entry| synced_at(entry).zip(since).is_none_or(|(time, since)| time >= since);
        for (column, entry) in now.body["values"].as_object().into_iter().flatten() {
            let is_synced = !entry["last_synced_at"].is_null();
            let was_synced = |last: &HttpResponse| !last.body["values"][column]["last_synced_at"].is_null();
            if self.last.as_ref().is_some_and(was_synced) {
                probe.assert_as(
                    Some(BTreeSet::new()),
                    is_synced,
                    &format!("last_synced_at of {column}, which was synced"),
                    "the time of the last success",
                    "null",
                    &self.last.iter().chain([now]).collect::<Vec<_>>(),
                );
            }
            let has_succeeded = entry["sync_status"] == "success" || (is_synced && is_unseen && is_new(entry));
            let is_under_way = entry["sync_status"] == "pending" || entry["sync_status"] == "error";
            if is_under_way && !has_succeeded && !self.succeeded.contains(column) {
                let what = format!("last_synced_at of {column}, which was never synced");
                let (seen, evidence) = (
                    &entry["last_synced_at"],
                    self.last.iter().chain([now]).collect::<Vec<_>>(),
                );
                let is_before = |time| self.earliest.is_none_or(|added| time < added);
                match synced_at(entry).is_some_and(is_before) {
                    true => probe.assert_at(SYNC_CLAUSE, !is_synced, &what, "null", seen, &evidence),
                    // It is stated what the time is.
                    false => probe.assert_as(Some(BTreeSet::new()), !is_synced, &what, "null", seen, &evidence),
                }
            }
            if has_succeeded || is_synced {
                self.succeeded.insert(column.clone());
            }
        }
        self.last = Some(now.clone());
        self.looked_at = probe.elapsed();
    }
}
