//! Cases about bodies in chunks: they are read like any other, within the same limit, and malformed ones are rejected.
//!
//! HTTP clients send a body in chunks when they do not know its length, and a server that looks at `Content-Length`
//! alone reads none.

use std::collections::BTreeSet;

use super::{first, is_of_the_platform};
use engine::case::{Case, Need, RequestTemplate};
use engine::session::Probe;
use engine::target::{PipelineRole, Role};
use engine::transport::raw::{Conversation, Message, Talk};
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// The status of a server that takes no body without a length (RFC 9112, section 6.3).
const LENGTH_REQUIRED: u16 = 411;
/// The bytes of a chunk of a long body.
const CHUNK: usize = 16 * 1024;

/// A body in chunks that is not well-formed, made of a sound one.
type Fault = fn(&str) -> String;

/// Chunks that every HTTP server has to reject (RFC 9112, section 7.1), by name. Their body names an organization that
/// does not exist.
pub const FAULTS: [(&str, Fault); 3] = [
    ("size-is-not-a-number", |body| format!("zz\r\n{body}\r\n0\r\n\r\n")),
    ("size-with-a-prefix", |body| {
        format!("0x{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
    }),
    ("longer-than-its-size", |body| {
        format!("{:x}\r\n{body}  \r\n0\r\n\r\n", body.len())
    }),
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let case = |case: Case, point: &str| {
        case.on([add.id.as_str()])
            .needs([Need::POST])
            .point(point)
            .byte_for_byte()
            .sends(1)
            .writes(1)
    };
    let mut cases = vec![
        case(
            Case::new(
                "http/chunked-body-is-read",
                "A body in chunks is read like any other",
                format!("{}/requestBody", add.pointer),
            )
            .and(add.response_pointer(404)),
            "add-unknown-organization",
        )
        .needs([Need::Pipeline(PipelineRole::Writable)])
        .sends(2)
        .writes(2)
        .check(is_read),
        case(
            Case::new(
                "http/longer-chunked-body-is-rejected",
                "A body in chunks that is longer than the limit is rejected",
                add.response_pointer(413),
            )
            .and(format!("{}/requestBody/x-max-body-bytes", add.pointer)),
            "add-body-length",
        )
        .check(is_too_long),
        case(
            Case::new(
                "http/chunked-body-needs-the-permission",
                "An addition whose body comes in chunks needs the permission like any other",
                add.response_pointer(403),
            )
            .and(format!("{}/x-permission", add.pointer)),
            "read-only-key",
        )
        .needs([Need::Key(Role::ReadOnly)])
        .check(needs_the_permission),
    ];
    cases.extend(FAULTS.into_iter().map(|(name, fault)| {
        case(
            Case::quoting(
                format!("http/malformed-chunks-are-rejected/{name}"),
                format!("{name}: A body in malformed chunks gets 400"),
                "/info",
                "For a body whose chunks are malformed or that is cut off, 400 comes before 422",
            )
            .and(add.response_pointer(400)),
            "malformed-request",
        )
        .check_with(fault, malformed)
    }));
    cases
}

/// A body that names an organization that does not exist.
fn body(probe: &Probe) -> String {
    format!("{{\"organization_id\": {}}}", probe.unknown_id())
}

/// Sends an addition with this body, which is in chunks already.
pub async fn add_in_chunks(probe: &Probe, chunks: String) -> Result<Talk, Stop> {
    add_in_chunks_as(probe, Role::FullAccess, chunks).await
}

/// Does the same with the key of a role.
async fn add_in_chunks_as(probe: &Probe, role: Role, chunks: String) -> Result<Talk, Stop> {
    let add: &Operation = probe.contract().operation("add_organization");
    let path = RequestTemplate::valid(add).call(probe).await?.path_and_query()?;
    let message = Message::new("POST", path)
        .key(role)
        .line("Content-Type: application/json")
        .line("Transfer-Encoding: chunked")
        .unframed_body(chunks);
    probe.talk(&Conversation::of(message)).await
}

fn in_chunks(body: &str, length: usize) -> String {
    let mut chunks = String::new();
    let mut rest = body;
    while !rest.is_empty() {
        let (chunk, left) = rest.split_at(length.min(rest.len()));
        chunks.push_str(&format!("{:x}\r\n{chunk}\r\n", chunk.len()));
        rest = left;
    }
    chunks + "0\r\n\r\n"
}

/// Sends an addition with a key that must not add, which names an organization that does not exist.
async fn needs_the_permission(probe: Probe) -> Outcome {
    let body = body(&probe);
    let talk = add_in_chunks_as(&probe, Role::ReadOnly, in_chunks(&body, body.len())).await?;
    let response = first(&probe, &talk, "403")?;
    if response.status == LENGTH_REQUIRED {
        return probe.inconclusive("a deployment that takes bodies without a length");
    }
    probe.expect(response).rejected_as_stated(403, "authorization_denied");
    Ok(())
}

/// Sends two chunks: a server may take the first for the whole body.
async fn is_read(probe: Probe) -> Outcome {
    let body = body(&probe);
    let talk = add_in_chunks(&probe, in_chunks(&body, body.len() / 2 + 1)).await?;
    let response = first(&probe, &talk, "404")?;
    if response.status == LENGTH_REQUIRED {
        return probe.inconclusive("a deployment that takes bodies without a length");
    }
    probe.expect(response).rejected(404, "organization_not_found");
    let add = probe.contract().operation("add_organization");
    let plain = RequestTemplate::valid(add).call(&probe).await?.send().await?;
    // Each condition has its own status, and this is the same one.
    probe.assert_as(
        Some(BTreeSet::new()),
        response.status == plain.status,
        "the status for a body in chunks",
        format!("{}, as for the same body in one piece", plain.status),
        response.status,
        &[&plain, response],
    );
    Ok(())
}

async fn is_too_long(probe: Probe) -> Outcome {
    let add = probe.contract().operation("add_organization");
    let most = add.body.as_ref().and_then(|body| body.max_bytes);
    let most = most.and_then(|most| usize::try_from(most).ok()).unwrap_or_default();
    let body = body(&probe);
    let padded = format!("{body}{}", " ".repeat((most + 1).saturating_sub(body.len())));
    let talk = add_in_chunks(&probe, in_chunks(&padded, CHUNK)).await?;
    let response = first(&probe, &talk, "413")?;
    if response.status == LENGTH_REQUIRED {
        return probe.inconclusive("a deployment that takes bodies without a length");
    }
    match is_of_the_platform(response) {
        true => probe.expect(response).rejected(413, "body_too_large"),
        false => probe.expect(response).status(413),
    };
    Ok(())
}

async fn malformed(probe: Probe, fault: Fault) -> Outcome {
    let talk = add_in_chunks(&probe, fault(&body(&probe))).await?;
    let response = first(&probe, &talk, "400")?;
    match is_of_the_platform(response) {
        true => probe.expect(response).rejected(400, "malformed_request"),
        false => probe.expect(response).status(400),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_cut_into_chunks() {
        assert_eq!(in_chunks("abcde", 3), "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
        assert_eq!(in_chunks("", 3), "0\r\n\r\n");
    }
}
