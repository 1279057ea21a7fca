//! The limit on how fast requests are sent.

use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

/// The longest interval between two requests: one a day.
const SLOWEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A number of requests in a period: `20` or `20/s`, `0.5/s`, `100/m`, `2/h`. Requests are spread evenly over it.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use std::num::NonZeroU32;
/// use std::time::Duration;
///
/// use platform_conformance::Rate;
///
/// let rate: Rate = "100/m".parse()?;
/// assert_eq!(rate.interval(), Duration::from_millis(600));
/// assert_eq!("20".parse::<Rate>()?, Rate::per_second(NonZeroU32::new(20).unwrap()));
/// # Ok::<(), platform_conformance::InvalidRate>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    interval: Duration,
}

/// A text that is not a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRate {
    /// It does not have the form of a rate.
    #[error(
        "not a rate: use a number of requests per second such as 20, or per second, minute or hour such as \
             0.5/s, 100/m or 2/h"
    )]
    Malformed,
    /// It allows no request.
    #[error("a rate of 0 sends nothing: use --dry-run, or a rate above 0")]
    Zero,
    /// It allows less than one request a day.
    #[error("the rate is too low: use at least one request in 24 hours, such as 0.05/h")]
    TooLow,
}

impl Rate {
    /// A number of requests per second.
    pub fn per_second(requests: NonZeroU32) -> Self {
        Self {
            interval: Duration::from_secs(1) / requests.get(),
        }
    }

    /// The time from one request to the next.
    pub const fn interval(self) -> Duration {
        self.interval
    }
}

impl From<NonZeroU32> for Rate {
    /// A number of requests per second.
    fn from(requests: NonZeroU32) -> Self {
        Self::per_second(requests)
    }
}

impl FromStr for Rate {
    type Err = InvalidRate;

    fn from_str(text: &str) -> Result<Self, InvalidRate> {
        let (number, period) = match text.split_once('/') {
            None => (text, 1.0),
            Some((number, "s")) => (number, 1.0),
            Some((number, "m")) => (number, 60.0),
            Some((number, "h")) => (number, 3600.0),
            Some(_) => return Err(InvalidRate::Malformed),
        };
        // `parse` also reads signs, exponents, `inf` and `NaN`.
        let is_plain = number.starts_with(|first: char| first.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let requests: Option<f64> = number.parse().ok().filter(|_| is_plain);
        let requests = requests.ok_or(InvalidRate::Malformed)?;
        if requests == 0.0 {
            return Err(InvalidRate::Zero);
        }
        let interval = Duration::try_from_secs_f64(period / requests);
        let interval = interval.ok().filter(|interval| *interval <= SLOWEST);
        Ok(Self {
            interval: interval.ok_or(InvalidRate::TooLow)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_is_a_number_per_second_minute_or_hour() {
        for (text, millis) in [
            ("20", 50),
            ("20/s", 50),
            ("0.5/s", 2_000),
            ("0.5", 2_000),
            ("100/m", 600),
            ("2/h", 1_800_000),
            ("2.5/h", 1_440_000),
            ("1/m", 60_000),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!(rate.interval(), Duration::from_millis(millis), "{text}");
        }
        let twenty = NonZeroU32::new(20).unwrap();
        assert_eq!("20".parse(), Ok(Rate::from(twenty)));
    }

    #[test]
    fn malformed_rate_is_rejected_with_a_remedy() {
        for text in [
            "", "/s", "fast", "20/", "20/d", "20/sec", "20 /s", "-1", "+1", "1e3", "inf", "NaN", "1.2.3", ".5", "1/2/s",
        ] {
            assert_eq!(text.parse::<Rate>(), Err(InvalidRate::Malformed), "{text}");
        }
        for text in ["0", "0/h", "0.0/s"] {
            assert_eq!(text.parse::<Rate>(), Err(InvalidRate::Zero), "{text}");
        }
        for text in ["0.001/h", "0.00000000000000000000000000001"] {
            assert_eq!(text.parse::<Rate>(), Err(InvalidRate::TooLow), "{text}");
        }
        let shown = InvalidRate::Malformed.to_string();
        assert!(shown.contains("100/m") && shown.contains("0.5/s"), "{shown}");
    }
}
