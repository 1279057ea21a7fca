//! A case about the entity data of a new item.

use std::collections::BTreeMap;

use serde_json::Value;

use super::ready::{BETWEEN_LATER_LOOKS, item_of};
use super::{add_one, added, adding};
use crate::entity::{Learned, Records, field, is_same, organizations, pages, values};
use crate::sample::entity_columns;
use engine::case::Case;
use engine::session::Probe;
use engine::verdict::Outcome;
use platform_contract::Contract;

/// The limit on reads of the new item until it has entity data.
const LOOKS: u64 = 10;
/// The fewest columns that show whose data an item has: one value may be older than the record.
const FEWEST: usize = 2;

pub(super) fn case(contract: &Contract) -> Case {
    adding(
        contract,
        "entity-data-is-of-its-organization",
        "The entity data of a new item is not that of another organization",
        "/components/schemas/Values",
    )
    .quote("such as organization.metrics.employee_count")
    .on(["get_item_values"])
    .point("entity-column-names")
    .walks(200)
    .adds(2)
    .writes(2)
    .sends(4 + LOOKS + pages(contract))
    .check(is_of_its_organization)
}

/// Adds two organizations one after the other, and reads the second item until it has entity data.
async fn is_of_its_organization(probe: Probe) -> Outcome {
    let Records { by_id, page } = organizations(&probe).await?;
    let learned = Learned::of(&probe, &by_id).await?;
    let (_, first) = added(&probe).await?;
    let record = |organization: u64| by_id.get(&i64::try_from(organization).ok()?);
    let is_telling = |organization| {
        record(organization).is_some_and(|own| {
            let columns = entity_columns(&first.body);
            let known = columns.iter().filter(|column| is_known(own, column));
            learned.can_tell(own) || known.count() >= FEWEST
        })
    };
    let organization = probe.organization_to_add_among(is_telling)?;
    let response = probe.ok(add_one(&probe, organization)?.send().await?)?;
    let item = item_of(&probe, &response.body)?;
    if let Some(own) = record(organization).filter(|_| is_telling(organization)) {
        for _ in 0..LOOKS {
            let now = item.values(&probe).await?;
            if learned.assert_own(&probe, &now.body, &by_id, &[&response, &now, &page]) {
                return Ok(());
            }
            let shown = comparable(own, &now.body);
            if shown.len() >= FEWEST {
                let other = other_with(&shown, own, &by_id);
                probe.assert(
                    other.is_none(),
                    "the entity data of the new item",
                    format!("that of the organization {organization}"),
                    format!("that of the organization {}", other.unwrap_or(&Value::Null)),
                    &[&response, &now, &page],
                );
                return Ok(());
            }
            if probe.has_waited_in_vain() {
                break;
            }
            probe.sleep(BETWEEN_LATER_LOOKS).await?;
        }
        let status = item.status(&probe).await?;
        if status.body["platform_entity_data_ready"] == true {
            let now = item.values(&probe).await?;
            probe.assert(
                !comparable(own, &now.body).is_empty(),
                "the entity data of a new item for which it is available",
                format!("some of what a search shows of the organization {organization}"),
                "none of it",
                &[&status, &now, &page],
            );
        }
    }
    probe.inconclusive("a new item with entity data of an organization that a search shows")
}

/// The values of an item that a record has too.
fn comparable<'a>(own: &Value, item: &'a Value) -> Vec<(&'a str, &'a Value)> {
    values(item).filter(|(column, _)| is_known(own, column)).collect()
}

fn is_known(record: &Value, column: &str) -> bool {
    field(record, column).is_some_and(|field| !field.is_null())
}

/// The organization whose values an item has where they differ from its own, if most do.
fn other_with<'a>(shown: &[(&str, &Value)], own: &Value, records: &'a BTreeMap<i64, Value>) -> Option<&'a Value> {
    let has = |record: &Value, (column, value): (&str, &Value)| {
        field(record, column).is_some_and(|field| is_same(field, value))
    };
    let differing: Vec<_> = shown.iter().filter(|shown| !has(own, **shown)).collect();
    let is_most = differing.len() >= FEWEST && differing.len() * 2 > shown.len();
    let is_of = |record: &&Value| differing.iter().all(|shown| has(record, **shown));
    let other = records.values().find(is_of).filter(|_| is_most)?;
    Some(&other["organization_id"])
}
