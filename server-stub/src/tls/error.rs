//! Why a certificate cannot be used.

use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::pem;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a certificate or its key cannot be used. No message contains any part of a key.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The PEM data contains no certificate.
    #[error("there is no certificate; a PEM file with a section BEGIN CERTIFICATE is needed")]
    NoCertificate,
    /// The certificate cannot be read.
    #[error("the certificate cannot be read; check that it is PEM and complete")]
    Certificate(#[source] Source),
    /// The PEM data contains no key.
    #[error("there is no private key; a PEM file with a section BEGIN PRIVATE KEY is needed")]
    NoKey,
    /// The key cannot be read, for instance because it is encrypted.
    #[error("the private key cannot be read; check that it is PEM, complete and not encrypted")]
    Key,
    /// The key belongs to another certificate.
    #[error("the private key does not belong to the certificate; give the key that it was issued for")]
    OtherKey,
    /// A name for a certificate is neither a host name nor an IP address.
    #[error("no certificate can be made for these names; give host names or IP addresses")]
    Names(#[source] Source),
}

impl TlsError {
    pub(super) fn of_key(error: pem::Error) -> Self {
        match error {
            pem::Error::NoItemsFound => Self::NoKey,
            // The source error could quote a line of the file.
            _ => Self::Key,
        }
    }

    /// Converts an error from rustls about a certificate and a key together.
    pub(super) fn of_pair(error: rustls::Error) -> Self {
        match error {
            rustls::Error::InconsistentKeys(_) => Self::OtherKey,
            rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => {
                Self::Certificate(error.into())
            }
            _ => Self::Key,
        }
    }
}
