//! One call, compared to the same call with bare `reqwest` and `serde_json` into the same structs.

use std::time::Duration;

use platform_sdk::Client;
use platform_sdk::reqwest::header::{ACCEPT, HeaderValue};
use platform_sdk::reqwest::{self, RequestBuilder};
use platform_sdk::types::{ItemPage, ItemStatus};
use tokio::runtime::{Builder, Runtime};

use crate::Failure;
use crate::pair::Pair;

pub(crate) const KEY: &str = "dev-full-access";

/// Both clients. They do all their work on the thread that makes the call.
pub(crate) struct Calls {
    pub(crate) runtime: Runtime,
    base_url: String,
    sdk: Client,
    bare: reqwest::Client,
}

impl Calls {
    pub(crate) fn start(base_url: &str) -> Result<Self, Failure> {
        Ok(Self {
            runtime: Builder::new_current_thread().enable_all().build()?,
            sdk: Client::builder().base_url(base_url).api_key(KEY).build()?,
            bare: reqwest::Client::builder()
                .no_proxy()
                .user_agent("platform-sdk/0.1.0")
                .build()?,
            base_url: base_url.to_owned(),
        })
    }

    /// Builds a request with the SDK's headers. Only how it is built and how the response is read differ.
    fn bare_get(&self, url: String) -> RequestBuilder {
        let request = self.bare.get(url).header("API-Key", KEY);
        request.header(ACCEPT, HeaderValue::from_static("application/json"))
    }

    /// The small response.
    pub(crate) fn sdk_status(&self) -> Result<ItemStatus, Failure> {
        let request = self.sdk.get_item_status();
        let request = request.pipeline_id(1).pipeline_item_id(1);
        Ok(self.runtime.block_on(request.send())?.into_inner())
    }

    pub(crate) fn bare_status(&self) -> Result<ItemStatus, Failure> {
        let url = format!("{}/api/v1/pipelines/{}/items/{}/status", self.base_url, 1, 1);
        self.runtime.block_on(async {
            let request = self.bare_get(url);
            let request = request.timeout(Duration::from_secs(5));
            Ok(request.send().await?.error_for_status()?.json().await?)
        })
    }

    /// A page of 100 items.
    pub(crate) fn sdk_page(&self) -> Result<ItemPage, Failure> {
        let request = self.sdk.list_items().pipeline_id(1).limit(100);
        Ok(self.runtime.block_on(request.send())?.into_inner())
    }

    pub(crate) fn bare_page(&self) -> Result<ItemPage, Failure> {
        let url = format!("{}/api/v1/pipelines/{}/items", self.base_url, 1);
        self.runtime.block_on(async {
            let request = self.bare_get(url);
            let request = request.query(&[("limit", 100)]);
            let request = request.timeout(Duration::from_secs(15));
            Ok(request.send().await?.error_for_status()?.json().await?)
        })
    }
}

/// The calls to compare.
pub(crate) fn pairs(calls: &Calls) -> Vec<Pair<'_>> {
    vec![
        Pair {
            name: "status over bare reqwest",
            counted: 200,
            ours: Box::new(|| calls.sdk_status().map(drop)),
            peer: Box::new(|| calls.bare_status().map(drop)),
        },
        Pair {
            name: "page of 100 items over bare reqwest",
            counted: 20,
            ours: Box::new(|| calls.sdk_page().map(drop)),
            peer: Box::new(|| calls.bare_page().map(drop)),
        },
    ]
}
