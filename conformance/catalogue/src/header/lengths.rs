//! Request targets and header fields that are long, and shorter than what a deployment may refuse for its length.

use engine::case::{Case, Need};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};

/// The bytes of the query: the path and the path of the base URL come on top.
const TARGET: usize = 31 * 1024;
/// The bytes of one header field: the key, and what a proxy wants to see, come on top.
const FIELD: usize = 30 * 1024;

/// What is made long.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Long {
    /// The request target, by a parameter that no operation has.
    Target,
    /// The header fields, by one that no operation has.
    Fields,
}

pub(crate) fn cases() -> Vec<Case> {
    let case = |id: &str, title: &str, long: Long| {
        Case::quoting(
            format!("header/{id}"),
            title,
            "/info",
            "neither below 32 KiB",
        )
        .on(["list_items"])
        .needs([Need::Pipeline(ManyItems)])
        .check(move |probe| like_a_short_one(probe, long))
    };
    vec![
        case(
            "long-target-is-read",
            "A request target of 31 KiB is answered like a short one",
            Long::Target,
        ),
        case(
            "long-fields-are-read",
            "Header fields of 30 KiB are answered like short ones",
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
    Ok(())
}

impl Long {
    /// The responses to a short request, and to a long one that differs in nothing else.
    pub(crate) async fn both(self, probe: &Probe) -> Result<(Answer, Answer), Stop> {
        let short = self.call(probe, 1)?.send().await?;
        let length = match self {
            Self::Target => TARGET,
            Self::Fields => FIELD,
        };
        // That it is refused is not a fault of the operation, which may never have seen it.
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
