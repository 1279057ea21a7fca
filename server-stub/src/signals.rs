//! The signals that stop the program: the first gracefully, the second at once.

use std::io;

/// Exit code of a process that a signal ends: 128 and the number of the signal, as shells report it.
const ENDED_BY_SIGNAL: i32 = 128;
const SIGINT: i32 = 2;
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// Ctrl-C, and the signal that service managers send.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// Takes over the signals from the system, which would end the process.
    #[cfg(unix)]
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Completes on the first signal. The second signal ends the process at any time.
    pub(crate) async fn stop(mut self) {
        self.next().await;
        tokio::spawn(async move {
            let signal = self.next().await;
            std::process::exit(ENDED_BY_SIGNAL + signal);
        });
    }

    #[cfg(unix)]
    async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => SIGINT,
            _ = self.terminate.recv() => SIGTERM,
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> i32 {
        // Without signals to wait for, there is no graceful stop either.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        SIGINT
    }
}
