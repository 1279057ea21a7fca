//! Cases about authentication and permission: the header `API-Key` on every operation, and what the policies of a key
//! allow.
//!
//! No case in this file adds anything: an addition names an organization that does not exist. Cases of `create_only`
//! and `writable_only` do.

mod create_only;
mod organizations_only;
mod some_pipelines;
mod writable_only;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use engine::case::values::UNKNOWN_KEY;
use engine::case::{Binding, Case, Expectation, Need, Rejection, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{self, ManyItems, Other, Writable};
use engine::target::Role::{self, FullAccess, NoAccess, OnePipeline, ReadOnly};
use engine::target::near_key::NearKey;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::known_part_of;
use platform_contract::{Contract, Operation};

/// The decision about an unknown key.
const UNKNOWN: &str = "So is a request with an unknown key";
/// The decision about the policies of a key.
pub(crate) const POLICIES: &str = "What a key may do is decided by its policies over (action, resource, pipeline).";
/// The decision about a malformed id and the policies of a key.
const MALFORMED_ID: &str =
    "With a `pipeline_id` that is malformed or out of range, a key that has the permission on some pipeline gets 422";
/// The operations that receive texts that resemble a key: one for each path prefix.
const NEAR_KEYS: [&str; 2] = ["list_items", "search_organizations_by_description"];
/// A key that is not ASCII.
const BEYOND_ASCII: &str = "schlüssel-für-niemanden";
/// The headers of a client that has a copy of the response.
const CONDITIONAL: [(&str, &str); 3] = [
    ("If-None-Match", "*"),
    ("If-Modified-Since", "Fri, 31 Dec 2100 23:59:59 GMT"),
    ("Range", "bytes=0-0"),
];
/// The headers of a page in a browser behind a proxy on the same machine.
const FORWARDED: [(&str, &str); 4] = [
    ("X-Forwarded-For", "127.0.0.1"),
    ("X-Real-IP", "127.0.0.1"),
    ("X-Requested-With", "XMLHttpRequest"),
    ("Cookie", "session=none"),
];
/// The parameter of the operations on one item.
pub(crate) const ITEM_ID: &str = "pipeline_item_id";
/// How often a comparison is repeated when the response changes meanwhile.
pub(crate) const ROUNDS: usize = 3;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let mut cases: Vec<_> = operations.flat_map(|operation| of_operation(operation)).collect();
    cases.extend(NEAR_KEYS.map(|id| near_key(contract.operation(id))));
    cases.extend(NEAR_KEYS.map(|id| key_beyond_ascii(contract.operation(id))));
    let reads = contract.operations().iter().filter(|one| one.is_read());
    cases.extend(reads.map(same_view));
    let of_items = contract
        .operations()
        .iter()
        .filter(|one| one.is_read() && !one.is_search());
    for operation in of_items {
        cases.extend([
            one_pipeline(operation),
            same_view_of_one_pipeline(operation),
            malformed_pipeline(operation),
        ]);
        cases.extend(item_elsewhere(operation));
    }
    let add = contract.operation("add_organization");
    cases.extend([one_pipeline_adds_nothing(add), missing_key_for_what_is_there(add)]);
    cases.push(denied_key_is_known(contract));
    cases.extend(create_only::cases(contract));
    cases.extend(writable_only::cases(contract));
    cases.extend(organizations_only::cases(contract));
    cases.extend(some_pipelines::cases(contract));
    cases.sort_by(|one, other| one.id.cmp(&other.id));
    cases
}

fn of_operation(operation: &Operation) -> Vec<Case> {
    let id = &operation.id;
    let valid = || RequestTemplate::valid(operation);
    // A page after the first is checked like the first, and so are requests with the headers that caches and proxies
    // add.
    let has_pages = operation.parameters.iter().any(|parameter| parameter.name == "skip");
    let later_page = || has_pages.then(|| valid().query("skip", 1).query("limit", 1));
    let with = |headers: &[(&'static str, &str)]| {
        let add = |request: RequestTemplate, (name, value): &(&'static str, &str)| request.header(name, value);
        headers.iter().fold(valid(), add)
    };
    let requests = || {
        [valid(), with(&CONDITIONAL), with(&FORWARDED)]
            .into_iter()
            .chain(later_page())
    };
    let case = |rule: &str, title: &str, status: u16| {
        Case::new(
            format!("auth/{rule}/{id}"),
            format!("{id}: {title}"),
            operation.response_pointer(status),
        )
    };
    let unauthenticated = || Expectation::Status(401);
    let denied = || match operation.is_search() {
        true => Rejection::new(403, "authorization_denied"),
        false => Rejection::new(403, "authorization_denied").with_status_of_denials(),
    };
    // The source states that a request without a key is rejected, and a text that is not a key is none.
    let unknown = || match operation.is_search() {
        true => Rejection::new(401, "invalid_api_key"),
        false => Rejection::new(401, "invalid_api_key").stated(),
    };
    let (for_unknown, for_denied) = match operation.is_search() {
        true => ("search-authentication", "search-authorization"),
        false => ("unknown-key", "read-permission"),
    };
    let permission = format!("{}/x-permission", operation.pointer);
    vec![
        case("missing-key", "A request without a key is rejected", 401)
            .point(for_unknown)
            .rejects(
                Rejection::new(401, "authentication_required"),
                requests().map(|request| request.literal_keys([])),
            ),
        case("unknown-key", "A request with an unknown key is rejected", 401)
            .primary_quote("/info", UNKNOWN)
            .point(for_unknown)
            .rejects(unknown(), requests().map(|request| request.literal_keys([UNKNOWN_KEY]))),
        // The contract does not say whether an empty header is a missing or an unknown key. Both are 401, but the
        // source states it only for a missing key. In either case it states that a request without any key gets no
        // success.
        case("empty-key", "An empty key is rejected", 401)
            .primary_quote("/info", UNKNOWN)
            .point(for_unknown)
            .expects([(
                valid().literal_keys([""]),
                match operation.is_search() {
                    true => unauthenticated(),
                    false => Expectation::StatedRejection(401),
                },
            )]),
        case(
            "second-key",
            "A known key is rejected together with an unknown one, and when it is sent twice",
            401,
        )
        .primary_quote("/info", "one with more than one API-Key header")
        .point("second-key")
        .rejects(
            Rejection::new(401, "invalid_api_key"),
            [valid().header("API-Key", UNKNOWN_KEY), valid().key_twice()],
        ),
        case("no-access", "A key without the permission is denied", 403)
            .and(&permission)
            .point(for_denied)
            .rejects(denied(), requests().map(|request| request.key(NoAccess))),
        match operation.is_read() {
            true => case("read-only", "A read-only key may read but not add", 200)
                .and(&permission)
                .point("read-only-key")
                .accepts([valid().key(ReadOnly)]),
            false => case("read-only", "A read-only key may read but not add", 403)
                .and(&permission)
                .point("read-only-key")
                .rejects(denied(), [valid().key(ReadOnly)]),
        },
    ]
}

/// The source states 401 for a missing key and 403 for a denied one. A key that one operation denies is known.
fn denied_key_is_known(contract: &Contract) -> Case {
    let operations = contract.operations().iter();
    let reads: Vec<_> = operations
        .filter(|one| one.is_read() && !one.is_search())
        .cloned()
        .collect();
    Case::quoting(
        "auth/denied-key-is-known",
        "A key that is denied one pipeline operation is not unknown (401) to the others",
        "/components/responses/AuthorizationDenied",
        "Authorization denied by policy chain: the key is known",
    )
    .on(reads.iter().map(|operation| operation.id.as_str()))
    .needs([Need::Key(NoAccess), Need::Pipeline(ManyItems)])
    .sends(reads.len() as u64)
    .check_with(reads, is_known_to_all)
}

async fn is_known_to_all(probe: Probe, reads: Vec<Arc<Operation>>) -> Outcome {
    let (mut denied, mut unauthenticated) = (None, None);
    for operation in reads {
        let valid = RequestTemplate::valid(&operation).key(NoAccess);
        let response = valid.call(&probe).await?.send().await?;
        match response.status {
            403 => denied = Some(response),
            401 => unauthenticated = Some(response),
            _ => {}
        }
    }
    let Some(denied) = denied else {
        return probe.inconclusive("an operation that denies the key without access");
    };
    let seen = unauthenticated.as_ref().map_or_else(String::new, HttpResponse::summary);
    let evidence: Vec<_> = unauthenticated.iter().chain([&denied]).collect();
    probe.assert(
        unauthenticated.is_none(),
        "the status for a known key",
        "403, as from another operation",
        seen,
        &evidence,
    );
    Ok(())
}

/// A text that no key can be is as unknown as any other; a server may find the header malformed.
fn key_beyond_ascii(operation: &Arc<Operation>) -> Case {
    let valid = RequestTemplate::valid(operation);
    Case::new(
        format!("auth/key-beyond-ascii/{}", operation.id),
        format!("{}: A key with letters beyond ASCII is rejected", operation.id),
        operation.response_pointer(401),
    )
    .primary_quote("/info", UNKNOWN)
    .point(match operation.is_search() {
        true => "search-authentication",
        false => "unknown-key",
    })
    .expects([(
        valid.literal_keys([BEYOND_ASCII]),
        Expectation::StatusOr(400, Rejection::new(401, "invalid_api_key")),
    )])
}

/// What a pipeline holds makes no difference: the source states 401 without a condition.
fn missing_key_for_what_is_there(add: &Operation) -> Case {
    let there = RequestTemplate::valid(add).organization(Binding::OrganizationIn(Writable));
    Case::new(
        format!("auth/missing-key-for-what-is-there/{}", add.id),
        format!(
            "{}: Without a key, the response does not reveal what a pipeline holds",
            add.id
        ),
        add.response_pointer(401),
    )
    .rejects(Rejection::new(401, "authentication_required"), [there.literal_keys([])])
}

/// Texts that resemble a key are as unknown as any other. The text sent is never shown.
fn near_key(operation: &Arc<Operation>) -> Case {
    Case::new(
        format!("auth/near-key/{}", operation.id),
        format!("{}: A text that is nearly a key is rejected", operation.id),
        operation.response_pointer(401),
    )
    .primary_quote("/info", UNKNOWN)
    .and_quote(
        "/info",
        "An error never contains the API key, a stack trace or other internals.",
    )
    .point("near-key")
    .needs(RequestTemplate::valid(operation).needs())
    .check_with(
        (Arc::clone(operation), RequestTemplate::valid(operation)),
        reject_near_keys,
    )
}

async fn reject_near_keys(probe: Probe, (operation, valid): (Arc<Operation>, RequestTemplate)) -> Outcome {
    let near_keys = probe.near_keys();
    if near_keys.is_empty() {
        return probe.inconclusive("a key with full access of at least 8 characters");
    }
    let unknown = valid.call(&probe).await?.literal_keys([UNKNOWN_KEY]);
    let usual = unknown.send().await?;
    for near in near_keys {
        let response = valid.call(&probe).await?.near_key(near).send().await?;
        // The contract decides what may follow a key, and whether its last bits and its letter case count.
        let is_another = matches!(near, NearKey::Shorter | NearKey::Longer | NearKey::OtherFirst);
        match is_another && !operation.is_search() {
            true => probe.expect(&response).rejected_as_stated(401, "invalid_api_key"),
            false => probe.expect(&response).rejected(401, "invalid_api_key"),
        };
        let shows = probe.shows_part_of(near, &response, &usual);
        probe.assert(
            !shows,
            "the error",
            "no part of the key that was sent",
            "a part of it, in the body or in a header",
            &[&response],
        );
    }
    Ok(())
}

/// Policies are over actions, resources and pipelines: what an operation returns does not depend on the key.
fn same_view(operation: &Arc<Operation>) -> Case {
    let case = Case::new(
        format!("auth/read-only-sees-the-same/{}", operation.id),
        format!(
            "{}: A read-only key gets the same response as a key with full access",
            operation.id
        ),
        operation.response_pointer(200),
    );
    comparing_views(
        case.point("read-only-view"),
        operation,
        RequestTemplate::valid(operation),
        ReadOnly,
    )
}

/// A key for one pipeline sees of it what a key with full access sees.
fn same_view_of_one_pipeline(operation: &Arc<Operation>) -> Case {
    let case = Case::new(
        format!("auth/one-pipeline-sees-the-same/{}", operation.id),
        format!(
            "{}: A key for one pipeline gets the same response about it as a key with full access",
            operation.id
        ),
        operation.response_pointer(200),
    );
    let case = case.point("key-of-one-pipeline").needs([Need::Named(Other)]);
    comparing_views(case, operation, of_pipeline(operation, Other), OnePipeline)
}

/// The request for a pipeline, or for its first item.
fn of_pipeline(operation: &Arc<Operation>, pipeline: PipelineRole) -> RequestTemplate {
    let request = RequestTemplate::valid(operation).path("pipeline_id", pipeline);
    match operation.parameters.iter().any(|one| one.name == ITEM_ID) {
        true => request.path(ITEM_ID, Binding::FirstItem(pipeline)),
        false => request,
    }
}

/// Sends a request with the key of a role and with the one for full access, and compares the responses.
fn comparing_views(case: Case, operation: &Arc<Operation>, request: RequestTemplate, role: Role) -> Case {
    case.primary_quote("/components/securitySchemes/ApiKey", POLICIES)
        .needs(request.needs())
        .needs([Need::Key(role)])
        .sends(3 * ROUNDS as u64)
        .check_with((Arc::clone(operation), request, role), sees_the_same)
}

async fn sees_the_same(probe: Probe, (operation, request, role): (Arc<Operation>, RequestTemplate, Role)) -> Outcome {
    match views(&probe, &operation, &request, role).await? {
        Some(views) => {
            probe.assert_same(
                &format!("the response to the key `{}`", role.as_str()),
                &views.full,
                &views.reader,
                &[&views.of_reader, &views.of_full],
            );
            probe.saw_record(&operation, &views.of_full)
        }
        None => probe.inconclusive("a response to both keys that stays the same meanwhile"),
    }
}

/// A key for one pipeline reads that pipeline, and is denied any other, whether or not it exists.
fn one_pipeline(operation: &Arc<Operation>) -> Case {
    let valid = || RequestTemplate::valid(operation).key(OnePipeline);
    let denied = || Rejection::new(403, "authorization_denied");
    let own = of_pipeline(operation, Other).key(OnePipeline);
    Case::new(
        format!("auth/one-pipeline/{}", operation.id),
        format!(
            "{}: A key for one pipeline reads that one, and is denied all others",
            operation.id
        ),
        operation.response_pointer(403),
    )
    .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
    .and_quote(
        &operation.response_pointer(403),
        "Policies are evaluated before the pipeline is looked up.",
    )
    .point("key-of-one-pipeline")
    .expects([(own.clone(), Expectation::Permitted)])
    .rejects(denied().stated(), [valid()])
    .rejects(denied(), [valid().path("pipeline_id", Binding::UnknownId)])
    // A deployment may remember what it decided for another pipeline.
    .expects([(own, Expectation::Permitted)])
    .needs([Need::Named(Other)])
}

/// Permission to read a pipeline does not imply permission to add to it. The requests name an organization that does
/// not exist, and go only to pipelines that may be added to.
fn one_pipeline_adds_nothing(add: &Arc<Operation>) -> Case {
    Case::new(
        format!("auth/one-pipeline-adds-nothing/{}", add.id),
        format!("{}: A key that reads one pipeline adds to none", add.id),
        add.response_pointer(403),
    )
    .and(format!("{}/x-permission", add.pointer))
    .point("key-of-one-pipeline")
    .needs([Need::Writes, Need::Key(OnePipeline), Need::Named(Other)])
    .writes(4)
    .check_with(RequestTemplate::valid(add).key(OnePipeline), adds_nothing)
}

async fn adds_nothing(probe: Probe, request: RequestTemplate) -> Outcome {
    let own = probe.pipeline(Other)?;
    let elsewhere = request.call(&probe).await?.send().await?;
    probe.expect(&elsewhere).rejected(403, "authorization_denied");
    if probe.known().pipelines_to_add.contains(&own) {
        adds_nothing_to_its_own(&probe, request, &elsewhere).await?;
    }
    Ok(())
}

/// For another pipeline the deployment answers 403 before it looks up the organization. If it looks up the organization
/// for this pipeline, the key has passed the check, and may add to it.
async fn adds_nothing_to_its_own(probe: &Probe, request: RequestTemplate, elsewhere: &HttpResponse) -> Outcome {
    let own = request.clone().path("pipeline_id", Other);
    let mut responses = Vec::new();
    for request in [own.clone(), request.key(FullAccess), own.key(FullAccess)] {
        responses.push(request.call(probe).await?.send().await?);
    }
    let [response, not_found, own_not_found] = &responses[..] else {
        return Ok(());
    };
    probe.expect(response).rejected_as_stated(403, "authorization_denied");
    let is_looked_up = response.status == not_found.status && own_not_found.status == not_found.status;
    probe.assert_as(
        Some(BTreeSet::new()),
        response.status == elsewhere.status || !is_looked_up,
        "the response to a key that reads this pipeline",
        format!("{}, as for another pipeline", elsewhere.status),
        format!("{}, as for a key that may add to it", response.summary()),
        &[response, own_not_found, elsewhere],
    );
    Ok(())
}

/// A key for one pipeline may learn that an id is malformed: no pipeline has it.
fn malformed_pipeline(operation: &Arc<Operation>) -> Case {
    let malformed = RequestTemplate::valid(operation).path("pipeline_id", "0");
    Case::new(
        format!("auth/one-pipeline-and-a-malformed-id/{}", operation.id),
        format!(
            "{}: A key for one pipeline learns that a pipeline id is malformed",
            operation.id
        ),
        operation.response_pointer(422),
    )
    .primary_quote("/components/securitySchemes/ApiKey", MALFORMED_ID)
    .point("key-of-one-pipeline")
    .needs([Need::Named(Other)])
    .rejects(Rejection::invalid(), [malformed.key(OnePipeline)])
}

/// A key for one pipeline does not read the items of others by naming its own pipeline in the path, nor its own items
/// by naming another.
fn item_elsewhere(operation: &Arc<Operation>) -> Option<Case> {
    let has_item = |name: &str| operation.parameters.iter().any(|one| one.name == name);
    let item = |pipeline: PipelineRole, of: PipelineRole| {
        let valid = RequestTemplate::valid(operation).key(OnePipeline);
        let valid = valid.path("pipeline_id", pipeline);
        valid.path(ITEM_ID, Binding::FirstItem(of))
    };
    has_item(ITEM_ID).then(|| {
        Case::new(
            format!("auth/one-pipeline-and-items-elsewhere/{}", operation.id),
            format!(
                "{}: A key for one pipeline reads no item of another, whatever pipeline the path names",
                operation.id
            ),
            operation.response_pointer(400),
        )
        .primary_quote("/components/securitySchemes/ApiKey", POLICIES)
        .point("key-of-one-pipeline")
        .needs([Need::Named(Other)])
        .rejects(Rejection::new(400, "item_not_in_pipeline"), [item(Other, ManyItems)])
        .rejects(Rejection::new(403, "authorization_denied"), [item(ManyItems, Other)])
    })
}

/// The responses to two keys for one request, as far as the contract describes them.
pub struct Views {
    /// The known part of the response to the first key.
    pub full: Value,
    /// The known part of the response to the other key.
    pub reader: Value,
    /// The response to the first key.
    pub of_full: HttpResponse,
    /// The response to the other key.
    pub of_reader: HttpResponse,
}

/// Sends a request with the key for full access and with that of a role. A difference counts if the response to the
/// first key is the same again afterwards.
pub async fn views(
    probe: &Probe,
    operation: &Operation,
    valid: &RequestTemplate,
    role: Role,
) -> Result<Option<Views>, Stop> {
    let known = |response: &HttpResponse| known_part_of(probe.contract(), operation, &response.body);
    for _ in 0..ROUNDS {
        let of_full = probe.ok(valid.call(probe).await?.send().await?)?;
        let of_reader = valid.call(probe).await?.key(role).send().await?;
        if of_reader.status != of_full.status {
            return Ok(None);
        }
        let (full, reader) = (known(&of_full), known(&of_reader));
        let is_steady = full == reader || {
            let again = valid.call(probe).await?.send().await?;
            known(&again) == full
        };
        if is_steady {
            return Ok(Some(Views {
                full,
                reader,
                of_full,
                of_reader,
            }));
        }
    }
    Ok(None)
}
