//! Why a control was not used.

use reqwest::{Response, StatusCode};
use serde::Deserialize;

/// Why a control was not used. Nothing was changed, unless the connection was lost after the request had been sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The base URL is not an absolute URL.
    #[error("the base URL is not an absolute URL; use one such as http://127.0.0.1:8080")]
    BaseUrl,
    /// The server rejected the request.
    #[error("{detail}")]
    Rejected {
        /// The status of the response.
        status: StatusCode,
        /// What is wrong, and what to do.
        detail: String,
    },
    /// The response does not come from the controls: the server runs without `--admin`, or is another one.
    #[error("the server has no controls at this address (status {0}); start it with --admin")]
    NoControls(StatusCode),
    /// The response is not what this version of the client reads.
    #[error("the response cannot be read; use the client of the server's version")]
    Unexpected(#[source] serde_json::Error),
    /// There was no response.
    #[error("the server did not respond")]
    Connection(#[from] reqwest::Error),
}

#[derive(Deserialize)]
struct Problem {
    detail: String,
}

impl Error {
    pub(crate) async fn of(response: Response) -> Self {
        let status = response.status();
        // Without `--admin` the path is unknown to the contract, whose errors have a code.
        let is_of_contract = |value: &serde_json::Value| value.get("code").is_some();
        let body: Option<serde_json::Value> = response.json().await.ok();
        match body.filter(|body| !is_of_contract(body)).map(serde_json::from_value) {
            Some(Ok(Problem { detail })) => Self::Rejected { status, detail },
            _ => Self::NoControls(status),
        }
    }
}
