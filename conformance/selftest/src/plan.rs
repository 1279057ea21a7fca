//! What the kit is judged on.

use engine::pattern::Pattern;

/// What is to be judged.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The faults, by their names.
    pub faults: Vec<Pattern>,
    /// The legal variants, by their names.
    pub variants: Vec<Pattern>,
    /// The cases to judge; all when empty.
    pub only: Vec<Pattern>,
    /// Whether each fault meets every case, so that the cases which notice it are all known.
    pub matrix: bool,
    /// Where rare faults begin, what random walks are made from, and in which order cases are asked that do
    /// not look at the fault's clause.
    pub seed: u64,
}

impl Default for Plan {
    /// Every fault until the first kill, every variant, every case.
    fn default() -> Self {
        Self {
            faults: vec!["*".into()],
            variants: vec!["*".into()],
            only: Vec::new(),
            matrix: false,
            seed: 0,
        }
    }
}
