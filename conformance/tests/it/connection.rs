//! Connections to a deployment: a path prefix, a private certificate authority, a proxy, headers for a gateway. The
//! cases run through each of them, and so does a printed curl command.

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
use platform_conformance::report::{Format, Silent};
use platform_conformance::{
    ApiKey, Options, PipelineRole, Report, Role, SomePipelines, Target, Verdict, catalogue, exit_code, run,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tower::ServiceExt;

use crate::served;

/// A host that no name server knows, which only a proxy can reach.
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
    run(catalogue(), target, &options, &mut Silent).await.unwrap()
}

pub(crate) fn assert_all_passed(report: &Report) {
    let left = report.cases.iter().find(|case| case.verdict != Verdict::Passed);
    assert!(left.is_none() && report.cases.len() > 5, "{left:#?}");
}

pub(crate) fn with_key(target: Target) -> Target {
    let keys = [
        (Role::FullAccess, "dev-full-access"),
        (Role::ReadOnly, "dev-read-only"),
        (Role::NoAccess, "dev-no-access"),
        (Role::OnePipeline, "dev-one-pipeline"),
        (Role::CreateOnly, "dev-create-only"),
        (Role::WritableOnly, "dev-writable-only"),
        (Role::OrganizationsOnly, "dev-organizations-only"),
        (Role::SomePipelines, "dev-some-pipelines"),
    ];
    // The pipelines that the keys are for.
    let some = SomePipelines {
        reads: vec![2, 4, 5],
        adds: vec![5],
    };
    let target = target
        .with_some_pipelines(some)
        .with_pipeline(PipelineRole::Other, 2)
        .with_pipeline(PipelineRole::Writable, 6);
    keys.into_iter().fold(target, |target, (role, key)| {
        target.with_key(role, ApiKey::new(key, role.variable()).unwrap())
    })
}

#[tokio::test]
async fn deployment_below_a_path_is_checked() {
    let router = Router::new().nest("/eu/platform", crate::served::router());
    let base_url = format!("http://{}/eu/platform/", served::address(router).await);
    let options = Options {
        only: ["limit/*", "auth/*", "error/*", "header/*", "schema/*", "search-text/*"]
            .map(Into::into)
            .into(),
        ..Options::default()
    };
    let target = with_key(Target::new(&base_url).unwrap());
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_eq!(report.summary.failed, 0, "{report:#?}");
    assert!(report.summary.passed > 50, "{:?}", report.summary);
}

/// A certificate authority, and a server with a certificate that it issued.
pub(crate) struct Tls {
    pub(crate) address: SocketAddr,
    directory: TempDir,
}

impl Tls {
    /// Serves the reference server.
    pub(crate) async fn start(host: &str) -> Self {
        Self::serve(host, false).await
    }

    /// Serves the reference server to clients that have a certificate of the authority.
    pub(crate) async fn start_for_clients(host: &str) -> Self {
        Self::serve(host, true).await
    }

    async fn serve(host: &str, asks: bool) -> Self {
        let authority = authority();
        let client_key = KeyPair::generate().unwrap();
        let client = CertificateParams::new(["kit".to_owned()]).unwrap();
        let client = client.signed_by(&client_key, &authority).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([host.to_owned()]).unwrap();
        let certificate = certificate.signed_by(&key, &authority).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder();
        let config = match asks {
            false => config.with_no_client_auth(),
            true => {
                let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build();
                config.with_client_cert_verifier(verifier.unwrap())
            }
        };
        let config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let plain = served::address(crate::served::router()).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    // A client that does not trust the server closes the connection.
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
        let client = pem_of("CERTIFICATE", client.der());
        let client_key = pem_of("PRIVATE KEY", &client_key.serialize_der());
        let other_key = KeyPair::generate().unwrap().serialize_der();
        for (name, text) in [
            ("client.pem", client.clone()),
            ("client-key.pem", client_key.clone()),
            ("both.pem", format!("{client_key}{client}")),
            ("other-key.pem", pem_of("PRIVATE KEY", &other_key)),
        ] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        Self { address, directory }
    }

    /// The certificates of an unrelated authority and of this one.
    pub(crate) fn ca_file(&self) -> PathBuf {
        self.file("ca.pem")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap()
}

fn pem(authority: &CertifiedIssuer<'_, KeyPair>) -> String {
    pem_of("CERTIFICATE", authority.der())
}

fn pem_of(label: &str, der: &[u8]) -> String {
    let der = BASE64_STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{der}\n-----END {label}-----\n")
}

#[tokio::test]
async fn client_certificate_is_sent_on_request() {
    let tls = Tls::start_for_clients("localhost").await;
    let target = Target::new(&format!("https://localhost:{}", tls.address.port()))
        .and_then(|target| target.with_ca_file(tls.ca_file()))
        .unwrap();
    let target = with_key(target);
    let report = run_some(&target).await;
    let sentence = report.obstacle().unwrap();
    let wanted = "asks for a client certificate: name one with --client-cert and --client-key";
    assert!(sentence.contains(wanted), "{sentence}");
    for (certificate, key) in [("client.pem", Some(tls.file("client-key.pem"))), ("both.pem", None)] {
        let known = target.clone();
        let known = known.with_client_certificate(tls.file(certificate), key.as_ref());
        assert_all_passed(&run_some(&known.unwrap()).await);
    }
    // The certificate of another authority.
    let other = Tls::start_for_clients("localhost").await;
    let foreign = target.with_client_certificate(other.file("both.pem"), None::<&PathBuf>);
    let report = run_some(&foreign.unwrap()).await;
    let sentence = report.obstacle().unwrap();
    let wanted = "name one that it accepts with --client-cert and --client-key";
    assert!(
        sentence.contains("the client certificate") && sentence.ends_with(wanted),
        "{sentence}"
    );
}

#[tokio::test]
async fn target_file_names_the_client_certificate_and_may_be_insecure() {
    let tls = Tls::start_for_clients("other.example").await;
    let file = tls.file("target.toml");
    let read = |more: &str| {
        let port = tls.address.port();
        let text = format!("base_url = 'https://localhost:{port}'\n{more}\n");
        std::fs::write(&file, text).unwrap();
        Target::read(&file, None, |_| None).map(with_key)
    };
    let files = "client_cert = 'client.pem'\nclient_key = 'client-key.pem'";
    let report = run_some(&read(files).unwrap()).await;
    assert!(report.obstacle().unwrap().contains("is not trusted"));
    assert_eq!(report.target.warnings, Vec::<String>::new());
    let insecure = format!("{files}\ninsecure = true");
    let report = run_some(&read(&insecure).unwrap()).await;
    assert_all_passed(&report);
    assert_eq!(report.target.warnings.len(), 1);
    let error = read("client_key = 'client-key.pem'").unwrap_err();
    assert!(error.to_string().contains("client_key needs client_cert"), "{error}");
    let error = read("insecure = 'yes'").unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
}

/// The program on a deployment whose certificate is for another host.
fn insecure(command: &str, tls: &Tls, more: &[&str]) -> std::process::Output {
    let base_url = format!("https://localhost:{}", tls.address.port());
    std::process::Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
        .args([command, "--base-url", &base_url])
        .args(more)
        .current_dir(tls.directory.path())
        .env("PLATFORM_API_KEY", "dev-full-access")
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn insecure_run_warns_at_the_start_and_in_every_report() {
    const WARNING: &str = "TLS certificates are not verified";
    let tls = Tls::start("other.example").await;
    let output = insecure("run", &tls, &["--only", "limit/*"]);
    assert_eq!(output.status.code(), Some(i32::from(exit_code::COULD_NOT_RUN)));
    let mut arguments = vec!["--insecure".to_owned(), "--only".to_owned(), "limit/*".to_owned()];
    for format in Format::ALL {
        arguments.extend(["--report".to_owned(), format!("{format}=report.{format}")]);
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let output = insecure("run", &tls, &arguments);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(i32::from(exit_code::PASSED)), "{shown}");
    let (first, _) = shown.split_once("8 of 8").unwrap_or((&shown, ""));
    assert!(first.contains(&format!("warning: {WARNING}")), "{shown}");
    for format in Format::ALL {
        let written = std::fs::read_to_string(tls.file(&format!("report.{format}"))).unwrap();
        assert!(written.contains(WARNING), "{format}");
    }
    let output = insecure("run", &tls, &["--insecure", "--dry-run"]);
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains(&format!("warning: {WARNING}"))
    );
    let output = insecure("probe", &tls, &["--insecure", "--point", "list-limit-*"]);
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(shown.starts_with(&format!("warning: {WARNING}")), "{shown}");
    let output = insecure("init", &tls, &["--insecure", "--out", "drafted.toml"]);
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(shown.starts_with(&format!("warning: {WARNING}")), "{shown}");
    let draft = std::fs::read_to_string(tls.file("drafted.toml")).unwrap();
    assert!(draft.contains("\ninsecure = true"), "{draft}");
}

#[tokio::test]
async fn curl_command_uses_the_same_certificates() {
    let tls = Tls::start(NOWHERE).await;
    let broken = Router::new().fallback(|| async { StatusCode::IM_A_TEAPOT });
    let target = with_key(served::target(broken).await)
        .with_client_certificate(tls.file("client.pem"), Some(tls.file("client-key.pem")))
        .unwrap()
        .insecure();
    let report = run_some(&target).await;
    let findings = report.cases.iter().flat_map(|case| &case.findings);
    let lines: Vec<_> = findings.flat_map(|finding| &finding.requests).collect();
    let way = format!(
        "curl -isS --cert '{}' --key '{}' --insecure ",
        tls.file("client.pem").display(),
        tls.file("client-key.pem").display()
    );
    assert!(lines.len() > 10);
    for line in lines {
        assert!(line.starts_with(&way), "{line}");
    }
    let key = std::fs::read_to_string(tls.file("client-key.pem")).unwrap();
    let key = &key.lines().nth(1).unwrap()[..40];
    assert!(!format!("{target:?} {report:?}").contains(key));
}

#[tokio::test]
async fn unusable_client_certificate_is_rejected_without_being_repeated() {
    let tls = Tls::start(NOWHERE).await;
    let target = || Target::new("https://staging.example").unwrap();
    let with = |certificate: &str, key: Option<&str>| {
        let key = key.map(|key| tls.file(key));
        let error = target().with_client_certificate(tls.file(certificate), key);
        let error = error.unwrap_err();
        format!("{error} {error:?}")
    };
    let text = "-----BEGIN PRIVATE KEY-----\nNTFmMGM5YTdlMg==\n-----END PRIVATE KEY-----\n";
    std::fs::write(tls.file("broken-key.pem"), text).unwrap();
    for (certificate, key, reason) in [
        ("none.pem", None, "none.pem could not be read"),
        ("client.pem", Some("none.pem"), "none.pem could not be read"),
        ("client.pem", None, "name the file of the key"),
        ("client-key.pem", None, "needs a certificate"),
        ("client.pem", Some("other-key.pem"), "do not belong together"),
        ("client.pem", Some("broken-key.pem"), "do not belong together"),
    ] {
        let error = with(certificate, key);
        assert!(error.contains(reason), "{error} should say {reason}");
        assert!(!error.contains("NTFmMGM5YTdlMg"), "{error}");
    }
}

#[tokio::test]
async fn private_authority_is_trusted_if_it_is_named() {
    let tls = Tls::start("localhost").await;
    let target = Target::new(&format!("https://localhost:{}", tls.address.port())).unwrap();
    let target = with_key(target);
    let report = run_some(&target).await;
    assert_eq!(report.summary.errored, report.cases.len(), "{report:#?}");
    let target = target.with_ca_file(tls.ca_file()).unwrap();
    assert_all_passed(&run_some(&target).await);
}

#[tokio::test]
async fn ca_file_is_relative_to_the_target_file() {
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
    let router = crate::served::router();
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
    let target = target.with_proxy_credentials(CREDENTIALS, "PROXY_CREDENTIALS").unwrap();
    assert_all_passed(&run_some(&target).await);
}

/// A proxy that opens tunnels to one address, whatever the requested host, for clients with the credentials.
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
                let known = head.contains(&format!("proxy-authorization: {}\r\n", ENCODED.to_ascii_lowercase()));
                if !known || !head.starts_with(&format!("connect {NOWHERE}:443 ")) {
                    let rejection = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
                    stream.write_all(rejection).await.unwrap();
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
    let target = target.with_proxy_credentials(CREDENTIALS, "PROXY_CREDENTIALS").unwrap();
    assert_all_passed(&run_some(&target).await);
}

/// Accepts requests with the headers of a gateway, each sent once.
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
    let router = crate::served::router().layer(middleware::from_fn(gateway));
    let target = served::target(router).await;
    let report = run_some(&target).await;
    assert_eq!(report.summary.passed, 0, "{report:#?}");
    let target = target
        .with_header("X-Environment", "production")
        .and_then(|target| target.with_header("x-environment", "staging"))
        .and_then(|target| target.with_secret_header("X-Gateway-Token", "gw-51f0c9a7e2", "GATEWAY_TOKEN"))
        .unwrap();
    assert_all_passed(&run_some(&target).await);
}

#[tokio::test]
async fn curl_command_uses_the_same_connection() {
    let tls = Tls::start(NOWHERE).await;
    let broken = Router::new().fallback(|| async { StatusCode::IM_A_TEAPOT });
    let proxy = served::address(broken).await;
    let target = with_key(Target::new(&format!("http://{NOWHERE}/eu")).unwrap())
        .with_ca_file(tls.ca_file())
        .and_then(|target| target.with_proxy(&format!("http://{proxy}")))
        .and_then(|target| target.with_proxy_credentials(CREDENTIALS, "PROXY_CREDENTIALS"))
        .and_then(|target| target.with_header("X-Environment", "it's staging"))
        .and_then(|target| target.with_secret_header("X-Gateway-Token", "gw-51f0c9a7e2", "GATEWAY_TOKEN"))
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
fn unsendable_header_value_is_rejected_without_being_repeated() {
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
    let invalid = [
        (
            target().with_ca_file("/nowhere/ca.pem"),
            "/nowhere/ca.pem could not be read",
        ),
        (target().with_ca_file(no_pem), "contains no certificate"),
        (target().with_ca_file(broken), "a certificate that cannot be read"),
        (target().with_proxy("proxy:3128"), "must be a URL"),
        (target().with_proxy("socks5://proxy:1080"), "must be a URL"),
        (
            target().with_proxy("http://kit:51f0c9a7e2@proxy"),
            "must not contain credentials",
        ),
        (target().with_proxy("http://proxy/51f0c9a7e2"), "host or port"),
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
        (target().with_header("Bearer 51f0c9a7e2", "b"), "needs a name"),
        (target().with_header("X-A", "51f0c9a7e2\r\nX-B: c"), "X-A has a value"),
        (target().with_secret_header("X-A", "", "TOKEN"), "X-A has a value"),
    ];
    for (invalid, reason) in invalid {
        let error = invalid.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(reason), "{shown} should say {reason}");
        assert!(!shown.contains("51f0c9a7e2"), "{shown}");
    }
}
