//! Fields of a response that its type does not have.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Fields of a response that this version of the SDK does not know, unchanged.
///
/// They are serialized with the other fields, so a stored response stays complete. An empty value, which is
/// the normal case until the service adds fields, takes one pointer.
///
/// ```
/// use platform_sdk::types::Similarity;
///
/// let text = r#"{"cosine_distance":0.25,"rank":7}"#;
/// let similarity: Similarity = serde_json::from_str(text)?;
/// assert!(!similarity.unknown_fields.is_empty());
/// assert_eq!(similarity.unknown_fields.get("rank"), Some(&7.into()));
/// assert_eq!(serde_json::to_string(&similarity)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
// A page has tens of thousands of these, almost all of them empty. `Some` is never empty, so that two empty
// values are equal.
pub struct UnknownFields(Option<Box<Map<String, Value>>>);

impl UnknownFields {
    /// Returns whether there are no unknown fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the number of unknown fields.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |fields| fields.len())
    }

    /// Returns the value of the field with this name in the JSON.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// Returns all fields with their names in the JSON.
    ///
    /// ```
    /// use platform_sdk::types::Similarity;
    ///
    /// let similarity: Similarity = serde_json::from_str(r#"{"cosine_distance": 0.25, "rank": 7}"#)?;
    /// for (name, value) in similarity.unknown_fields.iter() {
    ///     assert_eq!((name, value), ("rank", &7.into()));
    /// }
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0
            .iter()
            .flat_map(|fields| fields.iter())
            .map(|(name, value)| (name.as_str(), value))
    }
}

impl fmt::Debug for UnknownFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for UnknownFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for UnknownFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = UnknownFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UnknownFields, A::Error> {
                let mut fields: Option<Box<Map<String, Value>>> = None;
                while let Some((name, value)) = map.next_entry()? {
                    fields.get_or_insert_default().insert(name, value);
                }
                Ok(UnknownFields(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}
