//! Mocks for the tests of apps.

mod answers;
mod matching;
mod unexpected;
