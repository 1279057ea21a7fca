//! The signals that stop the program: the first in order, the second at once.

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
    /// Takes the signals over from the system, which would end the process.
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

    /// Completes with the first signal. The second ends the process, whatever it does.
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
        // Where there are no signals to wait for, there is no orderly end either.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        SIGINT
    }
}
