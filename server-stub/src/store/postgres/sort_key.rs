//! The order of a list's values as bytes, so that the database orders them without knowing what they are.

use crate::model::value::Scalar;

/// How much of a value is in the index. PostgreSQL allows 2,704 bytes for an entry.
const INDEXED: usize = 1024;

/// A value in a form whose order, byte by byte, is that of [`ItemOrder`](crate::model::sort::ItemOrder).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SortKey {
    /// The part that the index holds.
    pub(super) key: Vec<u8>,
    /// What follows it in a long text; empty in all others.
    pub(super) rest: Vec<u8>,
}

impl SortKey {
    pub(super) fn of(scalar: &Scalar) -> Self {
        let mut key = match scalar {
            Scalar::Number(number) => {
                // JSON numbers are finite, and this gives a zero a single form.
                let number = number.as_f64().unwrap_or_default() + 0.0;
                let bits = number.to_bits();
                // Positive numbers in the order of their bits, above negative ones in the opposite order.
                let ordered = if number.is_sign_negative() {
                    !bits
                } else {
                    bits | 1 << 63
                };
                [&[1][..], &ordered.to_be_bytes()].concat()
            }
            // UTF-8 sorts in the order of its code points.
            Scalar::Text(text) => [&[2], text.as_bytes()].concat(),
            Scalar::Boolean(yes) => vec![3, u8::from(*yes)],
        };
        let rest = key.split_off(key.len().min(INDEXED));
        Self { key, rest }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::Number;

    use super::*;
    use crate::model::column::ColumnId;
    use crate::model::ids::{PipelineId, PipelineItemId, QuestionId};
    use crate::model::item::{Item, NewItem};
    use crate::model::sort::ItemOrder;
    use crate::model::value::{ColumnValue, ValueCategory};

    fn item(result: &Scalar, id: i64) -> Arc<Item> {
        let value = ColumnValue {
            result: vec![result.clone()],
            ..ColumnValue::pending_question(ValueCategory::Llm, None)
        };
        let new = NewItem {
            pipeline_id: PipelineId::new(1).unwrap(),
            organization_id: crate::model::ids::OrganizationId::new(1).unwrap(),
            values: BTreeMap::from([(ColumnId::Question(QuestionId::new(1).unwrap()), value)]),
            platform_entity_data_ready: true,
        };
        Arc::new(new.with_id(PipelineItemId::new(id).unwrap()))
    }

    fn any_scalar() -> impl Strategy<Value = Scalar> {
        let number = |float: f64| Scalar::Number(Number::from_f64(float).unwrap());
        let long = "x".repeat(INDEXED);
        prop_oneof![
            any::<i64>().prop_map(|whole| Scalar::Number(whole.into())),
            any::<u64>().prop_map(Scalar::from),
            prop::num::f64::NORMAL.prop_map(number),
            prop::sample::select(vec![0.0, -0.0, 0.5, -0.5, 2.0, -2.0, f64::MAX, f64::MIN]).prop_map(number),
            "\\PC{0,3}".prop_map(Scalar::Text),
            "[\u{0}ab\u{FF5E}\u{1F600}]{0,3}".prop_map(Scalar::Text),
            "[\u{0}ab]{0,2}".prop_map(move |tail| Scalar::Text(long.clone() + &tail)),
            any::<bool>().prop_map(Scalar::from),
        ]
    }

    proptest! {
        #[test]
        fn keys_are_in_the_order_of_their_values(a in any_scalar(), b in any_scalar()) {
            let order = ItemOrder { sort_by: Some(QuestionId::new(1).unwrap()), ..ItemOrder::default() };
            let expected = order.compare(&item(&a, 1), &item(&b, 1));
            prop_assert_eq!(SortKey::of(&a).cmp(&SortKey::of(&b)), expected);
        }

        #[test]
        fn index_can_hold_every_key(scalar in any_scalar()) {
            prop_assert!(SortKey::of(&scalar).key.len() <= INDEXED);
        }
    }
}
