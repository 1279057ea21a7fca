//! The sentences of the contract behind a case.

use serde_json::Value;

use platform_contract::{Basis, Contract};

/// A place in the contract, and its sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// A JSON Pointer into `openapi.yaml`; a `$ref` on the way is followed.
    pub pointer: String,
    /// The sentence: quoted from the contract, or composed from the node itself.
    pub sentence: String,
    /// Its basis.
    pub basis: Basis,
}

/// A reference to a sentence of the contract, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Citation {
    /// The node at this JSON Pointer: the first sentence of its description, its rule, or the keyword as written.
    Node(String),
    /// A sentence of the node at this JSON Pointer, word for word; white space and code marks are ignored.
    Quote(String, String),
    /// A custom clause that is not in the contract, with the place in the contract that it concerns.
    Own(Clause),
}

/// A citation that does not match the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CitationError {
    /// There is no such node.
    #[error("a case cites {0}, but the contract has nothing there")]
    NoNode(String),
    /// The node has no basis.
    #[error("the contract does not mark {0}: quote a sentence of it that has an entry in x-clauses")]
    Unmarked(String),
    /// The node does not contain the sentence.
    #[error("the contract has no sentence {sentence:?} at {pointer}")]
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
    /// The place that it refers to.
    pub fn pointer(&self) -> &str {
        match self {
            Self::Node(pointer) | Self::Quote(pointer, _) => pointer,
            Self::Own(clause) => &clause.pointer,
        }
    }

    /// Resolves the citation in a contract.
    ///
    /// # Errors
    /// When the contract does not contain it, or gives it no basis.
    pub fn read_in(&self, contract: &Contract) -> Result<Clause, CitationError> {
        match self {
            Self::Node(pointer) => node(contract, pointer),
            Self::Quote(pointer, sentence) => quote(contract, pointer, sentence),
            Self::Own(clause) if contract.get(&clause.pointer).is_none() => {
                Err(CitationError::NoNode(clause.pointer.clone()))
            }
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

/// Returns the sentence of a node: the first sentence of its description, its rule, or the keyword as written.
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
