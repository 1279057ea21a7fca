//! The arguments of a request: given, missing or invalid.

use std::convert::Infallible;
use std::fmt::{self, Display};

use crate::call::operation::Operation;
use crate::error::{Error, Kind};

/// The value of a parameter, as given by the app.
#[derive(Debug, Clone, Default)]
pub(crate) enum Argument<T> {
    /// Not given.
    #[default]
    Missing,
    Given(T),
    /// Given, but cannot be converted; holds the reason.
    Unfit(String),
}

impl<T> Argument<T> {
    pub(crate) fn of<V>(value: V) -> Self
    where
        V: TryInto<T>,
        V::Error: Display,
    {
        match value.try_into() {
            Ok(value) => Self::Given(value),
            Err(error) => Self::Unfit(error.to_string()),
        }
    }

    pub(crate) fn optionally<K>(value: impl OptionalArgument<T, K>) -> Self {
        match value.argument() {
            None => Self::Missing,
            Some(Ok(value)) => Self::Given(value),
            Some(Err(why)) => Self::Unfit(why),
        }
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Argument<U> {
        match self {
            Self::Missing => Argument::Missing,
            Self::Given(value) => Argument::Given(change(value)),
            Self::Unfit(why) => Argument::Unfit(why),
        }
    }

    /// Returns the value, if one was given and is valid.
    pub(crate) fn given(&self) -> Option<&T> {
        match self {
            Self::Given(value) => Some(value),
            _ => None,
        }
    }

    /// Replaces this argument with `other`, unless that is missing.
    pub(crate) fn set(&mut self, other: &Self)
    where
        T: Clone,
    {
        if !matches!(other, Self::Missing) {
            *self = other.clone();
        }
    }

    /// Returns the value of a required parameter.
    pub(crate) fn required(&self, name: &str) -> Result<&T, Invalid> {
        let missing = || Invalid(format!("`{name}` is missing"));
        self.optional(name)?.ok_or_else(missing)
    }

    /// Returns the value of an optional parameter.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<&T>, Invalid> {
        match self {
            Self::Missing => Ok(None),
            Self::Given(value) => Ok(Some(value)),
            Self::Unfit(why) => {
                let of = short(std::any::type_name::<T>());
                Err(Invalid(format!("`{name}` does not fit `{of}`: {why}")))
            }
        }
    }
}

impl<T: Copy> Argument<T> {
    /// Returns the required id of a handwritten request.
    pub(crate) fn id(&self, operation: &Operation, name: &str) -> Result<T, Error> {
        let id = self.required(name).copied();
        id.map_err(|invalid| Error::from(invalid).of(operation.id))
    }
}

impl<T> From<Option<T>> for Argument<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Self::Given)
    }
}

/// Why a request cannot be built from its arguments.
#[derive(Debug)]
pub(crate) struct Invalid(String);

impl Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Invalid> for Error {
    fn from(Invalid(why): Invalid) -> Self {
        Self::new(Kind::Argument(why))
    }
}

/// A body that lacks a property cannot be sent.
impl From<crate::types::error::ConversionError> for Error {
    fn from(why: crate::types::error::ConversionError) -> Self {
        Self::new(Kind::Argument(why.to_string()))
    }
}

impl From<Invalid> for crate::types::error::ConversionError {
    fn from(Invalid(why): Invalid) -> Self {
        why.into()
    }
}

/// Removes paths from a type name: `AnyOf<FundingStage>` for
/// `platform_sdk::AnyOf<platform_sdk::FundingStage>`.
fn short(name: &str) -> String {
    let names = name.split('<').map(|part| part.rsplit("::").next().unwrap_or(part));
    names.collect::<Vec<_>>().join("<")
}

/// An argument of an optional parameter: a value that converts into the parameter's type `T`, or an `Option` of one.
/// `None` leaves the parameter out. `Kind` distinguishes the two and is always inferred.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client, at_most: Option<u32>) -> Result<(), platform_sdk::Error> {
/// let found = client
///     .search_organizations_by_description()
///     .description("keeps fresh fish cold on its way to the shops")
///     .employee_count_min(10)
///     .employee_count_max(at_most)
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an optional parameter of type `{T}` does not take a `{Self}`",
    note = "give a value that converts into `{T}` by `TryInto`, or an `Option` of one; for a bare `None`, name its type"
)]
pub trait OptionalArgument<T, Kind>: sealed::Sealed<T, Kind> {
    #[doc(hidden)]
    fn argument(self) -> Option<Result<T, String>>;
}

/// Kind of an [`OptionalArgument`] that is a value.
#[derive(Debug)]
pub struct Value(Infallible);

/// Kind of an [`OptionalArgument`] that is an `Option`.
#[derive(Debug)]
pub struct Optional(Infallible);

mod sealed {
    pub trait Sealed<T, Kind> {}
}

impl<T, V> sealed::Sealed<T, Value> for V where V: TryInto<T> {}

impl<T, V> OptionalArgument<T, Value> for V
where
    V: TryInto<T>,
    V::Error: Display,
{
    fn argument(self) -> Option<Result<T, String>> {
        Some(self.try_into().map_err(|error| error.to_string()))
    }
}

impl<T, V> sealed::Sealed<T, Optional> for Option<V> where V: TryInto<T> {}

impl<T, V> OptionalArgument<T, Optional> for Option<V>
where
    V: TryInto<T>,
    V::Error: Display,
{
    fn argument(self) -> Option<Result<T, String>> {
        self.map(|value| value.try_into().map_err(|error| error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Argument, short};

    #[test]
    fn optional_argument_is_a_value_or_an_option() {
        let given = |argument: Argument<i32>| argument.given().copied();
        assert_eq!(given(Argument::optionally(7)), Some(7));
        assert_eq!(given(Argument::optionally(7_usize)), Some(7));
        assert_eq!(given(Argument::optionally(Some(7_u64))), Some(7));
        assert_eq!(given(Argument::optionally(None::<u8>)), None);
        let days: Argument<crate::DateBound> = Argument::optionally(Some("2024-02-29"));
        assert!(days.given().is_some());
        let countries: Argument<crate::AnyOf<String>> = Argument::optionally(["NO", "DK"]);
        assert!(countries.given().is_some());
        let countries: Argument<crate::AnyOf<String>> = Argument::optionally(Some(vec!["NO"]));
        assert!(countries.given().is_some());
    }

    #[test]
    fn type_is_named_without_paths() {
        assert_eq!(short("alloc::string::String"), "String");
        assert_eq!(short("a::AnyOf<b::c::FundingStage>"), "AnyOf<FundingStage>");
    }
}
