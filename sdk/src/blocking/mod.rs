//! A client for apps without async code: each call blocks its thread until it completes.
//!
//! It has the operations of the async [`Client`](crate::Client) with the same requests, options and errors.
//! Calls block instead of being awaited, and streams are `Iterator`s.
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
//! A client has one thread, shared with its clones, that drives connections and timers. The thread ends when
//! the last clone is dropped. Any number of threads may make calls at the same time.
//!
//! # Within asynchronous code
//!
//! A call in async code would block all tasks of its thread. It therefore sends nothing and returns an error
//! for which [`is_configuration`](crate::Error::is_configuration) is true. In async code, await the calls of
//! [`crate::Client`], or make the call on a blocking thread, such as one of `tokio::task::spawn_blocking`.
//! Tasks are detected by their tokio budget, which tasks under `tokio::task::unconstrained` do not have: a
//! call there blocks the other tasks of its thread, and may itself stall until its timeout.
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
