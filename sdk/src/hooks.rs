//! What happens to every request on its way: the one place where behaviour enters the generated calls.

use progenitor_client::{ClientHooks, OperationInfo};
use reqwest::header::{HeaderName, USER_AGENT};
use reqwest::{Request, Response};

use crate::Client;
use crate::client::Inner;

const API_KEY: HeaderName = HeaderName::from_static("api-key");

// For `Client`, not for `&Client`: the defaults are implemented for the reference, and this precedes them.
impl ClientHooks<Inner> for Client {
    /// Says who calls, and how long the answer may take.
    async fn pre<E>(
        &self,
        request: &mut Request,
        operation: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        let headers = request.headers_mut();
        // progenitor's own; the contract does not have it.
        headers.remove("api-version");
        headers.insert(API_KEY, self.inner.api_key.header());
        headers.insert(USER_AGENT, self.inner.user_agent.clone());
        *request.timeout_mut() = self.inner.timeout(operation.operation_id);
        Ok(())
    }

    /// Sends the request, once.
    async fn exec(
        &self,
        request: Request,
        _operation: &OperationInfo,
    ) -> reqwest::Result<Response> {
        self.client.execute(request).await
    }
}
