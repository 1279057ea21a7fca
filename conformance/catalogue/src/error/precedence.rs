//! Every error of the pipeline operations, and which one answers a request that deserves several.
//!
//! Every request to add needs leave to write, although the contract has it refused, and goes to no pipeline that
//! may exist except for those that the target names.

use std::fmt::Display;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::add::{TOO_LONG, already_there};
use crate::support::any_operation::{first_item, leave};
use engine::case::{Case, Need};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, NotOrganizations, Other, Writable};
use engine::target::Role::{FullAccess, NoAccess, ReadOnly};
use engine::transport::request::Body;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};

const NOT_FOUND: (u16, &str) = (404, "pipeline_not_found");
const UNAUTHENTICATED: (u16, &str) = (401, "authentication_required");
const DENIED: (u16, &str) = (403, "authorization_denied");
const INVALID: (u16, &str) = (422, "validation_failed");
const WRONG_PIPELINE: (u16, &str) = (400, "not_an_organization_pipeline");

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let mut cases = of_listing(contract.operation("list_items"));
    for operation in ["get_item_values", "get_item_status"] {
        cases.extend(of_an_item(contract.operation(operation)));
    }
    cases.extend(of_adding(contract.operation("add_organization")));
    let of_pipelines = contract.operations().iter();
    let of_pipelines = of_pipelines.filter(|operation| operation.path.starts_with("/api/"));
    cases.extend(of_pipelines.map(malformed_id));
    cases
}

/// A case that sends one request, which deserves this answer.
fn case<Request>(
    operation: &'static Operation,
    rule: &str,
    title: &str,
    (status, code): (u16, &'static str),
    request: impl Fn(Probe) -> Request + Send + Sync + 'static,
) -> Case
where
    Request: Future<Output = Result<Call, Stop>> + Send + 'static,
{
    let (id, title) = (
        format!("error/{rule}/{}", operation.id),
        format!("{}: {title}", operation.id),
    );
    Case::new(id, title, operation.response_pointer(status))
        .needs([Need::Pipeline(ManyItems)])
        .needs(leave(operation))
        .writes(u64::from(!operation.is_read()))
        .check(move |probe| {
            let call = request(probe.clone()).boxed();
            refused(probe, call, status, code)
        })
}

async fn refused(
    probe: Probe,
    call: BoxFuture<'static, Result<Call, Stop>>,
    status: u16,
    code: &'static str,
) -> Outcome {
    let answer = call.await?.send().await?;
    probe.expect(&answer).refused(status, code);
    Ok(())
}

/// A pipeline id that is malformed: the permission decides between 403 and 422.
fn malformed_id(operation: &'static Operation) -> Case {
    let denied = match operation.is_read() {
        true => NoAccess,
        false => ReadOnly,
    };
    Case::quoting(
        format!("error/malformed-id-needs-the-permission/{}", operation.id),
        format!(
            "{}: that an id is malformed is reported to a key that is allowed the operation, and to no other",
            operation.id
        ),
        "/components/securitySchemes/ApiKey",
        "With an id that is malformed, a key that is allowed the pair on some pipeline is answered 422, any other key 403.",
    )
    .on([operation.id.as_str()])
    .needs([Need::Key(denied)])
    .needs(leave(operation))
    .writes(2 * u64::from(!operation.is_read()))
    .check(move |probe| async move {
        for (key, (status, code)) in [(denied, DENIED), (FullAccess, INVALID)] {
            let answer = with_malformed_id(&probe, operation).key(key).send().await?;
            probe.expect(&answer).refused(status, code);
        }
        Ok(())
    })
}

/// A request whose only fault is the id of the pipeline.
pub(crate) fn with_malformed_id(probe: &Probe, operation: &Operation) -> Call {
    let call = item(probe, operation, "abc", 1);
    match operation.is_read() {
        true => call,
        false => call.json(&unknown_organization(probe)),
    }
}

/// A case whose request deserves several answers, of which this is the first.
fn first<Request>(
    operation: &'static Operation,
    rule: &str,
    title: &str,
    answer: (u16, &'static str),
    request: impl Fn(Probe) -> Request + Send + Sync + 'static,
) -> Case
where
    Request: Future<Output = Result<Call, Stop>> + Send + 'static,
{
    let order = match operation.is_read() {
        true => "401, 429, 403, 422, 404, 400.",
        false => "401, 429, 403, 415, 413, 422, 404 (pipeline), 400, 404 (organization), 409.",
    };
    case(operation, rule, title, answer, request).led_by("/info", order)
}

fn list(probe: &Probe, pipeline_id: impl Display) -> Call {
    probe.call("list_items").path("pipeline_id", pipeline_id)
}

fn of_listing(operation: &'static Operation) -> Vec<Case> {
    vec![
        case(
            operation,
            "unknown-pipeline",
            "a pipeline that does not exist is not found",
            NOT_FOUND,
            |probe| async move { Ok(list(&probe, probe.contract().greatest_id())) },
        ),
        first(
            operation,
            "401-before-422",
            "without a key, a bad parameter is not looked at",
            UNAUTHENTICATED,
            |probe| async move { Ok(list(&probe, "abc").query("limit", 0).literal_keys([])) },
        ),
        first(
            operation,
            "401-before-404",
            "without a key, nobody learns what exists",
            UNAUTHENTICATED,
            |probe| async move { Ok(list(&probe, probe.contract().greatest_id()).literal_keys([])) },
        ),
        first(
            operation,
            "403-before-422-of-the-pipeline",
            "a key that is denied does not learn of a bad pipeline",
            DENIED,
            |probe| async move { Ok(list(&probe, 0).key(NoAccess)) },
        )
        .needs([Need::Key(NoAccess)]),
        first(
            operation,
            "403-before-422",
            "a key that is denied does not learn of a bad parameter",
            DENIED,
            |probe| async move {
                Ok(list(&probe, probe.pipeline(ManyItems)?)
                    .query("limit", 0)
                    .key(NoAccess))
            },
        )
        .needs([Need::Key(NoAccess)]),
        first(
            operation,
            "403-before-404",
            "a key that is denied does not learn what exists",
            DENIED,
            |probe| async move { Ok(list(&probe, probe.contract().greatest_id()).key(NoAccess)) },
        )
        .needs([Need::Key(NoAccess)]),
        first(
            operation,
            "422-before-404",
            "a bad parameter is told before the pipeline is looked up",
            INVALID,
            |probe| async move { Ok(list(&probe, probe.contract().greatest_id()).query("limit", 0)) },
        ),
        first(
            operation,
            "422-before-400",
            "a bad parameter is told before sort_by is looked at",
            INVALID,
            |probe| async move {
                Ok(list(&probe, probe.pipeline(ManyItems)?)
                    .query("limit", 0)
                    .query("sort_by", "name"))
            },
        ),
        first(
            operation,
            "404-before-400",
            "the pipeline is looked up before sort_by is looked at",
            NOT_FOUND,
            |probe| async move {
                Ok(list(&probe, probe.contract().greatest_id()).query("sort_by", "name"))
            },
        ),
    ]
}

fn item(
    probe: &Probe,
    operation: &Operation,
    pipeline_id: impl Display,
    item: impl Display,
) -> Call {
    probe
        .call(&operation.id)
        .path("pipeline_id", pipeline_id)
        .path("pipeline_item_id", item)
}

fn of_an_item(operation: &'static Operation) -> Vec<Case> {
    vec![
        case(
            operation,
            "unknown-item",
            "an item that does not exist is not found",
            (404, "item_not_found"),
            move |probe| async move {
                Ok(item(
                    &probe,
                    operation,
                    probe.pipeline(ManyItems)?,
                    probe.contract().greatest_id(),
                ))
            },
        ),
        case(
            operation,
            "unknown-pipeline",
            "the pipeline is looked up before the item",
            NOT_FOUND,
            move |probe| async move {
                Ok(item(
                    &probe,
                    operation,
                    probe.contract().greatest_id(),
                    first_item(&probe).await?,
                ))
            },
        )
        .quote("The pipeline is looked up first."),
        case(
            operation,
            "item-of-another-pipeline",
            "an item of another pipeline is told",
            (400, "item_not_in_pipeline"),
            move |probe| async move {
                Ok(item(
                    &probe,
                    operation,
                    probe.pipeline(Other)?,
                    first_item(&probe).await?,
                ))
            },
        )
        .needs([Need::Pipeline(Other)]),
        first(
            operation,
            "401-before-422",
            "without a key, a bad id is not looked at",
            UNAUTHENTICATED,
            move |probe| async move { Ok(item(&probe, operation, "abc", "abc").literal_keys([])) },
        ),
        first(
            operation,
            "401-before-404",
            "without a key, nobody learns what exists",
            UNAUTHENTICATED,
            move |probe| async move {
                Ok(item(&probe, operation, probe.contract().greatest_id(), 1).literal_keys([]))
            },
        ),
        first(
            operation,
            "403-before-422-of-the-pipeline",
            "a key that is denied does not learn of a bad pipeline",
            DENIED,
            move |probe| async move { Ok(item(&probe, operation, 0, 1).key(NoAccess)) },
        )
        .needs([Need::Key(NoAccess)]),
        first(
            operation,
            "403-before-422",
            "a key that is denied does not learn of a bad id",
            DENIED,
            move |probe| async move {
                Ok(item(&probe, operation, probe.pipeline(ManyItems)?, "abc").key(NoAccess))
            },
        )
        .needs([Need::Key(NoAccess)]),
        first(
            operation,
            "403-before-404",
            "a key that is denied does not learn what exists",
            DENIED,
            move |probe| async move {
                Ok(item(&probe, operation, probe.contract().greatest_id(), 1).key(NoAccess))
            },
        )
        .needs([Need::Key(NoAccess)]),
        first(
            operation,
            "422-before-404",
            "a bad id is told before the pipeline is looked up",
            INVALID,
            move |probe| async move {
                Ok(item(
                    &probe,
                    operation,
                    probe.contract().greatest_id(),
                    "abc",
                ))
            },
        ),
    ]
}

fn add(probe: &Probe, pipeline_id: impl Display) -> Call {
    probe
        .call("add_organization")
        .path("pipeline_id", pipeline_id)
}

/// A body of an organization that hardly exists.
fn unknown_organization(probe: &Probe) -> Value {
    json!({ "organization_id": probe.contract().greatest_id() })
}

/// A body of an organization that is in the pipeline with many items.
async fn known_organization(probe: &Probe) -> Result<Value, Stop> {
    let listing = probe
        .listing(probe.pipeline(ManyItems)?, None, None)
        .await?;
    let there = listing
        .items
        .iter()
        .find(|item| item["organization_id"].is_u64());
    let lacking = || Stop::Inconclusive("an item with an organization".to_owned());
    Ok(json!({ "organization_id": there.ok_or_else(lacking)?["organization_id"] }))
}

/// A body of one byte too many, which says nothing.
fn too_long() -> Body {
    Body::Padded("[]".to_owned(), crate::add::largest_body() + 1)
}

fn of_adding(operation: &'static Operation) -> Vec<Case> {
    let mut cases = errors_of_adding(operation);
    cases.extend([
        first(
            operation,
            "401-before-415",
            "without a key, the type of the body is not looked at",
            UNAUTHENTICATED,
            |probe| async move {
                Ok(add(&probe, probe.pipeline(Writable)?)
                    .body(Body::Text("{}".to_owned()))
                    .literal_keys([]))
            },
        ),
        first(
            operation,
            "401-before-404",
            "without a key, nobody learns what exists",
            UNAUTHENTICATED,
            |probe| async move {
                Ok(add(&probe, probe.contract().greatest_id())
                    .json(&json!({}))
                    .literal_keys([]))
            },
        ),
        first(
            operation,
            "403-before-422-of-the-pipeline",
            "a key that is denied does not learn of a bad pipeline",
            DENIED,
            |probe| async move { Ok(add(&probe, 0).json(&json!({})).key(ReadOnly)) },
        )
        .needs([Need::Key(ReadOnly)]),
        first(
            operation,
            "403-before-415",
            "a key that is denied does not learn of a bad type",
            DENIED,
            |probe| async move {
                Ok(add(&probe, probe.pipeline(Writable)?)
                    .body(Body::Text("{}".to_owned()))
                    .key(ReadOnly))
            },
        )
        .needs([Need::Key(ReadOnly)]),
        first(
            operation,
            "403-before-404",
            "a key that is denied does not learn what exists",
            DENIED,
            |probe| async move {
                Ok(add(&probe, probe.contract().greatest_id())
                    .json(&json!({}))
                    .key(ReadOnly))
            },
        )
        .needs([Need::Key(ReadOnly)]),
        first(
            operation,
            "415-before-413",
            "the type of the body is looked at before its length",
            (415, "unsupported_media_type"),
            |probe| async move {
                Ok(add(&probe, probe.pipeline(Writable)?)
                    .header("Content-Type", "text/plain")
                    .body(too_long()))
            },
        )
        .writes(TOO_LONG),
        first(
            operation,
            "413-before-422",
            "the length of the body is looked at before what it says",
            (413, "body_too_large"),
            |probe| async move {
                Ok(add(&probe, "abc")
                    .header("Content-Type", "application/json")
                    .body(too_long()))
            },
        )
        .writes(TOO_LONG),
        first(
            operation,
            "422-before-404",
            "a bad body is told before the pipeline is looked up",
            INVALID,
            |probe| async move { Ok(add(&probe, probe.contract().greatest_id()).json(&json!({}))) },
        ),
        first(
            operation,
            "404-before-404",
            "the pipeline is looked up before the organization",
            NOT_FOUND,
            |probe| async move {
                Ok(add(&probe, probe.contract().greatest_id()).json(&unknown_organization(&probe)))
            },
        )
        .needs([Need::Writes]),
        first(
            operation,
            "400-before-404",
            "what the pipeline holds counts before whether the organization exists",
            WRONG_PIPELINE,
            |probe| async move {
                Ok(add(&probe, probe.pipeline(NotOrganizations)?)
                    .json(&unknown_organization(&probe)))
            },
        )
        .needs([Need::Writes, Need::Named(NotOrganizations)]),
    ]);
    cases
}

fn errors_of_adding(operation: &'static Operation) -> Vec<Case> {
    vec![
        case(
            operation,
            "unknown-pipeline",
            "a pipeline that does not exist is not found",
            NOT_FOUND,
            |probe| async move {
                Ok(add(&probe, probe.contract().greatest_id())
                    .json(&known_organization(&probe).await?))
            },
        )
        .needs([Need::Writes]),
        case(
            operation,
            "unknown-organization",
            "an organization that does not exist is not found",
            (404, "organization_not_found"),
            |probe| async move {
                Ok(add(&probe, probe.pipeline(Writable)?).json(&unknown_organization(&probe)))
            },
        )
        .needs([Need::Writes]),
        case(
            operation,
            "not-an-organization-pipeline",
            "a pipeline of persons or documents takes no organization",
            WRONG_PIPELINE,
            |probe| async move {
                Ok(add(&probe, probe.pipeline(NotOrganizations)?)
                    .json(&known_organization(&probe).await?))
            },
        )
        .needs([Need::Writes, Need::Named(NotOrganizations)]),
        case(
            operation,
            "already-there",
            "an organization that is in the pipeline is refused",
            (409, "organization_already_in_pipeline"),
            |probe| async move {
                let there = already_there(&probe).await?;
                Ok(add(&probe, probe.pipeline(Writable)?)
                    .header("Content-Type", "application/json")
                    .body(there))
            },
        )
        .adds(1)
        .writes(2)
        .needs([Need::Writes]),
    ]
}
