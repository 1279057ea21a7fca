//! Ctrl-C and SIGTERM: the first ends the run gracefully, the second does not wait for pending responses, and the
//! third ends the program.
//!
//! The reports are written after the first and after the second signal. Two signals within milliseconds count as one:
//! GNU `timeout` signals its child and then the whole group, and a terminal signals every process of its group.

use std::io::{self, Write};
use std::process;

use platform_conformance::{Options, exit_code};

use super::file;
use super::progress::Line;

/// Listens for signals until the program ends, and prints above the progress line.
pub(super) fn listen(options: &Options, line: &Line) {
    // Without a listener, a signal ends the program immediately.
    let Ok(mut requests) = Requests::new() else {
        return;
    };
    let (interrupt, abandon) = (options.interrupt.clone(), options.abandon.clone());
    let line = line.clone();
    tokio::spawn(async move {
        requests.next().await;
        tell(
            &line,
            "interrupted: waiting for pending requests before the reports are written; press Ctrl-C once more \
                 to stop waiting",
        );
        interrupt.cancel();
        requests.next().await;
        tell(
            &line,
            "interrupted again: writing the reports; press Ctrl-C once more to exit immediately",
        );
        abandon.cancel();
        requests.next().await;
        file::discard_unfinished();
        process::exit(exit_code::INTERRUPTED.into());
    });
}

fn tell(line: &Line, text: &str) {
    // An error is ignored: the reader may have closed the stream. The line break separates the text from the `^C` of a
    // terminal.
    line.suspend(|| {
        let _ = writeln!(anstream::stderr(), "\n{text}");
    });
}

/// The signals that request termination.
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

/// The signals that request termination.
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
