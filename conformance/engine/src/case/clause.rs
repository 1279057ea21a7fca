//! The sentences of the contract that a case rests on.

use serde_json::Value;

use platform_contract::{Basis, Contract};

/// A place in the contract, and the sentence that stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// A JSON pointer into `openapi.yaml`; a `$ref` on the way is followed.
    pub pointer: String,
    /// The sentence: quoted from the contract, or put together from the node itself.
    pub sentence: String,
    /// What it rests on.
    pub basis: Basis,
}

/// A reference to a sentence of the contract, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Citation {
    /// The node at this JSON pointer: the first sentence of its description, its rule, or the keyword as it stands.
    Node(String),
    /// A sentence of the node at this JSON pointer, word for word; white space and code marks do not count.
    Quote(String, String),
    /// A clause that stands in no contract: a rule of one's own.
    Own(Clause),
}

/// A citation that the contract does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CitationError {
    /// There is no such node.
    #[error("the contract has nothing at {0}")]
    NoNode(String),
    /// The node has no basis.
    #[error(
        "the contract does not mark {0}: quote a sentence of it that has an entry in x-clauses"
    )]
    Unmarked(String),
    /// The node does not say so.
    #[error("the contract does not say {sentence:?} at {pointer}")]
    NotSaid {
        /// The place.
        pointer: String,
        /// The sentence.
        sentence: String,
    },
    /// The sentence has no basis.
    #[error("the contract does not mark {sentence:?} at {pointer}: give it an entry in x-clauses")]
    SentenceUnmarked {
        /// The place.
        pointer: String,
        /// The sentence.
        sentence: String,
    },
}

impl Citation {
    /// The place that it names.
    pub fn pointer(&self) -> &str {
        match self {
            Self::Node(pointer) | Self::Quote(pointer, _) => pointer,
            Self::Own(clause) => &clause.pointer,
        }
    }

    /// Reads it in a contract.
    ///
    /// # Errors
    /// When the contract does not have it, or does not say what it rests on.
    pub fn read_in(&self, contract: &Contract) -> Result<Clause, CitationError> {
        match self {
            Self::Node(pointer) => node(contract, pointer),
            Self::Quote(pointer, sentence) => quote(contract, pointer, sentence),
            Self::Own(clause) => Ok(clause.clone()),
        }
    }
}

fn node(contract: &Contract, pointer: &str) -> Result<Clause, CitationError> {
    let found = contract.get(pointer);
    let found = found.ok_or_else(|| CitationError::NoNode(pointer.to_owned()))?;
    let basis = contract.basis(pointer);
    Ok(Clause {
        pointer: pointer.to_owned(),
        sentence: sentence(pointer, found),
        basis: basis.ok_or_else(|| CitationError::Unmarked(pointer.to_owned()))?,
    })
}

fn quote(contract: &Contract, pointer: &str, sentence: &str) -> Result<Clause, CitationError> {
    let (pointer, sentence) = (pointer.to_owned(), sentence.to_owned());
    if !contract.says(&pointer, &sentence) {
        return Err(CitationError::NotSaid { pointer, sentence });
    }
    match contract.basis_of(&pointer, &sentence) {
        None => Err(CitationError::SentenceUnmarked { pointer, sentence }),
        Some(basis) => Ok(Clause {
            pointer,
            sentence,
            basis,
        }),
    }
}

/// What a node says of itself: the first sentence of its description, its rule, or the keyword as it stands.
fn sentence(pointer: &str, node: &Value) -> String {
    if let Some(rule) = node["rule"].as_str() {
        return rule.to_owned();
    }
    match node["description"].as_str() {
        Some(text) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let first = text.split_inclusive(". ").next();
            first.unwrap_or_default().trim().to_owned()
        }
        None => format!("{}: {node}", pointer.rsplit('/').next().unwrap_or_default()),
    }
}
