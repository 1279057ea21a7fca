//! Secrets: texts that cannot be printed. Each is shown as its environment variable: see [`redact`](crate::redact).

use std::fmt;

/// A text that can only be sent to the deployment, with the name of the environment variable that is shown instead.
#[derive(Clone)]
pub struct Secret {
    text: String,
    variable: String,
}

impl Secret {
    /// A secret, and the environment variable that holds it.
    pub fn new(text: impl Into<String>, variable: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            variable: variable.into(),
        }
    }

    /// The text itself, for the one place that sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.text
    }

    pub(crate) fn variable(&self) -> &str {
        &self.variable
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.variable)
    }
}
