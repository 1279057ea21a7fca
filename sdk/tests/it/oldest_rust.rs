//! Several files state the oldest supported Rust version. CI builds with the one in `Cargo.toml`.

use std::fs;
use std::path::Path;

/// Files that state the version, each with the text before and after it.
const STATED: [(&str, &str, &str); 3] = [
    ("README.md", "With Rust ", " and a C compiler"),
    ("sdk/README.md", "the package's `rust-version`, ", " today"),
    ("conformance/README.md", "the runner (", " or later"),
];

#[test]
fn documentation_states_the_version_that_cargo_requires() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (file, before, after) in STATED {
        let text = fs::read_to_string(repository.join(file)).unwrap();
        let (_, rest) = text
            .split_once(before)
            .unwrap_or_else(|| panic!("{file} does not have {before:?}"));
        let (version, _) = rest.split_once(after).unwrap();
        assert_eq!(version, env!("CARGO_PKG_RUST_VERSION"), "{file}");
    }
}

/// A version in this file would have to be installed on every machine, and would age. What it names is used unless
/// `RUSTUP_TOOLCHAIN` is set, so the CI job for the oldest Rust has to set it.
#[test]
fn toolchain_file_pins_no_version_and_ci_overrides_it() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| fs::read_to_string(repository.join(file)).unwrap();
    let file = read("rust-toolchain.toml");
    assert!(file.contains("\nchannel = \"stable\"\n"), "{file}");
    let workflow = read(".github/workflows/ci.yml");
    assert!(
        workflow.contains("echo \"RUSTUP_TOOLCHAIN=$version\" >> \"$GITHUB_ENV\""),
        "{workflow}"
    );
}

/// The CI job for the oldest Rust reads the version from this line.
#[test]
fn version_is_where_ci_reads_it() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    let line = format!("rust-version = \"{}\"", env!("CARGO_PKG_RUST_VERSION"));
    assert_eq!(manifest.lines().filter(|known| **known == line).count(), 1);
}
