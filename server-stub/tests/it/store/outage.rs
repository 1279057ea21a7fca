//! A database that goes away and comes back, and one that is reached over TLS. Both are behind a proxy.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use platform_server_stub::Server;
use platform_server_stub::model::ids::PipelineItemId;
use platform_server_stub::model::store_error::StoreError;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;
use platform_server_stub::store::{Ledger, PostgresLedger, PostgresSettings};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tower::ServiceExt;

use super::laws::{data, item};
use super::postgres;

/// Passes connections on to the database. They end when it is dropped.
struct Proxy {
    address: SocketAddr,
    _connections: JoinSet<()>,
}

impl Proxy {
    /// On a free port, or on the port of an earlier one.
    async fn start(address: Option<SocketAddr>, database: String, tls: Option<TlsAcceptor>) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = TcpListener::bind(address.unwrap_or(any)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut connections = JoinSet::new();
        connections.spawn(async move {
            let mut passed = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let database = TcpStream::connect(&database).await.unwrap();
                match tls.clone() {
                    None => passed.spawn(pass(client, database)),
                    Some(tls) => passed.spawn(secured(tls, client, database)),
                };
            }
        });
        Self {
            address,
            _connections: connections,
        }
    }
}

async fn pass(mut client: impl AsyncRead + AsyncWrite + Unpin, mut database: TcpStream) {
    let _ = copy_bidirectional(&mut client, &mut database).await;
}

/// Takes the request for TLS that a client begins with, and no other.
async fn secured(tls: TlsAcceptor, mut client: TcpStream, database: TcpStream) {
    let mut request = [0; 8];
    client.read_exact(&mut request).await.unwrap();
    if request == [0, 0, 0, 8, 4, 210, 22, 47] {
        client.write_all(b"S").await.unwrap();
        if let Ok(client) = tls.accept(client).await {
            pass(client, database).await;
        }
    }
}

/// The address of the database server, and the URL of a new schema by way of another address.
async fn schema() -> Option<(String, impl Fn(&str) -> String)> {
    let url = postgres::schema_url().await?;
    let database = url.split(['@', '/']).nth(3).unwrap().to_owned();
    let there = database.clone();
    Some((database, move |address: &str| url.replace(&there, address)))
}

async fn opened(url: &str) -> PostgresLedger {
    let data = data(json!([item(5, 1)]), json!([]));
    let settings: PostgresSettings = url.parse().unwrap();
    PostgresLedger::open(&settings, &data.fingerprint(), data.records())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_fail_only_while_the_database_is_away() {
    let Some((database, url)) = schema().await else { return };
    let proxy = Proxy::start(None, database.clone(), None).await;
    let address = proxy.address;
    let data = Arc::new(data(json!([item(5, 1)]), json!([])));
    let settings: PostgresSettings = url(&address.to_string()).parse().unwrap();
    let platform = Platform::with_postgres(data, Arc::new(SystemClock), &settings)
        .await
        .unwrap();
    let router = Server::new(platform.clone()).router();
    let get = async |path: &str| {
        let request = Request::get(path).header("API-Key", "dev-full-access");
        let response = router
            .clone()
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap();
        let retry_after = response.headers().get("Retry-After").cloned();
        let body = axum::body::to_bytes(response.into_body(), 65_536).await.unwrap();
        (retry_after, String::from_utf8(body.to_vec()).unwrap())
    };
    let status = "/api/v1/pipelines/2/items/5/status";
    assert!(get(status).await.1.contains(r#""is_ready":true"#));
    drop(proxy);
    let ready = platform.ready().await;
    assert!(matches!(ready, Err(StoreError::Unavailable(_))), "{ready:?}");
    let (retry_after, problem) = get(status).await;
    assert!(
        problem.contains(r#""status":503"#) && problem.contains("cannot reach its storage"),
        "{problem}"
    );
    assert_eq!(retry_after.unwrap(), "1");
    assert!(get("/readyz").await.1.contains("The store is not ready"));
    let _proxy = Proxy::start(Some(address), database, None).await;
    assert!(platform.ready().await.is_ok());
    assert!(get(status).await.1.contains(r#""is_ready":true"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_is_verified_over_tls() {
    let Some((database, url)) = schema().await else { return };
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let proxy = Proxy::start(None, database, Some(TlsAcceptor::from(Arc::new(config)))).await;
    let url = |host: &str, mode: &str| {
        let url = url(&format!("{host}:{}", proxy.address.port()));
        url + "&sslmode=" + mode
    };
    let open = async |url: String, authority: Option<&str>| {
        let data = data(json!([item(5, 1)]), json!([]));
        let settings: PostgresSettings = url.parse().unwrap();
        let settings = match authority {
            Some(pem) => settings.with_authority(pem),
            None => settings,
        };
        let ledger = PostgresLedger::open(&settings, &data.fingerprint(), data.records()).await;
        ledger.map_err(|error| error.to_string())
    };
    let authority = made.cert.pem();
    for mode in ["prefer", "require", "verify-full"] {
        let ledger = open(url("localhost", mode), Some(&authority)).await.unwrap();
        let item = ledger.item(PipelineItemId::new(5).unwrap()).await.unwrap();
        assert!(item.is_some(), "{mode}");
    }
    let stranger = open(url("localhost", "require"), None).await.unwrap_err();
    assert!(
        stranger.contains("with TLS (") && stranger.contains("trust the authority"),
        "{stranger}"
    );
    let other_name = open(url("127.0.0.1", "require"), Some(&authority)).await.unwrap_err();
    assert!(other_name.contains("not valid for name"), "{other_name}");
    let no_authority = open(url("localhost", "require"), Some("none")).await.unwrap_err();
    assert!(no_authority.contains("is not a PEM certificate"), "{no_authority}");
}

#[tokio::test(flavor = "multi_thread")]
async fn error_of_the_database_is_not_an_outage() {
    let Some((database, url)) = schema().await else { return };
    let url = url(&database);
    let ledger = opened(&url).await;
    let session = postgres::session(&url).await;
    session.batch_execute("ALTER TABLE item RENAME TO lost").await.unwrap();
    let item = ledger.item(PipelineItemId::new(5).unwrap()).await;
    assert!(matches!(item, Err(StoreError::Storage(_))), "{item:?}");
    session
        .batch_execute("UPDATE platform_server_stub SET format = 99")
        .await
        .unwrap();
    let Err(StoreError::Storage(reason)) = ledger.ready().await else {
        panic!("it is ready");
    };
    assert!(reason.to_string().contains("restart the server"), "{reason}");
}
