//! The operations of the contract.

use serde::{Deserialize, Serialize};

/// An operation of the contract, under its `operationId`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
