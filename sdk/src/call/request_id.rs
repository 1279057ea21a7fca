//! The id of the request that was answered.

use crate::ResponseValue;

/// What a successful response says of its request.
///
/// ```
/// use platform_sdk::{RequestId, ResponseValue};
///
/// fn log<T>(response: &ResponseValue<T>) {
///     println!("answered as {:?}", response.request_id());
/// }
/// ```
pub trait RequestId {
    /// Identifies the request in the logs of the platform (`X-Request-Id`); `None` if the response does not say.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::RequestId;
    ///
    /// let page = client.list_items().pipeline_id(1).send().await?;
    /// println!("{} items (request {:?})", page.total_count, page.request_id());
    /// # Ok(())
    /// # }
    /// ```
    fn request_id(&self) -> Option<&str>;
}

impl<T> RequestId for ResponseValue<T> {
    fn request_id(&self) -> Option<&str> {
        self.headers().get("x-request-id")?.to_str().ok()
    }
}
