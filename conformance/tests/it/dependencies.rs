//! The structure of the kit: which package may depend on which, and no circular imports among files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use toml::Table;

/// Each package with the project's packages that it may depend on.
const EDGES: [(&str, &[&str]); 8] = [
    ("contract", &[]),
    ("engine", &["platform-contract"]),
    ("catalogue/pipelines", &["engine", "platform-contract"]),
    ("catalogue/searches", &["engine", "platform-contract"]),
    ("catalogue/service", &["engine", "platform-contract"]),
    (
        "catalogue",
        &["engine", "pipelines", "platform-contract", "searches", "service"],
    ),
    (
        "selftest",
        &["catalogue", "engine", "platform-contract", "platform-server-stub"],
    ),
    (".", &["catalogue", "engine", "platform-contract", "selftest"]),
];

/// The project's packages, by their dependency names.
const OURS: [&str; 10] = [
    "catalogue",
    "engine",
    "pipelines",
    "platform-conformance",
    "platform-contract",
    "platform-sdk",
    "platform-server-stub",
    "searches",
    "selftest",
    "service",
];

fn package(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

#[test]
fn packages_depend_only_on_lower_ones() {
    for (folder, allowed) in EDGES {
        let text = fs::read_to_string(package(folder).join("Cargo.toml")).unwrap();
        let manifest: Table = text.parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap();
        let ours: Vec<_> = dependencies
            .keys()
            .filter(|name| OURS.contains(&name.as_str()))
            .collect();
        assert_eq!(ours, allowed, "{folder}");
    }
}

#[test]
fn clap_is_only_in_the_program_and_the_server_only_in_the_self_test() {
    let of = |folder: &str, feature: Option<&str>| {
        let text = fs::read_to_string(package(folder).join("Cargo.toml")).unwrap();
        let manifest: Table = text.parse().unwrap();
        let enabled = |name: &str| {
            let features = manifest.get("features").and_then(toml::Value::as_table);
            let listed = feature
                .zip(features)
                .and_then(|(feature, features)| features[feature].as_array());
            listed.is_some_and(|listed| listed.iter().any(|one| one.as_str() == Some(&format!("dep:{name}"))))
        };
        let dependencies = manifest["dependencies"].as_table().unwrap().iter();
        let used = dependencies.filter(|(name, one)| one.get("optional").is_none() || enabled(name));
        used.map(|(name, _)| name.clone()).collect::<BTreeSet<_>>()
    };
    let all = EDGES.iter().map(|(folder, _)| *folder);
    for folder in all.filter(|folder| *folder != ".") {
        assert!(!of(folder, None).contains("clap"), "{folder}");
    }
    let light = of(".", Some("harness"));
    for heavy in ["clap", "indicatif", "mimalloc", "selftest", "platform-server-stub"] {
        assert!(!light.contains(heavy), "the harness pulls in {heavy}");
    }
    assert!(of(".", Some("stub")).contains("selftest"));
}

#[test]
fn no_files_import_each_other_circularly() {
    for (folder, _) in EDGES {
        let source = package(folder).join("src");
        let files = files(&source);
        assert!(files.len() > 5, "{folder}: {} files", files.len());
        let circle = circle(imports(&source, &files));
        assert!(
            circle.is_empty(),
            "{folder}: these files import each other: {circle:#?}\nMove what both need into a file below them"
        );
    }
}

#[test]
fn circular_import_is_found() {
    let edge = |from: &str, to: &[&str]| {
        let to: BTreeSet<_> = to.iter().map(PathBuf::from).collect();
        (PathBuf::from(from), to)
    };
    let straight = [edge("a", &["b", "c"]), edge("b", &["c"]), edge("c", &[])];
    assert!(circle(straight.into()).is_empty());
    let round = [edge("a", &["b"]), edge("b", &["c"]), edge("c", &["b"])];
    assert_eq!(circle(round.into()), [PathBuf::from("b"), PathBuf::from("c")]);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let below = entries.flat_map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    });
    below
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// Each file with the files of its package that it imports.
fn imports(source: &Path, files: &[PathBuf]) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
    let of = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        let imported = paths(&text, &module(source, file));
        let imported = imported.into_iter().filter_map(|path| file_of(source, &path));
        (file.clone(), imported.filter(|other| other != file).collect())
    };
    files.iter().map(of).collect()
}

/// The module of a file.
fn module(source: &Path, file: &Path) -> Vec<String> {
    let path = file.strip_prefix(source).unwrap().with_extension("");
    let names = path.iter().map(|name| name.to_str().unwrap().to_owned());
    names
        .filter(|name| !["mod", "lib", "main"].contains(&name.as_str()))
        .collect()
}

/// The paths within the crate that a file names, without its tests and its re-exports.
fn paths(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let comment = Regex::new(r"(?m)//.*$").unwrap();
    let passed_on = Regex::new(r"(?s)\bpub(\([a-z]+\))? use [^;]*;").unwrap();
    let code = comment.replace_all(code, "");
    let code = passed_on.replace_all(&code, "");
    let path =
        Regex::new(r"\b(crate|self|super)((?:::super)*)::(\{[^}]*\}|[a-zA-Z_0-9]+(?:::[a-zA-Z_0-9]+)*)").unwrap();
    let mut paths = Vec::new();
    for found in path.captures_iter(&code) {
        let ups = usize::from(&found[1] == "super") + found[2].matches("super").count();
        let base: Vec<_> = match &found[1] {
            "crate" => Vec::new(),
            _ => module[..module.len().saturating_sub(ups)].to_vec(),
        };
        let names = found[3].trim_matches(['{', '}']).split(',');
        for name in names.map(str::trim).filter(|name| !name.is_empty()) {
            let further = name.split("::").map(str::to_owned);
            paths.push(base.iter().cloned().chain(further).collect());
        }
    }
    paths
}

/// The file of the longest prefix of a path that is a module.
fn file_of(source: &Path, path: &[String]) -> Option<PathBuf> {
    (0..=path.len()).rev().find_map(|length| {
        let place = path[..length]
            .iter()
            .fold(source.to_owned(), |place, name| place.join(name));
        let names = [
            place.with_extension("rs"),
            place.join("mod.rs"),
            place.join("lib.rs"),
            place.join("main.rs"),
        ];
        names.into_iter().find(|file| file.is_file())
    })
}

/// The files that remain after repeatedly removing those that import no remaining file.
fn circle(mut imports: BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> Vec<PathBuf> {
    // A file that no file imports is in no circle, and neither is one that imports none.
    loop {
        let before = imports.len();
        let left: BTreeSet<_> = imports.keys().cloned().collect();
        imports.retain(|_, imported| imported.iter().any(|file| left.contains(file)));
        let imported: BTreeSet<_> = imports.values().flatten().cloned().collect();
        imports.retain(|file, _| imported.contains(file));
        if imports.len() == before {
            return imports.into_keys().collect();
        }
    }
}
