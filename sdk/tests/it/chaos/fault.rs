//! What can go wrong with a request in transit, and how often.

use std::time::Duration;

use super::dice::Dice;

/// What the proxy does with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fate {
    pub(super) fault: Fault,
    /// Whether the response body is sent in chunks, without a `Content-Length`.
    pub(super) chunked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// The response trickles in.
    Slow,
    /// The request is carried out twice, and the second response is forwarded.
    Duplicate,
    /// The connection is reset, and the request is not carried out.
    Reset,
    /// The connection is closed without a response, and the request is not carried out.
    HangUp,
    /// The connection is reset after the request has been carried out.
    LostAnswer,
    /// No response is ever sent.
    Stall {
        carried_out: bool,
    },
    /// The response stops halfway through its body, and the connection stays open.
    StallInBody,
    /// The connection is closed halfway through the body.
    Cut,
    /// Only the first half of the body is sent, framed as a complete response.
    HalfBody,
    /// An intermediary responds instead of the server.
    Rejection(Rejection),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rejection {
    pub(super) status: u16,
    pub(super) retry_after: Option<RetryAfter>,
    /// Whether the server carried the request out anyway.
    pub(super) carried_out: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RetryAfter {
    Seconds(u64),
    /// Date this many seconds after the response's `Date`.
    Date(u64),
    /// Neither seconds nor a date.
    Nonsense,
}

impl RetryAfter {
    pub(super) fn duration(self) -> Duration {
        match self {
            Self::Seconds(seconds) | Self::Date(seconds) => Duration::from_secs(seconds),
            Self::Nonsense => Duration::ZERO,
        }
    }
}

impl Fate {
    /// Depends only on the seed, the call, the request and how often it came before, not on concurrent
    /// requests.
    pub(super) fn of(seed: u64, call: &str, request: &str, attempt: usize) -> Self {
        let mut dice = Dice::new(seed, &format!("{call} {request} {attempt}"));
        let fault = Fault::thrown(&mut dice);
        let chunked = dice.below(2) == 0;
        Self { fault, chunked }
    }
}

impl Fault {
    /// Number of fault kinds.
    pub(super) const KINDS: usize = 11;

    fn thrown(dice: &mut Dice) -> Self {
        match dice.below(1000) {
            0..60 => Self::Reset,
            60..90 => Self::HangUp,
            90..140 => Self::LostAnswer,
            140..143 => Self::Stall { carried_out: false },
            143..147 => Self::Stall { carried_out: true },
            147..150 => Self::StallInBody,
            150..180 => Self::Cut,
            180..200 => Self::HalfBody,
            200..230 => Self::Duplicate,
            230..250 => Self::Slow,
            250..380 => {
                let status = dice.pick(&[429, 429, 500, 502, 503]);
                Self::Rejection(Rejection {
                    status,
                    retry_after: retry_after(dice),
                    // The quota is checked before anything else.
                    carried_out: status != 429 && dice.below(2) == 0,
                })
            }
            _ => Self::None,
        }
    }

    /// Returns how often the server carries the request out.
    pub(super) fn times_carried_out(self) -> usize {
        match self {
            Self::Reset | Self::HangUp => 0,
            Self::Stall { carried_out } | Self::Rejection(Rejection { carried_out, .. }) => carried_out.into(),
            Self::Duplicate => 2,
            _ => 1,
        }
    }
}

fn retry_after(dice: &mut Dice) -> Option<RetryAfter> {
    match dice.below(12) {
        0 => Some(RetryAfter::Seconds(0)),
        1 => Some(RetryAfter::Seconds(2)),
        2 => Some(RetryAfter::Seconds(40)),
        3 => Some(RetryAfter::Seconds(3600)),
        4 => Some(RetryAfter::Date(3)),
        5 => Some(RetryAfter::Nonsense),
        _ => None,
    }
}
