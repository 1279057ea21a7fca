//! Generated data sets.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use platform_server_stub::data::Dataset;
use platform_server_stub::model::filter::Filters;
use platform_server_stub::model::search::Page;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::SystemClock;

fn written(organizations: u32) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.jsonl");
    Dataset::generated(organizations).write(&path).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn generated_world_is_the_same_on_each_machine_and_in_each_run() {
    let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let text = String::from_utf8(written(100)).unwrap();
    // Without the vectors, which change with the encoder.
    let records = Dataset::generated(100)
        .organizations()
        .map(|it| format!("{:?}", it.organization))
        .collect::<String>();
    let digest = records
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| fnv(hash, &byte));
    assert_eq!(format!("{digest:016x}"), "6acd88da9b688a31");
    assert_eq!(text.as_bytes(), written(100));
}

#[test]
fn larger_world_contains_the_organizations_of_a_smaller_one() {
    let organizations = |count| {
        let data = Dataset::generated(count);
        data.organizations()
            .take(300)
            .map(|it| it.organization.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(organizations(300), organizations(500));
}

#[test]
fn world_has_products_pipelines_and_items_in_proportion() {
    let data = Dataset::generated(1000);
    assert_eq!(data.products().count(), 250);
    assert_eq!(data.pipelines().count(), 7);
    assert_eq!(data.items().count(), 20 + 2 + 2);
    let names: HashSet<_> = data.organizations().map(|it| it.organization.name.clone()).collect();
    assert!(names.len() > 950, "{}", names.len());
    let countries: HashSet<_> = data
        .organizations()
        .filter_map(|it| it.organization.headquarters.country.clone())
        .collect();
    assert!(countries.len() > 80, "{}", countries.len());
}

#[tokio::test]
async fn search_finds_the_industry_that_it_describes() {
    let data = Dataset::generated(3000);
    let platform = Platform::in_memory(Arc::new(data), Arc::new(SystemClock));
    for (text, of) in [
        ("pumps for waterworks", &["pump", "valve"][..]),
        ("recycling of batteries and plastic", &["recycle", "collect", "sort"]),
        ("vaccines and antibodies", &["vaccine", "antibod"]),
        ("railway carriages and trams", &["train", "tram"]),
    ] {
        let page = Page { skip: 0, limit: 10 };
        let found = platform
            .search_organizations_by_description(text, &Filters::default(), page)
            .await
            .unwrap();
        assert_eq!(found.total_count, 3000);
        for hit in found.results {
            let description = hit.organization.description.to_lowercase();
            assert!(
                of.iter().any(|word| description.contains(word)),
                "{text}: {description}"
            );
        }
    }
}
