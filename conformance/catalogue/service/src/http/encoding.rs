//! Cases about percent-encoded characters that need no encoding: they are the characters themselves.

use std::sync::Arc;

use engine::case::{Case, RequestTemplate};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// A parameter that all operations with an id refuse or read in the same way, encoded and not.
const REFUSED: [&str; 2] = ["off%73et=%31", "offset=1"];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    operations(contract).map(|operation| of_operation(&operation)).collect()
}

/// The operations that read something by an id.
pub fn operations(contract: &Contract) -> impl Iterator<Item = Arc<Operation>> + '_ {
    let operations = contract.operations().iter().cloned();
    operations.filter(|operation| operation.is_read() && operation.path.contains('{'))
}

fn of_operation(operation: &Arc<Operation>) -> Case {
    Case::quoting(
        format!("http/encoded-characters-are-the-same/{}", operation.id),
        format!(
            "{}: An id whose digits are percent-encoded is the same id",
            operation.id
        ),
        "/info",
        "A percent-encoded letter or digit is that letter or digit: %34 is the id 4.",
    )
    .on([operation.id.as_str()])
    .needs(RequestTemplate::valid(operation).needs())
    .point("encoded-characters")
    .check_with(Arc::clone(operation), same)
}

/// Sends a valid request and one that is refused, each as usual and with encoded characters.
pub async fn both(probe: &Probe, operation: &Operation) -> Result<[(HttpResponse, HttpResponse); 2], Stop> {
    let valid = RequestTemplate::valid(operation);
    let plain = valid.call(probe).await?.send().await?;
    let mut encoded = probe.call(&operation.id);
    for (name, value) in valid.path_values(probe).await? {
        let digits = value.bytes().map(|byte| format!("%{byte:02X}"));
        encoded = encoded.path_as_written(&name, &digits.collect::<String>());
    }
    let encoded = encoded.send().await?;
    let [refused, refused_plain] = REFUSED.map(|query| valid.clone().raw_query(query));
    let refused = refused.call(probe).await?.send().await?;
    let refused_plain = refused_plain.call(probe).await?.send().await?;
    Ok([(plain, encoded), (refused_plain, refused)])
}

async fn same(probe: Probe, operation: Arc<Operation>) -> Outcome {
    for (plain, encoded) in both(&probe, &operation).await? {
        probe.assert(
            plain.status == encoded.status,
            "the status",
            format!("{}, as without the encoding", plain.status),
            encoded.summary(),
            &[&encoded, &plain],
        );
    }
    Ok(())
}
