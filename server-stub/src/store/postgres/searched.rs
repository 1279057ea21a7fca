//! Fills the tables of searched records.

use std::collections::BTreeSet;
use std::pin::{Pin, pin};

use chrono::Datelike;
use deadpool_postgres::{Object, Transaction};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::catalogue::components;
use super::error::PostgresError;
use super::format::LOCK;
use crate::model::organization::{Address, Organization};
use crate::model::search::Meaning;
use crate::store::memory::MemoryCatalogue;

/// The format of the tables.
const FORMAT: i32 = 1;

/// Makes the tables hold these records, which `data` identifies, and returns the schema of pgvector, quoted. `place`
/// names the database in errors.
pub(super) async fn prepare(
    client: &mut Object,
    place: &str,
    data: &str,
    records: &MemoryCatalogue,
) -> Result<String, PostgresError> {
    let failed = |error| PostgresError::of(place, &error);
    let transaction = client.transaction().await.map_err(failed)?;
    let patient = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; \
         SET LOCAL idle_in_transaction_session_timeout = 0";
    transaction.batch_execute(patient).await.map_err(failed)?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    transaction.execute(lock, &[&LOCK]).await.map_err(failed)?;
    let vectors = extension(&transaction, place).await?;
    if !is_there(&transaction, data).await.map_err(failed)? {
        fill(&transaction, &vectors, data, records).await.map_err(failed)?;
    }
    transaction.commit().await.map_err(failed)?;
    Ok(vectors)
}

/// The schema of pgvector, which is added to the database if it is not there.
async fn extension(transaction: &Transaction<'_>, place: &str) -> Result<String, PostgresError> {
    let failed = |error| PostgresError::of(place, &error);
    let create = "CREATE EXTENSION IF NOT EXISTS vector";
    transaction
        .batch_execute(create)
        .await
        .map_err(|error| match error.as_db_error() {
            Some(reported) => PostgresError::NoVector {
                place: place.to_owned(),
                reason: reported.message().to_owned(),
            },
            None => failed(error),
        })?;
    let schema = "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace \
         WHERE extname = 'vector'";
    let schema = transaction.query_one(schema, &[]).await.map_err(failed)?;
    schema.try_get(0).map_err(failed)
}

/// Whether the tables hold what this data needs. They are removed if they do not.
async fn is_there(transaction: &Transaction<'_>, data: &str) -> Result<bool, tokio_postgres::Error> {
    let there = "SELECT to_regclass(quote_ident(current_schema()) || '.searched') IS NOT NULL";
    if !transaction.query_one(there, &[]).await?.try_get::<_, bool>(0)? {
        return Ok(false);
    }
    let same = "SELECT FROM searched WHERE format = $1 AND data = $2";
    if transaction.query_opt(same, &[&FORMAT, &data]).await?.is_some() {
        return Ok(true);
    }
    let drop = "DROP TABLE searched, searched_organization, searched_product";
    transaction.batch_execute(drop).await?;
    Ok(false)
}

async fn fill(
    transaction: &Transaction<'_>,
    vectors: &str,
    data: &str,
    records: &MemoryCatalogue,
) -> Result<(), tokio_postgres::Error> {
    let tables = include_str!("catalogue.sql").replace(" vector(", &format!(" {vectors}.vector("));
    transaction.batch_execute(&tables).await?;
    // The number of the type depends on the database.
    let vector = transaction.prepare(&format!("SELECT NULL::{vectors}.vector")).await?;
    let vector = vector.columns()[0].type_().clone();
    let mut writer = pin!(writer(transaction, "searched_organization", &vector).await?);
    for known in records.organizations() {
        let id = known.organization.organization_id.get();
        write(
            writer.as_mut(),
            id,
            &known.meaning,
            &known.organization,
            &known.categories,
        )
        .await?;
    }
    writer.finish().await?;
    let mut writer = pin!(self::writer(transaction, "searched_product", &vector).await?);
    for known in records.products() {
        let id = known.product.product_id.get();
        write(
            writer.as_mut(),
            id,
            &known.meaning,
            &known.organization,
            &known.categories,
        )
        .await?;
    }
    writer.finish().await?;
    transaction
        .batch_execute("ANALYZE searched_organization; ANALYZE searched_product")
        .await?;
    let about = "INSERT INTO searched (format, data) VALUES ($1, $2)";
    transaction.execute(about, &[&FORMAT, &data]).await?;
    Ok(())
}

async fn writer(
    transaction: &Transaction<'_>,
    table: &str,
    vector: &Type,
) -> Result<BinaryCopyInWriter, tokio_postgres::Error> {
    let types = [
        Type::INT8,
        vector.clone(),
        Type::BOOL,
        vector.clone(),
        Type::TEXT,
        Type::TEXT,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::INT8,
        Type::INT4,
        Type::TEXT,
        Type::INT4,
        Type::TEXT_ARRAY,
    ];
    let columns = "id, offer, has_customers, customers, country, region, countries, regions, employee_count, \
         founded_year, funding_stage, funded_on, categories";
    let copy = format!("COPY {table} ({columns}) FROM STDIN (FORMAT binary)");
    Ok(BinaryCopyInWriter::new(transaction.copy_in(&copy).await?, &types))
}

async fn write(
    writer: Pin<&mut BinaryCopyInWriter>,
    id: i64,
    meaning: &Meaning,
    organization: &Organization,
    categories: &BTreeSet<String>,
) -> Result<(), tokio_postgres::Error> {
    let Organization {
        metrics, headquarters, ..
    } = organization;
    let offices = || std::iter::once(headquarters).chain(&organization.locations);
    let all = |code: fn(&Address) -> Option<&String>| offices().filter_map(code).collect::<Vec<_>>();
    let customers = meaning.customers.as_ref();
    let row: [&(dyn ToSql + Sync); 13] = [
        &id,
        &components(&meaning.offer),
        &customers.is_some(),
        &customers.and_then(components),
        &headquarters.country,
        &headquarters.region,
        &all(|office| office.country.as_ref()),
        &all(|office| office.region.as_ref()),
        &metrics
            .employee_count
            .map(|count| i64::try_from(count).unwrap_or(i64::MAX)),
        &metrics.founded_on.map(|day| day.year()),
        &metrics.funding.last_round_stage.map(|stage| stage.as_str()),
        &metrics.funding.last_round_on.map(|day| day.num_days_from_ce()),
        &categories.iter().collect::<Vec<_>>(),
    ];
    writer.write(&row).await
}
