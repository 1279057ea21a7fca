//! A deployment to hold to the contract: where it answers, the keys for it by role, and what in it the
//! cases may look at.
//!
//! A target file names the environment variables of keys, never keys.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::key::{API_KEY_VARIABLE, ApiKey};

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everything that the cases do.
    FullAccess,
    /// Every read, and no adding.
    ReadOnly,
    /// Nothing, although the key is known.
    NoAccess,
    /// Reads, with a small quota that the cases may use up.
    RateLimited,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 4] = [
        Self::FullAccess,
        Self::ReadOnly,
        Self::NoAccess,
        Self::RateLimited,
    ];

    /// Its name in a target file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FullAccess => "full_access",
            Self::ReadOnly => "read_only",
            Self::NoAccess => "no_access",
            Self::RateLimited => "rate_limited",
        }
    }

    /// The environment variable that is shown for its key, when a target file names no other.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::FullAccess => API_KEY_VARIABLE,
            Self::ReadOnly => "PLATFORM_READ_ONLY_KEY",
            Self::NoAccess => "PLATFORM_NO_ACCESS_KEY",
            Self::RateLimited => "PLATFORM_RATE_LIMITED_KEY",
        }
    }
}

/// What a pipeline is to the cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PipelineRole {
    /// An organization pipeline with many items: more than the maximum of `limit` shows every law.
    ManyItems,
    /// Another pipeline, with at least one item.
    Other,
    /// A pipeline of persons or documents.
    NotOrganizations,
    /// An organization pipeline that the cases may add to. It is never discovered, only named.
    Writable,
}

impl PipelineRole {
    /// All roles.
    pub const ALL: [Self; 4] = [
        Self::ManyItems,
        Self::Other,
        Self::NotOrganizations,
        Self::Writable,
    ];

    /// Its name in a target file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ManyItems => "many_items",
            Self::Other => "other",
            Self::NotOrganizations => "not_organizations",
            Self::Writable => "writable",
        }
    }
}

/// A deployment, and how to speak with it.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) base_url: Url,
    pub(crate) keys: BTreeMap<Role, ApiKey>,
    pub(crate) pipelines: BTreeMap<PipelineRole, u64>,
    pub(crate) organizations_to_add: Vec<u64>,
}

/// Why a target cannot be used. No variant repeats a text that might be a key.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The base URL is not one.
    #[error("the base URL {0}")]
    BaseUrl(String),
    /// There is no base URL.
    #[error("no base URL: give --base-url, or base_url in the target file")]
    NoBaseUrl,
    /// The file could not be read.
    #[error("the target file {0} could not be read")]
    Unreadable(String, #[source] std::io::Error),
    /// The file is not a target file.
    #[error("the target file {file}, line {line}: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The variable that the file names for a key is not set.
    #[error("keys.{role}: {reason}")]
    Key {
        /// The name of the role.
        role: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// A target file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    base_url: Option<String>,
    #[serde(default)]
    keys: BTreeMap<Role, VariableName>,
    #[serde(default)]
    pipelines: BTreeMap<PipelineRole, u64>,
    #[serde(default)]
    add: Add,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    #[serde(default)]
    organizations: Vec<u64>,
}

/// The name of an environment variable. It may be a key that was pasted by mistake, so it is not shown
/// before it turned out to name a variable that is set.
struct VariableName(String);

impl<'de> Deserialize<'de> for VariableName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(name) => Ok(Self(name)),
            _ => Err(serde::de::Error::custom(
                "must be the name of an environment variable, in quotes",
            )),
        }
    }
}

impl fmt::Debug for VariableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VariableName(..)")
    }
}

impl Target {
    /// A deployment at a base URL, which may have a path: `https://host/prefix`.
    ///
    /// # Errors
    /// When it is not an http or https URL, or holds credentials, a query or a fragment.
    pub fn new(base_url: &str) -> Result<Self, TargetError> {
        let reject = |reason: &str| TargetError::BaseUrl(reason.to_owned());
        let url =
            Url::parse(base_url).map_err(|error| reject(&format!("cannot be read: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(reject("must begin with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(reject("must hold no credentials: keys are given by role"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(reject("must have no query and no fragment"));
        }
        Ok(Self {
            base_url: url,
            keys: BTreeMap::new(),
            pipelines: BTreeMap::new(),
            organizations_to_add: Vec::new(),
        })
    }

    /// Reads a target file, every part of which may be left out:
    ///
    /// ```toml
    /// base_url = "https://staging.example/platform"
    ///
    /// [keys]                # the names of environment variables, never keys
    /// full_access = "STAGING_KEY"
    /// read_only = "STAGING_READ_ONLY_KEY"
    /// no_access = "STAGING_NO_ACCESS_KEY"
    /// rate_limited = "STAGING_RATE_LIMITED_KEY"
    ///
    /// [pipelines]           # their ids; what is not named is looked for among 1 to 20
    /// many_items = 1
    /// other = 2
    /// not_organizations = 3
    /// writable = 6          # never looked for: what may be added to has to be named
    ///
    /// [add]                 # organizations that may be added; else those that a search finds
    /// organizations = [1001, 1002]
    /// ```
    ///
    /// `base_url` goes before that of the file; `variable` looks up an environment variable.
    ///
    /// # Errors
    /// When the file cannot be read, is not a target file, or names a variable that is not set.
    pub fn read(
        path: &Path,
        base_url: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, TargetError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| TargetError::Unreadable(name.clone(), error))?;
        Self::parse(&name, &text, base_url, variable)
    }

    fn parse(
        name: &str,
        text: &str,
        base_url: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, TargetError> {
        // The error's own text quotes the line, which may hold a key.
        let file: File = toml::from_str(text).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start);
            let line = text
                .get(..before)
                .map_or(1, |before| before.matches('\n').count() + 1);
            TargetError::Malformed {
                file: name.to_owned(),
                line,
                reason: error.message().to_owned(),
            }
        })?;
        let base_url = base_url
            .or(file.base_url.as_deref())
            .ok_or(TargetError::NoBaseUrl)?;
        let mut target = Self::new(base_url)?;
        for (role, VariableName(named)) in file.keys {
            let unset =
                "holds the name of an environment variable, never a key; no such variable is set";
            let reject = |reason: String| TargetError::Key {
                role: role.as_str(),
                reason,
            };
            let secret = variable(&named).ok_or_else(|| reject(unset.to_owned()))?;
            let key = ApiKey::new(secret, named).map_err(|error| reject(error.to_string()))?;
            target.keys.insert(role, key);
        }
        target.pipelines = file.pipelines;
        target.organizations_to_add = file.add.organizations;
        Ok(target)
    }

    /// Gives a role its key.
    #[must_use]
    pub fn with_key(mut self, role: Role, key: ApiKey) -> Self {
        self.keys.insert(role, key);
        self
    }

    /// Gives a role its pipeline.
    #[must_use]
    pub fn with_pipeline(mut self, role: PipelineRole, pipeline_id: u64) -> Self {
        self.pipelines.insert(role, pipeline_id);
        self
    }

    /// Names organizations that the cases may add to the writable pipeline. When none is named, those
    /// that a search finds are.
    #[must_use]
    pub fn with_organizations_to_add(
        mut self,
        organizations: impl IntoIterator<Item = u64>,
    ) -> Self {
        self.organizations_to_add.extend(organizations);
        self
    }

    /// Where the deployment answers.
    pub fn base_url(&self) -> &Url {
        &self.base_url
    }

    /// Whether there is a key of this role.
    pub fn has_key(&self, role: Role) -> bool {
        self.keys.contains_key(&role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASTED: &str = "sk-live-0123456789";

    fn parse(text: &str) -> Result<Target, TargetError> {
        Target::parse("staging.toml", text, None, |name| {
            (name == "STAGING_KEY").then(|| "secret".to_owned())
        })
    }

    #[test]
    fn a_file_names_everything() {
        let target = parse(
            "base_url = 'https://staging.example/platform'\n[keys]\nfull_access = 'STAGING_KEY'\n\
             [pipelines]\nmany_items = 1\nwritable = 6\n[add]\norganizations = [7, 8]\n",
        )
        .unwrap();
        assert_eq!(
            target.base_url().as_str(),
            "https://staging.example/platform"
        );
        assert_eq!(target.keys[&Role::FullAccess].variable(), "STAGING_KEY");
        assert_eq!(target.pipelines[&PipelineRole::Writable], 6);
        assert_eq!(target.organizations_to_add, [7, 8]);
    }

    #[test]
    fn a_pasted_key_is_refused_and_not_repeated() {
        let files = [
            format!("base_url = 'http://a.example'\n[keys]\nfull_access = '{PASTED}'\n"),
            format!("base_url = 'http://a.example'\n[keys]\nfull_acess = '{PASTED}'\n"),
            format!("api_key = '{PASTED}'\n"),
            format!("[keys]\nfull_access = {PASTED}\n"),
            "[keys]\nfull_access = 9876543210\n".to_owned(),
        ];
        for file in files {
            let error = parse(&file).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(
                !shown.contains(PASTED) && !shown.contains("9876543210"),
                "{shown}"
            );
        }
    }

    #[test]
    fn an_unknown_field_is_refused_with_its_line() {
        let error = parse("base_url = 'http://a.example'\n\n[pipelines]\nmany = 1\n")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("line 4") && error.contains("many_items"),
            "{error}"
        );
    }

    #[test]
    fn a_base_url_that_is_none_is_refused() {
        for url in [
            "",
            "host",
            "ftp://host",
            "http://user:secret@host",
            "http://host/?a=b",
            "http://host/#f",
        ] {
            let error = Target::new(url).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
