//! The target file: a deployment described in TOML.
//!
//! It contains no secrets, only the names of the environment variables that do. No error repeats a text that might be a
//! secret.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::target::command::{KeyCommand, period};
use crate::target::connection::ConnectionError;
use crate::target::key::ApiKey;
use crate::target::search_names::SearchNames;
use crate::target::{MOST_PIPELINES_TO_ADD, PipelineRole, Role, SomePipelines, Target, TargetError};

/// A target file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    base_url: Option<String>,
    ca_file: Option<String>,
    client_cert: Option<String>,
    client_key: Option<String>,
    #[serde(default)]
    insecure: bool,
    proxy: Option<ProxyEntry>,
    #[serde(default)]
    keys: BTreeMap<Role, KeyEntry>,
    #[serde(default)]
    headers: BTreeMap<String, HeaderEntry>,
    #[serde(default)]
    pipelines: BTreeMap<PipelineRole, u64>,
    #[serde(default)]
    more_pipelines: Vec<u64>,
    #[serde(default)]
    add: Add,
    #[serde(default)]
    some_pipelines: SomePipelines,
    #[serde(default)]
    searches: SearchNames,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Add {
    #[serde(default)]
    organizations: Vec<u64>,
    #[serde(default, deserialize_with = "few_pipelines")]
    pipelines: Vec<u64>,
}

/// A list that has no more pipelines than a run adds to: a longer one would be obeyed in part only.
fn few_pipelines<'de, D: Deserializer<'de>>(ids: D) -> Result<Vec<u64>, D::Error> {
    let ids = Vec::<u64>::deserialize(ids)?;
    match ids.len() {
        0..=MOST_PIPELINES_TO_ADD => Ok(ids),
        count => Err(D::Error::custom(format!(
            "name at most {MOST_PIPELINES_TO_ADD} pipelines to add to, not {count}"
        ))),
    }
}

/// A proxy: `"http://proxy.example:3128"`, `"none"`, or a URL with credentials beside it.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "must be a URL in quotes, \"none\", or { url = \"…\", credentials = \"NAME_OF_A_VARIABLE\" }"
)]
enum ProxyEntry {
    Url(String),
    WithCredentials { url: String, credentials: String },
}

/// The value of a header: a text, or the variable that holds it.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "must be a text in quotes, or { variable = \"NAME_OF_A_VARIABLE\" }"
)]
enum HeaderEntry {
    Text(String),
    Secret { variable: String },
}

/// Where a key is: the name of an environment variable, or a command that prints it. Either may be a key pasted by
/// mistake, so the name is shown only once it is known to name a variable that is set.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "must be the name of an environment variable, in quotes, or { command = [\"PROGRAM\", \"ARGUMENT\"], lasts \
         = \"10m\" }"
)]
enum KeyEntry {
    Variable(String),
    Command {
        command: Vec<String>,
        lasts: Option<String>,
    },
}

impl KeyEntry {
    /// Looks the key up.
    ///
    /// # Errors
    /// Why there is no key, for a person.
    fn key(self, variable: impl Fn(&str) -> Option<String>) -> Result<ApiKey, String> {
        match self {
            Self::Variable(named) => {
                let secret = variable(&named).ok_or(
                    "the environment variable named here is not set: export it, and put its name here, never the key",
                )?;
                ApiKey::new(secret, named).map_err(|error| error.to_string())
            }
            Self::Command { command, lasts } => {
                let mut command = KeyCommand::new(command).map_err(|error| error.to_string())?;
                if let Some(lasts) = lasts {
                    let wanted = "lasts is a number of seconds, minutes or hours: \"90s\", \"10m\" or \"1h\"";
                    command = command.lasting(period(&lasts).ok_or(wanted)?);
                }
                ApiKey::from_command(command).map_err(|error| error.to_string())
            }
        }
    }
}

macro_rules! shows_nothing {
    ($($kind:ident),*) => {$(
        impl fmt::Debug for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($kind), "(..)"))
            }
        }
    )*};
}

shows_nothing!(KeyEntry, ProxyEntry, HeaderEntry);

impl Target {
    /// Reads a target file. Every part may be left out:
    ///
    /// ```toml
    /// base_url = "https://staging.example/platform"
    /// ca_file = "staging-ca.pem"               # beside this file; trusted instead of the system's
    /// client_cert = "client.pem"               # shown to a deployment that asks for it; beside this file, as is
    /// client_key = "client-key.pem"            # its key, unless client_cert holds it
    /// more_pipelines = [23, 41]                # read as well; 1 to 20 are looked for anyway
    /// insecure = false                         # true takes any certificate of the deployment
    /// proxy = "http://proxy.example:3128"      # "none" for none, whatever the environment says;
    ///                                          # { url = "…", credentials = "STAGING_PROXY" } with credentials
    ///
    /// [keys]                # the names of environment variables, never keys; or a command that prints the key, which
    ///                       # is run again when the key is as old as `lasts` and when it is no longer accepted
    /// full_access = { command = ["vault", "read", "-field=key", "secret/staging"], lasts = "10m" }
    /// read_only = "STAGING_READ_ONLY_KEY"
    /// no_access = "STAGING_NO_ACCESS_KEY"
    /// rate_limited = "STAGING_RATE_LIMITED_KEY"
    /// one_pipeline = "STAGING_ONE_PIPELINE_KEY"
    /// create_only = "STAGING_CREATE_ONLY_KEY"
    /// writable_only = "STAGING_WRITABLE_ONLY_KEY"
    /// organizations_only = "STAGING_ORGANIZATIONS_ONLY_KEY"
    /// some_pipelines = "STAGING_SOME_PIPELINES_KEY"
    ///
    /// [headers]             # sent along with every request
    /// X-Environment = "staging"
    /// X-Gateway-Token = { variable = "STAGING_GATEWAY_TOKEN" }
    ///
    /// [pipelines]           # their ids; what is not named is looked for among 1 to 20
    /// many_items = 1
    /// other = 2
    /// not_organizations = 3
    /// writable = 6          # never looked for: what may be added to has to be named
    ///
    /// [add]                 # organizations that may be added; else those that a search finds
    /// organizations = [1001, 1002]
    /// pipelines = [7, 8]    # may be added to as well, up to four
    ///
    /// [some_pipelines]      # what the key some_pipelines may do with pipelines
    /// reads = [2, 5]
    /// adds = [5]
    ///
    /// [searches]            # at the level stated: what the source leaves without a name
    /// lists = "commas"      # countries=NO,SE; or "repeated": countries=NO&countries=SE
    /// ranges = { size = ".." }    # size=11..50, where both bounds are one parameter; else size=11-50
    /// first_page = 1        # where skip is the number of a page, and the first page has this number
    /// dates = "seconds"     # or milliseconds, since 1970; else 2020-01-31
    /// parameters = { countries = "countryCodes", employee_count_min = "size", employee_count_max = "size" }
    ///
    /// [searches.values]     # where a parameter takes other values
    /// headquarters_only = { true = "headquarters", false = "anywhere" }
    ///
    /// [searches.fields]     # where results have what filters compare
    /// "organization.headquarters.country" = "location.hq.iso"
    /// "organization.locations.country" = "offices.iso"    # of each office
    /// "product.categories" = "tags"
    /// ```
    ///
    /// `base_url` takes precedence over that of the file; `variable` looks up an environment variable.
    ///
    /// # Errors
    /// When the file cannot be read, is not a target file, names a variable that is not set, or a command that prints
    /// no key.
    pub fn read(
        path: &Path,
        base_url: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, TargetError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| TargetError::Unreadable(name.clone(), error))?;
        Self::parse(path, &text, base_url, variable)
    }

    /// Reads the text of a target file; relative paths in it start at the folder of `path`.
    fn parse(
        path: &Path,
        text: &str,
        base_url: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, TargetError> {
        // The error's own text quotes the line, which may contain a key.
        let file: File = toml::from_str(text).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start);
            let line = text.get(..before).map_or(1, |before| before.matches('\n').count() + 1);
            TargetError::Malformed {
                file: path.display().to_string(),
                line,
                reason: error.message().to_owned(),
            }
        })?;
        let base_url = base_url.or(file.base_url.as_deref()).ok_or(TargetError::NoBaseUrl)?;
        let mut target = Self::new(base_url)?;
        for (role, entry) in file.keys {
            let key = entry.key(&variable).map_err(|reason| TargetError::Key {
                role: role.as_str(),
                reason,
            })?;
            target = target.with_key(role, key);
        }
        let beside = path.parent().unwrap_or(Path::new(""));
        if let Some(ca_file) = file.ca_file {
            target = target.with_ca_file(beside.join(ca_file))?;
        }
        let client_key = file.client_key.map(|key| beside.join(key));
        match file.client_cert {
            Some(cert) => target = target.with_client_certificate(beside.join(cert), client_key)?,
            None if client_key.is_some() => return Err(ConnectionError::NoClient.into()),
            None => {}
        }
        if file.insecure {
            target = target.insecure();
        }
        target = match file.proxy {
            None => target,
            Some(ProxyEntry::Url(url)) => target.with_proxy(&url)?,
            Some(ProxyEntry::WithCredentials { url, credentials }) => {
                let secret = variable(&credentials).ok_or(TargetError::Unset("proxy.credentials".to_owned()))?;
                target.with_proxy(&url)?.with_proxy_credentials(&secret, &credentials)?
            }
        };
        for (name, value) in file.headers {
            target = match value {
                HeaderEntry::Text(text) => target.with_header(&name, &text)?,
                HeaderEntry::Secret { variable: named } => {
                    let secret =
                        variable(&named).ok_or_else(|| TargetError::Unset(format!("headers.{name}.variable")))?;
                    target.with_secret_header(&name, &secret, &named)?
                }
            };
        }
        let named = [PipelineRole::ManyItems, PipelineRole::Other].map(|role| file.pipelines.get(&role));
        if let [Some(many_items), Some(other)] = named
            && many_items == other
        {
            return Err(TargetError::OnePipelineForTwoRoles(*other));
        }
        target.pipelines = file.pipelines;
        target.more_pipelines = file.more_pipelines;
        target.organizations_to_add = file.add.organizations;
        target.pipelines_to_add = file.add.pipelines;
        if target.has_key(Role::SomePipelines) && file.some_pipelines == SomePipelines::default() {
            return Err(TargetError::Key {
                role: Role::SomePipelines.as_str(),
                reason: "name the pipelines that it reads and those that it adds to, as reads and adds under \
                         [some_pipelines]"
                    .to_owned(),
            });
        }
        target.some_pipelines = file.some_pipelines;
        target.search_names = file.searches;
        Ok(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASTED: &str = "sk-live-0123456789";

    fn parse(text: &str) -> Result<Target, TargetError> {
        Target::parse(Path::new("staging.toml"), text, None, |name| {
            (name == "STAGING_KEY").then(|| "secret".to_owned())
        })
    }

    #[test]
    fn target_file_can_name_everything() {
        let target = parse(
            "base_url = 'https://staging.example/platform'\n[keys]\nfull_access = 'STAGING_KEY'\n\
             [pipelines]\nmany_items = 1\nwritable = 6\n[add]\norganizations = [7, 8]\npipelines = [5]\n",
        )
        .unwrap();
        assert_eq!(target.base_url().as_str(), "https://staging.example/platform");
        assert_eq!(target.keys[&Role::FullAccess].variable(), "STAGING_KEY");
        assert_eq!(target.pipelines[&PipelineRole::Writable], 6);
        assert_eq!(target.organizations_to_add, [7, 8]);
        assert_eq!(target.pipelines_to_add(), [5]);
    }

    #[test]
    fn pasted_key_is_rejected_without_being_repeated() {
        let files = [
            format!("base_url = 'http://a.example'\n[keys]\nfull_access = '{PASTED}'\n"),
            format!("base_url = 'http://a.example'\n[keys]\nfull_acess = '{PASTED}'\n"),
            format!("api_key = '{PASTED}'\n"),
            format!("[keys]\nfull_access = {PASTED}\n"),
            "[keys]\nfull_access = 9876543210\n".to_owned(),
            format!("base_url = 'http://a.example'\n[headers]\nX-Token = {{ variable = '{PASTED}' }}\n"),
            format!("base_url = 'http://a.example'\n[headers]\nX-Token = {{ varable = '{PASTED}' }}\n"),
            "base_url = 'http://a.example'\n[headers]\nX-Token = 9876543210\n".to_owned(),
            format!("base_url = 'http://a.example'\n[headers]\nAPI-Key = '{PASTED}'\n"),
            format!("base_url = 'http://a.example'\nproxy = 'http://kit:{PASTED}@proxy'\n"),
            format!(
                "base_url = 'http://a.example'\nproxy = {{ url = 'http://proxy', credentials = 'kit:{PASTED}' }}\n"
            ),
            format!("base_url = 'http://a.example'\nproxy = {{ url = 'http://proxy', password = '{PASTED}' }}\n"),
            "base_url = 'http://a.example'\nproxy = 9876543210\n".to_owned(),
        ];
        for file in files {
            let error = parse(&file).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains(PASTED) && !shown.contains("9876543210"), "{shown}");
        }
    }

    #[test]
    fn surplus_writable_pipelines_are_rejected() {
        let error = parse("base_url = 'http://a.example'\n[add]\npipelines = [1, 2, 3, 4, 5]\n")
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 3") && error.contains("at most 4"), "{error}");
    }

    #[test]
    fn one_pipeline_for_two_roles_is_rejected() {
        let error = parse("base_url = 'http://a.example'\n[pipelines]\nmany_items = 2\nother = 2\n");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("many_items and pipelines.other are both 2"), "{error}");
    }

    #[test]
    fn unknown_field_is_rejected_with_its_line() {
        let error = parse("base_url = 'http://a.example'\n\n[pipelines]\nmany = 1\n")
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 4") && error.contains("many_items"), "{error}");
    }
}
