//! The guides name what exists.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod guides;
