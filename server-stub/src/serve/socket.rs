//! The socket below hyper. It tracks the progress of the connection, and suppresses the responses that hyper writes
//! itself.
//!
//! hyper answers input that is not HTTP with a bare status. The contract requires a body, and hyper has no setting for
//! that. The bare 400, 414 or 431 is therefore dropped here, and the connection writes the full response.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::progress::Progress;
use super::stream::Stream;

/// Maximum number of bytes in one read. hyper enlarges its buffer after each read that fills it, up to 400 kB, and
/// thousands of half-sent bodies would each keep such a buffer. A read that is shorter than hyper's first buffer of 8
/// KiB leaves its size unchanged.
const READ_MAX: usize = 4096;

/// How the lines after the status line begin in a response of hyper itself, including the blank line at the end.
const OWN_LINES: [&[u8]; 4] = [b"connection: close\r", b"content-length: 0\r", b"date:", b"\r"];

#[derive(Debug)]
pub(super) struct Socket {
    pub(super) stream: Stream,
    /// Bytes of the next request that were already read.
    pub(super) ahead: Bytes,
    pub(super) progress: Arc<Progress>,
}

impl Socket {
    /// Finds a response of hyper itself in `buffer`; returns its start and its status. Such a response comes between
    /// two requests, has no body, and has no other fields than these. `is_next` says whether nothing is written before
    /// the buffer.
    fn rejection(&self, buffer: &[u8], is_next: bool) -> Option<(usize, u16)> {
        if !buffer.ends_with(b"\r\n\r\n") || !self.progress.is_between_requests() {
            return None;
        }
        let start = buffer.windows(7).rposition(|bytes| bytes == b"HTTP/1.")?;
        if start == 0 && is_next && self.progress.owes_response() {
            return None;
        }
        let head = buffer[start..].to_ascii_lowercase();
        let status = match head.get(8..13)? {
            b" 400 " => 400,
            b" 414 " => 414,
            b" 431 " => 431,
            _ => return None,
        };
        let lines = head.split(|byte| *byte == b'\n').skip(1);
        let mut lines = lines.filter(|line| !line.is_empty());
        let is_own = lines.all(|line| OWN_LINES.iter().any(|own| line.starts_with(own)));
        is_own.then_some((start, status))
    }

    fn wrote<T>(&self, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.progress.write_stalled(outcome.is_pending());
        outcome
    }

    fn wrote_bytes(&self, outcome: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(1..)) = outcome {
            self.progress.wrote();
        }
        self.wrote(outcome)
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            let mut bytes = [const { MaybeUninit::uninit() }; READ_MAX];
            let length = buffer.remaining().min(READ_MAX);
            let mut read = ReadBuf::uninit(&mut bytes[..length]);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut read))?;
            if !read.filled().is_empty() {
                buffer.put_slice(read.filled());
                self.progress.received();
            }
        } else {
            let length = self.ahead.len().min(buffer.remaining());
            buffer.put_slice(&self.ahead[..length]);
            self.ahead.advance(length);
            self.progress.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        let wanted = match self.rejection(buffer, true) {
            Some((0, status)) => {
                self.progress.reject(status);
                return Poll::Ready(Ok(buffer.len()));
            }
            Some((start, _)) => start,
            None => buffer.len(),
        };
        let outcome = Pin::new(&mut self.stream).poll_write(cx, &buffer[..wanted]);
        self.wrote_bytes(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut filled = buffers.iter().filter(|buffer| !buffer.is_empty());
        let (first, last) = (filled.next(), filled.next_back());
        let is_own = match (first, last) {
            (Some(first), None) => self.rejection(first, true).is_some(),
            (_, Some(last)) => self.rejection(last, false).is_some(),
            (None, None) => false,
        };
        if !is_own {
            let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, buffers);
            return self.wrote_bytes(outcome);
        }
        // hyper's own response is last: the bytes before it go first.
        self.poll_write(cx, first.map_or(&[], |first| first))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Only TLS holds back bytes that the system does not accept yet.
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        ready!(self.wrote(flushed))?;
        self.progress.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
