//! Consecutive records in compact form. As values, a million organizations take twice the memory, mostly for strings
//! that are each allocated separately.

use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Records by row number.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    bytes: Vec<u8>,
    /// Where each record ends.
    ends: Vec<u64>,
    of: PhantomData<fn() -> T>,
}

/// A record, and its packed bytes.
#[derive(Debug)]
pub struct Packed<T> {
    record: T,
    pub(super) bytes: Vec<u8>,
}

impl<T: Serialize> Packed<T> {
    /// Packs a record.
    #[expect(
        clippy::expect_used,
        reason = "a record is made of texts, numbers and lists, which can all be written"
    )]
    pub fn new(record: T) -> Self {
        let bytes = postcard::to_stdvec(&record).expect("a record can be written");
        Self { record, bytes }
    }

    /// The record.
    pub fn record(&self) -> &T {
        &self.record
    }
}

impl<T: DeserializeOwned> Shelf<T> {
    pub(super) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            of: PhantomData,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as u64);
    }

    /// The packed record in a row.
    pub(super) fn bytes(&self, row: usize) -> &[u8] {
        let end = self.ends[row] as usize;
        let start = row.checked_sub(1).map_or(0, |above| self.ends[above] as usize);
        &self.bytes[start..end]
    }

    /// The record in a row.
    #[expect(
        clippy::expect_used,
        reason = "the bytes are those of a record that was written here"
    )]
    pub(super) fn get(&self, row: usize) -> T {
        postcard::from_bytes(self.bytes(row)).expect("a record that was written can be read")
    }

    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}
