//! Response times: the time from sending a request to the end of its response. Waiting for a turn is not included.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of slowest responses that are kept.
pub const SLOWEST: usize = 10;

/// Response times. An attempt without a response is not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerTimes {
    /// The number of responses.
    pub count: u64,
    /// Half of the responses took at most this long, in milliseconds.
    pub p50_ms: u64,
    /// 95 % of the responses took at most this long, in milliseconds.
    pub p95_ms: u64,
    /// 99 % of the responses took at most this long, in milliseconds.
    pub p99_ms: u64,
    /// The longest time, in milliseconds.
    pub max_ms: u64,
    /// The ten slowest responses, the slowest first.
    pub slowest: Vec<SlowAnswer>,
}

/// A slow response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SlowAnswer {
    /// The method of the request.
    pub method: String,
    /// The path and the query of the request, cut when they are long.
    pub path: String,
    /// The status of the response.
    pub status: u16,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The id of the case that sent the request; null for a request before the cases.
    pub case: Option<String>,
}

/// The times of all responses so far.
#[derive(Debug, Default)]
pub(crate) struct Durations {
    /// In microseconds, in a compact type.
    all: Vec<u32>,
    /// The slowest, in microseconds, the slowest first.
    slowest: Vec<(u32, SlowAnswer)>,
}

impl AnswerTimes {
    /// The percentiles by their names, in milliseconds.
    pub fn percentiles(&self) -> [(&'static str, u64); 4] {
        [
            ("p50", self.p50_ms),
            ("p95", self.p95_ms),
            ("p99", self.p99_ms),
            ("max", self.max_ms),
        ]
    }

    /// The times in one sentence without its end; `None` without responses.
    pub fn summary(&self) -> Option<String> {
        let slowest = self.slowest.first()?;
        Some(format!(
            "response times: median {}, p99 {}; slowest {}: {}",
            milliseconds(self.p50_ms),
            milliseconds(self.p99_ms),
            milliseconds(slowest.duration_ms),
            slowest.request()
        ))
    }
}

impl SlowAnswer {
    /// The method and the path.
    pub fn request(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

impl Durations {
    /// Counts a response. `describe` is called for one of the slowest, with its milliseconds.
    pub(crate) fn note(&mut self, took: Duration, describe: impl FnOnce(u64) -> SlowAnswer) {
        let took = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        self.all.push(took);
        let place = self.slowest.partition_point(|(known, _)| *known >= took);
        if place < SLOWEST {
            self.slowest.insert(place, (took, describe(rounded(took))));
            self.slowest.truncate(SLOWEST);
        }
    }

    /// The average; `None` without responses.
    pub(crate) fn mean(&self) -> Option<Duration> {
        let count = u64::try_from(self.all.len()).ok()?;
        let sum: u64 = self.all.iter().copied().map(u64::from).sum();
        sum.checked_div(count).map(Duration::from_micros)
    }

    pub(crate) fn times(&self) -> AnswerTimes {
        let mut all = self.all.clone();
        all.sort_unstable();
        let at_most = |percent| percentile(&all, percent).map_or(0, rounded);
        AnswerTimes {
            count: u64::try_from(all.len()).unwrap_or(u64::MAX),
            p50_ms: at_most(50),
            p95_ms: at_most(95),
            p99_ms: at_most(99),
            max_ms: at_most(100),
            slowest: self.slowest.iter().map(|(_, slow)| slow.clone()).collect(),
        }
    }
}

/// Returns the smallest of these sorted values that is not exceeded by this share of them.
fn percentile(sorted: &[u32], percent: usize) -> Option<u32> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Microseconds in milliseconds.
fn rounded(micros: u32) -> u64 {
    u64::from(micros).saturating_add(500) / 1000
}

/// Milliseconds for a person.
pub fn milliseconds(millis: u64) -> String {
    match millis {
        0 => "under 1 ms".to_owned(),
        1..10_000 => format!("{millis} ms"),
        _ => format!("{:.1} s", Duration::from_millis(millis).as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(millis: impl IntoIterator<Item = u64>) -> Durations {
        let mut durations = Durations::default();
        for millis in millis {
            durations.note(Duration::from_millis(millis), |duration_ms| SlowAnswer {
                method: "GET".to_owned(),
                path: format!("/{millis}"),
                status: 200,
                duration_ms,
                case: None,
            });
        }
        durations
    }

    #[test]
    fn percentile_is_a_measured_time() {
        let times = of(1..=200).times();
        let percentiles = [times.p50_ms, times.p95_ms, times.p99_ms, times.max_ms];
        assert_eq!((times.count, percentiles), (200, [100, 190, 198, 200]));
        let one = of([7]).times();
        assert_eq!([one.p50_ms, one.p99_ms, one.max_ms], [7, 7, 7]);
        assert_eq!(of([]).times(), AnswerTimes::default());
        assert_eq!(of([3, 1, 5]).mean(), Some(Duration::from_millis(3)));
        assert_eq!(of([]).mean(), None);
    }

    #[test]
    fn slowest_responses_come_first() {
        for order in [(1..=50).collect::<Vec<_>>(), (1..=50).rev().collect()] {
            let slowest = of(order).times().slowest;
            let paths: Vec<_> = slowest.iter().map(|slow| slow.path.as_str()).collect();
            let expected = ["/50", "/49", "/48", "/47", "/46", "/45", "/44", "/43", "/42", "/41"];
            assert_eq!(paths, expected);
        }
    }

    #[test]
    fn summary_of_times_is_one_sentence() {
        assert_eq!(of([]).times().summary(), None);
        assert_eq!(
            of([0, 0, 12_340]).times().summary().as_deref(),
            Some("response times: median under 1 ms, p99 12.3 s; slowest 12.3 s: GET /12340")
        );
    }
}
