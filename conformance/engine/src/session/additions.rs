//! How many items a case added to a pipeline. Items that others added meanwhile are not counted.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::session::call::Call;
use crate::session::observed::{item_id, items};
use crate::session::probe::Probe;
use crate::target::PipelineRole;
use crate::transport::request::Body;
use crate::transport::response::HttpResponse;
use crate::verdict::{Outcome, Stop};

impl Probe {
    /// Returns a page with the `total_count` of a pipeline and its newest item.
    ///
    /// # Errors
    /// Fails the case when the response is not a success.
    pub async fn count_items(&self, role: PipelineRole) -> Result<HttpResponse, Stop> {
        let call = self.list(role)?.query("limit", 1);
        self.ok(call.query("sort_order", "desc").send().await?)
    }

    /// Asserts that a pipeline has `added` items more than on the page `before`, a result of
    /// [`count_items`](Self::count_items). Only this case's own additions count: new items with an organization that
    /// none of its requests named were added by others.
    ///
    /// # Errors
    /// When a response is not a success, or a request fails.
    pub async fn assert_items_added(
        &self,
        role: PipelineRole,
        before: &HttpResponse,
        added: i64,
        evidence: Option<&HttpResponse>,
    ) -> Outcome {
        let (expected, after) = self.items_expected(role, before, added).await?;
        let evidence: Vec<_> = [before].into_iter().chain(evidence).chain([&after]).collect();
        self.assert_same(
            &format!("total_count after {}", described(added)),
            &Value::from(expected),
            after.at("/total_count"),
            &evidence,
        );
        Ok(())
    }

    /// Asserts that a pipeline has no more items than on the page `before` after additions that the source says are
    /// rejected. Otherwise as [`assert_items_added`](Self::assert_items_added).
    ///
    /// # Errors
    /// When a response is not a success, or a request fails.
    pub async fn assert_none_added(
        &self,
        role: PipelineRole,
        before: &HttpResponse,
        evidence: &HttpResponse,
    ) -> Outcome {
        let (expected, after) = self.items_expected(role, before, 0).await?;
        self.assert_as(
            Some(BTreeSet::new()),
            Value::from(expected) == *after.at("/total_count"),
            &format!("total_count after {}", described(0)),
            Value::from(expected),
            after.at("/total_count").to_string(),
            &[before, evidence, &after],
        );
        Ok(())
    }

    /// The number of items that a pipeline is expected to have, with those that others added, and its page.
    async fn items_expected(
        &self,
        role: PipelineRole,
        before: &HttpResponse,
        added: i64,
    ) -> Result<(Option<i64>, HttpResponse), Stop> {
        let mut after = self.count_items(role).await?;
        let was = total(before);
        let mut expected = was.map(|was| was + added);
        if let (Some(was), Some(is)) = (was, total(&after))
            && is > was + added
        {
            after = self.items_behind(role, was).await?;
            let others = self.added_by_others(before, &after);
            expected = Some(was + added + others);
        }
        Ok((expected, after))
    }

    /// Reads the items after the first `skip`, in the order of their ids.
    async fn items_behind(&self, role: PipelineRole, skip: i64) -> Result<HttpResponse, Stop> {
        let limit = self.contract().operation("list_items").parameter("limit");
        let call = self.list(role)?.query("skip", skip);
        self.ok(call.query("limit", limit.number("maximum")).send().await?)
    }

    /// Counts the items of a page that others added: they are newer than all earlier ones, and this case did not name
    /// their organization.
    fn added_by_others(&self, before: &HttpResponse, page: &HttpResponse) -> i64 {
        let newest = items(before).iter().map(item_id).max();
        let named = self.named.lock();
        let is_of_others = |item: &&Value| {
            let organization = item["organization_id"].as_u64();
            organization.is_some_and(|organization| !named.contains(&organization))
                && newest.is_none_or(|newest| item_id(item) > newest)
        };
        let others = items(page).iter().filter(is_of_others).count();
        if others > 0 {
            let text = format!("{others} items were added by others");
            self.shared.client.note_change(&text);
        }
        i64::try_from(others).unwrap_or(i64::MAX)
    }

    /// Remembers the numbers in a body: an item of one of these organizations may be this case's own.
    pub(super) fn remember_named(&self, body: Option<&Body>) {
        if let Some(Body::Text(text) | Body::Padded(text, _)) = body {
            self.named.lock().extend(numbers(text));
        }
    }

    fn list(&self, role: PipelineRole) -> Result<Call, Stop> {
        let call = self.call("list_items");
        Ok(call.path("pipeline_id", self.pipeline(role)?))
    }
}

fn total(page: &HttpResponse) -> Option<i64> {
    page.at("/total_count").as_i64()
}

fn described(added: i64) -> String {
    match added {
        0 => "requests that add nothing".to_owned(),
        1 => "an addition".to_owned(),
        added => format!("{added} additions"),
    }
}

/// The integers in a text.
fn numbers(text: &str) -> BTreeSet<u64> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_in_a_body_counts_as_an_organization() {
        let found = numbers(r#"[{"organization_id": 17, "x": "18"}, -19, 1e3]"#);
        assert_eq!(found, BTreeSet::from([1, 3, 17, 18, 19]));
    }
}
