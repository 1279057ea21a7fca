//! The client for organization and product search and for the items of pipelines.
//!
//! The calls and the types are generated from the contract, `openapi.yaml`, and never edited. The rest is what a generator
//! cannot know: how a client is made, when a call is attempted again, what an error keeps. Arguments are sent as they are
//! given, and the server decides what is wrong with them.
//!
//! # First call
//!
//! A [`Client`] needs a base URL and a key. Each operation of the contract is a method; it takes its
//! parameters, one method each, and is sent.
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
//! A request that lacks a required parameter does not compile, and the compiler [names it](builder::IsGiven).
//!
//! What is answered is a [`ResponseValue`]: the value by dereference or [`into_inner`](ResponseValue::into_inner),
//! with status and headers beside it. A service takes both from its environment: [`Client::from_env`]. A key that
//! expires comes from an async function of the app: [`ClientBuilder::api_key_provider`].
//!
//! # Filters
//!
//! All six searches take the same filters. A list takes one value or many, of which a record must have any;
//! filters of different names must all hold. An optional parameter also takes an `Option`, and [`Filters`] is one value
//! for several searches.
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
//! A page holds at most 1000 items and says how many there are in all. Sorted by a question, items without an
//! answer come last.
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
//! A request that is answered in pages has a `walk`: all items that it asks for, in order, with the next
//! pages on their way while one is used up. `skip` is where the walk begins, `limit` the most items that it
//! gives in all.
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
//! What a walk gives is a `Stream`, of items or of pages; [`Walk`](paging::Walk) says how many rows a page
//! has and how many pages are fetched at once. A search gives its first 1000 results, and
//! [says](paging::Items::is_truncated) when there are more. A place in a walk is a short text that can be
//! kept, to go on there after a restart:
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
//! Items that are added to a pipeline during a walk in the order of ids come at its end. Other changes could
//! cost an item, or give one twice. A walk notices them, as far as [possible](paging::Drift), and ends with an
//! error for which [`is_drift`](Error::is_drift) holds; a walk by [events](paging::Walk::events) reports them and
//! goes on. [`on_drift`](paging::Walk::on_drift) chooses, and [`on_unreadable`](paging::Walk::on_unreadable) does so for
//! an item that cannot be read. The cursor of the end, [resumed](paging::Walk::resume), gives what is new.
//!
//! # Reading the values of an item
//!
//! A [`Column`] is read as text, a number, a whole number, yes or no, or a list of them. Without an answer there
//! is `None`; what cannot be read as asked is an error that says what stood there.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let item = client.get_item_values().pipeline_id(2).pipeline_item_id(200001).send().await?;
//! if item.values.question(201)?.yes_no()? == Some(true) {
//!     let staff = item.values.column("organization.metrics.employee_count")?.integer()?;
//!     println!("exports, with a staff of {staff:?}");
//! }
//! for answer in item.values.answered() {
//!     println!("{}: {answer}, says {:?}", answer.id(), answer.references);
//! }
//! println!("{} to come, {} failed", item.values.pending().count(), item.values.failed().count());
//! # Ok(())
//! # }
//! ```
//!
//! For a spreadsheet or a data frame, [`rows`](mod@rows) are the items of a pipeline with the union of their columns;
//! the feature `csv` writes them.
//!
//! # Adding an organization
//!
//! What is added cannot be taken out again, and an answer can be lost on its way.
//! [`ensure_organization`](Client::ensure_organization) adds what is not there yet and gives its item in any
//! case, so it can be called as often as one likes.
//!
//! The answer does not wait for the questions of the pipeline.
//! [`wait_until_ready`](Client::wait_until_ready) polls the item until they are answered, and
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
//! A wait is also a stream of its [progress](wait::WaitUntilReady::progress). For many organizations there are
//! [`ensure_organizations`](Client::ensure_organizations), which reads the pipeline once, and
//! [`wait_until_all_ready`](Client::wait_until_all_ready), which polls its list.
//!
//! # Errors
//!
//! There is one [`Error`]. Its predicates say what to do, its accessors what was answered, its
//! [class](Error::class) is exactly one for each error, and its `Display` is a single helpful line.
//!
//! ```no_run
//! # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
//! match client.add_organization().pipeline_id(6).organization_id(1001).send().await {
//!     Ok(item) => println!("added as item {}", item.pipeline_item_id),
//!     Err(error) if error.is_already_in_pipeline() => println!("it already was in the pipeline"),
//!     Err(error) if error.is_rate_limited() => println!("wait {:?}", error.retry_after()),
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Retries and deadlines
//!
//! A call that fails is tried again where that is safe and may help, which is the contract's to say: a read
//! after trouble with the network, a truncated answer, 429, 500, 502, 503 and 504; a write only where it
//! certainly was not processed. The waits in between grow, are random in part, and are never shorter than the
//! server asks for. After an answer 429 all clones of a client hold back until the server takes requests again,
//! and then keep to the pace of its quota. A [`RetryPolicy`] says how often and how long, and a [`RetryBudget`], which all clones
//! of a client share, keeps a deployment in trouble from being called many times as often.
//!
//! To override options for some calls, clone the client, which is cheap, and set them on the clone. A deadline covers
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
//! With the feature `mock`, an app is tested against a server that answers as the test says. What a request
//! has to look like is told by the request itself; values come from the contract's examples; several answers
//! are given one after the other. The client of such a server waits for nothing.
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
//! With the feature `tower`, the reference server itself stands in for the platform in the same process, with
//! no socket. On a paused clock of tokio (`start_paused`, which needs tokio's feature `test-util`), what takes the platform
//! minutes takes a test milliseconds.
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
//! A call is a span of [`tracing`](https://docs.rs/tracing) at the level `INFO`, and within it each attempt is
//! one, both with the target `platform_sdk`. A wait before another attempt is an event. Any subscriber shows
//! them; without one they cost next to nothing.
//!
//! ```
//! tracing_subscriber::fmt().with_env_filter("warn,platform_sdk=info").init();
//! // INFO call{otel.name="list_items" otel.kind="internal"}: platform_sdk: waiting to try again
//! //     delay_seconds=0.18 error.type="503"
//! ```
//!
//! Names and values are those of OpenTelemetry's [conventions for HTTP clients][semconv], so that a layer of
//! `tracing-opentelemetry` exports them as they are:
//!
//! | span | has |
//! |---|---|
//! | call, such as `list_items` | kind `internal`; its error, if it failed in the end |
//! | attempt, such as `GET /api/v1/pipelines/{pipeline_id}/items` | kind `client`; `http.request.method`, `http.request.resend_count` from the second on, `http.response.status_code`, the id of the request as `http.response.header.x-request-id`, `server.address`, `server.port`, `url.full`, `url.template` (the contract's path); its error, if it failed |
//!
//! An error is `otel.status_code` `ERROR` and one of these as `error.type`: the status of the answer, if it is
//! none of success; `connect`, `tls`, `timeout` or `broken` for the connection; `undecodable` for a success that
//! cannot be read; `deadline`, `key_unavailable` and `invalid_request` for a call that was not sent; `cancelled` for
//! one that the app dropped.
//!
//! What is confidential stays out of them: neither the key nor any other header of a request, no query, in
//! which search texts stand (`url.full` ends before it), no body, and no message of the server, which may
//! repeat them.
//!
//! With the feature `opentelemetry` each request says to which attempt it belongs, in the way of the app's
//! choice: `opentelemetry::global::set_text_map_propagator`. `TraceContextPropagator` sends `traceparent`
//! and `tracestate`; until an app chooses, nothing is sent. Where the spans of the SDK are filtered out, the
//! span that the call is made in is named. A `traceparent` given to
//! [`with_header`](Client::with_header) is sent when there is no span at all.
//!
//! [semconv]: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-client-span
//!
//! # Metrics
//!
//! With the feature `metrics`, figures of all calls go to the recorder that the app installs for the facade
//! [`metrics`](https://docs.rs/metrics); without a recorder they cost a call about a microsecond. Names are those of OpenTelemetry's
//! [conventions for HTTP clients][metrics-semconv] where these have one. Durations are in seconds, by the client's clock.
//!
//! | metric | kind | labels | measures |
//! |---|---|---|---|
//! | `http.client.request.duration` | histogram | `operation`, `http.request.method`, `url.template`, `server.address`, `server.port`, `http.response.status_code`, `error.type` | one attempt, until its response is decoded |
//! | `http.client.active_requests` | gauge | `operation`, `http.request.method`, `url.template`, `server.address`, `server.port` | attempts that are under way |
//! | `platform_sdk.call.duration` | histogram | `operation`, `http.response.status_code`, `error.type` | one call with all its attempts and waits |
//! | `platform_sdk.call.retries` | counter | `operation`, `error.type` of the attempt before | attempts after the first one of a call |
//! | `platform_sdk.gate.wait.duration` | histogram | `operation` | how long an attempt waited for the quota after a 429, if it did |
//!
//! `error.type` has the words of the spans, and is absent from a success. A walk, a wait or an import is counted by the
//! calls that it consists of. What is confidential stays out, as it does out of spans.
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
//! The service may add properties and values. The types of answers are `non_exhaustive`, and what this version
//! does not know costs nothing and is not lost: a new [`FundingStage`], say, is kept as it came in `Unknown`, a
//! new property in the [`unknown_fields`](UnknownFields) of what it stands in, and both are written again by
//! `serde`. A property that may be null may be missing too.
//!
//! An app that wants to know has itself told, with the place in the JSON.
//!
//! ```
//! let client = platform_sdk::Client::builder()
//!     .base_url("http://127.0.0.1:8080")
//!     .api_key("dev-full-access")
//!     .on_unknown(|unknown| eprintln!("time for an update? {unknown}"))
//!     // time for an update? list_items: items[3].entity_type is `vehicle`, no value of EntityType
//!     .build()?;
//! # Ok::<(), platform_sdk::Error>(())
//! ```
//!
//! With the feature `schemars` the types have a `JsonSchema`, for an app's own documents and forms. It has the
//! contract's bounds, and is as open as the types are.
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
//! Requests are sent on a [tokio](https://docs.rs/tokio) runtime with timers and I/O enabled. Elsewhere a call is an
//! error, for which [`is_configuration`](Error::is_configuration) holds. The feature `blocking` is for apps without one.
//!
//! # Features of the crate
//!
//! | feature | what it adds |
//! |---|---|
//! | `rustls` (default) | TLS by `rustls`, with the roots that the operating system trusts and the cryptography of aws-lc |
//! | `rustls-ring` | the same with the cryptography of ring; it is the one that is used when both are on |
//! | `rustls-no-provider` | the same with the cryptography that the app installs (`CryptoProvider::install_default`) before it builds a client |
//! | `native-tls` | TLS by the operating system; it is the one that is used when others are on too |
//! | `gzip` (default) | responses may be compressed by gzip, which makes large pages some twenty times smaller |
//! | `zstd` (default) | the same by zstd |
//! | `blocking` | `blocking::Client`, for apps without asynchronous code |
//! | `csv` | [rows](mod@rows) as CSV |
//! | `metrics` | [figures](#metrics) of calls through the facade `metrics` |
//! | `mock` | a server that answers as a test says |
//! | `opentelemetry` | `traceparent`, or what else the app's propagator sends, goes along with requests |
//! | `schemars` | JSON Schemas of the types |
//! | `tower` | requests to a `tower` service in the same process |
//!
//! `rustls-ring` installs ring as the default of the process when a client is built, unless the app has installed another
//! provider; without `default-features = false`, aws-lc is still compiled. Without TLS, an `https` base URL is refused, unless the app brings an HTTP client of its own
//! ([`ClientBuilder::http_client`]).

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "blocking")]
pub mod blocking;
mod call;
mod client;
mod error;
// Compared with the generator's output byte by byte, so not formatted. Its lints are the generator's affair.
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
pub use self::types::date_bound::DateBound;
pub use self::types::ids::{
    DocumentId, OrganizationId, PersonId, PipelineId, PipelineItemId, ProductId, QuestionId,
};
pub use self::types::open_enums::{
    EntityType, ExecutionStatus, FundingStage, NotKnown, SyncStatus, UnknownValue, ValueCategory,
};
pub use self::types::result_value::ResultValue;
pub use self::types::unknown::{Unknown, UnknownKind};
pub use self::types::unknown_fields::UnknownFields;
pub use self::types::values::{Column, ColumnError, ColumnId};

// The example in the README is compiled with those of the crate.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
