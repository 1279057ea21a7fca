//! Faults of the reference server that contradict what the source states fail at the level `stated`, in whatever form
//! the deployment writes its searches.

use axum::Router;
use axum::http::StatusCode;
use platform_conformance::report::Silent;
use platform_conformance::selftest::{Answered, Asked, Plant, faults};
use platform_conformance::{CaseReport, Level, Options, Pattern, PipelineRole, Target, Verdict, catalogue, run};
use serde_json::{Value, json};

use crate::foreign::otherwise;
use crate::served::target;

/// Faults of the reference server that contradict what the source states, each with the case that says so.
/// The names of filters are decided: a deployment in which a filter has no effect may know it by another name.
const OF_REFERENCE_SERVER: [(&str, &str, Verdict); 92] = [
    (
        "filter/norway-is-false",
        "search-filter/countries-keeps-what-fits-any/search_products_by_description",
        Verdict::Failed,
    ),
    (
        "add/null-is-an-organization",
        "add/not-an-integer-adds-nothing",
        Verdict::Failed,
    ),
    (
        "shown/every-twentieth-has-the-name-of-its-neighbour",
        "item/entity-data-is-of-its-organization",
        Verdict::Failed,
    ),
    (
        "shown/every-twentieth-has-the-data-of-its-neighbour",
        "item/entity-data-is-of-its-organization",
        Verdict::Failed,
    ),
    (
        "text/own-description-finds-others",
        "search-ranking/own-description-finds-the-record/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "state/cache-ignores-the-hundreds-of-an-id",
        "search-ranking/known-records-rank-differently/search_organizations_by_organization",
        Verdict::Failed,
    ),
    ("lifecycle/answered-too-late", "add/becomes-ready", Verdict::Failed),
    (
        "meaning/customers-are-organizations",
        "search-ranking/product-comes-with-its-organization/search_products_by_customer",
        Verdict::Failed,
    ),
    (
        "meaning/text-of-a-description-is-remembered",
        "search-ranking/customers-are-not-descriptions/search_organizations_by_customer",
        Verdict::Failed,
    ),
    (
        "filter/nearest-of-a-country-is-lost",
        "search-filter/countries-keeps-what-fits-any/search_organizations_by_description",
        Verdict::Failed,
    ),
    (
        "auth/team-lists-any-pipeline-in-descending-order",
        "auth/some-pipelines/list_items",
        Verdict::Failed,
    ),
    (
        "elsewhere/new-item-is-listed-in-a-neighbour",
        "add/other-pipelines-list-it",
        Verdict::Failed,
    ),
    (
        "auth/any-key-opens",
        "auth/unknown-key/get_item_values",
        Verdict::Failed,
    ),
    (
        "auth/beginning-of-the-key-is-ignored",
        "auth/near-key/list_items",
        Verdict::Failed,
    ),
    (
        "elsewhere/adders-to-one-pipeline-add",
        "add/other-pipelines-of-a-key-that-reads-one",
        Verdict::Failed,
    ),
    (
        "sort/text-by-first-letter",
        "sort/default-order-is-ascending",
        Verdict::Failed,
    ),
    (
        "cross/one-pipeline-opens-an-empty-one",
        "cross/key-of-one-pipeline/list_items",
        Verdict::Failed,
    ),
    (
        "add/list-of-an-id-is-a-body",
        "add/not-an-integer-adds-nothing",
        Verdict::Failed,
    ),
    (
        "add/null-is-an-unknown-organization",
        "error/conditions-have-their-own-status/add_organization",
        Verdict::Failed,
    ),
    (
        "add/fraction-is-cut",
        "add/not-an-integer-adds-nothing",
        Verdict::Failed,
    ),
    ("carried-out/already-there", "add/at-most-once", Verdict::Failed),
    (
        "elsewhere/without-an-answer-not-answered",
        "item/answered-when-no-question-is-pending",
        Verdict::Failed,
    ),
    (
        "elsewhere/documents-are-never-answered",
        "item/answered-when-no-question-is-pending",
        Verdict::Failed,
    ),
    ("wrapped/pipeline", "add/pipeline-id-is-whole", Verdict::Failed),
    (
        "ranking/customers-find-nothing",
        "search-ranking/audiences-find-products/search_products_by_customer",
        Verdict::Failed,
    ),
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
        "cross/what-was-added-needs-no-key",
        "add/new-item-needs-a-key",
        Verdict::Failed,
    ),
    (
        "cross/sorted-list-needs-no-key",
        "cross/missing-key/list_items",
        Verdict::Failed,
    ),
    (
        "cross/any-key-reads-a-descending-list",
        "cross/unknown-key/list_items",
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
        "sort/descending-pages-are-ascending-ones-reversed",
        "sort/default-order-is-ascending",
        Verdict::Failed,
    ),
    (
        "precedence/404-before-401",
        "error/401-before-404/list_items",
        Verdict::Failed,
    ),
    (
        "precedence/body-before-401",
        "error/401-before-422-of-the-body/add_organization",
        Verdict::Failed,
    ),
    (
        "precedence/kind-before-401",
        "error/401-before-400-of-the-kind/add_organization",
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

/// The verdict of one case that only reads, at the level `stated`.
pub(crate) async fn judged(target: &Target, case: &str) -> CaseReport {
    let options = Options {
        level: Level::Stated,
        only: vec![case.into()],
        ..Options::default()
    };
    let report = run(catalogue(), target, &options, &mut Silent).await.unwrap();
    report.case(case).unwrap().clone()
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

/// Only a list of more than 1000 items shows whether a page may have them. It need not be that of `many_items`.
#[tokio::test(flavor = "multi_thread")]
async fn maximum_of_limit_is_checked_on_the_longest_list() {
    let endless = Plant::answer(|asked, answered| {
        let is_above = asked.number("limit").is_some_and(|limit| limit > 1000);
        if asked.calls("list_items") && asked.segment(3) == "1" && is_above {
            let items = vec![json!({"pipeline_item_id": 1}); 1001];
            answered.succeeds(&json!({"pipeline_id": 1, "total_count": 1001, "items": items}));
        }
    });
    let target = target(endless.around(crate::served::router())).await;
    let target = target.with_pipeline(PipelineRole::ManyItems, 2);
    let seen = judged(&target, "paging/limit-never-exceeded").await;
    assert_eq!(seen.verdict, Verdict::Failed, "{seen}");
}

/// A product without its organization, and one with another than elsewhere.
#[tokio::test(flavor = "multi_thread")]
async fn product_has_its_own_organization_at_the_level_stated() {
    let case = "search-ranking/product-comes-with-its-organization/search_products_by_customer";
    type Change = (&'static str, fn(&mut Value), Verdict);
    let without: fn(&mut Value) = |product| product["organization"] = Value::Null;
    let changes: [Change; 4] = [
        ("search_products_by_customer", |_| {}, Verdict::Passed),
        ("search_products_by_customer", without, Verdict::Failed),
        ("search_products", without, Verdict::Failed),
        (
            "search_products_by_customer",
            |product| product["organization"]["organization_id"] = 1001.into(),
            Verdict::Failed,
        ),
    ];
    for (searches, change, verdict) in changes {
        let plant = Plant::answer(move |asked, answered| {
            if asked.operation.is_some_and(|operation| operation.starts_with(searches)) {
                answered.list("results").into_iter().flatten().for_each(change);
            }
        });
        let target = target(plant.around(crate::served::router())).await;
        let seen = judged(&target, case).await;
        assert_eq!(seen.verdict, verdict, "{seen}");
    }
}

/// Each case that adds has an organization of its own, however short the pages of searches are.
#[tokio::test(flavor = "multi_thread")]
async fn enough_organizations_are_found_on_short_pages() {
    let short = otherwise()
        .into_iter()
        .find(|variant| variant.name == "otherwise/searches-have-one-page");
    let target = target(short.unwrap().around(crate::served::router(), 0)).await;
    let options = Options {
        level: Level::Stated,
        allow_writes: true,
        only: vec!["add/*".into()],
        // These wait until items are ready.
        exclude: ["add/*ready*", "add/*-sync-*"].map(Into::into).into(),
        ..Options::default()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    let skipped = report.cases.iter().filter(|case| case.verdict == Verdict::Skipped);
    let lacking: Vec<_> = skipped
        .map(ToString::to_string)
        .filter(|case| case.contains("is left to add"))
        .collect();
    assert_eq!(lacking, [""; 0]);
}

/// A deployment may answer an id that is too great for it as it answers a word, and both as an item that it does not
/// find.
#[tokio::test(flavor = "multi_thread")]
async fn unknown_item_is_one_that_was_looked_for() {
    let case = "error/unknown-item/get_item_status";
    for (status, verdict) in [(404, Verdict::Informed), (400, Verdict::Failed)] {
        let plant = Plant::answer(move |asked, answered| {
            let is_item = asked.path.starts_with("/api/v1/pipelines/");
            let ids = [3, 5]
                .map(|place| asked.segment(place))
                .into_iter()
                .filter(|id| !id.is_empty());
            if is_item && ids.clone().any(|id| id.parse::<i32>().is_err()) {
                answered.status = StatusCode::NOT_FOUND;
                answered.set_text(json!({"detail": "an id is a number"}).to_string());
            } else if asked.calls("get_item_status") && answered.status == 404 {
                answered.status = StatusCode::from_u16(status).unwrap();
                answered.set_text(json!({"detail": "no such item"}).to_string());
            }
        });
        let seen = judged(&target(plant.around(crate::served::router())).await, case).await;
        assert_eq!(seen.verdict, verdict, "{status}: {seen}");
    }
}

/// The source states one status of a success, and when an addition is an error.
#[tokio::test(flavor = "multi_thread")]
async fn success_has_the_status_that_is_stated() {
    type Change = fn(&Asked, &mut Answered);
    let partial: Change = |asked, answered| {
        if asked.calls("list_items") && answered.status == 200 && asked.parameter("limit") == Some("1") {
            answered.status = StatusCode::PARTIAL_CONTENT;
        }
    };
    let broken: Change = |asked, answered| {
        if asked.calls("add_organization") && answered.status == 201 {
            answered.status = StatusCode::INTERNAL_SERVER_ERROR;
        }
    };
    let table = [
        ("schema/list_items/other-status", "limit/*", partial),
        ("add/created-has-its-document", "add/created-has-its-document", broken),
    ];
    for (case, only, change) in table {
        let target = target(Plant::answer(change).around(crate::served::router())).await;
        let options = Options {
            level: Level::Stated,
            allow_writes: true,
            only: [case, only].map(Pattern::from).into(),
            ..Options::default()
        };
        let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
        let seen = report.case(case).unwrap();
        assert_eq!(seen.verdict, Verdict::Failed, "{seen}");
    }
}
