//! One request to an operation: its caller, its path and its query.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::Uri;
use axum::http::request::Parts;

use super::parameter::{PathId, Reader};
use super::problem::Problem;
use crate::model::ids::PipelineId;
use crate::model::policy::{Action, Resource};
use crate::platform::Platform;
use crate::platform::keys::Caller;

/// A request whose caller is known.
#[derive(Debug)]
pub(super) struct Call {
    caller: Caller,
    path: Vec<(String, String)>,
    uri: Uri,
}

impl Call {
    /// Checks the policies, before anything else in the request.
    pub(super) fn authorize(
        &self,
        platform: &Platform,
        action: Action,
        resource: Resource,
        pipeline_id: Option<PathId>,
    ) -> Result<(), Problem> {
        let Some(pipeline_id) = pipeline_id else {
            return Ok(platform.authorize(&self.caller, action, resource, None)?);
        };
        let read = pipeline_id.peek(&self.path);
        match read.and_then(|id| PipelineId::new(id).ok()) {
            Some(id) => platform.authorize(&self.caller, action, resource, Some(id))?,
            None => platform.authorize_on_some_pipeline(&self.caller, action, resource)?,
        }
        Ok(())
    }

    /// A reader for the query.
    pub(super) fn reader(&self) -> Reader {
        Reader::new(&self.uri)
    }

    /// Reads an id of the path, as the model's type.
    pub(super) fn id<Id: TryFrom<i64>>(&self, parameter: PathId, reader: &mut Reader) -> Option<Id> {
        parameter.read(&self.path, reader).and_then(|id| Id::try_from(id).ok())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Call {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        // Every route is behind the authentication, which stores the caller here.
        let caller = parts
            .extensions
            .get::<Caller>()
            .cloned()
            .ok_or_else(Problem::internal)?;
        // A path that is not UTF-8 holds no ids; reading them reports so.
        let path = RawPathParams::from_request_parts(parts, state).await.ok();
        let path = path
            .iter()
            .flatten()
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect();
        Ok(Self {
            caller,
            path,
            uri: parts.uri.clone(),
        })
    }
}
