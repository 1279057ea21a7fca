//! Consecutive records in compact form. As values, a million organizations take twice the memory, mostly for strings
//! that are each allocated separately.
//!
//! The first records lie there as they were packed, so that small data is read without any more work. Those after them
//! are compressed in blocks, since records repeat much: their own domain, the names of places, the words of their kind.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zstd::bulk::{Compressor, Decompressor};

use super::facts::Indexed;

/// Records that are not compressed.
const PLAIN: usize = 1 << 14;
/// Records in a compressed block. More would save little memory, and unpacking a record takes in proportion.
const BLOCK: usize = 16;
/// Bytes of most packed records.
const USUAL: usize = 1024;
/// zstd's fastest ordinary level. Higher ones save little in blocks of this size.
const LEVEL: i32 = 1;

/// Records by row number.
pub(super) struct Shelf<T> {
    plain: Strip,
    /// Compressed blocks, each of them a [strip](Strip::written) of `BLOCK` records.
    blocks: Strip,
    /// The records after the last block.
    last: Strip,
    count: usize,
    compressor: Option<Compressor<'static>>,
    of: PhantomData<fn() -> T>,
}

/// Byte strings, one after the other.
#[derive(Debug, Default)]
struct Strip {
    bytes: Cow<'static, [u8]>,
    /// Where each of them ends.
    ends: Vec<u64>,
}

/// The block that was unpacked last, so that reading its other records does not unpack it again. It belongs to one
/// shelf, whose records do not change meanwhile.
#[derive(Default)]
pub(super) struct Unpacked {
    number: Option<usize>,
    block: Vec<u8>,
    decompressor: Option<Decompressor<'static>>,
}

/// A record in packed form, and what is indexed of it.
#[derive(Debug)]
pub struct Packed<T: Indexed> {
    pub(super) facts: T::Facts,
    pub(super) bytes: Vec<u8>,
}

impl<T: Indexed + Serialize> Packed<T> {
    /// Packs a record.
    pub fn new(record: T) -> Self {
        let bytes = pack(&record);
        Self {
            facts: record.into_facts(),
            bytes,
        }
    }

    /// What is indexed of the record.
    pub fn facts(&self) -> &T::Facts {
        &self.facts
    }
}

#[expect(
    clippy::expect_used,
    reason = "a record is made of texts, numbers and lists, which can all be written"
)]
fn pack(record: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(record, Vec::with_capacity(USUAL)).expect("a record can be written")
}

impl<T> fmt::Debug for Shelf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Unpacked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacked")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl<T: DeserializeOwned> Shelf<T> {
    pub(super) fn new() -> Self {
        Self {
            plain: Strip::default(),
            blocks: Strip::default(),
            last: Strip::default(),
            count: 0,
            compressor: None,
            of: PhantomData,
        }
    }

    /// A shelf of packed records that are part of the program, which ends at each of `ends`. They are not copied.
    pub(super) fn of_program(bytes: &'static [u8], ends: Vec<u64>) -> Self {
        let mut shelf = Self::new();
        shelf.count = ends.len();
        shelf.plain = Strip {
            bytes: Cow::Borrowed(bytes),
            ends,
        };
        shelf
    }

    /// The packed records, and where each ends.
    #[cfg(test)]
    pub(super) fn to_program(&self) -> (Vec<u8>, Vec<u64>) {
        let mut all = Strip::default();
        let unpacked = &mut Unpacked::default();
        for row in 0..self.count {
            all.push(self.bytes(row, unpacked));
        }
        (all.bytes.into_owned(), all.ends)
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.count += 1;
        if self.blocks.is_empty() && self.last.is_empty() && self.plain.len() < PLAIN {
            return self.plain.push(bytes);
        }
        self.last.push(bytes);
        if self.last.len() == BLOCK {
            let block = self.compressed();
            self.blocks.push(&block);
            self.last.clear();
        }
    }

    #[expect(
        clippy::expect_used,
        reason = "zstd fails only for levels that it does not have, and for lack of memory"
    )]
    fn compressed(&mut self) -> Vec<u8> {
        let block = self.last.written();
        let compressor = self
            .compressor
            .get_or_insert_with(|| Compressor::new(LEVEL).expect("zstd has the level"));
        let mut compressed = (block.len() as u32).to_le_bytes().to_vec();
        compressed.extend(compressor.compress(&block).expect("a block can be compressed"));
        compressed
    }

    /// The packed record in a row.
    pub(super) fn bytes<'a>(&'a self, row: usize, unpacked: &'a mut Unpacked) -> &'a [u8] {
        let Some(after) = row.checked_sub(self.plain.len()) else {
            return self.plain.get(row);
        };
        let (number, place) = (after / BLOCK, after % BLOCK);
        if number == self.blocks.len() {
            return self.last.get(place);
        }
        if unpacked.number != Some(number) {
            unpacked.unpack(self.blocks.get(number));
            unpacked.number = Some(number);
        }
        Strip::read(&unpacked.block, place)
    }

    /// The record in a row.
    #[expect(
        clippy::expect_used,
        reason = "the bytes are those of a record that was written here"
    )]
    pub(super) fn get(&self, row: usize, unpacked: &mut Unpacked) -> T {
        postcard::from_bytes(self.bytes(row, unpacked)).expect("a record that was written can be read")
    }

    pub(super) fn shrink(&mut self) {
        for strip in [&mut self.plain, &mut self.blocks, &mut self.last] {
            strip.shrink();
        }
        self.compressor = None;
    }
}

impl Strip {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.to_mut().extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as u64);
    }

    fn get(&self, place: usize) -> &[u8] {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.bytes[start..self.ends[place] as usize]
    }

    fn clear(&mut self) {
        self.bytes.to_mut().clear();
        self.ends.clear();
    }

    fn shrink(&mut self) {
        if let Cow::Owned(bytes) = &mut self.bytes {
            bytes.shrink_to_fit();
        }
        self.ends.shrink_to_fit();
    }

    /// A whole block as one byte string: where each record ends, then the records.
    fn written(&self) -> Vec<u8> {
        let ends = self.ends.iter().flat_map(|end| (*end as u32).to_le_bytes());
        ends.chain(self.bytes.iter().copied()).collect()
    }

    /// A record of a written block.
    fn read(block: &[u8], place: usize) -> &[u8] {
        let (ends, records) = block.split_at(BLOCK * size_of::<u32>());
        let end = |place: usize| u32::from_le_bytes(ends.as_chunks().0[place]) as usize;
        let start = place.checked_sub(1).map_or(0, end);
        &records[start..end(place)]
    }
}

impl Unpacked {
    #[expect(
        clippy::expect_used,
        reason = "the bytes are those of a block that was compressed here"
    )]
    fn unpack(&mut self, compressed: &[u8]) {
        let (length, compressed) = compressed.split_first_chunk().expect("a block begins with its length");
        let decompressor = self
            .decompressor
            .get_or_insert_with(|| Decompressor::new().expect("zstd fails only for lack of memory"));
        self.block.clear();
        self.block.reserve(u32::from_le_bytes(*length) as usize);
        decompressor
            .decompress_to_buffer(compressed, &mut self.block)
            .expect("a block that was compressed can be decompressed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(row: usize) -> String {
        format!("record {row} ").repeat(1 + row % 7)
    }

    fn shelf(count: usize) -> Shelf<String> {
        let mut shelf = Shelf::new();
        for row in 0..count {
            shelf.push(&pack(&record(row)));
        }
        shelf
    }

    #[test]
    fn every_record_is_read_as_it_was_written_in_any_order() {
        for count in [
            0,
            1,
            PLAIN,
            PLAIN + 1,
            PLAIN + BLOCK - 1,
            PLAIN + BLOCK,
            PLAIN + 3 * BLOCK + 2,
        ] {
            let mut shelf = shelf(count);
            shelf.shrink();
            let unpacked = &mut Unpacked::default();
            for row in (0..count).chain((0..count).rev()) {
                assert_eq!(shelf.get(row, unpacked), record(row), "{row} of {count}");
            }
        }
    }

    #[test]
    fn records_of_the_program_are_not_copied() {
        let (bytes, ends) = shelf(5).to_program();
        let bytes: &'static [u8] = bytes.leak();
        let mut again = Shelf::<String>::of_program(bytes, ends);
        again.shrink();
        let unpacked = &mut Unpacked::default();
        assert_eq!(again.bytes(0, unpacked).as_ptr(), bytes.as_ptr());
        let read: Vec<_> = (0..5).map(|row| again.get(row, unpacked)).collect();
        assert_eq!(read, (0..5).map(record).collect::<Vec<_>>());
    }

    #[test]
    fn data_written_for_a_program_is_not_compressed() {
        let (bytes, ends) = shelf(PLAIN + 2 * BLOCK + 1).to_program();
        assert_eq!(ends.len(), PLAIN + 2 * BLOCK + 1);
        let again = Shelf::<String>::of_program(bytes.leak(), ends);
        let row = PLAIN + BLOCK + 3;
        assert_eq!(again.get(row, &mut Unpacked::default()), record(row));
    }
}
