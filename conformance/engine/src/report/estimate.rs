//! How long a run will take, estimated from the first responses.

use std::fmt;
use std::time::Duration;

use crate::transport::durations::milliseconds;
use crate::transport::rate::Rate;

/// An estimate of the duration of a run, made after the target was examined and before the cases begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// How many requests the run usually takes.
    pub requests: u64,
    /// The average time of the first responses.
    pub response: Duration,
    /// How many requests are in flight at once.
    pub concurrency: usize,
    /// The limit on the request rate.
    pub rate: Option<Rate>,
}

impl Estimate {
    /// Returns how long the requests take.
    pub fn duration(&self) -> Duration {
        self.paced().max(self.answered())
    }

    /// Returns how long they take if only the rate limits them.
    fn paced(&self) -> Duration {
        let interval = self.rate.map_or(Duration::ZERO, Rate::interval);
        times(interval, self.requests)
    }

    /// Returns how long they take if only the response times limit them.
    fn answered(&self) -> Duration {
        times(self.response, self.requests) / u32::try_from(self.concurrency).unwrap_or(u32::MAX).max(1)
    }
}

fn times(duration: Duration, count: u64) -> Duration {
    duration.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "about {}", rough(self.duration()))?;
        if self.paced() > self.answered() {
            return f.write_str(" at the given rate");
        }
        let response = u64::try_from(self.response.as_millis()).unwrap_or(u64::MAX);
        let response = milliseconds(response);
        write!(f, " at {response} per response, {} at a time", self.concurrency)
    }
}

/// A duration in the unit that a person would use.
pub(super) fn rough(duration: Duration) -> String {
    match duration.as_millis().div_ceil(1000) {
        0 | 1 => "1 s".to_owned(),
        seconds @ 2..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds.div_ceil(60)),
        seconds @ 7_200..172_800 => format!("{} hours", seconds.div_ceil(3_600)),
        seconds => format!("{} days", seconds.div_ceil(86_400)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(response: u64, rate: Option<&str>) -> Estimate {
        Estimate {
            requests: 3_100,
            response: Duration::from_millis(response),
            concurrency: 4,
            rate: rate.map(|rate| rate.parse().unwrap()),
        }
    }

    #[test]
    fn estimate_states_its_basis() {
        for (estimate, said) in [
            (of(52, None), "41 s at 52 ms per response, 4 at a time"),
            (of(0, None), "1 s at under 1 ms per response, 4 at a time"),
            (of(52, Some("20")), "3 min at the given rate"),
            (of(52, Some("2/h")), "65 days at the given rate"),
            (of(400, Some("20")), "6 min at 400 ms per response, 4 at a time"),
        ] {
            assert_eq!(estimate.to_string(), format!("about {said}"));
        }
    }
}
