//! The options that say which deployment is meant and how to get there: the same for every command that
//! asks one.

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use platform_conformance::{API_KEY_VARIABLE, ApiKey, InvalidApiKey, Role, Target, TargetError};

/// Which deployment, and how to get there.
#[derive(Debug, Args)]
pub(super) struct TargetArgs {
    /// Where the deployment answers; it may have a path.
    #[arg(long, value_name = "URL")]
    pub(super) base_url: Option<String>,
    /// The key with full access. Better in the environment variable PLATFORM_API_KEY, which other users of
    /// the machine cannot see.
    #[arg(long, value_name = "KEY")]
    pub(super) api_key: Option<Hidden>,
    /// A file that names base URL, environment variables of keys by role, pipelines, and how to get there.
    /// What is given beside it goes before what it says.
    #[arg(long, value_name = "FILE")]
    pub(super) target: Option<PathBuf>,
    /// Trust the certificate authorities in this PEM file, in place of those of the operating system.
    #[arg(long, value_name = "FILE")]
    pub(super) ca_file: Option<PathBuf>,
    /// Send every request through this proxy, or through none. When it is left out, HTTPS_PROXY, HTTP_PROXY,
    /// ALL_PROXY and NO_PROXY are heeded.
    #[arg(long, value_name = "URL|none")]
    pub(super) proxy: Option<Hidden>,
    /// The environment variable that holds USER:PASSWORD for the proxy.
    #[arg(long, value_name = "VARIABLE", requires = "proxy")]
    pub(super) proxy_credentials: Option<Hidden>,
    /// Send this header along with every request. A value of '$NAME' is that of the environment variable,
    /// which is shown in its place wherever a request is. May be given more than once.
    #[arg(long, value_name = "NAME: VALUE")]
    pub(super) header: Vec<Hidden>,
}

/// A text as it was typed. It is read later, since clap repeats what it cannot read, and it may be secret.
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

/// Why the options name no deployment.
#[derive(Debug, thiserror::Error)]
pub(super) enum TargetArgsError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error("--api-key or {API_KEY_VARIABLE} cannot be used")]
    Key(#[from] InvalidApiKey),
    #[error(
        "--proxy-credentials is the name of an environment variable, never a password; no such variable is set"
    )]
    ProxyCredentials,
    #[error("--header is NAME: VALUE")]
    Header,
    #[error("--header {0}: no environment variable has the name behind $")]
    HeaderVariable(String),
}

impl TargetArgs {
    /// The deployment.
    pub(super) fn target(&self) -> Result<Target, TargetArgsError> {
        let mut target = match &self.target {
            Some(file) => Target::read(file, self.base_url.as_deref(), variable)?,
            None => Target::new(self.base_url.as_deref().ok_or(TargetError::NoBaseUrl)?)?,
        };
        if let Some(file) = &self.ca_file {
            target = target.with_ca_file(file)?;
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

    /// The key of the command line goes before that of the file, and that before the usual variable.
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
    /// The text as `NAME: VALUE`, sent along with every request.
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
