//! The options that limit connections.

use humantime::Duration;
use platform_server_stub::Limits;

/// Limits on connections. Durations are written as 500ms, 5s or 2min.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits on connections (durations such as 500ms, 5s, 2min)")]
pub(crate) struct LimitArguments {
    /// Time to keep serving after Ctrl-C or SIGTERM, with /readyz at 503, so that load balancers can notice.
    #[arg(long, env = "PLATFORM_STUB_DRAIN_DELAY", value_name = "DURATION", default_value_t = Limits::default().drain_delay.into())]
    drain_delay: Duration,

    /// Time for requests in flight to finish after the drain delay.
    #[arg(long, env = "PLATFORM_STUB_DRAIN", value_name = "DURATION", default_value_t = Limits::default().drain.into())]
    drain: Duration,

    /// Time from the first byte of a request to the end of its header, and for a TLS handshake.
    #[arg(long, env = "PLATFORM_STUB_HEADER_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().header_timeout.into())]
    header_timeout: Duration,

    /// Time to receive the whole body of a request.
    #[arg(long, env = "PLATFORM_STUB_BODY_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().body_timeout.into())]
    body_timeout: Duration,

    /// Time that a connection may stay open without a request.
    #[arg(long, env = "PLATFORM_STUB_IDLE_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().idle_timeout.into())]
    idle_timeout: Duration,

    /// Time that a response may go without progress while it is sent.
    #[arg(long, env = "PLATFORM_STUB_WRITE_TIMEOUT", value_name = "DURATION", default_value_t = Limits::default().write_timeout.into())]
    write_timeout: Duration,

    /// Maximum number of connections served at once; further clients wait.
    #[arg(long, env = "PLATFORM_STUB_MAX_CONNECTIONS", value_name = "COUNT", default_value_t = Limits::default().connections)]
    max_connections: usize,
}

impl From<LimitArguments> for Limits {
    fn from(arguments: LimitArguments) -> Self {
        Self {
            drain_delay: arguments.drain_delay.into(),
            drain: arguments.drain.into(),
            header_timeout: arguments.header_timeout.into(),
            body_timeout: arguments.body_timeout.into(),
            idle_timeout: arguments.idle_timeout.into(),
            write_timeout: arguments.write_timeout.into(),
            connections: arguments.max_connections,
        }
    }
}
