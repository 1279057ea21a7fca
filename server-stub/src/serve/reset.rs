//! A request that is answered by resetting its connection.

/// Marks a response that is not sent: the connection is reset instead.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the connection is reset instead of a response")]
pub(crate) struct ConnectionReset;
