//! Why a request has no answer.

use std::time::Duration;

/// What stood in the way of an answer, with a text for a person.
pub(crate) struct Failed {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The innermost cause alone: `Connection refused (os error 111)`.
    pub(crate) cause: String,
}

impl Failed {
    /// What an error of HTTP says, without the URL. A connection may take `connect` to be established.
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
    /// The connection broke off: the next one may not.
    BrokenOff,
    /// There was no answer in time.
    TooLate,
    /// The body of the answer is longer than what is read.
    TooLong,
    /// What another attempt would meet again.
    Lasting,
}
