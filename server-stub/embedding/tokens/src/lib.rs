//! The vectors of tokens that the reference server embeds texts with. They are compiled into the program: nothing is
//! downloaded, read from disk or unpacked.
//!
//! This crate holds a file, and no code that reads it. `server-stub/embedding/scripts/refine_embedding.py` writes it.

/// A safetensors file with the tensors `rows` (a row of 256 components of 8 bits for each token, in the order of the
/// vocabulary) and `scales` (a 32-bit float for each row).
pub static TABLE: &[u8] = include_bytes!("../table.safetensors");
