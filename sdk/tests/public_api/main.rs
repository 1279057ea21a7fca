//! The public APIs of all parts match the reviewed ones, and examples cover all of the SDK. It documents the crates
//! anew, so `cargo test` leaves it out and `.ci/run` runs it by name.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod examples;
mod rustdoc;

use std::path::Path;

use expect_test::expect_file;

use crate::rustdoc::library;

/// The packages that others depend on, and their folders.
const PUBLIC: [(&str, &str); 6] = [
    ("platform-sdk", "sdk"),
    ("platform-server-stub", "server-stub"),
    ("platform-emulator-client", "server-stub/client"),
    ("platform-embedding", "server-stub/embedding"),
    ("platform-conformance", "conformance"),
    ("platform-conformance-engine", "conformance/engine"),
];

/// After a change of a public API, update the files with
/// `UPDATE_EXPECT=1 cargo test --workspace --test public_api`, then review and commit the diff.
#[test]
fn public_apis_are_the_recorded_ones() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (package, folder) in PUBLIC {
        let Some(library) = library(package) else { return };
        expect_file![repository.join(folder).join("public-api.txt")].assert_eq(&library.items());
    }
}
