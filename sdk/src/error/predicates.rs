//! Predicates for deciding what to do about an error.

use reqwest::StatusCode;

use super::{Error, Fault, Kind};
use crate::generated::problem_code::ProblemCode;

impl Error {
    /// Returns whether the pipeline, item, organization or product does not exist (404). This excludes
    /// a path that the server does not have at all: see [`ProblemCode::RouteNotFound`].
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

    /// Returns whether the organization was already in the pipeline (409); nothing was changed.
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

    /// Returns whether the key has used up its quota (429); nothing was done.
    /// [`retry_after`](Self::retry_after) returns when to try again. This includes a call that was not
    /// sent because another got a 429 response and the wait exceeds the deadline.
    ///
    /// ```no_run
    /// # async fn example(error: platform_sdk::Error) {
    /// if error.is_rate_limited() {
    ///     tokio::time::sleep(error.retry_after().unwrap_or_default()).await;
    /// }
    /// # }
    /// ```
    pub fn is_rate_limited(&self) -> bool {
        self.has_status(StatusCode::TOO_MANY_REQUESTS) || matches!(self.0.kind, Kind::HeldBack { .. })
    }

    /// Returns whether the key is missing or unknown (401).
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

    /// Returns whether the key's policies do not allow the operation (403).
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

    /// Returns whether the request is invalid, so that retrying does not help: the server rejected it
    /// (400 or 422), or it could not be built from its arguments.
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

    /// Returns whether the server failed or was temporarily unavailable (5xx). Statuses of 600 and
    /// above, which HTTP does not define, count too.
    ///
    /// ```no_run
    /// # fn example(error: platform_sdk::Error) {
    /// if error.is_server_error() {
    ///     println!("quote the request id: {:?}", error.request_id());
    /// }
    /// # }
    /// ```
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.as_u16() >= 500)
    }

    /// Returns whether something took too long: connecting, the key provider, receiving the whole
    /// response, or waiting until an item is [ready](Self::not_ready); or the deadline of the call passed
    /// before it could be sent. [`outcome`](Self::outcome) returns whether a write may have happened.
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
                | Kind::Unconnected { timed_out: true, .. }
        )
    }

    /// Returns whether no connection could be made, so nothing was sent.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), platform_sdk::Error> {
    /// use platform_sdk::{Client, RetryPolicy};
    ///
    /// let client = Client::builder()
    ///     .base_url("http://127.0.0.1:1")
    ///     .api_key("dev-full-access")
    ///     .retry_policy(RetryPolicy::never())
    ///     .build()?;
    /// let error = client.list_items().pipeline_id(1).send().await.unwrap_err();
    /// assert!(error.is_connect());
    /// assert_eq!(error.to_string(), "list_items: no connection to 127.0.0.1:1");
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_connect(&self) -> bool {
        matches!(self.0.kind, Kind::Unconnected { .. })
    }

    /// Returns whether the connection was lost before the response was complete: it was reset or
    /// closed, or the body is truncated. Retrying later may help; [`outcome`](Self::outcome) returns
    /// whether a write may have happened.
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

    /// Returns whether the operation succeeded according to its status, but the response cannot be
    /// read: it is not JSON, or does not match the contract. A write may have happened. The response
    /// may also come from an intermediary, such as the login page of a network.
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
            Kind::Answered(Fault::Truncated | Fault::NotJson | Fault::BadEncoding | Fault::OffContract { .. })
                | Kind::Unreadable(_)
        )
    }

    /// Returns whether the operation succeeded according to its status, but the response exceeds
    /// [`ClientBuilder::max_response_bytes`](crate::ClientBuilder::max_response_bytes). A write may
    /// have happened.
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
