//! Namespaces: isolated states of one server, so that parallel test suites share a process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of namespaces.
const NAMESPACES_MAX: usize = 1000;
/// Maximum length of a name.
const NAME_MAX: usize = 64;

/// Why a namespace cannot be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NamespaceError {
    /// Its name is malformed, or there is more than one.
    #[error(
        "the name of a namespace has 1 to 64 letters, digits, dots, underscores and hyphens; send one in \
         Emulator-Namespace, or before a colon in API-Key"
    )]
    MalformedName,
    /// There are too many.
    #[error(
        "there are {NAMESPACES_MAX} namespaces; remove those that are no longer used: DELETE /__admin/namespaces/<name>"
    )]
    TooMany,
}

/// The namespaces that were opened, with states of type `S`, by name.
#[derive(Debug)]
pub(super) struct Namespaces<S>(Mutex<BTreeMap<String, S>>);

impl<S: Clone> Namespaces<S> {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    /// The state of the namespace with this name, which is made if there is none.
    pub(super) fn open(&self, name: &str, make: impl FnOnce() -> S) -> Result<S, NamespaceError> {
        if !is_name(name) {
            return Err(NamespaceError::MalformedName);
        }
        let mut opened = self.lock();
        if let Some(state) = opened.get(name) {
            return Ok(state.clone());
        }
        if opened.len() >= NAMESPACES_MAX {
            return Err(NamespaceError::TooMany);
        }
        let state = make();
        opened.insert(name.to_owned(), state.clone());
        Ok(state)
    }

    /// The names, in order.
    pub(super) fn names(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    pub(super) fn remove(&self, name: &str) -> bool {
        self.lock().remove(name).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, S>> {
        // Nothing panics between two changes that belong together.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a text can be the name of a namespace.
pub(super) fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=NAME_MAX).contains(&text.len()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_has_at_most_64_plain_characters() {
        assert!(is_name(&"a".repeat(64)) && is_name("Suite_1.2-b"));
        assert!(!is_name(&"a".repeat(65)) && !is_name("") && !is_name("a b") && !is_name("é"));
    }
}
