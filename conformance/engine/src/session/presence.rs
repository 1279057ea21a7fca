//! Whether a deployment has an operation at all. A missing operation is answered like any unknown route, which says
//! nothing about the rules of the operation: it is reported once, and the other cases about it are skipped.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::join_all;

use crate::case::{Binding, RequestTemplate};
use crate::session::Probe;
use crate::session::observed::Known;
use crate::target::PipelineRole;
use crate::transport::departure::ITEM_ID;
use crate::transport::response::HttpResponse;
use crate::verdict::{Outcome, Stop};
use platform_contract::Operation;

/// The rule that an operation exists. Its cases are about operations that may be missing, and are never skipped for
/// that reason.
pub const RULE: &str = "operation/exists";
/// A path that no platform has.
pub const NO_ROUTE: &str = "/api/v1/platform-conformance-no-such-route-5f3a9c";
/// The code of an unknown route.
const ROUTE_NOT_FOUND: &str = "route_not_found";
/// The statuses of a method that the deployment has nowhere, or not on this path.
const NO_SUCH_METHOD: [u16; 2] = [405, 501];
/// The id in a request when no record is known.
const ANY_ID: u64 = 1;
/// The cause of all missing operations.
const CAUSE: &str = "operation is missing";

/// The response to a request, and whether all records in its path are known.
struct Asked {
    response: HttpResponse,
    is_of_known: bool,
}

/// Returns the reads that a deployment does not have.
pub(crate) async fn missing(probe: &Probe) -> BTreeSet<String> {
    let operations = probe.contract().operations().iter();
    let reads = operations.filter(|operation| operation.is_read());
    let looks = reads.map(async |operation| {
        // A response that cannot be had shows nothing.
        let asked = ask(probe, operation).await.ok()?;
        if asked.response.status < 400 {
            return None;
        }
        let is_missing = is_missing(probe, &asked).await.ok()?;
        (is_missing == Some(true)).then(|| operation.id.clone())
    });
    join_all(looks).await.into_iter().flatten().collect()
}

/// Asserts that an operation exists. If it does not, the later cases about it are skipped.
///
/// # Errors
/// When the deployment does not respond in time.
pub async fn check(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let asked = ask(&probe, &operation).await?;
    let Some(is_missing) = is_missing(&probe, &asked).await? else {
        return probe.inconclusive("a response that differs from that of an unknown route");
    };
    if is_missing {
        probe.shared.missing.lock().insert(operation.id.clone());
    }
    let response = &asked.response;
    probe.judge(!is_missing, || {
        let finding = probe.finding(
            "operation",
            "a response from the operation",
            &response.summary(),
            &[response],
        );
        finding.because(Some(CAUSE.to_owned()))
    });
    if !operation.is_read() && (200..300).contains(&response.status) {
        // The source states that a body is validated.
        let stated = Some(BTreeSet::new());
        let what = "the response to an empty object as the body";
        probe.assert_as(stated, false, what, "an error", response.summary(), &[response]);
    }
    Ok(())
}

/// Sends a request that only an unknown record makes invalid. One that would add has an empty object as its body, so
/// that nothing is added.
async fn ask(probe: &Probe, operation: &Operation) -> Result<Asked, Stop> {
    let mut request = RequestTemplate::valid(operation);
    if !operation.is_read() {
        request = request.json(&serde_json::json!({}));
    }
    let mut is_of_known = true;
    let parameters = operation.parameters.iter();
    for parameter in parameters.filter(|parameter| parameter.location == "path") {
        let (id, is_known) = record(probe.known(), operation, &parameter.name);
        is_of_known &= is_known;
        request = request.path(&parameter.name, Binding::Text(id.to_string()));
    }
    let response = request.call(probe).await?.even_if_missing().send().await?;
    Ok(Asked { response, is_of_known })
}

/// The id of a record for a parameter of a path, and whether the deployment is known to have it. A request that would
/// add names the writable pipeline in any case.
fn record(known: &Known, operation: &Operation, parameter: &str) -> (u64, bool) {
    let role = match operation.is_read() {
        true => PipelineRole::ManyItems,
        false => PipelineRole::Writable,
    };
    let named = known.roles.get(&role).copied();
    let mut pipelines = known.pipelines.iter();
    let pipeline = pipelines.find(|pipeline| Some(pipeline.pipeline_id) == named);
    let found = match parameter {
        "organization_id" => known.organizations.first().copied(),
        "product_id" => known.products.first().copied(),
        "pipeline_id" => return (named.unwrap_or(ANY_ID), pipeline.is_some()),
        ITEM_ID => pipeline.and_then(|pipeline| pipeline.first_item),
        _ => None,
    };
    (found.unwrap_or(ANY_ID), found.is_some())
}

/// Whether a response is that of an unknown route. Deployments with one code, or none, for everything that is not found
/// answer alike to a route and to a record: then it is, if the record is known. `None` if that does not tell.
async fn is_missing(probe: &Probe, asked: &Asked) -> Result<Option<bool>, Stop> {
    let response = &asked.response;
    if NO_SUCH_METHOD.contains(&response.status) || response.code() == Some(ROUTE_NOT_FOUND) {
        return Ok(Some(true));
    }
    let of_no_route = probe.route("GET", NO_ROUTE).send().await?;
    let is_alike = match (response.code(), of_no_route.code()) {
        (None, None) => (response.is_json, members(response)) == (of_no_route.is_json, members(&of_no_route)),
        (code, other) => code == other,
    };
    Ok(
        match (response.status == of_no_route.status && is_alike, response.status) {
            (true, 404) => asked.is_of_known.then_some(true),
            (true, _) => None,
            (false, _) => Some(false),
        },
    )
}

/// The names of the members of a body.
fn members(response: &HttpResponse) -> Vec<&String> {
    let members = response.body.as_object().into_iter().flatten();
    members.map(|(name, _)| name).collect()
}
