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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use progenitor_client::{ClientHooks, OperationInfo};
    use reqwest::{Method, Request, Url};

    use crate::{Client, ClientBuilder, Error};

    type Failure = Box<dyn std::error::Error>;

    fn builder() -> ClientBuilder {
        Client::builder()
            .base_url("https://api.example")
            .api_key("dev-full-access")
    }

    async fn prepared(
        client: Result<Client, Error>,
        operation_id: &'static str,
    ) -> Result<Request, Failure> {
        let mut request = Request::new(Method::GET, Url::parse("https://api.example")?);
        request
            .headers_mut()
            .insert("api-version", "1.0.0".parse()?);
        client?
            .pre::<()>(&mut request, &OperationInfo { operation_id })
            .await?;
        Ok(request)
    }

    #[tokio::test]
    async fn key_is_marked_as_sensitive() -> Result<(), Failure> {
        let request = prepared(builder().build(), "list_items").await?;
        assert!(request.headers()["api-key"].is_sensitive());
        assert!(!format!("{request:?}").contains("dev-full-access"));
        Ok(())
    }

    #[tokio::test]
    async fn version_that_the_contract_does_not_have_is_removed() -> Result<(), Failure> {
        let request = prepared(builder().build(), "list_items").await?;
        assert!(!request.headers().contains_key("api-version"));
        Ok(())
    }

    #[tokio::test]
    async fn timeout_is_the_contracts_unless_told_otherwise() -> Result<(), Failure> {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let list = prepared(builder().build(), "list_items").await?;
        assert_eq!(list.timeout().copied(), seconds(15));
        let search = prepared(builder().build(), "search_products_by_product").await?;
        assert_eq!(search.timeout().copied(), seconds(10));
        let impatient = builder().timeout(Duration::from_secs(1)).build();
        let list = prepared(impatient, "list_items").await?;
        assert_eq!(list.timeout().copied(), seconds(1));
        Ok(())
    }
}
