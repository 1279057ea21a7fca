// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The codes of problems.

crate::types::open_enums::open_enum! {
    /// Kind of a problem, for programs.
    ProblemCode {
        /// The request is not well-formed HTTP, or its body was cut off. Nothing was done.
        MalformedRequest = "malformed_request",
        /// `sort_by` does not have the form `question.<question_id>`.
        InvalidSortBy = "invalid_sort_by",
        /// The pipeline does not have the question that `sort_by` names.
        UnknownSortColumn = "unknown_sort_column",
        /// The item exists, but in another pipeline.
        ItemNotInPipeline = "item_not_in_pipeline",
        /// The items of the pipeline are persons or documents.
        NotAnOrganizationPipeline = "not_an_organization_pipeline",
        /// The request carries no API key.
        AuthenticationRequired = "authentication_required",
        /// The API key is not known, or more than one was sent.
        InvalidApiKey = "invalid_api_key",
        /// The policies of the key do not allow the operation.
        AuthorizationDenied = "authorization_denied",
        /// There is no such route.
        RouteNotFound = "route_not_found",
        /// There is no such organization.
        OrganizationNotFound = "organization_not_found",
        /// There is no such product.
        ProductNotFound = "product_not_found",
        /// There is no such pipeline.
        PipelineNotFound = "pipeline_not_found",
        /// There is no such item.
        ItemNotFound = "item_not_found",
        /// The path does not support this method.
        MethodNotAllowed = "method_not_allowed",
        /// The organization is already in the pipeline. Nothing was changed.
        OrganizationAlreadyInPipeline = "organization_already_in_pipeline",
        /// The request body is too long.
        BodyTooLarge = "body_too_large",
        /// The request target is too long.
        UriTooLong = "uri_too_long",
        /// The `Content-Type` is missing or is not `application/json`.
        UnsupportedMediaType = "unsupported_media_type",
        /// A parameter or the body is not valid; `errors` lists what is wrong.
        ValidationFailed = "validation_failed",
        /// The key has used up its quota. Nothing was done.
        RateLimited = "rate_limited",
        /// The header fields of the request are too large.
        HeadersTooLarge = "headers_too_large",
        /// The platform failed.
        InternalError = "internal_error",
        /// The platform cannot respond at the moment.
        Unavailable = "unavailable",
    }
}

/// Returns the status and the title of a code; 400 for an unknown one.
#[cfg(feature = "mock")]
pub(crate) fn problem(code: &ProblemCode) -> (u16, &'static str) {
    match code {
        ProblemCode::MalformedRequest => (400, "Malformed request"),
        ProblemCode::InvalidSortBy => (400, "Invalid sort_by"),
        ProblemCode::UnknownSortColumn => (400, "Unknown sort column"),
        ProblemCode::ItemNotInPipeline => (400, "Item not in pipeline"),
        ProblemCode::NotAnOrganizationPipeline => (400, "Not an organization pipeline"),
        ProblemCode::AuthenticationRequired => (401, "Authentication required"),
        ProblemCode::InvalidApiKey => (401, "Invalid API key"),
        ProblemCode::AuthorizationDenied => (403, "Authorization denied"),
        ProblemCode::RouteNotFound => (404, "Route not found"),
        ProblemCode::OrganizationNotFound => (404, "Organization not found"),
        ProblemCode::ProductNotFound => (404, "Product not found"),
        ProblemCode::PipelineNotFound => (404, "Pipeline not found"),
        ProblemCode::ItemNotFound => (404, "Item not found"),
        ProblemCode::MethodNotAllowed => (405, "Method not allowed"),
        ProblemCode::OrganizationAlreadyInPipeline => (409, "Organization already in pipeline"),
        ProblemCode::BodyTooLarge => (413, "Body too large"),
        ProblemCode::UriTooLong => (414, "URI too long"),
        ProblemCode::UnsupportedMediaType => (415, "Unsupported media type"),
        ProblemCode::ValidationFailed => (422, "Validation failed"),
        ProblemCode::RateLimited => (429, "Rate limited"),
        ProblemCode::HeadersTooLarge => (431, "Headers too large"),
        ProblemCode::InternalError => (500, "Internal error"),
        ProblemCode::Unavailable => (503, "Unavailable"),
        ProblemCode::Unknown(_) => (400, "Another problem"),
    }
}
