//! The values of an item, computed when they are first read.
//!
//! Most items of a data set are never read, and their values follow from the record of their organization.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::column::ColumnId;
use super::value::ColumnValue;

type Columns = BTreeMap<ColumnId, ColumnValue>;

/// The value of each column of an item.
pub struct Values(LazyLock<Columns, Box<dyn FnOnce() -> Columns + Send>>);

impl Values {
    /// Values that are computed when they are first read.
    pub fn later(compute: impl FnOnce() -> Columns + Send + 'static) -> Self {
        Self(LazyLock::new(Box::new(compute)))
    }
}

impl From<Columns> for Values {
    fn from(columns: Columns) -> Self {
        let values = Self::later(|| columns);
        LazyLock::force(&values.0);
        values
    }
}

impl Default for Values {
    fn default() -> Self {
        Columns::new().into()
    }
}

impl Deref for Values {
    type Target = Columns;

    fn deref(&self) -> &Columns {
        &self.0
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut Columns {
        &mut self.0
    }
}

impl<'a> IntoIterator for &'a Values {
    type Item = (&'a ColumnId, &'a ColumnValue);
    type IntoIter = btree_map::Iter<'a, ColumnId, ColumnValue>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Clone for Values {
    fn clone(&self) -> Self {
        (**self).clone().into()
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Columns::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::model::value::ValueCategory;

    #[test]
    fn values_are_computed_once_and_only_if_they_are_read() {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let columns = || BTreeMap::from([("question.1".parse().unwrap(), pending())]);
        let mut values = Values::later(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            columns()
        });
        assert_eq!(count.load(Ordering::Relaxed), 0);
        assert_eq!(values, Values::from(columns()));
        values.clear();
        assert_eq!((values.len(), values.clone().len()), (0, 0));
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn values_are_written_and_read_as_a_map() {
        let values = Values::from(BTreeMap::from([("question.1".parse().unwrap(), pending())]));
        let text = serde_json::to_string(&values).unwrap();
        assert_eq!(text, serde_json::to_string(&*values).unwrap());
        assert_eq!(serde_json::from_str::<Values>(&text).unwrap(), values);
    }

    fn pending() -> ColumnValue {
        ColumnValue::pending_question(ValueCategory::Llm, None)
    }
}
