//! The values of a list filter.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

/// Values of a list filter, at most 50. A record matches if it has any of them.
///
/// A single value, array, slice or vector converts into it, so apps rarely name this type. An empty list
/// applies no filter. The values are sent as a repeated parameter, `countries=NO&countries=DK`.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::FundingStage;
///
/// client
///     .search_organizations_by_description()
///     .description("keeps fresh fish cold on its way to the shops")
///     .countries(["NO", "DK"])
///     .business_types("freight_logistics")
///     .funding_stages([FundingStage::Seed, FundingStage::SeriesA])
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct AnyOf<T>(Vec<T>);

impl<T, U: Into<T>> FromIterator<U> for AnyOf<T> {
    fn from_iter<I: IntoIterator<Item = U>>(values: I) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }
}

impl<T, U: Into<T>, const N: usize> From<[U; N]> for AnyOf<T> {
    fn from(values: [U; N]) -> Self {
        values.into_iter().collect()
    }
}

impl<T, U: Into<T>> From<Vec<U>> for AnyOf<T> {
    fn from(values: Vec<U>) -> Self {
        values.into_iter().collect()
    }
}

impl<T, U: Into<T> + Clone> From<&[U]> for AnyOf<T> {
    fn from(values: &[U]) -> Self {
        values.iter().cloned().collect()
    }
}

impl<T, U: Into<T> + Clone> From<&Vec<U>> for AnyOf<T> {
    fn from(values: &Vec<U>) -> Self {
        values.iter().cloned().collect()
    }
}

impl<T, U: Into<T> + Clone, const N: usize> From<&[U; N]> for AnyOf<T> {
    fn from(values: &[U; N]) -> Self {
        values.iter().cloned().collect()
    }
}

impl<T, U: Into<T>> From<HashSet<U>> for AnyOf<T> {
    fn from(values: HashSet<U>) -> Self {
        values.into_iter().collect()
    }
}

impl<T, U: Into<T>> From<BTreeSet<U>> for AnyOf<T> {
    fn from(values: BTreeSet<U>) -> Self {
        values.into_iter().collect()
    }
}

impl<'a, T: From<&'a str>> From<&'a str> for AnyOf<T> {
    fn from(value: &'a str) -> Self {
        Self(vec![value.into()])
    }
}

impl<T: From<String>> From<String> for AnyOf<T> {
    fn from(value: String) -> Self {
        Self(vec![value.into()])
    }
}

impl From<crate::FundingStage> for AnyOf<crate::FundingStage> {
    fn from(value: crate::FundingStage) -> Self {
        Self(vec![value])
    }
}
