//! The identifiers of the contract: whole numbers from 1 to 2^53 − 1. Each kind is a separate type, so that the id of a
//! pipeline cannot be used to look up an organization.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// The largest identifier, 2^53 − 1: the last whole number that every JSON reader represents exactly.
pub const MAX_ID: i64 = (1 << 53) - 1;

/// A number is not an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not an identifier: identifiers are whole numbers from 1 to {MAX_ID}")]
pub struct IdOutOfRange(pub i64);

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "i64", into = "i64")]
        pub struct $name(i64);

        impl $name {
            /// The identifier with this number.
            ///
            /// # Errors
            /// [`IdOutOfRange`] when the number is below 1 or above [`MAX_ID`].
            pub const fn new(number: i64) -> Result<Self, IdOutOfRange> {
                if number >= 1 && number <= MAX_ID {
                    Ok(Self(number))
                } else {
                    Err(IdOutOfRange(number))
                }
            }

            /// The number, from 1 to [`MAX_ID`].
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl TryFrom<i64> for $name {
            type Error = IdOutOfRange;

            fn try_from(number: i64) -> Result<Self, IdOutOfRange> {
                Self::new(number)
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> i64 {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "integer", "minimum": 1, "maximum": MAX_ID})
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
    /// Identifies a person; the platform returns nothing else about a person.
    PersonId
}
id! {
    /// Identifies a document; the platform returns nothing else about a document.
    DocumentId
}
id! {
    /// Identifies a pipeline.
    PipelineId
}
id! {
    /// Identifies an item; unique across all pipelines.
    PipelineItemId
}
id! {
    /// Identifies a qualifying question within its pipeline.
    QuestionId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_lie_between_one_and_the_largest_exact_number() {
        assert!(PipelineId::new(1).is_ok());
        assert!(PipelineId::new(MAX_ID).is_ok());
        for outside in [0, -1, MAX_ID + 1, i64::MIN, i64::MAX] {
            assert_eq!(PipelineId::new(outside), Err(IdOutOfRange(outside)));
            assert!(serde_json::from_str::<PipelineId>(&outside.to_string()).is_err());
        }
    }
}
