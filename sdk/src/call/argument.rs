//! The arguments of a request: given, left out, or unfit.

use std::convert::Infallible;
use std::fmt::{self, Display};

use crate::call::operation::Operation;
use crate::error::{Error, Kind};

/// The value of a parameter, as the app gave it.
#[derive(Debug, Clone, Default)]
pub(crate) enum Argument<T> {
    /// It was not given.
    #[default]
    Missing,
    Given(T),
    /// It was given, but does not convert; this is why.
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

    /// The value, if one was given and fits.
    pub(crate) fn given(&self) -> Option<&T> {
        match self {
            Self::Given(value) => Some(value),
            _ => None,
        }
    }

    /// Takes over what was given.
    pub(crate) fn set(&mut self, other: &Self)
    where
        T: Clone,
    {
        if !matches!(other, Self::Missing) {
            *self = other.clone();
        }
    }

    /// The value of a parameter that has to be given.
    pub(crate) fn required(&self, name: &str) -> Result<&T, Invalid> {
        let missing = || Invalid(format!("`{name}` is missing"));
        self.optional(name)?.ok_or_else(missing)
    }

    /// The value of a parameter that may be left out.
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
    /// The id that a request written by hand needs.
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

/// Why a request cannot be made of its arguments.
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

/// A body that lacks a property is a request that cannot be sent.
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

/// A type without its paths: `AnyOf<FundingStage>` for `platform_sdk::AnyOf<platform_sdk::FundingStage>`.
fn short(name: &str) -> String {
    let names = name
        .split('<')
        .map(|part| part.rsplit("::").next().unwrap_or(part));
    names.collect::<Vec<_>>().join("<")
}

/// What an optional parameter takes: a value that converts into its type `T`, or an `Option` of one. `None` leaves the
/// parameter out. `Kind` is which of the two it is, and always inferred.
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
    note = "give a value that converts into `{T}` by `TryInto`, or an `Option` of one; for `None` alone, name its type"
)]
pub trait OptionalArgument<T, Kind>: sealed::Sealed<T, Kind> {
    #[doc(hidden)]
    fn argument(self) -> Option<Result<T, String>>;
}

/// The kind of an [`OptionalArgument`] that is a value.
#[derive(Debug)]
pub struct Value(Infallible);

/// The kind of an [`OptionalArgument`] that is an `Option`.
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
    fn type_is_named_without_its_paths() {
        assert_eq!(short("alloc::string::String"), "String");
        assert_eq!(short("a::AnyOf<b::c::FundingStage>"), "AnyOf<FundingStage>");
    }
}
