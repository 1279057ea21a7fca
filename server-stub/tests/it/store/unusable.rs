//! Databases that are not what is expected are rejected, with what is wrong and what to do, and left as they are.

use std::net::TcpListener;

use platform_server_stub::store::{Added, PostgresLedger, PostgresSettings};
use serde_json::json;
use tokio_postgres::Client;

use super::laws::{add, data, item, plan};
use super::postgres;

/// Why a database is rejected; `None` if it is opened.
async fn rejection(url: &str) -> Option<String> {
    let data = data(json!([item(5, 1)]), json!([]));
    let settings: PostgresSettings = match url.parse() {
        Ok(settings) => settings,
        Err(error) => return Some(error.to_string()),
    };
    let ledger = PostgresLedger::open(&settings, &data.fingerprint(), data.records()).await;
    ledger.err().map(|error| error.to_string())
}

async fn assert_rejected(url: &str, expected: &[&str]) {
    let error = rejection(url)
        .await
        .unwrap_or_else(|| panic!("{expected:?} was opened"));
    for part in expected {
        assert!(error.contains(part), "{part} is not in: {error}");
    }
    let password = url.split(':').nth(2).and_then(|rest| rest.split('@').next());
    if let Some(password) = password.filter(|password| password.len() > 3) {
        assert!(!error.contains(password), "the password is in: {error}");
    }
}

/// The URL of the server with another part instead of one of its own.
fn with(url: &str, part: &str, other: &str) -> String {
    assert!(url.contains(part), "{part} is not in the URL");
    url.replace(part, other)
}

/// The password of a URL, and its host with the port.
fn parts(url: &str) -> (&str, &str) {
    let (login, rest) = url.split_once('@').unwrap();
    (login.rsplit_once(':').unwrap().1, rest.split('/').next().unwrap())
}

/// A superuser in a new schema, and the URL of the schema.
async fn schema() -> Option<(Client, String)> {
    let url = postgres::schema_url().await?;
    Some((postgres::session(&url).await, url))
}

#[tokio::test]
async fn malformed_url_is_rejected() {
    for url in [
        "",
        "localhost",
        "mysql://u:hidden@h/d",
        "postgres://u:hidden@h:port/d",
        "postgres://u:hidden@h/d?secret=1",
    ] {
        assert_rejected(url, &["postgres://USER:PASSWORD@HOST:PORT/DATABASE"]).await;
    }
}

#[tokio::test]
async fn server_that_cannot_be_reached_is_named() {
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("postgres://user:hidden@{address}/platform");
    let place = format!("cannot reach database platform at {address} (");
    assert_rejected(&url, &[&place, "refused", "check that PostgreSQL runs there"]).await;
}

#[tokio::test]
async fn rejected_login_is_reported() {
    let Some(url) = postgres::url() else { return };
    let wrong = with(&url, parts(&url).0, "mistaken");
    assert_rejected(
        &wrong,
        &["rejects the login (password authentication failed", "pg_hba.conf"],
    )
    .await;
    let without = with(&url, &format!(":{}", parts(&url).0), "");
    assert_rejected(&without, &["rejects the login (", "password missing"]).await;
}

#[tokio::test]
async fn error_for_a_missing_database_explains_how_to_create_it() {
    let Some(url) = postgres::url() else { return };
    let name = postgres::name();
    let url = format!("{}/{name}", url.rsplit_once('/').unwrap().0);
    assert_rejected(&url, &[&format!("there is no database {name} at "), "CREATE DATABASE"]).await;
}

#[tokio::test]
async fn server_without_tls_is_rejected_if_tls_is_required() {
    let Some(url) = postgres::url() else { return };
    for mode in ["require", "verify-full", "verify-ca"] {
        let url = format!("{url}?sslmode={mode}");
        assert_rejected(&url, &["with TLS (", "server does not support TLS", "sslmode=disable"]).await;
    }
}

#[tokio::test]
async fn missing_privileges_are_named() {
    let Some((session, url)) = schema().await else { return };
    let user = postgres::name();
    let schema = url.rsplit_once("%3D").unwrap().1;
    let grant = format!("CREATE USER {user} PASSWORD 'modest'; GRANT USAGE ON SCHEMA {schema} TO {user}");
    session.batch_execute(&grant).await.unwrap();
    let (password, host) = parts(&url);
    let other = with(
        &url,
        &format!("postgres:{password}@{host}"),
        &format!("{user}:modest@{host}"),
    );
    assert_rejected(
        &other,
        &[
            "lacks a privilege",
            "permission denied for schema",
            "GRANT CREATE, USAGE",
        ],
    )
    .await;
    session
        .batch_execute(&format!("GRANT CREATE ON SCHEMA {schema} TO {user}"))
        .await
        .unwrap();
    assert_eq!(rejection(&other).await, None);
}

#[tokio::test]
async fn replica_is_rejected() {
    let Some(url) = postgres::schema_url().await else {
        return;
    };
    let url = url + "%20-cdefault_transaction_read_only%3Don";
    assert_rejected(&url, &["is read-only (", "use the primary server"]).await;
}

#[tokio::test]
async fn search_path_without_a_schema_is_rejected() {
    let Some(url) = postgres::url() else { return };
    let url = format!("{url}?options=-csearch_path%3D{}", postgres::name());
    assert_rejected(&url, &["names no schema that exists", "CREATE SCHEMA"]).await;
}

#[tokio::test]
async fn tables_of_other_programs_are_rejected_and_left_alone() {
    for table in [
        "CREATE TABLE customer (id integer)",
        "CREATE TABLE platform_server_stub (id integer)",
    ] {
        let Some((session, url)) = schema().await else { return };
        session.batch_execute(table).await.unwrap();
        assert_rejected(
            &url,
            &["holds tables of another program", "?options=-csearch_path%3DNAME"],
        )
        .await;
        let count = "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace";
        let count: i64 = session.query_one(count, &[]).await.unwrap().get(0);
        assert_eq!(count, 1);
    }
}

#[tokio::test]
async fn database_of_a_later_version_is_rejected() {
    let Some((session, url)) = schema().await else { return };
    assert_eq!(rejection(&url).await, None);
    session
        .batch_execute("UPDATE platform_server_stub SET format = 99")
        .await
        .unwrap();
    assert_rejected(&url, &["has format 99", "use the version that wrote it"]).await;
}

#[tokio::test]
async fn database_of_other_data_is_rejected() {
    let Some((session, url)) = schema().await else { return };
    assert_eq!(rejection(&url).await, None);
    assert_eq!(rejection(&url).await, None, "it is opened again");
    session
        .batch_execute("UPDATE platform_server_stub SET data = 'other'")
        .await
        .unwrap();
    assert_rejected(&url, &["was created with other data", "use another database or schema"]).await;
}

#[tokio::test]
async fn too_old_server_is_rejected() {
    let Some((session, url)) = schema().await else { return };
    // Found before the one of the system, because the search path names it first.
    let older = "CREATE FUNCTION current_setting(name text) RETURNS text LANGUAGE sql AS \
         $$ SELECT CASE name WHEN 'server_version_num' THEN '150004' ELSE '15.4' END $$";
    session.batch_execute(older).await.unwrap();
    assert_rejected(
        &(url + ",pg_catalog"),
        &["is PostgreSQL 15.4; the server needs 16 or later"],
    )
    .await;
}

#[tokio::test]
async fn database_that_cannot_store_every_text_is_rejected() {
    let Some(url) = postgres::url() else { return };
    let name = postgres::name();
    let create = format!("CREATE DATABASE {name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    postgres::session(&url).await.batch_execute(&create).await.unwrap();
    let url = format!("{}/{name}", url.rsplit_once('/').unwrap().0);
    assert_rejected(&url, &["has the encoding LATIN1", "ENCODING 'UTF8'"]).await;
}

#[tokio::test]
async fn database_with_stricter_isolation_works() {
    let Some(url) = postgres::schema_url().await else {
        return;
    };
    let url = url + "%20-cdefault_transaction_isolation%3Dserializable";
    let settings: PostgresSettings = url.parse().unwrap();
    let open = async || PostgresLedger::open(&settings, "data", []).await.unwrap();
    let (first, second) = (open().await, open().await);
    let adds = (1..=9).flat_map(|organization| [(&first, organization), (&second, organization)]);
    let adds = adds.map(async |(ledger, organization)| add(ledger, 2, organization, plan(&[1])).await);
    let added = futures::future::join_all(adds).await.into_iter().map(Result::unwrap);
    assert_eq!(added.filter(|added| matches!(added, Added::New(_))).count(), 9);
}

#[tokio::test]
async fn database_without_pgvector_cannot_search() {
    let Some(url) = postgres::url() else { return };
    let (name, user) = (postgres::name(), postgres::name());
    let session = postgres::session(&url).await;
    session.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    session
        .batch_execute(&format!("CREATE USER {user} PASSWORD 'modest'"))
        .await
        .unwrap();
    let (password, host) = parts(&url);
    let there = format!("{}/{name}", url.rsplit_once('/').unwrap().0);
    let schema = format!("CREATE SCHEMA {user} AUTHORIZATION {user}");
    postgres::session(&there).await.batch_execute(&schema).await.unwrap();
    // It may create tables, and no extensions.
    let modest = with(
        &there,
        &format!("postgres:{password}@{host}"),
        &format!("{user}:modest@{host}"),
    );
    let data = data(json!([]), json!([]));
    let settings: PostgresSettings = modest.parse().unwrap();
    let ledger = PostgresLedger::open(&settings, &data.fingerprint(), []).await.unwrap();
    let error = ledger.searches(data.catalogue().clone()).await.unwrap_err().to_string();
    for part in [
        "has no pgvector (permission denied to create extension",
        "CREATE EXTENSION vector",
        "search in memory",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let superuser = "CREATE EXTENSION vector";
    postgres::session(&there).await.batch_execute(superuser).await.unwrap();
    assert!(ledger.searches(data.catalogue().clone()).await.is_ok());
    assert!(ledger.searches(data.catalogue().clone()).await.is_ok(), "a second time");
}
