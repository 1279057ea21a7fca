//! The outcomes that are planned for organizations which are added from now on.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::model::planned::PlannedOutcome;

/// Outcomes in the order in which they were planned; usually none.
#[derive(Debug, Default)]
pub(super) struct Plans(RwLock<Vec<PlannedOutcome>>);

impl Plans {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Vec<PlannedOutcome>> {
        // Nothing panics while holding the lock.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Vec<PlannedOutcome>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
