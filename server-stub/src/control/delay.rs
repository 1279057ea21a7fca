//! How long a response is delayed.

use std::f64::consts::TAU;
use std::time::Duration;

/// The longest delay, one hour.
const LONGEST: Duration = Duration::from_secs(3600);

/// A delay before a response, by the time of the machine. A random delay depends only on the seed of the emulator and
/// the order of requests. No delay is longer than one hour.
///
/// ```
/// use std::time::Duration;
///
/// use platform_server_stub::control::Delay;
///
/// let steady = Delay::fixed(Duration::from_millis(200));
/// let jittery = Delay::uniform(Duration::from_millis(50), Duration::from_millis(400));
/// let long_tail = Delay::lognormal(Duration::from_millis(80), 0.5);
/// # let _ = (steady, jittery, long_tail);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay(Distribution);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Distribution {
    Fixed(Duration),
    Uniform { lower: Duration, upper: Duration },
    Lognormal { median: Duration, sigma: f64 },
}

impl Delay {
    /// Always the same delay.
    pub fn fixed(delay: Duration) -> Self {
        Self(Distribution::Fixed(delay))
    }

    /// Any delay from `lower` to `upper`, all equally likely.
    pub fn uniform(lower: Duration, upper: Duration) -> Self {
        Self(Distribution::Uniform { lower, upper })
    }

    /// Log-normally distributed delays, as of a service with a long tail: half of them are shorter than `median`. With
    /// a `sigma` of 0 all are equal; with 0.5, one in a hundred is three times as long as the median.
    pub fn lognormal(median: Duration, sigma: f64) -> Self {
        Self(Distribution::Lognormal { median, sigma })
    }

    pub(super) fn distribution(&self) -> Distribution {
        self.0
    }

    /// Chooses a random delay.
    pub(super) fn draw(&self, rng: &mut fastrand::Rng) -> Duration {
        let seconds = match self.0 {
            Distribution::Fixed(delay) => delay.as_secs_f64(),
            Distribution::Uniform { lower, upper } => {
                let (lower, upper) = (lower.as_secs_f64(), upper.as_secs_f64());
                lower + (upper - lower).max(0.0) * rng.f64()
            }
            Distribution::Lognormal { median, sigma } => {
                // Box-Muller; 1 - f64() is never 0.
                let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
                let normal = radius * (TAU * rng.f64()).cos();
                median.as_secs_f64() * (sigma * normal).exp()
            }
        };
        // A factor that is not a number makes no delay.
        let delay = Duration::try_from_secs_f64(seconds.max(0.0));
        delay.unwrap_or(LONGEST).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(delay: Delay, seed: u64) -> Vec<Duration> {
        let mut rng = fastrand::Rng::with_seed(seed);
        (0..1000).map(|_| delay.draw(&mut rng)).collect()
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn same_seed_draws_the_same_delays() {
        let delay = Delay::uniform(SECOND, SECOND * 2);
        assert_eq!(drawn(delay, 7), drawn(delay, 7));
        assert_ne!(drawn(delay, 7), drawn(delay, 8));
        let in_range = |delay: &Duration| (SECOND..SECOND * 2).contains(delay);
        assert!(drawn(delay, 7).iter().all(in_range));
    }

    #[test]
    fn half_of_the_lognormal_delays_are_shorter_than_the_median() {
        let mut delays = drawn(Delay::lognormal(SECOND, 0.5), 7);
        let shorter = delays.iter().filter(|delay| **delay < SECOND).count();
        assert!((450..550).contains(&shorter), "{shorter}");
        delays.sort();
        let long = delays[990].as_secs_f64();
        assert!((2.4..4.5).contains(&long), "{long}");
        assert!(drawn(Delay::lognormal(SECOND, 0.0), 7).iter().all(|it| *it == SECOND));
    }

    #[test]
    fn no_delay_is_longer_than_an_hour() {
        for delay in [
            Delay::fixed(Duration::MAX),
            Delay::uniform(Duration::MAX, Duration::MAX),
            Delay::lognormal(Duration::MAX, 3.0),
        ] {
            assert!(drawn(delay, 1).iter().all(|delay| *delay <= LONGEST));
        }
        let odd = [
            Delay::uniform(SECOND, Duration::ZERO),
            Delay::lognormal(SECOND, f64::NAN),
        ];
        assert_eq!(odd.map(|it| drawn(it, 1)[0]), [SECOND, Duration::ZERO]);
    }
}
