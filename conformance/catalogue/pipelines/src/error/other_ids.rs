//! Cases about ids that no item has: those of organizations, and those next to the ids of items.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::case::{Case, Need};
use engine::session::Probe;
use engine::session::observed::{Listing, PIPELINES};
use engine::target::PipelineRole::ManyItems;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation};
use serde_json::Value;

/// The number of ids that are tried in each pipeline.
const TRIED: usize = 3;

pub(super) fn cases(contract: &Contract) -> impl Iterator<Item = Case> {
    let of_items = ["get_item_values", "get_item_status"].map(|id| contract.operation(id));
    of_items.into_iter().flat_map(|operation| {
        let case = |rule: &str, title: &str, ids: IdsOf| {
            Case::new(
                format!("error/{rule}/{}", operation.id),
                format!("{}: {title}", operation.id),
                operation.response_pointer(404),
            )
            .needs([Need::Pipeline(ManyItems)])
            .walks(200)
            .sends((2 * TRIED * PIPELINES) as u64)
            .check_with((Arc::clone(operation), ids), is_no_item)
        };
        [
            case(
                "organization-id-is-no-item",
                "The id of an item's organization is not taken for that of the item",
                IdsOf::Organizations,
            ),
            case(
                "id-between-items-is-no-item",
                "An id next to that of an item is not taken for it",
                IdsOf::Neighbours,
            ),
        ]
    })
}

/// Where the ids come from that no item has.
#[derive(Debug, Clone, Copy)]
enum IdsOf {
    Organizations,
    /// Just below and above the ids of items.
    Neighbours,
}

impl IdsOf {
    /// Those of them that are not among the ids of a list.
    fn others(self, listing: &Listing, ids: &BTreeSet<i64>) -> Vec<i64> {
        let others: BTreeSet<_> = match self {
            Self::Organizations => {
                let organizations = listing.items.iter().map(|item| &item["organization_id"]);
                organizations.filter_map(Value::as_i64).collect()
            }
            Self::Neighbours => ids.iter().flat_map(|id| [id - 1, id + 1]).collect(),
        };
        let greatest = Contract::bundled().greatest_id();
        let others = others.difference(ids).copied();
        let others: Vec<_> = others.filter(|id| (1..=greatest).contains(id)).collect();
        // From all over the list.
        let step = others.len().div_ceil(TRIED).max(1);
        others.into_iter().step_by(step).collect()
    }

    fn name(self) -> &'static str {
        match self {
            Self::Organizations => "which is that of an organization",
            Self::Neighbours => "which is next to that of an item",
        }
    }
}

async fn is_no_item(probe: Probe, (operation, of): (Arc<Operation>, IdsOf)) -> Outcome {
    let mut is_tried = false;
    for known in &probe.known().pipelines {
        let pipeline = known.pipeline_id;
        let listing = probe.listing(pipeline, None, None).await?;
        let ids: BTreeSet<_> = listing.ids().into_iter().collect();
        for id in of.others(&listing, &ids).into_iter().filter(|_| listing.complete) {
            let call = probe.call(&operation.id).path("pipeline_id", pipeline);
            let response = call.path("pipeline_item_id", id).send().await?;
            if response.status == 200 && has_changed(&probe, pipeline, &listing).await? {
                return probe.inconclusive("a list that stays as it is");
            }
            is_tried = true;
            // Another pipeline may have an item with this id.
            probe.assert(
                [404, 400].contains(&response.status),
                &format!("the response to the id {id}, {}", of.name()),
                "404, or 400 if another pipeline has such an item",
                response.summary(),
                &[&response],
            );
        }
    }
    match is_tried {
        true => Ok(()),
        false => probe.inconclusive(format!("an id that no item has, {}", of.name())),
    }
}

/// Whether items have been added to a pipeline or removed since its list was read.
async fn has_changed(probe: &Probe, pipeline: u64, listing: &Listing) -> Result<bool, Stop> {
    let list = probe.call("list_items").path("pipeline_id", pipeline).query("limit", 1);
    let now = probe.ok(list.send().await?)?;
    Ok(now.body["total_count"] != listing.items.len())
}
