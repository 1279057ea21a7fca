//! A body in pieces of moderate size.
//!
//! A single piece of a quarter of a megabyte would need new memory from the system for every response. Getting that
//! memory takes the system longer than writing the bytes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// Bytes in a piece, unless a single write is larger.
const PIECE: usize = 64 * 1024;

/// Bytes that are written piece by piece, and sent as one body.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    full: VecDeque<Bytes>,
    last: Vec<u8>,
}

impl Chunks {
    pub(super) fn write(&mut self, bytes: &[u8]) {
        if self.last.len() + bytes.len() > PIECE {
            self.cut();
        }
        if self.last.capacity() == 0 && !self.full.is_empty() {
            self.last.reserve_exact(PIECE.max(bytes.len()));
        }
        self.last.extend_from_slice(bytes);
    }

    fn cut(&mut self) {
        if !self.last.is_empty() {
            self.full.push_back(std::mem::take(&mut self.last).into());
        }
    }

    pub(super) fn into_body(mut self) -> Body {
        self.cut();
        Body::new(Pieces(self.full))
    }
}

struct Pieces(VecDeque<Bytes>);

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn written_bytes_come_out_in_order_and_their_length_is_known() {
        let parts = [10, PIECE - 10, 1, 3 * PIECE, 0, 500, PIECE].map(|length| vec![length as u8; length]);
        let mut chunks = Chunks::default();
        for part in &parts {
            chunks.write(part);
        }
        let body = chunks.into_body();
        assert_eq!(body.size_hint().exact(), Some(parts.concat().len() as u64));
        let received = body.collect().await.unwrap().to_bytes();
        assert!(received == parts.concat());
    }
}
