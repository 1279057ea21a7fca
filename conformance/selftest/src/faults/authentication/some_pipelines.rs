//! A key for some pipelines that may do more, or less. Part of the family `auth`.

use serde_json::json;

use super::{for_key, lets_in};
use crate::fault::Fault;
use crate::witness::{add, get};

/// A key that reads pipelines 2, 4 and 5 and adds to 5.
const SOME_PIPELINES: &str = "dev-some-pipelines";

pub(super) fn faults() -> Vec<Fault> {
    vec![
        lets_in(
            SOME_PIPELINES,
            "team-reads-every-status",
            "get_item_status",
            "A key for some pipelines reads the status of items of any.",
            get("/api/v1/pipelines/3/items/300001/status"),
            |asked| asked.calls("get_item_status"),
        ),
        lets_in(
            SOME_PIPELINES,
            "team-lists-any-pipeline-in-descending-order",
            "list_items",
            "A key for some pipelines lists the items of any, if the list is sorted in descending order.",
            get("/api/v1/pipelines/1/items?sort_by=question.101&sort_order=desc"),
            |asked| asked.calls("list_items") && asked.parameter("sort_order") == Some("desc"),
        ),
        lets_in(
            SOME_PIPELINES,
            "team-adds-to-what-it-reads",
            "add_organization",
            "A key that reads some pipelines and adds to one of them adds to all of them.",
            add(2, r#"{"organization_id": 1002}"#),
            |asked| asked.calls("add_organization") && asked.segment(3) == "2",
        ),
        for_key(
            SOME_PIPELINES,
            "team-sees-no-references",
            "get_item_values",
            "A key for some pipelines sees no references in the values of items of pipeline 5.",
            get("/api/v1/pipelines/5/items/500001/values"),
            |body| {
                if body["pipeline_id"] == 5 {
                    for (_, entry) in body["values"].as_object_mut().into_iter().flatten() {
                        entry["references"] = json!([]);
                    }
                }
            },
        ),
    ]
}
