//! A deployment to judge by the contract: its address, its keys by role, and the data that the cases may use.
//!
//! A target file names the environment variables of keys, never keys.

pub mod command;
pub mod connection;
pub mod file;
pub mod key;
pub mod near_key;
pub(crate) mod search_names;
pub mod shell;
pub(crate) mod tls;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use strum::{EnumCount, IntoStaticStr, VariantArray};
use url::Url;

use crate::redact::Secrets;
use crate::target::connection::{Connection, ConnectionError};
use crate::target::key::{API_KEY_VARIABLE, ApiKey};
use crate::target::search_names::SearchNames;
use crate::variants::variants;

/// The permissions of a key.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumCount,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Everything that the cases do.
    FullAccess,
    /// Every read, but no additions.
    ReadOnly,
    /// Nothing, although the key is known.
    NoAccess,
    /// Reads, with a small quota that the cases may use up.
    RateLimited,
    /// Reads the pipeline of the role [`PipelineRole::Other`], and nothing else.
    OnePipeline,
    /// Adds to the pipeline of the role [`PipelineRole::Writable`], and nothing else: it reads nothing.
    CreateOnly,
    /// Reads and adds to the pipeline of the role [`PipelineRole::Writable`], and nothing else.
    WritableOnly,
    /// Searches organizations, and nothing else.
    OrganizationsOnly,
    /// Reads some pipelines and adds to some, which the target names ([`SomePipelines`]), and does nothing with others.
    SomePipelines,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; Self::COUNT] = variants();

    /// Returns its name in a target file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The default environment variable of its key.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::FullAccess => API_KEY_VARIABLE,
            Self::ReadOnly => "PLATFORM_READ_ONLY_KEY",
            Self::NoAccess => "PLATFORM_NO_ACCESS_KEY",
            Self::RateLimited => "PLATFORM_RATE_LIMITED_KEY",
            Self::OnePipeline => "PLATFORM_ONE_PIPELINE_KEY",
            Self::CreateOnly => "PLATFORM_CREATE_ONLY_KEY",
            Self::WritableOnly => "PLATFORM_WRITABLE_ONLY_KEY",
            Self::OrganizationsOnly => "PLATFORM_ORGANIZATIONS_ONLY_KEY",
            Self::SomePipelines => "PLATFORM_SOME_PIPELINES_KEY",
        }
    }
}

/// The purpose of a pipeline for the cases.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumCount,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PipelineRole {
    /// An organization pipeline with many items; all laws can be checked with more items than the maximum of `limit`.
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
    pub const ALL: [Self; Self::COUNT] = variants();

    /// Returns its name in a target file.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The limit on pipelines that a run adds to besides the writable one.
pub const MOST_PIPELINES_TO_ADD: usize = 4;

/// The pipelines of the key of the role [`Role::SomePipelines`]. It is denied all others. Whether it may search is left
/// open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SomePipelines {
    /// Those that it reads.
    pub reads: Vec<u64>,
    /// Those that it adds to.
    pub adds: Vec<u64>,
}

/// A deployment, and how to connect to it.
#[derive(Debug, Clone)]
pub struct Target {
    pub(crate) base_url: Url,
    pub(crate) keys: BTreeMap<Role, ApiKey>,
    pub(crate) pipelines: BTreeMap<PipelineRole, u64>,
    /// Pipelines without a role that are read as well.
    pub(crate) more_pipelines: Vec<u64>,
    pub(crate) organizations_to_add: Vec<u64>,
    pub(crate) pipelines_to_add: Vec<u64>,
    pub(crate) some_pipelines: SomePipelines,
    pub(crate) search_names: SearchNames,
    pub(crate) connection: Connection,
}

/// Why a target cannot be used. No variant repeats a text that might be a key.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The base URL is not valid.
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
    /// The variable that the file names at this place is not set.
    #[error("the environment variable named by {0} is not set: export it, and put its name there, never the secret")]
    Unset(String),
    /// The file names one pipeline twice.
    #[error("pipelines.many_items and pipelines.other are both {0}: name two pipelines, or leave one out")]
    OnePipelineForTwoRoles(u64),
    /// Requests cannot be sent as configured.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

impl Target {
    /// A deployment at a base URL, which may have a path: `https://host/prefix`.
    ///
    /// # Errors
    /// When it is not an http or https URL, or contains credentials, a query or a fragment.
    pub fn new(base_url: &str) -> Result<Self, TargetError> {
        let reject = |reason: &str| TargetError::BaseUrl(reason.to_owned());
        let url = Url::parse(base_url).map_err(|error| {
            reject(&format!(
                "cannot be read ({error}): use one such as https://platform.example"
            ))
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(reject("must begin with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(reject("must not contain credentials: keys are set by role"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(reject("must not have a query or a fragment"));
        }
        Ok(Self {
            base_url: url,
            keys: BTreeMap::new(),
            pipelines: BTreeMap::new(),
            more_pipelines: Vec::new(),
            organizations_to_add: Vec::new(),
            pipelines_to_add: Vec::new(),
            some_pipelines: SomePipelines::default(),
            search_names: SearchNames::default(),
            connection: Connection::default(),
        })
    }

    /// A service in this process without an address yet: the harness for `cargo test` serves it. For routes below a
    /// path, use `Target::new("http://localhost/path")`.
    pub fn in_process() -> Self {
        #[expect(clippy::expect_used, reason = "it is a URL")]
        Self::new("http://localhost").expect("a base URL")
    }

    /// Sets the address at which a service in this process is now served.
    #[cfg(feature = "harness")]
    pub(crate) fn move_to(&mut self, address: std::net::SocketAddr) {
        // Every http URL has a host and a port.
        let _ = self.base_url.set_scheme("http");
        let _ = self.base_url.set_ip_host(address.ip());
        let _ = self.base_url.set_port(Some(address.port()));
    }

    /// Sets the key of a role.
    #[must_use]
    pub fn with_key(mut self, role: Role, key: ApiKey) -> Self {
        self.keys.insert(role, key);
        self
    }

    /// Sets the pipeline of a role.
    #[must_use]
    pub fn with_pipeline(mut self, role: PipelineRole, pipeline_id: u64) -> Self {
        self.pipelines.insert(role, pipeline_id);
        self
    }

    /// Names pipelines to read in addition to those with a role. Ids from 1 to 20 are tried anyway.
    #[must_use]
    pub fn with_more_pipelines(mut self, ids: impl IntoIterator<Item = u64>) -> Self {
        self.more_pipelines.extend(ids);
        self
    }

    /// Names organizations that the cases may add to the writable pipeline. By default, those that a search finds are
    /// used.
    #[must_use]
    pub fn with_organizations_to_add(mut self, organizations: impl IntoIterator<Item = u64>) -> Self {
        self.organizations_to_add.extend(organizations);
        self
    }

    /// Names pipelines that the cases may add to besides the writable one: organization pipelines with and without CRM
    /// sync, empty ones, and pipelines of other kinds, which must reject additions. They are read as well. Those after
    /// the first [`MOST_PIPELINES_TO_ADD`] are left alone.
    #[must_use]
    pub fn with_pipelines_to_add(mut self, ids: impl IntoIterator<Item = u64>) -> Self {
        self.pipelines_to_add.extend(ids);
        self
    }

    /// Names the pipelines of the key of the role [`Role::SomePipelines`].
    #[must_use]
    pub fn with_some_pipelines(mut self, pipelines: SomePipelines) -> Self {
        self.some_pipelines = pipelines;
        self
    }

    /// Names what searches call their parameters and fields. Used at the level `stated`, because the source names
    /// neither.
    #[must_use]
    pub fn with_search_names(mut self, names: SearchNames) -> Self {
        self.search_names = names;
        self
    }

    /// Trusts the authorities whose certificates are in a PEM file, instead of those of the operating system, as curl
    /// does with `--cacert`.
    ///
    /// ```no_run
    /// # use platform_conformance_engine as platform_conformance;
    /// # use platform_conformance::Target;
    /// let target = Target::new("https://staging.example")?.with_ca_file("staging-ca.pem")?;
    /// # Ok::<(), platform_conformance::TargetError>(())
    /// ```
    ///
    /// # Errors
    /// When the file cannot be read, or contains no certificate.
    pub fn with_ca_file(mut self, file: impl AsRef<Path>) -> Result<Self, TargetError> {
        self.connection.trust(file.as_ref())?;
        Ok(self)
    }

    /// Presents a certificate to a deployment that requests one from its clients, as curl does with `--cert` and
    /// `--key`. The file of the certificate may also contain its private key; both are PEM.
    ///
    /// ```no_run
    /// # use platform_conformance_engine as platform_conformance;
    /// # use platform_conformance::Target;
    /// let target = Target::new("https://staging.example")?
    ///     .with_client_certificate("client.pem", Some("client-key.pem"))?;
    /// # Ok::<(), platform_conformance::TargetError>(())
    /// ```
    ///
    /// # Errors
    /// When a file cannot be read, or they contain no certificate with its key.
    pub fn with_client_certificate(
        mut self,
        certificate: impl AsRef<Path>,
        key: Option<impl AsRef<Path>>,
    ) -> Result<Self, TargetError> {
        let key = key.as_ref().map(AsRef::as_ref);
        self.connection.identify(certificate.as_ref(), key)?;
        Ok(self)
    }

    /// Accepts any certificate of the deployment, as curl does with `--insecure`. Anyone on the network path can then
    /// read the keys; every report says so.
    #[must_use]
    pub fn insecure(mut self) -> Self {
        self.connection.trust_anyone();
        self
    }

    /// Sends every request through a proxy, `http://host:port`, whatever the environment names; `none` disables
    /// proxies. By default, the variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` are honoured, except
    /// for a deployment on this machine.
    ///
    /// ```
    /// # use platform_conformance_engine as platform_conformance;
    /// # use platform_conformance::Target;
    /// let target = Target::new("https://staging.example")?
    ///     .with_proxy("http://proxy.example:3128")?
    ///     .with_proxy_credentials("kit:secret-123", "PROXY_CREDENTIALS")?;
    /// assert!(!format!("{target:?}").contains("secret-123"));
    /// # Ok::<(), platform_conformance::TargetError>(())
    /// ```
    ///
    /// # Errors
    /// When it is not an http or https URL, has a path, or contains credentials.
    pub fn with_proxy(mut self, url: &str) -> Result<Self, TargetError> {
        self.connection.ask_proxy(url)?;
        Ok(self)
    }

    /// Sets the credentials for the proxy, as `USER:PASSWORD`. `variable` is shown instead of them.
    ///
    /// # Errors
    /// When there is no proxy, or no user.
    pub fn with_proxy_credentials(mut self, user_and_password: &str, variable: &str) -> Result<Self, TargetError> {
        self.connection.authenticate_to_proxy(user_and_password, variable)?;
        Ok(self)
    }

    /// Sends a header with every request that does not already have one with that name, for example for a gateway. A
    /// second header with the same name replaces the first. The value is shown wherever a request is: for a secret
    /// value, use [`with_secret_header`](Self::with_secret_header).
    ///
    /// # Errors
    /// When the name or the value cannot be sent, or the header is one that the cases send themselves:
    /// `API-Key`, `Content-Type`, `X-Request-Id`.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, TargetError> {
        self.connection.send_along(name, value, None)?;
        Ok(self)
    }

    /// Sends a header whose value is never shown: `variable` is shown instead.
    ///
    /// ```
    /// # use platform_conformance_engine as platform_conformance;
    /// # use platform_conformance::Target;
    /// let target = Target::new("https://staging.example")?
    ///     .with_secret_header("X-Gateway-Token", "secret-123", "GATEWAY_TOKEN")?;
    /// assert!(!format!("{target:?}").contains("secret-123"));
    /// # Ok::<(), platform_conformance::TargetError>(())
    /// ```
    ///
    /// # Errors
    /// As [`with_header`](Self::with_header).
    pub fn with_secret_header(mut self, name: &str, value: &str, variable: &str) -> Result<Self, TargetError> {
        self.connection.send_along(name, value, Some(variable))?;
        Ok(self)
    }

    /// The base URL of the deployment.
    pub fn base_url(&self) -> &Url {
        &self.base_url
    }

    /// Returns the same deployment at another path.
    #[must_use]
    pub fn under(mut self, path: &str) -> Self {
        self.base_url.set_path(path);
        self
    }

    /// Returns the target with only the keys of these roles.
    #[must_use]
    pub fn with_keys_of(mut self, roles: &[Role]) -> Self {
        self.keys.retain(|role, _| roles.contains(role));
        self
    }

    /// Returns the target without a named pipeline.
    #[must_use]
    pub fn without_pipelines(mut self) -> Self {
        self.pipelines.clear();
        self.more_pipelines.clear();
        self.pipelines_to_add.clear();
        self.without_some_pipelines()
    }

    /// Returns the target without the key for some pipelines, and without these.
    #[must_use]
    pub fn without_some_pipelines(mut self) -> Self {
        self.keys.remove(&Role::SomePipelines);
        self.some_pipelines = SomePipelines::default();
        self
    }

    /// Returns the target with the writable pipeline as the only one to add to.
    #[must_use]
    pub fn without_pipelines_to_add(mut self) -> Self {
        self.pipelines_to_add.clear();
        self
    }

    /// The key of a role.
    pub fn key(&self, role: Role) -> Option<&ApiKey> {
        self.keys.get(&role)
    }

    /// The pipelines that are named, by their roles.
    pub fn pipelines(&self) -> &BTreeMap<PipelineRole, u64> {
        &self.pipelines
    }

    /// What searches call their parameters and fields.
    pub fn search_names(&self) -> &SearchNames {
        &self.search_names
    }

    /// The pipelines that are named without a role.
    pub fn more_pipelines(&self) -> &[u64] {
        &self.more_pipelines
    }

    /// The pipelines that may be added to besides the writable one, at most [`MOST_PIPELINES_TO_ADD`].
    pub fn pipelines_to_add(&self) -> &[u64] {
        &self.pipelines_to_add[..self.pipelines_to_add.len().min(MOST_PIPELINES_TO_ADD)]
    }

    /// The pipelines of the key of the role [`Role::SomePipelines`].
    pub fn some_pipelines(&self) -> &SomePipelines {
        &self.some_pipelines
    }

    /// The organizations that may be added.
    pub fn organizations_to_add(&self) -> &[u64] {
        &self.organizations_to_add
    }

    /// The connection to the deployment.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The secrets of the target: the keys of all roles, and those of the connection.
    pub(crate) fn secrets(&self) -> Secrets {
        let keys = self.keys.values().flat_map(ApiKey::hidden);
        let secrets = keys.chain(self.connection.secrets());
        Secrets::new(secrets, self.base_url.as_str())
    }

    /// Whether there is a key of this role.
    pub fn has_key(&self, role: Role) -> bool {
        self.keys.contains_key(&role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_base_url_is_rejected() {
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
        let error = Target::new("host").unwrap_err().to_string();
        assert!(error.ends_with("use one such as https://platform.example"), "{error}");
    }
}
