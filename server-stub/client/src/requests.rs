//! The requests that the platform received.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::client::EmulatorClient;
use crate::error::Error;
use crate::faults::FaultId;
use crate::operation::Operation;

/// A request to the platform. API keys in it are replaced by `***`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRequest {
    /// Counted from 1, in the order in which requests came.
    pub number: u64,
    /// When it came, by the clock of the server.
    pub at: DateTime<Utc>,
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its query, as it was sent.
    pub query: Option<String>,
    /// Its body as far as it was read; `None` if there is none, or one of more than 4,096 bytes.
    pub body: Option<String>,
    /// The id that its response carries.
    pub request_id: Option<String>,
    /// The operation of the contract that it is for; `None` if the contract has none with this method and path.
    pub operation: Option<Operation>,
    /// The line of the operation in openapi.yaml.
    pub contract_line: Option<u64>,
    /// The fault that was injected.
    pub fault: Option<FaultId>,
    /// Its response; `None` while there is none, and for ever if the connection was reset or the client left.
    pub response: Option<RecordedResponse>,
}

/// A response, and what the contract says about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedResponse {
    /// Its status.
    pub status: u16,
    /// Its problem code; `None` unless it is an error with a body of the contract.
    pub code: Option<String>,
    /// The name of the caller's key; `None` if the key was not known, or was not checked.
    pub key: Option<String>,
    /// How the request violates the contract, one sentence for each violation; filled for `validation_failed`.
    pub violations: Vec<String>,
    /// Whether the contract declares this status for the operation.
    pub is_declared: bool,
    /// Whether the contract lets a client send the same request again after this status.
    pub is_retryable: bool,
}

/// What requests to find: those that have everything that is given.
///
/// ```
/// use platform_emulator_client::{Operation, RequestFilter};
///
/// let failed = RequestFilter {
///     operation: Some(Operation::AddOrganization),
///     status: Some(503),
///     ..RequestFilter::default()
/// };
/// # let _ = failed;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RequestFilter {
    /// For this operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// With this method, in upper case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// With this path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// With this response status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// With this problem code in the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// By the key of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Later than the request of this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_number: Option<u64>,
}

#[derive(Deserialize)]
struct List {
    requests: Vec<RecordedRequest>,
}

impl EmulatorClient {
    /// The last 1,000 requests to the platform, the oldest first. Requests to the controls are not among them.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn list_requests(&self) -> Result<Vec<RecordedRequest>, Error> {
        let list: List = self.get("/requests").await?;
        Ok(list.requests)
    }

    /// Finds requests among the last 1,000, the oldest first.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn find_requests(&self, filter: &RequestFilter) -> Result<Vec<RecordedRequest>, Error> {
        let list: List = self.post_json("/requests/find", filter).await?;
        Ok(list.requests)
    }

    /// Deletes the recorded requests. Their numbers go on.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn clear_requests(&self) -> Result<(), Error> {
        self.done(self.request(Method::DELETE, "/requests")).await
    }
}
