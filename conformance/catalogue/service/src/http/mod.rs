//! `http/*`: malformed requests, requests that are too long, and several requests on one connection. HTTP clients
//! neither send such requests nor show their outcome, so these cases send their requests byte for byte.
//!
//! A proxy in front of a deployment may answer such a request itself. The platform is recognized by the headers and
//! the body of all its responses.

pub mod chunks;
pub mod connections;
pub mod encoding;
pub mod long;
pub mod malformed;
mod writings;

use engine::case::{Case, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::raw::{End, Talk};
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use platform_contract::Contract;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    [
        malformed::cases(contract),
        chunks::cases(contract),
        encoding::cases(contract),
        writings::cases(contract),
        long::cases(),
        connections::cases(contract),
    ]
    .concat()
}

/// The path of a request that lists an item.
pub async fn list(probe: &Probe) -> Result<String, Stop> {
    let list_items = probe.contract().operation("list_items");
    let request = RequestTemplate::to(list_items).path("pipeline_id", ManyItems);
    let call = request.query("limit", 1).call(probe).await?;
    call.path_and_query()
}

/// Whether a response comes from the platform itself, not from a proxy in front of it.
pub fn is_of_the_platform(response: &HttpResponse) -> bool {
    response.headers.contains_key("x-request-id") || response.code().is_some()
}

/// Asserts that the first request of a conversation was answered, and returns the response.
///
/// # Errors
/// Inconclusive when a response may have been lost, and after a finding when there is none.
pub(crate) fn first<'a>(probe: &Probe, talk: &'a Talk, expected: &str) -> Result<&'a HttpResponse, Stop> {
    let lost = || Stop::Inconclusive("a response: the connection was cut before one came".to_owned());
    if talk.is_disturbed() {
        return Err(Stop::not_seen("a response of the deployment itself"));
    }
    match (talk.responses.first(), &talk.end) {
        (Some(response), _) => Ok(response),
        (None, End::Cut) => Err(lost()),
        (None, end) => {
            let lines = std::iter::once(talk.line.to_string());
            probe.assert_shown(false, "the response", expected, end.shown(), lines);
            Err(Stop::Inconclusive("a response".to_owned()))
        }
    }
}
