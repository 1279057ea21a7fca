//! A server that answers as a test says, so that what an app does with an answer is tested without a
//! deployment: with a page, a problem, a rate limit, or something that no deployment should ever send.
//!
//! An answer is told by the call that it is for. The [`Server`] gives a [`Client`](crate::Client); the
//! request of that client, not sent but handed to [`Server::when`], is what a request has to look like. What
//! the request leaves open, even a parameter that the operation requires, may be anything.
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
//! Nothing was waited for in it: the clients of a [`Server`] skip the time between attempts, pages and polls.
//!
//! # Values
//!
//! The types of answers cannot be named field by field, because the service may add some. A test takes one of
//! the contract's [`examples`] and changes what it is about, or reads one [from JSON](from_json).
//!
//! # What is not expected
//!
//! A request that no mock is for is answered 501 with a text that names the mocks which come nearest and what
//! is different. That status is never taken for an answer of the platform, and never tried again.
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
//! A request without a key is answered 401, as the platform does.
//!
//! Whether the app gets along with the platform itself is not tested so. That is what the reference server is
//! for, with or without a socket.

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
