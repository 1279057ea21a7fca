//! Ctrl-C: the first ends the run in order, so that its reports are written; the second ends the program.

use std::io::{self, Write};
use std::process;

use platform_conformance::exit_code;
use tokio_util::sync::CancellationToken;

/// Cancels the token at the first Ctrl-C, or when the program is asked to end, and ends the program at the
/// second.
pub(super) fn listen(interrupt: CancellationToken) {
    // A program that cannot hear of it ends as any other does.
    let Ok(mut requests) = Requests::new() else {
        return;
    };
    tokio::spawn(async move {
        requests.next().await;
        let told = "\ninterrupted: the reports are being written; Ctrl-C once more ends at once";
        // Whoever is gone need not be told.
        let _ = writeln!(anstream::stderr(), "{told}");
        interrupt.cancel();
        requests.next().await;
        process::exit(exit_code::INTERRUPTED.into());
    });
}

/// The requests to end.
#[cfg(unix)]
struct Requests {
    interrupts: tokio::signal::unix::Signal,
    terminations: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Requests {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupts: signal(SignalKind::interrupt())?,
            terminations: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupts.recv() => {}
            _ = self.terminations.recv() => {}
        }
    }
}

/// The requests to end.
#[cfg(windows)]
struct Requests(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Requests {
    fn new() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
