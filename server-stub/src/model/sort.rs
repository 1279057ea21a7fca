//! The order of a pipeline's items.

use std::cmp::Ordering;
use std::sync::Arc;

use super::column::ColumnId;
use super::ids::QuestionId;
use super::item::Item;
use super::value::Scalar;

/// The direction of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// From the least to the greatest.
    #[default]
    Ascending,
    /// From the greatest to the least.
    Descending,
}

/// The column and the direction by which the items of a pipeline are ordered.
///
/// With a question, items are ordered by the first value of its result: numbers numerically, then texts by code point,
/// then booleans, false before true. In both directions, items without a value come last, and ties are ordered by
/// ascending item id. Without a question, items are ordered by their ids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ItemOrder {
    /// The question whose answers are compared; if there is none, the item ids are.
    pub sort_by: Option<QuestionId>,
    /// The direction of the list.
    pub sort_order: SortOrder,
}

impl ItemOrder {
    /// Puts items into this order.
    pub fn sort(self, items: &mut [Arc<Item>]) {
        // The sort key of an item is looked up once.
        let mut keyed: Vec<_> = items.iter().map(|item| self.key(item)).collect();
        keyed.sort_unstable_by(|a, b| self.compare_keys(*a, *b));
        let sorted: Vec<_> = keyed.iter().map(|(_, item)| Arc::clone(item)).collect();
        for (place, item) in items.iter_mut().zip(sorted) {
            *place = item;
        }
    }

    /// Compares two items. The result is equal only for the same item, possibly before and after a change.
    pub fn compare(self, a: &Arc<Item>, b: &Arc<Item>) -> Ordering {
        self.compare_keys(self.key(a), self.key(b))
    }

    fn key(self, item: &Arc<Item>) -> (Option<&Scalar>, &Arc<Item>) {
        let column = self.sort_by.map(ColumnId::Question);
        (column.and_then(|column| first_value(item, &column)), item)
    }

    fn compare_keys(
        self,
        (a, a_item): (Option<&Scalar>, &Arc<Item>),
        (b, b_item): (Option<&Scalar>, &Arc<Item>),
    ) -> Ordering {
        let by_id = a_item.pipeline_item_id.cmp(&b_item.pipeline_item_id);
        match self.sort_by {
            Some(_) => self.compare_values(a, b).then(by_id),
            None => self.directed(by_id),
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
        // JSON numbers are finite, so they can always be compared.
        (Scalar::Number(a), Scalar::Number(b)) => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
        // UTF-8 sorts in the order of its code points.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::model::ids::{PipelineId, PipelineItemId};
    use crate::model::pipeline::EntityType;
    use crate::model::rendering::Rendering;
    use crate::model::value::{ColumnValue, ExecutionStatus, ValueCategory};

    fn question() -> QuestionId {
        QuestionId::new(1).unwrap()
    }

    /// An item whose question 1 has this result.
    fn item(id: i64, result: &[Scalar]) -> Arc<Item> {
        let value = ColumnValue {
            result: result.to_vec(),
            status: Some(ExecutionStatus::Completed),
            ..ColumnValue::pending_question(ValueCategory::Llm, None)
        };
        Arc::new(Item {
            pipeline_id: PipelineId::new(1).unwrap(),
            pipeline_item_id: PipelineItemId::new(id).unwrap(),
            entity_type: EntityType::Organization,
            organization_id: None,
            person_id: None,
            document_id: None,
            values: BTreeMap::from([(ColumnId::Question(question()), value)]).into(),
            document_indexed: true,
            platform_entity_data_ready: true,
            rendering: Rendering::default(),
        })
    }

    fn sorted(results: &[&[Scalar]], sort_order: SortOrder) -> Vec<i64> {
        let mut items: Vec<_> = (1..).zip(results).map(|(id, result)| item(id, result)).collect();
        ItemOrder {
            sort_by: Some(question()),
            sort_order,
        }
        .sort(&mut items);
        items.iter().map(|item| item.pipeline_item_id.get()).collect()
    }

    fn number(float: f64) -> Scalar {
        Scalar::Number(serde_json::Number::from_f64(float).unwrap())
    }

    #[test]
    fn numbers_sort_before_texts_before_booleans_before_missing_values() {
        let mixed: &[&[Scalar]] = &[
            &[],
            &[true.into()],
            &["b".into()],
            &[10u64.into()],
            &[false.into()],
            &["B".into()],
            &[number(9.5)],
        ];
        assert_eq!(sorted(mixed, SortOrder::Ascending), [7, 4, 6, 3, 5, 2, 1]);
        assert_eq!(sorted(mixed, SortOrder::Descending), [2, 5, 3, 6, 4, 7, 1]);
    }

    #[test]
    fn texts_are_sorted_by_code_point() {
        let texts: &[&[Scalar]] = &[
            &["\u{1F600}".into()],
            &["\u{FF5E}".into()],
            &["é".into()],
            &["z".into()],
        ];
        assert_eq!(sorted(texts, SortOrder::Ascending), [4, 3, 2, 1]);
    }

    #[test]
    fn numbers_are_sorted_by_value_in_every_notation() {
        let numbers: &[&[Scalar]] = &[
            &[10u64.into()],
            &[number(2.0)],
            &[2u64.into()],
            &[number(-0.0)],
            &[0u64.into()],
        ];
        assert_eq!(sorted(numbers, SortOrder::Ascending), [4, 5, 2, 3, 1]);
    }

    #[test]
    fn only_the_first_value_counts_and_ties_are_sorted_by_id_in_both_orders() {
        let ties: &[&[Scalar]] = &[
            &["a".into(), "z".into()],
            &["b".into()],
            &["a".into(), "b".into()],
            &["a".into()],
        ];
        assert_eq!(sorted(ties, SortOrder::Ascending), [1, 3, 4, 2]);
        assert_eq!(sorted(ties, SortOrder::Descending), [2, 1, 3, 4]);
    }

    #[test]
    fn items_without_a_sort_column_are_sorted_by_id() {
        let mut items = vec![item(2, &[]), item(3, &[]), item(1, &[])];
        let ids = |items: &[Arc<Item>]| items.iter().map(|item| item.pipeline_item_id.get()).collect::<Vec<_>>();
        ItemOrder {
            sort_by: None,
            sort_order: SortOrder::Descending,
        }
        .sort(&mut items);
        assert_eq!(ids(&items), [3, 2, 1]);
        ItemOrder::default().sort(&mut items);
        assert_eq!(ids(&items), [1, 2, 3]);
    }

    fn any_result() -> impl Strategy<Value = Vec<Scalar>> {
        let scalar = prop_oneof![
            (0u64..4).prop_map(Scalar::from),
            (-2.0..2.0).prop_map(number),
            "[abé]{0,2}".prop_map(Scalar::Text),
            any::<bool>().prop_map(Scalar::from),
        ];
        prop::collection::vec(scalar, 0..2)
    }

    proptest! {
        #[test]
        fn descending_mirrors_ascending_except_ties_and_missing_values(
            results in prop::collection::vec(any_result(), 0..20)
        ) {
            let results: Vec<&[Scalar]> = results.iter().map(Vec::as_slice).collect();
            let value = |id: &i64| results[usize::try_from(*id - 1).unwrap()].first();
            let ascending = sorted(&results, SortOrder::Ascending);
            let present = ascending.iter().take_while(|id| value(id).is_some()).count();
            let (present, missing) = ascending.split_at(present);
            prop_assert!(missing.iter().all(|id| value(id).is_none()));
            let are_tied = |a: &i64, b: &i64| {
                value(a).zip(value(b)).is_some_and(|(a, b)| compare_scalars(a, b).is_eq())
            };
            let mut ties: Vec<&[i64]> = present.chunk_by(are_tied).collect();
            ties.reverse();
            ties.push(missing);
            let expected = ties.concat();
            prop_assert_eq!(sorted(&results, SortOrder::Descending), expected);
        }
    }
}
