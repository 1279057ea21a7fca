//! The components of many vectors, where a scan reads them as fast as the memory allows.
//!
//! They lie in pieces, so that adding one never copies the others. The system is asked to back large pieces with large
//! pages: with small ones, looking up addresses takes more time than a filtered scan itself.

use std::alloc::{Layout, handle_alloc_error};

use memmap2::MmapMut;

use crate::vector::DIMENSIONS;

/// Rows in a piece: 16 MiB. The system provides the memory of a row when the row is written.
pub(super) const PIECE: usize = 1 << 16;
/// Fewer rows keep small pages, since they would not fill a single large one.
const LARGE: usize = 1 << 13;

/// One row of components for each vector, by row number.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pieces: Vec<MmapMut>,
    count: usize,
}

impl Rows {
    /// Appends a row; `None` is a row of zeros.
    pub(super) fn push(&mut self, components: Option<&[u8; DIMENSIONS]>) {
        let (place, row) = (self.count % PIECE, self.count);
        self.count += 1;
        if place == 0 {
            self.pieces.push(new_piece());
        }
        let Some(piece) = self.pieces.last_mut() else {
            return;
        };
        if row == LARGE || (row > LARGE && place == 0) {
            prefer_large_pages(piece);
        }
        if let Some(components) = components {
            // Memory that was never written reads as zeros.
            piece.as_chunks_mut().0[place] = *components;
        }
    }

    /// The components in a row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[u8; DIMENSIONS] {
        assert!(row < self.count, "row {row} of {}", self.count);
        &self.pieces[row / PIECE].as_chunks().0[row % PIECE]
    }

    /// `count` consecutive rows.
    ///
    /// # Panics
    /// If they do not exist, or lie in two pieces.
    pub(super) fn consecutive(&self, first: usize, count: usize) -> &[[u8; DIMENSIONS]] {
        let end = first + count;
        assert!(end <= self.count, "rows {first} to {end} of {}", self.count);
        let place = first % PIECE;
        &self.pieces[first / PIECE].as_chunks().0[place..place + count]
    }
}

/// Memory for one piece. As with every collection, a program that gets no memory ends.
fn new_piece() -> MmapMut {
    MmapMut::map_anon(PIECE * DIMENSIONS)
        .unwrap_or_else(|_| handle_alloc_error(Layout::new::<[[u8; DIMENSIONS]; PIECE]>()))
}

/// It is only a request: a system without large pages goes on with small ones.
fn prefer_large_pages(piece: &MmapMut) {
    #[cfg(target_os = "linux")]
    let _ = piece.advise(memmap2::Advice::HugePage);
    #[cfg(not(target_os = "linux"))]
    let _ = piece;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reads_as_it_was_written() {
        let mut rows = Rows::default();
        let components = |row: usize| [row as u8 | 1; DIMENSIONS];
        for row in 0..PIECE + 3 {
            rows.push((row % 5 != 0).then(|| components(row)).as_ref());
        }
        for row in 0..PIECE + 3 {
            let expected = match row % 5 {
                0 => [0; DIMENSIONS],
                _ => components(row),
            };
            assert_eq!(*rows.row(row), expected, "{row}");
        }
    }

    #[test]
    fn consecutive_rows_are_read_as_one() {
        let rows = numbered(PIECE + 10);
        let firsts = |first, count| {
            let rows = rows.consecutive(first, count).iter();
            rows.map(|row| row[0]).collect::<Vec<_>>()
        };
        assert_eq!(firsts(3, 3), [3, 4, 5]);
        assert_eq!(firsts(PIECE - 2, 2), [254, 255]);
        assert_eq!(firsts(PIECE + 8, 2), [8, 9]);
    }

    #[test]
    #[should_panic(expected = "rows 9 to 11 of 10")]
    fn rows_that_do_not_exist_are_not_read() {
        numbered(10).consecutive(9, 2);
    }

    fn numbered(count: usize) -> Rows {
        let mut rows = Rows::default();
        for row in 0..count {
            rows.push(Some(&[row as u8; DIMENSIONS]));
        }
        rows
    }
}
