//! Deployments that share no code with the reference server, and variants that decide otherwise than the contract: at
//! the level `stated` all of them pass, and every departure from what the source states fails.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use platform_conformance::selftest::{Judgement, Plan, faults, judge, judge_together, variants};
use platform_conformance::{Contract, Level, Pattern, catalogue};

/// The least number of variants that decide otherwise.
const OTHERWISE: usize = 20;

/// Each fault with the rule that detects it, and the cases that have to run for that.
const DETECTED_BY: [(&str, &str, &str); 50] = [
    ("asgi-empty-key-opens", "auth/empty-key/list_items", ""),
    ("servlet-empty-key-opens", "auth/empty-key/list_items", ""),
    (
        "asgi-no-logo",
        "search-ranking/results-carry-what-is-listed/search_organizations_by_description",
        "",
    ),
    (
        "asgi-scores-are-one",
        "search-text/unlike-texts-rank-differently/search_organizations_by_description",
        "",
    ),
    (
        "servlet-products-without-prices",
        "search-ranking/results-carry-what-is-listed/search_products_by_description",
        "",
    ),
    (
        "servlet-customers-are-not-looked-at",
        "search-text/unlike-texts-rank-differently/search_organizations_by_customer",
        "",
    ),
    ("asgi-default-is-50", "limit/default-applies", ""),
    ("asgi-no-maximum", "schema/list_items/200", "limit/*"),
    ("asgi-descending-ascends", "sort/default-order-is-ascending", ""),
    ("asgi-default-descends", "sort/default-order-is-ascending", ""),
    (
        "asgi-later-page-has-one-more",
        "schema/no-page-exceeds-its-limit",
        "sort/*",
    ),
    ("asgi-skip-counts-from-one", "paging/skip-leaves-out-as-many", ""),
    ("asgi-total-of-page", "paging/total-count-is-the-same-on-every-page", ""),
    ("asgi-ids-descend", "sort/default-is-item-id", ""),
    ("asgi-certainty-of-101", "schema/list_items/200", "skip/*"),
    ("asgi-another-status", "schema/list_items/200", "skip/*"),
    ("asgi-another-kind", "schema/list_items/200", "skip/*"),
    ("asgi-no-organization-id", "item/values-agree-with-the-list", ""),
    ("asgi-always-ready", "item/is-ready-is-the-conjunction", ""),
    (
        "asgi-unknown-pipeline-is-empty",
        "error/unknown-pipeline/list_items",
        "",
    ),
    ("asgi-unknown-column-is-ignored", "sort/unknown-column-is-rejected", ""),
    (
        "asgi-any-pipeline-will-do",
        "error/item-of-another-pipeline/get_item_values",
        "",
    ),
    ("asgi-added-is-200", "add/appears-in-the-list", ""),
    ("asgi-adds-another", "add/appears-in-the-list", ""),
    ("servlet-no-key-will-do", "auth/missing-key/list_items", ""),
    ("servlet-no-key-is-403", "auth/missing-key/get_item_status", ""),
    ("servlet-denied-is-404", "auth/read-only/add_organization", ""),
    ("servlet-unknown-item-is-400", "error/unknown-item/get_item_values", ""),
    ("servlet-unknown-column-is-422", "sort/unknown-column-is-rejected", ""),
    ("servlet-other-values", "schema/list_items/200", "skip/*"),
    ("servlet-data-has-a-status", "item/entity-data-has-no-status", ""),
    (
        "servlet-status-is-a-word",
        "schema/get_item_status/200",
        "item/is-ready-*",
    ),
    ("servlet-pages-of-20", "paging/page-is-as-long-as-it-can-be", ""),
    ("servlet-sync-is-ok", "schema/list_items/200", "skip/*"),
    ("servlet-another-source", "schema/list_items/200", "skip/*"),
    ("servlet-reader-adds", "auth/read-only/add_organization", ""),
    ("servlet-adds-twice", "add/at-most-once", ""),
    (
        "servlet-adds-to-persons",
        "error/not-an-organization-pipeline/add_organization",
        "",
    ),
    (
        "servlet-adds-what-is-not",
        "error/unknown-organization/add_organization",
        "",
    ),
    ("servlet-takes-any-body", "add/not-json", ""),
    (
        "asgi-search-finds-the-same",
        "search-text/unlike-texts-rank-differently/search_organizations_by_description",
        "",
    ),
    (
        "asgi-search-is-in-no-order",
        "search-ranking/nearest-first-ties-by-id/search_organizations_by_customer",
        "",
    ),
    (
        "asgi-search-repeats-a-record",
        "schema/each-result-occurs-once",
        "search-ranking/nearest-first-ties-by-id/*",
    ),
    (
        "asgi-last-result-has-no-score",
        "search-ranking/nearest-first-ties-by-id/search_organizations_by_organization",
        "",
    ),
    (
        "servlet-product-without-its-organization",
        "search-ranking/product-comes-with-its-organization/search_products_by_customer",
        "",
    ),
    (
        "servlet-known-product-is-not-looked-at",
        "search-ranking/known-records-rank-differently/search_products_by_product",
        "",
    ),
    (
        "servlet-found-product-is-unknown",
        "search-ranking/known-record-is-not-found/search_products_by_product",
        "",
    ),
    (
        "asgi-products-of-unknown-companies",
        "search-ranking/product-comes-with-its-organization/search_products_by_description",
        "",
    ),
    (
        "servlet-products-name-another-company",
        "search-ranking/product-comes-with-its-organization/search_products_by_description",
        "",
    ),
    (
        "servlet-no-contact-by-id",
        "search-ranking/record-is-the-same-in-every-search/search_organizations_by_description",
        "",
    ),
];

/// The variants at the level `stated`.
pub(crate) fn otherwise() -> Vec<variants::Variant> {
    let variants = variants::all().into_iter();
    variants.filter(|variant| variant.level == Level::Stated).collect()
}

/// The cases that rest only on what is stated.
fn stated() -> Vec<Pattern> {
    let stated = catalogue().into_iter().filter(|case| case.decisions().is_empty());
    stated.map(|case| case.id.as_str().into()).collect()
}

fn assert_none_fails(judgement: &Judgement) {
    let mut failed = String::new();
    for on in judgement.alarmed() {
        for alarm in &on.alarms {
            let stated =
                |finding: &&platform_conformance::Finding| finding.decisions.as_ref().is_none_or(BTreeSet::is_empty);
            let finding = alarm.findings.iter().find(stated);
            let finding = finding.map_or_else(String::new, ToString::to_string);
            failed.push_str(&format!("{} {}: {:?} {finding}\n", on.name, alarm.case, alarm.reason));
        }
    }
    assert!(failed.is_empty(), "these legal variants fail:\n{failed}");
}

async fn judged(variants: Vec<Pattern>, only: Vec<Pattern>) -> Judgement {
    let plan = Plan {
        faults: Vec::new(),
        variants,
        only,
        ..Plan::default()
    };
    judge(&plan, |_| ()).await.unwrap()
}

/// The clause that permits a variant that decides otherwise is a decision.
#[test]
fn variants_that_decide_otherwise_differ_only_in_decisions() {
    let otherwise = otherwise();
    assert!(otherwise.len() >= OTHERWISE);
    let stated: Vec<_> = otherwise
        .iter()
        .filter(|variant| Contract::bundled().decisions_at(&variant.clause).is_empty())
        .map(|variant| (variant.name, &variant.clause))
        .collect();
    assert!(stated.is_empty(), "what these do otherwise is stated: {stated:#?}");
    let families = ["otherwise/", "foreign/"];
    let named = |name: &str| families.iter().any(|family| name.starts_with(family));
    assert!(otherwise.iter().all(|variant| named(variant.name)));
}

/// The cases that rest only on what is stated, on the two deployments that were written only from the source. `.ci/run`
/// runs all cases on them.
#[tokio::test(flavor = "multi_thread")]
async fn foreign_deployments_pass_at_the_level_stated() {
    let names = ["foreign/asgi", "foreign/servlet"];
    let judgement = judged(names.map(Pattern::from).into(), stated()).await;
    assert_none_fails(&judgement);
    for on in &judgement.variants {
        // Most of what is stated about items can be checked, whatever else was decided.
        assert!(on.passed > 30, "{} passed {}", on.name, on.passed);
    }
}

/// The cases that rest only on what is stated, on every tenth variant. `.ci/run` runs all cases on all of them.
#[tokio::test(flavor = "multi_thread")]
async fn decisions_of_a_deployment_do_not_fail_at_the_level_stated() {
    let names = otherwise().into_iter().step_by(10).map(|variant| variant.name.into());
    let judgement = judged(names.collect(), stated()).await;
    assert!(judgement.variants.len() >= 5);
    assert_none_fails(&judgement);
}

/// Each fault meets the rule that it breaks, on a deployment that the rule passes without the fault.
#[tokio::test(flavor = "multi_thread")]
async fn departure_from_the_source_is_detected_at_the_level_stated() {
    let faults = faults::all().into_iter().filter(|fault| fault.family() == "foreign");
    let known: BTreeMap<_, _> = DETECTED_BY
        .iter()
        .map(|(fault, ..)| (format!("foreign/{fault}"), ()))
        .collect();
    let names: BTreeSet<_> = faults.map(|fault| fault.name).collect();
    assert_eq!(names, known.into_keys().collect());
    for (fault, rule, also) in DETECTED_BY {
        let only = [rule, also].into_iter().filter(|pattern| !pattern.is_empty());
        let plan = Plan {
            faults: vec![format!("foreign/{fault}").as_str().into()],
            variants: Vec::new(),
            only: only.map(Pattern::from).collect(),
            matrix: true,
            ..Plan::default()
        };
        let judgement = judge(&plan, |_| ()).await.unwrap();
        let killed_by = &judgement.faults[0].killed_by;
        assert!(
            killed_by.iter().any(|case| case == rule),
            "{fault}: {rule} does not fail, but {killed_by:?}"
        );
    }
}

/// A deployment with the decisions of two variants has both, in either order: the longer list takes more requests.
#[tokio::test(flavor = "multi_thread")]
async fn grouped_variants_decide_together() {
    let named = |name: &str| otherwise().into_iter().find(|variant| variant.name == name).unwrap();
    let (large, other) = (named("foreign/asgi-large"), named("foreign/asgi-hides-methods"));
    let plan = Plan {
        only: vec!["paging/*".into()],
        ..Plan::default()
    };
    let requests = async |group: &[variants::Variant]| {
        let judged = judge_together(group, &plan).await.unwrap();
        judged[0].requests
    };
    let few = requests(slice::from_ref(&other)).await;
    assert!(requests(&[large.clone(), other.clone()]).await > few);
    assert!(requests(&[other, large]).await > few);
}
