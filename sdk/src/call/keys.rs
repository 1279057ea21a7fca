//! The key that a client sends: a fixed one, or the newest from the app's provider.
//!
//! All clones share it. A rejected key is replaced once, however many calls sent it: the calls that
//! need a new key wait for the same request to the provider.

use std::collections::VecDeque;
use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_core::future::BoxFuture;
use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};
use reqwest::header::HeaderValue;

use crate::call::api_key::ApiKey;

type BoxError = Box<dyn StdError + Send + Sync>;

/// Number of newest keys redacted from errors. A server repeats only what it was just sent, so
/// older keys need no redaction.
const MOST_HIDDEN: usize = 8;

/// Provides the key of a client, for keys that expire or are rotated. Set it with
/// [`ClientBuilder::api_key_provider`](crate::ClientBuilder::api_key_provider).
///
/// An async function without parameters implements this trait. To implement it for a type, define
/// its one method.
///
/// ```
/// use std::error::Error;
/// use std::pin::Pin;
///
/// use platform_sdk::{ApiKey, ApiKeyProvider, Client};
///
/// /// A file that another process rewrites.
/// struct KeyFile(std::path::PathBuf);
///
/// impl ApiKeyProvider for KeyFile {
///     fn api_key(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, Box<dyn Error + Send + Sync>>> + Send + '_>> {
///         Box::pin(async {
///             let text = std::fs::read_to_string(&self.0)?;
///             Ok(ApiKey::new(text.trim_end())?)
///         })
///     }
/// }
///
/// let client = Client::builder()
///     .base_url("https://api.example/platform")
///     .api_key_provider(KeyFile("/run/secrets/platform".into()))
///     .build()?;
/// # Ok::<(), platform_sdk::Error>(())
/// ```
pub trait ApiKeyProvider: Send + Sync + 'static {
    /// Returns the key to send from now on.
    ///
    /// The future runs on the tokio runtime of the call that needs the key. All calls that wait for
    /// the key share it, and it is dropped when all of them are dropped. It must not use the client
    /// that it provides the key for.
    ///
    /// # Errors
    /// The calls that wait for the key fail, and this error is the
    /// [source](std::error::Error::source) of theirs. It must not contain a key.
    fn api_key(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>>;
}

impl<F, Fut, E> ApiKeyProvider for F
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ApiKey, E>> + Send + 'static,
    E: Into<BoxError>,
{
    fn api_key(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>> {
        let key = self();
        Box::pin(async move { key.await.map_err(Into::into) })
    }
}

pub(crate) enum Keys {
    Fixed(ApiKey),
    Provided(Provided),
}

/// A key as it was sent.
#[derive(Clone)]
pub(crate) struct Key {
    api_key: ApiKey,
    /// Position among the provided keys. The provider may return the same text again.
    number: u64,
}

impl Key {
    fn fixed(api_key: &ApiKey) -> Self {
        Self {
            api_key: api_key.clone(),
            number: 0,
        }
    }

    pub(crate) fn header(&self) -> HeaderValue {
        self.api_key.header()
    }
}

impl Keys {
    pub(crate) fn provided(first: Option<ApiKey>, provider: Arc<dyn ApiKeyProvider>) -> Self {
        let mut state = State::default();
        if let Some(first) = first {
            state.hold(first);
        }
        Self::Provided(Provided {
            provider,
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// Returns the key to send, if one is known without calling the provider.
    pub(crate) fn at_hand(&self) -> Option<Key> {
        match self {
            Self::Fixed(api_key) => Some(Key::fixed(api_key)),
            Self::Provided(provided) => lock(&provided.state).current.clone(),
        }
    }

    /// Returns the key to send, calling the provider if needed.
    ///
    /// # Errors
    /// The provider's error.
    pub(crate) async fn get(&self) -> Result<Key, Arc<dyn StdError + Send + Sync>> {
        match self {
            Self::Fixed(api_key) => Ok(Key::fixed(api_key)),
            Self::Provided(provided) => provided.renewal().await,
        }
    }

    /// Records that a server rejected the key. Returns whether there may be another.
    pub(crate) fn reject(&self, key: &Key) -> bool {
        match self {
            Self::Fixed(_) => false,
            Self::Provided(provided) => {
                let mut state = lock(&provided.state);
                // Another call may already have replaced it.
                state.current.take_if(|current| current.number == key.number);
                true
            }
        }
    }

    /// Returns all keys to redact from errors.
    pub(crate) fn to_hide(&self) -> Vec<ApiKey> {
        match self {
            Self::Fixed(api_key) => vec![api_key.clone()],
            Self::Provided(provided) => lock(&provided.state).newest.iter().cloned().collect(),
        }
    }
}

type Renewal = BoxFuture<'static, Result<Key, Arc<dyn StdError + Send + Sync>>>;

pub(crate) struct Provided {
    provider: Arc<dyn ApiKeyProvider>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// `None` before the first key and after a rejection.
    current: Option<Key>,
    /// Number of keys so far.
    count: u64,
    /// The newest keys, without duplicates.
    newest: VecDeque<ApiKey>,
    /// The provider request in progress. Only the calls that wait for it keep it alive.
    renewal: Option<WeakShared<Renewal>>,
}

impl Provided {
    /// Returns the provider request in progress, or a new one.
    fn renewal(&self) -> Shared<Renewal> {
        let mut state = lock(&self.state);
        if let Some(key) = state.current.clone() {
            // Another call got the key in the meantime.
            return async { Ok(key) }.boxed().shared();
        }
        let under_way = state.renewal.as_ref().and_then(WeakShared::upgrade);
        under_way.unwrap_or_else(|| {
            let provider = Arc::clone(&self.provider);
            let shared_state = Arc::clone(&self.state);
            let renewal = async move {
                let provided = provider.api_key().await;
                let mut state = lock(&shared_state);
                state.renewal = None;
                provided.map(|key| state.hold(key)).map_err(Arc::from)
            };
            let renewal = renewal.boxed().shared();
            state.renewal = renewal.downgrade();
            renewal
        })
    }
}

impl State {
    fn hold(&mut self, api_key: ApiKey) -> Key {
        self.newest.retain(|known| known.expose() != api_key.expose());
        self.newest.push_back(api_key.clone());
        if self.newest.len() > MOST_HIDDEN {
            self.newest.pop_front();
        }
        self.count += 1;
        let key = Key {
            api_key,
            number: self.count,
        };
        self.current = Some(key.clone());
        key
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // No code panics while holding the lock.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Keys, MOST_HIDDEN, State, lock};
    use crate::{ApiKey, Error};

    #[test]
    fn newest_keys_are_hidden_once() -> Result<(), Error> {
        let mut state = State::default();
        for key in ["first", "second", "first"] {
            state.hold(ApiKey::new(key)?);
        }
        let hidden = |state: &State| -> Vec<String> {
            let keys = state.newest.iter().map(|key| key.expose().to_owned());
            keys.collect()
        };
        assert_eq!(hidden(&state), ["second", "first"]);
        for number in 0..MOST_HIDDEN {
            state.hold(ApiKey::new(format!("key-{number}"))?);
        }
        let hidden = hidden(&state);
        assert_eq!(hidden.len(), MOST_HIDDEN);
        assert_eq!(hidden.first().map(String::as_str), Some("key-0"));
        Ok(())
    }

    #[test]
    fn same_key_provided_again_is_not_the_rejected_one() -> Result<(), Error> {
        let key = || ApiKey::new("the-same-text");
        let keys = Keys::provided(Some(key()?), Arc::new(|| async { ApiKey::new("x") }));
        let Keys::Provided(provided) = &keys else {
            panic!("the keys are fixed");
        };
        let first = keys.at_hand();
        lock(&provided.state).hold(key()?);
        // A late response rejects the first key.
        assert!(first.is_some_and(|first| keys.reject(&first)));
        assert!(keys.at_hand().is_some());
        Ok(())
    }
}
