//! Which cases to run: ids, with `*` as a wildcard.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// A pattern of case ids. `*` matches any text, including `/`. Without `*` it is a whole id, or the id of a rule, which
/// matches the rule's cases for all subjects.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::Pattern;
///
/// assert!(Pattern::from("limit/*").matches("limit/zero-is-rejected"));
/// assert!(Pattern::from("auth/missing-key").matches("auth/missing-key/list_items"));
/// assert!(!Pattern::from("limit").matches("limit/zero-is-rejected"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Whether an id matches.
    pub fn matches(&self, id: &str) -> bool {
        self.is_rule_of(id) || self.matches_whole(id)
    }

    /// Whether this pattern is the id of a rule and the text the id of one of its cases: `group/rule` and
    /// `group/rule/subject`.
    fn is_rule_of(&self, id: &str) -> bool {
        let subject = id.strip_prefix(self.0.as_str());
        self.0.contains('/') && subject.is_some_and(|rest| rest.starts_with('/'))
    }

    fn matches_whole(&self, id: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(rest) = id.strip_prefix(parts.next().unwrap_or_default()) else {
            return false;
        };
        let mut parts: Vec<_> = parts.collect();
        // The part after the last star must end the id; the parts between stars must occur in order.
        let Some(last) = parts.pop() else {
            return rest.is_empty();
        };
        let mut rest = rest;
        for part in parts {
            match rest.find(part) {
                Some(start) => rest = &rest[start + part.len()..],
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

impl From<&str> for Pattern {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl FromStr for Pattern {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.into())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_id_matches_all_of_its_subjects() {
        let id = "auth/missing-key/list_items";
        for pattern in [id, "auth/missing-key"] {
            assert!(Pattern::from(pattern).matches(id), "{pattern}");
        }
        for pattern in ["auth", "auth/", "auth/missing", "missing-key", "auth/missing-key/"] {
            assert!(!Pattern::from(pattern).matches(id), "{pattern}");
        }
    }

    #[test]
    fn star_matches_anything() {
        let id = "limit/zero-is-rejected";
        for pattern in [
            "*",
            "limit/*",
            "*rejected",
            "*zero*",
            "l*t/*is*",
            id,
            "limit/zero-is-rejected*",
        ] {
            assert!(Pattern::from(pattern).matches(id), "{pattern}");
        }
        for pattern in ["", "limit", "limit/", "*zero", "zero*", "*is*zero*", "limit/*/rejected"] {
            assert!(!Pattern::from(pattern).matches(id), "{pattern}");
        }
    }
}
