//! The quota of the key of the role `rate_limited`: what responses report of it, and how it is used up.

use std::time::Duration;

use futures::future::try_join_all;

use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::target::Role;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;

/// The limit on the requests for using up a quota.
pub(crate) const LARGEST_QUOTA: i64 = 200;
/// The number of concurrent requests for using up a quota.
pub(crate) const AT_ONCE: usize = 4;
/// The longest time to wait for a quota to be renewed, in seconds.
pub(crate) const LONGEST_WAIT: u64 = 30;

/// A quota, as the two headers report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) left: i64,
    pub(crate) seconds: i64,
    pub(crate) requests: i64,
    pub(crate) window: i64,
}

impl Quota {
    pub(crate) fn of(response: &HttpResponse) -> Option<Self> {
        let limit = response.header("ratelimit")?;
        let policy = response.header("ratelimit-policy")?;
        Some(Self {
            left: number(limit, "r")?,
            seconds: number(limit, "t")?,
            requests: number(policy, "q")?,
            window: number(policy, "w")?,
        })
    }
}

/// Reads a parameter of a structured header, such as `"default";r=42;t=7`.
fn number(header: &str, name: &str) -> Option<i64> {
    let mut parameters = header.split(';').skip(1).map(str::trim);
    parameters.find_map(|parameter| parameter.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Asks for one item of a list with the key.
pub(crate) async fn ask(probe: &Probe) -> Result<HttpResponse, Stop> {
    let pipeline_id = probe.pipeline(ManyItems)?;
    let call = probe
        .call("list_items")
        .path("pipeline_id", pipeline_id)
        .query("limit", 1);
    call.key(Role::RateLimited).send().await
}

/// Returns how long to wait for a quota that is renewed after this number of seconds, within limits.
pub(crate) fn until_renewed(seconds: i64) -> Duration {
    Duration::from_secs(seconds.unsigned_abs().clamp(1, LONGEST_WAIT))
}

/// Sends requests until the quota is used up, several at a time because it may be renewed every second. Returns the
/// responses, those with 429 last.
pub(crate) async fn use_up(probe: &Probe) -> Result<Vec<HttpResponse>, Stop> {
    let mut responses = vec![ask(probe).await?];
    let quota = responses
        .first()
        .and_then(Quota::of)
        .map_or(LARGEST_QUOTA, |quota| quota.requests);
    if quota > LARGEST_QUOTA {
        return Err(Stop::Inconclusive(format!(
            "a quota of {LARGEST_QUOTA} requests or less"
        )));
    }
    // The window may be renewed once in the meantime.
    let most = usize::try_from(2 * quota + 2).unwrap_or(usize::MAX);
    while responses.iter().all(|response| response.status != 429) && responses.len() < most {
        responses.extend(try_join_all((0..AT_ONCE).map(|_| ask(probe))).await?);
    }
    responses.sort_by_key(|response| response.status == 429);
    Ok(responses)
}

/// Whether a quota was never used up because it was repeatedly renewed.
pub(crate) fn is_renewed_too_soon(responses: &[HttpResponse]) -> bool {
    let left: Vec<_> = responses
        .iter()
        .filter_map(|response| Some(Quota::of(response)?.left))
        .collect();
    // The responses to concurrent requests may arrive in another order.
    let at_once = i64::try_from(AT_ONCE).unwrap_or(i64::MAX);
    let renewed = left.windows(2).filter(|pair| pair[1] > pair[0] + at_once).count();
    // A quota that is used up and whose requests still succeed is not enforced.
    renewed > 1 && left.iter().filter(|left| **left == 0).count() <= renewed
}
