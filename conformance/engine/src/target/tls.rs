//! TLS for the requests that are sent without the HTTP client, with the same certificates.

use std::sync::Arc;

use rustls_platform_verifier::BuilderVerifierExt;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// The TLS settings for the connection to a deployment.
#[derive(Clone, Copy)]
pub(crate) struct Tls<'a> {
    /// The authorities to trust, in PEM, instead of those of the operating system.
    pub(super) authorities: Option<&'a [u8]>,
    /// The client certificate and its key, in PEM.
    pub(super) client: Option<&'a [u8]>,
    /// Whether any certificate of the deployment is accepted.
    pub(super) insecure: bool,
}

impl Tls<'_> {
    /// A configuration for HTTP/1.1 only.
    ///
    /// # Errors
    /// When a file that the HTTP client could read cannot be used.
    pub(crate) fn config(self) -> Result<ClientConfig, String> {
        let unusable = |error: &dyn std::fmt::Display| format!("TLS cannot be set up: {error}");
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error))?;
        let builder = match self.authorities {
            _ if self.insecure => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Anyone(provider))),
            None => builder.with_platform_verifier().map_err(|error| unusable(&error))?,
            Some(pem) => {
                let mut roots = RootCertStore::empty();
                for certificate in CertificateDer::pem_slice_iter(pem) {
                    let certificate = certificate.map_err(|error| unusable(&error))?;
                    roots.add(certificate).map_err(|error| unusable(&error))?;
                }
                builder.with_root_certificates(roots)
            }
        };
        let mut config = match self.client {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>();
                let chain = chain.map_err(|error| unusable(&error))?;
                let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| unusable(&error))?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| unusable(&error))?
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// Accepts any certificate, as the HTTP client does with `--insecure`.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
