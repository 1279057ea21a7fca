//! Why a request has no response.

use std::time::Duration;

/// What prevented a response, with a text for a person.
pub(crate) struct Failed {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The innermost cause alone: `Connection refused (os error 111)`.
    pub(crate) cause: String,
}

impl Failed {
    /// Describes an HTTP error without the URL. `connect` is the time limit for establishing a connection.
    pub(crate) fn of(error: &reqwest::Error, connect: Duration) -> Self {
        let mut text = error.to_string();
        if let Some(url) = error.url() {
            text = text.replace(&format!(" for url ({url})"), "");
        }
        let mut source = std::error::Error::source(error);
        let mut cause = error.to_string();
        while let Some(deeper) = source {
            cause = deeper.to_string();
            text.push_str(&format!(": {cause}"));
            source = deeper.source();
        }
        let kind = match error {
            error if error.is_builder() => Kind::Lasting,
            error if error.is_connect() => Kind::NotSent,
            error if error.is_timeout() => Kind::TooLate,
            _ => Kind::BrokenOff,
        };
        if error.is_connect() && error.is_timeout() {
            cause = format!("no connection within {} s", connect.as_secs());
        }
        Self { kind, text, cause }
    }

    pub(crate) fn lasting(text: String) -> Self {
        Self {
            kind: Kind::Lasting,
            cause: text.clone(),
            text,
        }
    }
}

/// What kind of trouble there is on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There was no connection: nothing was sent.
    NotSent,
    /// The connection was interrupted: the next one may not be.
    BrokenOff,
    /// There was no response in time.
    TooLate,
    /// The body of the response exceeds the limit.
    TooLong,
    /// Trouble that another attempt would meet again.
    Lasting,
}
