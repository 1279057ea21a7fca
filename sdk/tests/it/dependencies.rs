//! The structure of the crate: each module uses only those below it, and no files import each other in a cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

/// The modules, each with those that it may use, from the lowest up. What is generated from the contract has parts
/// at every height, so the test for cycles covers it instead.
const MODULES: [(&str, &[&str]); 12] = [
    ("redact", &[]),
    ("text", &["redact"]),
    ("types", &["text"]),
    ("error", &["redact", "text", "types"]),
    ("call", &["redact", "text", "types", "error"]),
    ("client", &["types", "error", "call"]),
    ("paging", &["types", "error", "call"]),
    ("rows", &["types", "error", "paging"]),
    ("organization", &["types", "error", "call", "paging"]),
    ("wait", &["types", "error", "call", "paging", "organization"]),
    ("mock", &["types", "error", "call", "client"]),
    (
        "blocking",
        &[
            "types",
            "error",
            "call",
            "client",
            "paging",
            "rows",
            "organization",
            "wait",
        ],
    ),
];

/// Each file of the library, relative to its sources, with the files that it imports.
type Imports = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

#[test]
fn room_uses_only_those_below_it() {
    for (index, (module, allowed)) in MODULES.iter().enumerate() {
        let below: Vec<_> = MODULES[..index].iter().map(|(name, _)| *name).collect();
        assert!(
            allowed.iter().all(|name| below.contains(name)),
            "the table of modules is out of order at {module}"
        );
    }
    let mut seen = BTreeSet::new();
    for (file, imported) in imports() {
        let module = module_of(&file);
        if ["lib", "generated"].contains(&&*module) {
            continue;
        }
        let allowed = MODULES.iter().find(|(name, _)| *name == module);
        let Some((_, allowed)) = allowed else {
            panic!("{} is in no module of the table", file.display());
        };
        for other in imported {
            let used = module_of(&other);
            assert!(
                used == module || used == "generated" || allowed.contains(&used.as_str()),
                "{} uses {}: {module} must not use {used}",
                file.display(),
                other.display()
            );
        }
        seen.insert(module);
    }
    assert_eq!(seen.len(), MODULES.len());
}

#[test]
fn no_files_import_each_other_circularly() {
    let circle = circle(imports());
    assert!(
        circle.is_empty(),
        "these files import each other: {circle:#?}\nMove what both need into a file below them"
    );
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

/// Returns the module of a file: the first name of its path.
fn module_of(file: &Path) -> String {
    let first = file.iter().next().unwrap().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

fn imports() -> Imports {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&source, &mut files);
    let relative = |file: &Path| file.strip_prefix(&source).unwrap().to_owned();
    // Unit tests in files of their own may use anything.
    files.retain(|file| !file.iter().any(|name| name == "tests" || name == "tests.rs"));
    assert!(files.len() > 100, "{} files", files.len());
    let of = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        let imported = paths(&text, &module(&relative(file)));
        let imported = imported.iter().filter_map(|path| file_of(&source, path));
        let imported = imported.filter(|other| other != file && !other.ends_with("lib.rs"));
        (relative(file), imported.map(|other| relative(&other)).collect())
    };
    files.iter().map(of).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the module of a file.
fn module(file: &Path) -> Vec<String> {
    let path = file.with_extension("");
    let names = path.iter().map(|name| name.to_str().unwrap().to_owned());
    names.filter(|name| !["mod", "lib"].contains(&name.as_str())).collect()
}

/// Returns the paths within the crate that a file names, without its tests and its re-exports.
fn paths(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let tests = Regex::new(r"(?s)#\[cfg\((test|all\(\s*test)[^\]]*\]\s*mod tests.*").unwrap();
    let comment = Regex::new(r"(?m)//.*$").unwrap();
    let re_export = Regex::new(r"(?s)\bpub(\([a-z]+\))? use [^;]*;").unwrap();
    let code = tests.replace(text, "");
    let code = comment.replace_all(&code, "");
    let code = re_export.replace_all(&code, "");
    let path =
        Regex::new(r"\b(crate|self|super)((?:::super)*)::(\{[^}]*\}|[a-zA-Z_0-9]+(?:::[a-zA-Z_0-9]+)*)").unwrap();
    let mut paths = Vec::new();
    for found in path.captures_iter(&code) {
        let ups = usize::from(&found[1] == "super") + found[2].matches("super").count();
        let base = match &found[1] {
            "crate" => &[],
            _ => &module[..module.len().saturating_sub(ups)],
        };
        let names = found[3].trim_matches(['{', '}']).split(',');
        for name in names.map(str::trim).filter(|name| !name.is_empty()) {
            let further = name.split("::").map(str::to_owned);
            paths.push(base.iter().cloned().chain(further).collect());
        }
    }
    paths
}

/// Returns the file of the longest prefix of a path that is a module.
fn file_of(source: &Path, path: &[String]) -> Option<PathBuf> {
    (1..=path.len()).rev().find_map(|length| {
        let place = source.join(path[..length].iter().collect::<PathBuf>());
        let names = [place.with_extension("rs"), place.join("mod.rs")];
        names.into_iter().find(|file| file.is_file())
    })
}

/// Returns the files that remain after repeatedly removing those that import no remaining file, and those that
/// no remaining file imports.
fn circle(mut imports: Imports) -> Vec<PathBuf> {
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
