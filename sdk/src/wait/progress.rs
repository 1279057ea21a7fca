//! Progress of a wait, as a stream.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::poller::Poller;
use crate::types::ItemStatus;
use crate::{Error, ResponseValue};

type Step = Pin<Box<dyn Future<Output = (Result<ResponseValue<ItemStatus>, Error>, Poller)> + Send>>;

/// Stream of the status of an item at each poll, returned by
/// [`WaitUntilReady::progress`](super::WaitUntilReady::progress).
///
/// The stream ends after a ready status or an error. It polls the service only while it is polled itself, and
/// spawns no task. Dropping it ends the wait.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// let mut progress = client.wait_until_ready().pipeline_id(2).pipeline_item_id(200_013).progress()?;
/// while let Some(status) = progress.next().await {
///     println!("questions answered: {}", status?.custom_questions_answered);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a stream does nothing until it is polled"]
pub struct Progress {
    /// The next poll; `None` at the end.
    step: Option<Step>,
}

impl Progress {
    pub(super) fn new(poller: Poller) -> Self {
        Self {
            step: Some(step(poller)),
        }
    }

    /// Returns the next status, like `StreamExt::next` but without its import. Returns `None` at the end and
    /// after an error.
    ///
    /// # Errors
    /// Returns the errors of [`WaitUntilReady::send`](super::WaitUntilReady::send).
    pub async fn next(&mut self) -> Option<Result<ResponseValue<ItemStatus>, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

fn step(mut poller: Poller) -> Step {
    Box::pin(async move { (poller.next().await, poller) })
}

impl Stream for Progress {
    type Item = Result<ResponseValue<ItemStatus>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(this_step) = &mut self.step else {
            return Poll::Ready(None);
        };
        let (status, poller) = ready!(this_step.as_mut().poll(cx));
        let goes_on = status.as_ref().is_ok_and(|status| !status.is_ready);
        self.step = goes_on.then(|| step(poller));
        Poll::Ready(Some(status))
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("is_over", &self.step.is_none())
            .finish_non_exhaustive()
    }
}
