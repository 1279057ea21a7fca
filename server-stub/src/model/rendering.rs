//! What was written of a value, kept beside it.

use std::sync::OnceLock;

/// The bytes that a value was written as, to be written once. They are no part of the value: two that differ in
/// nothing else are equal, and a copy, which may be changed, begins without.
#[derive(Debug, Default)]
pub struct Rendering(OnceLock<Box<[u8]>>);

impl Rendering {
    /// The bytes, if they have been kept.
    pub fn get(&self) -> Option<&[u8]> {
        self.0.get().map(AsRef::as_ref)
    }

    /// Keeps these bytes, unless some have been kept already, and returns those that are kept.
    pub fn keep(&self, bytes: Vec<u8>) -> &[u8] {
        self.0.get_or_init(|| bytes.into())
    }
}

impl Clone for Rendering {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Rendering {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
