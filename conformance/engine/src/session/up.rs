//! Waits until a deployment responds, before the first request of a run: it may have just been started.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

use crate::session::preflight;
use crate::target::Target;
use crate::transport::client::Client;
use crate::transport::failed::{Failed, Kind};
use crate::transport::response::HttpResponse;
use platform_contract::Contract;

/// The pause after the first attempt. Each further pause is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The minimum time for the last attempt.
const LAST: Duration = Duration::from_secs(1);

/// The limit on requests of a wait with this time limit.
pub fn attempts(most: Duration) -> u64 {
    let (mut attempts, mut at, mut pause) = (1, Duration::ZERO, FIRST_PAUSE);
    while at < most {
        attempts += 1;
        at += pause;
        pause = longer(pause);
    }
    attempts
}

/// Repeats a read, with growing pauses, until the response has a status below 500 and is not a page for a browser. A
/// failure that another attempt would not change also ends the wait: the caller detects and reports it.
///
/// # Errors
/// A sentence for a person when the time is over.
pub(crate) async fn wait(client: &Client, target: &Target, contract: &Contract, most: Duration) -> Result<(), String> {
    let [request, ..] = preflight::requests(target, contract);
    let clock = client.clock();
    let begin = clock.elapsed();
    let left = || most.saturating_sub(clock.elapsed().saturating_sub(begin));
    let (mut pause, mut sent) = (FIRST_PAUSE, 0);
    loop {
        sent += 1;
        let answered = pin!(client.ask_quietly(&request));
        let over = pin!(clock.sleep(left().max(LAST)));
        let cause = match select(answered, over).await {
            Either::Left((Ok(Ok(response)), _)) if is_up(&response) => return Ok(()),
            Either::Left((Ok(Ok(response)), _)) => format!("it returned {}", response.status),
            Either::Left((Ok(Err(failed)), _)) if may_pass(&failed) => failed.cause,
            // An interrupted run, or one that may send nothing, reports that itself.
            Either::Left(_) => return Ok(()),
            Either::Right(_) => "no response in time".to_owned(),
        };
        let left = left();
        if left.is_zero() || sent >= attempts(most) {
            let attempts = match sent {
                1 => "1 attempt".to_owned(),
                sent => format!("{sent} attempts"),
            };
            return Err(format!(
                "{} was not up within {} s ({attempts}, the last: {cause}): check the base URL and that the service \
                 starts, or wait longer with --wait-for",
                target.base_url(),
                most.as_secs(),
            ));
        }
        if client.sleep(pause.min(left)).await.is_err() {
            return Ok(());
        }
        pause = longer(pause);
    }
}

fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}

/// A page may be that of a proxy whose service is not up yet, whatever its status.
fn is_up(response: &HttpResponse) -> bool {
    response.status < 500 && !response.is_page()
}

/// Whether another attempt may get a response.
fn may_pass(failed: &Failed) -> bool {
    match failed.kind {
        // A certificate does not become trusted by waiting.
        Kind::NotSent => !failed.cause.contains("certificate"),
        Kind::BrokenOff | Kind::TooLate => true,
        Kind::TooLong | Kind::Lasting => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_attempts_are_bounded() {
        let of = |seconds| attempts(Duration::from_secs(seconds));
        // At 0, 0.25, 0.75 and, shortened, at 1 s.
        assert_eq!(of(1), 4);
        assert_eq!(of(60), 17);
        assert_eq!(of(120), 29);
    }
}
