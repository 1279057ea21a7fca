//! The operations of the contract, as faults and the journal name them.

use std::fmt;
use std::sync::LazyLock;

use axum::http::Method;
use platform_contract::Contract;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
        let route = ROUTES.iter().find(|route| route.matches(method, path));
        route.map(|route| route.operation)
    }

    /// What the contract says about the operation.
    pub(super) fn clause(self) -> Option<&'static Clause> {
        let route = ROUTES.iter().find(|route| route.operation == self);
        route.map(|route| &route.clause)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the contract says about an operation.
#[derive(Debug)]
pub(super) struct Clause {
    /// Its line in `openapi.yaml`.
    pub(super) line: Option<u64>,
    contract: &'static platform_contract::Operation,
    /// The statuses after which the same request may be sent again.
    retryable: Vec<u64>,
}

impl Clause {
    /// Whether the contract declares this status for the operation.
    pub(super) fn declares(&self, status: u16) -> bool {
        self.contract.response(status).is_some()
    }

    /// Whether the same request may be sent again after this status.
    pub(super) fn allows_retry(&self, status: u16) -> bool {
        self.retryable.contains(&status.into())
    }
}

#[derive(Debug)]
struct Route {
    operation: Operation,
    clause: Clause,
}

static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let contract = Contract::bundled();
    let route = |operation: Operation| {
        let declared = contract.operation(operation.as_str());
        let place = format!("{}/x-retryable-statuses", declared.pointer);
        let retryable = contract.get(&place).and_then(|it| it.as_array());
        let clause = Clause {
            line: contract.line(&declared.pointer),
            contract: declared,
            retryable: retryable
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_u64)
                .collect(),
        };
        Route { operation, clause }
    };
    Operation::ALL.map(route).into()
});

impl Route {
    fn matches(&self, method: &str, path: &str) -> bool {
        let declared = self.clause.contract;
        let mut segments = declared.path.split('/').zip(path.split('/'));
        let fits = |(ours, theirs): (&str, &str)| match ours.starts_with('{') {
            true => !theirs.is_empty(),
            false => ours == theirs,
        };
        declared.method == method && declared.path.split('/').count() == path.split('/').count() && segments.all(fits)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_operations_are_those_of_the_contract() {
        let contract = Contract::bundled().operations().iter();
        let named: BTreeSet<_> = contract.map(|operation| operation.id.as_str()).collect();
        assert_eq!(BTreeSet::from(Operation::ALL.map(Operation::as_str)), named);
        for operation in Operation::ALL {
            let written = serde_json::to_value(operation).unwrap();
            assert_eq!(written, operation.as_str());
            let declared = Contract::bundled().operation(operation.as_str());
            assert_eq!(operation.is_read(), declared.is_read());
            assert!(operation.clause().unwrap().line.is_some());
        }
    }

    #[test]
    fn a_request_is_for_the_operation_of_its_method_and_path() {
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
    fn a_clause_knows_the_declared_statuses_and_those_to_retry() {
        let clause = Operation::AddOrganization.clause().unwrap();
        assert!(clause.declares(201) && clause.declares(409) && clause.declares(503));
        assert!(!clause.declares(200) && !clause.declares(302));
        assert!(clause.allows_retry(429) && !clause.allows_retry(409));
    }
}
