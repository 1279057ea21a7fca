// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The contract's examples of answers, for a test to begin with.

use super::example;

/// Examples of [`ItemPage`](crate::types::ItemPage).
///
/// ```
/// use platform_sdk::mock::examples::item_page;
///
/// let all = [
///     item_page::first_page(),
///     item_page::past_the_end(),
/// ];
/// ```
pub mod item_page {
    use crate::types::ItemPage;

    /// One item of twelve.
    pub fn first_page() -> ItemPage {
        super::example(r#"{
  "items": [
    {
      "document_id": null,
      "entity_type": "organization",
      "organization_id": 1001,
      "person_id": null,
      "pipeline_id": 2,
      "pipeline_item_id": 200001,
      "values": {
        "organization.headquarters.city": {
          "category": "platform_data",
          "certainty_score": null,
          "last_synced_at": null,
          "references": [],
          "result": [
            "Bergen"
          ],
          "status": null,
          "sync_error": null,
          "sync_provider": null,
          "sync_status": null
        },
        "question.201": {
          "category": "llm",
          "certainty_score": 88,
          "last_synced_at": null,
          "references": [
            "https://fjordfrost.example"
          ],
          "result": [
            true
          ],
          "status": "completed",
          "sync_error": null,
          "sync_provider": null,
          "sync_status": null
        },
        "question.202": {
          "category": "llm_webbrowsing",
          "certainty_score": null,
          "last_synced_at": null,
          "references": [],
          "result": [],
          "status": "no_answer",
          "sync_error": null,
          "sync_provider": null,
          "sync_status": null
        }
      }
    }
  ],
  "pipeline_id": 2,
  "total_count": 12
}"#)
    }

    /// A page past the end.
    pub fn past_the_end() -> ItemPage {
        super::example(r#"{
  "items": [],
  "pipeline_id": 2,
  "total_count": 12
}"#)
    }
}

/// Examples of [`ItemStatus`](crate::types::ItemStatus).
///
/// ```
/// use platform_sdk::mock::examples::item_status;
///
/// let all = [
///     item_status::in_progress(),
///     item_status::ready(),
/// ];
/// ```
pub mod item_status {
    use crate::types::ItemStatus;

    /// A question is still being answered.
    pub fn in_progress() -> ItemStatus {
        super::example(r#"{
  "custom_questions_answered": false,
  "document_indexed": true,
  "is_ready": false,
  "pipeline_id": 2,
  "pipeline_item_id": 200013,
  "platform_entity_data_ready": true
}"#)
    }

    /// Ready.
    pub fn ready() -> ItemStatus {
        super::example(r#"{
  "custom_questions_answered": true,
  "document_indexed": true,
  "is_ready": true,
  "pipeline_id": 2,
  "pipeline_item_id": 200001,
  "platform_entity_data_ready": true
}"#)
    }
}

/// Examples of [`OrganizationSearchPage`](crate::types::OrganizationSearchPage).
///
/// ```
/// use platform_sdk::mock::examples::organization_search_page;
///
/// let all = [
///     organization_search_page::found(),
///     organization_search_page::nothing_passes_the_filters(),
/// ];
/// ```
pub mod organization_search_page {
    use crate::types::OrganizationSearchPage;

    /// The nearest of 41 organizations.
    pub fn found() -> OrganizationSearchPage {
        super::example(r#"{
  "results": [
    {
      "contact": {
        "email": "hello@fjordfrost.example",
        "phone": "+47 55 01 02 03",
        "social": {
          "facebook_url": null,
          "instagram_url": null,
          "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
          "x_url": null,
          "youtube_url": null
        },
        "website_url": "https://fjordfrost.example"
      },
      "description": "We put a sensor in every crate of salmon that leaves the fjord. Our loggers report the temperature of each parcel by satellite, so that exporters see a warm container while there is still time to save the fish.",
      "domain": "fjordfrost.example",
      "headquarters": {
        "city": "Bergen",
        "country": "NO",
        "country_name": "Norway",
        "postal_code": "5035",
        "region": "NO-46",
        "region_name": "Vestland",
        "street": "Sandviksboder 12"
      },
      "locations": [
        {
          "city": "Hirtshals",
          "country": "DK",
          "country_name": "Denmark",
          "postal_code": "9850",
          "region": "DK-81",
          "region_name": "Nordjylland",
          "street": null
        }
      ],
      "logo_url": "https://fjordfrost.example/logo.svg",
      "metrics": {
        "employee_count": 64,
        "founded_on": "2016-03-14",
        "funding": {
          "last_round_on": "2021-05-20",
          "last_round_stage": "series_a",
          "last_round_usd": 8000000,
          "total_usd": 9200000
        }
      },
      "name": "Fjordfrost",
      "organization_id": 1001,
      "similarity": {
        "cosine_distance": 0.3127
      }
    }
  ],
  "total_count": 41
}"#)
    }

    /// Nothing passes the filters.
    pub fn nothing_passes_the_filters() -> OrganizationSearchPage {
        super::example(r#"{
  "results": [],
  "total_count": 0
}"#)
    }
}

/// Examples of [`PipelineItem`](crate::types::PipelineItem).
///
/// ```
/// use platform_sdk::mock::examples::pipeline_item;
///
/// let all = [
///     pipeline_item::added(),
///     pipeline_item::answered(),
///     pipeline_item::synced(),
/// ];
/// ```
pub mod pipeline_item {
    use crate::types::PipelineItem;

    /// The new item, its questions not yet answered.
    pub fn added() -> PipelineItem {
        super::example(r#"{
  "document_id": null,
  "entity_type": "organization",
  "organization_id": 1008,
  "person_id": null,
  "pipeline_id": 2,
  "pipeline_item_id": 200013,
  "values": {
    "organization.headquarters.city": {
      "category": "platform_data",
      "certainty_score": null,
      "last_synced_at": null,
      "references": [],
      "result": [
        "Lausanne"
      ],
      "status": null,
      "sync_error": null,
      "sync_provider": null,
      "sync_status": null
    },
    "question.201": {
      "category": "llm",
      "certainty_score": null,
      "last_synced_at": null,
      "references": [],
      "result": [],
      "status": "pending",
      "sync_error": null,
      "sync_provider": null,
      "sync_status": null
    },
    "question.202": {
      "category": "llm_webbrowsing",
      "certainty_score": null,
      "last_synced_at": null,
      "references": [],
      "result": [],
      "status": "pending",
      "sync_error": null,
      "sync_provider": null,
      "sync_status": null
    }
  }
}"#)
    }

    /// Every question has come to its end.
    pub fn answered() -> PipelineItem {
        super::example(r#"{
  "document_id": null,
  "entity_type": "organization",
  "organization_id": 1001,
  "person_id": null,
  "pipeline_id": 2,
  "pipeline_item_id": 200001,
  "values": {
    "organization.headquarters.city": {
      "category": "platform_data",
      "certainty_score": null,
      "last_synced_at": null,
      "references": [],
      "result": [
        "Bergen"
      ],
      "status": null,
      "sync_error": null,
      "sync_provider": null,
      "sync_status": null
    },
    "question.201": {
      "category": "llm",
      "certainty_score": 88,
      "last_synced_at": null,
      "references": [
        "https://fjordfrost.example"
      ],
      "result": [
        true
      ],
      "status": "completed",
      "sync_error": null,
      "sync_provider": null,
      "sync_status": null
    },
    "question.202": {
      "category": "llm_webbrowsing",
      "certainty_score": null,
      "last_synced_at": null,
      "references": [],
      "result": [],
      "status": "no_answer",
      "sync_error": null,
      "sync_provider": null,
      "sync_status": null
    }
  }
}"#)
    }

    /// A pipeline with CRM sync, one value synced and one refused by the CRM.
    pub fn synced() -> PipelineItem {
        super::example(r#"{
  "document_id": null,
  "entity_type": "organization",
  "organization_id": 1001,
  "person_id": null,
  "pipeline_id": 5,
  "pipeline_item_id": 500001,
  "values": {
    "question.501": {
      "category": "formula",
      "certainty_score": 100,
      "last_synced_at": "2026-11-02T09:30:00Z",
      "references": [],
      "result": [
        143750
      ],
      "status": "completed",
      "sync_error": null,
      "sync_provider": "hubspot",
      "sync_status": "success"
    },
    "question.502": {
      "category": "llm_webbrowsing",
      "certainty_score": 71,
      "last_synced_at": "2026-10-28T16:05:00Z",
      "references": [
        "https://fjordfrost.example"
      ],
      "result": [
        "Cold chain"
      ],
      "status": "completed",
      "sync_error": "The property \"industry\" does not accept the value \"Cold chain\".",
      "sync_provider": "hubspot",
      "sync_status": "error"
    }
  }
}"#)
    }
}

/// Examples of [`Problem`](crate::types::Problem).
///
/// ```
/// use platform_sdk::mock::examples::problem;
///
/// let all = [
///     problem::authentication_required(),
///     problem::authorization_denied(),
///     problem::body_too_large(),
///     problem::internal_error(),
///     problem::invalid_api_key(),
///     problem::invalid_body(),
///     problem::invalid_parameters(),
///     problem::invalid_search_parameters(),
///     problem::invalid_sort_by(),
///     problem::item_not_found(),
///     problem::item_not_in_pipeline(),
///     problem::malformed_json(),
///     problem::malformed_request(),
///     problem::not_an_organization_pipeline(),
///     problem::organization_already_in_pipeline(),
///     problem::organization_not_found(),
///     problem::organization_to_add_not_found(),
///     problem::pipeline_not_found(),
///     problem::pipeline_of_item_not_found(),
///     problem::pipeline_to_add_to_not_found(),
///     problem::product_not_found(),
///     problem::rate_limited(),
///     problem::read_authorization_denied(),
///     problem::search_authentication_required(),
///     problem::search_authorization_denied(),
///     problem::search_invalid_api_key(),
///     problem::search_rate_limited(),
///     problem::unavailable(),
///     problem::unknown_sort_column(),
///     problem::unsupported_media_type(),
/// ];
/// ```
pub mod problem {
    use crate::types::Problem;

    /// No key.
    pub fn authentication_required() -> Problem {
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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

    /// A fault of the platform.
    pub fn internal_error() -> Problem {
        super::example(r#"{
  "code": "internal_error",
  "detail": "The platform failed to answer. Quote the request id when asking for help.",
  "errors": [],
  "instance": "/api/v1/pipelines/2/items",
  "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
  "status": 500,
  "title": "Internal error",
  "type": "https://platform.example/problems/internal_error"
}"#)
    }

    /// A key that is not known.
    pub fn invalid_api_key() -> Problem {
        super::example(r#"{
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

    /// An id below 1, and a key too many.
    pub fn invalid_body() -> Problem {
        super::example(r#"{
  "code": "validation_failed",
  "detail": "The request has 2 faults; see errors.",
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

    /// Two faults at once.
    pub fn invalid_parameters() -> Problem {
        super::example(r#"{
  "code": "validation_failed",
  "detail": "The request has 2 faults; see errors.",
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

    /// Two faults at once.
    pub fn invalid_search_parameters() -> Problem {
        super::example(r#"{
  "code": "validation_failed",
  "detail": "The request has 2 faults; see errors.",
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
  "code": "validation_failed",
  "detail": "The request has 1 fault; see errors.",
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
        super::example(r#"{
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
        super::example(r#"{
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

    /// It was added before.
    pub fn organization_already_in_pipeline() -> Problem {
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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
        super::example(r#"{
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

    /// A key that is not known.
    pub fn search_invalid_api_key() -> Problem {
        super::example(r#"{
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
        super::example(r#"{
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

    /// Not now.
    pub fn unavailable() -> Problem {
        super::example(r#"{
  "code": "unavailable",
  "detail": "The platform cannot answer for now. Try again later.",
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
        super::example(r#"{
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
        super::example(r#"{
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
}

/// Examples of [`ProductSearchPage`](crate::types::ProductSearchPage).
///
/// ```
/// use platform_sdk::mock::examples::product_search_page;
///
/// let all = [
///     product_search_page::found(),
///     product_search_page::nothing_passes_the_filters(),
/// ];
/// ```
pub mod product_search_page {
    use crate::types::ProductSearchPage;

    /// The nearest of 87 products.
    pub fn found() -> ProductSearchPage {
        super::example(r#"{
  "results": [
    {
      "categories": [
        "freight_logistics",
        "consumer_electronics"
      ],
      "competitive_positioning": "The only logger of its size that reports from the middle of an ocean.",
      "description": "A coin-sized logger that travels inside the parcel, measures temperature every minute for 90 days, and sends an alarm by satellite as soon as a limit is passed.",
      "features": [
        "satellite alarm",
        "90-day battery",
        "calibration certificate"
      ],
      "name": "Frosttag",
      "organization": {
        "contact": {
          "email": "hello@fjordfrost.example",
          "phone": "+47 55 01 02 03",
          "social": {
            "facebook_url": null,
            "instagram_url": null,
            "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
            "x_url": null,
            "youtube_url": null
          },
          "website_url": "https://fjordfrost.example"
        },
        "description": "We put a sensor in every crate of salmon that leaves the fjord. Our loggers report the temperature of each parcel by satellite, so that exporters see a warm container while there is still time to save the fish.",
        "domain": "fjordfrost.example",
        "headquarters": {
          "city": "Bergen",
          "country": "NO",
          "country_name": "Norway",
          "postal_code": "5035",
          "region": "NO-46",
          "region_name": "Vestland",
          "street": "Sandviksboder 12"
        },
        "locations": [
          {
            "city": "Hirtshals",
            "country": "DK",
            "country_name": "Denmark",
            "postal_code": "9850",
            "region": "DK-81",
            "region_name": "Nordjylland",
            "street": null
          }
        ],
        "logo_url": "https://fjordfrost.example/logo.svg",
        "metrics": {
          "employee_count": 64,
          "founded_on": "2016-03-14",
          "funding": {
            "last_round_on": "2021-05-20",
            "last_round_stage": "series_a",
            "last_round_usd": 8000000,
            "total_usd": 9200000
          }
        },
        "name": "Fjordfrost",
        "organization_id": 1001
      },
      "pricing": {
        "billing_period": "unit",
        "currency": "EUR",
        "model": "per_unit",
        "starts_at": 19.5
      },
      "product_id": 5001,
      "revenue_models": [
        "hardware_sale",
        "subscription"
      ],
      "similarity": {
        "cosine_distance": 0.2841
      },
      "target_audiences": [
        "seafood exporters",
        "freight forwarders"
      ]
    }
  ],
  "total_count": 87
}"#)
    }

    /// Nothing passes the filters.
    pub fn nothing_passes_the_filters() -> ProductSearchPage {
        super::example(r#"{
  "results": [],
  "total_count": 0
}"#)
    }
}
