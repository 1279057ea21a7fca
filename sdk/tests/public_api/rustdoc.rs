//! The public items of libraries, read from their rustdoc JSON.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

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
    pub(crate) fn json(&self) -> &Value {
        &self.json
    }
}

/// Returns the library of a package, or `None` if this Rust writes another format.
#[expect(clippy::print_stderr, reason = "reports why nothing was checked")]
pub(crate) fn library(package: &str) -> Option<Library> {
    let path = DOCUMENTED.join(format!("{}.json", package.replace('-', "_")));
    let json: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    if json["format_version"] != FORMAT {
        eprintln!("the public API is checked with Rust {}", env!("CARGO_PKG_RUST_VERSION"));
        return None;
    }
    Some(Library { path, json })
}

/// The folder with the rustdoc JSON of all libraries of the workspace, with all features, as `.ci/run` documents
/// them before: cargo need not check them again.
static DOCUMENTED: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = std::env::current_exe().unwrap();
    // `target/debug/deps/public_api-…`
    let target = test.ancestors().nth(3).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut doc = Command::new(env!("CARGO"));
    // What cargo tells this test about its package would make it build ring again, and all that depends on it.
    for (variable, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|start| variable.to_string_lossy().starts_with(start))
        {
            doc.env_remove(variable);
        }
    }
    let documented = doc
        .args([
            "doc",
            "--quiet",
            "--locked",
            "--workspace",
            "--no-deps",
            "--lib",
            "--all-features",
        ])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        // Allows unstable options for rustdoc only: allowing them for cargo would rebuild everything.
        .env("RUSTDOC", folder.join("tests/unstable-rustdoc"))
        .env(
            "RUSTDOCFLAGS",
            "-Z unstable-options --output-format json --cap-lints allow",
        )
        .status()
        .unwrap();
    assert!(documented.success());
    target.join("doc")
});
