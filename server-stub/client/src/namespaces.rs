//! The namespaces of the server.

use reqwest::Method;
use serde::Deserialize;

use crate::client::{EmulatorClient, segment};
use crate::error::Error;

#[derive(Deserialize)]
struct List {
    namespaces: Vec<String>,
}

impl EmulatorClient {
    /// The names of the namespaces that are open, in order.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn list_namespaces(&self) -> Result<Vec<String>, Error> {
        let list: List = self.get("/namespaces").await?;
        Ok(list.namespaces)
    }

    /// Removes a namespace and all that is in it; returns false if there is none with this name. The next request that
    /// names it opens it again, as it was at the start.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn remove_namespace(&self, name: &str) -> Result<bool, Error> {
        let path = format!("/namespaces/{}", segment(name));
        self.done_if_found(self.request(Method::DELETE, &path)).await
    }
}
