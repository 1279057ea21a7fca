//! A budget of requests: every request is taken from one before it is sent, so that a run never sends more than it
//! announced.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A budget of requests for one purpose.
#[derive(Debug)]
pub(crate) struct RequestBudget {
    limit: u64,
    used: AtomicU64,
    /// The budget that each request is also taken from.
    within: Option<Arc<RequestBudget>>,
}

impl RequestBudget {
    /// Creates a budget with a limit.
    pub(crate) fn of(limit: u64) -> Self {
        Self {
            limit,
            used: AtomicU64::new(0),
            within: None,
        }
    }

    /// Creates a budget with a limit within another one.
    pub(crate) fn within(other: Arc<RequestBudget>, limit: u64) -> Self {
        Self {
            within: Some(other),
            ..Self::of(limit)
        }
    }

    /// Takes one request. Returns false, and takes none, if none is left.
    pub(crate) fn take(&self) -> bool {
        let pay = |used: u64| (used < self.limit).then_some(used + 1);
        let paid = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay);
        if paid.is_err() {
            return false;
        }
        let along = self.within.as_ref().is_none_or(|within| within.take());
        if !along {
            self.used.fetch_sub(1, Ordering::Relaxed);
        }
        along
    }

    /// Gives back a request that was taken and not sent.
    pub(crate) fn give_back(&self) {
        self.used.fetch_sub(1, Ordering::Relaxed);
        if let Some(within) = &self.within {
            within.give_back();
        }
    }

    /// Whether any is left.
    pub(crate) fn is_left(&self) -> bool {
        self.used() < self.limit
    }

    /// The limit.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The number of requests taken.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_allows_no_request_beyond_its_limit() {
        let budget = RequestBudget::of(2);
        assert!(budget.take() && budget.take() && !budget.take());
        assert_eq!(budget.used(), 2);
    }

    #[test]
    fn request_counts_in_a_budget_and_in_its_parent() {
        let all = Arc::new(RequestBudget::of(3));
        let (one, other) = (
            RequestBudget::within(Arc::clone(&all), 2),
            RequestBudget::within(Arc::clone(&all), 2),
        );
        assert!(one.take() && one.take() && !one.take());
        assert_eq!(all.used(), 2, "a rejected request is not counted");
        assert!(other.take() && !other.take());
        assert_eq!((all.used(), other.used()), (3, 1));
        one.give_back();
        assert_eq!((all.used(), one.used()), (2, 1));
        assert!(other.take() && !one.take());
    }
}
