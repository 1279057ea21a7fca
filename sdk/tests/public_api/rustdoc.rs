//! The public items of libraries, read from their rustdoc JSON. The tests `public_api` of all parts share this file.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The rustdoc JSON version that these tests read: that of the oldest Rust that the packages support.
const FORMAT: u64 = 57;

/// A library as rustdoc describes it.
pub(crate) struct Library {
    path: PathBuf,
    json: Value,
}

impl Library {
    /// Returns the public items, one a line.
    pub(crate) fn items(&self) -> String {
        let api = public_api::Builder::from_rustdoc_json(&self.path)
            .omit_blanket_impls(true)
            // Losing `Send` or `Clone` breaks apps, just as removing a type does.
            .omit_auto_trait_impls(false)
            .omit_auto_derived_impls(false)
            .build()
            .unwrap();
        api.items().map(|item| format!("{item}\n")).collect()
    }

    /// Returns the rustdoc JSON.
    #[allow(dead_code, reason = "only the SDK's test reads more than the items")]
    pub(crate) fn json(&self) -> &Value {
        &self.json
    }
}

/// Documents the libraries of these packages with these features, from what cargo has already built. Returns `None` if
/// this Rust writes another format.
#[expect(clippy::print_stderr, reason = "reports why nothing was checked")]
pub(crate) fn libraries<const N: usize>(packages: [&str; N], features: &str) -> Option<[Library; N]> {
    let test = std::env::current_exe().unwrap();
    // `target/debug/deps/public_api-…`
    let target = test.ancestors().nth(3).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documented = Command::new(env!("CARGO"))
        .args(["doc", "--quiet", "--locked", "--no-deps", "--lib"])
        .args(packages.map(|package| format!("--package={package}")))
        .arg(format!("--features={features}"))
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        // Allows unstable options for rustdoc only: allowing them for cargo would rebuild everything.
        .env("RUSTDOC", folder.join("../sdk/tests/unstable-rustdoc"))
        .env(
            "RUSTDOCFLAGS",
            "-Z unstable-options --output-format json --cap-lints allow",
        )
        .status()
        .unwrap();
    assert!(documented.success());
    let libraries = packages.map(|package| {
        let path = target.join(format!("doc/{}.json", package.replace('-', "_")));
        let json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        Library { path, json }
    });
    if libraries.iter().any(|library| library.json["format_version"] != FORMAT) {
        eprintln!("the public API is checked with Rust {}", env!("CARGO_PKG_RUST_VERSION"));
        return None;
    }
    Some(libraries)
}
