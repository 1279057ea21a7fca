//! A client for apps without asynchronous code: each call blocks its thread until it is done.
//!
//! It has the operations of the asynchronous [`Client`](crate::Client) with the same requests, options and errors. Only
//! what is awaited there blocks here, and what is a stream there is an `Iterator`.
//!
//! ```
//! # let server = platform_server_stub::Server::built_in();
//! # let client = platform_sdk::Client::builder().service(server.router()).api_key("dev-full-access").build()?;
//! use platform_sdk::blocking::Client;
//!
//! # let client = Client::new(client)?;
//! # /*
//! let client = Client::from_env()?;
//! # */
//! let page = client.list_items().pipeline_id(1).limit(50).send()?;
//! println!("{} of {} items", page.items.len(), page.total_count);
//!
//! for item in client.list_items().pipeline_id(2).walk().items()? {
//!     println!("{}", item?.pipeline_item_id);
//! }
//!
//! let added = client.ensure_organization().pipeline_id(6).organization_id(1001).send()?;
//! println!("item {} ({})", added.item.pipeline_item_id, added.presence);
//! # Ok::<(), platform_sdk::Error>(())
//! ```
//!
//! # Threads
//!
//! A client has one thread of its own, which its clones share: it drives connections and timers, and ends with the last
//! of them. Any number of threads may call at the same time.
//!
//! # Within asynchronous code
//!
//! A call within asynchronous code would stop all tasks of its thread, so it is an error for which
//! [`is_configuration`](crate::Error::is_configuration) holds, and nothing is sent. Await the calls of
//! [`crate::Client`] there, or call on a thread for blocking work, such as that of `tokio::task::spawn_blocking`. Tasks
//! are recognised by their budget of tokio, which those under `tokio::task::unconstrained` do not have: a call there
//! stops the other tasks of its thread, and may itself stall until its timeout.
//!
//! ```
//! # let server = platform_server_stub::Server::built_in();
//! # let client = platform_sdk::Client::builder().service(server.router()).api_key("dev-read-only").build()?;
//! # let client = platform_sdk::blocking::Client::new(client)?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let error = client.list_items().pipeline_id(1).send().unwrap_err();
//! assert!(error.is_configuration());
//!
//! let calling = client.clone();
//! let page = tokio::task::spawn_blocking(move || calling.list_items().pipeline_id(1).send()).await;
//! # assert!(page.is_ok_and(|page| page.is_ok()));
//! # });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod client;
mod iter;
mod organization;
mod runtime;
mod wait;
mod walk;

pub use self::client::Client;
pub use self::iter::{EnsuredOrganizations, Events, Items, Pages, Progress};
pub use self::runtime::Blocking;
pub use self::walk::Walk;
