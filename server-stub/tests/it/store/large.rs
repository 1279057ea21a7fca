//! Searches over enough records that a store scans them in chunks and keeps only the nearest.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::FutureExt;
use platform_server_stub::embedding::vector::{DIMENSIONS, Vector};
use platform_server_stub::model::filter::Filters;
use platform_server_stub::model::ids::OrganizationId;
use platform_server_stub::model::search::{
    Found, IndexedOrganization, Meaning, OrganizationHit, OrganizationQuery, Page, Query,
};
use platform_server_stub::store::{Catalogue, MemoryCatalogue, PostgresLedger};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{from_value, json};

use super::naive::NaiveStore;
use super::postgres;

const RECORDS: i64 = 4000;

/// A vector with few directions, so that many records are equally far away; one in eleven means nothing.
fn vector(seed: i64) -> Vector {
    let mut components = [0; DIMENSIONS];
    if seed % 11 != 0 {
        for (place, component) in (1..).zip(&mut components) {
            *component = (seed % 401 * place * 7919 % 255 - 127) as i8;
        }
    }
    Vector::new(components)
}

fn record(id: i64) -> IndexedOrganization {
    let organization = json!({
        "organization_id": id,
        "name": "Weaver",
        "description": "Weaves.",
        "metrics": {"employee_count": id % 100},
        "headquarters": {"country": if id % 3 == 0 { "NO" } else { "SE" }},
    });
    IndexedOrganization {
        organization: Arc::new(from_value(organization).unwrap()),
        categories: BTreeSet::new(),
        meaning: Meaning {
            offer: vector(id),
            customers: (id % 5 != 0).then(|| vector(id * 3)),
        },
    }
}

fn any_query() -> impl Strategy<Value = OrganizationQuery> {
    prop_oneof![
        (0..999i64).prop_map(|seed| Query::Offer(vector(seed))),
        (0..999i64).prop_map(|seed| Query::Customers(vector(seed))),
        (1..=RECORDS).prop_map(|id| Query::Known(OrganizationId::new(id).unwrap())),
    ]
}

fn any_filters() -> impl Strategy<Value = Filters> {
    let country = prop::option::of(prop::sample::select(vec!["NO", "SE", "US"]));
    (country, prop::option::of(0..100u64)).prop_map(|(country, employee_count_min)| Filters {
        countries: country.into_iter().map(str::to_owned).collect(),
        employee_count_min,
        ..Filters::default()
    })
}

fn search(store: &dyn Catalogue, query: &OrganizationQuery, filters: &Filters, page: Page) -> Found<OrganizationHit> {
    let found = store.search_organizations(query, filters, page);
    found.now_or_never().unwrap().unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn database_ranks_many_records_like_memory_to_the_last_bit() {
    let Some(settings) = postgres::schema().await else {
        return;
    };
    let memory = MemoryCatalogue::new((1..=RECORDS).map(record), [], []);
    let ledger = PostgresLedger::open(&settings, "many", []).await.unwrap();
    let database = ledger.searches(memory.clone()).await.unwrap();
    let mut random = TestRunner::deterministic();
    let any_search = (any_query(), any_filters(), 0..1200usize, 1..1200usize);
    for _ in 0..60 {
        let (query, filters, skip, limit) = any_search.new_tree(&mut random).unwrap().current();
        let page = Page { skip, limit };
        let expected = memory
            .search_organizations(&query, &filters, page)
            .await
            .unwrap()
            .unwrap();
        let found = database
            .search_organizations(&query, &filters, page)
            .await
            .unwrap()
            .unwrap();
        let distances = |found: &Found<OrganizationHit>| -> Vec<_> {
            found.results.iter().map(|hit| hit.cosine_distance.to_bits()).collect()
        };
        assert_eq!(
            distances(&found),
            distances(&expected),
            "{query:?}, {filters:?}, {page:?}"
        );
        assert_eq!(found, expected, "{query:?}, {filters:?}, {page:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_records_are_ranked_like_few(
        searches in prop::collection::vec((any_query(), any_filters(), 0..1200usize, 1..1200usize), 12)
    ) {
        let memory = MemoryCatalogue::new((1..=RECORDS).map(record), [], []);
        let naive = NaiveStore::of_organizations(memory.organizations());
        for (query, filters, skip, limit) in searches {
            let page = Page { skip, limit };
            let found = search(&memory, &query, &filters, page);
            prop_assert_eq!(found, search(&naive, &query, &filters, page));
        }
    }
}
