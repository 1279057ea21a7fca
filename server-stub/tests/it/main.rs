//! What the crate promises to those who use it as a library, in one binary.
