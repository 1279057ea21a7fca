//! What a run is required to check, so that an empty run cannot be green.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Rule;
use crate::pattern::Pattern;

/// What must be checked for a run to be green. A rule is checked when one of its cases passed or found a difference.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::Requirement;
///
/// assert_eq!("all".parse(), Ok(Requirement::Share(100)));
/// assert_eq!("90%".parse(), Ok(Requirement::Share(90)));
/// assert!("limit/*".parse::<Requirement>().is_ok());
/// assert!("101%".parse::<Requirement>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// This share of all rules of the catalogue, in percent: 1 to 100.
    Share(u8),
    /// Every rule with a case that matches.
    Rules(Pattern),
}

/// A text that is not a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a requirement is `all`, a share such as `90%`, or a pattern of ids such as `limit/*`")]
pub struct InvalidRequirement;

/// The result of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementReport {
    /// The requirement, as on the command line.
    pub requirement: String,
    /// Whether it is met.
    pub met: bool,
    /// How many of its rules were checked.
    pub checked: usize,
    /// The number of its rules, including those that the run left out.
    pub total: usize,
    /// Its rules that were not checked.
    pub missing: Vec<String>,
}

impl Requirement {
    /// Returns the result of the requirement in a run with these rules. `catalogue` are the ids of all cases, including
    /// those that the run left out, each with its rule.
    pub fn judge<'a>(
        &self,
        catalogue: impl IntoIterator<Item = (&'a str, &'a str)>,
        rules: &[Rule<'_>],
    ) -> RequirementReport {
        let mut required: Vec<&str> = Vec::new();
        for (id, rule) in catalogue {
            if self.is_about(id) && !required.contains(&rule) {
                required.push(rule);
            }
        }
        let is_checked = |id: &str| rules.iter().any(|rule| rule.id() == id && rule.is_checked());
        let (checked, missing): (Vec<&str>, Vec<&str>) = required.into_iter().partition(|id| is_checked(id));
        let total = checked.len() + missing.len();
        let share = match self {
            Self::Share(share) => usize::from(*share),
            Self::Rules(_) => 100,
        };
        RequirementReport {
            requirement: self.to_string(),
            met: total > 0 && checked.len() * 100 >= total * share,
            checked: checked.len(),
            total,
            missing: missing.into_iter().map(str::to_owned).collect(),
        }
    }

    fn is_about(&self, id: &str) -> bool {
        match self {
            Self::Share(_) => true,
            Self::Rules(pattern) => pattern.matches(id),
        }
    }
}

impl FromStr for Requirement {
    type Err = InvalidRequirement;

    fn from_str(text: &str) -> Result<Self, InvalidRequirement> {
        if text == "all" {
            return Ok(Self::Share(100));
        }
        if let Some(share) = text.strip_suffix('%') {
            let share = share.parse().ok().filter(|share| (1..=100).contains(share));
            return share.map(Self::Share).ok_or(InvalidRequirement);
        }
        match text.contains(['/', '*']) {
            true => Ok(Self::Rules(text.into())),
            false => Err(InvalidRequirement),
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(100) => f.write_str("all"),
            Self::Share(share) => write!(f, "{share}%"),
            Self::Rules(pattern) => write!(f, "{pattern}"),
        }
    }
}

impl fmt::Display for RequirementReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            requirement,
            checked,
            total,
            ..
        } = self;
        write!(f, "{requirement}: {checked} of {total} rules were checked")
    }
}
