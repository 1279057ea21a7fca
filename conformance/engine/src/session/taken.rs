//! Organizations that others add to a pipeline during a run, before a case of the run adds them.

use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::session::observed::items;
use crate::session::probe::Probe;
use crate::transport::request::{Body, Request};
use crate::transport::response::HttpResponse;
use crate::verdict::{Outcome, Stop};

/// How many organizations of a run others may have taken. A deployment that adds an organization and responds with a
/// 409 does so more often.
const MOST: usize = 2;

impl Probe {
    /// Counts a request that adds an organization of this case. Returns the organization.
    pub(super) fn count_addition(&self, request: &Request) -> Option<u64> {
        let Some(Body::Text(text)) = &request.body else {
            return None;
        };
        let body: Value = serde_json::from_str(text).ok().filter(|_| !request.only_reads())?;
        let organization = body["organization_id"].as_u64()?;
        *self.additions.lock().get_mut(&organization)? += 1;
        Some(organization)
    }

    /// Ends the case if others have added its organization to the pipeline: its first request for it got a 409, and the
    /// organization is there. Then the response is right, and shows nothing of an addition.
    ///
    /// # Errors
    /// When it ends the case.
    pub(super) async fn end_if_taken(&self, pipeline_id: u64, organization: u64, response: &HttpResponse) -> Outcome {
        let is_first = || self.additions.lock().get(&organization) == Some(&1);
        if response.status != 409 || !is_first() || !self.is_there(pipeline_id, organization).await {
            return Ok(());
        }
        if self.shared.taken.fetch_add(1, Ordering::Relaxed) >= MOST {
            return Ok(());
        }
        let text = format!("others added the organization {organization} to the pipeline before this case could");
        self.shared.client.note_change(&text);
        Err(Stop::Inconclusive(text))
    }

    /// Whether an organization is among the newest items of a pipeline.
    async fn is_there(&self, pipeline_id: u64, organization: u64) -> bool {
        let limit = self.contract().operation("list_items").parameter("limit");
        let newest = self.paid_as_second_look().call("list_items");
        let newest = newest.path("pipeline_id", pipeline_id).query("sort_order", "desc");
        let page = Box::pin(newest.query("limit", limit.number("maximum")).send()).await;
        page.is_ok_and(|page| items(&page).iter().any(|item| item["organization_id"] == organization))
    }
}
