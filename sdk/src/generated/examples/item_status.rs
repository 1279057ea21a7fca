// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

use crate::mock::json::example;
use crate::types::ItemStatus;

/// A question is still being answered.
pub fn in_progress() -> ItemStatus {
    example(r#"{
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
    example(r#"{
  "custom_questions_answered": true,
  "document_indexed": true,
  "is_ready": true,
  "pipeline_id": 2,
  "pipeline_item_id": 200001,
  "platform_entity_data_ready": true
}"#)
}
