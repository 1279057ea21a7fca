//! The operations of the contract, as faults and recorded requests name them.

use std::fmt;

use axum::http::Method;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::clause::Clause;
use super::clauses::CLAUSES;

/// An operation of the contract, under its `operationId`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the contract documents its operations")]
pub enum Operation {
    SearchOrganizationsByOrganization,
    SearchOrganizationsByDescription,
    SearchOrganizationsByCustomer,
    SearchProductsByProduct,
    SearchProductsByDescription,
    SearchProductsByCustomer,
    ListItems,
    GetItemValues,
    GetItemStatus,
    AddOrganization,
}

impl Operation {
    /// All operations.
    pub const ALL: [Self; 10] = [
        Self::SearchOrganizationsByOrganization,
        Self::SearchOrganizationsByDescription,
        Self::SearchOrganizationsByCustomer,
        Self::SearchProductsByProduct,
        Self::SearchProductsByDescription,
        Self::SearchProductsByCustomer,
        Self::ListItems,
        Self::GetItemValues,
        Self::GetItemStatus,
        Self::AddOrganization,
    ];

    /// Its `operationId`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SearchOrganizationsByOrganization => "search_organizations_by_organization",
            Self::SearchOrganizationsByDescription => "search_organizations_by_description",
            Self::SearchOrganizationsByCustomer => "search_organizations_by_customer",
            Self::SearchProductsByProduct => "search_products_by_product",
            Self::SearchProductsByDescription => "search_products_by_description",
            Self::SearchProductsByCustomer => "search_products_by_customer",
            Self::ListItems => "list_items",
            Self::GetItemValues => "get_item_values",
            Self::GetItemStatus => "get_item_status",
            Self::AddOrganization => "add_organization",
        }
    }

    /// Whether it changes nothing.
    pub const fn is_read(self) -> bool {
        !matches!(self, Self::AddOrganization)
    }

    /// The operation that a request is for; `HEAD` is for the operation of `GET`.
    pub(super) fn of(method: &Method, path: &str) -> Option<Self> {
        let method = match *method {
            Method::HEAD => "GET",
            _ => method.as_str(),
        };
        let is_for = |operation: &Self| operation.clause().is_some_and(|clause| clause.matches(method, path));
        Self::ALL.into_iter().find(is_for)
    }

    /// What the contract says about the operation.
    pub(super) fn clause(self) -> Option<&'static Clause> {
        CLAUSES.iter().find(|clause| clause.id == self.as_str())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use platform_contract::Contract;

    use super::*;

    #[test]
    fn operations_are_those_of_the_contract() {
        let contract = Contract::bundled().operations().iter();
        let named: BTreeSet<_> = contract.map(|operation| operation.id.as_str()).collect();
        assert_eq!(BTreeSet::from(Operation::ALL.map(Operation::as_str)), named);
        for operation in Operation::ALL {
            let written = serde_json::to_value(operation).unwrap();
            assert_eq!(written, operation.as_str());
            let declared = Contract::bundled().operation(operation.as_str());
            assert_eq!(operation.is_read(), declared.is_read());
            assert!(operation.clause().is_some());
        }
    }

    #[test]
    fn request_is_for_the_operation_of_its_method_and_path() {
        let of = |method: Method, path: &str| Operation::of(&method, path);
        let list = "/api/v1/pipelines/6/items";
        assert_eq!(of(Method::GET, list), Some(Operation::ListItems));
        assert_eq!(of(Method::HEAD, list), Some(Operation::ListItems));
        assert_eq!(
            of(Method::GET, "/api/v1/pipelines/x/items/y/status"),
            Some(Operation::GetItemStatus)
        );
        assert_eq!(
            of(Method::GET, "/search/products/similar"),
            Some(Operation::SearchProductsByDescription)
        );
        for (method, path) in [
            (Method::POST, list),
            (Method::OPTIONS, list),
            (Method::GET, "/api/v1/pipelines/6/items/"),
            (Method::GET, "/api/v1/pipelines//items"),
            (Method::GET, "/api/v1/pipelines/6"),
            (Method::GET, "/"),
        ] {
            assert_eq!(of(method, path), None, "{path}");
        }
    }

    #[test]
    fn clause_knows_the_declared_statuses_and_those_to_retry() {
        let clause = Operation::AddOrganization.clause().unwrap();
        assert!(clause.declares(201) && clause.declares(409) && clause.declares(503));
        assert!(!clause.declares(200) && !clause.declares(302));
        assert!(clause.allows_retry(429) && !clause.allows_retry(409));
    }
}
