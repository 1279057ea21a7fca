//! Which certificates a client trusts.

#![cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]

use std::sync::Arc;

use platform_sdk::reqwest::{self, Certificate};
use platform_sdk::{Client, ClientBuilder, Outcome, RetryPolicy};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::canned::KEY;

const ANSWER: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\
    {\"pipeline_id\": 1, \"total_count\": 0, \"items\": []}";

/// Starts a server at `https://localhost`, and returns its URL and the certificate of its authority.
async fn server() -> (String, Certificate) {
    let mut authority = CertificateParams::default();
    let name = &mut authority.distinguished_name;
    name.push(DnType::CommonName, "an authority of one's own");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = certificate.signed_by(&key, &authority).unwrap();

    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    // Independent of the client's crypto provider.
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the server hangs up.
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let _ = stream.read(&mut [0; 4096]).await;
                stream.write_all(ANSWER.as_bytes()).await.unwrap();
                stream.shutdown().await.unwrap();
            }
        }
    });
    let authority = Certificate::from_der(authority.der()).unwrap();
    (base_url, authority)
}

fn builder(base_url: &str) -> ClientBuilder {
    let builder = Client::builder().base_url(base_url).api_key(KEY);
    builder.retry_policy(RetryPolicy::never())
}

#[tokio::test]
async fn untrusted_certificate_is_rejected_before_anything_is_sent() {
    let (base_url, _) = server().await;
    let client = builder(&base_url).retry_policy(RetryPolicy::default());
    let client = client.build().unwrap();
    let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    assert!(
        error.is_connect() && error.is_tls() && !error.is_transient(),
        "{error:#?}"
    );
    assert_eq!(error.attempts().len(), 1);
    assert_eq!(error.outcome(), Outcome::NotSent);
}

#[tokio::test]
async fn added_authority_is_trusted() {
    let (base_url, authority) = server().await;
    let client = builder(&base_url).add_root_certificate(authority).build().unwrap();
    let page = client.list_items().pipeline_id(1).send().await.unwrap();
    assert_eq!(page.total_count, 0);
}

#[tokio::test]
async fn certificate_of_another_host_is_rejected() {
    let (base_url, authority) = server().await;
    let elsewhere = base_url.replace("localhost", "127.0.0.1");
    let client = builder(&elsewhere).add_root_certificate(authority).build().unwrap();
    let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    assert!(
        error.is_connect() && error.is_tls() && !error.is_transient(),
        "{error:#?}"
    );
    assert_eq!(error.attempts().len(), 1);
}

#[tokio::test]
async fn authority_is_added_to_own_http_settings() {
    let (base_url, authority) = server().await;
    let builder = builder(&base_url).http_client(|| reqwest::Client::builder().no_proxy());
    let client = builder.add_root_certificate(authority).build().unwrap();
    client.list_items().pipeline_id(1).send().await.unwrap();
}
