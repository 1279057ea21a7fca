//! `--wait-for`: waits until the deployment responds, before anything else is sent.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use platform_conformance::{Target, attempts_to_wait};

#[derive(Debug, Args)]
pub(super) struct WaitArgs {
    /// Wait up to this many seconds while the deployment starts, until it responds with a status below 500. If it does
    /// not, the exit code is 3. Only GET requests are sent, with growing pauses between them.
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..=3600),
        help_heading = "Deployment"
    )]
    wait_for: Option<u64>,
}

impl WaitArgs {
    /// Returns how long to wait at most.
    pub(super) fn most(&self) -> Option<Duration> {
        self.wait_for.map(Duration::from_secs)
    }

    /// Prints how long the program may wait and what it sends meanwhile.
    pub(super) fn announce(&self, target: &Target) {
        let Some(most) = self.most() else { return };
        // An error is ignored: the reader may have closed the stream.
        let _ = writeln!(
            anstream::stderr(),
            "waiting up to {} s until {} responds: at most {} GET requests",
            most.as_secs(),
            target.base_url(),
            attempts_to_wait(most)
        );
    }
}
