//! What a platform begins with: one JSON document of organizations, products, pipelines and API keys.
//!
//! [`Data`] is the document as it is written, [`Dataset`] the same checked and made ready for use. A
//! document that is not sound is refused as a whole, with the place and the reason of what is wrong.
//!
//! ```
//! use platform_server_stub::data::Dataset;
//!
//! let sound = r#"{"organizations": [{"organization_id": 1, "name": "Weaver", "description": "Weaves linen."}]}"#;
//! assert_eq!(Dataset::from_json(sound)?.organizations().count(), 1);
//!
//! let unsound = r#"{"products": [{"product_id": 1, "organization_id": 7, "name": "Sail", "description": "A sail."}]}"#;
//! let error = Dataset::from_json(unsound).unwrap_err();
//! assert_eq!(error.to_string(), "products[0].organization_id: there is no organization 7");
//! # Ok::<_, platform_server_stub::data::DataError>(())
//! ```

mod check;
mod dataset;
pub(crate) mod meaning;
mod pipeline;
mod read;
mod stored;
mod strict;

use std::fmt;

use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;

pub use self::dataset::Dataset;
pub use self::pipeline::{PipelineData, StatedItem, StatedValue};
use self::read::read_document;
use crate::model::organization::Organization;
use crate::model::policy::ApiKey;
use crate::model::product::Product;

/// The document. A list that is left out is empty; without `api_keys` the built-in keys stand.
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
    /// The keys that open the platform.
    #[serde(default)]
    pub api_keys: Option<Vec<ApiKey>>,
}

impl Data {
    /// Reads a document. Whether its parts fit together is seen when it becomes a [`Dataset`].
    ///
    /// # Errors
    /// [`DataError::Unreadable`] when the text is not JSON, or not of the document's form, or has U+0000 in a text.
    pub fn from_json(text: &str) -> Result<Self, DataError> {
        // Some editors begin every file with a byte order mark.
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if let Some(place) = find_nul(text) {
            let line = 1 + text[..place].matches('\n').count();
            return Err(DataError::Unreadable(vec![Fault {
                place: format!("line {line}"),
                reason: "\\u0000 cannot be in a text".to_owned(),
            }]));
        }
        read_document(text)
    }

    /// The JSON Schema of the document.
    pub fn json_schema() -> Schema {
        schema_for!(Self)
    }
}

/// Where JSON has the character U+0000, which few databases can hold. It can only be written as an escape.
fn find_nul(text: &str) -> Option<usize> {
    let places = text.match_indices("\\u0000").map(|(place, _)| place);
    let is_escape = |place: &usize| {
        let before = text[..*place].bytes().rev();
        before.take_while(|byte| *byte == b'\\').count() % 2 == 0
    };
    places.into_iter().find(is_escape)
}

/// Why a document cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// It is not JSON, or not of the document's form; the first fault of each record, with its line and column. As a
    /// text the first 20, and how many more there are.
    #[error("{}", lines(.0))]
    Unreadable(Vec<Fault>),
    /// Its parts do not fit together; every fault that was found, in the order of the document. As a text
    /// the first 20, and how many more there are.
    #[error("{}", lines(.0))]
    Unsound(Vec<Fault>),
}

/// Something wrong in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, such as `organizations[3].metrics.employee_count`; `.` is the document itself.
    pub place: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// The most faults that the text of an error lists.
const LINES_MAX: usize = 20;

fn lines(faults: &[Fault]) -> String {
    let mut lines: Vec<_> = faults
        .iter()
        .take(LINES_MAX)
        .map(Fault::to_string)
        .collect();
    if faults.len() > LINES_MAX {
        lines.push(format!("and {} more", faults.len() - LINES_MAX));
    }
    lines.join("\n")
}
