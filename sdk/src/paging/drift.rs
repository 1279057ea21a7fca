//! Detects changes of a collection during a walk, in bounded memory.

use std::collections::{HashSet, VecDeque};

use super::source::Ask;
use crate::error::drift::Drift;

/// Number of recent ids that a walk remembers to detect repeated items: everything a search can return,
/// ten of the largest pages of a list, less than a megabyte.
const REMEMBERED: usize = 10_000;

/// Progress of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Mark {
    /// The row after the last one.
    pub(super) position: u64,
    /// Last reported `total_count`; `None` before the first page.
    pub(super) total: Option<u64>,
    /// The item in the last row, if known.
    pub(super) last: Option<i64>,
}

impl Mark {
    /// Returns the same place after the rows have shifted: after the last item, which is `last_is_at`
    /// rows after `row`, or at `row` if the last item is not found there. The item at `row` may not
    /// have been yielded yet.
    fn shifted(self, row: u64, last_is_at: Option<usize>) -> Self {
        let (position, last) = match last_is_at {
            Some(rows) => (row + rows as u64 + 1, self.last),
            None => (row, None),
        };
        Self { position, last, ..self }
    }
}

/// Compares each page with those before it.
pub(super) struct Watch {
    mark: Mark,
    recent: Recent,
    /// Whether the rows are in ascending order of ids, so that new items come last.
    in_order_of_ids: bool,
}

/// A page without its known items.
pub(super) struct Checked<T> {
    /// Each item with its row.
    pub(super) items: Vec<(u64, T)>,
    pub(super) drifts: Vec<Drift>,
    /// Progress of the walk after this page.
    pub(super) mark: Mark,
    /// Where to resume a walk that ends with one of the drifts: accounts for what this page revealed,
    /// but lies before its items.
    pub(super) retreat: Mark,
}

impl Watch {
    pub(super) fn from(mark: Mark, in_order_of_ids: bool) -> Self {
        let mut recent = Recent::default();
        if let Some(last) = mark.last {
            recent.insert(last);
        }
        Self {
            mark,
            recent,
            in_order_of_ids,
        }
    }

    /// Returns whether a walk can continue after a drift without losing or repeating an item.
    pub(super) fn is_harmless(&self, drift: &Drift) -> bool {
        match *drift {
            Drift::TotalChanged { before, now } => self.in_order_of_ids && before < now,
            _ => false,
        }
    }

    /// Checks the next page in order. `total` is the size of the whole collection reported by the page.
    pub(super) fn check<T>(
        &mut self,
        ask: Ask,
        mut rows: Vec<T>,
        total: u64,
        id: impl Fn(&T) -> Option<i64>,
    ) -> Checked<T> {
        // A server that returns more rows than requested would exceed the limit set by the caller.
        rows.truncate(usize::try_from(ask.limit).unwrap_or(usize::MAX));
        let mut drifts = Vec::new();
        // The total to use.
        let mut known = total;
        if let Some(before) = self.mark.total
            && before != total
        {
            // Otherwise this page was served before an earlier one, and items were added in between.
            let is_news = !(ask.known..before).contains(&total);
            if !is_news {
                known = before;
            }
            if is_news || !self.in_order_of_ids {
                drifts.push(Drift::TotalChanged { before, now: total });
            }
        }
        let mut retreat = Mark {
            total: Some(known),
            ..self.mark
        };
        if let (true, Some(before)) = (ask.overlaps, self.mark.last) {
            let now = rows.first().map(&id);
            // The id of an unreadable item may be unknown.
            if now != Some(None) && now.flatten() != Some(before) {
                let now = now.flatten();
                let row = ask.from;
                drifts.push(Drift::Shifted { row, before, now });
                retreat = retreat.shifted(ask.from, rows.iter().position(|row| id(row) == Some(before)));
            }
        }
        let count = rows.len() as u64;
        let owed = total.saturating_sub(ask.from).min(ask.limit);
        if count < owed {
            drifts.push(Drift::Missing {
                row: ask.from + count,
                count: owed - count,
            });
        }
        let last = rows.last().and_then(&id).filter(|_| count >= owed);
        let mut items = Vec::with_capacity(rows.len());
        for (row, item) in (ask.from..).zip(rows) {
            match id(&item) {
                Some(id) if !self.recent.insert(id) => {
                    if !(ask.overlaps && row == ask.from) {
                        drifts.push(Drift::Repeated { row, id });
                    }
                }
                _ => items.push((row, item)),
            }
        }
        self.mark = Mark {
            position: ask.from + count.max(owed),
            total: Some(known),
            last,
        };
        Checked {
            items,
            drifts,
            mark: self.mark,
            retreat,
        }
    }
}

/// The most recent ids.
#[derive(Default)]
struct Recent {
    order: VecDeque<i64>,
    ids: HashSet<i64>,
}

impl Recent {
    /// Inserts an id and returns whether it is new.
    fn insert(&mut self, id: i64) -> bool {
        if !self.ids.insert(id) {
            return false;
        }
        self.order.push_back(id);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Drift, Mark, REMEMBERED, Watch};
    use crate::paging::source::Ask;

    /// A new walk over a collection not ordered by id.
    fn watch() -> Watch {
        let start = Mark {
            position: 0,
            total: None,
            last: None,
        };
        Watch::from(start, false)
    }

    /// Walks pages of two new rows each, one collection per page, and returns the items and drifts.
    fn noticed(collections: &[&[i64]]) -> (Vec<i64>, Vec<Drift>) {
        let mut watch = watch();
        let (mut items, mut drifts) = (Vec::new(), Vec::new());
        for (page, collection) in collections.iter().enumerate() {
            let ask = match page as u64 {
                0 => Ask {
                    from: 0,
                    limit: 3,
                    overlaps: false,
                    known: 0,
                },
                page => Ask {
                    from: 2 * page,
                    limit: 3,
                    overlaps: true,
                    known: 0,
                },
            };
            let from = (ask.from as usize).min(collection.len());
            let to = (from + 3).min(collection.len());
            let rows = collection[from..to].to_vec();
            let checked = watch.check(ask, rows, collection.len() as u64, |id| Some(*id));
            items.extend(checked.items.into_iter().map(|(_, id)| id));
            drifts.extend(checked.drifts);
        }
        (items, drifts)
    }

    #[test]
    fn still_collection_shows_no_drift() {
        let all: &[i64] = &[1, 2, 3, 4, 5, 6, 7];
        assert_eq!(noticed(&[all, all, all]), (all.to_vec(), vec![]));
    }

    #[test]
    fn item_added_at_the_end_is_returned_with_a_larger_total() {
        let (items, drifts) = noticed(&[&[1, 2, 3, 4], &[1, 2, 3, 4, 5]]);
        assert_eq!(items, [1, 2, 3, 4, 5]);
        assert_eq!(drifts, [Drift::TotalChanged { before: 4, now: 5 }]);
    }

    #[test]
    fn item_inserted_behind_the_walk_is_a_shift_without_repetition() {
        let (items, drifts) = noticed(&[&[1, 2, 3, 4, 5], &[1, 9, 2, 3, 4, 5]]);
        assert_eq!(items, [1, 2, 3, 4]);
        assert_eq!(
            drifts,
            [
                Drift::TotalChanged { before: 5, now: 6 },
                Drift::Shifted {
                    row: 2,
                    before: 3,
                    now: Some(2)
                },
                Drift::Repeated { row: 3, id: 3 },
            ]
        );
    }

    #[test]
    fn item_removed_behind_the_walk_is_a_shift_and_the_next_row_is_returned() {
        let (items, drifts) = noticed(&[&[1, 2, 3, 4, 5], &[1, 3, 4, 5]]);
        assert_eq!(items, [1, 2, 3, 4, 5]);
        assert_eq!(
            drifts,
            [
                Drift::TotalChanged { before: 5, now: 4 },
                Drift::Shifted {
                    row: 2,
                    before: 3,
                    now: Some(4)
                },
            ]
        );
    }

    #[test]
    fn item_moved_behind_the_walk_is_detected_at_the_same_total() {
        let (_, drifts) = noticed(&[&[1, 2, 3, 4, 5], &[5, 1, 2, 3, 4]]);
        assert_eq!(
            drifts[0],
            Drift::Shifted {
                row: 2,
                before: 3,
                now: Some(2)
            }
        );
    }

    #[test]
    fn item_moved_ahead_and_repeated_is_detected_without_a_shift() {
        let (items, drifts) = noticed(&[&[1, 2, 3, 4, 5], &[9, 2, 3, 1, 5]]);
        assert_eq!(items, [1, 2, 3, 5]);
        assert_eq!(drifts, [Drift::Repeated { row: 3, id: 1 }]);
    }

    #[test]
    fn collection_that_ends_early_is_detected() {
        let (_, drifts) = noticed(&[&[1, 2, 3, 4], &[1]]);
        let gone = Drift::Shifted {
            row: 2,
            before: 3,
            now: None,
        };
        assert_eq!(drifts, [Drift::TotalChanged { before: 4, now: 1 }, gone]);
    }

    #[test]
    fn page_shorter_than_the_total_is_missing_items() {
        let mut watch = watch();
        let ask = Ask {
            from: 0,
            limit: 5,
            overlaps: false,
            known: 0,
        };
        let checked = watch.check(ask, vec![1, 2], 4, |id| Some(*id));
        assert_eq!(checked.drifts, [Drift::Missing { row: 2, count: 2 }]);
        assert_eq!(checked.mark.position, 4);
        assert_eq!(checked.mark.last, None);
    }

    #[test]
    fn page_longer_than_requested_is_cut() {
        let mut watch = watch();
        let ask = Ask {
            from: 0,
            limit: 2,
            overlaps: false,
            known: 0,
        };
        let checked = watch.check(ask, vec![1, 2, 3], 3, |id| Some(*id));
        assert_eq!(checked.items, [(0, 1), (1, 2)]);
        assert_eq!(checked.mark.position, 2);
    }

    #[test]
    fn memory_of_ids_is_bounded() {
        let mut watch = watch();
        for page in 0..100 {
            let ask = Ask {
                from: page * 1000,
                limit: 1000,
                overlaps: false,
                known: 0,
            };
            let rows = (0..1000).map(|row| (page * 1000 + row) as i64).collect();
            let checked = watch.check(ask, rows, 100_000, |id| Some(*id));
            assert_eq!(checked.drifts, []);
        }
        assert_eq!(watch.recent.ids.len(), REMEMBERED);
        assert_eq!(watch.recent.order.len(), REMEMBERED);
    }
}
