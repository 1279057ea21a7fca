//! A number that identifies the bytes of files, so that heads can name the model they were fitted to.

/// FNV-1a on little-endian words of eight bytes; the last word of each part is padded with zeros. It detects damaged
/// and different files, not forgery.
#[derive(Clone, Copy)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(self, bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let last = (!rest.is_empty()).then_some(&last);
        let step = |digest: u64, word: &[u8; 8]| (digest ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01b3);
        Self(words.iter().chain(last).fold(self.0, step))
    }

    /// As 16 hexadecimal digits.
    pub(super) fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}
