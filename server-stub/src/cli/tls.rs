//! The options of TLS.

use std::fmt::Write;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use platform_server_stub::{Tls, TlsError};

/// The authority that `--tls-out` writes.
const AUTHORITY: &str = "ca.pem";

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "HTTPS")]
pub(crate) struct TlsArguments {
    /// Serve HTTPS, with the certificate (and its chain) and the key from two PEM files, or with a certificate that is
    /// generated at start.
    #[arg(long, env = "PLATFORM_STUB_TLS", value_name = "CERT.pem,KEY.pem|self-signed")]
    tls: Option<Identity>,

    /// More names for a self-signed certificate, besides localhost and the listen address.
    #[arg(long, env = "PLATFORM_STUB_TLS_NAMES", value_name = "NAME,…", value_delimiter = ',')]
    tls_names: Vec<String>,

    /// Write the authority of a self-signed certificate to this directory, as ca.pem, for clients to trust.
    #[arg(long, env = "PLATFORM_STUB_TLS_OUT", value_name = "DIRECTORY")]
    tls_out: Option<PathBuf>,
}

/// Where the certificate comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Identity {
    Files { certificate: PathBuf, key: PathBuf },
    SelfSigned,
}

impl FromStr for Identity {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "self-signed" {
            return Ok(Self::SelfSigned);
        }
        match text.split_once(',') {
            Some((certificate, key)) if !certificate.is_empty() && !key.is_empty() => Ok(Self::Files {
                certificate: certificate.into(),
                key: key.into(),
            }),
            _ => Err("use two PEM files, such as cert.pem,key.pem, or self-signed"),
        }
    }
}

impl TlsArguments {
    /// Whether HTTPS is served.
    pub(crate) fn is_on(&self) -> bool {
        self.tls.is_some()
    }

    /// Checks that the options can be combined.
    pub(crate) fn check(&self) -> Result<(), String> {
        let made = self.tls == Some(Identity::SelfSigned);
        let unused = match self {
            _ if made => return Ok(()),
            Self { tls_out: Some(_), .. } => "--tls-out",
            Self { tls_names, .. } if !tls_names.is_empty() => "--tls-names",
            _ => return Ok(()),
        };
        Err(format!(
            "{unused} is for certificates that are made at start; add --tls self-signed, or leave out {unused}"
        ))
    }

    /// The certificate to serve with; `None` for plain HTTP. `address` is the listen address.
    pub(crate) fn load(&self, address: IpAddr) -> Result<Option<Tls>, String> {
        match &self.tls {
            None => Ok(None),
            Some(Identity::SelfSigned) => {
                let mut names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
                let address = Some(address).filter(|address| !address.is_unspecified());
                names.extend(address.map(|address| address.to_string()));
                names.extend(self.tls_names.iter().cloned());
                names.sort();
                names.dedup();
                Tls::self_signed(names).map(Some).map_err(|error| described(&error))
            }
            Some(Identity::Files { certificate, key }) => {
                let pem = Tls::from_pem(&read(certificate)?, &read(key)?);
                pem.map(Some).map_err(|error| {
                    let file = match &error {
                        TlsError::NoKey | TlsError::Key | TlsError::OtherKey => key,
                        _ => certificate,
                    };
                    format!("{} cannot be used: {}", file.display(), described(&error))
                })
            }
        }
    }

    /// Writes the files that clients need, and returns lines that explain how to trust the server.
    pub(crate) fn publish(&self, tls: &Tls, port: u16) -> Result<String, String> {
        let mut lines = format!("certificate SHA-256 {}\n", tls.fingerprint());
        let Some(authority) = tls.authority_pem() else {
            return Ok(lines);
        };
        let outcome = match &self.tls_out {
            None => writeln!(
                lines,
                "the certificate is new at each start; --tls-out DIRECTORY writes the authority to trust, \
                 curl --insecure trusts anything"
            ),
            Some(directory) => {
                let file = directory.join(AUTHORITY);
                fs::create_dir_all(directory)
                    .and_then(|()| fs::write(&file, authority))
                    .map_err(|error| {
                        let file = file.display();
                        format!("cannot write {file}: {error}; give --tls-out a directory that can be written")
                    })?;
                let file = file.display();
                writeln!(
                    lines,
                    "to trust it: curl --cacert '{file}' https://localhost:{port}/healthz"
                )
            }
        };
        outcome.map_err(|error| error.to_string())?;
        Ok(lines)
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// An error with its source.
fn described(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error} ({source})"),
        None => error.to_string(),
    }
}
