//! What a run knows of single items, and rules for how they may change.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use crate::transport::response::HttpResponse;

/// The limit on remembered items.
const ITEMS: usize = 10_000;
/// The statuses that a question keeps.
const FINAL: [&str; 4] = ["completed", "no_answer", "failed", "skipped"];

/// The questions with a final status of the items that a run read one by one or added.
#[derive(Debug, Default)]
pub(super) struct History {
    items: BTreeMap<(i64, i64), Questions>,
}

/// The final status of each question, and when a response showed it for the first time.
type Questions = BTreeMap<String, (&'static str, Instant)>;

/// When a response was asked for, and when it was there. Responses that overlap have no order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) asked: Instant,
    pub(super) answered: Instant,
}

impl Look {
    /// The look that ends with the arrival of a response, which is now.
    pub(super) fn of(response: &HttpResponse) -> Self {
        let answered = Instant::now();
        Self {
            asked: answered.checked_sub(response.arrival.until_end).unwrap_or(answered),
            answered,
        }
    }
}

/// A question that lost its final status.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) was: &'static str,
    pub(super) is: String,
}

impl History {
    /// Compares an item with what earlier responses showed of it, and remembers what is new. Returns the questions that
    /// lost their final status; `None` if nothing was compared. An item of a list is not remembered: `is_single` is
    /// false.
    pub(super) fn compare(&mut self, item: &Value, look: Look, is_single: bool) -> Option<Vec<Change>> {
        let ids = (item["pipeline_id"].as_i64()?, item["pipeline_item_id"].as_i64()?);
        let values = item["values"].as_object()?;
        let is_room = is_single && self.items.len() < ITEMS;
        let is_kept = self.items.contains_key(&ids) || is_room;
        let known = is_kept.then(|| self.items.entry(ids).or_default())?;
        let (mut compared, mut changes) = (false, Vec::new());
        for (column, entry) in values {
            let status = entry["status"].as_str();
            if let Some((was, since)) = known.get(column) {
                let is_later = *since <= look.asked;
                compared |= is_later;
                if is_later && status != Some(was) {
                    changes.push(Change {
                        was,
                        is: format!(
                            "{} for {column} of item {} of pipeline {}",
                            entry["status"], ids.1, ids.0
                        ),
                    });
                }
            } else if let Some(status) = FINAL.into_iter().find(|one| Some(*one) == status) {
                known.insert(column.clone(), (status, look.answered));
            }
        }
        compared.then_some(changes)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn final_status_must_not_change_later() {
        let (start, mut history) = (Instant::now(), History::default());
        let mut compare = |status: &str, asked: u64, answered: u64, is_single: bool| {
            let look = Look {
                asked: start + Duration::from_secs(asked),
                answered: start + Duration::from_secs(answered),
            };
            let values = json!({"question.1": {"status": status}});
            let item = json!({"pipeline_id": 1, "pipeline_item_id": 7, "values": values});
            let changes = history.compare(&item, look, is_single);
            changes.map(|changes| changes.len())
        };
        assert_eq!(compare("completed", 0, 1, false), None);
        assert_eq!(compare("pending", 1, 2, true), None);
        assert_eq!(compare("completed", 3, 5, true), None);
        // It was asked for before the other was there.
        assert_eq!(compare("pending", 4, 6, false), None);
        assert_eq!(compare("completed", 6, 7, false), Some(0));
        assert_eq!(compare("pending", 6, 7, false), Some(1));
        assert_eq!(compare("failed", 8, 9, true), Some(1));
    }
}
