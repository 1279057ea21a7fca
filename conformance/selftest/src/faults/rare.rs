//! Faults that affect one of fifty responses.

use serde_json::json;

use crate::exchange::{Answered, Asked};
use crate::fault::{EVERY_OPERATION, Family, Fault, RARELY, fault, header, operation, property};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "rare",
    title: "One response in fifty",
    faults,
};

fn faults() -> Vec<Fault> {
    let lists = || often(get("/api/v1/pipelines/2/items"));
    let searches = || often(get("/search/organizations/similar?description=fish"));
    let rejections = || often(get("/api/v1/pipelines/99/items"));
    vec![
        fault("fails", EVERY_OPERATION, "One success in fifty gets 500 instead.")
            .shown_by(lists())
            .rarely(succeeded, |_, answered| answered.becomes(500, "internal_error")),
        fault("breaks-off", EVERY_OPERATION, "One success in fifty is truncated.")
            .shown_by(lists())
            .rarely(succeeded, |_, answered| {
                let half = answered.text().chars().take(40).collect::<String>();
                answered.set_text(half);
            }),
        fault(
            "has-no-request-id",
            header("X-Request-Id"),
            "One response in fifty has no request id.",
        )
        .shown_by(lists())
        .rarely(|_, _| true, |_, answered| answered.remove_header("x-request-id")),
        fault(
            "may-be-stored",
            header("Cache-Control"),
            "One response in fifty may be stored.",
        )
        .shown_by(lists())
        .rarely(
            |_, _| true,
            |_, answered| answered.set_header("cache-control", "max-age=1"),
        ),
        fault(
            "list-is-unsorted",
            operation("list_items"),
            "One list in fifty is reversed.",
        )
        .shown_by(lists())
        .rarely(listed, |_, answered| {
            answered.list("items").into_iter().for_each(|items| items.reverse())
        }),
        fault(
            "list-lacks-an-item",
            operation("list_items"),
            "One list in fifty omits its first item.",
        )
        .shown_by(lists())
        .rarely(listed, |_, answered| {
            if let Some(items) = answered.list("items").filter(|items| !items.is_empty()) {
                items.remove(0);
            }
        }),
        fault(
            "list-counts-wrongly",
            property("ItemPage", "total_count"),
            "The total_count of one list in fifty is one too high.",
        )
        .shown_by(lists())
        .rarely(listed, |_, answered| {
            let total = answered.json()["total_count"].as_u64().unwrap_or(0);
            answered.json()["total_count"] = json!(total + 1);
        }),
        fault(
            "search-is-unsorted",
            operation("search_organizations_by_description"),
            "One search in fifty is reversed.",
        )
        .shown_by(searches())
        .rarely(searched, |_, answered| {
            answered
                .list("results")
                .into_iter()
                .for_each(|results| results.reverse())
        }),
        fault(
            "search-is-empty",
            operation("search_organizations_by_description"),
            "One search in fifty finds nothing.",
        )
        .shown_by(searches())
        .rarely(searched, |_, answered| {
            answered.succeeds(&json!({"total_count": 0, "results": []}))
        }),
        fault(
            "search-ignores-filters",
            operation("search_products_by_description"),
            "The total_count of one search in fifty ignores its filters.",
        )
        .shown_by(searches())
        .rarely(searched, |_, answered| answered.json()["total_count"] = json!(3333)),
        fault(
            "refusal-is-another",
            EVERY_OPERATION,
            "One rejection in fifty gets 400.",
        )
        .shown_by(rejections())
        .rarely(
            |_, answered| answered.status.is_client_error(),
            |_, answered| answered.becomes(400, "invalid_sort_by"),
        ),
        fault(
            "quota-of-all",
            EVERY_OPERATION,
            "One response in fifty is 429 without Retry-After.",
        )
        .shown_by(lists())
        .rarely(succeeded, |_, answered| answered.becomes(429, "rate_limited")),
        fault(
            "value-is-null",
            property("ColumnValue", "references"),
            "The references of one list in fifty are null.",
        )
        .shown_by(lists())
        .rarely(listed, |_, answered| {
            answered.entries(|_, entry| entry["references"] = json!(null))
        }),
    ]
}

/// The same request, repeated.
fn often(witness: Witness) -> Vec<Witness> {
    std::iter::repeat_n(witness, usize::try_from(RARELY).unwrap_or(50)).collect()
}

fn succeeded(_: &Asked, answered: &Answered) -> bool {
    answered.is_success()
}

fn listed(asked: &Asked, answered: &Answered) -> bool {
    asked.calls("list_items") && answered.is_success()
}

fn searched(asked: &Asked, answered: &Answered) -> bool {
    asked.searches() && answered.is_success()
}
