//! Adding an organization to a pipeline: the one operation with a body.

use std::fmt;

use axum::body::{Body, HttpBody};
use axum::extract::{OriginalUri, Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use utoipa::ToSchema;

use super::item::{PipelineItem, write_item};
use super::items::{PIPELINE_ID, Pipeline};
use super::received::{Received, TooLong};
use crate::model::ids::{MAX_ID, OrganizationId, PipelineId};
use crate::model::policy::{Action, Resource};
use crate::platform::Platform;
use crate::wire::answer::Success;
use crate::wire::call::Call;
use crate::wire::ids;
use crate::wire::json::json;
use crate::wire::parameter::{Place, Reader};
use crate::wire::problem::{FaultKind, Problem, ProblemCode};

/// Maximum number of bytes in a body.
const BODY_MAX: usize = 65_536;
const KEY: &str = "organization_id";

/// A JSON object with the single key `organization_id`. The body is parsed by hand, so that every error is
/// reported at once; this type only describes it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes the body in the document")]
pub(in crate::wire) struct AddOrganizationRequest {
    organization_id: ids::OrganizationId,
}

/// Add an organization to a pipeline
#[utoipa::path(
    post,
    path = "/api/v1/pipelines/{pipeline_id}/organizations",
    tag = "pipeline-items",
    params(Pipeline),
    request_body = AddOrganizationRequest,
    responses(Success<PipelineItem, 201>, AddProblems)
)]
pub(in crate::wire) async fn add_organization(
    State(platform): State<Platform>,
    call: Call,
    OriginalUri(original): OriginalUri,
    request: Request,
) -> Result<Response, Problem> {
    call.authorize(&platform, Action::Create, Resource::CollectionItem, Some(PIPELINE_ID))?;
    require_json(request.headers())?;
    let body = read_body(request.into_body()).await?;
    let mut reader = call.reader();
    let pipeline_id = call.id::<PipelineId>(PIPELINE_ID, &mut reader);
    let organization_id = read_organization_id(&body, &mut reader);
    let (pipeline_id, organization_id) = reader.finish(|| Some((pipeline_id?, organization_id?)))?;
    let item = platform.add_organization(pipeline_id, organization_id).await?;
    // Includes the path of the base URL if the service is nested in another router.
    let pipeline = original.path().trim_end_matches("/organizations");
    let location = format!("{pipeline}/items/{}/values", item.pipeline_item_id);
    let written = write_item(&item).map_err(|_| Problem::internal())?;
    let body = json(written.to_vec());
    Ok((StatusCode::CREATED, [(LOCATION, location)], body).into_response())
}

fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let detail = "Send the body as Content-Type: application/json.";
    Err(Problem::new(ProblemCode::UnsupportedMediaType, detail))
}

/// Reads a body to its end. A body that breaks off is rejected: nothing is done with its beginning.
async fn read_body(body: Body) -> Result<Received, Problem> {
    // If the announced length is too long, the body is not awaited.
    if body.size_hint().lower() > BODY_MAX as u64 {
        return Err(body_too_large());
    }
    let mut chunks = body.into_data_stream();
    let mut received = Received::new(BODY_MAX);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            tracing::debug!(error = &error as &dyn std::error::Error, "a body was cut off");
            Problem::cut_off()
        })?;
        received.push(&chunk).map_err(|TooLong| body_too_large())?;
    }
    Ok(received)
}

fn body_too_large() -> Problem {
    let detail = format!("The body may have {BODY_MAX} bytes at most.");
    Problem::new(ProblemCode::BodyTooLarge, detail)
}

fn read_organization_id(body: &[u8], reader: &mut Reader) -> Option<OrganizationId> {
    let members = match serde_json::from_slice::<JsonBody>(body) {
        Ok(JsonBody::Object(members)) => members,
        Ok(JsonBody::Other) => {
            reader.fault(
                &["body"],
                format!("must be a JSON object with the single key {KEY}"),
                FaultKind::NotAnObject,
            );
            return None;
        }
        Err(error) => {
            reader.fault(&["body"], format!("is not JSON: {error}"), FaultKind::NotJson);
            return None;
        }
    };
    let mut ids = Vec::new();
    for (position, (name, value)) in members.iter().enumerate() {
        let place = Place::Body(position);
        if name == KEY {
            ids.push((place, value));
        } else {
            let msg = "is not a key of this body; it has the single key organization_id";
            reader.fault_at(place, &["body", name], msg, FaultKind::Unknown);
        }
    }
    match ids[..] {
        [] => reader.fault(&["body", KEY], "is required", FaultKind::Missing),
        [(place, value)] => return read_id(place, value, reader),
        [(place, _), ..] => {
            let msg = "was given more than once";
            reader.fault_at(place, &["body", KEY], msg, FaultKind::Repeated);
        }
    }
    None
}

fn read_id(place: Place, value: &Value, reader: &mut Reader) -> Option<OrganizationId> {
    let msg = format!("must be an integer from 1 to {MAX_ID}");
    let Value::Number(number) = value else {
        reader.fault_at(place, &["body", KEY], msg, FaultKind::NotAnInteger);
        return None;
    };
    let id = number.as_i64();
    if let Some(id) = id.and_then(|id| OrganizationId::new(id).ok()) {
        return Some(id);
    }
    let kind = match id {
        Some(id) if id < 1 => FaultKind::LessThanMinimum,
        Some(_) => FaultKind::GreaterThanMaximum,
        None if number.is_u64() => FaultKind::GreaterThanMaximum,
        None => FaultKind::NotAnInteger,
    };
    reader.fault_at(place, &["body", KEY], msg, kind);
    None
}

/// The parts of a body that matter here. The members of an object are kept as they were written, so that duplicates are
/// noticed.
enum JsonBody {
    Object(Vec<(String, Value)>),
    Other,
}

impl<'de> Deserialize<'de> for JsonBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonBodyVisitor)
    }
}

struct JsonBodyVisitor;

impl<'de> Visitor<'de> for JsonBodyVisitor {
    type Value = JsonBody;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonBody, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(JsonBody::Object(members))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<JsonBody, A::Error> {
        while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
        Ok(JsonBody::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }

    fn visit_unit<E>(self) -> Result<JsonBody, E> {
        Ok(JsonBody::Other)
    }
}

problems!(AddProblems: [
    ProblemCode::MalformedRequest,
    ProblemCode::UnsupportedMediaType,
    ProblemCode::BodyTooLarge,
    ProblemCode::PipelineNotFound,
    ProblemCode::NotAnOrganizationPipeline,
    ProblemCode::OrganizationNotFound,
    ProblemCode::OrganizationAlreadyInPipeline,
]);
