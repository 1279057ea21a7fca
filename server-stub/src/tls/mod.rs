//! The server's certificate: read from files, or generated at start.
//!
//! This module itself reads no files or connections.

mod error;
mod self_signed;

use std::fmt;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::rustls::crypto::aws_lc_rs::{self, cipher_suite};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::{Accept, TlsAcceptor};

pub use self::error::TlsError;

/// The TLS configuration that a server needs for HTTPS: HTTP/1.1 over TLS 1.2 or 1.3.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use platform_server_stub::{Server, Tls};
///
/// let tls = Tls::self_signed(["localhost"])?;
/// // Clients have to trust this authority.
/// let authority = tls.authority_pem().unwrap_or_default();
/// assert!(authority.starts_with("-----BEGIN CERTIFICATE-----"));
///
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// let server = Server::built_in().with_tls(tls);
/// let served = tokio::spawn(server.serve(listener, async move {
///     let _ = stopped.await;
/// }));
/// drop(stop);
/// served.await??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    fingerprint: String,
    authority: Option<String>,
}

impl Tls {
    /// Uses a chain of certificates, starting with the server's, and its key, both as PEM.
    ///
    /// # Errors
    /// [`TlsError`] when one of them is missing or cannot be read, or the key does not belong to the certificate.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError::Certificate(error.into()))?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(TlsError::of_key)?;
        Self::new(chain, key, None)
    }

    /// Generates an authority, and a certificate issued by it for these names, which are host names or IP addresses.
    /// Both are new each time; the keys exist only in memory.
    ///
    /// # Errors
    /// [`TlsError`] when a name is neither a host name nor an IP address.
    pub fn self_signed<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Result<Self, TlsError> {
        let made = self_signed::make(names.into_iter().map(Into::into).collect())?;
        Self::new(vec![made.certificate], made.key, Some(made.authority))
    }

    fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
        authority: Option<String>,
    ) -> Result<Self, TlsError> {
        let fingerprint = fingerprint(chain.first().ok_or(TlsError::NoCertificate)?);
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::of_pair)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(TlsError::of_pair)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            fingerprint,
            authority,
        })
    }

    /// The SHA-256 fingerprint of the server's certificate, as browsers show it.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The authority that clients have to trust, as PEM; `None` unless the certificate was made by
    /// [`self_signed`](Self::self_signed).
    pub fn authority_pem(&self) -> Option<&str> {
        self.authority.as_deref()
    }

    /// Starts a handshake.
    pub(crate) fn accept(&self, stream: TcpStream) -> Accept<TcpStream> {
        self.acceptor.accept(stream)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls")
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    // The hash of an available cipher suite: SHA-256.
    let rustls::SupportedCipherSuite::Tls13(suite) = cipher_suite::TLS13_AES_128_GCM_SHA256 else {
        return String::new();
    };
    let hash = suite.common.hash_provider.hash(certificate);
    let bytes = hash.as_ref().iter().map(|byte| format!("{byte:02X}"));
    bytes.collect::<Vec<_>>().join(":")
}
