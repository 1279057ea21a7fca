//! Parses a quota on the command line.

use std::str::FromStr;

use platform_server_stub::model::policy::RateLimit;

/// A quota, written as in 100/60.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quota(pub(crate) RateLimit);

impl FromStr for Quota {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text
            .split_once('/')
            .and_then(|(requests, seconds)| Some((requests.parse().ok()?, seconds.parse().ok()?)));
        match numbers {
            Some((requests @ 1.., window_seconds @ 1..)) => Ok(Self(RateLimit {
                requests,
                window_seconds,
            })),
            _ => Err("use two whole numbers of at least 1, such as 100/60"),
        }
    }
}
