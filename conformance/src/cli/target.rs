//! The options for the deployment and the connection to it, shared by all commands that send requests.

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use platform_conformance::{API_KEY_VARIABLE, ApiKey, InvalidApiKey, Role, Target, TargetError};

/// The deployment and the connection to it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Deployment")]
pub(super) struct TargetArgs {
    /// The base URL of the deployment; it may have a path.
    #[arg(long, value_name = "URL")]
    pub(super) base_url: Option<String>,
    /// The key with full access. Prefer the environment variable PLATFORM_API_KEY, which other users of the machine
    /// cannot see.
    #[arg(long, value_name = "KEY")]
    pub(super) api_key: Option<Hidden>,
    /// A file with the base URL, the keys by role (environment variables, or commands that print a key), the pipelines
    /// and the connection. Options on the command line override its entries.
    #[arg(long, value_name = "FILE")]
    pub(super) target: Option<PathBuf>,
    /// Trust the certificate authorities in this PEM file instead of those of the operating system.
    #[arg(long, value_name = "FILE")]
    pub(super) ca_file: Option<PathBuf>,
    /// Client certificate (PEM), for deployments that require mutual TLS.
    #[arg(long, value_name = "FILE")]
    pub(super) client_cert: Option<PathBuf>,
    /// The private key of the client certificate (PEM, not encrypted). Not needed if the certificate file contains it.
    #[arg(long, value_name = "FILE", requires = "client_cert")]
    pub(super) client_key: Option<PathBuf>,
    /// Do not verify the TLS certificate of the deployment. Anyone on the network path can then read the keys; every
    /// report contains a warning.
    #[arg(long)]
    pub(super) insecure: bool,
    /// Send every request through this proxy, or through none. By default, HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and
    /// NO_PROXY are honoured.
    #[arg(long, value_name = "URL|none")]
    pub(super) proxy: Option<Hidden>,
    /// The environment variable that holds USER:PASSWORD for the proxy.
    #[arg(long, value_name = "VARIABLE", requires = "proxy")]
    pub(super) proxy_credentials: Option<Hidden>,
    /// Send this header with every request. A value '$NAME' is replaced by that environment variable, and printed
    /// requests show the name instead of the value. Can be repeated.
    #[arg(long, value_name = "NAME: VALUE")]
    pub(super) header: Vec<Hidden>,
}

/// An argument as typed. It is parsed later, because clap repeats arguments that it cannot parse, and it may be
/// secret.
#[derive(Clone)]
pub(super) struct Hidden(String);

impl From<&str> for Hidden {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(..)")
    }
}

/// The reason why the options do not name a deployment.
#[derive(Debug, thiserror::Error)]
pub(super) enum TargetArgsError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("the key in --api-key or {API_KEY_VARIABLE} cannot be used")]
    Key(#[from] InvalidApiKey),
    #[error(
        "the environment variable named by --proxy-credentials is not set: give the name of a variable, never a \
             password"
    )]
    ProxyCredentials,
    #[error("--header has no colon: use NAME: VALUE")]
    Header,
    #[error("--header {0}: the environment variable named after $ is not set")]
    HeaderVariable(String),
}

impl TargetArgs {
    /// Returns the deployment.
    pub(super) fn target(&self) -> Result<Target, TargetArgsError> {
        let mut target = match &self.target {
            Some(file) => Target::read(file, self.base_url.as_deref(), variable)?,
            None => Target::new(self.base_url.as_deref().ok_or(TargetError::NoBaseUrl)?)?,
        };
        if let Some(file) = &self.ca_file {
            target = target.with_ca_file(file)?;
        }
        if let Some(certificate) = &self.client_cert {
            target = target.with_client_certificate(certificate, self.client_key.as_ref())?;
        }
        if self.insecure {
            target = target.insecure();
        }
        if let Some(proxy) = &self.proxy {
            target = target.with_proxy(&proxy.0)?;
        }
        if let Some(Hidden(name)) = &self.proxy_credentials {
            let secret = variable(name).ok_or(TargetArgsError::ProxyCredentials)?;
            target = target.with_proxy_credentials(&secret, name)?;
        }
        for header in &self.header {
            target = header.send_along(target)?;
        }
        self.with_key(target)
    }

    /// Adds the key: that of the command line, else that of the file, else that of the usual variable.
    fn with_key(&self, target: Target) -> Result<Target, TargetArgsError> {
        if let Some(Hidden(key)) = &self.api_key {
            return Ok(target.with_key(Role::FullAccess, ApiKey::new(key, API_KEY_VARIABLE)?));
        }
        match variable(API_KEY_VARIABLE) {
            Some(key) if !target.has_key(Role::FullAccess) => {
                Ok(target.with_key(Role::FullAccess, ApiKey::new(key, API_KEY_VARIABLE)?))
            }
            _ => Ok(target),
        }
    }
}

impl Hidden {
    /// Adds the argument as a `NAME: VALUE` header to every request.
    fn send_along(&self, target: Target) -> Result<Target, TargetArgsError> {
        let (name, value) = self.0.split_once(':').ok_or(TargetArgsError::Header)?;
        let value = value.trim();
        let Some(named) = value.strip_prefix('$') else {
            return Ok(target.with_header(name, value)?);
        };
        let missing = || TargetArgsError::HeaderVariable(name.to_owned());
        let secret = variable(named).ok_or_else(missing)?;
        Ok(target.with_secret_header(name, &secret, named)?)
    }
}

pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
