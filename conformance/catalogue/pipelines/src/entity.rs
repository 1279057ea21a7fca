//! A case about columns of entity data: they hold what a search shows of the item's organization.

mod learned;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sample::listings;

pub(crate) use self::learned::Learned;
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::session::observed::item_id;
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The search that shows the organizations.
const SEARCH: &str = "search_organizations_by_description";
/// The prefix of the columns with fields of an organization.
const PREFIX: &str = "organization.";
/// Fields that tell organizations apart: the value of another organization is wrong even in a single item.
const OWN: [&str; 2] = ["organization.name", "organization.domain"];
/// A column is compared if this many items have a value in it.
const FEWEST: usize = 4;

/// The case. A value may be older than the record, so a column is wrong only if most items differ.
pub(crate) fn case(contract: &Contract) -> Case {
    Case::quoting(
        "item/entity-data-is-of-its-organization",
        "A column of entity data holds the field of the item's organization",
        "/components/schemas/Values",
        "such as organization.metrics.employee_count",
    )
    .on(["list_items", SEARCH])
    .needs([Need::Pipeline(ManyItems)])
    .point("entity-column-names")
    .walks(200)
    .sends(pages(contract) + 1)
    .check(of_its_organization)
}

/// The limit on the requests for all organizations.
pub(crate) fn pages(contract: &Contract) -> u64 {
    let limit = contract.operation(SEARCH).parameter("limit").number("maximum");
    (1_000 / limit.max(1)).unsigned_abs()
}

/// A value of a column, and the organization of its item.
struct Seen<'a> {
    item: i64,
    organization: i64,
    value: &'a Value,
}

async fn of_its_organization(probe: Probe) -> Outcome {
    let Records { by_id: records, page } = organizations(&probe).await?;
    let learned = Learned::of(&probe, &records).await?;
    let mut compared = 0;
    for listing in listings(&probe).await? {
        let Some(first) = listing.first_page() else {
            continue;
        };
        for item in &listing.items {
            compared += usize::from(learned.assert_own(&probe, item, &records, &[first, &page]));
        }
        let mut columns = BTreeMap::<&str, Vec<Seen<'_>>>::new();
        for item in &listing.items {
            let organization = item["organization_id"].as_i64().filter(|id| records.contains_key(id));
            for (column, value) in values(item) {
                if let Some(organization) = organization {
                    let seen = Seen {
                        item: item_id(item),
                        organization,
                        value,
                    };
                    columns.entry(column).or_default().push(seen);
                }
            }
        }
        for (column, seen) in columns {
            let own = |organization: i64| records.get(&organization).and_then(|record| field(record, column));
            let known = seen
                .iter()
                .filter(|seen| own(seen.organization).is_some_and(|own| !own.is_null()));
            let known: Vec<&Seen<'_>> = known.collect();
            let is_own = |seen: &Seen<'_>| own(seen.organization).is_some_and(|own| is_same(own, seen.value));
            let mut differs = known.iter().copied().filter(|seen| !is_own(seen));
            let is_most = differs.clone().count() * 2 > known.len() && known.len() >= FEWEST;
            let wrong = differs.find(|seen| {
                let has_another = || records.values().any(|record| field(record, column) == Some(seen.value));
                is_most || OWN.contains(&column) && has_another()
            });
            compared += usize::from(known.len() >= FEWEST);
            let shown = wrong.map_or_else(String::new, |seen| {
                let (id, own) = (seen.organization, own(seen.organization).cloned().unwrap_or_default());
                format!(
                    "item {} has {}, and its organization {id} has {own}",
                    seen.item, seen.value
                )
            });
            let what = format!("the values of {column}");
            let expected = "those of the organizations of the items";
            probe.assert(wrong.is_none(), &what, expected, shown, &[first, &page]);
        }
    }
    match compared {
        0 => probe.inconclusive("items with entity data of organizations that a search shows"),
        _ => Ok(()),
    }
}

/// The columns with fields of an organization, each with its first value.
pub(crate) fn values(item: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let entries = item["values"].as_object().into_iter().flatten();
    let entries = entries.filter(|(column, _)| column.starts_with(PREFIX));
    entries.filter_map(|(column, entry)| Some((column.as_str(), entry["result"].get(0)?)))
}

/// The field that a column names. `None` if the record has no such field, or no single one.
pub(crate) fn field<'a>(record: &'a Value, column: &str) -> Option<&'a Value> {
    let path = column.strip_prefix(PREFIX)?;
    let field = record.pointer(&format!("/{}", path.replace('.', "/")))?;
    (!field.is_object() && !field.is_array()).then_some(field)
}

pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// The organizations that a search shows.
pub(crate) struct Records {
    pub(crate) by_id: BTreeMap<i64, Value>,
    /// The first page of the search.
    pub(crate) page: HttpResponse,
}

/// Searches for all organizations that can be reached.
pub(crate) async fn organizations(probe: &Probe) -> Result<Records, Stop> {
    let limit = probe.contract().operation(SEARCH).parameter("limit").number("maximum");
    let mut records = BTreeMap::new();
    let mut first = None;
    for page in 0..1_000 / limit.max(1) {
        let call = probe.call(SEARCH).query("description", probe.known().wide_text(SEARCH));
        let mut response = probe.ok(call.query("limit", limit).query("skip", page * limit).send().await?)?;
        let found = response.take("results");
        let is_last = (found.len() as u64) < limit.unsigned_abs();
        let by_id = found
            .into_iter()
            .filter_map(|record| Some((record["organization_id"].as_i64()?, record)));
        records.extend(by_id);
        first.get_or_insert(response);
        if is_last {
            break;
        }
    }
    let lacking = || Stop::not_seen("a search that finds an organization");
    Ok(Records {
        by_id: records,
        page: first.ok_or_else(lacking)?,
    })
}
