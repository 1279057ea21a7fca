//! What columns of entity data hold where their names are the deployment's own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::is_same;
use crate::column_values::sole_value;
use crate::sample::{entity_columns, listings};
use engine::session::Probe;
use engine::session::observed::item_id;
use engine::session::search_form::{Path, at, leaves};
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;

/// The fewest items that show what a column holds, and the fewest values that they have in it.
const ITEMS: usize = 8;
const VALUES: usize = 4;
/// The limit on items that are compared for it.
const MOST: usize = 200;
/// The fewest columns that show whose data an item has: one value may be older than the record, unless it is a text of
/// a field in which no two records agree.
const FEWEST: usize = 2;

/// The fewest records that show that a field tells all apart: in a few, numbers and places differ by chance.
const TOLD_APART: usize = 30;

/// The field of an organization that each column holds, as nearly all items show it. Empty at the level `contract`,
/// where names decide.
#[derive(Default)]
pub(crate) struct Learned {
    fields: BTreeMap<String, Path>,
    /// The columns of fields in which no two records agree.
    telling: BTreeSet<String>,
}

impl Learned {
    pub(crate) async fn of(probe: &Probe, records: &BTreeMap<i64, Value>) -> Result<Self, Stop> {
        let mut learned = Self::default();
        if !probe.searches_have_any_form() {
            return Ok(learned);
        }
        let listings = listings(probe).await?;
        let mut seen = BTreeMap::<&str, Vec<(&Value, &Value)>>::new();
        for item in listings.iter().flat_map(|listing| &listing.items) {
            let Some(record) = record_of(item, records) else {
                continue;
            };
            for column in entity_columns(item) {
                if let Some(value) = sole_value(item, column) {
                    seen.entry(column).or_default().push((record, value));
                }
            }
        }
        for (column, mut pairs) in seen {
            pairs.truncate(MOST);
            let values: BTreeSet<_> = pairs.iter().map(|(_, value)| value.to_string()).collect();
            if pairs.len() >= ITEMS
                && values.len() >= VALUES
                && let Some(field) = common_field(&pairs)
            {
                if tells_apart(&field, records) {
                    learned.telling.insert(column.to_owned());
                }
                learned.fields.insert(column.to_owned(), field);
            }
        }
        Ok(learned)
    }

    /// Whether enough columns hold something that this record has.
    pub(crate) fn can_tell(&self, record: &Value) -> bool {
        let known = self.fields.values().filter(|field| is_there(record, field));
        known.count() >= FEWEST
    }

    /// Asserts that an item does not have the data of another organization: most of its values differ from those of its
    /// own, and one other has all of these. Returns whether its data can be compared.
    pub(crate) fn assert_own(
        &self,
        probe: &Probe,
        item: &Value,
        records: &BTreeMap<i64, Value>,
        evidence: &[&HttpResponse],
    ) -> bool {
        let Some(own) = record_of(item, records) else {
            return false;
        };
        let shown = self
            .fields
            .iter()
            .filter_map(|(column, field)| Some((column, field, sole_value(item, column)?)));
        let shown: Vec<_> = shown.filter(|(_, field, _)| is_there(own, field)).collect();
        let has = |record: &Value, (_, field, value): &(&String, &Path, &Value)| is_same(at(record, field), value);
        let differing: Vec<_> = shown.iter().filter(|shown| !has(own, shown)).collect();
        let telling = differing.iter().find(|(column, ..)| self.telling.contains(*column));
        if shown.len() < FEWEST && telling.is_none() {
            return false;
        }
        let is_most = differing.len() >= FEWEST && differing.len() * 2 > shown.len();
        let other = records.iter().find(|(_, record)| {
            let is_of = is_most && differing.iter().all(|shown| has(record, shown));
            is_of || telling.is_some_and(|shown| has(record, shown))
        });
        probe.assert_as(
            Some(BTreeSet::new()),
            other.is_none(),
            &format!("the entity data of item {}", item_id(item)),
            format!("that of the organization {}", item["organization_id"]),
            other.map_or_else(String::new, |(id, _)| format!("that of the organization {id}")),
            evidence,
        );
        true
    }
}

/// What a search shows of the organization of an item.
fn record_of<'a>(item: &Value, records: &'a BTreeMap<i64, Value>) -> Option<&'a Value> {
    records.get(&item["organization_id"].as_i64()?)
}

fn is_there(record: &Value, field: &Path) -> bool {
    !at(record, field).is_null()
}

/// The field that has the value of the item in nine of ten records.
fn common_field(pairs: &[(&Value, &Value)]) -> Option<Path> {
    let mut times = BTreeMap::<Path, usize>::new();
    for (record, value) in pairs {
        for (field, _) in leaves(record).into_iter().filter(|(_, known)| is_same(known, value)) {
            *times.entry(field).or_default() += 1;
        }
    }
    let (field, most) = times.into_iter().max_by_key(|(_, times)| *times)?;
    (most * 10 >= pairs.len() * 9).then_some(field)
}

/// Whether a field has a text of its own in each of many records, as a name or a domain has.
fn tells_apart(field: &Path, records: &BTreeMap<i64, Value>) -> bool {
    let values = records.values().map(|record| at(record, field));
    let values: Vec<_> = values.filter(|value| !value.is_null()).collect();
    let texts: BTreeSet<_> = values.iter().filter_map(|value| value.as_str()).collect();
    texts.len() >= TOLD_APART && texts.len() == values.len()
}
