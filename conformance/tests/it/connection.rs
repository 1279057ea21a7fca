//! The way to a deployment: a path in front, an authority of one's own, a proxy, headers for a gateway. The
//! cases hold all the same, and a line for curl goes the same way.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use platform_conformance::report::Silent;
use platform_conformance::{ApiKey, Options, Report, Role, Target, Verdict, catalogue, run};
use platform_server_stub::Server;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tower::ServiceExt;

use crate::served;

/// A host that no name server knows: it is reached through a proxy or not at all.
const NOWHERE: &str = "staging.invalid";
const CREDENTIALS: &str = "kit:p4ss-51f0c9a7e2";
const ENCODED: &str = "Basic a2l0OnA0c3MtNTFmMGM5YTdlMg==";

/// Runs some of the cases that only read.
async fn run_some(target: &Target) -> Report {
    let options = Options {
        only: ["limit/*", "auth/*/list_items", "auth/*/search_*"]
            .map(Into::into)
            .into(),
        ..Options::default()
    };
    run(catalogue(), target, &options, &mut Silent)
        .await
        .unwrap()
}

fn assert_all_passed(report: &Report) {
    let left = report
        .cases
        .iter()
        .find(|case| case.verdict != Verdict::Passed);
    assert!(left.is_none() && report.cases.len() > 5, "{left:#?}");
}

fn with_key(target: Target) -> Target {
    let keys = [
        (Role::FullAccess, "dev-full-access"),
        (Role::ReadOnly, "dev-read-only"),
        (Role::NoAccess, "dev-no-access"),
    ];
    keys.into_iter().fold(target, |target, (role, key)| {
        target.with_key(role, ApiKey::new(key, role.variable()).unwrap())
    })
}

#[tokio::test]
async fn a_deployment_under_a_path_is_held_to_the_contract() {
    let router = Router::new().nest("/eu/platform", Server::built_in().router());
    let base_url = format!("http://{}/eu/platform/", served::address(router).await);
    let options = Options {
        only: [
            "limit/*",
            "auth/*",
            "error/*",
            "header/*",
            "schema/*",
            "search-text/*",
        ]
        .map(Into::into)
        .into(),
        ..Options::default()
    };
    let target = with_key(Target::new(&base_url).unwrap());
    let report = run(catalogue(), &target, &options, &mut Silent)
        .await
        .unwrap();
    assert_eq!(report.summary.failed, 0, "{report:#?}");
    assert!(report.summary.passed > 50, "{:?}", report.summary);
}

/// An authority, and a server at a host that it vouches for.
struct Tls {
    address: SocketAddr,
    directory: TempDir,
}

impl Tls {
    /// Serves the reference server.
    async fn start(host: &str) -> Self {
        let authority = authority();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([host.to_owned()]).unwrap();
        let certificate = certificate.signed_by(&key, &authority).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let plain = served::address(Server::built_in().router()).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // A client that does not trust the server goes away.
                    let Ok(mut stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    let mut behind = TcpStream::connect(plain).await.unwrap();
                    let _ = copy_bidirectional(&mut stream, &mut behind).await;
                });
            }
        });
        let directory = tempfile::tempdir().unwrap();
        let bundle = format!("{}{}", pem(&self::authority()), pem(&authority));
        std::fs::write(directory.path().join("ca.pem"), bundle).unwrap();
        Self { address, directory }
    }

    /// The certificates of an authority that has nothing to do with it, and of its own.
    fn ca_file(&self) -> PathBuf {
        self.directory.path().join("ca.pem")
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap()
}

fn pem(authority: &CertifiedIssuer<'_, KeyPair>) -> String {
    let der = BASE64_STANDARD.encode(authority.der());
    format!("-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n")
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_when_it_is_named() {
    let tls = Tls::start("localhost").await;
    let target = Target::new(&format!("https://localhost:{}", tls.address.port())).unwrap();
    let target = with_key(target);
    let report = run_some(&target).await;
    assert_eq!(report.summary.errored, report.cases.len(), "{report:#?}");
    let target = target.with_ca_file(tls.ca_file()).unwrap();
    assert_all_passed(&run_some(&target).await);
}

#[tokio::test]
async fn a_target_file_finds_the_authority_beside_itself() {
    let tls = Tls::start("localhost").await;
    let file = tls.directory.path().join("target.toml");
    let port = tls.address.port();
    let text = format!("base_url = 'https://localhost:{port}'\nca_file = 'ca.pem'\n");
    std::fs::write(&file, text).unwrap();
    let target = with_key(Target::read(&file, None, |_| None).unwrap());
    assert_all_passed(&run_some(&target).await);
}

#[tokio::test]
async fn requests_to_http_go_through_the_proxy() {
    let router = Server::built_in().router();
    let proxy = Router::new().fallback(move |request: Request| {
        let router = router.clone();
        async move {
            let through = request.uri().host() == Some(NOWHERE);
            let known = request
                .headers()
                .get("Proxy-Authorization")
                .is_some_and(|credentials| credentials == ENCODED);
            if !through || !known {
                return StatusCode::PROXY_AUTHENTICATION_REQUIRED.into_response();
            }
            router.oneshot(request).await.into_response()
        }
    });
    let proxy = format!("http://{}", served::address(proxy).await);
    let target = with_key(Target::new(&format!("http://{NOWHERE}")).unwrap())
        .with_proxy(&proxy)
        .unwrap();
    let target = target
        .with_proxy_credentials(CREDENTIALS, "PROXY_CREDENTIALS")
        .unwrap();
    assert_all_passed(&run_some(&target).await);
}

/// A proxy that opens tunnels to one address, whatever it is asked for, for those who have the credentials.
async fn tunnels_to(behind: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    if stream.read_line(&mut head).await.unwrap() == 0 {
                        return;
                    }
                }
                let head = head.to_ascii_lowercase();
                let known = head.contains(&format!(
                    "proxy-authorization: {}\r\n",
                    ENCODED.to_ascii_lowercase()
                ));
                if !known || !head.starts_with(&format!("connect {NOWHERE}:443 ")) {
                    let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
                    stream.write_all(refusal).await.unwrap();
                    return;
                }
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                let mut behind = TcpStream::connect(behind).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut behind).await;
            });
        }
    });
    address
}

#[tokio::test]
async fn requests_to_https_go_through_a_tunnel() {
    let tls = Tls::start(NOWHERE).await;
    let proxy = tunnels_to(tls.address).await;
    let target = with_key(Target::new(&format!("https://{NOWHERE}")).unwrap())
        .with_ca_file(tls.ca_file())
        .unwrap();
    let target = target.with_proxy(&format!("http://{proxy}")).unwrap();
    let report = run_some(&target).await;
    assert_eq!(report.summary.errored, report.cases.len(), "{report:#?}");
    let target = target
        .with_proxy_credentials(CREDENTIALS, "PROXY_CREDENTIALS")
        .unwrap();
    assert_all_passed(&run_some(&target).await);
}

/// Lets through what carries the headers of a gateway, once each.
async fn gateway(request: Request, next: Next) -> Response {
    let headers = request.headers().clone();
    let has = |name: &str, value: &str| {
        let values: Vec<_> = headers.get_all(name).iter().collect();
        values == [value]
    };
    if !has("X-Gateway-Token", "gw-51f0c9a7e2") || !has("X-Environment", "staging") {
        return (StatusCode::BAD_GATEWAY, "who are you?").into_response();
    }
    next.run(request).await
}

#[tokio::test]
async fn every_request_carries_the_headers_for_the_gateway() {
    let router = Server::built_in()
        .router()
        .layer(middleware::from_fn(gateway));
    let target = served::target(router).await;
    let report = run_some(&target).await;
    assert_eq!(report.summary.passed, 0, "{report:#?}");
    let target = target
        .with_header("X-Environment", "production")
        .and_then(|target| target.with_header("x-environment", "staging"))
        .and_then(|target| {
            target.with_secret_header("X-Gateway-Token", "gw-51f0c9a7e2", "GATEWAY_TOKEN")
        })
        .unwrap();
    assert_all_passed(&run_some(&target).await);
}

#[tokio::test]
async fn a_line_for_curl_goes_the_same_way() {
    let tls = Tls::start(NOWHERE).await;
    let broken = Router::new().fallback(|| async { StatusCode::IM_A_TEAPOT });
    let proxy = served::address(broken).await;
    let target = with_key(Target::new(&format!("http://{NOWHERE}/eu")).unwrap())
        .with_ca_file(tls.ca_file())
        .and_then(|target| target.with_proxy(&format!("http://{proxy}")))
        .and_then(|target| target.with_proxy_credentials(CREDENTIALS, "PROXY_CREDENTIALS"))
        .and_then(|target| target.with_header("X-Environment", "it's staging"))
        .and_then(|target| {
            target.with_secret_header("X-Gateway-Token", "gw-51f0c9a7e2", "GATEWAY_TOKEN")
        })
        .unwrap();
    let report = run_some(&target).await;
    let lines: Vec<_> = report
        .cases
        .iter()
        .flat_map(|case| &case.findings)
        .flat_map(|finding| &finding.requests)
        .collect();
    let way = format!(
        "curl -isS --cacert '{}' --proxy 'http://{proxy}' --noproxy '' --proxy-user \"$PROXY_CREDENTIALS\" ",
        tls.ca_file().display()
    );
    let headers = " -H 'X-Environment: it'\\''s staging' -H \"X-Gateway-Token: $GATEWAY_TOKEN\"";
    assert!(lines.len() > 10);
    for line in lines {
        assert!(line.starts_with(&way) && line.contains(headers), "{line}");
    }
}

#[test]
fn what_cannot_be_sent_is_refused_and_not_repeated() {
    let target = || Target::new("https://staging.example").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = directory.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let no_pem = file("der", "\u{1}\u{2}51f0c9a7e2");
    let broken = "-----BEGIN CERTIFICATE-----\nNTFmMGM5YTdlMg==\n-----END CERTIFICATE-----\n";
    let broken = file("broken.pem", broken);
    let refused = [
        (
            target().with_ca_file("/nowhere/ca.pem"),
            "/nowhere/ca.pem could not be read",
        ),
        (target().with_ca_file(no_pem), "holds no certificate"),
        (
            target().with_ca_file(broken),
            "a certificate that cannot be read",
        ),
        (target().with_proxy("proxy:3128"), "must be a URL"),
        (target().with_proxy("socks5://proxy:1080"), "must be a URL"),
        (
            target().with_proxy("http://kit:51f0c9a7e2@proxy"),
            "must hold no credentials",
        ),
        (
            target().with_proxy("http://proxy/51f0c9a7e2"),
            "host or port",
        ),
        (target().with_proxy_credentials(CREDENTIALS, "P"), "no URL"),
        (
            target()
                .with_proxy("http://proxy")
                .and_then(|target| target.with_proxy_credentials("51f0c9a7e2", "P")),
            "not USER:PASSWORD",
        ),
        (
            target().with_header("API-Key", "51f0c9a7e2"),
            "API-Key is sent by the cases",
        ),
        (
            target().with_header("content-type", "51f0c9a7e2"),
            "is sent by the cases",
        ),
        (
            target().with_header("Proxy-Authorization", "51f0c9a7e2"),
            "is for the proxy",
        ),
        (
            target().with_header("Bearer 51f0c9a7e2", "b"),
            "needs a name",
        ),
        (
            target().with_header("X-A", "51f0c9a7e2\r\nX-B: c"),
            "X-A has a value",
        ),
        (
            target().with_secret_header("X-A", "", "TOKEN"),
            "X-A has a value",
        ),
    ];
    for (refused, reason) in refused {
        let error = refused.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(reason), "{shown} should say {reason}");
        assert!(!shown.contains("51f0c9a7e2"), "{shown}");
    }
}
