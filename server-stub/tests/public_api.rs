//! The public API of the server, its client and its embedding matches the reviewed one. It documents the crates anew,
//! so `cargo test` leaves it out and `.ci/run` runs it by name.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../../sdk/tests/public_api/rustdoc.rs"]
mod rustdoc;

use expect_test::expect_file;

/// After a change of a public API, update the three files with
/// `UPDATE_EXPECT=1 cargo test --workspace --test public_api`, then review and commit the diff.
#[test]
fn public_apis_are_the_recorded_ones() {
    let packages = ["platform-server-stub", "platform-emulator-client", "platform-embedding"];
    let Some([server, client, embedding]) = rustdoc::libraries(packages, "") else {
        return;
    };
    expect_file!["../public-api.txt"].assert_eq(&server.items());
    expect_file!["../client/public-api.txt"].assert_eq(&client.items());
    expect_file!["../embedding/public-api.txt"].assert_eq(&embedding.items());
}
