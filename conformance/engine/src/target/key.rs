//! API keys: secrets that cannot be printed.

use std::fmt;

use reqwest::header::HeaderValue;

use crate::secret::Secret;

/// The environment variable of the key with full access, when nothing else is said.
pub const API_KEY_VARIABLE: &str = "PLATFORM_API_KEY";

/// An API key, with the name of the environment variable that stands for it wherever a request is shown.
///
/// It has no way out but the header of a request: `Debug` shows the variable.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::ApiKey;
///
/// let key = ApiKey::new("secret-123", "PLATFORM_API_KEY")?;
/// assert_eq!(format!("{key:?}"), "$PLATFORM_API_KEY");
/// # Ok::<(), platform_conformance::InvalidApiKey>(())
/// ```
#[derive(Clone)]
pub struct ApiKey {
    secret: Secret,
    header: HeaderValue,
}

/// A text that cannot be an API key: it is empty, or holds characters that a header cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the API key is empty, or holds characters that a header cannot carry")]
pub struct InvalidApiKey;

impl ApiKey {
    /// A key, and the environment variable that is shown in its place.
    ///
    /// # Errors
    /// [`InvalidApiKey`], which does not repeat the text.
    pub fn new(
        secret: impl Into<String>,
        variable: impl Into<String>,
    ) -> Result<Self, InvalidApiKey> {
        let secret = secret.into();
        let mut header = HeaderValue::from_str(&secret).map_err(|_| InvalidApiKey)?;
        header.set_sensitive(true);
        if secret.trim().is_empty() {
            return Err(InvalidApiKey);
        }
        Ok(Self {
            secret: Secret::new(secret, variable),
            header,
        })
    }

    /// The environment variable that is shown in place of the key.
    pub fn variable(&self) -> &str {
        self.secret.variable()
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// What must not be seen of it.
    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.secret.fmt(f)
    }
}
