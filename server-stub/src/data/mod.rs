//! The initial data of a platform: one JSON document of organizations, products, pipelines and API keys.
//!
//! [`Data`] is the document as it is written, [`Dataset`] the document checked and ready for use. An invalid document
//! is rejected as a whole, with the place and the reason of each fault.
//!
//! ```
//! use platform_server_stub::data::Dataset;
//!
//! let valid = r#"{"organizations": [{"organization_id": 1, "name": "Weaver", "description": "Weaves linen."}]}"#;
//! assert_eq!(Dataset::from_json(valid)?.organizations().count(), 1);
//!
//! let other = r#"{"products": [{"product_id": 1, "organization_id": 7, "name": "Sail", "description": "Red."}]}"#;
//! let error = Dataset::from_json(other).unwrap_err();
//! assert_eq!(error.to_string(), "products[0].organization_id: there is no organization 7");
//! # Ok::<_, platform_server_stub::data::DataError>(())
//! ```

mod change;
mod check;
mod dataset;
mod fault;
mod file;
mod fingerprint;
mod generate;
pub mod line;
mod lines;
pub(crate) mod meaning;
mod pipeline;
mod read;
mod removal;
mod stored;
mod strict;
mod write;

use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;

pub use self::dataset::Dataset;
pub use self::fault::{DataError, Fault, Faults};
pub use self::file::FileError;
pub use self::pipeline::{PipelineData, StatedItem, StatedValue};
use self::read::read_document;
pub use self::removal::Removal;
pub(crate) use self::strict::Strict;
pub use self::write::LineWriter;
use crate::model::organization::Organization;
use crate::model::policy::ApiKey;
use crate::model::product::Product;

/// The document. A list that is left out is empty; without `api_keys` the built-in keys apply.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The organizations that can be found.
    #[serde(default)]
    pub organizations: Vec<Organization>,
    /// The products that can be found.
    #[serde(default)]
    pub products: Vec<Product>,
    /// The pipelines with their items.
    #[serde(default)]
    pub pipelines: Vec<PipelineData>,
    /// The API keys of the platform.
    #[serde(default)]
    pub api_keys: Option<Vec<ApiKey>>,
}

impl Data {
    /// Reads a document. A [`Dataset`] made from it checks whether its parts fit together.
    ///
    /// # Errors
    /// [`DataError::Unreadable`] if the text is not JSON, does not have the document's form, or has U+0000 in a text.
    pub fn from_json(text: &str) -> Result<Self, DataError> {
        // Some editors begin every file with a byte order mark.
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if let Some(place) = find_nul(text) {
            let line = 1 + text[..place].matches('\n').count();
            let mut faults = Faults::default();
            faults.add(format!("line {line}"), "\\u0000 cannot be in a text");
            return Err(DataError::Unreadable(faults));
        }
        read_document(text)
    }

    /// The JSON Schema of the document.
    pub fn json_schema() -> Schema {
        schema_for!(Self)
    }
}

/// Finds the character U+0000 in JSON, which few databases can hold. It can only be written as an escape.
fn find_nul(text: &str) -> Option<usize> {
    // Few texts have an escape at all, and checking for that first is faster.
    if !text.as_bytes().contains(&b'\\') {
        return None;
    }
    let places = text.match_indices("\\u0000").map(|(place, _)| place);
    let is_escape = |place: &usize| {
        let before = text[..*place].bytes().rev();
        before.take_while(|byte| *byte == b'\\').count() % 2 == 0
    };
    places.into_iter().find(is_escape)
}
