//! What all calls together may spend on attempts beyond the first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What all calls of a client together may spend on trying again, so that a deployment in trouble is not
/// called many times as often as one in health.
///
/// A new one has `capacity` tokens. Each further attempt costs five, and when there are not as many left, a
/// call ends with what its last attempt met; each call that succeeds gives one back. Over time, then, one
/// call in five may be tried again, and after a quiet time many at once. An attempt costs nothing after an
/// answer 429 that says when to come back, because that server is not in trouble, and nothing if the call is
/// dropped before it is made.
///
/// Clones of a client share theirs. `Arc::clone` shares one between clients.
///
/// ```
/// use std::sync::Arc;
/// use platform_sdk::{Client, RetryBudget};
///
/// let budget = Arc::new(RetryBudget::new(100));
/// let client = Client::builder()
///     .base_url("http://127.0.0.1:8080")
///     .api_key("dev-full-access")
///     .retry_budget(Arc::clone(&budget))
///     .build()?;
/// assert_eq!(budget.tokens(), 100);
/// # Ok::<(), platform_sdk::Error>(())
/// ```
#[derive(Debug)]
pub struct RetryBudget {
    capacity: u32,
    tokens: AtomicU32,
}

impl RetryBudget {
    const COST: u32 = 5;

    /// A full budget of `capacity` tokens.
    pub fn new(capacity: u32) -> Self {
        Self {
            capacity,
            tokens: AtomicU32::new(capacity),
        }
    }

    /// A budget that is never used up.
    ///
    /// ```
    /// use platform_sdk::RetryBudget;
    ///
    /// assert_eq!(RetryBudget::unlimited().tokens(), u32::MAX);
    /// ```
    pub fn unlimited() -> Self {
        Self::new(u32::MAX)
    }

    /// The tokens that are left.
    pub fn tokens(&self) -> u32 {
        self.tokens.load(Ordering::Relaxed)
    }

    /// Takes the tokens for one more attempt; `None` when there are too few.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Tokens> {
        if self.capacity == u32::MAX {
            return Some(Tokens(None));
        }
        self.change(|tokens| tokens.checked_sub(Self::COST)).ok()?;
        Some(Tokens(Some(Arc::clone(self))))
    }

    /// Gives back what was taken for an attempt that was not made.
    fn give_back(&self) {
        let _ = self.change(|tokens| Some(tokens.saturating_add(Self::COST).min(self.capacity)));
    }

    /// Gives back what a success earns.
    pub(crate) fn earn(&self) {
        // A full budget is the rule, and is left alone: clients of many threads share this number.
        if self.tokens() < self.capacity {
            let _ = self.change(|tokens| (tokens < self.capacity).then_some(tokens + 1));
        }
    }

    fn change(&self, change: impl FnMut(u32) -> Option<u32>) -> Result<u32, u32> {
        self.tokens
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, change)
    }
}

/// The tokens for one more attempt. Dropped before the attempt is made, they go back to their budget.
#[derive(Debug)]
#[must_use = "dropped tokens go back to their budget"]
pub(crate) struct Tokens(Option<Arc<RetryBudget>>);

impl Tokens {
    /// Says that the attempt is made.
    pub(crate) fn spend(mut self) {
        self.0 = None;
    }
}

impl Drop for Tokens {
    fn drop(&mut self) {
        if let Some(budget) = &self.0 {
            budget.give_back();
        }
    }
}

impl Default for RetryBudget {
    /// 500 tokens: a hundred further attempts at once.
    fn default() -> Self {
        Self::new(500)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{RetryBudget, Tokens};

    #[test]
    fn budget_is_spent_by_attempts_and_earned_by_successes() {
        let budget = Arc::new(RetryBudget::new(11));
        assert!(spend(&budget));
        assert!(spend(&budget));
        assert!(!spend(&budget));
        for _ in 0..4 {
            budget.earn();
        }
        assert!(spend(&budget));
        assert_eq!(budget.tokens(), 0);
    }

    #[test]
    fn tokens_that_are_not_spent_go_back() {
        let budget = Arc::new(RetryBudget::new(8));
        let tokens = budget.take();
        assert!(tokens.is_some() && budget.take().is_none());
        assert_eq!(budget.tokens(), 3);
        budget.earn();
        drop(tokens);
        assert_eq!(budget.tokens(), 8);
    }

    fn spend(budget: &Arc<RetryBudget>) -> bool {
        budget.take().map(Tokens::spend).is_some()
    }

    #[test]
    fn budget_never_holds_more_than_its_capacity() {
        let budget = Arc::new(RetryBudget::new(6));
        budget.earn();
        assert_eq!(budget.tokens(), 6);
        assert!(spend(&budget));
        (0..10).for_each(|_| budget.earn());
        assert_eq!(budget.tokens(), 6);
    }

    #[test]
    fn unlimited_budget_is_never_used_up() {
        let budget = Arc::new(RetryBudget::unlimited());
        assert!((0..10_000).all(|_| spend(&budget)));
    }
}
