//! `Display` and `Debug` of errors.

use std::fmt;

use super::{Error, Failure, Kind, Unreached};

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            // Shown by `unwrap` and by `?` in `main`.
            write!(f, "{self}")?;
            let mut cause = std::error::Error::source(self);
            while let Some(source) = cause {
                write!(f, "; caused by: {source}")?;
                cause = source.source();
            }
            return Ok(());
        }
        let Failure {
            operation,
            kind,
            answer,
            attempts,
            earlier,
            remark,
            source,
        } = &*self.0;
        f.debug_struct("Error")
            .field("operation", operation)
            .field("kind", kind)
            .field("answer", answer)
            .field("attempts", attempts)
            .field("earlier", earlier)
            .field("remark", remark)
            .field("source", source)
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.0.operation {
            write!(f, "{operation}: ")?;
        }
        self.0.fmt(f)?;
        if let Some(remark) = &self.0.remark {
            write!(f, "; {remark}")?;
        }
        match (self.request_id(), self.attempts().len()) {
            (Some(id), 0 | 1) => write!(f, " (request {id})"),
            (Some(id), attempts) => write!(f, " (request {id}, attempt {attempts})"),
            (None, 0 | 1) => Ok(()),
            (None, attempts) => write!(f, " (attempt {attempts})"),
        }
    }
}

/// Writes what went wrong, without the operation and the request id.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Configuration(why) => f.write_str(why),
            Kind::Argument(why) => write!(f, "{why}; nothing was sent"),
            Kind::DeadlinePassed => f.write_str("the deadline has passed; nothing was sent"),
            Kind::HeldBack { opens_in } => write!(
                f,
                "the rate limit allows no request for another {opens_in:?}, which is past the deadline; nothing \
                     was sent"
            ),
            Kind::KeyUnavailable { timed_out: None } => {
                f.write_str("no API key: the key provider failed")
            }
            Kind::KeyUnavailable { timed_out: Some(after) } => write!(
                f,
                "no API key: the key provider returned none within {after:?}"
            ),
            Kind::NoRuntime => f.write_str(
                "no tokio runtime with timers and I/O; nothing was sent: call within such a runtime, or use the \
                     blocking client",
            ),
            #[cfg(feature = "blocking")]
            Kind::WithinRuntime => f.write_str(
                "a blocking call in async code would block the tasks of its thread; nothing was sent: await a call of the \
                 async client, or call within tokio::task::spawn_blocking",
            ),
            Kind::Unconnected { host, why: Unreached::UnknownHost, .. } => {
                let host = host.as_deref().unwrap_or("the server");
                write!(f, "unknown host {host}; check the base URL")
            }
            Kind::Unconnected { host, why: Unreached::Tls, .. } => {
                let host = host.as_deref().unwrap_or("the server");
                write!(f, "no TLS connection to {host}: its certificate is not trusted, or it does not support TLS")
            }
            Kind::Unconnected { host, timed_out, .. } => {
                let host = host.as_deref().unwrap_or("the server");
                let in_time = if *timed_out { " in time" } else { "" };
                write!(f, "no connection to {host}{in_time}")
            }
            Kind::TimedOut { after } => write!(f, "no complete response within {after:?}"),
            Kind::Drift(drift) => write!(f, "the collection changed during the walk: {drift}"),
            Kind::Broken => f.write_str("the connection ended before the response was complete"),
            Kind::NotHttp => f.write_str("the response is not well-formed HTTP; check what answers at the base URL"),
            Kind::Answered(fault) => match &self.answer {
                Some(answer) => answer.fmt_fault(fault, f),
                None => Ok(()),
            },
            Kind::NotReady(not_ready) => not_ready.fmt(f),
            Kind::Unreadable(unreadable) => unreadable.fmt(f),
        }
    }
}
