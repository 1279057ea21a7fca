//! What the contract rests on: the source description of the service, or a decision where that is silent.

use std::fmt;

use serde_json::Value;

/// The mark of what the source says.
pub(crate) const STATED: &str = "stated";

/// What a node or a sentence of the contract rests on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// The source description of the service says it.
    Stated,
    /// The source is silent; this decision of the contract fills the gap.
    Decided(String),
}

impl Basis {
    /// What a node itself is marked with (`x-basis`, `x-decision`); none when it carries no mark.
    pub(crate) fn of(node: &Value) -> Option<Self> {
        if let Some(decision) = node.get("x-decision").and_then(Value::as_str) {
            return Some(Self::Decided(decision.to_owned()));
        }
        (node.get("x-basis")? == STATED).then_some(Self::Stated)
    }

    /// What a keyword of a node is marked with (`x-keyword-basis`); none when it carries no mark.
    pub(crate) fn of_keyword(node: &Value, keyword: &str) -> Option<Self> {
        match node.get("x-keyword-basis")?.get(keyword)?.as_str()? {
            STATED => Some(Self::Stated),
            decision => Some(Self::Decided(decision.to_owned())),
        }
    }

    /// The decision; none for what is stated.
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

/// One sentence of a description that promises something, with its own basis: an entry of `x-clauses`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// The node whose description says it, a JSON Pointer.
    pub pointer: String,
    /// The sentence, or the part of one, as it occurs in the description; white space and code marks aside.
    pub says: String,
    /// What it rests on.
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
    /// Why.
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

/// A text with one space for any white space.
pub(crate) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as sentences are compared: without code marks, with one space for any white space.
pub(crate) fn comparable(text: &str) -> String {
    plain(&text.replace('`', ""))
}
