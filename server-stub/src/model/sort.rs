//! The order of a pipeline's items.

use std::cmp::Ordering;
use std::sync::Arc;

use super::column::ColumnId;
use super::ids::QuestionId;
use super::item::Item;
use super::value::Scalar;

/// Which way a list runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SortOrder {
    /// From the least to the greatest.
    #[default]
    Ascending,
    /// From the greatest to the least.
    Descending,
}

/// By what, and which way, the items of a pipeline are ordered.
///
/// With a question, items go by the first value of its result: numbers numerically, then texts by code
/// point, then booleans, false before true. Items without a value come last, and ties go by item id
/// ascending, both whichever way the list runs. Without a question, items go by their ids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ItemOrder {
    /// The question whose answers are compared; the item ids when none is named.
    pub sort_by: Option<QuestionId>,
    /// Which way the list runs.
    pub sort_order: SortOrder,
}

impl ItemOrder {
    /// Puts items into this order.
    pub fn sort(self, items: &mut [Arc<Item>]) {
        match self.sort_by.map(ColumnId::Question) {
            Some(column) => items.sort_by(|a, b| {
                self.compare_values(first_value(a, &column), first_value(b, &column))
                    .then_with(|| a.pipeline_item_id.cmp(&b.pipeline_item_id))
            }),
            None => items.sort_by(|a, b| self.directed(a.pipeline_item_id.cmp(&b.pipeline_item_id))),
        }
    }

    fn compare_values(self, a: Option<&Scalar>, b: Option<&Scalar>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) => self.directed(compare_scalars(a, b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        }
    }

    fn directed(self, ascending: Ordering) -> Ordering {
        match self.sort_order {
            SortOrder::Ascending => ascending,
            SortOrder::Descending => ascending.reverse(),
        }
    }
}

fn first_value<'a>(item: &'a Item, column: &ColumnId) -> Option<&'a Scalar> {
    item.values.get(column)?.result.first()
}

fn compare_scalars(a: &Scalar, b: &Scalar) -> Ordering {
    match (a, b) {
        // JSON numbers are finite, so that they can always be compared.
        (Scalar::Number(a), Scalar::Number(b)) => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
        // UTF-8 is ordered as its code points are.
        (Scalar::Text(a), Scalar::Text(b)) => a.cmp(b),
        (Scalar::Boolean(a), Scalar::Boolean(b)) => a.cmp(b),
        _ => kind(a).cmp(&kind(b)),
    }
}

fn kind(scalar: &Scalar) -> u8 {
    match scalar {
        Scalar::Number(_) => 0,
        Scalar::Text(_) => 1,
        Scalar::Boolean(_) => 2,
    }
}
