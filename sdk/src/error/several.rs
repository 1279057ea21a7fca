//! Errors of calls that make several requests.

use std::time::Duration;

use super::{Error, Outcome};

impl Error {
    /// Returns the error of a call that was retried `delay` after it had failed with `before`.
    pub(crate) fn following(mut self, before: Self, delay: Duration) -> Self {
        let Some(first) = self.0.attempts.first_mut() else {
            // Nothing more was sent, so the earlier error stands.
            return before;
        };
        first.delay = delay;
        let later = std::mem::take(&mut self.0.attempts);
        self.0.attempts = before.0.attempts;
        self.0.attempts.extend(later);
        self
    }

    /// Adds a short remark for people.
    pub(crate) fn with_remark(mut self, remark: impl Into<String>) -> Self {
        self.0.remark = Some(remark.into());
        self
    }

    /// Marks the error as one of a call whose earlier part, a write, succeeded.
    pub(crate) fn after_a_write(mut self) -> Self {
        self.0.earlier = Outcome::MayHaveHappened;
        self
    }

    /// Returns whether the outcome of the last attempt is unknown.
    pub(crate) fn is_lost(&self) -> bool {
        self.last_outcome() == Outcome::MayHaveHappened
    }
}
