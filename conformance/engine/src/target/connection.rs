//! The connection to a deployment: certificates to trust, the proxy to use, and headers that a gateway in front of it
//! requires. Every shell line does the same with curl options.
//!
//! Cases do not depend on it: they judge the deployment, not the connection.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Certificate, ClientBuilder, Identity};
use url::{Host, Url};

use crate::secret::Secret;
use crate::target::shell::quote;
use crate::target::tls::Tls;

/// The headers that cannot be added, and why.
const RESERVED: [(&str, &str); 11] = [
    ("api-key", "is sent by the cases: keys are set by role"),
    ("connection", "belongs to the connection"),
    ("content-length", "belongs to the connection"),
    ("content-type", "is sent by the cases"),
    ("expect", "belongs to the connection"),
    (
        "proxy-authorization",
        "is for the proxy: set its credentials with its URL",
    ),
    ("te", "belongs to the connection"),
    ("trailer", "belongs to the connection"),
    ("transfer-encoding", "belongs to the connection"),
    ("upgrade", "belongs to the connection"),
    ("x-request-id", "is sent by the cases"),
];

/// Why requests cannot be sent as configured. No variant repeats a text that might be secret.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The file of certificates could not be read.
    #[error("the CA file {0} could not be read")]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// The file contains no certificates of authorities.
    #[error("the CA file {0} {1}")]
    Authority(PathBuf, &'static str),
    /// A file of the client certificate could not be read.
    #[error("the client certificate: {0} could not be read")]
    ClientUnreadable(PathBuf, #[source] std::io::Error),
    /// The files of the client certificate cannot be used.
    #[error("the client certificate {0} {1}")]
    Client(PathBuf, &'static str),
    /// There is a key but no certificate.
    #[error("client_key needs client_cert, the file of the certificate")]
    NoClient,
    /// The proxy is not valid.
    #[error("the proxy {0}")]
    Proxy(&'static str),
    /// A header cannot be added; its name is empty when it might be a secret.
    #[error("the header {name}{reason}", name = name.as_ref().map_or(String::new(), |name| format!("{name} ")))]
    Header {
        /// The name.
        name: Option<String>,
        /// What is wrong.
        reason: &'static str,
    },
}

/// The connection to a deployment. By default it is direct, or uses the proxy variables of the environment.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    authority: Option<Authority>,
    client: Option<ClientCertificate>,
    /// Whether any certificate of the deployment is accepted.
    insecure: bool,
    proxy: Proxy,
    headers: Vec<ExtraHeader>,
}

#[derive(Clone)]
struct Authority {
    file: PathBuf,
    certificates: Vec<Certificate>,
    pem: Vec<u8>,
}

#[derive(Clone)]
struct ClientCertificate {
    certificate: PathBuf,
    key: Option<PathBuf>,
    identity: Identity,
    /// The certificate and its key.
    pem: Vec<u8>,
}

/// The warning in reports for a connection that accepts any certificate.
const INSECURE: &str = "TLS certificates are not verified (--insecure): anyone in between can read the keys and \
                        change the responses";

#[derive(Debug, Clone, Default)]
enum Proxy {
    /// The proxy that the environment names for the deployment, if any.
    #[default]
    OfEnvironment,
    /// No proxy, whatever the environment names.
    Never,
    /// This one for every request.
    Always {
        url: Url,
        credentials: Option<Box<Credentials>>,
    },
}

#[derive(Debug, Clone)]
struct Credentials {
    whole: Secret,
    password: Secret,
}

#[derive(Debug, Clone)]
struct ExtraHeader {
    /// The proxy as written.
    name: String,
    header: (HeaderName, HeaderValue),
    /// Set when the value must not be shown.
    secret: Option<Secret>,
}

/// Where the value of a header is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderSource<'a> {
    /// In the target file.
    Text(Cow<'a, str>),
    /// In this environment variable: the value is secret.
    Variable(&'a str),
}

impl Connection {
    pub(crate) fn trust(&mut self, file: &Path) -> Result<(), ConnectionError> {
        let reject = |reason| ConnectionError::Authority(file.to_owned(), reason);
        let pem = std::fs::read(file).map_err(|error| ConnectionError::Unreadable(file.to_owned(), error))?;
        let certificates = Certificate::from_pem_bundle(&pem)
            .map_err(|_| reject("is not PEM: convert it with openssl x509 -inform der"))?;
        if certificates.is_empty() {
            return Err(reject(
                "contains no certificate: one begins with a line -----BEGIN CERTIFICATE-----",
            ));
        }
        // Only using them shows whether they are certificates.
        reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only(certificates.clone())
            .build()
            .map_err(|_| reject("contains a certificate that cannot be read"))?;
        self.authority = Some(Authority {
            file: file.to_owned(),
            certificates,
            pem,
        });
        Ok(())
    }

    /// Presents this certificate to a deployment that requests one. Its key is in a separate file, or in the same one.
    pub(crate) fn identify(&mut self, certificate: &Path, key: Option<&Path>) -> Result<(), ConnectionError> {
        let read = |file: &Path| {
            let read = std::fs::read(file);
            read.map_err(|error| ConnectionError::ClientUnreadable(file.to_owned(), error))
        };
        let mut pem = read(certificate)?;
        if let Some(key) = key {
            pem.push(b'\n');
            pem.extend(read(key)?);
        }
        let reject = |reason| ConnectionError::Client(certificate.to_owned(), reason);
        let identity = Identity::from_pem(&pem).map_err(|_| {
            reject(
                "needs a certificate and its private key in PEM, not encrypted: name the file of the key with \
                 --client-key or client_key",
            )
        })?;
        // Only using them shows whether they belong together.
        reqwest::Client::builder()
            .no_proxy()
            .tls_danger_accept_invalid_certs(true)
            .identity(identity.clone())
            .build()
            .map_err(|_| reject("and its private key cannot be used, or do not belong together"))?;
        self.client = Some(ClientCertificate {
            certificate: certificate.to_owned(),
            key: key.map(Path::to_owned),
            identity,
            pem,
        });
        Ok(())
    }

    /// Accepts any certificate of the deployment.
    pub(crate) fn trust_anyone(&mut self) {
        self.insecure = true;
    }

    /// Uses this proxy for every request; `none` uses no proxy.
    pub(crate) fn ask_proxy(&mut self, text: &str) -> Result<(), ConnectionError> {
        if text == "none" {
            self.proxy = Proxy::Never;
            return Ok(());
        }
        let unusable = "must be a URL that begins with http:// or https://, or none";
        let url = Url::parse(text).map_err(|_| ConnectionError::Proxy(unusable))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ConnectionError::Proxy(unusable));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(ConnectionError::Proxy(
                "must not contain credentials: put USER:PASSWORD into an environment variable and name it",
            ));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(ConnectionError::Proxy("must end with its host or port"));
        }
        self.proxy = Proxy::Always { url, credentials: None };
        Ok(())
    }

    pub(crate) fn authenticate_to_proxy(
        &mut self,
        user_and_password: &str,
        variable: &str,
    ) -> Result<(), ConnectionError> {
        let Proxy::Always { credentials, .. } = &mut self.proxy else {
            return Err(ConnectionError::Proxy("has credentials, but no URL"));
        };
        let parts = user_and_password.split_once(':');
        let Some((_, password)) = parts.filter(|(user, _)| !user.is_empty()) else {
            return Err(ConnectionError::Proxy("has credentials that are not USER:PASSWORD"));
        };
        *credentials = Some(Box::new(Credentials {
            whole: Secret::new(user_and_password, variable),
            password: Secret::new(password, variable),
        }));
        Ok(())
    }

    /// Sends a header with every request that does not already have one with that name. `variable` is shown instead of
    /// a secret value.
    pub(crate) fn send_along(
        &mut self,
        name: &str,
        value: &str,
        variable: Option<&str>,
    ) -> Result<(), ConnectionError> {
        let reject = |name: Option<&str>, reason| ConnectionError::Header {
            name: name.map(str::to_owned),
            reason,
        };
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| reject(None, "needs a name of letters, digits and -"))?;
        let reserved = RESERVED.iter().find(|(name, _)| parsed == *name);
        if let Some((_, reason)) = reserved {
            return Err(reject(Some(name), reason));
        }
        let unusable = "has a value that is empty or contains characters that a header cannot carry";
        let mut header = HeaderValue::from_str(value)
            .ok()
            .filter(|_| !value.trim().is_empty())
            .ok_or_else(|| reject(Some(name), unusable))?;
        header.set_sensitive(variable.is_some());
        self.headers.retain(|known| known.header.0 != parsed);
        self.headers.push(ExtraHeader {
            name: name.to_owned(),
            header: (parsed, header),
            secret: variable.map(|variable| Secret::new(value, variable)),
        });
        Ok(())
    }

    /// Applies the connection to an HTTP client. Requests to this machine do not use a proxy that only the environment
    /// names.
    pub(crate) fn apply(&self, builder: ClientBuilder, base_url: &Url) -> ClientBuilder {
        let builder = match &self.authority {
            Some(authority) => builder.tls_certs_only(authority.certificates.clone()),
            // Reading the system's authorities takes longer than many a case.
            None if base_url.scheme() == "http" && self.proxy_on_the_way(base_url).is_none() => {
                builder.tls_certs_only([])
            }
            None => builder,
        };
        let builder = match &self.client {
            Some(client) => builder.identity(client.identity.clone()),
            None => builder,
        };
        let builder = match self.insecure {
            true => builder.tls_danger_accept_invalid_certs(true),
            false => builder,
        };
        match &self.proxy {
            Proxy::OfEnvironment if !is_this_machine(base_url) => builder,
            Proxy::OfEnvironment | Proxy::Never => builder.no_proxy(),
            Proxy::Always { url, credentials } => {
                #[expect(clippy::expect_used, reason = "it was read as a URL of http or https")]
                let mut proxy = reqwest::Proxy::all(url.clone()).expect("a proxy");
                if let Some((user, password)) = credentials
                    .as_ref()
                    .and_then(|credentials| credentials.whole.reveal().split_once(':'))
                {
                    proxy = proxy.basic_auth(user, password);
                }
                builder.proxy(proxy)
            }
        }
    }

    /// The proxy for requests to this base URL, as the end of a sentence; `None` for a direct connection.
    pub(crate) fn proxy_on_the_way(&self, base_url: &Url) -> Option<String> {
        match &self.proxy {
            Proxy::Never => None,
            Proxy::Always { .. } => Some("the target names a proxy".to_owned()),
            Proxy::OfEnvironment if is_this_machine(base_url) => None,
            Proxy::OfEnvironment => {
                let is_set = |name: &str| std::env::var_os(name).is_some_and(|text| !text.is_empty());
                let name = PROXY_VARIABLES.into_iter().find(|name| is_set(name))?;
                Some(format!("{name} names a proxy"))
            }
        }
    }

    /// The TLS settings of the connection.
    pub(crate) fn tls(&self) -> Tls<'_> {
        Tls {
            authorities: self.authority.as_ref().map(|own| own.pem.as_slice()),
            client: self.client.as_ref().map(|own| own.pem.as_slice()),
            insecure: self.insecure,
        }
    }

    /// The options of `openssl s_client` for this connection, each with a leading space.
    pub(crate) fn openssl_options(&self) -> String {
        let mut options = String::new();
        let mut add = |name: &str, file: &Path| {
            let _ = write!(options, " {name} {}", quote(&file.to_string_lossy()));
        };
        if let Some(authority) = &self.authority {
            add("-CAfile", &authority.file);
        }
        if let Some(client) = &self.client {
            add("-cert", &client.certificate);
            add("-key", client.key.as_ref().unwrap_or(&client.certificate));
        }
        if !self.insecure {
            options.push_str(" -verify_return_error");
        }
        options
    }

    /// The configured headers to send with a request that has these headers itself.
    pub(crate) fn headers(&self, own: &[(String, String)]) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        self.besides(own).map(|extra| extra.header.clone())
    }

    fn besides(&self, own: &[(String, String)]) -> impl Iterator<Item = &ExtraHeader> {
        let is_own = |extra: &ExtraHeader| own.iter().any(|(name, _)| name.eq_ignore_ascii_case(&extra.name));
        self.headers.iter().filter(move |extra| !is_own(extra))
    }

    /// The same headers for a person: a secret is shown as its variable.
    pub(crate) fn shown_headers(&self, own: &[(String, String)]) -> impl Iterator<Item = (String, String)> {
        self.besides(own).map(|extra| {
            let (_, value) = &extra.header;
            let value = match &extra.secret {
                Some(secret) => format!("${}", secret.variable()),
                None => String::from_utf8_lossy(value.as_bytes()).into_owned(),
            };
            (extra.name.clone(), value)
        })
    }

    /// The options of curl for this connection, each with a leading space.
    pub(crate) fn curl_options(&self) -> String {
        let mut options = String::new();
        if let Some(authority) = &self.authority {
            let file = authority.file.to_string_lossy();
            let _ = write!(options, " --cacert {}", quote(&file));
        }
        if let Some(client) = &self.client {
            let file = client.certificate.to_string_lossy();
            let _ = write!(options, " --cert {}", quote(&file));
            if let Some(key) = &client.key {
                let _ = write!(options, " --key {}", quote(&key.to_string_lossy()));
            }
        }
        if self.insecure {
            options.push_str(" --insecure");
        }
        match &self.proxy {
            Proxy::OfEnvironment => {}
            Proxy::Never => options.push_str(" --noproxy '*'"),
            Proxy::Always { url, credentials } => {
                let url = url.as_str().trim_end_matches('/');
                // By default, curl would not use it for hosts in NO_PROXY.
                let _ = write!(options, " --proxy {} --noproxy ''", quote(url));
                if let Some(credentials) = credentials {
                    let variable = credentials.whole.variable();
                    let _ = write!(options, " --proxy-user \"${variable}\"");
                }
            }
        }
        options
    }

    /// The configured headers as options of curl, each with a leading space.
    pub(crate) fn curl_headers(&self, own: &[(String, String)]) -> String {
        let mut options = String::new();
        for ExtraHeader {
            name,
            header: (_, value),
            secret,
        } in self.besides(own)
        {
            let _ = match secret {
                Some(secret) => write!(options, " -H \"{name}: ${}\"", secret.variable()),
                None => {
                    let value = String::from_utf8_lossy(value.as_bytes());
                    write!(options, " -H {}", quote(&format!("{name}: {value}")))
                }
            };
        }
        options
    }

    /// Returns the absolute path of the file of certificates to trust.
    pub fn ca_file(&self) -> Option<PathBuf> {
        let file = &self.authority.as_ref()?.file;
        Some(std::path::absolute(file).unwrap_or_else(|_| file.clone()))
    }

    /// Returns the absolute paths of the files of the client certificate and of its key.
    pub fn client_certificate(&self) -> Option<(PathBuf, Option<PathBuf>)> {
        let absolute = |file: &PathBuf| std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let client = self.client.as_ref()?;
        Some((absolute(&client.certificate), client.key.as_ref().map(absolute)))
    }

    /// Whether any certificate of the deployment is accepted.
    pub const fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// What a reader of a report needs to know about the connection, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        self.insecure.then(|| INSECURE.to_owned()).into_iter().collect()
    }

    /// Returns the proxy as a target file names it: its URL or `none`, and the variable that holds its
    /// credentials. Returns `None` where the environment decides.
    pub fn proxy(&self) -> Option<(&str, Option<&str>)> {
        match &self.proxy {
            Proxy::OfEnvironment => None,
            Proxy::Never => Some(("none", None)),
            Proxy::Always { url, credentials } => {
                let variable = credentials.as_ref().map(|own| own.whole.variable());
                Some((url.as_str(), variable))
            }
        }
    }

    /// Returns the names of the headers that are sent with every request, and where their values are.
    pub fn extra_headers(&self) -> impl Iterator<Item = (&str, HeaderSource<'_>)> {
        self.headers.iter().map(|extra| {
            let source = match &extra.secret {
                Some(secret) => HeaderSource::Variable(secret.variable()),
                None => HeaderSource::Text(String::from_utf8_lossy(extra.header.1.as_bytes())),
            };
            (extra.name.as_str(), source)
        })
    }

    /// The secrets of the connection.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let of_proxy = match &self.proxy {
            Proxy::Always { credentials, .. } => credentials.iter().map(|own| (**own).clone()).collect(),
            Proxy::OfEnvironment => credentials_of_environment(),
            Proxy::Never => Vec::new(),
        };
        let of_proxy = of_proxy
            .into_iter()
            .flat_map(|credentials| [credentials.whole, credentials.password]);
        let headers = self.headers.iter();
        headers
            .filter_map(|extra| extra.secret.clone())
            .chain(of_proxy)
            .collect()
    }
}

/// The variables of the environment that name a proxy.
const PROXY_VARIABLES: [&str; 6] = [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// The credentials in the proxy variables of the environment, which the HTTP client reads too.
fn credentials_of_environment() -> Vec<Credentials> {
    let credentials = PROXY_VARIABLES.iter().filter_map(|variable| {
        let url = std::env::var(variable).ok()?;
        // A proxy may be named without a scheme.
        let url = Url::parse(&url).or_else(|_| Url::parse(&format!("http://{url}")));
        credentials_in(&url.ok()?, variable)
    });
    credentials.collect()
}

fn credentials_in(url: &Url, variable: &str) -> Option<Credentials> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let (user, password) = (decoded(url.username()), decoded(url.password()?));
    Some(Credentials {
        whole: Secret::new(format!("{user}:{password}"), variable),
        password: Secret::new(password, variable),
    })
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Authority").field(&self.file).finish()
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = (&self.certificate, &self.key);
        f.debug_tuple("ClientCertificate").field(&files).finish()
    }
}

fn is_this_machine(base_url: &Url) -> bool {
    match base_url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
