//! Reads whole numbers. `64.0` is one: some JSON writers produce it, and JSON Schema defines it so.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{Error, Unexpected, Visitor};

/// Up to this magnitude, `f64` represents every whole number exactly.
const EXACT: f64 = (1_i64 << f64::MANTISSA_DIGITS) as f64;

/// Reads a whole number.
pub(crate) fn read<'de, D: Deserializer<'de>, T: TryFrom<i64>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_i64(Whole(PhantomData))
}

/// Reads a whole number, or null.
pub(crate) fn read_optional<'de, D: Deserializer<'de>, T: TryFrom<i64>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_option(OrNull(PhantomData))
}

struct Whole<T>(PhantomData<T>);

impl<T: TryFrom<i64>> Visitor<'_> for Whole<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The name of the type without its path: `i32`.
        let name = std::any::type_name::<T>();
        f.write_str(name.rsplit("::").next().unwrap_or(name))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let fits = i64::try_from(number).ok();
        let fits = fits.and_then(|number| T::try_from(number).ok());
        fits.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        let is_whole = number.fract() == 0.0 && number.abs() <= EXACT;
        let fits = is_whole.then(|| T::try_from(number as i64).ok()).flatten();
        fits.ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }
}

struct OrNull<T>(PhantomData<T>);

impl<'de, T: TryFrom<i64>> Visitor<'de> for OrNull<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Whole::<T>(PhantomData).expecting(f)?;
        f.write_str(" or null")
    }

    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        read(deserializer).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{read, read_optional};

    #[test]
    fn whole_floats_are_whole_numbers() {
        for (number, whole) in [
            (json!(64), 64),
            (json!(64.0), 64),
            (json!(1500000.0), 1_500_000),
            (json!(-3.0), -3),
        ] {
            assert_eq!(read::<_, i32>(&number).unwrap(), whole, "{number}");
            assert_eq!(read_optional(&number).unwrap(), Some(whole), "{number}");
        }
        assert_eq!(read_optional::<_, i32>(json!(null)).unwrap(), None);
    }

    #[test]
    fn fraction_or_overflow_is_rejected() {
        for number in [json!(1.5), json!(3e9), json!(1e300), json!("64"), json!(null)] {
            assert!(read::<_, i32>(&number).is_err(), "{number}");
        }
        assert!(read::<_, i64>(json!(9007199254740993_u64)).is_ok());
        assert!(read::<_, i64>(json!(u64::MAX)).is_err());
        assert!(read_optional::<_, i32>(json!(false)).is_err());
    }
}
