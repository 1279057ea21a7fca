//! A data file of lines: a header, then one record per line.
//!
//! ```text
//! {"format":"platform-data","version":1}
//! {"organization":{"record":{"organization_id":1,"name":"Weaver","description":"Weaves linen."}}}
//! {"product":{"record":{"product_id":1,"organization_id":1,"name":"Sail","description":"A sail."}}}
//! {"pipeline":{"pipeline_id":1,"name":"Prospects"}}
//! {"item":{"pipeline_id":1,"record":{"pipeline_item_id":1,"organization_id":1}}}
//! ```
//!
//! Organizations come first, then products, pipelines and items. API keys may be anywhere.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{PipelineData, StatedItem};
use crate::model::ids::PipelineId;
use crate::model::organization::Organization;
use crate::model::policy::ApiKey;
use crate::model::product::Product;
use crate::model::search::Meaning;
use platform_embedding::vector::{DIMENSIONS, Vector};

/// The name of the format in the header.
pub const FORMAT: &str = "platform-data";

/// The version of the format that is read and written.
pub const VERSION: u32 = 1;

/// The first line, which is needed to read the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Always `platform-data`.
    pub format: String,
    /// Version of the format, at present 1.
    pub version: u32,
    /// The encoder that made the stored vectors; required if there are any. Vectors from an encoder other than the
    /// server's are ignored and computed again from the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<String>,
    /// Whether the last line is an `end`, so that a truncated file is noticed.
    #[serde(default)]
    pub has_end: bool,
}

/// A line after the header.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// An organization that can be found.
    Organization(Box<Described<Organization>>),
    /// A product that can be found. Its organization comes earlier in the file.
    Product(Box<Described<Product>>),
    /// A pipeline. Its items are separate lines.
    Pipeline(PipelineData),
    /// An item. Its pipeline comes earlier in the file.
    Item(ItemLine),
    /// An API key. Without such a line the built-in keys apply. Keys are never written.
    #[serde(skip_serializing)]
    ApiKey(ApiKey),
    /// The end of the file.
    End(End),
}

/// A record with the vectors of its texts. Missing vectors are computed when the file is read.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described<T> {
    /// The record.
    pub record: T,
    /// The vector of its offer: of its name and description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<StoredVector>,
    /// The vector of its customer base; present if both `offer` and a customer base are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customers: Option<StoredVector>,
}

impl<T> Described<T> {
    /// A record with its vectors.
    pub fn new(record: T, meaning: Meaning) -> Self {
        Self {
            record,
            offer: Some(StoredVector(meaning.offer)),
            customers: meaning.customers.map(StoredVector),
        }
    }
}

/// An item and its pipeline.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemLine {
    /// The pipeline of the item.
    pub pipeline_id: PipelineId,
    /// The item.
    pub record: StatedItem,
}

/// The end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Number of records in the file: all lines except the header and this one.
    pub records: u64,
}

/// A vector as base64 of its 256 components, one byte each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVector(pub Vector);

impl Serialize for StoredVector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.0.as_bytes()))
    }
}

impl<'de> Deserialize<'de> for StoredVector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64).map(Self)
    }
}

struct Base64;

impl Visitor<'_> for Base64 {
    type Value = Vector;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("256 components from -127 to 127 in base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vector, E> {
        // Slightly more than fits, because the decoder requires it.
        let mut bytes = [0; DIMENSIONS + 2];
        let length = STANDARD.decode_slice(text, &mut bytes);
        let components = bytes[..DIMENSIONS].as_array::<DIMENSIONS>();
        match (length, components) {
            (Ok(DIMENSIONS), Some(components)) if !components.contains(&0x80) => {
                Ok(Vector::new(components.map(u8::cast_signed)))
            }
            _ => Err(E::custom("a vector is 256 components from -127 to 127 in base64")),
        }
    }
}
