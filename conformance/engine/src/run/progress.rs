//! Items whose questions are answered during a run: an order by their answers changes, and so does what a case sees
//! that compares two responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::finding::Finding;
use crate::session::Shared;
use crate::session::observed::{Listing, item_id};

/// Whether a question that was pending in the lists of one look has its final status in the same list of a later look,
/// or a value has another status of its CRM sync. Any other change of a list is no progress.
pub(crate) fn has_progressed(before: &Shared, after: &Shared) -> bool {
    let earlier: Vec<_> = {
        let listings = before.listings.lock();
        let taken = listings.iter();
        taken
            .filter_map(|(key, once)| Some((key.clone(), Arc::clone(once.get()?))))
            .collect()
    };
    let later = after.listings.lock();
    earlier.iter().any(|(key, earlier)| {
        let later = later.get(key).and_then(|once| once.get());
        later.is_some_and(|later| is_answered_in(earlier, later))
    })
}

/// Whether a finding compares responses, which may be of different moments.
pub(crate) fn compares(finding: &Finding) -> bool {
    finding.requests.len() > 1
}

fn is_answered_in(earlier: &Listing, later: &Listing) -> bool {
    let later: BTreeMap<_, _> = later.items.iter().map(|item| (item_id(item), item)).collect();
    earlier.items.iter().any(|item| {
        let now = later.get(&item_id(item));
        now.is_some_and(|now| is_answered(&item["values"], &now["values"]))
    })
}

fn is_answered(earlier: &Value, later: &Value) -> bool {
    let mut entries = earlier.as_object().into_iter().flatten();
    entries.any(|(column, entry)| {
        let now = &later[column];
        let is_answered = entry["status"] == "pending" && now["status"].as_str().is_some_and(|now| now != "pending");
        is_answered || now.is_object() && entry["sync_status"] != now["sync_status"]
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_new_answers_are_progress() {
        let values = |status: &str, result: Value| json!({"question.1": {"status": status, "result": result}});
        let pending = values("pending", json!([]));
        assert!(is_answered(&pending, &values("completed", json!([1]))));
        assert!(!is_answered(&pending, &pending));
        let completed = values("completed", json!([1]));
        assert!(!is_answered(&completed, &values("completed", json!([2]))));
        assert!(!is_answered(&completed, &pending));
    }
}
