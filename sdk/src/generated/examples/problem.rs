// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

use crate::mock::json::example;
use crate::types::Problem;

/// No key.
pub fn authentication_required() -> Problem {
    example(r#"{
  "code": "authentication_required",
  "detail": "Send an API key in the header API-Key.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 401,
  "title": "Authentication required",
  "type": "https://platform.example/problems/authentication_required"
}"#)
}

/// A key that may not do this.
pub fn authorization_denied() -> Problem {
    example(r#"{
  "code": "authorization_denied",
  "detail": "The policies of this key do not allow CREATE on COLLECTION_ITEM in pipeline 2.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 403,
  "title": "Authorization denied",
  "type": "https://platform.example/problems/authorization_denied"
}"#)
}

/// More than 65536 bytes.
pub fn body_too_large() -> Problem {
    example(r#"{
  "code": "body_too_large",
  "detail": "The body may have 65536 bytes at most.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 413,
  "title": "Body too large",
  "type": "https://platform.example/problems/body_too_large"
}"#)
}

/// The platform failed.
pub fn internal_error() -> Problem {
    example(r#"{
  "code": "internal_error",
  "detail": "The platform failed. Quote the request id when asking for help.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 500,
  "title": "Internal error",
  "type": "https://platform.example/problems/internal_error"
}"#)
}

/// An unknown key.
pub fn invalid_api_key() -> Problem {
    example(r#"{
  "code": "invalid_api_key",
  "detail": "The API key is not known. Check that it belongs to this deployment.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 401,
  "title": "Invalid API key",
  "type": "https://platform.example/problems/invalid_api_key"
}"#)
}

/// An id below 1, and an unknown key.
pub fn invalid_body() -> Problem {
    example(r#"{
  "code": "validation_failed",
  "detail": "The request has 2 errors; see errors.",
  "errors": [
    {
      "loc": [
        "body",
        "organization_id"
      ],
      "msg": "must be an integer from 1 to 9007199254740991",
      "type": "less_than_minimum"
    },
    {
      "loc": [
        "body",
        "name"
      ],
      "msg": "is not a key of this body; it has the single key organization_id",
      "type": "unknown"
    }
  ],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 422,
  "title": "Validation failed",
  "type": "https://platform.example/problems/validation_failed"
}"#)
}

/// Two errors at once.
pub fn invalid_parameters() -> Problem {
    example(r#"{
  "code": "validation_failed",
  "detail": "The request has 2 errors; see errors.",
  "errors": [
    {
      "loc": [
        "query",
        "limit"
      ],
      "msg": "must be an integer from 1 to 1000",
      "type": "greater_than_maximum"
    },
    {
      "loc": [
        "query",
        "offset"
      ],
      "msg": "is not a parameter of this operation",
      "type": "unknown"
    }
  ],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 422,
  "title": "Validation failed",
  "type": "https://platform.example/problems/validation_failed"
}"#)
}

/// Two errors at once.
pub fn invalid_search_parameters() -> Problem {
    example(r#"{
  "code": "validation_failed",
  "detail": "The request has 2 errors; see errors.",
  "errors": [
    {
      "loc": [
        "query",
        "limit"
      ],
      "msg": "must be an integer from 1 to 100",
      "type": "greater_than_maximum"
    },
    {
      "loc": [
        "query",
        "offset"
      ],
      "msg": "is not a parameter of this operation",
      "type": "unknown"
    }
  ],
  "instance": "/search/organizations/similar",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 422,
  "title": "Validation failed",
  "type": "https://platform.example/problems/validation_failed"
}"#)
}

/// Not the id of a question column.
pub fn invalid_sort_by() -> Problem {
    example(r#"{
  "code": "invalid_sort_by",
  "detail": "sort_by takes a column of the form question.<question_id>, such as question.201.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 400,
  "title": "Invalid sort_by",
  "type": "https://platform.example/problems/invalid_sort_by"
}"#)
}

/// No such item.
pub fn item_not_found() -> Problem {
    example(r#"{
  "code": "item_not_found",
  "detail": "There is no item 999999.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items/999999/values",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 404,
  "title": "Item not found",
  "type": "https://platform.example/problems/item_not_found"
}"#)
}

/// An item of another pipeline.
pub fn item_not_in_pipeline() -> Problem {
    example(r#"{
  "code": "item_not_in_pipeline",
  "detail": "Item 100001 does not belong to pipeline 2.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items/100001/values",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 400,
  "title": "Item not in pipeline",
  "type": "https://platform.example/problems/item_not_in_pipeline"
}"#)
}

/// A body that is not JSON.
pub fn malformed_json() -> Problem {
    example(r#"{
  "code": "validation_failed",
  "detail": "The request has 1 error; see errors.",
  "errors": [
    {
      "loc": [
        "body"
      ],
      "msg": "is not JSON: expected value at line 1 column 1",
      "type": "not_json"
    }
  ],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 422,
  "title": "Validation failed",
  "type": "https://platform.example/problems/validation_failed"
}"#)
}

/// A body that was cut off.
pub fn malformed_request() -> Problem {
    example(r#"{
  "code": "malformed_request",
  "detail": "The request body was cut off before its end. Nothing was changed; send the request again.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 400,
  "title": "Malformed request",
  "type": "https://platform.example/problems/malformed_request"
}"#)
}

/// A pipeline of persons.
pub fn not_an_organization_pipeline() -> Problem {
    example(r#"{
  "code": "not_an_organization_pipeline",
  "detail": "Pipeline 3 holds items of the type person; an organization cannot be added to it.",
  "errors": [],
  "instance": "/api/v1/pipelines/3/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 400,
  "title": "Not an organization pipeline",
  "type": "https://platform.example/problems/not_an_organization_pipeline"
}"#)
}

/// Already in the pipeline.
pub fn organization_already_in_pipeline() -> Problem {
    example(r#"{
  "code": "organization_already_in_pipeline",
  "detail": "Organization 1001 is already in pipeline 2.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 409,
  "title": "Organization already in pipeline",
  "type": "https://platform.example/problems/organization_already_in_pipeline"
}"#)
}

/// No such organization.
pub fn organization_not_found() -> Problem {
    example(r#"{
  "code": "organization_not_found",
  "detail": "There is no organization 999999.",
  "errors": [],
  "instance": "/search/organizations/999999/similar",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 404,
  "title": "Organization not found",
  "type": "https://platform.example/problems/organization_not_found"
}"#)
}

/// No such organization.
pub fn organization_to_add_not_found() -> Problem {
    example(r#"{
  "code": "organization_not_found",
  "detail": "There is no organization 999999.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 404,
  "title": "Organization not found",
  "type": "https://platform.example/problems/organization_not_found"
}"#)
}

/// No such pipeline.
pub fn pipeline_not_found() -> Problem {
    example(r#"{
  "code": "pipeline_not_found",
  "detail": "There is no pipeline 999999.",
  "errors": [],
  "instance": "/api/v1/pipelines/999999/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 404,
  "title": "Pipeline not found",
  "type": "https://platform.example/problems/pipeline_not_found"
}"#)
}

/// No such pipeline.
pub fn pipeline_of_item_not_found() -> Problem {
    example(r#"{
  "code": "pipeline_not_found",
  "detail": "There is no pipeline 999999.",
  "errors": [],
  "instance": "/api/v1/pipelines/999999/items/200001/values",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 404,
  "title": "Pipeline not found",
  "type": "https://platform.example/problems/pipeline_not_found"
}"#)
}

/// No such pipeline.
pub fn pipeline_to_add_to_not_found() -> Problem {
    example(r#"{
  "code": "pipeline_not_found",
  "detail": "There is no pipeline 999999.",
  "errors": [],
  "instance": "/api/v1/pipelines/999999/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 404,
  "title": "Pipeline not found",
  "type": "https://platform.example/problems/pipeline_not_found"
}"#)
}

/// No such product.
pub fn product_not_found() -> Problem {
    example(r#"{
  "code": "product_not_found",
  "detail": "There is no product 999999.",
  "errors": [],
  "instance": "/search/products/999999/similar",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 404,
  "title": "Product not found",
  "type": "https://platform.example/problems/product_not_found"
}"#)
}

/// The quota is used up.
pub fn rate_limited() -> Problem {
    example(r#"{
  "code": "rate_limited",
  "detail": "The quota of 100 requests in 60 seconds is used up. Try again in 7 seconds.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 429,
  "title": "Rate limited",
  "type": "https://platform.example/problems/rate_limited"
}"#)
}

/// A key that may not read this.
pub fn read_authorization_denied() -> Problem {
    example(r#"{
  "code": "authorization_denied",
  "detail": "The policies of this key do not allow READ on COLLECTION_ITEM in pipeline 2.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 403,
  "title": "Authorization denied",
  "type": "https://platform.example/problems/authorization_denied"
}"#)
}

/// No key.
pub fn search_authentication_required() -> Problem {
    example(r#"{
  "code": "authentication_required",
  "detail": "Send an API key in the header API-Key.",
  "errors": [],
  "instance": "/search/organizations/similar",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 401,
  "title": "Authentication required",
  "type": "https://platform.example/problems/authentication_required"
}"#)
}

/// A key that may not search.
pub fn search_authorization_denied() -> Problem {
    example(r#"{
  "code": "authorization_denied",
  "detail": "The policies of this key do not allow READ on ORGANIZATION.",
  "errors": [],
  "instance": "/search/organizations/similar",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 403,
  "title": "Authorization denied",
  "type": "https://platform.example/problems/authorization_denied"
}"#)
}

/// An unknown key.
pub fn search_invalid_api_key() -> Problem {
    example(r#"{
  "code": "invalid_api_key",
  "detail": "The API key is not known. Check that it belongs to this deployment.",
  "errors": [],
  "instance": "/search/organizations/similar",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 401,
  "title": "Invalid API key",
  "type": "https://platform.example/problems/invalid_api_key"
}"#)
}

/// The quota is used up.
pub fn search_rate_limited() -> Problem {
    example(r#"{
  "code": "rate_limited",
  "detail": "The quota of 100 requests in 60 seconds is used up. Try again in 7 seconds.",
  "errors": [],
  "instance": "/search/organizations/similar",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 429,
  "title": "Rate limited",
  "type": "https://platform.example/problems/rate_limited"
}"#)
}

/// Temporarily unavailable.
pub fn unavailable() -> Problem {
    example(r#"{
  "code": "unavailable",
  "detail": "The platform cannot respond at the moment. Try again later.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 503,
  "title": "Unavailable",
  "type": "https://platform.example/problems/unavailable"
}"#)
}

/// A question that the pipeline does not have.
pub fn unknown_sort_column() -> Problem {
    example(r#"{
  "code": "unknown_sort_column",
  "detail": "Pipeline 2 has no column question.999.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 400,
  "title": "Unknown sort column",
  "type": "https://platform.example/problems/unknown_sort_column"
}"#)
}

/// Not JSON.
pub fn unsupported_media_type() -> Problem {
    example(r#"{
  "code": "unsupported_media_type",
  "detail": "Send the body as Content-Type: application/json.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/organizations",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 415,
  "title": "Unsupported media type",
  "type": "https://platform.example/problems/unsupported_media_type"
}"#)
}
