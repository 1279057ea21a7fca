//! A request body that is recorded while the service reads it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// Bodies with more bytes are not recorded. It is far more than any operation needs.
const RECORDED_MAX: usize = 4096;

/// What has been read of a body so far. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Recording(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    bytes: Vec<u8>,
    is_too_long: bool,
}

impl Recording {
    /// Records a body from now on.
    pub(super) fn of(&self, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        Body::new(RecordedBody {
            body,
            recording: self.clone(),
        })
    }

    /// The body as far as it was read; `None` if it is empty or too long.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = !recorded.is_too_long && !recorded.bytes.is_empty();
        is_kept.then(|| recorded.bytes.clone())
    }

    fn push(&self, bytes: &[u8]) {
        // Nothing in this file panics while it holds the lock.
        let mut recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.is_too_long |= recorded.bytes.len() + bytes.len() > RECORDED_MAX;
        if !recorded.is_too_long {
            recorded.bytes.extend_from_slice(bytes);
        }
    }
}

struct RecordedBody {
    body: Body,
    recording: Recording,
}

impl HttpBody for RecordedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(bytes) = frame.data_ref()
        {
            self.recording.push(bytes);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
