// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

use crate::mock::json::example;
use crate::types::ItemPage;

/// One item of twelve.
///
/// Its `total_count` is not the number of its items. Walks need a page where these agree: use [`of`].
pub fn first_page() -> ItemPage {
    example(r#"{
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
///
/// Its `total_count` is not the number of its items. Walks need a page where these agree: use [`of`].
pub fn past_the_end() -> ItemPage {
    example(r#"{
  "items": [],
  "pipeline_id": 2,
  "total_count": 12
}"#)
}

/// Returns a page with these items only. Its `total_count` is their number.
///
/// ```
/// let page = platform_sdk::mock::examples::item_page::of([]);
/// assert_eq!(page.total_count, 0);
/// ```
pub fn of(items: impl IntoIterator<Item = crate::types::PipelineItem>) -> ItemPage {
    let mut page = first_page();
    page.items = items.into_iter().collect();
    page.total_count = page.items.len() as i64;
    page
}
