//! Cases about percent-encoded characters that need no encoding: they are the characters themselves.

use std::sync::Arc;

use engine::case::{Case, RequestTemplate};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// A parameter that no operation has, encoded and not.
const REFUSED: [&str; 2] = ["off%73et=%31", "offset=1"];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    operations(contract).map(|operation| of_operation(&operation)).collect()
}

/// The operations that read.
pub fn operations(contract: &Contract) -> impl Iterator<Item = Arc<Operation>> + '_ {
    let operations = contract.operations().iter().cloned();
    operations.filter(|operation| operation.is_read())
}

fn of_operation(operation: &Arc<Operation>) -> Case {
    Case::quoting(
        format!("http/encoded-characters-are-the-same/{}", operation.id),
        format!(
            "{}: Letters and digits that are percent-encoded are the same, in an id, in the route and in the query",
            operation.id
        ),
        "/info",
        "A percent-encoded character that needs no encoding, a letter, a digit or one of -._~, means the same as the \
         plain one: %34 is the id 4.",
    )
    .on([operation.id.as_str()])
    .needs(RequestTemplate::valid(operation).needs())
    .point("encoded-characters")
    .check_with(Arc::clone(operation), same)
}

/// Sends a valid request, also with encoded digits of its ids and with encoded letters of its route, and one that is
/// refused, also with an encoded query. Each response comes with that to the encoded request.
pub async fn pairs(probe: &Probe, operation: &Operation) -> Result<Vec<(HttpResponse, HttpResponse)>, Stop> {
    let valid = RequestTemplate::valid(operation);
    let plain = valid.call(probe).await?.send().await?;
    let mut pairs = Vec::new();
    let ids = valid.path_values(probe).await?;
    if !ids.is_empty() {
        let mut encoded = probe.call(&operation.id);
        for (name, value) in ids {
            let digits = value.bytes().map(|byte| format!("%{byte:02X}"));
            encoded = encoded.path_as_written(&name, &digits.collect::<String>());
        }
        pairs.push((plain.clone(), encoded.send().await?));
    }
    let encoded = valid.call(probe).await?.with_encoded_route().send().await?;
    pairs.push((plain, encoded));
    let [encoded, plain] = REFUSED.map(|query| valid.clone().raw_query(query));
    let encoded = encoded.call(probe).await?.send().await?;
    pairs.push((plain.call(probe).await?.send().await?, encoded));
    Ok(pairs)
}

async fn same(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let mut is_read = false;
    for (plain, encoded) in pairs(&probe, &operation).await? {
        probe.assert(
            plain.status == encoded.status,
            "the status",
            format!("{}, as without the encoding", plain.status),
            encoded.summary(),
            &[&encoded, &plain],
        );
        is_read |= probe.is_whole(&operation, &plain);
    }
    match is_read {
        true => Ok(()),
        false => probe.inconclusive("a request without encoding that gets its body"),
    }
}
