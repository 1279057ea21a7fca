//! The id of the request that a response belongs to.

use crate::ResponseValue;

/// Access to the request id of a successful response.
///
/// ```
/// use platform_sdk::{RequestId, ResponseValue};
///
/// fn log<T>(response: &ResponseValue<T>) {
///     println!("answered as {:?}", response.request_id());
/// }
/// ```
pub trait RequestId {
    /// Returns the id of the request in the platform's logs (`X-Request-Id`), or `None` if the response has
    /// none.
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
