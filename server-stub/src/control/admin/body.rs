//! Reads the bodies of requests, strictly: what is not understood is rejected, with its place.

use axum::body::{Bytes, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use super::problem::AdminProblem;
use crate::data::Strict;

/// Maximum number of bytes in a body.
const BODY_MAX: usize = 1 << 20;

/// A body of JSON that was read completely.
#[derive(Debug)]
pub(super) struct JsonBody<T>(pub(super) T);

/// The absence of a body; an empty JSON object counts as none.
#[derive(Debug)]
pub(super) struct NoBody;

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = AdminProblem;

    async fn from_request(request: Request, _: &S) -> Result<Self, AdminProblem> {
        let bytes = json_bytes(request, BODY_MAX).await?;
        read(&bytes).map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = AdminProblem;

    async fn from_request(request: Request, _: &S) -> Result<Self, AdminProblem> {
        match bytes(request, BODY_MAX).await?.trim_ascii() {
            b"" | b"{}" => Ok(Self),
            _ => Err(AdminProblem::invalid("this request takes no body; leave it out")),
        }
    }
}

/// The bytes of a body that is declared to be JSON.
pub(super) async fn json_bytes(request: Request, max: usize) -> Result<Bytes, AdminProblem> {
    let media_type = request.headers().get(CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let essence = media_type.and_then(|text| text.split(';').next());
    match essence.is_some_and(|text| text.trim().eq_ignore_ascii_case("application/json")) {
        true => bytes(request, max).await,
        false => Err(AdminProblem::unsupported_media_type()),
    }
}

async fn bytes(request: Request, max: usize) -> Result<Bytes, AdminProblem> {
    let body = to_bytes(request.into_body(), max).await;
    body.map_err(|_| {
        let detail = format!("the body was cut off, or has more than {max} bytes");
        AdminProblem::invalid(detail)
    })
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, AdminProblem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(Strict::new(&mut reader)).map_err(|error| {
        let place = error.path().to_string();
        let reason = error.inner();
        AdminProblem::invalid(match place.as_str() {
            "." => format!("the body cannot be used: {reason}"),
            place => format!("{place}: {reason}"),
        })
    })?;
    let end = reader.end();
    end.map_err(|error| AdminProblem::invalid(format!("the body cannot be used: {error}")))?;
    Ok(value)
}
