//! Asks a server whether it is ready, so that a container needs no other program for its health check.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error as TlsError, SignatureScheme};

/// Total time that the check may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Requests `/readyz` from the server that listens at `address`; the error gives the reason why it is not ready.
pub(crate) async fn check(address: &str, tls: bool) -> Result<(), String> {
    let address = reachable(address);
    let asked = tokio::time::timeout(PATIENCE, ask(&address, tls)).await;
    let answer = asked
        .map_err(|_| format!("{address} did not respond within 5 s"))?
        .map_err(|error| format!("{address} did not respond: {error}"))?;
    match answer.split_once("\r\n\r\n") {
        Some((head, _)) if head.starts_with("HTTP/1.1 200 ") => Ok(()),
        Some((_, body)) => Err(format!("{address} is not ready: {}", body.trim())),
        None => Err(format!("{address} does not speak HTTP")),
    }
}

/// Turns a listen address into an address to connect to: if it means every address of the machine, this machine.
fn reachable(address: &str) -> String {
    match address.rsplit_once(':') {
        Some(("0.0.0.0", port)) => format!("127.0.0.1:{port}"),
        Some(("[::]", port)) => format!("[::1]:{port}"),
        _ => address.to_owned(),
    }
}

async fn ask(address: &str, tls: bool) -> std::io::Result<String> {
    let stream = TcpStream::connect(address).await?;
    if !tls {
        return exchange(stream).await;
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(std::io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").map_err(std::io::Error::other)?;
    let connector = TlsConnector::from(Arc::new(config));
    exchange(connector.connect(name, stream).await?).await
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<String> {
    let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.take(65_536).read_to_string(&mut answer).await?;
    Ok(answer)
}

/// Trusts any certificate. A health check sends no secret, and an orchestrator's own checks do not verify
/// certificates either.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
