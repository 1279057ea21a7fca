//! The API key: a secret that is never printed.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use reqwest::header::HeaderValue;
use serde::de::{self, Deserialize, Deserializer, Visitor};

use crate::Error;

/// An API key.
///
/// `Debug` hides the key, and `Display` is not implemented. The key is sent only in the `API-Key`
/// header, which is marked as sensitive.
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
/// A key can be read from a configuration file, but never written:
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
    /// Creates a key from one or more visible ASCII characters.
    ///
    /// # Errors
    /// The key is empty or has another character, such as a trailing newline.
    pub fn new(key: impl AsRef<str>) -> Result<Self, Error> {
        let key = key.as_ref();
        if key.is_empty() {
            return Err(Error::configuration(
                "the API key is empty; set PLATFORM_API_KEY, or pass a key",
            ));
        }
        if let Some(position) = key.chars().position(|c| !c.is_ascii_graphic()) {
            return Err(Error::configuration(format!(
                "the API key has a character at position {position} that is not visible ASCII"
            )));
        }
        let mut value =
            HeaderValue::from_str(key).map_err(|_| Error::configuration("the API key is not valid in a header"))?;
        value.set_sensitive(true);
        Ok(Self(value))
    }

    /// Returns the key itself, to redact it from text.
    pub(crate) fn expose(&self) -> &str {
        // A key is always visible ASCII.
        self.0.to_str().unwrap_or_default()
    }

    /// Returns the header value, marked as sensitive.
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

/// Reads a key from a configuration file. `Serialize` is not implemented, so a key is never written.
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

// Converting a key into a key cannot fail. This lets `ClientBuilder::api_key` take a key as well as
// text.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
