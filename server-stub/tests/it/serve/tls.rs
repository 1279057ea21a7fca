//! The same over TLS. Time is paused here, as in the tests of timeouts.

use std::sync::Arc;
use std::time::Duration;

use platform_server_stub::{Limits, Server, Tls, TlsError};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::{Client, Running, STATUS};

const SECOND: Duration = Duration::from_secs(1);
/// Much longer than any of these tests can take.
const NEVER: Duration = Duration::from_secs(3600);

struct Secure {
    server: Running,
    authority: String,
}

impl Secure {
    async fn start(limits: Limits) -> Self {
        let tls = Tls::self_signed(["localhost"]).unwrap();
        let authority = tls.authority_pem().unwrap().to_owned();
        let server = Server::built_in().with_limits(limits).with_tls(tls);
        Self {
            server: Running::of(server).await,
            authority,
        }
    }

    async fn handshake(&self, protocols: &[&str]) -> std::io::Result<TlsStream<TcpStream>> {
        let stream = TcpStream::connect(self.server.address).await.unwrap();
        connector(&self.authority, protocols)
            .connect(ServerName::try_from("localhost").unwrap(), stream)
            .await
    }

    async fn connect(&self) -> Client {
        Client::over(self.handshake(&["h2", "http/1.1"]).await.unwrap())
    }
}

/// A client that trusts this authority alone.
pub(crate) fn connector(authority: &str, protocols: &[&str]) -> TlsConnector {
    let mut trusted = RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(authority.as_bytes()).unwrap();
    trusted.add(authority).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(trusted)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test(start_paused = true)]
async fn https_connections_are_kept_and_their_requests_answered_in_order() {
    let server = Secure::start(Limits::default()).await;
    let stream = server.handshake(&["h2", "http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let mut client = Client::over(stream);
    for _ in 0..3 {
        // Long enough for the connection to free its buffers.
        sleep(30 * SECOND).await;
        client.send(&STATUS.repeat(2)).await;
        for _ in 0..2 {
            assert_eq!(client.response().await.unwrap().status, 200);
        }
    }
    let list = STATUS
        .replace("items/200001/status", "items?limit=1000")
        .replace("pipelines/2", "pipelines/1");
    client.send(&list).await;
    let items = client.response().await.unwrap();
    assert_eq!(items.body["items"].as_array().unwrap().len(), 1000);
    let start = Instant::now();
    assert!(client.is_closed().await);
    let taken = start.elapsed();
    let idle = Limits::default().idle_timeout;
    assert!(idle - SECOND < taken && taken < idle + SECOND, "{taken:?}");
}

#[tokio::test]
async fn malformed_http_gets_the_error_body_over_tls() {
    let server = Secure::start(Limits::default()).await;
    let mut client = server.connect().await;
    client.send(STATUS).await;
    assert_eq!(client.response().await.unwrap().status, 200);
    client.send("nonsense\r\n\r\n").await;
    let rejected = client.response().await.unwrap();
    assert_eq!(rejected.code(), (400, "malformed_request"));
    assert!(client.is_closed().await);
}

#[tokio::test]
async fn client_without_tls_is_sent_to_https() {
    let server = Secure::start(Limits::default()).await;
    let mut client = server.server.connect().await;
    client.send(STATUS).await;
    let rejected = client.response().await.unwrap();
    assert_eq!(rejected.code(), (400, "malformed_request"));
    let detail = rejected.body["detail"].as_str().unwrap();
    assert!(detail.contains("https://"), "{detail}");
    assert!(rejected.closes() && client.is_closed().await);
}

#[tokio::test]
async fn client_that_speaks_only_another_protocol_is_rejected() {
    let server = Secure::start(Limits::default()).await;
    assert!(server.handshake(&["h2"]).await.is_err());
    assert!(server.handshake(&[]).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn unfinished_handshake_times_out_as_a_header_does() {
    let limits = Limits {
        header_timeout: 15 * SECOND,
        idle_timeout: 40 * SECOND,
        ..Limits::default()
    };
    let server = Secure::start(limits).await;
    // Nothing, the first byte of a handshake, and the beginning of its first message.
    for (sent, expected) in [("", 40), ("\u{16}", 15), ("\u{16}\u{3}\u{1}\u{0}", 15)] {
        let mut client = server.server.connect().await;
        let start = Instant::now();
        client.send(sent).await;
        client.rest().await;
        let taken = start.elapsed();
        let expected = expected * SECOND;
        assert!(expected <= taken && taken < expected + SECOND, "{sent:?}: {taken:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn unfinished_header_times_out_over_tls() {
    let server = Secure::start(Limits::default()).await;
    let mut client = server.connect().await;
    let start = Instant::now();
    client.send("GET / HTTP/1.1\r\n").await;
    assert!(client.is_closed().await);
    let taken = start.elapsed();
    assert!(taken < Limits::default().header_timeout + SECOND, "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn client_that_does_not_read_is_cut_off_over_tls() {
    let server = Secure::start(Limits::default()).await;
    let list = STATUS
        .replace("items/200001/status", "items?limit=1000")
        .replace("pipelines/2", "pipelines/1");
    let mut reference = server.connect().await;
    reference.send(&list).await;
    let length = reference.response().await.unwrap().body.to_string().len();
    let mut client = server.connect().await;
    client.try_send(&list.repeat(30)).await;
    sleep(Limits::default().write_timeout + 10 * SECOND).await;
    assert!(client.rest().await < 30 * length);
}

#[tokio::test]
async fn idle_connections_and_unfinished_handshakes_do_not_delay_the_shutdown() {
    let server = Secure::start(Limits {
        drain: NEVER,
        header_timeout: NEVER,
        idle_timeout: NEVER,
        ..Limits::default()
    })
    .await;
    let mut used = server.connect().await;
    used.send(STATUS).await;
    assert_eq!(used.response().await.unwrap().status, 200);
    let mut silent = server.server.connect().await;
    let mut half = server.server.connect().await;
    half.send("\u{16}").await;
    // The server accepts in order: once it responds to a later client, it has accepted these.
    let mut late = server.connect().await;
    late.send(STATUS).await;
    assert_eq!(late.response().await.unwrap().status, 200);
    server.server.stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(60), server.server.served).await;
    ended.unwrap().unwrap().unwrap();
    assert!(used.is_closed().await && silent.is_closed().await && half.is_closed().await);
}

#[test]
fn certificate_and_key_that_do_not_match_are_rejected_with_the_reason() {
    let made = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (one, other) = (made(), made());
    let (certificate, key) = (one.cert.pem(), one.signing_key.serialize_pem());
    assert!(Tls::from_pem(certificate.as_bytes(), key.as_bytes()).is_ok());
    let broken = certificate.replacen("MII", "!!!", 1);
    let rejected = |certificate: &str, key: &str| Tls::from_pem(certificate.as_bytes(), key.as_bytes()).unwrap_err();
    assert!(matches!(rejected("", &key), TlsError::NoCertificate));
    assert!(matches!(rejected(&key, &key), TlsError::NoCertificate));
    assert!(matches!(rejected(&broken, &key), TlsError::Certificate(_)));
    assert!(matches!(rejected(&certificate, ""), TlsError::NoKey));
    assert!(matches!(rejected(&certificate, &certificate), TlsError::NoKey));
    let other_key = other.signing_key.serialize_pem();
    assert!(matches!(rejected(&certificate, &other_key), TlsError::OtherKey));
    let cut = key.replacen("MI", "", 1);
    let error = rejected(&certificate, &cut);
    assert!(matches!(error, TlsError::Key), "{error:?}");
    assert!(matches!(
        Tls::self_signed(["not a name\u{e9}"]).unwrap_err(),
        TlsError::Names(_)
    ));
}

#[test]
fn fingerprint_is_that_of_the_certificate() {
    let tls = Tls::self_signed(["localhost"]).unwrap();
    let pairs: Vec<_> = tls.fingerprint().split(':').collect();
    assert!(pairs.len() == 32 && pairs.iter().all(|pair| pair.len() == 2));
    assert_ne!(
        Tls::self_signed(["localhost"]).unwrap().fingerprint(),
        tls.fingerprint()
    );
    assert!(!format!("{tls:?}").contains("KEY"));
}
