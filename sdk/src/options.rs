//! What can be different for one call: a clone of the client has it, and all that is done with the clone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::header::{
    ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use crate::operation::Operation;
use crate::{Client, Error, RetryPolicy};

#[derive(Clone, Default)]
pub(crate) struct CallOptions {
    /// In place of the contract's time-outs.
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) total_timeout: Option<Duration>,
    pub(crate) deadline: Option<Instant>,
    pub(crate) retry_policy: RetryPolicy,
    pub(crate) headers: HeaderMap,
    /// Counts the answers 429, for who sends several requests at once.
    pub(crate) rate_limits: Option<Arc<AtomicU64>>,
}

impl CallOptions {
    pub(crate) fn note_rate_limit(&self) {
        if let Some(count) = &self.rate_limits {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// # Options of a call
///
/// Each gives a clone of the client, which is cheap and shares its connections and its retry budget.
/// The options hold for all that is done with the clone.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use std::time::Duration;
/// use platform_sdk::RetryPolicy;
///
/// let page = client
///     .with_deadline(Duration::from_secs(5))
///     .with_attempt_timeout(Duration::from_secs(2))
///     .with_retry_policy(RetryPolicy::never())
///     .with_header("X-Request-Id", "import-7")?
///     .list_items()
///     .pipeline_id(1)
///     .send()
///     .await?;
/// # Ok(())
/// # }
/// ```
impl Client {
    /// A client whose calls end within `duration` from now, all of them: the attempts of a call, the pages
    /// of a walk, the polls of a wait. A deadline that it has already stays, if it is the earlier one.
    #[must_use = "the client itself stays as it is"]
    pub fn with_deadline(&self, duration: Duration) -> Self {
        let deadline = self.inner.settings.clock.now().checked_add(duration);
        self.ending_by(deadline)
    }

    /// A client whose calls end at `deadline` at the latest.
    pub(crate) fn ending_by(&self, deadline: Option<Instant>) -> Self {
        self.with(|options| options.deadline = earlier(options.deadline, deadline))
    }

    /// A client of which one attempt at any operation may take `timeout`, in place of what the contract
    /// says.
    #[must_use = "the client itself stays as it is"]
    pub fn with_attempt_timeout(&self, timeout: Duration) -> Self {
        self.with(|options| options.attempt_timeout = Some(timeout))
    }

    /// A client that tries its calls again as `policy` says.
    #[must_use = "the client itself stays as it is"]
    pub fn with_retry_policy(&self, policy: RetryPolicy) -> Self {
        self.with(|options| options.retry_policy = policy)
    }

    /// A client that sends a header of the app's with each request, in place of one of the same name.
    ///
    /// # Errors
    /// Name or value do not fit a header, or the header is one that the SDK sets: `API-Key`, `Accept`,
    /// `Content-Length`, `Content-Type`, `Host` and `User-Agent`.
    pub fn with_header<N, V>(&self, name: N, value: V) -> Result<Self, Error>
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        let refused = |why: &str| Error::configuration(format!("the header {why}"));
        let name = name
            .try_into()
            .map_err(|_| refused("has a name that is none"))?;
        // The value is not repeated: it may be a secret.
        let value = value
            .try_into()
            .map_err(|_| refused(&format!("{name} has a value that does not fit")))?;
        let own = [ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, USER_AGENT];
        if own.contains(&name) || name == "api-key" {
            return Err(refused(&format!("{name} is set by the SDK")));
        }
        Ok(self.with(|options| {
            options.headers.insert(name, value);
        }))
    }

    /// A client that counts the answers 429 that it gets.
    pub(crate) fn with_rate_limit_count(&self, count: Arc<AtomicU64>) -> Self {
        self.with(|options| options.rate_limits = Some(count))
    }

    /// A client for the several requests that are one call to who made it.
    pub(crate) fn for_one_call(&self) -> Self {
        self.ending_by(self.deadline_of_a_call())
    }

    fn with(&self, change: impl FnOnce(&mut CallOptions)) -> Self {
        let mut client = self.clone();
        change(Arc::make_mut(&mut client.inner.options));
        client
    }

    pub(crate) fn retry_policy(&self) -> &RetryPolicy {
        &self.inner.options.retry_policy
    }

    pub(crate) fn attempt_timeout(&self, operation: &Operation) -> Duration {
        let chosen = self.inner.options.attempt_timeout;
        chosen.unwrap_or(operation.timeout)
    }

    /// When a call that begins now has to end.
    pub(crate) fn deadline_of_a_call(&self) -> Option<Instant> {
        let options = &self.inner.options;
        let total = options.total_timeout.and_then(|timeout| {
            let now = self.inner.settings.clock.now();
            now.checked_add(timeout)
        });
        earlier(options.deadline, total)
    }
}

fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    one.into_iter().chain(other).min()
}
