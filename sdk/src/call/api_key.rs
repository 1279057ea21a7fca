//! The API key: a secret that cannot be printed.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use reqwest::header::HeaderValue;
use serde::de::{self, Deserialize, Deserializer, Visitor};

use crate::Error;

/// An API key.
///
/// Its `Debug` hides it and it has no `Display`; it goes out as the header `API-Key`, marked as sensitive,
/// and nowhere else.
///
/// ```
/// use platform_sdk::ApiKey;
///
/// let key = ApiKey::new("dev-full-access")?;
/// assert_eq!(format!("{key:?}"), "ApiKey(<hidden>)");
///
/// let error = ApiKey::new("dev-full-access\n").unwrap_err();
/// assert_eq!(error.to_string(), "the API key has a character at position 15 that is not visible ASCII");
/// # Ok::<(), platform_sdk::Error>(())
/// ```
///
/// It is read from a file of settings, and never written:
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Settings {
///     api_key: platform_sdk::ApiKey,
/// }
///
/// let settings: Settings = serde_json::from_str(r#"{"api_key": "dev-full-access"}"#)?;
/// let client = platform_sdk::Client::builder().api_key(settings.api_key);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct ApiKey(HeaderValue);

impl ApiKey {
    /// Takes a key: visible ASCII characters, one at least.
    ///
    /// # Errors
    /// The key is empty or has another character, such as the end of the line that it was read from.
    pub fn new(key: impl AsRef<str>) -> Result<Self, Error> {
        let key = key.as_ref();
        if key.is_empty() {
            return Err(Error::configuration("the API key is empty"));
        }
        if let Some(position) = key.chars().position(|c| !c.is_ascii_graphic()) {
            return Err(Error::configuration(format!(
                "the API key has a character at position {position} that is not visible ASCII"
            )));
        }
        let mut value = HeaderValue::from_str(key)
            .map_err(|_| Error::configuration("the API key does not fit a header"))?;
        value.set_sensitive(true);
        Ok(Self(value))
    }

    /// The key itself, to look for it where it must not be.
    pub(crate) fn expose(&self) -> &str {
        // It is visible ASCII, or there would be no key.
        self.0.to_str().unwrap_or_default()
    }

    /// The value of the header, marked as sensitive.
    pub(crate) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(<hidden>)")
    }
}

impl FromStr for ApiKey {
    type Err = Error;

    fn from_str(key: &str) -> Result<Self, Error> {
        Self::new(key)
    }
}

impl TryFrom<&str> for ApiKey {
    type Error = Error;

    fn try_from(key: &str) -> Result<Self, Error> {
        Self::new(key)
    }
}

impl TryFrom<String> for ApiKey {
    type Error = Error;

    fn try_from(key: String) -> Result<Self, Error> {
        Self::new(key)
    }
}

impl TryFrom<&String> for ApiKey {
    type Error = Error;

    fn try_from(key: &String) -> Result<Self, Error> {
        Self::new(key)
    }
}

/// Reads a key from a configuration file. `Serialize` is left out on purpose, so that a key is never written.
impl<'de> Deserialize<'de> for ApiKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = ApiKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an API key as text")
            }

            fn visit_str<E: de::Error>(self, key: &str) -> Result<ApiKey, E> {
                ApiKey::new(key).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

// A key converts into a key, so that `ClientBuilder::api_key` takes one as well as text.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
