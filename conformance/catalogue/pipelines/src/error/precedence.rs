//! Cases for every error of the pipeline operations, and for the error that is returned when a request deserves
//! several.
//!
//! An addition needs permission to write even though the contract rejects it. It goes only to pipelines that do not
//! exist or that the target names.

use serde_json::json;

use crate::add::neighbour::{first_unknown, furthest};
use crate::add::{added, already_there};
use engine::case::{Binding, Case, Need, Rejection, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{ManyItems, NotOrganizations, Other, Writable};
use engine::target::Role::{NoAccess, ReadOnly};
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// A status and a code.
pub(super) type Problem = (u16, &'static str);

pub(super) const NOT_FOUND: Problem = (404, "pipeline_not_found");
pub(super) const UNAUTHENTICATED: Problem = (401, "authentication_required");
pub(super) const DENIED: Problem = (403, "authorization_denied");
pub(super) const INVALID: Problem = (422, "validation_failed");
pub(super) const UNSUPPORTED_TYPE: Problem = (415, "unsupported_media_type");
pub(super) const TOO_LARGE: Problem = (413, "body_too_large");
pub(super) const WRONG_PIPELINE: Problem = (400, "not_an_organization_pipeline");
const ALREADY_THERE: Problem = (409, "organization_already_in_pipeline");

pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
    let mut cases = of_listing(contract.operation("list_items"));
    for operation in ["get_item_values", "get_item_status"] {
        cases.extend(of_an_item(contract.operation(operation)));
    }
    let add = contract.operation("add_organization");
    cases.extend(of_adding(add));
    cases.extend(crate::operations(contract).map(|operation| malformed_id(operation)));
    cases
}

/// A case that expects this error; it still needs a request.
fn case(operation: &Operation, rule: &str, title: &str, (status, _): Problem) -> Case {
    Case::new(
        format!("error/{rule}/{}", operation.id),
        format!("{}: {title}", operation.id),
        operation.response_pointer(status),
    )
}

fn rejection((status, code): Problem) -> Rejection {
    Rejection::new(status, code)
}

/// A case whose request deserves several errors; this one comes first.
pub(super) fn first(
    operation: &Operation,
    rule: &str,
    title: &str,
    response: Problem,
    point: &str,
    request: RequestTemplate,
) -> Case {
    of_order(operation, rule, title, response, point).rejects(rejection(response), [request])
}

fn of_order(operation: &Operation, rule: &str, title: &str, response: Problem, point: &str) -> Case {
    let order = match operation.is_read() {
        true => "401, 429, 403, 422, 404, 400.",
        false => "401, 429, 403, 415, 413, 422, 404 (pipeline), 400, 404 (organization), 409.",
    };
    case(operation, rule, title, response)
        .primary_quote("/info", order)
        .point(point)
}

/// A case whose request has no key, and deserves another error too: the source states that the response is 401.
pub(super) fn unauthenticated(
    operation: &Operation,
    rule: &str,
    title: &str,
    point: &str,
    request: RequestTemplate,
) -> Case {
    let case = of_order(operation, rule, title, UNAUTHENTICATED, point);
    let rejection = rejection(UNAUTHENTICATED).with_stated_status();
    case.rejects(rejection, [request.literal_keys([])])
}

/// The case of a malformed pipeline id: the permission decides between 403 and 422.
fn malformed_id(operation: &Operation) -> Case {
    let (denied, point) = match operation.is_read() {
        true => (NoAccess, "malformed-id"),
        false => (ReadOnly, "malformed-id-adding"),
    };
    let request = || with_malformed_id(operation);
    Case::quoting(
        format!("error/malformed-id-needs-the-permission/{}", operation.id),
        format!(
            "{}: Only a key with the permission learns that an id is malformed",
            operation.id
        ),
        "/components/securitySchemes/ApiKey",
        "With a `pipeline_id` that is malformed or out of range, a key that has the permission on some pipeline gets \
         422, any other key 403.",
    )
    .point(point)
    .expects([
        (request().key(denied), rejection(DENIED).into()),
        (request(), rejection(INVALID).into()),
    ])
}

/// A request whose only error is the id of the pipeline.
pub fn with_malformed_id(operation: &Operation) -> RequestTemplate {
    RequestTemplate::valid(operation)
        .path("pipeline_id", "abc")
        .path("pipeline_item_id", "1")
}

fn of_listing(operation: &Operation) -> Vec<Case> {
    let list = |pipeline: Binding| RequestTemplate::to(operation).path("pipeline_id", pipeline);
    let known = || list(ManyItems.into());
    let unknown = || list(Binding::UnknownId);
    vec![
        case(
            operation,
            "unknown-pipeline",
            "A pipeline that does not exist returns 404",
            NOT_FOUND,
        )
        .rejects(rejection(NOT_FOUND), [unknown()]),
        case(
            operation,
            "pipeline-id-is-whole",
            "An id that shares only its lower 32 bits with a pipeline's id returns 404",
            NOT_FOUND,
        )
        .and(operation.parameter("pipeline_id").at("maximum"))
        .point("path-id-out-of-range")
        .rejects(
            rejection(NOT_FOUND).stated(),
            [list(Binding::from(ManyItems).beyond_32_bits())],
        ),
        first(
            operation,
            "401-before-422",
            "Without a key, a bad parameter is not checked",
            UNAUTHENTICATED,
            "precedence-401-422",
            list("abc".into()).query("limit", 0).literal_keys([]),
        ),
        unauthenticated(
            operation,
            "401-before-404",
            "Without a key, the response does not reveal what exists",
            "precedence-401-404",
            unknown(),
        ),
        first(
            operation,
            "403-before-422-of-the-pipeline",
            "A denied key does not learn that a pipeline id is malformed",
            DENIED,
            "precedence-403-422",
            list("0".into()).key(NoAccess),
        ),
        first(
            operation,
            "403-before-422",
            "A denied key does not learn of a bad parameter",
            DENIED,
            "precedence-403-422",
            known().query("limit", 0).key(NoAccess),
        ),
        first(
            operation,
            "403-before-404",
            "A denied key does not learn what exists",
            DENIED,
            "precedence-403-404",
            unknown().key(NoAccess),
        ),
        first(
            operation,
            "422-before-404",
            "Bad input is reported before the pipeline is looked up",
            INVALID,
            "precedence-422-404",
            unknown().query("limit", 0),
        ),
        unauthenticated(
            operation,
            "401-before-400",
            "Without a key, sort_by is not checked",
            "precedence-401-422",
            known().query("sort_by", "name"),
        ),
        first(
            operation,
            "403-before-400",
            "A denied key does not learn of a bad sort_by",
            DENIED,
            "precedence-403-422",
            known().query("sort_by", "name").key(NoAccess),
        ),
        first(
            operation,
            "422-before-400",
            "A bad parameter is reported before sort_by is checked",
            INVALID,
            "precedence-422-400",
            known().query("limit", 0).query("sort_by", "name"),
        ),
        first(
            operation,
            "404-before-400",
            "The pipeline is looked up before sort_by is checked",
            NOT_FOUND,
            "precedence-404-400",
            unknown().query("sort_by", "name"),
        ),
    ]
}

fn of_an_item(operation: &Operation) -> Vec<Case> {
    let item = |pipeline: Binding, item: Binding| {
        RequestTemplate::to(operation)
            .path("pipeline_id", pipeline)
            .path("pipeline_item_id", item)
    };
    let unknown = |other: Binding| item(Binding::UnknownId, other);
    let other_pipeline = (400, "item_not_in_pipeline");
    let unknown_item = (404, "item_not_found");
    vec![
        case(
            operation,
            "unknown-item",
            "An item that does not exist returns 404",
            unknown_item,
        )
        .rejects(rejection(unknown_item), [item(ManyItems.into(), Binding::UnknownId)]),
        case(
            operation,
            "item-id-is-whole",
            "An id that shares only its lower 32 bits with an item's id returns 404",
            unknown_item,
        )
        .and(operation.parameter("pipeline_item_id").at("maximum"))
        .point("path-id-out-of-range")
        .rejects(
            rejection(unknown_item).stated(),
            [item(ManyItems.into(), Binding::FirstItem(ManyItems).beyond_32_bits())],
        ),
        case(
            operation,
            "pipeline-id-is-whole",
            "An id that shares only its lower 32 bits with a pipeline's id returns 404",
            NOT_FOUND,
        )
        .quote("The pipeline is looked up first.")
        .point("item-of-unknown-pipeline")
        .rejects(
            rejection(NOT_FOUND).stated(),
            [item(
                Binding::from(ManyItems).beyond_32_bits(),
                Binding::FirstItem(ManyItems),
            )],
        ),
        case(
            operation,
            "unknown-pipeline",
            "A pipeline that does not exist returns 404",
            NOT_FOUND,
        )
        .quote("The pipeline is looked up first.")
        .point("item-of-unknown-pipeline")
        .rejects(
            rejection(NOT_FOUND),
            [unknown(Binding::FirstItem(ManyItems)), unknown(Binding::UnknownId)],
        ),
        case(
            operation,
            "item-of-another-pipeline",
            "An item of another pipeline returns 400",
            other_pipeline,
        )
        .rejects(
            rejection(other_pipeline),
            [item(Other.into(), Binding::FirstItem(ManyItems))],
        ),
        first(
            operation,
            "401-before-422",
            "Without a key, a bad parameter is not checked",
            UNAUTHENTICATED,
            "precedence-401-422",
            item("abc".into(), "abc".into()).literal_keys([]),
        ),
        unauthenticated(
            operation,
            "401-before-404",
            "Without a key, the response does not reveal what exists",
            "precedence-401-404",
            unknown("1".into()),
        ),
        first(
            operation,
            "403-before-422-of-the-pipeline",
            "A denied key does not learn that a pipeline id is malformed",
            DENIED,
            "precedence-403-422",
            item("0".into(), "1".into()).key(NoAccess),
        ),
        first(
            operation,
            "403-before-422",
            "A denied key does not learn of a bad parameter",
            DENIED,
            "precedence-403-422",
            item(ManyItems.into(), "abc".into()).key(NoAccess),
        ),
        first(
            operation,
            "403-before-404",
            "A denied key does not learn what exists",
            DENIED,
            "precedence-403-404",
            unknown("1".into()).key(NoAccess),
        ),
        first(
            operation,
            "422-before-404",
            "Bad input is reported before the pipeline is looked up",
            INVALID,
            "precedence-422-404",
            unknown("abc".into()),
        ),
    ]
}

fn of_adding(operation: &Operation) -> Vec<Case> {
    let valid = || RequestTemplate::valid(operation);
    let unknown_organization = (404, "organization_not_found");
    vec![
        case(
            operation,
            "unknown-pipeline",
            "A pipeline that does not exist returns 404",
            NOT_FOUND,
        )
        .point("add-unknown-pipeline")
        .rejects(
            rejection(NOT_FOUND).stated(),
            [valid()
                .path("pipeline_id", Binding::UnknownId)
                .organization(Binding::OrganizationIn(ManyItems))],
        ),
        case(
            operation,
            "unknown-organization",
            "An organization that does not exist returns 404",
            unknown_organization,
        )
        .needs([Need::Pipeline(Writable)])
        .point("add-unknown-organization")
        .rejects(rejection(unknown_organization).stated(), [valid()]),
        case(
            operation,
            "not-an-organization-pipeline",
            "A pipeline of persons or documents accepts no organization",
            WRONG_PIPELINE,
        )
        .point("add-to-another-kind")
        .rejects(
            rejection(WRONG_PIPELINE).stated(),
            [valid()
                .path("pipeline_id", NotOrganizations)
                .organization(Binding::OrganizationIn(ManyItems))],
        ),
        case(
            operation,
            "already-there",
            "An organization that is already in the pipeline is rejected",
            ALREADY_THERE,
        )
        .needs([Need::Writes, Need::Pipeline(ManyItems)])
        .point("add-existing")
        .adds(1)
        .writes(2)
        .check(is_already_there),
        Case::quoting(
            "error/conditions-have-their-own-status/add_organization",
            "add_organization: Each condition of an error has its own status code",
            &operation.pointer,
            "Each of these conditions is an error with its own status code",
        )
        .on([operation.id.as_str()])
        .needs([
            Need::Writes,
            Need::Pipeline(ManyItems),
            Need::Pipeline(NotOrganizations),
        ])
        .needs([Need::Key(ReadOnly)])
        .adds(2)
        .writes(21)
        .check(own_statuses),
    ]
}

/// Sends requests for each condition, and compares the statuses. Those of one condition may have the same: a pipeline
/// that is not found and an organization that is not found are one.
async fn own_statuses(probe: Probe) -> Outcome {
    const ANOTHER_KIND: &str = "another kind of pipeline";
    // What may be added to is named. To other pipelines only an organization is sent that is unknown, and which of the
    // two conditions counts is decided.
    const EITHER: &str = "another kind of pipeline and an unknown organization";
    const NOT_FOUND: &str = "an unknown pipeline or organization";
    const THERE: &str = "an organization that is already in the pipeline";
    const INVALID: &str = "a body that is not an object with organization_id";
    let add = probe.contract().operation("add_organization");
    let unknown_id = probe.unknown_id();
    let there = already_there(&probe).await?;
    let (new, _) = added(&probe).await?;
    let valid = || RequestTemplate::valid(add);
    let mut conditions = vec![
        (EITHER, valid().path("pipeline_id", NotOrganizations)),
        ("no key", valid().literal_keys([])),
        ("a key without the permission", valid().key(ReadOnly)),
        (NOT_FOUND, valid().path("pipeline_id", Binding::UnknownId)),
        (NOT_FOUND, valid()),
        (THERE, valid().json_text(there.clone())),
        (THERE, valid().json(&json!({ "organization_id": new }))),
    ];
    let invalid = [
        json!({}),
        json!({ "organization_id": null }),
        json!({ "organization_id": "x" }),
        json!({ "organization_id": {} }),
        json!(unknown_id),
        json!([unknown_id]),
        json!([{ "organization_id": unknown_id }]),
    ];
    conditions.extend(invalid.iter().map(|body| (INVALID, valid().json(body))));
    if let Some(unknown) = first_unknown(&probe, furthest(&probe).into()).await? {
        let greatest = valid().json(&json!({ "organization_id": unknown }));
        conditions.push((NOT_FOUND, greatest));
    }
    let of_another_kind = probe.known().pipelines.iter().filter(|pipeline| {
        let may_be_added_to = probe.known().pipelines_to_add.contains(&pipeline.pipeline_id);
        may_be_added_to
            && pipeline
                .entity_type
                .as_deref()
                .is_some_and(|kind| kind != "organization")
    });
    conditions.extend(of_another_kind.map(|pipeline| {
        let to = pipeline.pipeline_id.to_string();
        let known = valid().json_text(there.clone());
        (ANOTHER_KIND, known.path("pipeline_id", to.as_str()))
    }));
    let mut seen: Vec<(&str, HttpResponse)> = Vec::new();
    for (condition, request) in conditions {
        let response = request.call(&probe).await?.send().await?;
        let is_one_of_both = |one: &str, other: &str| one == EITHER && [ANOTHER_KIND, NOT_FOUND].contains(&other);
        let is_the_same =
            |other: &str| other == condition || is_one_of_both(condition, other) || is_one_of_both(other, condition);
        let mut others = seen.iter().filter(|(other, _)| !is_the_same(other));
        let same = others.find(|(_, other)| other.status == response.status);
        let (other, evidence) = match same {
            Some((other, first)) => (format!("{}, as for {other}", response.status), vec![&response, first]),
            None => (response.status.to_string(), vec![&response]),
        };
        let what = format!("the status for {condition}");
        probe.assert(same.is_none(), &what, "a status of its own", other, &evidence);
        seen.push((condition, response));
    }
    Ok(())
}

async fn is_already_there(probe: Probe) -> Outcome {
    let (status, code) = ALREADY_THERE;
    let there = already_there(&probe).await?;
    let add = probe.contract().operation("add_organization");
    let request = RequestTemplate::valid(add).json_text(there);
    let response = request.call(&probe).await?.send().await?;
    probe.expect(&response).rejected_as_stated(status, code);
    Ok(())
}
