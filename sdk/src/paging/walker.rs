//! Common part of the streams of a walk: pages in order, each compared with those before.

use std::collections::VecDeque;
use std::fmt;
use std::task::{Context, Poll, ready};
use std::vec;

use tracing::warn;

use super::cursor::Cursor;
use super::drift::{Checked, Mark, Watch};
use super::event::{Event, Page};
use super::prefetch::Prefetch;
use super::reaction::Reaction;
use super::rows::Row;
use crate::error::drift::Drift;
use crate::error::{Error, Kind, Unreadable};

pub(super) struct Walker<T> {
    operation: &'static str,
    prefetch: Prefetch<T>,
    watch: Watch,
    id: fn(&T) -> i64,
    /// The first row that the service does not provide.
    reach: u64,
    total: Option<u64>,
    /// Place after the last element handed out.
    cursor: Cursor,
    /// Drifts of the current page, and its remaining items.
    drifts: VecDeque<Drift>,
    items: vec::IntoIter<(u64, Row<T>)>,
    /// Place after the current page.
    page_end: Mark,
    /// Where to resume if the walk ends with a drift of the current page.
    retreat: Mark,
    on_drift: Reaction,
    on_unreadable: Reaction,
    /// The row that ends the walk, after the part of its page before it was handed out.
    stumbling_block: Option<(Mark, Box<Unreadable>)>,
}

// Nothing in it is pinned: the futures are boxed, and items are only moved.
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
        (on_drift, on_unreadable): (Reaction, Reaction),
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
            on_drift,
            on_unreadable,
            stumbling_block: None,
        }
    }

    /// Returns the next item, drift or unreadable item, as the reactions of the walk require.
    pub(super) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Event<T>, Error>>> {
        loop {
            let reaction = match ready!(self.poll_everything(cx)) {
                Some(Ok(Event::Drift(drift))) if self.ends_walk(&drift) => {
                    return Poll::Ready(Some(Err(self.fail(drift))));
                }
                Some(Ok(Event::Unreadable(item))) if self.on_unreadable == Reaction::Fail => {
                    return Poll::Ready(Some(Err(self.fail_at(Box::new(item)))));
                }
                event @ Some(Ok(Event::Drift(_))) => (event, self.on_drift),
                event @ Some(Ok(Event::Unreadable(_))) => (event, self.on_unreadable),
                event => return Poll::Ready(event),
            };
            if let (event, Reaction::Fail | Reaction::Report) = reaction {
                return Poll::Ready(event);
            }
        }
    }

    /// Returns the next item, drift or unreadable item.
    fn poll_everything(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Event<T>, Error>>> {
        loop {
            if let Some(drift) = self.drifts.pop_front() {
                return Poll::Ready(Some(Ok(Event::Drift(drift))));
            }
            if let Some((row, item)) = self.items.next() {
                // Later pages are fetched while this one is consumed.
                self.prefetch.poll_ahead(cx, 1);
                self.cursor.mark = self.after(row, &item);
                return Poll::Ready(Some(Ok(match item {
                    Ok(item) => Event::Item(item),
                    Err(item) => Event::Unreadable(*item),
                })));
            }
            self.cursor.mark = self.page_end;
            match ready!(self.poll_page(cx)) {
                Some(Ok((page, _))) => {
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

    /// Returns the next page, unless it reveals a change that ends the walk.
    pub(super) fn poll_still_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Page<T>, Error>>> {
        if let Some((mark, item)) = self.stumbling_block.take() {
            self.cursor.mark = mark;
            return Poll::Ready(Some(Err(self.fail_at(item))));
        }
        let page = ready!(self.poll_page(cx));
        Poll::Ready(page.map(|page| {
            let (mut page, request_id) = page?;
            self.retreat = page.retreat;
            let mut drifts = page.drifts;
            if let Some(fatal) = drifts.iter().position(|drift| self.ends_walk(drift)) {
                return Err(self.fail(drifts.swap_remove(fatal)));
            }
            if self.on_drift == Reaction::Ignore {
                drifts.clear();
            }
            let (mut items, mut unreadable) = (Vec::with_capacity(page.items.len()), Vec::new());
            let mut before = self.cursor.mark;
            self.page_end = page.mark;
            for (row, found) in page.items {
                let after = self.after(row, &found);
                match found {
                    Ok(item) => items.push(item),
                    Err(item) if self.on_unreadable == Reaction::Report => unreadable.push(*item),
                    Err(_) if self.on_unreadable == Reaction::Ignore => {}
                    Err(item) if items.is_empty() => {
                        self.cursor.mark = after;
                        return Err(self.fail_at(item));
                    }
                    Err(item) => {
                        self.stumbling_block = Some((after, item));
                        page.mark = before;
                        break;
                    }
                }
                before = after;
            }
            self.cursor.mark = page.mark;
            Ok(Page {
                items,
                drifts,
                unreadable,
                total_count: page.mark.total.unwrap_or(0),
                request_id,
                cursor: self.cursor(),
            })
        }))
    }

    /// Returns the place after a row.
    fn after(&self, row: u64, found: &Row<T>) -> Mark {
        Mark {
            position: row + 1,
            last: id_of(found, self.id),
            ..self.page_end
        }
    }

    /// Logs what a stream of items cannot yield.
    pub(super) fn note(&self, what: &dyn fmt::Display) {
        warn!(target: "platform_sdk", operation = self.operation, "{what}");
    }

    pub(super) fn is_harmless(&self, drift: &Drift) -> bool {
        self.watch.is_harmless(drift)
    }

    /// Returns whether a drift ends the walk with an error.
    fn ends_walk(&self, drift: &Drift) -> bool {
        self.on_drift == Reaction::Fail && !self.watch.is_harmless(drift)
    }

    /// Ends the walk at an unreadable item. The cursor is past it.
    fn fail_at(&mut self, item: Box<Unreadable>) -> Error {
        self.prefetch.stop();
        self.drifts = VecDeque::new();
        self.items = Vec::new().into_iter();
        self.page_end = self.cursor.mark;
        Error::new(Kind::Unreadable(item)).of(self.operation)
    }

    /// Ends the walk because of a drift. The cursor accounts for it, so a walk that resumes there
    /// passes it.
    fn fail(&mut self, drift: Drift) -> Error {
        self.prefetch.stop();
        self.drifts = VecDeque::new();
        self.items = Vec::new().into_iter();
        self.cursor.mark = self.retreat;
        self.page_end = self.retreat;
        Error::new(Kind::Drift(drift)).of(self.operation)
    }

    /// Returns the next page and its request id; `None` after an error.
    fn poll_page(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Named<T>, Error>>> {
        let Some(page) = ready!(self.prefetch.poll_page(cx)) else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(match page.answer {
            Ok(answer) => {
                let ask = page.ask;
                let id = self.id;
                let found = |row: &Row<T>| id_of(row, id);
                let page = self.watch.check(ask, answer.rows, answer.total, found);
                let Mark { position, total, last } = page.mark;
                self.total = total;
                self.prefetch.set_total(total.unwrap_or_default());
                if position < ask.from.saturating_add(ask.limit) {
                    self.prefetch.go_back(position, last.is_some());
                }
                Ok((page, answer.request_id))
            }
            Err(error) => {
                self.prefetch.stop();
                Err(error)
            }
        }))
    }
}

/// A page and its request id.
type Named<T> = (Checked<Row<T>>, Option<String>);

/// Returns the id of the item in a row, if it can be read.
fn id_of<T>(found: &Row<T>, id: fn(&T) -> i64) -> Option<i64> {
    match found {
        Ok(item) => Some(id(item)),
        Err(item) => item.id,
    }
}
