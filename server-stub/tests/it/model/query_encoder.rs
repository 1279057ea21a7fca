//! Searches whose texts a transformer encodes. It is tiny and has random weights, so these tests check only what does
//! not depend on quality.

use std::path::{Path, PathBuf};

use platform_server_stub::embedding::{Aspect, QueryEncoder, embed};
use platform_server_stub::model::filter::Filters;
use platform_server_stub::model::search::Page;
use platform_server_stub::platform::Platform;

use super::{built_in, organization_id};

const FIRST_TEN: Page = Page { skip: 0, limit: 10 };

/// The directory of the tiny model, which `embedding/scripts/write_tiny_model.py` writes.
pub(crate) fn tiny_model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("embedding/tests/fixtures/tiny-model")
}

fn with_encoder() -> Platform {
    built_in().with_query_encoder(QueryEncoder::open(&tiny_model()).unwrap())
}

/// Ids and distances of the results of the four searches by text.
async fn found(platform: &Platform, text: &str, page: Page) -> Vec<(i64, u64)> {
    let filters = Filters::default();
    let mut all = Vec::new();
    for organizations in [
        platform.search_organizations_by_description(text, &filters, page).await,
        platform.search_organizations_by_customer(text, &filters, page).await,
    ] {
        let hits = organizations.unwrap().results;
        let pairs = hits.iter().map(|hit| {
            let id = hit.organization.organization_id.get();
            (id, hit.cosine_distance.to_bits())
        });
        all.extend(pairs);
    }
    for products in [
        platform.search_products_by_description(text, &filters, page).await,
        platform.search_products_by_customer(text, &filters, page).await,
    ] {
        let hits = products.unwrap().results;
        let pairs = hits.iter().map(|hit| {
            let id = hit.product.product_id.get();
            (id, hit.cosine_distance.to_bits())
        });
        all.extend(pairs);
    }
    all
}

#[tokio::test]
async fn text_is_compared_by_the_vector_of_the_encoder() {
    let platform = with_encoder();
    let text = "We make pumps for breweries.";
    let encoder = QueryEncoder::open(&tiny_model()).unwrap();
    let filters = Filters::default();
    let hits = platform.search_organizations_by_description(text, &filters, FIRST_TEN);
    for hit in hits.await.unwrap().results {
        let record = &hit.organization;
        let stored = embed(&format!("{}. {}", record.name, record.description));
        let distance = encoder.embed(text, Aspect::Offer).distance(&stored);
        assert_eq!(hit.cosine_distance.to_bits(), distance.to_bits());
    }
    let hits = platform.search_products_by_customer(text, &filters, FIRST_TEN);
    for hit in hits.await.unwrap().results {
        let stored = embed(hit.product.customer_base.as_deref().unwrap());
        let distance = encoder.embed(text, Aspect::Customers).distance(&stored);
        assert_eq!(hit.cosine_distance.to_bits(), distance.to_bits());
    }
}

#[tokio::test]
async fn same_text_finds_the_same_records_for_any_key_and_every_time() {
    let (one, other) = (with_encoder(), with_encoder());
    for text in ["pumps for breweries", "a company that makes cafes", "日本"] {
        let first = found(&one, text, FIRST_TEN).await;
        assert_eq!(first.len(), 40);
        assert_eq!(found(&one, text, FIRST_TEN).await, first);
        assert_eq!(found(&other, text, FIRST_TEN).await, first);
        assert_ne!(found(&built_in(), text, FIRST_TEN).await, first);
    }
    let text = "pumps for breweries";
    let whole = found(&one, text, Page { skip: 0, limit: 4 }).await;
    let second_half = found(&one, text, Page { skip: 2, limit: 2 }).await;
    let of_whole = whole.chunks(4).flat_map(|page| &page[2..]).copied();
    assert_eq!(of_whole.collect::<Vec<_>>(), second_half);
}

#[tokio::test]
async fn searches_by_a_known_record_do_not_change() {
    let id = organization_id(1001);
    let filters = Filters::default();
    let mut distances = Vec::new();
    for platform in [built_in(), with_encoder()] {
        let found = platform.search_organizations_by_organization(id, &filters, FIRST_TEN);
        let found = found.await.unwrap().results.into_iter();
        let found = found.map(|hit| (hit.organization.organization_id, hit.cosine_distance));
        distances.push(found.collect::<Vec<_>>());
    }
    assert_eq!(distances[0], distances[1]);
}
