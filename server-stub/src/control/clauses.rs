//! Generated from openapi.yaml. Update it with `UPDATE_EXPECT=1 cargo test -p platform-server-stub --test it clauses`.

use super::clause::Clause;

#[rustfmt::skip]
pub(super) const CLAUSES: [Clause; 10] = [
    Clause {
        id: "list_items",
        line: 756,
        method: "GET",
        path: "/api/v1/pipelines/{pipeline_id}/items",
        statuses: &["200", "400", "401", "403", "404", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "get_item_status",
        line: 934,
        method: "GET",
        path: "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status",
        statuses: &["200", "400", "401", "403", "404", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "get_item_values",
        line: 880,
        method: "GET",
        path: "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values",
        statuses: &["200", "400", "401", "403", "404", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "add_organization",
        line: 991,
        method: "POST",
        path: "/api/v1/pipelines/{pipeline_id}/organizations",
        statuses: &["201", "400", "401", "403", "404", "409", "413", "415", "422", "429", "5XX"],
        retryable: &[429],
    },
    Clause {
        id: "search_organizations_by_description",
        line: 423,
        method: "GET",
        path: "/search/organizations/similar",
        statuses: &["200", "401", "403", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "search_organizations_by_customer",
        line: 488,
        method: "GET",
        path: "/search/organizations/similar-customers",
        statuses: &["200", "401", "403", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "search_organizations_by_organization",
        line: 369,
        method: "GET",
        path: "/search/organizations/{organization_id}/similar",
        statuses: &["200", "401", "403", "404", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "search_products_by_description",
        line: 614,
        method: "GET",
        path: "/search/products/similar",
        statuses: &["200", "401", "403", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "search_products_by_customer",
        line: 683,
        method: "GET",
        path: "/search/products/similar-customers",
        statuses: &["200", "401", "403", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
    Clause {
        id: "search_products_by_product",
        line: 557,
        method: "GET",
        path: "/search/products/{product_id}/similar",
        statuses: &["200", "401", "403", "404", "422", "429", "5XX"],
        retryable: &[429, 500, 502, 503, 504],
    },
];
