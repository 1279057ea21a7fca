//! How a newcomer starts: one file, one task, each run by the tests.
//!
//! | example | task |
//! |---|---|
//! | `quickstart` | search by meaning, list and sort a pipeline, add an organization and wait until it is ready |
//!
//! ```sh
//! cargo run --release -p platform-examples --example quickstart
//! ```
//!
//! There is no code here that an example could share: each can be copied as it is.
