//! The format of the tables: who made them, for which data, and how an earlier format becomes the current one.

use deadpool_postgres::{Object, Transaction};
use tokio_postgres::Row;

use super::copy;
use super::error::{EARLIEST_SERVER, PostgresError};
use crate::store::ledger::Record;

/// What leads from each format to the next, starting from an empty schema. What was released is never changed; a change
/// of the tables is one more entry.
const MIGRATIONS: [&str; 1] = [include_str!("ledger.sql")];

/// The format of the tables and of their contents.
pub(super) const FORMAT: i32 = MIGRATIONS.len() as i32;

/// Identifies this server among those that may lock something in a database.
pub(super) const LOCK: i64 = 0x706c_6174_7374_7562;

/// Makes a database ready: creates the tables with the records of the data set, or migrates and checks what is there.
/// Several servers may do so at once. `place` names the database in errors.
pub(super) async fn prepare(
    client: &mut Object,
    place: &str,
    data: &str,
    seed: impl IntoIterator<Item = Record>,
) -> Result<(), PostgresError> {
    let failed = |error| PostgresError::of(place, &error);
    check(client, place).await?;
    let transaction = client.transaction().await.map_err(failed)?;
    // A large data set, or another server that enters one, takes longer than a request may.
    let patient = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
         SET LOCAL idle_in_transaction_session_timeout = 0";
    transaction.batch_execute(patient).await.map_err(failed)?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    transaction.execute(lock, &[&LOCK]).await.map_err(failed)?;
    match found(&transaction, place).await? {
        Found::Nothing => {
            migrate(&transaction, place, 0).await?;
            let about = "INSERT INTO platform_server_stub (format, data) VALUES ($1, $2)";
            transaction.execute(about, &[&FORMAT, &data]).await.map_err(failed)?;
            let records: Vec<_> = seed.into_iter().collect();
            copy::fill(&transaction, &records).await.map_err(failed)?;
        }
        Found::Format(found) if found > FORMAT => {
            let place = place.to_owned();
            return Err(PostgresError::LaterFormat { place, found });
        }
        Found::Format(found) => {
            let about = "SELECT data FROM platform_server_stub FOR UPDATE";
            let about = transaction.query_one(about, &[]).await.map_err(failed)?;
            if about.try_get::<_, &str>(0).map_err(failed)? != data {
                let place = place.to_owned();
                return Err(PostgresError::OtherData { place });
            }
            migrate(&transaction, place, found).await?;
        }
    }
    transaction.commit().await.map_err(failed)
}

/// What the schema holds.
enum Found {
    Nothing,
    Format(i32),
}

/// Checks what a database cannot change.
async fn check(client: &Object, place: &str) -> Result<(), PostgresError> {
    let failed = |error| PostgresError::of(place, &error);
    let version = "SELECT current_setting('server_version_num')::integer / 10000, current_setting('server_version')";
    let version = client.query_one(version, &[]).await.map_err(failed)?;
    let (major, found): (i32, String) = pair(&version).map_err(failed)?;
    if major < EARLIEST_SERVER {
        let place = place.to_owned();
        return Err(PostgresError::OldServer { place, found });
    }
    let encoding = client.query_one("SHOW server_encoding", &[]).await;
    let found: String = encoding.and_then(|row| row.try_get(0)).map_err(failed)?;
    if found != "UTF8" {
        let place = place.to_owned();
        return Err(PostgresError::Encoding { place, found });
    }
    Ok(())
}

async fn found(transaction: &Transaction<'_>, place: &str) -> Result<Found, PostgresError> {
    let failed = |error| PostgresError::of(place, &error);
    let schema = transaction.query_one("SELECT current_schema()", &[]).await;
    let schema: Option<String> = schema.and_then(|row| row.try_get(0)).map_err(failed)?;
    let Some(schema) = schema else {
        let place = place.to_owned();
        return Err(PostgresError::NoSchema { place });
    };
    // Tables, views and sequences, except those of extensions; and whether ours is among them.
    let tables = "SELECT count(*), count(*) FILTER (WHERE relname = 'platform_server_stub') \
         FROM pg_class WHERE relnamespace = $1::text::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f') \
         AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid \
         AND deptype = 'e')";
    let quoted = format!("\"{}\"", schema.replace('"', "\"\""));
    let tables = transaction.query_one(tables, &[&quoted]).await.map_err(failed)?;
    let (all, ours): (i64, i64) = pair(&tables).map_err(failed)?;
    if all == 0 {
        return Ok(Found::Nothing);
    }
    let foreign = || PostgresError::Foreign {
        place: place.to_owned(),
        schema: schema.clone(),
    };
    if ours == 0 {
        return Err(foreign());
    }
    let format = transaction
        .query_opt("SELECT format FROM platform_server_stub", &[])
        .await;
    let format = format.map_err(|error| match error.code() {
        Some(&tokio_postgres::error::SqlState::UNDEFINED_COLUMN) => foreign(),
        _ => failed(error),
    })?;
    let format = format.and_then(|row| row.try_get(0).ok());
    format.map(Found::Format).ok_or_else(foreign)
}

/// Takes the tables from a format to the current one.
async fn migrate(transaction: &Transaction<'_>, place: &str, from: i32) -> Result<(), PostgresError> {
    let failed = |error| PostgresError::of(place, &error);
    let done = usize::try_from(from).unwrap_or_default();
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.batch_execute(migration).await.map_err(failed)?;
    }
    if 0 < from && from < FORMAT {
        let about = "UPDATE platform_server_stub SET format = $1";
        transaction.execute(about, &[&FORMAT]).await.map_err(failed)?;
    }
    Ok(())
}

fn pair<'a, A, B>(row: &'a Row) -> Result<(A, B), tokio_postgres::Error>
where
    A: tokio_postgres::types::FromSql<'a>,
    B: tokio_postgres::types::FromSql<'a>,
{
    Ok((row.try_get(0)?, row.try_get(1)?))
}
