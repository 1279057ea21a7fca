//! Cases about ids of another kind: the id of an organization is not the id of an item.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::case::{Case, Need};
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::verdict::Outcome;
use platform_contract::{Contract, Operation};

/// The number of ids that are tried.
const TRIED: usize = 3;

pub(super) fn cases(contract: &Contract) -> impl Iterator<Item = Case> {
    let of_items = ["get_item_values", "get_item_status"].map(|id| contract.operation(id));
    of_items.into_iter().map(|operation| {
        Case::new(
            format!("error/organization-id-is-no-item/{}", operation.id),
            format!(
                "{}: The id of an item's organization is not taken for that of the item",
                operation.id
            ),
            operation.response_pointer(404),
        )
        .needs([Need::Pipeline(ManyItems)])
        .walks(200)
        .sends(TRIED as u64)
        .check_with(Arc::clone(operation), is_no_item)
    })
}

async fn is_no_item(probe: Probe, operation: Arc<Operation>) -> Outcome {
    let pipeline = probe.pipeline(ManyItems)?;
    let listing = probe.listing(pipeline, None, None).await?;
    let ids: BTreeSet<_> = listing.ids().into_iter().collect();
    let organizations = listing.items.iter().map(|item| &item["organization_id"]);
    let organizations: BTreeSet<_> = organizations.filter_map(serde_json::Value::as_i64).collect();
    let others: Vec<_> = organizations.difference(&ids).take(TRIED).collect();
    if others.is_empty() || !listing.complete {
        return probe.inconclusive("an item whose organization has an id that no item has");
    }
    for organization in others {
        let call = probe.call(&operation.id).path("pipeline_id", pipeline);
        let response = call.path("pipeline_item_id", organization).send().await?;
        // Another pipeline may have an item with this id.
        probe.assert(
            [404, 400].contains(&response.status),
            &format!("the response to the id {organization}, which is that of an organization"),
            "404, or 400 if another pipeline has such an item",
            response.summary(),
            &[&response],
        );
    }
    Ok(())
}
