//! Searches for a bound that the deployment does not document, by bisection between an accepted and a rejected value.

use super::observation::{ObservationResult, observed_value};
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;

/// A request that tests a bound, and whether its value was within the bound.
pub(super) struct Tried {
    pub(super) within: bool,
    /// The number of entries of the page, if it was not rejected.
    pub(super) count: i64,
    pub(super) response: HttpResponse,
}

/// Observes the greatest number that gets 200, up to `furthest`. Tries the contract's own bound first, which
/// most deployments have.
pub(super) async fn greatest_accepted<Answered>(
    known: i64,
    furthest: i64,
    ask: impl Fn(i64) -> Answered,
) -> ObservationResult
where
    Answered: Future<Output = Result<HttpResponse, Stop>>,
{
    let try_number = async |number| {
        let response = ask(number).await?;
        Ok::<_, Stop>(Tried {
            within: response.status == 200,
            count: 0,
            response,
        })
    };
    let (at, over) = (try_number(known).await?, try_number(known + 1).await?);
    if at.within && !over.within {
        return observed_value("number", known, &[&over.response]);
    }
    let (within, beyond) = match at.within {
        true => (known + 1, furthest),
        false => (0, known),
    };
    match bound(within, beyond, try_number).await? {
        (_, None) => observed_value("unbounded", furthest, &[&over.response]),
        (most, Some(beyond)) => observed_value("number", most, &[&beyond]),
    }
}

/// Returns the greatest number within the bound and a response to a number beyond it, or `None` if `beyond` itself is
/// within. The given `within` is known to be within, and nothing greater than `beyond` is tried.
pub(super) async fn bound<Answered>(
    mut within: i64,
    mut beyond: i64,
    try_number: impl Fn(i64) -> Answered,
) -> Result<(i64, Option<HttpResponse>), Stop>
where
    Answered: Future<Output = Result<Tried, Stop>>,
{
    let last = try_number(beyond).await?;
    if last.within {
        return Ok((beyond, None));
    }
    let mut evidence = last.response;
    while beyond - within > 1 {
        let middle = within + (beyond - within) / 2;
        let tried = try_number(middle).await?;
        if tried.within {
            within = middle;
        } else {
            beyond = middle;
            evidence = tried.response;
        }
    }
    Ok((within, Some(evidence)))
}
