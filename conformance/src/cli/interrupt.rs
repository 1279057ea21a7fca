//! Ctrl-C, and being asked to end: the first ends the run in order, the second waits for no answer any more,
//! and the third ends the program.
//!
//! The reports are written after the first and after the second. Two of them often come within
//! milliseconds and mean one: GNU `timeout` signals its child and then the whole group, and a terminal
//! signals all that run in it.

use std::io::{self, Write};
use std::process;

use platform_conformance::{Options, exit_code};

use super::file;

/// Listens until the program ends.
pub(super) fn listen(options: &Options) {
    // A program that cannot hear of it ends as any other does.
    let Ok(mut requests) = Requests::new() else {
        return;
    };
    let (interrupt, abandon) = (options.interrupt.clone(), options.abandon.clone());
    tokio::spawn(async move {
        requests.next().await;
        tell(
            "interrupted: the reports are written when what is under way has ended; Ctrl-C once more does not wait for that",
        );
        interrupt.cancel();
        requests.next().await;
        tell("interrupted again: the reports are being written; Ctrl-C once more ends at once");
        abandon.cancel();
        requests.next().await;
        file::discard_unfinished();
        process::exit(exit_code::INTERRUPTED.into());
    });
}

fn tell(text: &str) {
    // Nobody may be there to read it any more.
    let _ = writeln!(anstream::stderr(), "\n{text}");
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
