//! The public API of the kit and of its engine, whose items the kit exports, matches the reviewed one. It documents the
//! crates anew, so `cargo test` leaves it out and `.ci/run` runs it by name.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../../sdk/tests/public_api/rustdoc.rs"]
mod rustdoc;

use expect_test::expect_file;

/// After a change of a public API, update the two files with
/// `UPDATE_EXPECT=1 cargo test --workspace --test public_api`, then review and commit the diff.
#[test]
fn public_apis_are_the_recorded_ones() {
    let packages = ["platform-conformance", "platform-conformance-engine"];
    let Some([kit, engine]) = rustdoc::libraries(packages, "platform-conformance/harness") else {
        return;
    };
    expect_file!["../public-api.txt"].assert_eq(&kit.items());
    expect_file!["../engine/public-api.txt"].assert_eq(&engine.items());
}
