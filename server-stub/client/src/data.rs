//! The records of the server.

use reqwest::Method;
use serde::Serialize;
use serde_json::Value;

use crate::client::EmulatorClient;
use crate::error::Error;

/// The ids of records to remove. What cannot exist without them is removed too: the products and items of an
/// organization, and the items of a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Removal {
    /// Organizations.
    pub organizations: Vec<i64>,
    /// Products.
    pub products: Vec<i64>,
    /// Pipelines.
    pub pipelines: Vec<i64>,
    /// Items.
    pub items: Vec<i64>,
}

impl EmulatorClient {
    /// Replaces all data by a document as `--data` reads it (`--data-schema` prints its JSON Schema). A reset goes back
    /// to it from now on.
    ///
    /// # Errors
    /// [`Error::Rejected`] with the place and the reason of each fault.
    pub async fn replace_data(&self, data: &Value) -> Result<(), Error> {
        self.done(self.request(Method::PUT, "/data").json(data)).await
    }

    /// Changes or adds some records: each replaces the one with the same id, an API key the one with the same name. A
    /// reset goes back to the changed data from now on.
    ///
    /// # Errors
    /// [`Error::Rejected`] with the place and the reason of each fault.
    pub async fn change_data(&self, changes: &Value) -> Result<(), Error> {
        self.done(self.request(Method::PATCH, "/data").json(changes)).await
    }

    /// Removes some records. A reset goes back to the remaining data from now on.
    ///
    /// # Errors
    /// [`Error::Rejected`] with the records that do not exist; then nothing is removed.
    pub async fn remove_data(&self, removal: &Removal) -> Result<(), Error> {
        self.done(self.request(Method::POST, "/data/remove").json(removal))
            .await
    }
}
