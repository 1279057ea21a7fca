//! Ids and numbers that lose bits.

use crate::exchange::Asked;
use crate::fault::{Family, Fault, fault, parameter, property};
use crate::witness::{add, get};

pub(super) const FAMILY: Family = Family {
    name: "wrapped",
    title: "Ids and numbers that lose bits",
    faults,
};

/// One more than the greatest number of 32 bits.
const WRAP: i64 = 1 << 32;
/// The greatest number of the contract in only the upper bits.
const HIGH: i64 = ((1 << 21) - 1) << 32;

fn faults() -> Vec<Fault> {
    let of_path = |name: &str, operation: &str, parameter_name: &str, wrong, path: String, segment| {
        fault(name, parameter(operation, parameter_name, "format"), wrong)
            .shown_by([get(path)])
            .request(move |asked| wrapped_segment(asked, segment))
    };
    let mut faults = vec![
        of_path(
            "pipeline",
            "list_items",
            "pipeline_id",
            "The id of a pipeline is cut to 32 bits.",
            format!("/api/v1/pipelines/{}/items", 2 + HIGH),
            3,
        ),
        of_path(
            "item",
            "get_item_values",
            "pipeline_item_id",
            "The id of an item is cut to 32 bits.",
            format!("/api/v1/pipelines/2/items/{}/values", 200_001 + HIGH),
            5,
        ),
        of_path(
            "known-organization",
            "search_organizations_by_organization",
            "organization_id",
            "The id of a known organization is cut to 32 bits.",
            format!("/search/organizations/{}/similar", 1001 + HIGH),
            2,
        ),
        fault(
            "known-product",
            parameter("search_products_by_product", "product_id", "format"),
            "The id of a known product is cut to 32 bits.",
        )
        .shown_by([get(format!("/search/products/{}/similar", 2001 + HIGH))])
        .request(|asked| {
            if asked.calls("search_products_by_product") {
                wrapped_segment(asked, 2);
            }
        }),
        fault(
            "organization-to-add",
            property("AddOrganizationRequest", "organization_id"),
            "The id of an organization to add is cut to 32 bits.",
        )
        .shown_by([add(6, format!("{{\"organization_id\": {}}}", 1001 + HIGH))])
        .request(|asked| {
            let id = asked.json()["organization_id"].as_i64();
            if let Some(id) = id.filter(|id| (WRAP..1 << 53).contains(id) && id % WRAP < 1 << 31) {
                asked.body = format!("{{\"organization_id\": {}}}", id % WRAP).into();
            }
        }),
        fault(
            "question",
            parameter("list_items", "sort_by", "pattern"),
            "The id of a question is cut to 32 bits.",
        )
        .shown_by([get(format!(
            "/api/v1/pipelines/1/items?sort_by=question.{}",
            101 + HIGH
        ))])
        .request(|asked| {
            let id = asked
                .parameter("sort_by")
                .and_then(|column| column.strip_prefix("question.")?.parse::<i64>().ok());
            if let Some(id) = id.filter(|id| *id > WRAP && id % WRAP < 1 << 31) {
                asked.set("sort_by", format!("question.{}", id % WRAP));
            }
        }),
    ];
    let of_query = |name: &str, operation: &str, parameter_name: &'static str, wrong, path: String| {
        fault(name, parameter(operation, parameter_name, "maximum"), wrong)
            .shown_by([get(path)])
            .request(move |asked| {
                asked.change(
                    parameter_name,
                    |number| {
                        if number >= WRAP { number % WRAP } else { number }
                    },
                )
            })
    };
    faults.extend([
        of_query(
            "limit",
            "list_items",
            "limit",
            "limit is cut to 32 bits.",
            format!("/api/v1/pipelines/1/items?limit={}", 10 + WRAP),
        ),
        of_query(
            "skip",
            "list_items",
            "skip",
            "skip is cut to 32 bits.",
            format!("/api/v1/pipelines/1/items?skip={}", 10 + WRAP),
        ),
        of_query(
            "size",
            "search_organizations_by_description",
            "employee_count_min",
            "employee_count_min is cut to 32 bits.",
            format!(
                "/search/organizations/similar?description=fish&employee_count_min={}",
                10 + WRAP
            ),
        ),
        of_query(
            "year",
            "search_products_by_customer",
            "founded_year_max",
            "founded_year_max is cut to 32 bits.",
            format!(
                "/search/products/similar-customers?product_customer=fish&founded_year_max={}",
                2000 + WRAP
            ),
        ),
        fault(
            "beyond-64-bits",
            parameter("list_items", "pipeline_id", "format"),
            "The id of a pipeline is cut to 64 bits.",
        )
        .shown_by([get("/api/v1/pipelines/18446744073709551618/items")])
        .request(|asked| {
            let id = asked
                .segment(3)
                .parse::<u128>()
                .ok()
                .filter(|id| *id > u128::from(u64::MAX));
            if let Some(id) = id {
                asked.set_segment(3, id % (1 << 64));
            }
        }),
    ]);
    faults
}

fn wrapped_segment(asked: &mut Asked, segment: usize) {
    let id = asked.segment(segment).parse::<i64>().ok();
    // The greatest id becomes a number that is not an id either.
    if let Some(id) = id.filter(|id| (WRAP..1 << 53).contains(id) && id % WRAP < 1 << 31) {
        asked.set_segment(segment, id % WRAP);
    }
}
