//! Cases about HEAD and OPTIONS: HEAD is GET without a body, and OPTIONS names the methods of a path.
//!
//! The missing body of HEAD is not checked: HTTP clients do not read one.

use engine::case::{Binding, Case, Need, RequestTemplate};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, Other};
use engine::target::Role;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};
use std::sync::Arc;

/// Headers with the same value in both responses; for all others only the presence is compared.
const SAME: [&str; 3] = ["Content-Type", "Cache-Control", "WWW-Authenticate"];
/// How often two lengths that differ have to be the same again: lengths that vary may be so a few times by chance.
const SAME_LENGTHS: usize = 12;
/// Changes to a valid request: none, without a key, with a parameter that no operation has, for an unknown record.
const CHANGES: [fn(RequestTemplate) -> RequestTemplate; 4] = [
    |request| request,
    |request| request.literal_keys([]),
    |request| request.query("offset", 1),
    RequestTemplate::of_unknown_record,
];

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let reads = operations.clone().filter(|operation| operation.is_read());
    let of_options = operations.clone().map(options);
    let denied = reads.clone().map(denied);
    reads
        .map(head)
        .chain(denied)
        .chain(of_options)
        .chain(operations.map(without_a_key))
        .collect()
}

fn head(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    Case::quoting(
        format!("header/head-is-get-without-a-body/{id}"),
        format!("{id}: HEAD has the status and the headers of GET"),
        "/info",
        "HEAD is available wherever GET is, with the same status and headers and without a body",
    )
    .on([id.as_str()])
    .needs(RequestTemplate::valid(operation).needs())
    .point("head")
    .sends(((CHANGES.len() + 2) * 2 * (1 + SAME_LENGTHS)) as u64)
    .check_with(Arc::clone(operation), mirrored)
}

fn denied(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    Case::quoting(
        format!("header/head-is-denied-like-get/{id}"),
        format!("{id}: HEAD with a denied key gets 403"),
        "/info",
        "HEAD is available wherever GET is, with the same status and headers and without a body",
    )
    .on([id.as_str()])
    .needs(RequestTemplate::valid(operation).needs())
    .needs([Need::Key(Role::NoAccess)])
    .point("head")
    .check_with(Arc::clone(operation), is_denied)
}

async fn is_denied(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let request = RequestTemplate::valid(&operation).key(Role::NoAccess);
    let (get, head) = both(&probe, &request).await?;
    let expected = format!("{}, as with GET", get.status);
    let holds = head.status == get.status;
    probe.assert(holds, "the status of HEAD", expected, head.summary(), &[&head, &get]);
    match get.status {
        200..=299 => probe.inconclusive("a GET that is denied"),
        _ => Ok(()),
    }
}

async fn mirrored(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let (mut is_read, mut have_other_lengths) = (false, false);
    for request in requests(&probe, &operation) {
        let (get, head) = both(&probe, &request).await?;
        is_read |= probe.is_whole(&operation, &get);
        let evidence = [&head, &get];
        let status = format!("{}, as with GET", get.status);
        let holds = head.status == get.status;
        probe.assert(holds, "the status of HEAD", status, head.summary(), &evidence);
        for name in names(&operation, &get) {
            let (expected, seen) = (shown(&get, name), shown(&head, name));
            let what = format!("the header {name} of HEAD");
            let holds = is_same(name, &get, &head);
            probe.assert(holds, &what, expected, seen, &evidence);
        }
        // One request is enough to show it.
        if !have_other_lengths && !may_have_length_of(&get, &head) {
            have_other_lengths = are_steady(&probe, &request, lengths(&get, &head)).await?;
            let [expected, seen] = lengths(&get, &head);
            let what = "the header Content-Length of HEAD";
            probe.assert(!have_other_lengths, what, expected, seen, &evidence);
        }
    }
    match is_read {
        true => Ok(()),
        false => probe.inconclusive("a GET that gets its body"),
    }
}

fn lengths(get: &HttpResponse, head: &HttpResponse) -> [String; 2] {
    [get, head].map(|response| shown(response, "Content-Length"))
}

/// Whether GET and HEAD have these lengths each time. The content may have changed between the two, and the same
/// content may have other bytes each time.
async fn are_steady(probe: &Probe, request: &RequestTemplate, first: [String; 2]) -> Result<bool, Stop> {
    for _ in 0..SAME_LENGTHS {
        let (get, head) = both(probe, request).await?;
        if lengths(&get, &head) != first {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the length that HEAD gives may be that of the body of GET (RFC 9110, section 8.6). It may be missing.
fn may_have_length_of(get: &HttpResponse, head: &HttpResponse) -> bool {
    let length = |response: &HttpResponse| response.header("content-length").map(str::to_owned);
    let encoding = |response: &HttpResponse| response.header("content-encoding").map(str::to_owned);
    encoding(get) != encoding(head)
        || length(head).is_none_or(|of_head| length(get).is_none_or(|of_get| of_get == of_head))
}

/// Requests to an operation with different responses, each once: a search by text does not have an unknown record. An
/// item is asked for in another pipeline as well, if there is one.
pub fn requests(probe: &Probe, operation: &Operation) -> Vec<RequestTemplate> {
    let mut requests = CHANGES.map(|change| change(RequestTemplate::valid(operation))).to_vec();
    if operation
        .parameters
        .iter()
        .any(|parameter| parameter.name == "pipeline_id")
    {
        let other = probe.pipeline(Other).ok().map(|_| Binding::from(Other));
        let pipelines = other.into_iter().chain([Binding::UnknownId]);
        requests.extend(pipelines.map(|pipeline| RequestTemplate::valid(operation).path("pipeline_id", pipeline)));
    }
    requests.dedup_by(|later, _| *later == RequestTemplate::valid(operation));
    requests
}

/// Returns the responses to GET and to HEAD.
pub async fn both(probe: &Probe, request: &RequestTemplate) -> Result<(HttpResponse, HttpResponse), Stop> {
    let get = request.call(probe).await?.send().await?;
    let head = request.call(probe).await?.method("HEAD");
    Ok((get, head.send().await?))
}

/// Whether HEAD has the status and the headers of GET.
pub fn is_mirrored(operation: &Operation, get: &HttpResponse, head: &HttpResponse) -> bool {
    let mut names = names(operation, get).into_iter();
    get.status == head.status && names.all(|name| is_same(name, get, head))
}

/// Returns the headers that the contract declares for a response. A proxy may add others to one of the two.
fn names<'a>(operation: &'a Operation, get: &HttpResponse) -> Vec<&'a str> {
    let declared = operation.response(get.status).into_iter();
    let declared = declared.flat_map(|declared_response| &declared_response.headers);
    let names = declared.map(|header| header.name.as_str());
    names.chain(["Content-Type"]).collect()
}

fn is_same(name: &str, get: &HttpResponse, head: &HttpResponse) -> bool {
    match SAME.contains(&name) {
        true => get.headers.get_all(name).iter().eq(head.headers.get_all(name)),
        false => get.headers.contains_key(name) == head.headers.contains_key(name),
    }
}

fn shown(response: &HttpResponse, name: &str) -> String {
    let values = response.headers.get_all(name).iter();
    let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    match values.is_empty() {
        true => "it is missing".to_owned(),
        false => values.join(", "),
    }
}

fn options(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    let needs = match operation.is_read() {
        true => RequestTemplate::valid(operation).needs().collect(),
        false => vec![Need::Pipeline(ManyItems)],
    };
    Case::quoting(
        format!("header/options-names-the-methods/{id}"),
        format!("{id}: OPTIONS gets 204, and Allow names the method, OPTIONS, and HEAD beside GET"),
        "/info",
        "OPTIONS returns 204 with Allow",
    )
    .and_quote("/info", "`HEAD` is available wherever `GET` is")
    .on([id.as_str()])
    .needs(needs)
    .point("options")
    .check_with(Arc::clone(operation), names_the_methods)
}

/// The preflight request of a browser carries no key.
fn without_a_key(operation: &Arc<Operation>) -> Case {
    let id = &operation.id;
    let needs = match operation.is_read() {
        true => RequestTemplate::valid(operation).needs().collect(),
        false => vec![Need::Pipeline(ManyItems)],
    };
    Case::quoting(
        format!("header/options-needs-no-key/{id}"),
        format!("{id}: OPTIONS without a key gets the same response as with one"),
        "/info",
        "The method OPTIONS needs no key, because the preflight request of a browser never carries one.",
    )
    .on([id.as_str()])
    .needs(needs)
    .point("options-key")
    .check_with(Arc::clone(operation), needs_no_key)
}

async fn needs_no_key(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let response = ask_options_without_a_key(&probe, &operation).await?;
    probe.expect(&response).status(204);
    Ok(())
}

/// Returns the response to OPTIONS without a key.
pub async fn ask_options_without_a_key(probe: &Probe, operation: &Operation) -> Result<HttpResponse, Stop> {
    let call = options_of(probe, operation, &[]).await?;
    call.literal_keys([]).send().await
}

async fn names_the_methods(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let response = ask_options(&probe, &operation, &[]).await?;
    probe.expect(&response).status(204);
    let head = (operation.method == "GET").then_some("HEAD");
    for method in [operation.method.as_str(), "OPTIONS"].into_iter().chain(head) {
        probe.assert(
            allows(&response, method),
            "the header Allow",
            format!("{method} among others"),
            shown(&response, "Allow"),
            &[&response],
        );
    }
    Ok(())
}

/// Returns the response to OPTIONS. The request has no body and needs no writable pipeline, because OPTIONS only
/// reads.
pub async fn ask_options(probe: &Probe, operation: &Operation, headers: &[(&str, &str)]) -> Result<HttpResponse, Stop> {
    options_of(probe, operation, headers).await?.send().await
}

async fn options_of(probe: &Probe, operation: &Operation, headers: &[(&str, &str)]) -> Result<Call, Stop> {
    let request = match operation.is_read() {
        true => RequestTemplate::valid(operation),
        false => RequestTemplate::to(operation).path("pipeline_id", ManyItems),
    };
    let headers = headers.iter();
    let request = headers.fold(request, |request, (name, value)| request.header(name, value));
    Ok(request.call(probe).await?.method("OPTIONS"))
}

/// Whether `Allow` names a method.
pub fn allows(response: &HttpResponse, method: &str) -> bool {
    let values = response.headers.get_all("allow").iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(','))
        .any(|named| named.trim() == method)
}
