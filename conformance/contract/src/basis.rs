//! The basis of the contract: the source description of the service, or a decision where the source is silent.

use std::fmt;

use serde_json::Value;

/// The mark of a node that the source states.
pub(crate) const STATED: &str = "stated";

/// The basis of a node or a sentence of the contract.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The source description of the service states it.
    Stated,
    /// The source is silent; this decision of the contract fills the gap.
    Decided(String),
}

impl Basis {
    /// Returns the mark of a node itself (`x-basis`, `x-decision`); `None` if it has none.
    pub(crate) fn of(node: &Value) -> Option<Self> {
        if let Some(decision) = node.get("x-decision").and_then(Value::as_str) {
            return Some(Self::Decided(decision.to_owned()));
        }
        (node.get("x-basis")? == STATED).then_some(Self::Stated)
    }

    /// Returns the mark of a keyword of a node (`x-keyword-basis`); `None` if it has none.
    pub(crate) fn of_keyword(node: &Value, keyword: &str) -> Option<Self> {
        match node.get("x-keyword-basis")?.get(keyword)?.as_str()? {
            STATED => Some(Self::Stated),
            decision => Some(Self::Decided(decision.to_owned())),
        }
    }

    /// The decision; `None` for a stated basis.
    pub fn decision(&self) -> Option<&str> {
        match self {
            Self::Stated => None,
            Self::Decided(decision) => Some(decision),
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated => f.write_str(STATED),
            Self::Decided(decision) => write!(f, "decided {decision}"),
        }
    }
}

/// One sentence of a description that is a promise with its own basis: an entry of `x-clauses`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// The node whose description contains the sentence, a JSON Pointer.
    pub pointer: String,
    /// The sentence, or part of it, as it occurs in the description, ignoring white space and code marks.
    pub says: String,
    /// The basis of the sentence.
    pub basis: Basis,
}

/// One decision of `x-decisions`: what was chosen where the source is silent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// `D` and two digits; permanent.
    pub id: String,
    /// What the source leaves open.
    pub open: String,
    /// What was decided.
    pub decided: String,
    /// The reason.
    pub why: String,
}

impl Decision {
    pub(crate) fn of(node: &Value) -> Self {
        let text = |name: &str| plain(node[name].as_str().unwrap_or_default());
        Self {
            id: text("id"),
            open: text("open"),
            decided: text("decided"),
            why: text("why"),
        }
    }
}

/// Replaces each run of white space by one space.
pub(crate) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normalizes a text for comparing sentences: without code marks, with one space for each run of white space.
pub(crate) fn comparable(text: &str) -> String {
    let mut comparable = String::with_capacity(text.len());
    let mut is_between = false;
    for character in text.chars().filter(|character| *character != '`') {
        if character.is_whitespace() {
            is_between = true;
            continue;
        }
        if is_between && !comparable.is_empty() {
            comparable.push(' ');
        }
        is_between = false;
        comparable.push(character);
    }
    comparable
}

#[cfg(test)]
mod tests {
    use super::comparable;

    #[test]
    fn code_marks_and_white_space_are_ignored_in_comparisons() {
        for (text, expected) in [
            ("", ""),
            (" \n` `", ""),
            ("`limit` is\n  at\tmost 1000", "limit is at most 1000"),
            ("  one` `two `` three\u{a0}", "one two three"),
        ] {
            assert_eq!(comparable(text), expected, "{text:?}");
        }
    }
}
