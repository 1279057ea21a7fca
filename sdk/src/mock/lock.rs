//! Locks that outlive a test which failed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A test that failed while it held a lock must not hide its failure behind those of others.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
