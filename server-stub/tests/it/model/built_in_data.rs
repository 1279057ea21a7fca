//! The built-in data covers everything that the contract can express.

use std::collections::{BTreeSet, HashSet};

use platform_server_stub::data::Dataset;
use platform_server_stub::model::column::ColumnId;
use platform_server_stub::model::pipeline::EntityType;
use platform_server_stub::model::policy::{Action, Resource};
use platform_server_stub::model::value::{ExecutionStatus, Scalar, SyncStatus};

use super::{built_in, pipeline_id};

#[test]
fn data_is_large_and_spread_over_the_world_and_over_industries() {
    let data = Dataset::built_in();
    let countries: BTreeSet<_> = data
        .organizations()
        .filter_map(|known| known.organization.headquarters.country.clone())
        .collect();
    let categories: BTreeSet<_> = data.products().flat_map(|known| known.categories.clone()).collect();
    assert!(
        data.organizations().count() >= 1_300,
        "{}",
        data.organizations().count()
    );
    assert!(data.products().count() >= 2_000, "{}", data.products().count());
    assert!(countries.len() >= 100, "{}", countries.len());
    assert!(categories.len() >= 140, "{}", categories.len());
}

#[test]
fn no_two_organizations_share_a_name_or_a_description() {
    let data = Dataset::built_in();
    let mut seen = HashSet::new();
    for known in data.organizations() {
        assert!(
            seen.insert(known.organization.name.clone()),
            "{}",
            known.organization.name
        );
        assert!(
            seen.insert(known.organization.description.clone()),
            "{}",
            known.organization.name
        );
    }
}

#[test]
fn addresses_are_reserved_for_examples() {
    for known in Dataset::built_in().organizations() {
        let domain = known.organization.domain.as_deref();
        assert!(domain.is_none_or(|domain| domain.ends_with(".example")), "{domain:?}");
    }
}

#[test]
fn some_facts_are_missing() {
    let data = Dataset::built_in();
    let lacks = |fact: fn(&platform_server_stub::model::organization::Organization) -> bool| {
        data.organizations().any(|known| fact(&known.organization))
    };
    assert!(lacks(|organization| organization.domain.is_none()));
    assert!(lacks(|organization| organization.metrics.employee_count.is_none()));
    assert!(lacks(|organization| organization
        .metrics
        .funding
        .last_round_on
        .is_none()));
    assert!(lacks(|organization| organization.contact.phone.is_none()));
    assert!(lacks(|organization| organization.headquarters.street.is_none()));
}

#[test]
fn every_kind_of_pipeline_exists_and_one_is_larger_than_the_largest_page() {
    let data = Dataset::built_in();
    let size = |id| data.items().filter(|item| item.pipeline_id == pipeline_id(id)).count();
    let entity_type = |id| data.pipeline(pipeline_id(id)).unwrap().entity_type;
    assert!(size(1) >= 1_250, "{}", size(1));
    assert_eq!(
        (entity_type(1), entity_type(2)),
        (EntityType::Organization, EntityType::Organization)
    );
    assert_eq!(size(2), 12);
    assert_eq!(
        (entity_type(3), entity_type(4)),
        (EntityType::Person, EntityType::Document)
    );
    assert!(data.pipeline(pipeline_id(5)).unwrap().crm_sync.is_some());
    assert_eq!((entity_type(6), size(6)), (EntityType::Organization, 1));
    assert_eq!(
        (data.pipeline(pipeline_id(7)).unwrap().questions.len(), size(7)),
        (0, 0)
    );
}

#[test]
fn small_pipeline_is_ready_and_others_hold_items_at_every_stage() {
    let data = Dataset::built_in();
    assert!(
        data.items()
            .filter(|item| item.pipeline_id == pipeline_id(2))
            .all(|item| item.status().is_ready())
    );
    let is_some = |stage: fn(platform_server_stub::model::item::ItemStatus) -> bool| {
        data.items().any(|item| stage(item.status()))
    };
    assert!(is_some(|status| !status.document_indexed));
    assert!(is_some(
        |status| !status.custom_questions_answered && status.document_indexed
    ));
    assert!(is_some(|status| !status.platform_entity_data_ready));
}

#[test]
fn every_execution_status_and_every_sync_status_occurs() {
    use ExecutionStatus::{Completed, Failed, NoAnswer, Pending, Skipped};
    let data = Dataset::built_in();
    let values: Vec<_> = data.items().flat_map(|item| item.values.values()).collect();
    for status in [Pending, Completed, NoAnswer, Failed, Skipped] {
        assert!(values.iter().any(|value| value.status == Some(status)), "{status:?}");
    }
    let synced: Vec<_> = values.iter().filter(|value| value.sync_provider.is_some()).collect();
    for status in [
        None,
        Some(SyncStatus::Success),
        Some(SyncStatus::Pending),
        Some(SyncStatus::Error),
    ] {
        assert!(synced.iter().any(|value| value.sync_status == status), "{status:?}");
    }
    let failed_after_success = |status| {
        synced
            .iter()
            .any(|value| value.sync_status == Some(status) && value.last_synced_at.is_some())
    };
    assert!(failed_after_success(SyncStatus::Error) && failed_after_success(SyncStatus::Pending));
}

#[test]
fn every_sort_of_the_large_pipeline_meets_ties_and_some_meet_missing_values() {
    let data = Dataset::built_in();
    let items: Vec<_> = data.items().filter(|item| item.pipeline_id == pipeline_id(1)).collect();
    let mut kinds = BTreeSet::new();
    let mut missing = 0;
    for question in &data.pipeline(pipeline_id(1)).unwrap().questions {
        let column = ColumnId::Question(question.question_id);
        let first: Vec<_> = items
            .iter()
            .filter_map(|item| item.values[&column].result.first())
            .collect();
        let distinct: HashSet<_> = first.iter().map(|scalar| format!("{scalar:?}")).collect();
        assert!(distinct.len() < first.len(), "{column} has ties");
        assert!(distinct.len() > 1, "{column} has something to sort");
        missing += usize::from(first.len() < items.len());
        kinds.extend(first.iter().map(|scalar| match scalar {
            Scalar::Number(_) => "number",
            Scalar::Text(_) => "text",
            Scalar::Boolean(_) => "boolean",
        }));
    }
    assert_eq!(kinds.len(), 3);
    assert!(missing >= 3, "{missing}");
}

#[test]
fn each_built_in_key_has_its_documented_permissions() {
    let platform = built_in();
    let table = [
        ("dev-full-access", true, true, false),
        ("dev-read-only", true, false, false),
        ("dev-no-access", false, false, false),
        ("dev-rate-limited", true, false, true),
    ];
    for (key, may_read, may_add, is_limited) in table {
        let caller = platform.authenticate(Some(key)).unwrap();
        for resource in [Resource::Organization, Resource::Product] {
            assert_eq!(
                platform.authorize(&caller, Action::Read, resource, None).is_ok(),
                may_read,
                "{key}"
            );
        }
        let on_items = |action| platform.authorize(&caller, action, Resource::CollectionItem, Some(pipeline_id(6)));
        assert_eq!(on_items(Action::Read).is_ok(), may_read, "{key}");
        assert_eq!(on_items(Action::Create).is_ok(), may_add, "{key}");
        assert_eq!(caller.rate_limit().is_some(), is_limited, "{key}");
    }
}

#[test]
fn many_platforms_share_one_load() {
    let first = Dataset::built_in();
    assert!(std::ptr::eq(&*first, &*Dataset::built_in()));
    let platforms: Vec<_> = (0..200).map(|_| built_in()).collect();
    assert_eq!(platforms.len(), 200);
}

#[test]
fn key_for_one_pipeline_reads_only_that_pipeline() {
    let platform = built_in();
    let caller = platform.authenticate(Some("dev-one-pipeline")).unwrap();
    let may = |action, resource, pipeline: Option<i64>| {
        let pipeline = pipeline.map(pipeline_id);
        let decided = platform.authorize(&caller, action, resource, pipeline);
        decided.is_ok()
    };
    assert!(may(Action::Read, Resource::CollectionItem, Some(2)));
    assert!(!may(Action::Read, Resource::CollectionItem, Some(1)));
    assert!(!may(Action::Create, Resource::CollectionItem, Some(2)));
    assert!(!may(Action::Read, Resource::Organization, None));
}

#[test]
fn key_for_organizations_reads_only_organizations() {
    let platform = built_in();
    let caller = platform.authenticate(Some("dev-organizations-only")).unwrap();
    let may = |action, resource, pipeline: Option<i64>| {
        let pipeline = pipeline.map(pipeline_id);
        platform.authorize(&caller, action, resource, pipeline).is_ok()
    };
    assert!(may(Action::Read, Resource::Organization, None));
    assert!(!may(Action::Read, Resource::Product, None));
    assert!(!may(Action::Read, Resource::CollectionItem, Some(2)));
    assert!(!may(Action::Create, Resource::CollectionItem, Some(6)));
}

#[test]
fn key_for_the_writable_pipeline_reads_and_adds_there_alone() {
    let platform = built_in();
    let caller = platform.authenticate(Some("dev-writable-only")).unwrap();
    let may = |action, resource, pipeline: Option<i64>| {
        let pipeline = pipeline.map(pipeline_id);
        platform.authorize(&caller, action, resource, pipeline).is_ok()
    };
    for action in [Action::Create, Action::Read] {
        assert!(may(action, Resource::CollectionItem, Some(6)));
        assert!(!may(action, Resource::CollectionItem, Some(5)));
    }
    assert!(!may(Action::Read, Resource::Organization, None));
}

#[test]
fn key_for_some_pipelines_reads_three_and_adds_to_one() {
    let platform = built_in();
    let caller = platform.authenticate(Some("dev-some-pipelines")).unwrap();
    let may = |action, resource, pipeline: Option<i64>| {
        let pipeline = pipeline.map(pipeline_id);
        platform.authorize(&caller, action, resource, pipeline).is_ok()
    };
    let allowed = |action| {
        let pipelines = (1..=8).filter(|id| may(action, Resource::CollectionItem, Some(*id)));
        pipelines.collect::<Vec<_>>()
    };
    assert_eq!(allowed(Action::Read), [2, 4, 5]);
    assert_eq!(allowed(Action::Create), [5]);
    assert!(!may(Action::Read, Resource::Organization, None));
}

#[test]
fn key_that_may_only_add_adds_to_one_pipeline_and_reads_nothing() {
    let platform = built_in();
    let caller = platform.authenticate(Some("dev-create-only")).unwrap();
    let may = |action, resource, pipeline: Option<i64>| {
        let pipeline = pipeline.map(pipeline_id);
        let decided = platform.authorize(&caller, action, resource, pipeline);
        decided.is_ok()
    };
    assert!(may(Action::Create, Resource::CollectionItem, Some(6)));
    assert!(!may(Action::Create, Resource::CollectionItem, Some(1)));
    assert!(!may(Action::Read, Resource::CollectionItem, Some(6)));
    assert!(!may(Action::Read, Resource::Organization, None));
}
