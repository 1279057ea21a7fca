//! Actions and resources, which policies and rejections name.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// An action that a caller requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// Reading.
    Read,
    /// Adding.
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

/// A resource that an action applies to.
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
