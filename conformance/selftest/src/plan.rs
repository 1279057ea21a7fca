//! The selection for a self-test.

use engine::pattern::Pattern;

/// The selection for a self-test.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The faults, by name.
    pub faults: Vec<Pattern>,
    /// The legal variants, by name.
    pub variants: Vec<Pattern>,
    /// Whether each variant has a deployment of its own. Otherwise variants that do not hide each other share one.
    pub alone: bool,
    /// The cases; all if empty.
    pub only: Vec<Pattern>,
    /// Whether each fault meets every case, so that all cases that detect it are known.
    pub matrix: bool,
    /// The seed of rare faults, of property runs, and of the order of the cases that do not check the fault's clause.
    pub seed: u64,
}

impl Plan {
    /// Whether the sound reference server is checked as well: with all faults and all cases.
    pub(super) fn has_control(&self) -> bool {
        let all = Self::default();
        self.faults == all.faults && self.only == all.only && !self.matrix
    }
}

impl Default for Plan {
    /// Every fault up to the first detection, every variant, every case.
    fn default() -> Self {
        Self {
            faults: vec!["*".into()],
            variants: vec!["*".into()],
            alone: false,
            only: Vec::new(),
            matrix: false,
            seed: 0,
        }
    }
}
