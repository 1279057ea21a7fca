//! Cases about request targets and header fields that are too long for many deployments. A deployment may accept them;
//! one that does not rejects them with the contract's error.

use super::malformed::assert_headers;
use super::{is_of_the_platform, list};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::raw::{Conversation, Message, Talk};
use engine::verdict::{Outcome, Stop};

/// The part of a request that is too long.
#[derive(Debug, Clone, Copy)]
pub enum TooLong {
    /// The request target, with a parameter that no operation has.
    Target,
    /// The header fields.
    Fields,
}

pub(crate) fn cases() -> Vec<Case> {
    let case = |id: &str, title: &str, sentence: &str, status: u16, long: TooLong| {
        Case::quoting(format!("http/{id}"), title, "/info", sentence)
            .and(format!("/x-early-responses/{status}"))
            .on(["list_items"])
            .needs([Need::Pipeline(ManyItems)])
            .point("too-long-request")
            .byte_for_byte()
            .sends(2)
            .check_with(long, rejected)
    };
    vec![
        case(
            "too-long-target",
            "A request target that is too long gets 414, and nothing else",
            "A request target that is too long is rejected with 414 and the code uri_too_long",
            414,
            TooLong::Target,
        ),
        case(
            "too-large-fields",
            "Header fields that are too large get 431, and nothing else",
            "header fields that are too large are rejected with 431 and the code headers_too_large",
            431,
            TooLong::Fields,
        ),
    ]
}

impl TooLong {
    /// The contract's response: its status and its code.
    pub fn rejection(self) -> (u16, &'static str) {
        match self {
            Self::Target => (414, "uri_too_long"),
            Self::Fields => (431, "headers_too_large"),
        }
    }

    /// Sends the long request, and a short one that is otherwise the same.
    pub async fn both(self, probe: &Probe) -> Result<(Talk, Talk), Stop> {
        let list = list(probe).await?;
        let padded = |length: usize| {
            let padding = "0".repeat(length);
            match self {
                Self::Target => Message::get(format!("{list}&padding={padding}")),
                Self::Fields => Message::get(&list).line(format!("X-Padding: {padding}")),
            }
        };
        // Common limits are 8 KiB to 64 KiB, and 400 KiB.
        let length = match self {
            Self::Target => 128 << 10,
            Self::Fields => 512 << 10,
        };
        let talk = |message| async move { probe.talk(&Conversation::of(message)).await };
        Ok((talk(padded(1)).await?, talk(padded(length)).await?))
    }
}

async fn rejected(probe: Probe, long: TooLong) -> Outcome {
    let (short, talk) = long.both(&probe).await?;
    let (Some(short), Some(response)) = (short.responses.first(), talk.responses.first()) else {
        return probe.inconclusive("a response: a connection may be cut while a long request is sent");
    };
    let (status, code) = long.rejection();
    if response.status == status && is_of_the_platform(response) {
        probe.expect(response).rejected(status, code);
        assert_headers(&probe, response);
        return Ok(());
    }
    probe.assert(
        response.status == status || response.status == short.status,
        "the status",
        format!("{status}, or {} as for a short request", short.status),
        response.summary(),
        &[response, short],
    );
    match short.status {
        200..=299 => probe.saw_whole(probe.contract().operation("list_items"), short),
        _ => Ok(()),
    }
}
