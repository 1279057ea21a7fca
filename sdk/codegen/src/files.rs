//! The files of a client, and their comparison with the committed files.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

const HEADER: &str = "\
// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

";

/// A generated client: the text of each file, by its path below `sdk/src/generated`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Client {
    files: BTreeMap<PathBuf, String>,
}

/// How a committed file differs from the generated one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The file is generated but not committed.
    Missing(PathBuf),
    /// The file differs from this line on, counted from 1.
    Changed(PathBuf, usize),
    /// The file is committed but no longer generated.
    Stale(PathBuf),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "{} is missing", path.display()),
            Self::Changed(path, line) => {
                write!(f, "{} differs from line {line} on", path.display())
            }
            Self::Stale(path) => write!(f, "{} is no longer generated", path.display()),
        }
    }
}

impl Client {
    pub(crate) fn add(&mut self, path: impl Into<PathBuf>, text: &str) {
        self.files.insert(path.into(), format!("{HEADER}{text}"));
    }

    /// Returns the path and the text of each file, in path order.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        let files = self.files.iter();
        files.map(|(path, text)| (path.as_path(), text.as_str()))
    }

    /// Writes the files below `folder`, and removes generated files that are no longer part of the client.
    ///
    /// # Errors
    /// A file cannot be written or removed.
    pub fn write(&self, folder: &Path) -> Result<()> {
        for difference in self.differences(folder)? {
            match difference {
                Difference::Stale(path) => {
                    let path = folder.join(path);
                    fs::remove_file(&path).map_err(|why| Error::File { path, why })?;
                }
                Difference::Missing(path) | Difference::Changed(path, _) => {
                    let text = self.files.get(&path).map(String::as_str).unwrap_or_default();
                    let path = folder.join(path);
                    let parent = path.parent().unwrap_or(folder);
                    let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, text));
                    written.map_err(|why| Error::File { path, why })?;
                }
            }
        }
        Ok(())
    }

    /// Compares the files below `folder` with these. Returns an empty list if they are equal. Files there
    /// without the `@generated` header count as hand-written and are ignored.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn differences(&self, folder: &Path) -> Result<Vec<Difference>> {
        let committed = committed(folder)?;
        let mut differences = Vec::new();
        for (path, text) in &self.files {
            match committed.get(path) {
                None => differences.push(Difference::Missing(path.clone())),
                Some(found) if found == text => {}
                Some(found) => {
                    let lines = found.lines().zip(text.lines());
                    let equal = lines.take_while(|(found, text)| found == text).count();
                    differences.push(Difference::Changed(path.clone(), equal + 1));
                }
            }
        }
        let stale = committed.keys().filter(|path| !self.files.contains_key(*path));
        differences.extend(stale.cloned().map(Difference::Stale));
        Ok(differences)
    }
}

/// Reads the generated files below a folder.
fn committed(folder: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        if !next.is_dir() {
            continue;
        }
        let fault = |why| Error::File {
            path: next.clone(),
            why,
        };
        for entry in fs::read_dir(&next).map_err(fault)? {
            let path = entry.map_err(fault)?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path);
                let text = text.map_err(|why| Error::File {
                    path: path.clone(),
                    why,
                })?;
                if text.starts_with("// @generated")
                    && let Ok(below) = path.strip_prefix(folder)
                {
                    found.insert(below.to_owned(), text);
                }
            }
        }
    }
    Ok(found)
}
