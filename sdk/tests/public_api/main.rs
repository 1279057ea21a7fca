//! The public API matches the reviewed one, and examples cover all of it. It documents the crate anew, so `cargo test`
//! leaves it out and `.ci/run` runs it by name.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod examples;
mod rustdoc;

use std::sync::OnceLock;

use expect_test::expect_file;

use crate::rustdoc::{Library, libraries};

/// After a change of the public API, update `sdk/public-api.txt` with
/// `UPDATE_EXPECT=1 cargo test --workspace --test public_api`, then review and commit the diff.
#[test]
fn public_api_is_the_recorded_one() {
    let Some(sdk) = sdk() else { return };
    expect_file!["../../public-api.txt"].assert_eq(&sdk.items());
}

/// Returns the SDK with all features except `native-tls`, which adds nothing to the API and needs a C library on Linux.
fn sdk() -> Option<&'static Library> {
    static SDK: OnceLock<Option<[Library; 1]>> = OnceLock::new();
    let features = "blocking,csv,metrics,mock,opentelemetry,schemars,tower";
    let sdk = SDK.get_or_init(|| libraries([env!("CARGO_PKG_NAME")], features));
    sdk.as_ref().map(|[library]| library)
}
