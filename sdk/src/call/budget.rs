//! The retry budget that all calls share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Budget for retries, shared by all calls of a client. It limits the extra load that retries put
/// on a failing deployment.
///
/// A new budget has `capacity` tokens. Each retry costs five tokens; when too few are left, a call
/// fails with the error of its last attempt. Each successful call returns one token. Over time, one
/// call in five can be retried, and many at once after a quiet period. A retry is free after a 429
/// response that states when to retry, because that server is not failing. If a call is dropped
/// before its retry is sent, its tokens return to the budget.
///
/// Clones of a client share its budget. Use `Arc::clone` to share one between clients.
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

    /// Creates a full budget of `capacity` tokens.
    pub fn new(capacity: u32) -> Self {
        Self {
            capacity,
            tokens: AtomicU32::new(capacity),
        }
    }

    /// Creates a budget that is never used up.
    ///
    /// ```
    /// use platform_sdk::RetryBudget;
    ///
    /// assert_eq!(RetryBudget::unlimited().tokens(), u32::MAX);
    /// ```
    pub fn unlimited() -> Self {
        Self::new(u32::MAX)
    }

    /// Returns the number of tokens left.
    pub fn tokens(&self) -> u32 {
        self.tokens.load(Ordering::Relaxed)
    }

    /// Takes the tokens for one more attempt, or returns `None` if there are too few.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Tokens> {
        if self.capacity == u32::MAX {
            return Some(Tokens(None));
        }
        self.change(|tokens| tokens.checked_sub(Self::COST)).ok()?;
        Some(Tokens(Some(Arc::clone(self))))
    }

    /// Returns the tokens of an attempt that was not made.
    fn give_back(&self) {
        let _ = self.change(|tokens| Some(tokens.saturating_add(Self::COST).min(self.capacity)));
    }

    /// Adds the token that a success earns.
    pub(crate) fn earn(&self) {
        // Skips the write to a full budget, the usual case, because the clients of many threads
        // share this number.
        if self.tokens() < self.capacity {
            let _ = self.change(|tokens| (tokens < self.capacity).then_some(tokens + 1));
        }
    }

    fn change(&self, change: impl FnMut(u32) -> Option<u32>) -> Result<u32, u32> {
        self.tokens.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change)
    }
}

/// The tokens for one more attempt. If dropped before the attempt is made, they return to their
/// budget.
#[derive(Debug)]
#[must_use = "dropped tokens go back to their budget"]
pub(crate) struct Tokens(Option<Arc<RetryBudget>>);

impl Tokens {
    /// Marks the attempt as made.
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
    /// Creates a budget of 500 tokens, enough for 100 retries at once.
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
    fn unspent_tokens_are_returned() {
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
    fn unlimited_budget_is_never_exhausted() {
        let budget = Arc::new(RetryBudget::unlimited());
        assert!((0..10_000).all(|_| spend(&budget)));
    }
}
