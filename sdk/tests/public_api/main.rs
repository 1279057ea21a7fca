//! The public API matches the reviewed one, and examples cover all of it. It documents the crate anew, so `cargo test`
//! leaves it out and `.ci/run` runs it by name.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod examples;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use expect_test::expect_file;
use serde_json::Value;

/// The rustdoc JSON version that these tests read: that of the oldest Rust that the SDK supports.
const FORMAT: u64 = 57;

/// After a change of the public API, update `sdk/public-api.txt` with
/// `UPDATE_EXPECT=1 cargo test --workspace --test public_api`, then review and commit the diff.
#[test]
fn public_api_is_the_recorded_one() {
    let Some((path, _)) = described() else { return };
    let api = public_api::Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        // Losing `Send` or `Clone` breaks apps, just as removing a type does.
        .omit_auto_trait_impls(false)
        .omit_auto_derived_impls(false)
        .build()
        .unwrap();
    let fresh: String = api.items().map(|item| format!("{item}\n")).collect();
    expect_file!["../../public-api.txt"].assert_eq(&fresh);
}

/// Returns the path and content of the crate's rustdoc JSON; `None` if this Rust writes another format.
#[expect(clippy::print_stderr, reason = "reports why nothing was checked")]
fn described() -> Option<(PathBuf, Value)> {
    static JSON: OnceLock<PathBuf> = OnceLock::new();
    let path = JSON.get_or_init(rustdoc_json).clone();
    let json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    if json["format_version"] != FORMAT {
        eprintln!("the public API is checked with Rust {}", env!("CARGO_PKG_RUST_VERSION"));
        return None;
    }
    Some((path, json))
}

/// Generates the crate's rustdoc JSON from what cargo has already built, and returns its path.
fn rustdoc_json() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // `target/debug/deps/public_api-…`
    let target = test.ancestors().nth(3).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documented = Command::new(env!("CARGO"))
        .args(["rustdoc", "--quiet", "--locked", "--lib", "--features"])
        // All except `native-tls`, which adds nothing to the API and needs a C library on Linux.
        .arg("blocking,csv,metrics,mock,opentelemetry,schemars,tower")
        .args(["--package", env!("CARGO_PKG_NAME"), "--"])
        .args([
            "-Z",
            "unstable-options",
            "--output-format",
            "json",
            "--cap-lints",
            "allow",
        ])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        // Allows unstable options for rustdoc only: allowing them for cargo would rebuild everything.
        .env("RUSTDOC", folder.join("tests/unstable-rustdoc"))
        .env_remove("RUSTDOCFLAGS")
        .status()
        .unwrap();
    assert!(documented.success());
    target.join("doc/platform_sdk.json")
}
