// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

use crate::mock::json::example;
use crate::types::PipelineItem;

/// The new item, its questions not yet answered.
pub fn added() -> PipelineItem {
    example(r#"{
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

/// Every question has a final status.
pub fn answered() -> PipelineItem {
    example(r#"{
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

/// A pipeline with CRM sync, one value synced and one rejected by the CRM.
pub fn synced() -> PipelineItem {
    example(r#"{
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
