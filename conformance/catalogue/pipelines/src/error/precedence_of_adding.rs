//! Cases for the error that is returned when a request to add deserves several.

use serde_json::json;

use super::precedence::{
    DENIED, INVALID, NOT_FOUND, TOO_LARGE, UNAUTHENTICATED, UNSUPPORTED_TYPE, WRONG_PIPELINE, first, unauthenticated,
};
use crate::add::largest_body;
use engine::case::{Binding, Case, RequestTemplate};
use engine::target::PipelineRole::{NotOrganizations, Writable};
use engine::target::Role::ReadOnly;
use engine::transport::request::Body;
use platform_contract::Contract;

/// The cases of several errors of adding, in the order of the contract.
pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let operation = contract.operation("add_organization");
    let valid = || RequestTemplate::valid(operation);
    let to = |pipeline: Binding| valid().path("pipeline_id", pipeline);
    let empty_to = |pipeline: Binding| to(pipeline).json(&json!({}));
    let empty_without_type = || empty_to(Writable.into()).media_type(None);
    // A body that is one byte too long and names no organization.
    let too_long = || Body::Padded("[]".to_owned(), largest_body(contract) + 1);
    let typed = |request: RequestTemplate| request.body(too_long()).media_type("application/json");
    let mistyped = |request: RequestTemplate| {
        let text = Body::Text("organization_id".to_owned());
        request.body(text).media_type("text/plain")
    };
    vec![
        first(
            operation,
            "401-before-415",
            "Without a key, the type of the body is not checked",
            UNAUTHENTICATED,
            "precedence-401-415",
            empty_without_type().literal_keys([]),
        ),
        unauthenticated(
            operation,
            "401-before-404",
            "Without a key, the response does not reveal what exists",
            "precedence-401-404",
            empty_to(Binding::UnknownId),
        ),
        unauthenticated(
            operation,
            "401-before-422-of-the-body",
            "Without a key, the body is not checked",
            "precedence-401-422",
            empty_to(Writable.into()),
        ),
        unauthenticated(
            operation,
            "401-before-400-of-the-kind",
            "Without a key, the kind of the pipeline is not checked",
            "precedence-401-404",
            to(NotOrganizations.into()),
        ),
        first(
            operation,
            "403-before-422-of-the-pipeline",
            "A denied key does not learn that a pipeline id is malformed",
            DENIED,
            "precedence-403-422",
            empty_to("0".into()).key(ReadOnly),
        ),
        first(
            operation,
            "403-before-415",
            "A denied key does not learn of a bad media type",
            DENIED,
            "precedence-403-415",
            empty_without_type().key(ReadOnly),
        ),
        first(
            operation,
            "403-before-404",
            "A denied key does not learn what exists",
            DENIED,
            "precedence-403-404-adding",
            empty_to(Binding::UnknownId).key(ReadOnly),
        ),
        first(
            operation,
            "403-before-409",
            "A denied key does not learn what a pipeline holds",
            DENIED,
            "precedence-403-404-adding",
            to(Writable.into())
                .organization(Binding::OrganizationIn(Writable))
                .key(ReadOnly),
        ),
        first(
            operation,
            "415-before-422",
            "The type of the body is checked before its content",
            UNSUPPORTED_TYPE,
            "add-body-type",
            mistyped(valid()),
        ),
        first(
            operation,
            "415-before-422-of-the-pipeline",
            "The type of the body is checked before the id of the pipeline",
            UNSUPPORTED_TYPE,
            "add-body-type",
            mistyped(to("abc".into())),
        ),
        first(
            operation,
            "415-before-413",
            "The type of the body is checked before its length",
            UNSUPPORTED_TYPE,
            "precedence-415-413",
            valid().body(too_long()).media_type("text/plain"),
        ),
        first(
            operation,
            "413-before-422",
            "The length of the body is checked before its content",
            TOO_LARGE,
            "precedence-413-422",
            typed(to("abc".into())),
        ),
        first(
            operation,
            "401-before-413",
            "Without a key, the length of the body is not checked",
            UNAUTHENTICATED,
            "precedence-401-415",
            typed(valid()).literal_keys([]),
        ),
        first(
            operation,
            "403-before-413",
            "A denied key does not learn that the body is too long",
            DENIED,
            "precedence-403-415",
            typed(valid()).key(ReadOnly),
        ),
        first(
            operation,
            "413-before-404",
            "The length of the body is checked before the pipeline is looked up",
            TOO_LARGE,
            "precedence-422-404-adding",
            typed(to(Binding::UnknownId)),
        ),
        first(
            operation,
            "413-before-400",
            "The length of the body is checked before the kind of the pipeline",
            TOO_LARGE,
            "precedence-422-404-adding",
            typed(to(NotOrganizations.into())),
        ),
        first(
            operation,
            "422-before-404",
            "Bad input is reported before the pipeline is looked up",
            INVALID,
            "precedence-422-404-adding",
            empty_to(Binding::UnknownId),
        ),
        first(
            operation,
            "422-before-400-of-the-pipeline",
            "Bad input is reported before the kind of the pipeline is checked",
            INVALID,
            "precedence-422-404-adding",
            empty_to(NotOrganizations.into()),
        ),
        first(
            operation,
            "422-before-409",
            "Bad input is reported before it is checked whether the organization is in the pipeline",
            INVALID,
            "precedence-422-404-adding",
            to(Writable.into())
                .organization(Binding::OrganizationIn(Writable))
                .query("offset", 1),
        ),
        first(
            operation,
            "415-before-404",
            "The type of the body is checked before the pipeline is looked up",
            UNSUPPORTED_TYPE,
            "precedence-422-404-adding",
            mistyped(to(Binding::UnknownId)),
        ),
        first(
            operation,
            "415-before-400",
            "The type of the body is checked before the kind of the pipeline",
            UNSUPPORTED_TYPE,
            "precedence-422-404-adding",
            mistyped(to(NotOrganizations.into())),
        ),
        first(
            operation,
            "401-before-422",
            "Without a key, a bad parameter is not checked",
            UNAUTHENTICATED,
            "precedence-401-415",
            empty_to("abc".into()).literal_keys([]),
        ),
        first(
            operation,
            "403-before-422",
            "A denied key does not learn of a bad parameter",
            DENIED,
            "precedence-403-422",
            empty_to(Writable.into()).key(ReadOnly),
        ),
        first(
            operation,
            "404-before-404",
            "The pipeline is looked up before the organization",
            NOT_FOUND,
            "add-unknown-pipeline",
            to(Binding::UnknownId),
        ),
        first(
            operation,
            "400-before-404",
            "The kind of the pipeline is checked before the organization",
            WRONG_PIPELINE,
            "add-to-another-kind",
            to(NotOrganizations.into()),
        ),
    ]
}
