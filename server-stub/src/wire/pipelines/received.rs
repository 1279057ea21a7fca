//! A body while it is received.
//!
//! A long body is kept in separate pages, which return to the operating system when it is dropped. On the heap, a few
//! thousand clients that send half a body would leave hundreds of megabytes in the allocator, which does not return
//! them.

use std::ops::Deref;

use memmap2::MmapMut;

/// Longer bodies get separate pages. Bodies of the contract have about 30 bytes.
const SHORT_MAX: usize = 4096;

/// The received bytes of a body with at most `max` bytes.
#[derive(Debug)]
pub(super) struct Received {
    max: usize,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Short(Vec<u8>),
    Long { pages: MmapMut, length: usize },
}

/// A body has more bytes than allowed.
#[derive(Debug)]
pub(super) struct TooLong;

impl Received {
    pub(super) fn new(max: usize) -> Self {
        let bytes = Bytes::Short(Vec::new());
        Self { max, bytes }
    }

    /// Adds the next bytes.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Result<(), TooLong> {
        let length = self.len() + chunk.len();
        if length > self.max {
            return Err(TooLong);
        }
        if length > SHORT_MAX {
            self.lengthen();
        }
        match &mut self.bytes {
            Bytes::Short(bytes) => bytes.extend_from_slice(chunk),
            Bytes::Long { pages, length: end } => {
                pages[*end..length].copy_from_slice(chunk);
                *end = length;
            }
        }
        Ok(())
    }

    /// Moves a short body to separate pages. If the system has none, the body stays where it is.
    fn lengthen(&mut self) {
        if let Bytes::Short(bytes) = &self.bytes
            && let Ok(mut pages) = MmapMut::map_anon(self.max)
        {
            let length = bytes.len();
            pages[..length].copy_from_slice(bytes);
            self.bytes = Bytes::Long { pages, length };
        }
    }
}

impl Deref for Received {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Short(bytes) => bytes,
            Bytes::Long { pages, length } => &pages[..*length],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_does_not_depend_on_its_chunks() {
        for (max, chunk) in [(65_536, 1), (65_536, 1000), (65_536, 65_536), (5000, 4097), (10, 5)] {
            let whole: Vec<u8> = (0..max).map(|at| (at % 251) as u8).collect();
            let mut received = Received::new(max);
            for part in whole.chunks(chunk) {
                received.push(part).unwrap();
            }
            assert_eq!(&received[..], &whole[..], "{max} bytes in chunks of {chunk}");
            assert!(received.push(b"x").is_err());
            assert_eq!(received.len(), max, "what is too long is not added");
        }
    }

    #[test]
    fn only_a_long_body_has_pages_of_its_own() {
        let mut received = Received::new(65_536);
        received.push(&[b'x'; SHORT_MAX]).unwrap();
        assert!(matches!(received.bytes, Bytes::Short(_)));
        received.push(b"x").unwrap();
        assert!(matches!(received.bytes, Bytes::Long { .. }));
    }
}
