//! The vectors of phrases that the reference server embeds texts with. They are compiled into the program: nothing is
//! downloaded, read from disk or unpacked.
//!
//! This crate holds a file, and no code that reads it. `server-stub/embedding/scripts/refine_embedding.py` writes it.

/// A safetensors file with the tensors `rows` (a row of 256 components of 8 bits for each phrase), `scales` (a 32-bit
/// float for each row) and `phrases` (the tokens of each phrase, as five big-endian 16-bit integers; zeros at the end
/// are not tokens).
pub static TABLE: &[u8] = include_bytes!("../table.safetensors");
