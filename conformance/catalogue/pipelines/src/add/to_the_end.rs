//! A second check of the new items of the other cases, some seconds after they became ready.

use std::time::Duration;

use super::adding;
use super::ready::{Item, POLLS, STAYS_READY, SYNC, assert_sync, assert_transitions, ready_item};
use crate::item::QUESTIONS_END;
use crate::sync::LAST_SYNC;
use engine::case::Case;
use engine::rules::entry::COLUMN_VALUE;
use engine::session::Probe;
use engine::session::observed::question_columns;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// The limit on items that are read again.
const MOST: usize = 12;
/// How long to wait in a run without the other cases.
const LATER: Duration = Duration::from_secs(5);

pub(super) fn case(contract: &Contract) -> Case {
    adding(
        contract,
        "ready-items-stay-to-the-end",
        "Items that became ready stay ready, answered and synced until the other cases are done",
        "/components/schemas/ItemStatus/properties/is_ready",
    )
    .quote(STAYS_READY)
    .and_quote(COLUMN_VALUE, QUESTIONS_END)
    .and_quote(COLUMN_VALUE, SYNC)
    .and_quote(&format!("{COLUMN_VALUE}/properties/last_synced_at"), LAST_SYNC)
    .on(["get_item_values", "get_item_status"])
    .point("ready-item")
    .runs_last()
    .adds(1)
    .writes(1)
    .sends(POLLS + 2 * MOST as u64)
    .check(stay)
}

async fn stay(probe: Probe) -> Outcome {
    if Item::seen_ready(&probe).is_empty() {
        ready_item(&probe).await?;
        probe.sleep(LATER).await?;
    }
    let ready = Item::seen_ready(&probe);
    if ready.is_empty() {
        return probe.inconclusive("a new item that became ready");
    }
    for (item, before) in ready.into_iter().take(MOST) {
        let (status, now) = (item.status(&probe).await?, item.values(&probe).await?);
        // A new question makes an item unready.
        if question_columns(&before.body) == question_columns(&now.body) {
            probe.expect(&status).body("/is_ready", true);
        }
        assert_transitions(&probe, &before, &now);
        assert_sync(&probe, &before, &now);
    }
    Ok(())
}
