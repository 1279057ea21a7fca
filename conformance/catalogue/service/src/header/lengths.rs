//! Cases about long request targets and header fields, below the length at which a deployment may reject them.

use engine::case::{Case, Need};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};

/// The length at which a deployment may reject a request target or header fields, in bytes.
const LIMIT: usize = 32 * 1024;
/// The part of it that is left for the fields of proxies, and for servers that count the target and the fields
/// together, or some bytes more for each field.
const MARGIN: usize = 512;

/// The part of a request that is long.
#[derive(Debug, Clone, Copy)]
pub enum Long {
    /// The request target, with a parameter that no operation has.
    Target,
    /// The header fields, with one that no operation has.
    Fields,
}

pub(crate) fn cases() -> Vec<Case> {
    let case = |id: &str, title: &str, point: &str, long: Long| {
        Case::quoting(format!("header/{id}"), title, "/info", "Neither limit is below 32 KiB.")
            .on(["list_items"])
            .needs([Need::Pipeline(ManyItems)])
            .point(point)
            .check_with(long, like_a_short_one)
    };
    vec![
        case(
            "long-target-is-read",
            "A request target of nearly 32 KiB gets the same response as a short one",
            "request-target-length",
            Long::Target,
        ),
        case(
            "long-fields-are-read",
            "Header fields of nearly 32 KiB get the same response as short ones",
            "header-fields-length",
            Long::Fields,
        ),
    ]
}

async fn like_a_short_one(probe: Probe, long: Long) -> Outcome {
    let (short, long) = long.both(&probe).await?;
    probe.assert(
        long.status == short.status,
        "the status",
        format!("{}, as for a short request", short.status),
        long.summary(),
        &[&short, &long],
    );
    match short.status {
        200..=299 => probe.saw_whole(probe.contract().operation("list_items"), &short),
        _ => Ok(()),
    }
}

impl Long {
    /// Returns the responses to a short request and to a long one that are otherwise equal.
    pub async fn both(self, probe: &Probe) -> Result<(HttpResponse, HttpResponse), Stop> {
        let short = self.call(probe, 1)?.send().await?;
        let name = match self {
            Self::Target => "&padding=",
            Self::Fields => "X-Padding: \r\n",
        };
        let others = probe.usual_fields() + self.call(probe, 0)?.path_and_query()?.len();
        let length = (LIMIT - MARGIN).saturating_sub(others + name.len());
        // A rejection is not a defect of the operation: a proxy may have answered.
        let long = self.call(probe, length)?.unobserved().send().await?;
        Ok((short, long))
    }

    fn call(self, probe: &Probe, length: usize) -> Result<Call, Stop> {
        let call = probe
            .call("list_items")
            .path("pipeline_id", probe.pipeline(ManyItems)?)
            .query("limit", 1);
        let padding = "x".repeat(length);
        Ok(match self {
            Self::Target => call.query("padding", padding),
            Self::Fields => call.header("X-Padding", padding),
        })
    }
}
