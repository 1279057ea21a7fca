//! What the error of one request has to say besides, when several requests make up a call.

use std::time::Duration;

use super::{Error, Outcome};

impl Error {
    /// The error of a call that was tried again `delay` after it had failed as in `before`.
    pub(crate) fn following(mut self, before: Self, delay: Duration) -> Self {
        let Some(first) = self.0.attempts.first_mut() else {
            // Nothing was sent any more: there is nothing to be said but what failed before.
            return before;
        };
        first.delay = delay;
        let later = std::mem::take(&mut self.0.attempts);
        self.0.attempts = before.0.attempts;
        self.0.attempts.extend(later);
        self
    }

    /// What more is known, in a few words for people.
    pub(crate) fn remarking(mut self, remark: impl Into<String>) -> Self {
        self.0.remark = Some(remark.into());
        self
    }

    /// The error of a call of which an earlier part, a write, went well.
    pub(crate) fn after_a_write(mut self) -> Self {
        self.0.earlier = Outcome::MayHaveHappened;
        self
    }

    /// Whether it is not known what became of the last attempt.
    pub(crate) fn is_lost(&self) -> bool {
        self.last_outcome() == Outcome::MayHaveHappened
    }
}
