//! HEAD is GET without a body, and OPTIONS names the methods of a path.
//!
//! That HEAD has no body is not checked: a client of HTTP reads none.

use crate::support::any_operation::{call, records};
use engine::case::{Case, Need};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

/// Headers with the same value in both responses; of all others only their presence is compared.
const SAME: [&str; 3] = ["Content-Type", "Cache-Control", "WWW-Authenticate"];
/// A request that is sound, one without a key, and one with a parameter that no operation has.
pub(crate) const REQUESTS: [fn(Call) -> Call; 3] = [
    |call| call,
    |call| call.literal_keys([]),
    |call| call.query("offset", 1),
];

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let reads = operations.clone().filter(|operation| operation.is_read());
    reads.map(head).chain(operations.map(options)).collect()
}

fn head(operation: &'static Operation) -> Case {
    let id = &operation.id;
    Case::quoting(
        format!("header/head-is-get-without-a-body/{id}"),
        format!("{id}: HEAD has the status and the headers of GET"),
        "/info",
        "HEAD is available wherever GET is, with the same status and headers and without a body",
    )
    .on([id.as_str()])
    .needs(records(operation))
    .check(move |probe| mirrored(probe, operation))
}

async fn mirrored(probe: Probe, operation: &'static Operation) -> Outcome {
    for change in REQUESTS {
        let (get, head) = both(&probe, operation, change).await?;
        let evidence = [&head, &get];
        let status = format!("{}, as with GET", get.status);
        let holds = head.status == get.status;
        probe.assert(
            holds,
            "the status of HEAD",
            status,
            head.summary(),
            &evidence,
        );
        for name in names(operation, &get) {
            let (expected, seen) = (shown(&get, name), shown(&head, name));
            let what = format!("the header {name} of HEAD");
            let holds = is_same(name, &get, &head);
            probe.assert(holds, &what, expected, seen, &evidence);
        }
    }
    Ok(())
}

/// The responses to GET and to HEAD.
pub(crate) async fn both(
    probe: &Probe,
    operation: &Operation,
    change: fn(Call) -> Call,
) -> Result<(Answer, Answer), Stop> {
    let get = change(call(probe, operation).await?).send().await?;
    let head = change(call(probe, operation).await?).method("HEAD");
    Ok((get, head.send().await?))
}

/// Whether HEAD has the status and the headers of GET.
pub(crate) fn is_mirrored(operation: &Operation, get: &Answer, head: &Answer) -> bool {
    let mut names = names(operation, get).into_iter();
    get.status == head.status && names.all(|name| is_same(name, get, head))
}

/// The headers that the contract gives a response. A proxy may add others to one of the two.
fn names<'a>(operation: &'a Operation, get: &Answer) -> Vec<&'a str> {
    let declared = operation.response(get.status).into_iter();
    let declared = declared.flat_map(|response| &response.headers);
    let names = declared.map(|header| header.name.as_str());
    names.chain(["Content-Type"]).collect()
}

fn is_same(name: &str, get: &Answer, head: &Answer) -> bool {
    match SAME.contains(&name) {
        true => get
            .headers
            .get_all(name)
            .iter()
            .eq(head.headers.get_all(name)),
        false => get.headers.contains_key(name) == head.headers.contains_key(name),
    }
}

fn shown(answer: &Answer, name: &str) -> String {
    let values = answer.headers.get_all(name).iter();
    let values: Vec<_> = values
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    match values.is_empty() {
        true => "it is missing".to_owned(),
        false => values.join(", "),
    }
}

fn options(operation: &'static Operation) -> Case {
    let id = &operation.id;
    let records = match operation.is_read() {
        true => records(operation).collect(),
        false => vec![Need::Pipeline(ManyItems)],
    };
    Case::quoting(
        format!("header/options-names-the-methods/{id}"),
        format!("{id}: OPTIONS is answered 204, and Allow names the method"),
        "/info",
        "OPTIONS is answered 204 with Allow",
    )
    .on([id.as_str()])
    .needs(records)
    .check(move |probe| async move {
        let answer = ask_options(&probe, operation).await?;
        probe.expect(&answer).status(204);
        probe.assert(
            allows(&answer, &operation.method),
            "the header Allow",
            format!("{} among others", operation.method),
            shown(&answer, "Allow"),
            &[&answer],
        );
        Ok(())
    })
}

/// The response to OPTIONS.
pub(crate) async fn ask_options(probe: &Probe, operation: &Operation) -> Result<Answer, Stop> {
    let call = match operation.is_read() {
        true => call(probe, operation).await?,
        false => probe
            .call(&operation.id)
            .path("pipeline_id", probe.pipeline(ManyItems)?),
    };
    call.method("OPTIONS").send().await
}

/// Whether `Allow` names a method.
pub(crate) fn allows(answer: &Answer, method: &str) -> bool {
    let values = answer.headers.get_all("allow").iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(','))
        .any(|named| named.trim() == method)
}
