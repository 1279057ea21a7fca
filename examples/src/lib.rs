//! How a newcomer starts: one file, one task, each run by the tests.
//!
//! | example | task |
//! |---|---|
//! | `quickstart` | search by meaning, list and sort a pipeline, add an organization and wait until it is ready |
//! | `export` | write all items of a pipeline into a file, and go on where it was stopped |
//! | `import` | add many organizations at once, wait until they are ready, and add nothing twice |
//! | `test_an_app` | test an app offline: on the reference server without a socket, and on answers made up |
//!
//! ```sh
//! cargo run --release -p platform-examples --example quickstart
//! ```
//!
//! There is no code here that an example could share: each can be copied as it is.
