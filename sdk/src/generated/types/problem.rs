// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Problem`.
use super::*;
/// An error (RFC 9457). `code` is for programs, `title` and `detail` are for people and may change.
///
/// ```
/// use platform_sdk::types::Problem;
///
/// let read: Problem = serde_json::from_str(
///     r#"{
///   "code": "invalid_sort_by",
///   "detail": "sort_by takes a column of the form question.<question_id>, such as question.201.",
///   "errors": [],
///   "instance": "/api/v1/pipelines/2/items",
///   "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
///   "status": 400,
///   "title": "Invalid sort_by",
///   "type": "https://platform.example/problems/invalid_sort_by"
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
#[derive(Eq, Hash)]
pub struct Problem {
    /// The kinds of problem, by status. A deployment of this version sends no other value. A later version may add
    /// one, so a client keeps a value that it does not know. `x-problems` gives the meaning and the remedy of each.
    ///
    /// - 400: `malformed_request`, `invalid_sort_by`, `unknown_sort_column`, `item_not_in_pipeline`, `not_an_organization_pipeline`
    /// - 401: `authentication_required`, `invalid_api_key`
    /// - 403: `authorization_denied`
    /// - 404: `route_not_found`, `organization_not_found`, `product_not_found`, `pipeline_not_found`, `item_not_found`
    /// - 405: `method_not_allowed`
    /// - 409: `organization_already_in_pipeline`
    /// - 413: `body_too_large`
    /// - 414: `uri_too_long`
    /// - 415: `unsupported_media_type`
    /// - 422: `validation_failed`
    /// - 429: `rate_limited`
    /// - 431: `headers_too_large`
    /// - 500: `internal_error`
    /// - 503: `unavailable`
    pub code: crate::generated::problem_code::ProblemCode,
    /// What went wrong with this request, and what to do.
    #[cfg_attr(feature = "schemars", schemars(extend("minLength" = 1)))]
    pub detail: ::std::string::String,
    /// Every error of the request; empty unless `code` is `validation_failed`. If there are more than 20, the
    /// first 20 in the order of the request.
    pub errors: ::std::vec::Vec<FieldError>,
    /// The path that was requested.
    #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri-reference")))]
    pub instance: ::std::string::String,
    /// Identifies a request in the platform's logs.
    #[cfg_attr(
        feature = "schemars",
        schemars(extend("pattern" = "^[A-Za-z0-9._-]{1,128}$"))
    )]
    pub request_id: ::std::string::String,
    /// The status of the response.
    #[serde(deserialize_with = "crate::types::whole::read")]
    #[cfg_attr(feature = "schemars", schemars(extend("maximum" = 599, "minimum" = 400)))]
    pub status: i32,
    /// The kind of problem, in a few words.
    #[cfg_attr(feature = "schemars", schemars(extend("minLength" = 1)))]
    pub title: ::std::string::String,
    /// Identifies the kind of problem; one URI for each `code`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri-reference")))]
    pub type_: ::std::string::String,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for Problem {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("code", &self.code);
        at.field("detail", &self.detail);
        at.field("errors", &self.errors);
        at.field("instance", &self.instance);
        at.field("request_id", &self.request_id);
        at.field("status", &self.status);
        at.field("title", &self.title);
        at.field("type", &self.type_);
        at.unknown_fields("Problem", &self.unknown_fields);
    }
}
