//! What the streams of a walk have in common: pages in order, each held against those before.

use std::collections::VecDeque;
use std::task::{Context, Poll, ready};
use std::vec;

use super::cursor::Cursor;
use super::drift::{Checked, Mark, Watch};
use super::event::{Event, Page};
use super::prefetch::Prefetch;
use crate::Error;
use crate::error::Kind;
use crate::error::drift::Drift;

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
    /// Where the walk can go on if it ends with a drift of the page at hand.
    retreat: Mark,
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
        in_order_of_ids: bool,
    ) -> Self {
        Self {
            operation,
            prefetch,
            watch: Watch::from(start.mark, in_order_of_ids),
            id,
            reach,
            total: start.mark.total,
            drifts: VecDeque::new(),
            items: Vec::new().into_iter(),
            page_end: start.mark,
            retreat: start.mark,
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
                    self.retreat = page.retreat;
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }

    /// The next page, unless it shows a change that ends the walk.
    pub(super) fn poll_still_page(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Page<T>, Error>>> {
        let page = ready!(self.poll_page(cx));
        Poll::Ready(page.map(|page| {
            let page = page?;
            self.retreat = page.retreat;
            let drift = page.drifts.into_iter().find(|drift| self.ends_walk(drift));
            if let Some(drift) = drift {
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

    /// Whether a change is an error for those who want to know of none.
    pub(super) fn ends_walk(&self, drift: &Drift) -> bool {
        !self.watch.is_harmless(drift)
    }

    /// Ends the walk for a change. The cursor knows of it, so that a walk which resumes there passes it.
    pub(super) fn fail(&mut self, drift: Drift) -> Error {
        self.prefetch.stop();
        self.drifts = VecDeque::new();
        self.items = Vec::new().into_iter();
        self.cursor.mark = self.retreat;
        self.page_end = self.retreat;
        Error::new(Kind::Drift(drift)).of(self.operation)
    }

    /// The next page. After an error there is none.
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Checked<T>, Error>>> {
        let Some(page) = ready!(self.prefetch.poll_page(cx)) else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(match page.answer {
            Ok(answer) => {
                let ask = page.ask;
                let page = self.watch.check(ask, answer.rows, answer.total, self.id);
                let Mark {
                    position,
                    total,
                    last,
                } = page.mark;
                self.total = total;
                self.prefetch.set_total(total.unwrap_or_default());
                if position < ask.from.saturating_add(ask.limit) {
                    self.prefetch.go_back(position, last.is_some());
                }
                Ok(page)
            }
            Err(error) => {
                self.prefetch.stop();
                Err(error)
            }
        }))
    }
}
