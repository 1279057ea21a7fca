//! Cases about bodies that are rejected.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::body_of;
use engine::case::values::HUGE;
use engine::case::{Case, Need, Rejection, RequestTemplate};
use engine::session::Probe;
use engine::target::PipelineRole::{NotOrganizations, Writable};
use engine::transport::request::Body;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// A number between two ids that no organization has, and that a float represents exactly.
const NOT_WHOLE: &str = "4503599627370495.5";

/// The cases of rejected bodies. Each checks that the pipeline has as many items afterwards as before. A body names an
/// organization that does not exist, so a deployment that accepts it finds nothing to add.
pub(super) fn cases(contract: &Contract, add: &Operation) -> Vec<Case> {
    let schema = format!("{}/requestBody/content/application~1json/schema", add.pointer);
    let id = format!("{schema}/properties/organization_id");
    let number = |keyword: &str| {
        let bound = contract.get(&format!("{id}/{keyword}"));
        bound.and_then(Value::as_i64).unwrap_or_default()
    };
    let (least, most) = (number("minimum"), number("maximum"));
    let unknown_id = contract.unknown_id();
    let with = |text: String| RequestTemplate::valid(add).json_text(text);
    let invalid = || Rejection::invalid().at(["body"]);
    let of_id = || Rejection::invalid().at(["body", "organization_id"]);
    // The source states that a body has to be an object with the key. The contract decides the other rules.
    let no_key = || invalid().stated();
    let case = |id: &str, title: &str, pointer: &str| {
        Case::new(format!("add/{id}"), title, pointer)
            .and(add.response_pointer(422))
            .on([add.id.as_str()])
    };
    let rejected_as = |rejection: Rejection, id: &str, title: &str, pointer: &str, requests| {
        let requests: Vec<RequestTemplate> = requests;
        case(id, title, pointer)
            .needs([Need::Writes])
            .point("add-body-malformed")
            .rejects(rejection, requests)
            .leaves_unchanged(Writable)
    };
    let id_rejected =
        |id: &str, title: &str, pointer: &str, requests| rejected_as(of_id(), id, title, pointer, requests);
    vec![
        rejected_as(
            no_key(),
            "body-missing",
            "A request without a body is rejected",
            &format!("{}/requestBody/required", add.pointer),
            vec![with(String::new())],
        ),
        rejected_as(
            no_key(),
            "not-json",
            "A body that is not JSON is rejected",
            &schema,
            [
                "{".to_owned(),
                format!("organization_id={unknown_id}"),
                format!("{{\"organization_id\": {unknown_id},}}"),
                format!("{{'organization_id': {unknown_id}}}"),
                "{} {}".to_owned(),
                " ".to_owned(),
                format!("{{\"organization_id\": {unknown_id}}} x"),
                format!("{{\"organization_id\": {unknown_id}}}}}"),
                format!("{{\"organization_id\": {unknown_id} /* a comment */}}"),
                format!("{{\"organization_id\": {unknown_id}}} // a comment"),
                format!("{{organization_id: {unknown_id}}}"),
            ]
            .map(with)
            .into_iter()
            .chain([RequestTemplate::valid(add)
                .body(Body::Bytes(vec![0x7b, 0xff, 0x7d]))
                .media_type("application/json")])
            .collect(),
        ),
        rejected_as(
            no_key(),
            "not-an-object",
            "A body that is JSON but not an object is rejected",
            &format!("{schema}/type"),
            ["[]", "null", "true"]
                .map(str::to_owned)
                .into_iter()
                .chain([
                    unknown_id.to_string(),
                    format!("\"{unknown_id}\""),
                    format!("[{unknown_id}]"),
                    format!("[{{\"organization_id\": {unknown_id}}}]"),
                ])
                .map(with)
                .collect(),
        ),
        case(
            "organization-id-missing",
            "A body without organization_id is rejected",
            &format!("{schema}/required"),
        )
        .needs([Need::Writes])
        .point("add-body-malformed")
        .rejects(of_id().stated(), [with("{}".to_owned())])
        // Those with another key have two errors.
        .rejects(
            no_key(),
            [
                format!("{{\"Organization_id\": {unknown_id}}}"),
                format!("{{\"organizationId\": {unknown_id}}}"),
                format!("{{\"id\": {unknown_id}}}"),
                format!("{{\"organization\": {unknown_id}}}"),
                format!("{{\"organization\": {{\"organization_id\": {unknown_id}}}}}"),
                format!("{{\"organization_ids\": [{unknown_id}]}}"),
                format!("{{\"data\": {{\"organization_id\": {unknown_id}}}}}"),
            ]
            .map(with),
        )
        .leaves_unchanged(Writable),
        Case::new(
            "add/any-writing-of-json-is-read",
            "A body is read as JSON, however it is written: with white space, with an escaped key",
            &schema,
        )
        .and(add.response_pointer(404))
        .point("add-body-malformed")
        .needs(RequestTemplate::valid(add).needs())
        .needs([Need::Pipeline(Writable)])
        .writes(3)
        .sends(3)
        .check(is_read_as_json),
        // A duplicate key is not among them: a deployment may take the last value or reject the body.
        case(
            "unknown-key-is-rejected",
            "A body with another key is rejected",
            &format!("{schema}/additionalProperties"),
        )
        .needs([Need::Writes])
        .point("add-unknown-key")
        .rejects(
            invalid(),
            [
                format!("{{\"organization_id\": {unknown_id}, \"note\": 1}}"),
                format!("{{\"organization_id\": {unknown_id}, \"\": null}}"),
                // Members of the response.
                format!("{{\"organization_id\": {unknown_id}, \"entity_type\": \"organization\"}}"),
                format!("{{\"organization_id\": {unknown_id}, \"person_id\": null}}"),
                // It is in the path.
                format!("{{\"organization_id\": {unknown_id}, \"pipeline_id\": {unknown_id}}}"),
            ]
            .map(with),
        )
        .leaves_unchanged(Writable),
        // A pipeline that does not accept organizations rejects the request before the organization is looked up, so
        // nothing can be added.
        Case::new(
            "add/organization-id-bounds-are-accepted",
            "The least and the greatest organization_id are ids like any other",
            format!("{id}/minimum"),
        )
        .and(format!("{id}/maximum"))
        .and(add.response_pointer(400))
        .needs([Need::Writes])
        .point("add-body-malformed")
        .rejects(
            Rejection::new(400, "not_an_organization_pipeline"),
            [least, most].map(|bound| {
                RequestTemplate::valid(add)
                    .path("pipeline_id", NotOrganizations)
                    .organization(bound)
            }),
        ),
        Case::new(
            "add/every-fault-is-told",
            "Every error in a request to add is reported at once",
            add.response_pointer(422),
        )
        .quote("errors lists every error.")
        .on([add.id.as_str()])
        .point("faults-told")
        .rejects(
            Rejection::invalid()
                .at(["body", "organization_id"])
                .at(["body", "note"])
                .at(["query", "offset"]),
            [RequestTemplate::valid(add)
                .query("offset", 1)
                .json(&json!({ "organization_id": least - 1, "note": 1 }))],
        )
        .rejects(
            Rejection::invalid()
                .at(["path", "pipeline_id"])
                .at(["body", "organization_id"]),
            [RequestTemplate::valid(add)
                .path("pipeline_id", "0")
                .json(&json!({ "organization_id": least - 1 }))],
        ),
        id_rejected(
            "organization-id-below-minimum",
            "An organization_id below the minimum is rejected",
            &format!("{id}/minimum"),
            [least - 1, least - 2].map(|id| with(body_of(id))).into(),
        ),
        id_rejected(
            "organization-id-over-maximum",
            "An organization_id above the maximum is rejected",
            &format!("{id}/maximum"),
            [(most + 1).to_string(), HUGE[0].to_owned(), "1e300".to_owned()]
                .map(|id| with(body_of(id)))
                .into(),
        ),
        id_rejected(
            "organization-id-not-an-integer",
            "An organization_id that is not a whole number is rejected",
            &format!("{id}/type"),
            [format!("\"{unknown_id}\""), format!("[{unknown_id}]")]
                .into_iter()
                .chain([NOT_WHOLE, "null", "true", "{}", "\"\""].map(str::to_owned))
                .chain([
                    format!("{{\"id\": {unknown_id}}}"),
                    format!("{{\"value\": {unknown_id}}}"),
                ])
                .map(|id| with(body_of(id)))
                .collect(),
        ),
    ]
}

/// Sends a body that names an unknown organization, and the same body written otherwise.
async fn is_read_as_json(probe: Probe) -> Outcome {
    let unknown_id = probe.unknown_id();
    let add = RequestTemplate::valid(probe.contract().operation("add_organization"));
    let plain = add.clone().call(&probe).await?.send().await?;
    for written in [
        format!("\r\n\t{{ \"organization_id\"\n:\t{unknown_id} }}\n"),
        format!("{{\"organization\\u005fid\":{unknown_id}}}"),
    ] {
        let response = add.clone().json_text(written).call(&probe).await?.send().await?;
        probe.expect(&response).rejected(404, "organization_not_found");
        // Each condition has its own status, and this is the same one.
        probe.assert_as(
            Some(BTreeSet::new()),
            response.status == plain.status,
            "the status for a body that is written otherwise",
            format!("{}, as for the same JSON", plain.status),
            response.status,
            &[&plain, &response],
        );
    }
    Ok(())
}
