//! Bounds that nobody told: how much is accepted, found by halving what is left between what is and what is
//! not.

use super::sight::{Seen, saw_value};
use engine::transport::client::Answer;
use engine::verdict::Stop;

/// What a request for a bound comes to: within it, or beyond.
pub(super) struct Tried {
    pub(super) within: bool,
    /// How many entries came of a page that was not refused.
    pub(super) count: i64,
    pub(super) answer: Answer,
}

/// The greatest number that is answered 200, looked for up to `furthest`: the contract's own first, which most
/// deployments have.
pub(super) async fn greatest_accepted<Answered>(
    known: i64,
    furthest: i64,
    ask: impl Fn(i64) -> Answered,
) -> Seen
where
    Answered: Future<Output = Result<Answer, Stop>>,
{
    let try_number = async |number| {
        let answer = ask(number).await?;
        Ok::<_, Stop>(Tried {
            within: answer.status == 200,
            count: 0,
            answer,
        })
    };
    let (at, over) = (try_number(known).await?, try_number(known + 1).await?);
    if at.within && !over.within {
        return saw_value("number", known, &[&over.answer]);
    }
    let (within, beyond) = match at.within {
        true => (known + 1, furthest),
        false => (0, known),
    };
    match bound(within, beyond, try_number).await? {
        (_, None) => saw_value("unbounded", furthest, &[&over.answer]),
        (most, Some(beyond)) => saw_value("number", most, &[&beyond]),
    }
}

/// The greatest number that is within a bound, and an answer to one beyond it; none when the furthest
/// is within as well. `within` is, and nothing beyond `beyond` is tried.
pub(super) async fn bound<Answered>(
    mut within: i64,
    mut beyond: i64,
    try_number: impl Fn(i64) -> Answered,
) -> Result<(i64, Option<Answer>), Stop>
where
    Answered: Future<Output = Result<Tried, Stop>>,
{
    let last = try_number(beyond).await?;
    if last.within {
        return Ok((beyond, None));
    }
    let mut evidence = last.answer;
    while beyond - within > 1 {
        let middle = within + (beyond - within) / 2;
        let tried = try_number(middle).await?;
        if tried.within {
            within = middle;
        } else {
            beyond = middle;
            evidence = tried.answer;
        }
    }
    Ok((within, Some(evidence)))
}
