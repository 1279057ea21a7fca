//! Client for organization and product search and for pipeline items.
//!
//! Calls and types are generated from the contract, `openapi.yaml`. The rest is written by hand:
//! building a client, retries, errors. Arguments are sent as given; the server validates them.
//!
//! # First call
//!
//! A [`Client`] needs a base URL and a key. Each operation of the contract is a method that returns
//! a request. Set its parameters with one method each, then send it.
//!
//! ```no_run
//! # async fn example() -> Result<(), platform_sdk::Error> {
//! let client = platform_sdk::Client::builder()
//!     .base_url("http://127.0.0.1:8080")
//!     .api_key("dev-full-access")
//!     .build()?;
//!
//! let found = client
//!     .search_organizations_by_description()
//!     .description("keeps fresh fish cold on its way to the shops")
//!     .send()
//!     .await?;
//! println!("{} organizations", found.total_count);
//! for result in &found.results {
//!     println!("{:.3}  {}", result.similarity.cosine_distance, result.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A request that lacks a required parameter does not compile, and the compiler [names
//! it](builder::IsGiven).
//!
//! A call returns a [`ResponseValue`] with the status and headers. Get the value by dereference or
//! with [`into_inner`](ResponseValue::into_inner). [`Client::from_env`] reads the base URL and the
//! key from the environment. For keys that expire, pass an async function to
//! [`ClientBuilder::api_key_provider`].
//!
//! # Filters
//!
//! All six searches take the same filters. A list filter takes one or more values and matches a
//! record that has any of them. Different filters must all match. An optional parameter also takes
//! an `Option`. [`Filters`] holds a set of filters to use in several searches.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
//! use platform_sdk::FundingStage;
//!
//! let found = client
//!     .search_products_by_customer()
//!     .product_customer("hospital pharmacies that send vaccines to remote clinics")
//!     .countries(["NO", "DK", "SE"])
//!     .headquarters_only(false)
//!     .employee_count_max(250)
//!     .funding_stages([FundingStage::Seed, FundingStage::SeriesA])
//!     .funded_from("2018-01-01")
//!     .limit(10)
//!     .send()
//!     .await?;
//! for product in &found.results {
//!     let vendor = &product.organization.name;
//!     println!("{} by {vendor}", product.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Listing a pipeline
//!
//! A page holds at most 1000 items and reports the total count. When sorted by a question, items
//! without an answer come last.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
//! use platform_sdk::types::SortOrder;
//!
//! let page = client
//!     .list_items()
//!     .pipeline_id(1)
//!     .sort_by("question.101")
//!     .sort_order(SortOrder::Desc)
//!     .limit(50)
//!     .send()
//!     .await?;
//! for item in &page.items {
//!     if let Ok(answer) = item.values.question(101) {
//!         println!("item {}: {answer}", item.pipeline_item_id);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Paging
//!
//! A request for a paged operation has a `walk`, which returns all matching items in order and
//! fetches the next pages ahead of time. `skip` sets where the walk begins; `limit` sets the
//! maximum number of items in total.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
//! let mut items = client.list_items().pipeline_id(1).walk().items()?;
//! while let Some(item) = items.next().await {
//!     println!("{}", item?.pipeline_item_id);
//! }
//!
//! let nearest = client
//!     .search_organizations_by_description()
//!     .description("keeps fresh fish cold on its way to the shops")
//!     .limit(250)
//!     .walk()
//!     .collect()
//!     .await?;
//! println!("{} organizations", nearest.len());
//! # Ok(())
//! # }
//! ```
//!
//! A walk becomes a `Stream` of items or of pages. [`Walk`](paging::Walk) sets the page size and how
//! many pages are fetched at once. A search returns at most its first 1000 results and
//! [reports](paging::Items::is_truncated) when there are more. A cursor marks a position in a walk.
//! Store it as text to resume after a restart:
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let request = client.list_items().pipeline_id(1).sort_by("question.101");
//! let mut pages = request.clone().walk().pages()?;
//! let mut stored = String::new();
//! while let Some(page) = pages.next().await {
//!     stored = page?.cursor.to_string();
//!     # break;
//! }
//! // … later:
//! let rest = request.walk().resume(stored.parse()?).collect().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Items added during a walk in ascending order of ids appear at its end. Other changes to the
//! collection could make the walk skip an item or return it twice. A walk detects them [where
//! possible](paging::Drift) and fails with an error for which [`is_drift`](Error::is_drift) returns
//! `true`; a walk by [events](paging::Walk::events) reports them and continues. Configure this with
//! [`on_drift`](paging::Walk::on_drift), and the handling of items that cannot be decoded with
//! [`on_unreadable`](paging::Walk::on_unreadable). To get only new items,
//! [resume](paging::Walk::resume) from the cursor at the end of a walk.
//!
//! # Reading the values of an item
//!
//! Read a [`Column`] as text, a number, an integer, yes or no, or a list of these. Without an
//! answer the result is `None`. A value that cannot be read as the requested type is an error that
//! shows the value.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let item = client.get_item_values().pipeline_id(2).pipeline_item_id(200001).send().await?;
//! if item.values.question(201)?.yes_no()? == Some(true) {
//!     let staff = item.values.column("organization.metrics.employee_count")?.integer()?;
//!     println!("exports, with a staff of {staff:?}");
//! }
//! for answer in item.values.answered() {
//!     println!("{}: {answer}, from {:?}", answer.id(), answer.references);
//! }
//! println!("{} to come, {} failed", item.values.pending().count(), item.values.failed().count());
//! # Ok(())
//! # }
//! ```
//!
//! For spreadsheets and data frames, [`rows`](mod@rows) returns the items of a pipeline with the
//! union of their columns. The feature `csv` writes them as CSV.
//!
//! # Adding an organization
//!
//! An added organization cannot be removed, and a response can be lost.
//! [`ensure_organization`](Client::ensure_organization) adds the organization unless it is already
//! in the pipeline, and returns its item either way. It is safe to call repeatedly.
//!
//! The response does not wait for the questions of the pipeline.
//! [`wait_until_ready`](Client::wait_until_ready) polls the item until they are answered.
//! [`add_organization_and_wait`](Client::add_organization_and_wait) does both in one call.
//!
//! ```
//! # use platform_sdk::Client;
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), platform_sdk::Error> {
//! # let server = platform_server_stub::Server::built_in();
//! # let client = Client::builder().service(server.router()).api_key("dev-full-access").build()?;
//! use std::time::Duration;
//!
//! let added = client.ensure_organization().pipeline_id(6).organization_id(1001).send().await?;
//! println!("item {} ({:?})", added.item.pipeline_item_id, added.presence);
//!
//! let wait = client.wait_until_ready().item(&added.item).timeout(Duration::from_secs(120));
//! match wait.values().await {
//!     Ok(item) => println!("{} values", item.values.len()),
//!     Err(error) => match error.not_ready() {
//!         Some(not_ready) => println!("still missing: {:?}", not_ready.missing().collect::<Vec<_>>()),
//!         None => return Err(error),
//!     },
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A wait is also available as a stream of its [progress](wait::WaitUntilReady::progress). For many
//! organizations, use [`ensure_organizations`](Client::ensure_organizations), which reads the
//! pipeline once, and [`wait_until_all_ready`](Client::wait_until_all_ready), which polls the list
//! of items.
//!
//! # Errors
//!
//! All calls return one type, [`Error`]. Its predicates help decide what to do, and its accessors
//! return details of the response. Each error has exactly one [class](Error::class). `Display` prints a
//! single line.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
//! match client.add_organization().pipeline_id(6).organization_id(1001).send().await {
//!     Ok(item) => println!("added as item {}", item.pipeline_item_id),
//!     Err(error) if error.is_already_in_pipeline() => println!("it was already in the pipeline"),
//!     Err(error) if error.is_rate_limited() => println!("wait {:?}", error.retry_after()),
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Retries and deadlines
//!
//! A failed call is retried where that is safe and may help, as the contract defines: a read after
//! a network error, a truncated response, 429, 500, 502, 503 or 504; a write only if it certainly
//! was not processed. Delays grow, include random jitter, and are never shorter than the server
//! asks for. After a 429 response, all clones of a client wait until the server accepts requests
//! again, and then pace their requests to its quota. [`RetryPolicy`] limits the number of attempts
//! and the delays. [`RetryBudget`], shared by all clones of a client, limits the extra load that
//! retries put on a failing deployment.
//!
//! To override options for some calls, set them on a clone; cloning is cheap. A deadline covers
//! everything done through that clone: attempts, pages and polls.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
//! use std::time::Duration;
//! use platform_sdk::{Outcome, RetryPolicy};
//!
//! let hurried = client.with_deadline(Duration::from_secs(2)).with_header("X-Request-Id", "import-7")?;
//! let once = client.with_retry_policy(RetryPolicy::never());
//! # let _ = once;
//!
//! if let Err(error) = hurried.add_organization().pipeline_id(6).organization_id(1001).send().await {
//!     for attempt in error.attempts() {
//!         println!("{attempt}"); // what went wrong, in which request, after which wait
//!     }
//!     match error.outcome() {
//!         Outcome::NotSent | Outcome::Rejected => println!("nothing was added"),
//!         _ => println!("it may have been added"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Testing an app
//!
//! The feature `mock` provides a server for tests of an app. Requests to match are built with the
//! client, response values come from the contract's examples, and several responses can be returned in
//! turn. The client of a mock server does not wait between attempts or polls.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), platform_sdk::Error> {
//! use std::time::Duration;
//! use platform_sdk::mock::{Answer, Server, examples};
//!
//! let server = Server::start().await;
//! let client = server.client();
//! let adding = server
//!     .when(client.add_organization().pipeline_id(2).organization_id(1008))
//!     .answers([
//!         Answer::rate_limited(Duration::from_secs(30)),
//!         examples::pipeline_item::added().into(),
//!     ]);
//!
//! // What the app does:
//! let item = client.add_organization().pipeline_id(2).organization_id(1008).send().await?;
//!
//! assert_eq!(item.pipeline_item_id.get(), 200_013);
//! adding.assert_calls(2);
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `tower`, the reference server runs in the same process, without a socket. On
//! tokio's paused clock (`start_paused`, which needs tokio's feature `test-util`), a test runs in
//! milliseconds instead of minutes.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), platform_sdk::Error> {
//! use platform_sdk::Client;
//! use platform_server_stub::Server;
//!
//! let client = Client::builder()
//!     .service(Server::built_in().router())
//!     .api_key("dev-full-access")
//!     .build()?;
//! let page = client.list_items().pipeline_id(1).send().await?;
//! assert_eq!(page.total_count, 1280);
//! # Ok(())
//! # }
//! ```
//!
//! # Tracing
//!
//! Each call is a [`tracing`](https://docs.rs/tracing) span at level `INFO`, and each attempt is a
//! span within it, both with the target `platform_sdk`. A delay before a retry is an event. Without
//! a subscriber, the cost is negligible.
//!
//! ```
//! tracing_subscriber::fmt().with_env_filter("warn,platform_sdk=info").init();
//! // INFO call{otel.name="list_items" otel.kind="internal"}: platform_sdk: waiting to try again
//! //     delay_seconds=0.18 error.type="503"
//! ```
//!
//! Names and values follow OpenTelemetry's [conventions for HTTP clients][semconv], so a
//! `tracing-opentelemetry` layer exports them unchanged:
//!
//! | span | fields |
//! |---|---|
//! | call, such as `list_items` | kind `internal`; its error, if it failed in the end |
//! | attempt, such as `GET /api/v1/pipelines/{pipeline_id}/items` | kind `client`; `http.request.method`, `http.request.resend_count` from the second attempt on, `http.response.status_code`, the request id as `http.response.header.x-request-id`, `server.address`, `server.port`, `url.full`, `url.template` (the contract's path); its error, if it failed |
//!
//! An error sets `otel.status_code` to `ERROR` and `error.type` to one of these: the status of an
//! unsuccessful response; `connect`, `tls`, `timeout` or `broken` for a connection error;
//! `undecodable` for a successful response that cannot be decoded; `deadline`, `key_unavailable` or
//! `invalid_request` for a call that was not sent; `cancelled` for a call that the app dropped.
//!
//! Spans contain nothing confidential: no key or other request header, no query string (it contains
//! search texts; `url.full` ends before it), no body, and no server message, which may repeat any
//! of these.
//!
//! With the feature `opentelemetry`, each request carries the trace context of its attempt, in the
//! format that the app sets with `opentelemetry::global::set_text_map_propagator`.
//! `TraceContextPropagator` sends `traceparent` and `tracestate`. Without a propagator, nothing is
//! sent. If the SDK's spans are filtered out, the span around the call is used. A `traceparent` set
//! with [`with_header`](Client::with_header) is sent if there is no span at all.
//!
//! [semconv]: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span
//!
//! # Metrics
//!
//! With the feature `metrics`, calls are measured through the facade
//! [`metrics`](https://docs.rs/metrics) and reported to the recorder that the app installs. Without
//! a recorder, the cost is about a microsecond per call. Names follow OpenTelemetry's [conventions
//! for HTTP clients][metrics-semconv] where these define one. Durations are in seconds, by the
//! client's clock.
//!
//! | metric | kind | labels | measures |
//! |---|---|---|---|
//! | `http.client.request.duration` | histogram | `operation`, `http.request.method`, `url.template`, `server.address`, `server.port`, `http.response.status_code`, `error.type` | one attempt, until its response is decoded |
//! | `http.client.active_requests` | gauge | `operation`, `http.request.method`, `url.template`, `server.address`, `server.port` | attempts in progress |
//! | `platform_sdk.call.duration` | histogram | `operation`, `http.response.status_code`, `error.type` | one call with all its attempts and waits |
//! | `platform_sdk.call.retries` | counter | `operation`, `error.type` of the previous attempt | attempts after the first one of a call |
//! | `platform_sdk.gate.wait.duration` | histogram | `operation` | time an attempt waited for the quota after a 429, if it did |
//!
//! `error.type` has the same values as in spans, and is absent on success. A walk, a wait or an
//! import is counted as the calls it makes. Like spans, metrics contain nothing confidential.
//!
//! ```
//! # #[cfg(feature = "metrics")] {
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # let server = platform_server_stub::Server::built_in();
//! # let client = platform_sdk::Client::builder().service(server.router()).api_key("dev-read-only").build()?;
//! use metrics_util::debugging::DebuggingRecorder; // or that of an exporter, such as Prometheus's
//!
//! let recorder = DebuggingRecorder::new();
//! let figures = recorder.snapshotter();
//! # /*
//! recorder.install()?;
//! let page = client.list_items().pipeline_id(1).send().await?;
//! # */
//! # metrics::with_local_recorder(&recorder, || {
//! #     runtime.block_on(client.list_items().pipeline_id(1).send())
//! # })?;
//! for (key, ..) in figures.snapshot().into_vec() {
//!     println!("{}", key.key());
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [metrics-semconv]: https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#http-client
//!
//! # Forward compatibility
//!
//! The service may add properties and values. Response types are `non_exhaustive`, and unknown data
//! is kept: a new [`FundingStage`], for example, is kept verbatim as `Unknown`, and a new property
//! in the [`unknown_fields`](UnknownFields) of its object. `serde` writes both back. A property
//! that may be null may also be missing.
//!
//! To be notified of unknown data, with its position in the JSON, set a hook:
//!
//! ```
//! let client = platform_sdk::Client::builder()
//!     .base_url("http://127.0.0.1:8080")
//!     .api_key("dev-full-access")
//!     .on_unknown(|unknown| eprintln!("time for an update? {unknown}"))
//!     // time for an update? list_items: items[3].entity_type is `vehicle`, which is not a known value of EntityType
//!     .build()?;
//! # Ok::<(), platform_sdk::Error>(())
//! ```
//!
//! With the feature `schemars`, the types implement `JsonSchema`, for an app's own documents and
//! forms. The schemas have the contract's bounds, and allow unknown properties and values as the
//! types do.
//!
//! ```
//! # #[cfg(feature = "schemars")] {
//! let schema = schemars::schema_for!(platform_sdk::types::Similarity);
//! let distance = schema.pointer("/properties/cosine_distance/maximum");
//! assert_eq!(distance, Some(&2.into()));
//! # }
//! ```
//!
//! # Runtime
//!
//! Requests are sent on a [tokio](https://docs.rs/tokio) runtime with timers and I/O enabled.
//! Without one, a call fails with an error for which [`is_configuration`](Error::is_configuration)
//! returns `true`. For apps without a runtime, use the feature `blocking`.
//!
//! # Features of the crate
//!
//! | feature | adds |
//! |---|---|
//! | `rustls` (default) | TLS by `rustls`, with the operating system's roots and aws-lc cryptography |
//! | `rustls-ring` | the same with ring cryptography; takes precedence over `rustls` |
//! | `rustls-no-provider` | the same with the cryptography that the app installs (`CryptoProvider::install_default`) before it builds a client |
//! | `native-tls` | TLS by the operating system; takes precedence over the other TLS features |
//! | `gzip` (default) | gzip compression of responses, which makes large pages about twenty times smaller |
//! | `zstd` (default) | zstd compression of responses |
//! | `blocking` | `blocking::Client`, for apps without asynchronous code |
//! | `csv` | [rows](mod@rows) as CSV |
//! | `metrics` | [metrics](#metrics) of calls through the facade `metrics` |
//! | `mock` | a mock server for tests |
//! | `opentelemetry` | `traceparent`, or the headers of the app's propagator, on requests |
//! | `schemars` | JSON Schemas of the types |
//! | `tower` | requests to a `tower` service in the same process |
//!
//! `rustls-ring` installs ring as the process default when a client is built, unless the app has
//! installed another provider. aws-lc is still compiled unless `default-features = false` is set.
//! Without TLS, an `https` base URL is rejected unless the app sets its own HTTP client
//! ([`ClientBuilder::http_client`]).

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "blocking")]
pub mod blocking;
mod call;
mod client;
mod error;
// Compared byte by byte with the generator's output, so not formatted or linted.
#[rustfmt::skip]
#[allow(unreachable_pub, unused_imports, clippy::all)]
mod generated;
#[cfg(feature = "mock")]
pub mod mock;
mod organization;
pub mod paging;
mod redact;
pub mod rows;
mod text;
pub mod types;
pub mod wait;

pub use chrono;
pub use progenitor_client::ResponseValue;
pub use reqwest::{self, StatusCode};

pub use self::call::api_key::ApiKey;
pub use self::call::argument::OptionalArgument;
pub use self::call::budget::RetryBudget;
pub use self::call::clock::Clock;
pub use self::call::hooks::AttemptReport;
pub use self::call::keys::ApiKeyProvider;
pub use self::call::request_id::RequestId;
pub use self::call::retry::RetryPolicy;
pub use self::client::ClientBuilder;
pub use self::error::{Attempt, Error, ErrorClass, Outcome};
pub use self::generated::{Client, Filters, ProblemCode, builder};
pub use self::organization::ensure::{EnsureOrganization, EnsureWithoutItem, Ensured, Presence};
pub use self::organization::many::EnsureOrganizations;
pub use self::types::any_of::AnyOf;
pub use self::types::date_bound::{DateBound, InvalidDate};
pub use self::types::ids::{DocumentId, OrganizationId, PersonId, PipelineId, PipelineItemId, ProductId, QuestionId};
pub use self::types::open_enums::{
    EntityType, ExecutionStatus, FundingStage, NotKnown, SyncStatus, UnknownValue, ValueCategory,
};
pub use self::types::result_value::ResultValue;
pub use self::types::unknown::{Unknown, UnknownKind};
pub use self::types::unknown_fields::UnknownFields;
pub use self::types::values::{Column, ColumnError, ColumnId};

// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
