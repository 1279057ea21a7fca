//! Cases about the names of headers: HTTP compares them without regard to case (RFC 9110, section 5.1).
//!
//! HTTP/2 and most proxies send them in lower case, HTTP/1.1 clients as their authors write them.

use std::sync::Arc;

use super::first;
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::transport::raw::{Conversation, Message};
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// Ways to write the names of the two headers of a request.
const WRITTEN: [(&str, &str); 4] = [
    ("API-Key", "Content-Type"),
    ("api-key", "content-type"),
    ("Api-Key", "Content-type"),
    ("API-KEY", "CONTENT-TYPE"),
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    contract.operations().iter().map(of_operation).collect()
}

fn of_operation(operation: &Arc<Operation>) -> Case {
    let count = WRITTEN.len() as u64;
    let written = u64::from(!operation.is_read()) * count;
    Case::new(
        format!("http/names-of-headers-in-any-case/{}", operation.id),
        format!(
            "{}: The name of a header is the same in upper and in lower case",
            operation.id
        ),
        "/components/securitySchemes/ApiKey/name",
    )
    .on([operation.id.as_str()])
    .needs(RequestTemplate::valid(operation).needs())
    .needs((!operation.is_read()).then_some(Need::POST))
    .byte_for_byte()
    .sends(count)
    .writes(written)
    .check_with(Arc::clone(operation), is_the_same)
}

/// Sends a valid request once for each way; an addition names an organization that does not exist.
async fn is_the_same(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let path = RequestTemplate::valid(&operation)
        .call(&probe)
        .await?
        .path_and_query()?;
    let mut usual = None;
    for (key, media_type) in WRITTEN {
        let message = Message::new(&operation.method, path.as_str()).key_name(key);
        let message = match operation.is_read() {
            true => message,
            false => message
                .line(format!("{media_type}: application/json"))
                .body(format!("{{\"organization_id\": {}}}", probe.contract().unknown_id())),
        };
        let talk = probe.talk(&Conversation::of(message)).await?;
        let response = first(&probe, &talk, "a response")?;
        let expected: &u16 = usual.get_or_insert(response.status);
        probe.assert(
            response.status == *expected,
            &format!("the status with the header {key}"),
            format!("{expected}, as with {}", WRITTEN[0].0),
            response.summary(),
            &[response],
        );
    }
    Ok(())
}
