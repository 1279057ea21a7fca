//! Ids, one type for each kind, so that an organization id cannot be passed as a pipeline id.
//!
//! The server checks the range and reports errors; these types do not.

use std::fmt;
use std::num::{ParseIntError, TryFromIntError};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// Ids are integers from 1 to 2^53 − 1. Numbers convert into one, and text parses into one.
        ///
        /// ```
        #[doc = concat!("use platform_sdk::", stringify!($name), ";")]
        ///
        #[doc = concat!("let id = ", stringify!($name), "::from(42);")]
        /// assert_eq!(id.get(), 42);
        /// assert_eq!(id.to_string(), "42");
        /// assert_eq!("42".parse(), Ok(id));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Returns the number.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::types::whole::read(deserializer).map(Self)
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }

        // The type of a literal without a suffix, so that `pipeline_id(42)` compiles.
        impl From<i32> for $name {
            fn from(number: i32) -> Self {
                Self(number.into())
            }
        }

        impl From<u32> for $name {
            fn from(number: u32) -> Self {
                Self(number.into())
            }
        }

        impl TryFrom<u64> for $name {
            type Error = TryFromIntError;

            fn try_from(number: u64) -> Result<Self, Self::Error> {
                number.try_into().map(Self)
            }
        }

        impl TryFrom<usize> for $name {
            type Error = TryFromIntError;

            fn try_from(number: usize) -> Result<Self, Self::Error> {
                number.try_into().map(Self)
            }
        }

        impl TryFrom<$name> for u64 {
            type Error = TryFromIntError;

            fn try_from(id: $name) -> Result<Self, Self::Error> {
                id.0.try_into()
            }
        }

        impl From<$name> for i64 {
            fn from(id: $name) -> Self {
                id.0
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
id! {
    /// Identifies a qualifying question of a pipeline.
    QuestionId
}
