//! What the streams of a walk have in common: pages in order, each held against those before.

use std::collections::VecDeque;
use std::task::{Context, Poll, ready};
use std::vec;

use super::cursor::Cursor;
use super::drift::{Checked, Drift, Mark, Watch};
use super::prefetch::Prefetch;
use super::streams::{Event, Page};
use crate::Error;
use crate::error::Kind;

pub(super) struct Walker<T> {
    operation: &'static str,
    prefetch: Prefetch<T>,
    watch: Watch,
    id: fn(&T) -> i64,
    /// The first row that the service does not give.
    reach: u64,
    total: Option<u64>,
    /// After what was handed out.
    cursor: Cursor,
    /// What the page at hand has shown, and what is left of it.
    drifts: VecDeque<Drift>,
    items: vec::IntoIter<(u64, T)>,
    /// After the page at hand.
    page_end: Mark,
}

// Nothing in it is pinned in place: the futures are boxed, and items are only moved.
impl<T> Unpin for Walker<T> {}

impl<T> Walker<T> {
    pub(super) fn cursor(&self) -> Cursor {
        self.cursor.clone()
    }

    pub(super) fn total_count(&self) -> Option<u64> {
        self.total
    }

    pub(super) fn is_truncated(&self) -> bool {
        self.total.is_some_and(|total| total > self.reach)
    }
}

impl<T: Send + 'static> Walker<T> {
    pub(super) fn new(
        operation: &'static str,
        prefetch: Prefetch<T>,
        start: Cursor,
        id: fn(&T) -> i64,
        reach: u64,
    ) -> Self {
        Self {
            operation,
            prefetch,
            watch: Watch::from(start.mark),
            id,
            reach,
            total: start.mark.total,
            drifts: VecDeque::new(),
            items: Vec::new().into_iter(),
            page_end: start.mark,
            cursor: start,
        }
    }

    /// The next item, or what was noticed on the page that has it.
    pub(super) fn poll_event(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Event<T>, Error>>> {
        loop {
            if let Some(drift) = self.drifts.pop_front() {
                return Poll::Ready(Some(Ok(Event::Drift(drift))));
            }
            if let Some((row, item)) = self.items.next() {
                // The pages to come are read on while this one is used up.
                self.prefetch.poll_ahead(cx, 1);
                self.cursor.mark = Mark {
                    position: row + 1,
                    last: Some((self.id)(&item)),
                    ..self.page_end
                };
                return Poll::Ready(Some(Ok(Event::Item(item))));
            }
            self.cursor.mark = self.page_end;
            match ready!(self.poll_page(cx)) {
                Some(Ok(page)) => {
                    self.drifts = page.drifts.into();
                    self.items = page.items.into_iter();
                    self.page_end = page.mark;
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }

    /// The next page, if it shows that the collection is as it was.
    pub(super) fn poll_still_page(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Page<T>, Error>>> {
        let page = ready!(self.poll_page(cx));
        Poll::Ready(page.map(|page| {
            let page = page?;
            if let Some(drift) = page.drifts.into_iter().next() {
                return Err(self.fail(drift));
            }
            self.cursor.mark = page.mark;
            Ok(Page {
                items: page.items.into_iter().map(|(_, item)| item).collect(),
                total_count: page.mark.total.unwrap_or(0),
                cursor: self.cursor(),
            })
        }))
    }

    /// Ends the walk for a change.
    pub(super) fn fail(&mut self, drift: Drift) -> Error {
        self.prefetch.stop();
        self.drifts = VecDeque::new();
        self.items = Vec::new().into_iter();
        self.page_end = self.cursor.mark;
        Error::new(Kind::Drift(drift)).of(self.operation)
    }

    /// The next page. After an error there is none.
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Checked<T>, Error>>> {
        let Some(page) = ready!(self.prefetch.poll_page(cx)) else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(match page.answer {
            Ok(answer) => {
                self.total = Some(answer.total);
                self.prefetch.set_total(answer.total);
                Ok(self
                    .watch
                    .check(page.ask, answer.rows, answer.total, self.id))
            }
            Err(error) => {
                self.prefetch.stop();
                Err(error)
            }
        }))
    }
}
