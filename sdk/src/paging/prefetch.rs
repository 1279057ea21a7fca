//! Requests several pages at once and returns them in order.

use std::collections::VecDeque;
use std::task::{Context, Poll};

use futures_core::future::BoxFuture;
use futures_util::stream::{FuturesOrdered, StreamExt};

use super::source::{Answer, Ask, Source};
use crate::Error;
use crate::call::retry_decision::PlannedRetry;

/// Pages from a given row on. Every page except the first begins with the last row of the one before.
///
/// If a page requested ahead of its turn gets a 429 response or times out, it has not failed yet: it is
/// requested once more when its turn comes, unless the server asks for too long a pause. By then fewer
/// requests are in flight, and the timeout does not run while a slow consumer does not poll the stream.
pub(super) struct Prefetch<T> {
    source: Source<T>,
    /// Rows per page.
    page_size: u64,
    /// The first row out of bounds, regardless of the collection.
    bound: u64,
    /// The first row known not to be worth requesting.
    end: u64,
    /// Last known number of rows in the collection.
    known: u64,
    /// The first row not yet requested.
    next: u64,
    overlaps: bool,
    window: Window,
    in_flight: FuturesOrdered<BoxFuture<'static, Arrived<T>>>,
    arrived: VecDeque<Arrived<T>>,
    /// The page to request once more after a pause; all of `in_flight` come after it.
    postponed: Option<(Ask, PlannedRetry)>,
}

/// A page that arrived, or why it did not.
pub(super) struct Arrived<T> {
    pub(super) ask: Ask,
    pub(super) answer: Result<Answer<T>, Error>,
    /// Whether earlier pages had not been handed out when it was requested.
    ahead: bool,
    /// How often the window had shrunk when it was requested.
    shrunk: u64,
}

/// The rows to fetch.
pub(super) struct Range {
    /// The first row wanted.
    pub(super) start: u64,
    /// Whether to fetch the row before it again.
    pub(super) overlaps: bool,
    /// The first row out of bounds.
    pub(super) bound: u64,
    /// Last known number of rows in the collection.
    pub(super) known: u64,
}

impl<T: Send + 'static> Prefetch<T> {
    pub(super) fn new(source: Source<T>, range: Range, page_size: u64, pages: usize) -> Self {
        Self {
            source,
            page_size,
            bound: range.bound,
            // The first page is always worth requesting: it reports the number of rows.
            end: range.start.saturating_add(1),
            known: range.known,
            next: range.start,
            overlaps: range.overlaps,
            window: Window::new(pages),
            in_flight: FuturesOrdered::new(),
            arrived: VecDeque::new(),
            postponed: None,
        }
    }

    /// Sets the number of rows in the collection.
    pub(super) fn set_total(&mut self, total: u64) {
        self.known = total;
        self.end = total.min(self.bound);
    }

    /// Continues at row `position` after a page that ended there, earlier than requested. Pages
    /// requested beyond it are dropped: they start too late if there are more rows by now.
    pub(super) fn go_back(&mut self, position: u64, overlaps: bool) {
        self.in_flight.clear();
        self.arrived.clear();
        self.postponed = None;
        self.next = position;
        self.overlaps = overlaps;
    }

    /// Cancels all pending requests and makes no more.
    pub(super) fn stop(&mut self) {
        self.end = 0;
        self.in_flight.clear();
        self.arrived.clear();
        self.postponed = None;
    }

    /// Returns the next page in order; `None` after the last one.
    pub(super) fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Arrived<T>>> {
        loop {
            self.poll_ahead(cx, 0);
            if let Some(page) = self.arrived.pop_front() {
                return Poll::Ready(Some(page));
            }
            match self.postponed.take() {
                Some((ask, retry)) => {
                    let page = self.request(ask, retry, false);
                    self.in_flight.push_front(page);
                }
                None if self.in_flight.is_empty() => return Poll::Ready(None),
                None => return Poll::Pending,
            }
        }
    }

    /// Drives the requests while the consumer holds `held` pages.
    pub(super) fn poll_ahead(&mut self, cx: &mut Context<'_>, held: usize) {
        loop {
            self.fill_window(held);
            if self.postponed.is_some() {
                return;
            }
            let Poll::Ready(Some(page)) = self.in_flight.poll_next_unpin(cx) else {
                return;
            };
            self.window.learn(&page);
            match self.retry_of(&page) {
                Some(retry) => self.postponed = Some((page.ask, retry)),
                None => self.arrived.push_back(page),
            }
        }
    }

    /// Returns how to retry a page; `None` if it is not retried.
    fn retry_of(&self, page: &Arrived<T>) -> Option<PlannedRetry> {
        match &page.answer {
            Err(error) if page.ahead && error.is_timeout() => Some(PlannedRetry::default()),
            Err(error) if page.ahead && error.is_rate_limited() => self.source.again_after(error),
            _ => None,
        }
    }

    fn fill_window(&mut self, held: usize) {
        loop {
            let before = held + self.in_flight.len() + self.arrived.len() + usize::from(self.postponed.is_some());
            if before >= self.window.pages || self.next >= self.end {
                return;
            }
            let ask = self.next_ask();
            self.next = ask.from.saturating_add(ask.limit);
            self.overlaps = true;
            let page = self.request(ask, PlannedRetry::default(), before > 0);
            self.in_flight.push_back(page);
        }
    }

    fn next_ask(&self) -> Ask {
        let from = match self.overlaps {
            true => self.next.saturating_sub(1),
            false => self.next,
        };
        // If no row can be reached, let the server report it.
        let limit = self.bound.saturating_sub(from).clamp(1, self.page_size);
        Ask {
            from,
            limit,
            overlaps: self.overlaps,
            known: self.known,
        }
    }

    fn request(&self, ask: Ask, retry: PlannedRetry, ahead: bool) -> BoxFuture<'static, Arrived<T>> {
        let answer = self.source.ask(ask, retry);
        let shrunk = self.window.shrunk;
        Box::pin(async move {
            Arrived {
                ask,
                ahead,
                shrunk,
                answer: answer.await,
            }
        })
    }
}

/// Maximum number of pages at once, requested or held. It halves on a 429 response, and grows by one
/// page after each window of pages without one.
struct Window {
    pages: usize,
    most: usize,
    calm: usize,
    /// How often it has shrunk. Pages requested before the last time do not reflect the current load.
    shrunk: u64,
}

impl Window {
    fn new(most: usize) -> Self {
        Self {
            pages: most,
            most,
            calm: 0,
            shrunk: 0,
        }
    }

    fn learn<T>(&mut self, page: &Arrived<T>) {
        if page.shrunk < self.shrunk {
            return;
        }
        let was_rate_limited = match &page.answer {
            Ok(answer) => answer.was_rate_limited,
            Err(error) => error.is_rate_limited(),
        };
        if was_rate_limited {
            self.pages = (self.pages / 2).max(1);
            self.shrunk += 1;
            self.calm = 0;
            return;
        }
        self.calm += 1;
        if self.calm >= self.pages && self.pages < self.most {
            self.pages += 1;
            self.calm = 0;
        }
    }
}
