//! What to ask an error to decide what to do.

use reqwest::StatusCode;

use super::{Error, Fault, Kind};
use crate::generated::problem_code::ProblemCode;

impl Error {
    /// Whether there is no such pipeline, item, organization or product (404). A path that the server does
    /// not have at all is another matter: see [`ProblemCode::RouteNotFound`].
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let page = match client.list_items().pipeline_id(7).send().await {
    ///     Ok(page) => Some(page.into_inner()),
    ///     Err(error) if error.is_not_found() => None,
    ///     Err(error) => return Err(error),
    /// };
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_not_found(&self) -> bool {
        self.has_status(StatusCode::NOT_FOUND) && self.code() != Some(&ProblemCode::RouteNotFound)
    }

    /// Whether the organization was in the pipeline already (409); nothing was changed.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// match client.add_organization().pipeline_id(6).organization_id(1001).send().await {
    ///     Ok(item) => println!("added as item {}", item.pipeline_item_id),
    ///     Err(error) if error.is_already_in_pipeline() => println!("it is there"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_already_in_pipeline(&self) -> bool {
        let code = self.code();
        self.has_status(StatusCode::CONFLICT)
            && code.is_none_or(|code| *code == ProblemCode::OrganizationAlreadyInPipeline)
    }

    /// Whether the key has used up its quota (429); nothing was done.
    /// [`retry_after`](Self::retry_after) says when to try again. A call that was not sent, because another
    /// was answered 429 and the wait goes beyond the deadline, is rate limited too.
    ///
    /// ```no_run
    /// # async fn example(error: platform_sdk::Error) {
    /// if error.is_rate_limited() {
    ///     tokio::time::sleep(error.retry_after().unwrap_or_default()).await;
    /// }
    /// # }
    /// ```
    pub fn is_rate_limited(&self) -> bool {
        self.has_status(StatusCode::TOO_MANY_REQUESTS)
            || matches!(self.0.kind, Kind::HeldBack { .. })
    }

    /// Whether the key is not known (401).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_unauthenticated() {
    ///     println!("check PLATFORM_API_KEY");
    /// }
    /// # }
    /// ```
    pub fn is_unauthenticated(&self) -> bool {
        self.has_status(StatusCode::UNAUTHORIZED)
    }

    /// Whether the policies of the key do not allow the operation (403).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_denied() {
    ///     println!("ask for a key that may do this");
    /// }
    /// # }
    /// ```
    pub fn is_denied(&self) -> bool {
        self.has_status(StatusCode::FORBIDDEN)
    }

    /// Whether what was asked for is at fault, so that asking again is of no use: the server said so (400
    /// or 422), or the request could not even be made of it.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// # let client = platform_sdk::Client::builder().base_url("http://127.0.0.1:1").api_key("dev").build()?;
    /// let error = client.list_items().pipeline_id(1).limit(u32::MAX).send().await.unwrap_err();
    /// assert!(error.is_invalid());
    /// assert!(error.to_string().starts_with("list_items: `limit` does not fit `i32`"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_invalid(&self) -> bool {
        matches!(self.0.kind, Kind::Argument(_))
            || self.has_status(StatusCode::BAD_REQUEST)
            || self.has_status(StatusCode::UNPROCESSABLE_ENTITY)
    }

    /// Whether the server failed or could not answer for now (5xx).
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_server_error() {
    ///     println!("quote the request id: {:?}", error.request_id());
    /// }
    /// # }
    /// ```
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.is_server_error())
    }

    /// Whether it took too long: to connect, to have the whole answer, because the deadline of the call had
    /// passed before it could be sent, or until an item was [ready](Self::not_ready). [`outcome`](Self::outcome) says whether a write may have happened.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_timeout() {
    ///     println!("{:?}", error.outcome());
    /// }
    /// # }
    /// ```
    pub fn is_timeout(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::TimedOut { .. }
                | Kind::DeadlinePassed
                | Kind::HeldBack { .. }
                | Kind::NotReady(_)
                | Kind::KeyUnavailable { timed_out: Some(_) }
                | Kind::Unconnected {
                    timed_out: true,
                    ..
                }
        )
    }

    /// Whether no connection could be made, so that nothing was sent.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::{Client, RetryPolicy};
    ///
    /// let nobody = Client::builder()
    ///     .base_url("http://127.0.0.1:1")
    ///     .api_key("dev-full-access")
    ///     .retry_policy(RetryPolicy::never())
    ///     .build()?;
    /// let error = nobody.list_items().pipeline_id(1).send().await.unwrap_err();
    /// assert!(error.is_connect());
    /// assert_eq!(error.to_string(), "list_items: no connection to 127.0.0.1:1");
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_connect(&self) -> bool {
        matches!(self.0.kind, Kind::Unconnected { .. })
    }

    /// Whether the connection was lost before the answer was complete: it was reset or closed, or the body
    /// breaks off. Trying again later may help; [`outcome`](Self::outcome) says whether a write may have
    /// happened.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_connect() || error.is_connection_lost() || error.is_timeout() {
    ///     println!("trouble with the network: {error}");
    /// }
    /// # }
    /// ```
    pub fn is_connection_lost(&self) -> bool {
        matches!(self.0.kind, Kind::Broken | Kind::Answered(Fault::Truncated))
    }

    /// Whether the operation succeeded by its status, but its answer cannot be read: it is not JSON, or not
    /// as the contract has it. A write may have happened; the answer may also be that of something in between,
    /// such as the login page of a network.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_undecodable() {
    ///     println!("{error}"); // names the place in the JSON that is at fault
    /// }
    /// # }
    /// ```
    pub fn is_undecodable(&self) -> bool {
        matches!(
            self.0.kind,
            Kind::Answered(
                Fault::Truncated | Fault::NotJson | Fault::BadEncoding | Fault::OffContract { .. }
            ) | Kind::Unreadable(_)
        )
    }

    /// Whether the operation succeeded by its status, but its answer is larger than the client reads:
    /// [`ClientBuilder::max_response_bytes`](crate::ClientBuilder::max_response_bytes). A write may have happened.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_response_too_large() {
    ///     println!("ask for fewer items at once");
    /// }
    /// # }
    /// ```
    pub fn is_response_too_large(&self) -> bool {
        matches!(self.0.kind, Kind::Answered(Fault::TooLarge { .. }))
    }
}
