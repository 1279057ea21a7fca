//! Repeatable randomness.

/// SplitMix64, written out so that a seed means the same run whatever the crate versions.
pub(super) struct Dice(u64);

impl Dice {
    /// Creates dice that give the same sequence for the same `seed` and `about`.
    pub(super) fn new(seed: u64, about: &str) -> Self {
        // FNV-1a.
        let hash = about.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut dice = Self(seed);
        dice.0 = dice.next() ^ hash;
        dice
    }

    /// Returns a number in `0..end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}
