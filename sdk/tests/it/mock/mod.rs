//! The mocks that an app tests itself with.

mod answers;
mod matching;
mod unexpected;
