//! Mock server for testing an app without a deployment. The test sets the responses: a page, a problem, a
//! rate limit, or something that no deployment should ever send.
//!
//! A mock is defined by a request. The [`Server`] provides a [`Client`](crate::Client). Pass a request of
//! that client to [`Server::when`] instead of sending it. The mock matches calls with the same values.
//! Anything that the request leaves open, even a required parameter, may have any value.
//!
//! ```
//! use std::time::Duration;
//!
//! use platform_sdk::ProblemCode;
//! use platform_sdk::mock::{Answer, Server, examples};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), platform_sdk::Error> {
//! let server = Server::start().await;
//! let client = server.client();
//!
//! let page = examples::item_page::of(examples::item_page::first_page().items);
//! let listing = server.when(client.list_items().pipeline_id(2)).answers([
//!     Answer::rate_limited(Duration::from_secs(7)),
//!     Answer::problem(ProblemCode::Unavailable),
//!     page.into(),
//! ]);
//!
//! let listed = client.list_items().pipeline_id(2).limit(50).send().await?;
//! assert_eq!(listed.total_count, 1);
//! listing.assert_calls(3);
//! # Ok(())
//! # }
//! ```
//!
//! This test does not wait: the clients of a [`Server`] skip the time between attempts, pages and polls.
//!
//! # Values
//!
//! Response types cannot be constructed with a struct literal, because the service may add fields. Start from
//! one of the contract's [`examples`] and change it, or read a value [from JSON](from_json).
//!
//! # Unexpected requests
//!
//! A request that no mock matches gets a 501 response that names the nearest mocks and the differences. The client
//! never mistakes this status for a response from the platform and never retries it.
//!
//! ```
//! # use platform_sdk::mock::{Server, examples};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let server = Server::start().await;
//! let client = server.client();
//! let status = server
//!     .when(client.get_item_status().pipeline_id(2).pipeline_item_id(200_001))
//!     .answer(examples::item_status::ready());
//!
//! let call = client.get_item_status().pipeline_id(2).pipeline_item_id(7);
//! let error = call.send().await.unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "get_item_status: 501 Not Implemented: no mock for GET /api/v1/pipelines/2/items/7/status: \
//!      get_item_status(pipeline_id=2, pipeline_item_id=200001), but pipeline_item_id is 7 (request mock-1)"
//! );
//! status.assert_calls(0);
//! # }
//! ```
//!
//! A request without a key gets a 401 response, as on the platform.
//!
//! These tests do not check the app against the platform itself. Use the reference server for that, with or
//! without a socket.

mod answer;
mod clock;
pub(crate) mod expected;
pub(crate) mod json;
mod lock;
mod server;

pub use httpmock;

pub use self::answer::Answer;
pub use self::expected::Request;
pub use self::json::from_json;
pub use self::server::{Mock, Server, When};
pub use crate::generated::examples;
