//! The named scalar schemas of the contract that appear in responses.

use serde::Serialize;
use utoipa::ToSchema;

use crate::model::ids as model;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Serialize, ToSchema)]
        #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64)]
        pub(super) struct $name(i64);

        impl From<model::$name> for $name {
            fn from(id: model::$name) -> Self {
                Self(id.get())
            }
        }
    };
}

id! {
    /// Identifies an organization.
    OrganizationId
}
id! {
    /// Identifies a product.
    ProductId
}
id! {
    /// Identifies a pipeline.
    PipelineId
}
id! {
    /// Identifies an item among the items of all pipelines.
    PipelineItemId
}
id! {
    /// Identifies a person.
    PersonId
}
id! {
    /// Identifies a document.
    DocumentId
}

/// A product category; what the filter of that name takes.
#[derive(ToSchema)]
#[expect(dead_code, reason = "stands in the document for the strings of the model")]
pub(super) struct BusinessType(String);
