//! Threads beside the runtime, for work that would block the requests which the runtime serves.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::model::store_error::StoreError;

/// How many callers may wait for a thread. A search of 100,000 records takes some 60 ms, so the last of them waits
/// longer than the contract asks a client to wait.
const QUEUE: usize = 256;

/// From this number of records on, a scan takes milliseconds and does not run on the thread of the caller. Below it,
/// moving to another thread would cost a large share of the time.
const OFFLOAD_FROM: usize = 4096;

/// Limits how many jobs run at once, and leaves one core for the runtime. Clones share the limit.
#[derive(Debug, Clone)]
pub(crate) struct Pool {
    threads: Arc<Semaphore>,
    /// One permit for every job that runs or waits.
    places: Arc<Semaphore>,
}

impl Pool {
    pub(crate) fn new() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self::of(cores.saturating_sub(1).max(1), QUEUE)
    }

    /// A pool that runs at most `threads` jobs at once, while at most `queue` others wait.
    pub(crate) fn of(threads: usize, queue: usize) -> Self {
        Self {
            threads: Arc::new(Semaphore::new(threads)),
            places: Arc::new(Semaphore::new(threads + queue)),
        }
    }

    /// Runs a job that scans this many records, on a thread beside the runtime if there are many.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when too many callers wait.
    pub(super) async fn scan<T: Send + 'static>(
        &self,
        records: usize,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        if records < OFFLOAD_FROM {
            return Ok(job());
        }
        self.run(job).await
    }

    /// Runs a job on a blocking thread of the runtime as soon as one is free. A caller that is dropped while it waits
    /// frees its place; a job that has started runs to its end. Outside a tokio runtime the job runs on the thread of
    /// the caller.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when too many callers wait.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        if Handle::try_current().is_err() {
            return Ok(job());
        }
        // Neither semaphore is ever closed, so a failure means that there is no place.
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| StoreError::Busy)?;
        let thread = Arc::clone(&self.threads).acquire_owned().await;
        let thread = thread.map_err(|_| StoreError::Busy)?;
        let running = spawn_blocking(move || {
            let _held = (place, thread);
            job()
        });
        running.await.map_err(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime is shutting down.
            Err(_) => StoreError::Busy,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use futures::FutureExt;
    use futures::future::join_all;
    use futures::poll;

    use super::*;

    #[tokio::test]
    async fn jobs_beyond_the_queue_are_rejected_and_those_in_it_are_done() {
        let pool = Pool::of(1, 2);
        let (release, held) = mpsc::channel::<()>();
        let mut first = Box::pin(pool.run(move || held.recv().is_err()));
        assert!(poll!(&mut first).is_pending());
        let mut waiting: Vec<_> = (0..2).map(|number| Box::pin(pool.run(move || number))).collect();
        for job in &mut waiting {
            assert!(poll!(job).is_pending());
        }
        let rejected = pool.run(|| ()).now_or_never();
        assert!(matches!(rejected, Some(Err(StoreError::Busy))));
        // A caller that gives up frees its place.
        waiting.pop();
        let mut next = Box::pin(pool.run(|| 7));
        assert!(poll!(&mut next).is_pending());
        drop(release);
        assert!(first.await.unwrap());
        let done: Vec<_> = join_all(waiting).await;
        assert!(matches!(done[..], [Ok(0)]));
        assert_eq!(next.await.unwrap(), 7);
    }

    #[test]
    fn job_without_a_runtime_runs_on_the_callers_thread() {
        let pool = Pool::of(1, 0);
        assert!(matches!(pool.run(|| 7).now_or_never(), Some(Ok(7))));
    }

    #[tokio::test]
    #[should_panic(expected = "in the job")]
    async fn panic_in_a_job_reaches_the_caller() {
        let _ = Pool::of(1, 0).run(|| panic!("in the job")).await;
    }
}
