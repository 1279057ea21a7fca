//! What a caller wants to do, and to what: the words that policies and refusals share.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// What a caller wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// To look.
    Read,
    /// To add.
    Create,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "READ",
            Self::Create => "CREATE",
        })
    }
}

/// What a caller wants to do it to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Resource {
    /// The organizations that can be searched.
    Organization,
    /// The products that can be searched.
    Product,
    /// The items of pipelines.
    CollectionItem,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Organization => "ORGANIZATION",
            Self::Product => "PRODUCT",
            Self::CollectionItem => "COLLECTION_ITEM",
        })
    }
}
