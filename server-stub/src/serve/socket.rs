//! The socket below hyper: notes how far the connection is, and holds back the one response that hyper
//! writes by itself.
//!
//! hyper answers what is not HTTP with a bare status. The contract has a body for it, and hyper has no
//! setting for that. So the bare 400, 414 or 431 is dropped here, and the connection writes the full one.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::progress::Progress;
use super::stream::Stream;

/// The most that one read brings. hyper makes its buffer larger after each read that fills it, up to 400 kB, and
/// thousands of half-sent bodies would each keep such a buffer. A read that is shorter than hyper's first buffer of
/// 8 KiB leaves it at that.
const READ_MAX: usize = 4096;

/// How the lines below the status of a response of hyper's own begin, the blank one at its end included.
const OWN_LINES: [&[u8]; 4] = [
    b"connection: close\r",
    b"content-length: 0\r",
    b"date:",
    b"\r",
];

#[derive(Debug)]
pub(super) struct Socket {
    pub(super) stream: Stream,
    /// What was read of the next request already.
    pub(super) ahead: Bytes,
    pub(super) progress: Arc<Progress>,
}

impl Socket {
    /// Where a response of hyper's own begins in `buffer`, and its status. Such a response comes between two
    /// requests, is a head alone, and has no other fields than these. `is_next` says whether nothing is written before
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
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
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
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
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
        // A response of hyper's own stands at the end: what is before it goes first.
        self.poll_write(cx, first.map_or(&[], |first| first))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Only TLS holds back bytes that the system does not take yet.
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        ready!(self.wrote(flushed))?;
        self.progress.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
