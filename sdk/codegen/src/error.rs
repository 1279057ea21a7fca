//! Why generation failed. An error names the operation and the place in the contract where known.

use std::fmt;
use std::path::PathBuf;

use platform_contract::{Contract, SyntaxError};

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An error while generating a client or reading or writing its files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The contract is not YAML that every parser reads the same way.
    #[error("openapi.yaml: {0}")]
    Syntax(#[from] SyntaxError),
    /// The contract lacks what the client needs, or contains something that cannot be generated.
    #[error("openapi.yaml{0}")]
    Contract(Fault),
    /// progenitor rejects the contract.
    #[error("progenitor rejects the contract: {0}")]
    Progenitor(String),
    /// progenitor's output has an unexpected form, for example after an update.
    #[error("progenitor's output has an unexpected form: {0}; adapt sdk/codegen to this version of progenitor")]
    Form(String),
    /// A file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error from the operating system.
        why: std::io::Error,
    },
}

/// A fault in the contract, and where: `:412: list_items: has no x-idempotent (/paths/…/get)`.
#[derive(Debug)]
pub struct Fault {
    operation: Option<String>,
    pointer: String,
    line: Option<u64>,
    why: String,
}

impl Fault {
    /// Returns the `operationId` of the faulty operation.
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_deref()
    }

    /// Returns the JSON Pointer of the place.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the line, counted from 1.
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        if let Some(operation) = &self.operation {
            write!(f, "{operation}: ")?;
        }
        write!(f, "{} ({})", self.why, self.pointer)
    }
}

impl Error {
    /// Creates an error for an operation.
    pub(crate) fn of_operation(contract: &Contract, operation: &str, pointer: &str, why: impl Into<String>) -> Self {
        Self::Contract(Fault {
            operation: Some(operation.to_owned()),
            pointer: pointer.to_owned(),
            line: contract.line(pointer),
            why: why.into(),
        })
    }

    /// Creates an error for a place outside the operations.
    pub(crate) fn at(contract: &Contract, pointer: &str, why: impl Into<String>) -> Self {
        Self::Contract(Fault {
            operation: None,
            pointer: pointer.to_owned(),
            line: contract.line(pointer),
            why: why.into(),
        })
    }

    /// Creates an error for a component schema.
    pub(crate) fn of_schema(name: &str, why: impl Into<String>) -> Self {
        Self::Contract(Fault {
            operation: None,
            pointer: format!("/components/schemas/{name}"),
            line: None,
            why: why.into(),
        })
    }

    pub(crate) fn form(what: impl Into<String>) -> Self {
        Self::Form(what.into())
    }
}
