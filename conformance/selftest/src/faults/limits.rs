//! Wrong bounds and defaults of `limit` and `skip`.

use crate::exchange::Plant;
use crate::fault::{Family, Fault, fault, parameter};
use crate::witness::get;

pub(super) const FAMILY: Family = Family {
    name: "limit",
    title: "Bounds and defaults of limit and skip",
    faults,
};

const SEARCH: &str = "search_organizations_by_description";

fn faults() -> Vec<Fault> {
    let mut faults = of_lists();
    faults.extend(of_searches());
    faults
}

fn of_lists() -> Vec<Fault> {
    let limit = |keyword| parameter("list_items", "limit", keyword);
    let skip = |keyword| parameter("list_items", "skip", keyword);
    vec![
        fault(
            "default-of-a-sorted-list-is-50",
            limit("default"),
            "Without limit a sorted list has 50 items.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?sort_by=question.101")])
        .request(|asked| {
            if asked.calls("list_items") && asked.parameter("sort_by").is_some() {
                asked.default("limit", 50);
            }
        }),
        fault("default-is-50", limit("default"), "Without limit a list has 50 items.")
            .shown_by([get("/api/v1/pipelines/1/items")])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.default("limit", 50);
                }
            }),
        fault(
            "over-maximum-is-clamped",
            limit("maximum"),
            "A limit above the maximum is treated as the maximum.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=1001")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.change("limit", |limit| limit.min(1000));
            }
        }),
        fault(
            "sorted-list-has-no-maximum",
            limit("maximum"),
            "A limit above the maximum gives as many items of a sorted list.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=1001&sort_by=question.101")])
        .planted(|_| {
            Plant::request(|asked| {
                if asked.calls("list_items") && asked.parameter("sort_by").is_some() {
                    asked.change("limit", |limit| limit.min(1000));
                }
            })
            .and_answer(|asked, answered| {
                let limit = asked.parameter("limit").and_then(|limit| limit.parse().ok());
                let is_sorted = asked.calls("list_items") && asked.parameter("sort_by").is_some();
                if let Some(limit) = limit.filter(|limit| is_sorted && *limit > 1000)
                    && let Some(items) = answered.list("items")
                    && let Some(last) = items.last().cloned()
                {
                    items.resize(limit, last);
                }
            })
        }),
        fault(
            "maximum-is-refused",
            limit("maximum"),
            "The greatest limit is rejected: the bound is exclusive.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=1000")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.change("limit", |limit| if limit == 1000 { 1001 } else { limit });
            }
        }),
        fault("zero-is-one", limit("minimum"), "A limit of 0 is treated as 1.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.change("limit", |limit| if limit == 0 { 1 } else { limit });
                }
            }),
        fault(
            "negative-is-default",
            limit("minimum"),
            "A negative limit is treated as the default.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=-1")])
        .request(|asked| {
            if asked.calls("list_items") && asked.number("limit").is_some_and(|limit| limit < 0) {
                asked.remove("limit");
            }
        }),
        fault("minimum-is-refused", limit("minimum"), "A limit of 1 is rejected.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=1")])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.change("limit", |limit| if limit == 1 { 0 } else { limit });
                }
            }),
        fault(
            "cut-to-500",
            limit("maximum"),
            "A page has at most 500 items, whatever the limit.",
        )
        .shown_by([get("/api/v1/pipelines/1/items?limit=600")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.change("limit", |limit| if (501..=1000).contains(&limit) { 500 } else { limit });
            }
        }),
        fault("one-too-many", limit("maximum"), "A page has one item more than limit.")
            .shown_by([get("/api/v1/pipelines/2/items?limit=5")])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.change(
                        "limit",
                        |limit| {
                            if (1..1000).contains(&limit) { limit + 1 } else { limit }
                        },
                    );
                }
            }),
        fault(
            "no-number-is-default",
            limit("type"),
            "A limit that is not a number is treated as the default.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=ten")])
        .request(|asked| {
            if asked.calls("list_items") && asked.number("limit").is_none() {
                asked.remove("limit");
            }
        }),
        fault("fraction-is-cut", limit("type"), "A limit of 5.5 is treated as 5.")
            .shown_by([
                get("/api/v1/pipelines/2/items?limit=5.5"),
                get("/api/v1/pipelines/2/items?limit=1.0"),
            ])
            .request(|asked| {
                let whole = asked.parameter("limit").and_then(|text| text.split_once('.'));
                if let Some((whole, _)) = whole.filter(|_| asked.calls("list_items")) {
                    let whole = whole.to_owned();
                    asked.set("limit", whole);
                }
            }),
        fault(
            "overflow-is-default",
            limit("maximum"),
            "A limit too large for 64 bits is treated as the default.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=99999999999999999999")])
        .request(|asked| {
            let digits = asked.parameter("limit").map_or(0, str::len);
            if asked.calls("list_items") && digits > 18 && asked.number("limit").is_none() {
                asked.remove("limit");
            }
        }),
        fault(
            "repeated-takes-the-last",
            limit("type"),
            "The last of several values of limit counts.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=1&limit=2")])
        .request(|asked| {
            let last = asked.query.rsplit('&').find_map(|pair| pair.strip_prefix("limit="));
            if let Some(last) = last.filter(|_| asked.calls("list_items")).map(str::to_owned) {
                asked.set("limit", last);
            }
        }),
        fault(
            "skip-default-is-1",
            skip("default"),
            "Without skip the first item is omitted.",
        )
        .shown_by([get("/api/v1/pipelines/2/items")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.default("skip", 1);
            }
        }),
        fault(
            "skip-negative-is-zero",
            skip("minimum"),
            "A negative skip is treated as 0.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=-1")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.change("skip", |skip| skip.max(0));
            }
        }),
        fault("skip-empty-is-zero", skip("type"), "An empty skip is treated as 0.")
            .shown_by([get("/api/v1/pipelines/2/items?skip=")])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.keep(|name, value| name != "skip" || !value.is_empty());
                }
            }),
        fault(
            "skip-over-maximum-is-clamped",
            skip("maximum"),
            "A skip above the maximum is treated as the maximum.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=9007199254740992")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.change("skip", |skip| skip.min(9_007_199_254_740_991));
            }
        }),
        fault(
            "skip-of-zero-is-refused",
            skip("minimum"),
            "A skip of 0 is rejected: the bound is exclusive.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=0")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.change("skip", |skip| if skip == 0 { -1 } else { skip });
            }
        }),
        fault("skip-is-bounded", skip("maximum"), "A skip above 10000 is rejected.")
            .shown_by([get("/api/v1/pipelines/2/items?skip=10001")])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.change("skip", |skip| if skip > 10_000 { -1 } else { skip });
                }
            }),
        fault(
            "skip-repeated-takes-the-first",
            skip("type"),
            "The first of several values of skip counts.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?skip=1&skip=2")])
        .request(|asked| {
            if let Some(skip) = asked.number("skip").filter(|_| asked.calls("list_items")) {
                asked.set("skip", skip);
            }
        }),
    ]
}

fn of_searches() -> Vec<Fault> {
    let limit = |keyword| parameter(SEARCH, "limit", keyword);
    let skip = |keyword| parameter(SEARCH, "skip", keyword);
    let reach = format!("{}/x-constraints/0", limit("").trim_end_matches("/schema/"));
    let fish = |rest: &str| get(format!("/search/organizations/similar?description=fish{rest}"));
    vec![
        fault(
            "search-default-is-10",
            limit("default"),
            "Without limit a search has 10 results.",
        )
        .shown_by([fish("")])
        .request(|asked| {
            if asked.searches() {
                asked.default("limit", 10);
            }
        }),
        fault(
            "search-skip-one-over-is-taken",
            parameter("search_products_by_description", "skip", "maximum"),
            "A search takes a skip of one above the maximum.",
        )
        .shown_by([get("/search/products/similar?description=fish&skip=1000&limit=1")])
        .request(|asked| {
            if asked.searches() && asked.number("skip") == Some(1000) {
                asked.set("skip", 999);
            }
        }),
        fault(
            "search-over-maximum-is-clamped",
            limit("maximum"),
            "A search treats a limit above the maximum as the maximum.",
        )
        .shown_by([fish("&limit=101")])
        .request(|asked| {
            if asked.searches() {
                asked.change("limit", |limit| limit.min(100));
            }
        }),
        fault(
            "search-zero-is-default",
            limit("minimum"),
            "A search treats a limit of 0 as the default.",
        )
        .shown_by([fish("&limit=0")])
        .request(|asked| {
            if asked.searches() && asked.number("limit") == Some(0) {
                asked.remove("limit");
            }
        }),
        fault(
            "search-reach-is-clamped",
            &*reach,
            "A page beyond the reach of a search is cut short.",
        )
        .shown_by([fish("&skip=950&limit=60")])
        .request(|asked| {
            let skip = asked.number("skip").filter(|skip| (901..1000).contains(skip));
            if let Some(skip) = skip.filter(|_| asked.searches()) {
                asked.change(
                    "limit",
                    |limit| {
                        if limit <= 100 { limit.min(1000 - skip) } else { limit }
                    },
                );
            }
        }),
        fault(
            "search-reach-is-999",
            &*reach,
            "The last result within reach is rejected.",
        )
        .shown_by([fish("&skip=999&limit=1")])
        .request(|asked| {
            let end = asked.number("skip").unwrap_or(0) + asked.number("limit").unwrap_or(20);
            if asked.searches() && end == 1000 {
                asked.set("limit", 101);
            }
        }),
        fault("search-skip-is-ignored", skip("default"), "A search ignores skip.")
            .shown_by([fish("&skip=5")])
            .request(|asked| {
                if asked.searches() && asked.number("skip").is_some_and(|skip| (0..900).contains(&skip)) {
                    asked.remove("skip");
                }
            }),
        fault(
            "search-skip-negative-is-zero",
            skip("minimum"),
            "A search treats a negative skip as 0.",
        )
        .shown_by([fish("&skip=-5")])
        .request(|asked| {
            if asked.searches() {
                asked.change("skip", |skip| skip.max(0));
            }
        }),
        fault(
            "search-limit-is-a-float",
            limit("type"),
            "A search treats a limit of 2e1 as 20.",
        )
        .shown_by([fish("&limit=2e1"), fish("&limit=1.0"), fish("&limit=1.5")])
        .request(|asked| {
            let float = asked.parameter("limit").and_then(|text| text.parse::<f64>().ok());
            if let Some(float) = float.filter(|_| asked.searches() && asked.number("limit").is_none()) {
                asked.set("limit", float.trunc());
            }
        }),
    ]
}
