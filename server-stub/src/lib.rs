//! Placeholder.
pub mod embedding;
