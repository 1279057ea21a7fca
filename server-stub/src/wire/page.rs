//! The part of a list that a request asks for.

use super::parameter::{Integer, Reader};
use crate::model::search::Page;

/// Reads the requested part of a list.
pub(super) fn read_page(reader: &mut Reader, skip: Integer, limit: Integer) -> Option<Page> {
    let (skip, limit) = (skip.read(reader), limit.read(reader));
    Some(Page {
        skip: usize::try_from(skip?).ok()?,
        limit: usize::try_from(limit?).ok()?,
    })
}
