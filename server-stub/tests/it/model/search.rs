//! Search by meaning over the built-in data.

use platform_server_stub::data::Dataset;
use platform_server_stub::model::filter::Filters;
use platform_server_stub::model::ids::ProductId;
use platform_server_stub::model::organization::FundingStage;
use platform_server_stub::model::rejection::Rejection;
use platform_server_stub::model::search::{Found, OrganizationHit, Page};
use proptest::prelude::*;

use super::{ALL, built_in, organization_id};

const FIRST: Page = Page { skip: 0, limit: 3 };
const FIRST_TEN: Page = Page { skip: 0, limit: 10 };

fn ids(found: &Found<OrganizationHit>) -> Vec<i64> {
    found
        .results
        .iter()
        .map(|hit| hit.organization.organization_id.get())
        .collect()
}

fn assert_ranked(found: &Found<OrganizationHit>) {
    assert!(
        found
            .results
            .iter()
            .all(|hit| (0.0..=2.0).contains(&hit.cosine_distance))
    );
    assert!(
        found
            .results
            .is_sorted_by_key(|hit| (hit.cosine_distance.to_bits(), hit.organization.organization_id))
    );
}

#[tokio::test]
async fn record_is_found_by_the_meaning_of_words_it_does_not_contain() {
    let platform = built_in();
    let filters = Filters::default();
    let found = platform
        .search_organizations_by_description("thermometers for perishable seafood consignments", &filters, FIRST_TEN)
        .await
        .unwrap();
    assert!(
        found.results.iter().any(|hit| hit.organization.name == "Fjordfrost"),
        "{found:?}"
    );
    let found = platform
        .search_products_by_description("warning that salmon thaws during transport", &filters, FIRST_TEN)
        .await
        .unwrap();
    let tag = found
        .results
        .iter()
        .find(|hit| hit.product.name == "Frosttag")
        .expect("among the first ten");
    assert_eq!(tag.organization.name, "Fjordfrost");
}

#[tokio::test]
async fn searches_by_offer_and_by_customer_differ() {
    let platform = built_in();
    let text = "dentists and dental laboratories";
    let served = platform
        .search_organizations_by_customer(text, &Filters::default(), ALL)
        .await
        .unwrap();
    let doing = platform
        .search_organizations_by_description(text, &Filters::default(), ALL)
        .await
        .unwrap();
    let first = served.results[0]
        .organization
        .customer_base
        .as_deref()
        .unwrap()
        .to_lowercase();
    assert!(first.contains("dent"), "{first}");
    assert_ne!(ids(&served)[..20], ids(&doing)[..20]);
}

#[tokio::test]
async fn every_record_is_ranked_once_by_distance_and_ties_by_id() {
    let platform = built_in();
    let count = Dataset::built_in().organizations().count();
    for text in ["solar power for villages", "\u{1}"] {
        let found = platform
            .search_organizations_by_description(text, &Filters::default(), ALL)
            .await
            .unwrap();
        assert_eq!((found.total_count, found.results.len()), (count, count));
        assert_ranked(&found);
    }
}

#[tokio::test]
async fn text_without_a_known_word_has_distance_one_to_all_in_the_order_of_ids() {
    let found = built_in()
        .search_organizations_by_description("\u{1}", &Filters::default(), FIRST)
        .await
        .unwrap();
    assert!(found.results.iter().all(|hit| hit.cosine_distance == 1.0));
    assert_eq!(ids(&found), [1001, 1002, 1003]);
}

#[tokio::test]
async fn known_record_finds_all_the_others_and_not_itself() {
    let platform = built_in();
    let found = platform
        .search_organizations_by_organization(organization_id(1001), &Filters::default(), ALL)
        .await
        .unwrap();
    assert_eq!(found.total_count, Dataset::built_in().organizations().count() - 1);
    assert!(!ids(&found).contains(&1001));
    assert_ranked(&found);
    let product = ProductId::new(5001).unwrap();
    let found = platform
        .search_products_by_product(product, &Filters::default(), ALL)
        .await
        .unwrap();
    assert!(found.results.iter().all(|hit| hit.product.product_id != product));
    assert_eq!(found.total_count, Dataset::built_in().products().count() - 1);
}

#[tokio::test]
async fn unknown_record_is_rejected() {
    let platform = built_in();
    let organization = platform
        .search_organizations_by_organization(organization_id(1), &Filters::default(), ALL)
        .await;
    assert!(matches!(organization, Err(Rejection::OrganizationNotFound(_))));
    let product = platform
        .search_products_by_product(ProductId::new(1).unwrap(), &Filters::default(), ALL)
        .await;
    assert!(matches!(product, Err(Rejection::ProductNotFound(_))));
}

#[tokio::test]
async fn organization_has_the_categories_of_its_products() {
    let filters = Filters {
        business_types: vec!["freight_logistics".to_owned()],
        ..Filters::default()
    };
    let platform = built_in();
    let organizations = platform
        .search_organizations_by_description("anything", &filters, ALL)
        .await
        .unwrap();
    let products = platform
        .search_products_by_description("anything", &filters, ALL)
        .await
        .unwrap();
    let mut owners: Vec<_> = products.results.iter().map(|hit| &hit.organization).collect();
    owners.sort_by_key(|owner| owner.organization_id);
    owners.dedup_by_key(|owner| owner.organization_id);
    assert!(organizations.total_count > 10);
    assert_eq!(organizations.total_count, owners.len());
}

fn any_filters() -> impl Strategy<Value = Filters> {
    let country = prop::sample::select(vec!["US", "DE", "FR", "IN", "BR", "KE", "JP"]);
    let stage = prop::sample::select(vec![FundingStage::Seed, FundingStage::SeriesA, FundingStage::Grant]);
    let day = (2005i32..2027).prop_map(|year| chrono::NaiveDate::from_ymd_opt(year, 6, 15).unwrap());
    (
        prop::collection::vec(country.prop_map(str::to_owned), 0..3),
        prop::option::of(0u64..500),
        prop::option::of(1950i32..2026),
        prop::collection::vec(stage, 0..3),
        prop::option::of(day),
        any::<bool>(),
    )
        .prop_map(
            |(countries, employee_count_min, founded_year_max, funding_stages, funded_from, headquarters_only)| {
                Filters {
                    countries,
                    employee_count_min,
                    founded_year_max,
                    funding_stages,
                    funded_from,
                    headquarters_only,
                    ..Filters::default()
                }
            },
        )
}

/// Runs a search of the platform to its end; it never waits.
fn search(filters: &Filters, page: Page) -> Found<OrganizationHit> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime
        .block_on(built_in().search_organizations_by_description("clean water", filters, page))
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_page_size_walks_to_the_same_collection(filters in any_filters(), limit in 50usize..500) {
        let whole = search(&filters, ALL);
        let mut walked = Vec::new();
        for skip in (0..=whole.total_count).step_by(limit) {
            let page = search(&filters, Page { skip, limit });
            prop_assert_eq!(page.total_count, whole.total_count);
            walked.extend(ids(&page));
        }
        prop_assert_eq!(walked, ids(&whole));
    }

    #[test]
    fn combined_filters_find_the_intersection(one in any_filters(), other in any_filters()) {
        let both = Filters {
            employee_count_max: other.employee_count_min,
            founded_year_min: other.founded_year_max,
            regions: vec!["US-CA".to_owned()],
            ..one.clone()
        };
        let rest = Filters {
            employee_count_max: other.employee_count_min,
            founded_year_min: other.founded_year_max,
            regions: vec!["US-CA".to_owned()],
            headquarters_only: one.headquarters_only,
            ..Filters::default()
        };
        let (all, left, right) = (search(&both, ALL), search(&one, ALL), search(&rest, ALL));
        let right = ids(&right);
        let expected: Vec<_> = ids(&left).into_iter().filter(|id| right.contains(id)).collect();
        prop_assert_eq!(ids(&all), expected);
    }

    #[test]
    fn filter_on_all_locations_never_finds_less(filters in any_filters()) {
        let only = search(&Filters { headquarters_only: true, ..filters.clone() }, ALL);
        let any = search(&Filters { headquarters_only: false, ..filters }, ALL);
        let any = ids(&any);
        prop_assert!(ids(&only).iter().all(|id| any.contains(id)));
    }
}
