//! The body of a request, with a time limit, and the handling of a body that was not read to its end.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures::future::poll_fn;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::Sleep;

/// Maximum length of an unread rest of a body that is drained to keep the connection usable.
const REST_MAX: u64 = 4 * 65_536;
/// How long to wait for that rest before the response is sent.
const REST_PATIENCE: Duration = Duration::from_secs(2);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Splits a body into the part that the service reads and what is left of it afterwards.
pub(super) fn split(incoming: Incoming, limit: Duration) -> (Body, Remains) {
    if incoming.is_end_stream() {
        return (Body::empty(), Remains(None));
    }
    let remains = Remains(Some(Arc::new(Mutex::new(Rest::InUse))));
    let timed = Timed {
        incoming: Some(incoming),
        deadline: Box::pin(tokio::time::sleep(limit)),
        remains: remains.clone(),
    };
    (Body::new(timed), remains)
}

/// What the service left of a body; nothing if the request had none.
#[derive(Debug, Clone)]
pub(super) struct Remains(Option<Arc<Mutex<Rest>>>);

#[derive(Debug)]
enum Rest {
    /// The service still holds the body.
    InUse,
    /// The body was read to its end.
    Nothing,
    /// The rest was not read.
    Unread(Incoming),
    /// The body broke off.
    Broken,
}

impl Remains {
    /// Returns whether the connection can carry another request. If only a short rest of the body is left, reads it to
    /// make that possible. A client that still waits for `100 Continue` may never send the body, so in that case
    /// nothing is read.
    pub(super) async fn settle(self, expects_continue: bool) -> bool {
        let Some(shared) = self.0 else { return true };
        let rest = std::mem::replace(&mut *lock(&shared), Rest::InUse);
        match rest {
            Rest::Nothing => true,
            Rest::InUse | Rest::Broken => false,
            Rest::Unread(rest) => {
                !expects_continue
                    && rest.size_hint().lower() <= REST_MAX
                    && tokio::time::timeout(REST_PATIENCE, discard(rest))
                        .await
                        .unwrap_or(false)
            }
        }
    }

    fn set(&self, rest: Rest) {
        if let Some(shared) = &self.0 {
            *lock(shared) = rest;
        }
    }
}

fn lock(shared: &Mutex<Rest>) -> MutexGuard<'_, Rest> {
    // Nothing in this file panics while it holds the lock.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a body to its end; false if it does not end within the limit.
async fn discard(mut body: Incoming) -> bool {
    let mut length = 0;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let Ok(frame) = frame else { return false };
        length += frame.data_ref().map_or(0, Bytes::len) as u64;
        if length > REST_MAX {
            return false;
        }
    }
    true
}

/// A body that has to arrive within a time limit.
struct Timed {
    /// `None` once the body has ended or broken off.
    incoming: Option<Incoming>,
    deadline: Pin<Box<Sleep>>,
    remains: Remains,
}

impl Timed {
    fn end(&mut self, rest: Rest) {
        self.incoming = None;
        self.remains.set(rest);
    }
}

impl HttpBody for Timed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(incoming) = &mut self.incoming else {
            return Poll::Ready(None);
        };
        match Pin::new(incoming).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Some(Ok(frame))),
            Poll::Ready(Some(Err(error))) => {
                self.end(Rest::Broken);
                Poll::Ready(Some(Err(error.into())))
            }
            Poll::Ready(None) => {
                self.end(Rest::Nothing);
                Poll::Ready(None)
            }
            Poll::Pending => {
                std::task::ready!(self.deadline.as_mut().poll(cx));
                self.end(Rest::Broken);
                Poll::Ready(Some(Err("the body did not arrive in time".into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        if let Some(incoming) = self.incoming.take() {
            let rest = match incoming.is_end_stream() {
                true => Rest::Nothing,
                false => Rest::Unread(incoming),
            };
            self.remains.set(rest);
        }
    }
}
