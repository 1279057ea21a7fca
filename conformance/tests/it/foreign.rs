//! Deployments that share no code with the reference server, and variants that decide otherwise than the contract: at
//! the level `stated` all of them pass, and every departure from what the source states fails.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use axum::Router;
use platform_conformance::report::Silent;
use platform_conformance::selftest::{Judgement, Plan, Plant, faults, judge, judge_together, variants};
use platform_conformance::{CaseReport, Contract, Level, Options, Pattern, Verdict, catalogue, run};
use serde_json::Value;

use crate::served::target;

/// The least number of variants that decide otherwise.
const OTHERWISE: usize = 20;

/// Each fault with the rule that detects it, and the cases that have to run for that.
const DETECTED_BY: [(&str, &str, &str); 46] = [
    ("asgi-empty-key-opens", "auth/empty-key/list_items", ""),
    ("servlet-empty-key-opens", "auth/empty-key/list_items", ""),
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
fn otherwise() -> Vec<variants::Variant> {
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

/// Faults of the reference server that contradict what the source states, each with the case that says so.
/// The names of filters are decided: a deployment in which a filter has no effect may know it by another name.
const OF_REFERENCE_SERVER: [(&str, &str, Verdict); 60] = [
    (
        "auth/denied-list-is-unauthenticated",
        "auth/denied-key-is-known",
        Verdict::Failed,
    ),
    (
        "crm/new-item-was-synced-before",
        "add/other-pipelines-sync-it",
        Verdict::Failed,
    ),
    (
        "filter/countries-hold-on-first-pages",
        "search-filter/holds-on-later-pages/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "in-one-place/organization-of-a-shard-is-unknown",
        "search-ranking/known-record-is-not-found/search_organizations_by_organization",
        Verdict::Failed,
    ),
    (
        "crm/never-synced-has-a-time",
        "item/never-synced-is-null",
        Verdict::Failed,
    ),
    (
        "wrapped/organization-to-add",
        "add/organization-id-is-whole",
        Verdict::Failed,
    ),
    (
        "paging/total-is-zero-past-the-end",
        "paging/skip-past-the-end-is-empty",
        Verdict::Failed,
    ),
    (
        "shown/organizations-of-products-are-stubs",
        "search-ranking/product-comes-with-its-organization/search_products_by_description",
        Verdict::Failed,
    ),
    (
        "item/sync-error-stays",
        "item/no-sync-error-after-success",
        Verdict::Failed,
    ),
    (
        "auth/denial-is-remembered",
        "auth/one-pipeline/get_item_status",
        Verdict::Failed,
    ),
    (
        "state/headquarters-of-the-first-search",
        "search-headquarters/default-is-true/search_products_by_description",
        Verdict::Failed,
    ),
    (
        "in-one-place/last-person-is-listed-under-another-id",
        "item/values-agree-with-the-list",
        Verdict::Failed,
    ),
    (
        "add/new-items-are-read-late",
        "add/is-readable-at-once",
        Verdict::Failed,
    ),
    ("state/new-items-come-late", "add/appears-in-the-list", Verdict::Failed),
    (
        "add/at-once-are-several-items",
        "add/at-once-exactly-one",
        Verdict::Failed,
    ),
    (
        "add/at-once-are-all-created",
        "add/at-once-exactly-one",
        Verdict::Informed,
    ),
    (
        "combined/five-filters-are-too-many",
        "search-filter/each-counts-beside-all-others/search_products_by_description",
        Verdict::Failed,
    ),
    (
        "cross/denied-key-reads-behind-the-end",
        "cross/no-access/list_items",
        Verdict::Failed,
    ),
    ("auth/denied-is-not-found", "auth/no-access/list_items", Verdict::Failed),
    (
        "filter/greatest-size-is-lost-on-later-pages",
        "search-filter/holds-on-later-pages/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "filter/headquarters-only-defaults-to-false",
        "search-headquarters/default-is-true/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "combined/sizes-replace-regions",
        "search-filter/each-pair-holds-after-either-alone/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "filter/least-size-is-ignored",
        "search-filter/employee-count-min-keeps-what-passes/search_organizations_by_description",
        Verdict::Informed,
    ),
    (
        "filter/least-size-is-excluded",
        "search-filter/employee-count-min-keeps-what-passes/search_organizations_by_description",
        Verdict::Informed,
    ),
    (
        "shown/customers-without-locations",
        "search-ranking/record-is-the-same-in-every-search/search_organizations_by_customer",
        Verdict::Failed,
    ),
    (
        "shown/short-descriptions",
        "search-ranking/record-is-the-same-in-every-search/search_organizations_by_organization",
        Verdict::Informed,
    ),
    (
        "filter/true-is-taken-for-false",
        "search-headquarters/default-is-true/search_organizations_by_customer",
        Verdict::Failed,
    ),
    (
        "filter/dates-are-years",
        "search-filter/funded-from-keeps-what-passes/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "combined/stages-with-dates-are-refused",
        "search-filter/each-pair-holds-after-either-alone/search_products_by_description",
        Verdict::Failed,
    ),
    (
        "combined/earliest-round-replaces-latest",
        "search-filter/each-pair-holds-after-either-alone/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "filter/customers-of-any-type",
        "search-filter/business-types-keeps-what-fits-any/search_products_by_customer",
        Verdict::Failed,
    ),
    (
        "filter/first-category-counts",
        "search-filter/holds-on-later-pages/search_products_by_description",
        Verdict::Failed,
    ),
    (
        "cross/later-list-of-the-denied-is-empty",
        "cross/no-access/list_items",
        Verdict::Failed,
    ),
    (
        "cross/what-is-there-needs-no-key",
        "auth/missing-key-for-what-is-there/add_organization",
        Verdict::Failed,
    ),
    (
        "cross/items-of-any-pipeline-with-a-crm",
        "cross/item-of-any-other-pipeline/get_item_values",
        Verdict::Failed,
    ),
    (
        "sort/without-a-value-is-left-out",
        "sort/sorted-is-a-permutation",
        Verdict::Failed,
    ),
    (
        "sort/numbers-as-text",
        "sort/default-order-is-ascending",
        Verdict::Failed,
    ),
    (
        "sort/beginning-of-a-column-is-taken",
        "sort/unknown-column-is-rejected",
        Verdict::Failed,
    ),
    (
        "combined/zero-maximum-is-missing",
        "search-filter/zero-is-a-bound/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "item/success-without-a-time",
        "item/success-has-a-time",
        Verdict::Failed,
    ),
    (
        "schema/no-similarity-on-long-pages",
        "search-ranking/nearest-first-ties-by-id/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "meaning/known-product-is-not-looked-at",
        "search-ranking/known-records-rank-differently/search_products_by_product",
        Verdict::Failed,
    ),
    (
        "ranking/farthest-first",
        "search-ranking/nearest-first-ties-by-id/search_organizations_by_description",
        Verdict::Informed,
    ),
    (
        "state/cache-ignores-the-text-beside-filters",
        "search-ranking/subject-counts-beside-filters/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "filter/several-countries-look-at-every-office",
        "search-filter/countries-keeps-what-fits-any/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "shown/only-the-categories-that-were-asked-for",
        "search-ranking/record-is-the-same-in-every-search/search_products_by_description",
        Verdict::Failed,
    ),
    (
        "state/cache-ignores-the-organization-beside-limit",
        "search-ranking/subject-counts-beside-filters/search_organizations_by_organization",
        Verdict::Failed,
    ),
    (
        "sort/letters-after-an-id-are-ignored",
        "sort/nearly-a-column-is-rejected",
        Verdict::Failed,
    ),
    (
        "add/white-space-before-a-body",
        "add/any-writing-of-json-is-read",
        Verdict::Failed,
    ),
    (
        "elsewhere/greatest-organization-is-there",
        "error/conditions-have-their-own-status/add_organization",
        Verdict::Failed,
    ),
    (
        "crm/months-count-from-zero",
        "item/sync-times-are-iso-8601",
        Verdict::Failed,
    ),
    (
        "in-one-place/sorted-documents-count-the-page",
        "paging/pages-of-any-pipeline",
        Verdict::Failed,
    ),
    (
        "in-one-place/keyless-list-of-nothing",
        "cross/missing-key-to-any-pipeline/list_items",
        Verdict::Failed,
    ),
    (
        "in-one-place/reader-who-has-read-adds",
        "add/other-pipelines-need-the-permission",
        Verdict::Failed,
    ),
    (
        "in-one-place/new-item-is-not-sorted",
        "add/other-pipelines-list-it",
        Verdict::Failed,
    ),
    (
        "limit/sorted-list-has-no-maximum",
        "cross/limit-above-maximum/list_items",
        Verdict::Failed,
    ),
    (
        "meaning/known-product-is-its-organization",
        "search-ranking/known-records-rank-differently/search_products_by_product",
        Verdict::Failed,
    ),
    (
        "shown/norway-is-false",
        "search-ranking/no-text-is-empty/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "ranking/filtered-is-by-id",
        "schema/organizations-are-ranked",
        Verdict::Failed,
    ),
    (
        "ranking/organization-of-two-countries-comes-twice",
        "schema/each-result-occurs-once",
        Verdict::Failed,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn violations_of_the_source_fail_at_the_level_stated() {
    for (name, case, verdict) in OF_REFERENCE_SERVER {
        let seen = judged_alone(name, case, |router| router).await;
        assert_eq!(seen.verdict, verdict, "{name}: {seen}");
    }
}

/// The names of fields and the form of a page were decided, so that the same faults are found in any form.
#[tokio::test(flavor = "multi_thread")]
async fn violations_of_the_source_fail_in_whatever_form_searches_are_written() {
    let forms = ["otherwise/searches-in-camel-case", "otherwise/searches-have-hits"];
    let forms = forms.map(|name| otherwise().into_iter().find(|variant| variant.name == name).unwrap());
    let of_searches = OF_REFERENCE_SERVER.iter().filter(|(_, case, verdict)| {
        *verdict == Verdict::Failed && (case.contains("/search_") || case.starts_with("schema/"))
    });
    for ((name, case, verdict), form) in of_searches.zip(forms.iter().cycle()) {
        let seen = judged_alone(name, case, |router| form.around(router, 0)).await;
        assert_eq!(seen.verdict, *verdict, "{name} on {}: {seen}", form.name);
    }
}

/// The verdict of one case at the level `stated` on a fault of the reference server with something around it.
async fn judged_alone(fault: &str, case: &str, around: impl FnOnce(Router) -> Router) -> CaseReport {
    let fault = faults::all().into_iter().find(|known| known.name == fault).unwrap();
    let target = target(around(fault.around(crate::served::router(), 0))).await;
    // A case that watches the responses of others sends nothing itself.
    let watched = case.starts_with("schema/").then_some("search-filter/countries-keeps-*");
    let options = Options {
        level: Level::Stated,
        allow_writes: true,
        only: [case].into_iter().chain(watched).map(Pattern::from).collect(),
        ..Options::default()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    report.case(case).unwrap().clone()
}

/// A product without its organization, and one with another than elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn product_has_its_own_organization_at_the_level_stated() {
    let case = "search-ranking/product-comes-with-its-organization/search_products_by_customer";
    let changes: [fn(&mut Value); 3] = [
        |_| {},
        |product| product["organization"] = Value::Null,
        |product| product["organization"]["organization_id"] = 1001.into(),
    ];
    let verdicts = [Verdict::Passed, Verdict::Failed, Verdict::Failed];
    for (change, verdict) in changes.into_iter().zip(verdicts) {
        let plant = Plant::answer(move |asked, answered| {
            if asked.calls("search_products_by_customer") {
                answered.list("results").into_iter().flatten().for_each(change);
            }
        });
        let target = target(plant.around(crate::served::router())).await;
        let options = Options {
            level: Level::Stated,
            only: vec![case.into()],
            ..Options::default()
        };
        let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
        assert_eq!(report.case(case).unwrap().verdict, verdict, "{}", report.cases[0]);
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
