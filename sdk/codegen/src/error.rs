//! Why there is no client: each error names the operation and the place in the contract, as far as it has them.

use std::fmt;
use std::path::PathBuf;

use platform_contract::{Contract, SyntaxError};

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Why a client cannot be generated, or its files cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The contract is not YAML that all readers read alike.
    #[error("openapi.yaml: {0}")]
    Syntax(#[from] SyntaxError),
    /// The contract lacks what the client needs, or has what no client could be generated from.
    #[error("openapi.yaml{0}")]
    Contract(Fault),
    /// progenitor refuses the contract.
    #[error("progenitor refuses the contract: {0}")]
    Progenitor(String),
    /// progenitor writes other code than this generator changes: it was updated.
    #[error("progenitor's code has another form than this generator changes: {0}")]
    Form(String),
    /// A file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        why: std::io::Error,
    },
}

/// What is wrong with the contract, and where: `:412: list_items: has no x-idempotent (/paths/…/get)`.
#[derive(Debug)]
pub struct Fault {
    operation: Option<String>,
    pointer: String,
    line: Option<u64>,
    why: String,
}

impl Fault {
    /// The `operationId` of the operation that is at fault.
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_deref()
    }

    /// The JSON Pointer of the place.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The line, counted from 1.
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
    /// An operation is at fault.
    pub(crate) fn of_operation(
        contract: &Contract,
        operation: &str,
        pointer: &str,
        why: impl Into<String>,
    ) -> Self {
        Self::Contract(Fault {
            operation: Some(operation.to_owned()),
            pointer: pointer.to_owned(),
            line: contract.line(pointer),
            why: why.into(),
        })
    }

    /// A place outside the operations is at fault.
    pub(crate) fn at(contract: &Contract, pointer: &str, why: impl Into<String>) -> Self {
        Self::Contract(Fault {
            operation: None,
            pointer: pointer.to_owned(),
            line: contract.line(pointer),
            why: why.into(),
        })
    }

    /// A schema of the components is at fault.
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
