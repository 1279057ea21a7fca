//! The connections to the database: how they are secured, limited and given up.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::error::PostgresError;
use super::settings::PostgresSettings;

/// How long to wait for a new connection.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a caller waits while all connections are in use.
const WAIT: Duration = Duration::from_secs(5);
/// After how long without an acknowledgement a connection is given up.
const SILENCE: Duration = Duration::from_secs(10);

/// What every session sets. A server that freezes or is cut off within a transaction would block the additions of all
/// others, so the database ends its session. The functions rely on seeing what others have committed meanwhile, which
/// stricter isolation would hide.
const SESSION: &str = "SET statement_timeout = '10s'; SET lock_timeout = '5s'; \
     SET idle_in_transaction_session_timeout = '10s'; SET client_min_messages = 'warning'; \
     SET default_transaction_isolation = 'read committed'";

/// A pool of connections. None is open yet.
pub(super) fn pool(settings: &PostgresSettings) -> Result<Pool, PostgresError> {
    let mut config = settings.config.clone();
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("platform-server-stub");
    }
    let tls = MakeRustlsConnect::new(tls(settings)?);
    let recycling = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let pool = Pool::builder(Manager::from_config(config, tls, recycling))
        .max_size(settings.connections)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        // Several addresses and TLS take longer than one attempt.
        .create_timeout(Some(CONNECT * 2))
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
        }));
    pool.build().map_err(|error| PostgresError::Failed {
        place: settings.to_string(),
        reason: error.to_string(),
    })
}

/// TLS that verifies the server's certificate and name.
fn tls(settings: &PostgresSettings) -> Result<ClientConfig, PostgresError> {
    let failed = |reason: String| PostgresError::Tls {
        place: settings.to_string(),
        reason,
    };
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| failed(error.to_string()))?;
    if let Some(pem) = &settings.authority {
        return Ok(builder.with_root_certificates(authorities(pem)?).with_no_client_auth());
    }
    match builder.clone().with_platform_verifier() {
        Ok(builder) => Ok(builder.with_no_client_auth()),
        // A system without certificates can still connect without TLS.
        Err(_) if settings.config.get_ssl_mode() != SslMode::Require => {
            let none = RootCertStore::empty();
            Ok(builder.with_root_certificates(none).with_no_client_auth())
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

fn authorities(pem: &[u8]) -> Result<RootCertStore, PostgresError> {
    let invalid = |reason: String| PostgresError::InvalidAuthority(reason);
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| invalid(error.to_string()))?;
        roots.add(certificate).map_err(|error| invalid(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(invalid("it contains none".to_owned()));
    }
    Ok(roots)
}
