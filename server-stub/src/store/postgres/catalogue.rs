//! Searches that the database carries out, with pgvector. There is no approximate index: like all searches of the
//! server, they compare every record that passes the filters, and return the same to the last bit.
//!
//! The records themselves stay in memory. The database decides which are found, in which order and at which distance.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{Datelike, NaiveDate};
use deadpool_postgres::Pool;
use pgvector::Vector as Components;
use tokio_postgres::types::ToSql;

use super::error::{failed, no_connection, unreadable};
use crate::model::filter::Filters;
use crate::model::ids::{OrganizationId, PipelineId, ProductId};
use crate::model::pipeline::Pipeline;
use crate::model::search::{
    Found, IndexedOrganization, Meaning, OrganizationHit, OrganizationQuery, Page, Probe, ProductHit, ProductQuery,
};
use crate::model::store_error::StoreError;
use crate::store::catalogue::Catalogue;
use crate::store::memory::MemoryCatalogue;
use platform_embedding::vector::Vector;

/// Searches organizations and products in a PostgreSQL database with pgvector.
#[derive(Debug)]
pub struct PostgresCatalogue {
    pub(super) pool: Pool,
    pub(super) records: MemoryCatalogue,
    /// The schema of pgvector, quoted.
    pub(super) vectors: String,
}

/// The tables of searched records.
#[derive(Debug, Clone, Copy)]
enum Table {
    Organizations,
    Products,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Organizations => "searched_organization",
            Self::Products => "searched_product",
        })
    }
}

/// The components of a meaning; `None` if it means nothing.
pub(super) fn components(vector: &Vector) -> Option<Components> {
    let components = vector.as_bytes().iter().map(|byte| f32::from(byte.cast_signed()));
    let components: Vec<_> = components.collect();
    let means_something = components.iter().any(|component| *component != 0.0);
    means_something.then(|| Components::from(components))
}

/// The statement of a search. Its parameters are the offer, the customers and the id that are sought, the filters, and
/// the page. It returns at least one row: the number of records found, and an id with its distance or nulls.
fn statement<Id>(table: Table, probe: &Probe<Id>, vectors: &str) -> String {
    let distance = |column: &str, parameter: &str| {
        format!("coalesce({column} OPERATOR({vectors}.<=>) {parameter}::{vectors}.vector, 1)")
    };
    let (offer, customers) = (distance("offer", "$1"), distance("customers", "$2"));
    let (distance, candidates) = match probe {
        Probe::Offer(_) => (offer, "true"),
        Probe::Customers(_) => (customers, "has_customers"),
        Probe::Known { meaning, .. } => match meaning.customers {
            Some(_) => (
                format!("CASE WHEN has_customers THEN ({offer} + {customers}) / 2 ELSE {offer} END"),
                "id <> $3",
            ),
            None => (offer, "id <> $3"),
        },
    };
    // A parameter that a search does not use is named all the same, so that it has a type.
    format!(
        "WITH found AS MATERIALIZED (
            SELECT id, {distance} AS distance FROM {table}
            WHERE {candidates}
                AND ($1::{vectors}.vector IS NULL OR true) AND ($2::{vectors}.vector IS NULL OR true)
                AND ($3::bigint IS NULL OR true)
                AND ($4::text[] IS NULL OR CASE WHEN $6 THEN country = ANY ($4) ELSE countries && $4 END)
                AND ($5::text[] IS NULL OR CASE WHEN $6 THEN region = ANY ($5) ELSE regions && $5 END)
                AND ($7::bigint IS NULL OR employee_count >= $7) AND ($8::bigint IS NULL OR employee_count <= $8)
                AND ($9::integer IS NULL OR founded_year >= $9) AND ($10::integer IS NULL OR founded_year <= $10)
                AND ($11::text[] IS NULL OR funding_stage = ANY ($11))
                AND ($12::integer IS NULL OR funded_on >= $12) AND ($13::integer IS NULL OR funded_on <= $13)
                AND ($14::text[] IS NULL OR categories && $14)
        )
        SELECT total.count, page.id, page.distance
        FROM (SELECT count(*) FROM found) AS total
        LEFT JOIN (
            SELECT id, distance FROM found ORDER BY distance, id OFFSET $15 LIMIT $16
        ) AS page ON true
        ORDER BY page.distance, page.id"
    )
}

/// The values of a filter; `None` if there are none.
fn list(values: &[String]) -> Option<&[String]> {
    (!values.is_empty()).then_some(values)
}

fn whole(number: u64) -> i64 {
    // Counts of employees are far below.
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl PostgresCatalogue {
    /// The ids on a page, each with its distance, and how many records were found.
    async fn search<Id: Copy + Into<i64>>(
        &self,
        table: Table,
        probe: &Probe<Id>,
        filters: &Filters,
        page: Page,
    ) -> Result<Found<(i64, f64)>, StoreError> {
        let (offer, customers, known) = match probe {
            Probe::Offer(sought) => (components(sought), None, None),
            Probe::Customers(sought) => (None, components(sought), None),
            Probe::Known { id, meaning } => {
                let Meaning { offer, customers } = meaning;
                let customers = customers.as_ref().and_then(components);
                (components(offer), customers, Some((*id).into()))
            }
        };
        let stages: Vec<_> = filters.funding_stages.iter().map(|stage| stage.as_str()).collect();
        let stages = (!stages.is_empty()).then_some(stages);
        let day = |day: Option<NaiveDate>| day.map(|day| day.num_days_from_ce());
        let parameters: [&(dyn ToSql + Sync); 16] = [
            &offer,
            &customers,
            &known as &Option<i64>,
            &list(&filters.countries),
            &list(&filters.regions),
            &filters.headquarters_only,
            &filters.employee_count_min.map(whole),
            &filters.employee_count_max.map(whole),
            &filters.founded_year_min,
            &filters.founded_year_max,
            &stages,
            &day(filters.funded_from),
            &day(filters.funded_to),
            &list(&filters.business_types),
            &whole(page.skip as u64),
            &whole(page.limit as u64),
        ];
        let client = self.pool.get().await.map_err(no_connection)?;
        let rows = async {
            let statement = statement(table, probe, &self.vectors);
            let rows = client
                .query(&client.prepare_cached(&statement).await?, &parameters)
                .await?;
            let total: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
            let mut results = Vec::with_capacity(rows.len());
            for row in &rows {
                if let Some(id) = row.try_get::<_, Option<i64>>(1)? {
                    results.push((id, row.try_get(2)?));
                }
            }
            Ok((total, results))
        };
        let (total, results) = rows.await.map_err(failed)?;
        Ok(Found {
            total_count: usize::try_from(total).unwrap_or_default(),
            results,
        })
    }
}

/// A record that is in the database and not in memory, which cannot be: both are of the same data.
fn lost<T>(record: Option<T>, id: i64) -> Result<T, StoreError> {
    record.ok_or_else(|| unreadable(format!("{id} is in the tables of searches and not in the data").into()))
}

#[async_trait]
impl Catalogue for PostgresCatalogue {
    async fn organization(&self, id: OrganizationId) -> Result<Option<Arc<IndexedOrganization>>, StoreError> {
        self.records.organization(id).await
    }

    async fn pipeline(&self, id: PipelineId) -> Result<Option<Arc<Pipeline>>, StoreError> {
        self.records.pipeline(id).await
    }

    async fn search_organizations(
        &self,
        query: &OrganizationQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<OrganizationHit>>, StoreError> {
        let known = |id| Some(self.records.find_organization(id)?.meaning.clone());
        let Some(probe) = query.clone().resolve(known) else {
            return Ok(None);
        };
        let found = self.search(Table::Organizations, &probe, filters, page).await?;
        let mut results = Vec::with_capacity(found.results.len());
        for (id, cosine_distance) in found.results {
            let known = OrganizationId::new(id)
                .ok()
                .and_then(|id| self.records.find_organization(id));
            let organization = Arc::clone(&lost(known, id)?.organization);
            results.push(OrganizationHit {
                organization,
                cosine_distance,
            });
        }
        let total_count = found.total_count;
        Ok(Some(Found { total_count, results }))
    }

    async fn search_products(
        &self,
        query: &ProductQuery,
        filters: &Filters,
        page: Page,
    ) -> Result<Option<Found<ProductHit>>, StoreError> {
        let known = |id| Some(self.records.find_product(id)?.meaning.clone());
        let Some(probe) = query.clone().resolve(known) else {
            return Ok(None);
        };
        let found = self.search(Table::Products, &probe, filters, page).await?;
        let mut results = Vec::with_capacity(found.results.len());
        for (id, cosine_distance) in found.results {
            let known = ProductId::new(id).ok().and_then(|id| self.records.find_product(id));
            let known = lost(known, id)?;
            results.push(ProductHit {
                product: Arc::clone(&known.product),
                organization: Arc::clone(&known.organization),
                cosine_distance,
            });
        }
        let total_count = found.total_count;
        Ok(Some(Found { total_count, results }))
    }
}
