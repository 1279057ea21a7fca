//! The PostgreSQL that tests use, if there is one.

use std::env;
use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use platform_server_stub::store::PostgresSettings;
use tokio_postgres::{Client, Config, NoTls};

/// The URL of a server whose databases the tests may change, with a superuser.
const VARIABLE: &str = "PLATFORM_TEST_POSTGRES";

/// Whether there is a server to test with. Where there is none, a line says so once.
pub(super) fn is_there() -> bool {
    static SAID: Once = Once::new();
    let is_there = env::var_os(VARIABLE).is_some();
    if !is_there {
        SAID.call_once(|| {
            // Not by a macro whose output the tests capture.
            let _ = writeln!(
                std::io::stderr(),
                "{VARIABLE} is not set, so the PostgreSQL store is not tested; to test it: .ci/postgres cargo test"
            );
        });
    }
    is_there
}

/// The URL of the server; `None` if there is none.
pub(super) fn url() -> Option<String> {
    is_there().then(|| env::var(VARIABLE).unwrap())
}

/// A session of the superuser.
pub(super) async fn session(url: &str) -> Client {
    let config: Config = url.parse().unwrap();
    let (client, connection) = config.connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// A new name on the server, for a schema, a database or a user.
pub(super) fn name() -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("test_{}_{number}", std::process::id())
}

/// The URL of a new, empty schema; `None` if there is no server.
pub(super) async fn schema_url() -> Option<String> {
    let (url, name) = (url()?, name());
    let session = session(&url).await;
    session.batch_execute(&format!("CREATE SCHEMA {name}")).await.unwrap();
    Some(format!("{url}?options=-csearch_path%3D{name}"))
}

/// A new, empty schema; `None` if there is no server.
pub(super) async fn schema() -> Option<PostgresSettings> {
    let url = schema_url().await?;
    let settings: PostgresSettings = url.parse().unwrap();
    Some(settings.with_connections(4))
}
