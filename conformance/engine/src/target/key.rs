//! API keys: secrets that cannot be printed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::header::HeaderValue;

use crate::secret::Secret;
use crate::target::command::{KeyCommand, KeyCommandError};
use crate::target::near_key::NearKey;

/// How long a failed command is not run again.
const REST: Duration = Duration::from_secs(10);

/// The default environment variable of the key with full access.
pub const API_KEY_VARIABLE: &str = "PLATFORM_API_KEY";

/// An API key, with the name of the environment variable that shown requests contain instead.
///
/// It can only be sent in a request header: `Debug` shows the variable.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::ApiKey;
///
/// let key = ApiKey::new("secret-123", "PLATFORM_API_KEY")?;
/// assert_eq!(format!("{key:?}"), "$PLATFORM_API_KEY");
/// # Ok::<(), platform_conformance::InvalidApiKey>(())
/// ```
#[derive(Clone)]
pub struct ApiKey {
    secret: Secret,
    header: HeaderValue,
    renewal: Option<Arc<Renewal>>,
}

/// Renews a key that a command prints. All clones of the key share it.
struct Renewal {
    command: KeyCommand,
    state: Mutex<State>,
    /// Locked while the command runs: other tasks wait for its key.
    running: tokio::sync::Mutex<()>,
}

struct State {
    /// All values of the key so far, the current one last. All of them are secret.
    values: Vec<Secret>,
    header: HeaderValue,
    read_at: Instant,
    /// Whether the deployment accepted the current value. After a 401 only the request that got 401 shows
    /// this: it may be a request that is rejected with every key.
    accepted: bool,
    /// Whether a 401 led to the current value.
    after_401: bool,
    /// Whether a new key got a 401 like the one before it: the key is not the reason.
    cleared: bool,
    /// When the command last failed, and why.
    failed: Option<(Instant, String)>,
}

impl State {
    fn of(secret: Secret, header: HeaderValue) -> Self {
        Self {
            values: vec![secret],
            header,
            read_at: Instant::now(),
            accepted: false,
            after_401: false,
            cleared: false,
            failed: None,
        }
    }
}

/// A text that cannot be an API key: it is empty, or contains characters that a header cannot contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the API key is empty or contains characters that a header cannot carry")]
pub struct InvalidApiKey;

/// Why a command returned no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyFromCommandError {
    /// It printed no key.
    #[error(transparent)]
    Command(#[from] KeyCommandError),
    /// It printed a text that cannot be a key.
    #[error("the command printed something other than a key: {0}")]
    Invalid(#[from] InvalidApiKey),
}

impl ApiKey {
    /// A key, and the environment variable that is shown instead of it.
    ///
    /// # Errors
    /// [`InvalidApiKey`], which does not repeat the text.
    pub fn new(secret: impl Into<String>, variable: impl Into<String>) -> Result<Self, InvalidApiKey> {
        let secret = secret.into();
        let mut header = HeaderValue::from_str(&secret).map_err(|_| InvalidApiKey)?;
        header.set_sensitive(true);
        if secret.trim().is_empty() {
            return Err(InvalidApiKey);
        }
        Ok(Self {
            secret: Secret::new(secret, variable),
            header,
            renewal: None,
        })
    }

    /// Runs a command and uses its output as the key. The command runs again when the key is older than
    /// [`KeyCommand::lasting`], and when the deployment rejects a key that it accepted before. Requests show the
    /// command instead of the key: `$(vault read …)`.
    ///
    /// # Errors
    /// When the command fails or prints something other than a key. No error repeats what it printed.
    pub fn from_command(command: KeyCommand) -> Result<Self, KeyFromCommandError> {
        let key = Self::new(command.output()?, command.variable())?;
        let state = Mutex::new(State::of(key.secret.clone(), key.header.clone()));
        Ok(Self {
            renewal: Some(Arc::new(Renewal {
                command,
                state,
                running: tokio::sync::Mutex::default(),
            })),
            ..key
        })
    }

    /// The environment variable that requests show instead of the key. For a key from a command, `(COMMAND)`.
    pub fn variable(&self) -> &str {
        self.secret.variable()
    }

    /// The command that prints the key, if one does.
    pub fn command(&self) -> Option<&KeyCommand> {
        self.renewal.as_ref().map(|renewal| &renewal.command)
    }

    /// The header to send. Runs the command again when the key has become too old.
    ///
    /// # Errors
    /// Why the command returned no key, for a person.
    pub(crate) async fn header(&self) -> Result<HeaderValue, String> {
        let Some(renewal) = &self.renewal else {
            return Ok(self.header.clone());
        };
        if renewal.is_old() {
            let _turn = renewal.running.lock().await;
            if renewal.is_old() {
                renewal.renew(false).await?;
            }
        }
        Ok(renewal.state.lock().header.clone())
    }

    /// The number of values so far.
    pub(crate) fn values(&self) -> usize {
        match &self.renewal {
            None => 1,
            Some(renewal) => renewal.state.lock().values.len(),
        }
    }

    /// Records that the deployment accepted the value with this number. `was_401` is whether the request was answered
    /// 401 with an earlier value.
    pub(crate) fn accepted(&self, value: usize, was_401: bool) {
        if let Some(renewal) = &self.renewal {
            let mut state = renewal.state.lock();
            if state.values.len() == value {
                state.accepted |= was_401 || !state.after_401;
            }
        }
    }

    /// Whether there is a value other than the one with this number, which got 401. Runs the command when that
    /// value was accepted before: it may have expired early.
    ///
    /// # Errors
    /// Why the command returned no key, for a person.
    pub(crate) async fn is_renewed(&self, value: usize) -> Result<bool, String> {
        let Some(renewal) = &self.renewal else {
            return Ok(false);
        };
        let _turn = renewal.running.lock().await;
        {
            let mut state = renewal.state.lock();
            if state.values.len() > value {
                return Ok(true);
            }
            if !state.accepted {
                state.cleared |= state.after_401;
            }
            if !state.accepted || state.cleared {
                return Ok(false);
            }
        }
        renewal.renew(true).await?;
        Ok(renewal.state.lock().values.len() > value)
    }

    /// The header with a text similar to the current value; `None` if there is no similar text of this kind.
    pub(crate) fn near(&self, near: NearKey) -> Option<HeaderValue> {
        let text = near.of(self.secrets().last()?.reveal())?;
        let mut header = HeaderValue::from_str(&text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// The secrets to keep out of reports: all values so far, and the texts similar to them, which are sent too.
    pub(crate) fn hidden(&self) -> Vec<Secret> {
        let values = self.secrets();
        let near: Vec<_> = values.iter().flat_map(NearKey::secrets_near).collect();
        values.into_iter().chain(near).collect()
    }

    /// All values so far, the current one last.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        match &self.renewal {
            None => vec![self.secret.clone()],
            Some(renewal) => renewal.state.lock().values.clone(),
        }
    }
}

impl Renewal {
    fn is_old(&self) -> bool {
        let lasts = self.command.lasts();
        lasts.is_some_and(|lasts| self.state.lock().read_at.elapsed() >= lasts)
    }

    /// Runs the command and uses its key.
    async fn renew(&self, after_401: bool) -> Result<(), String> {
        if let Some((at, reason)) = &self.state.lock().failed
            && at.elapsed() < REST
        {
            return Err(reason.clone());
        }
        let command = self.command.clone();
        let printed = tokio::task::spawn_blocking(move || {
            let key = ApiKey::new(command.output()?, command.variable())?;
            Ok::<_, KeyFromCommandError>(key)
        });
        let printed = match printed.await {
            Ok(printed) => printed.map_err(|error| error.to_string()),
            Err(_) => Err("the run ended before the command".to_owned()),
        };
        let mut state = self.state.lock();
        match printed {
            Ok(key) => {
                state.read_at = Instant::now();
                state.failed = None;
                if key.header == state.header {
                    // The command printed the same key again, so the key is not the reason for the 401.
                    state.cleared |= after_401;
                } else {
                    state.values.push(key.secret);
                    state.header = key.header;
                    (state.accepted, state.after_401) = (false, after_401);
                    state.cleared &= after_401;
                }
                Ok(())
            }
            Err(reason) => {
                state.failed = Some((Instant::now(), reason.clone()));
                Err(reason)
            }
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.secret.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::*;
    use crate::redact::Secrets;

    /// A key whose command prints another value each time; its first value was accepted and then rejected.
    async fn renewed_once() -> ApiKey {
        let command = KeyCommand::new(["sh", "-c", "echo key-$$"]).unwrap();
        let key = ApiKey::from_command(command).unwrap();
        key.accepted(1, false);
        assert_eq!(key.is_renewed(1).await, Ok(true));
        assert_eq!(key.values(), 2);
        key
    }

    #[test]
    fn near_copies_of_a_key_are_hidden_in_every_form() {
        let key = ApiKey::new("sk-live-51f0c9a7", "PLATFORM_API_KEY").unwrap();
        let near = BASE64_STANDARD.encode("SK-LIVE-51F0C9A7");
        let said = format!("unknown key {near}");
        let without = |secrets: Vec<Secret>| Secrets::new(secrets, "").said(&said);
        assert_eq!(without(key.hidden()), "unknown key $PLATFORM_API_KEY");
        // The key alone does not find it.
        assert_eq!(without(key.secrets()), said);
    }

    #[tokio::test]
    async fn key_that_ended_a_401_is_renewed_when_it_expires() {
        let key = renewed_once().await;
        key.accepted(2, true);
        assert_eq!(key.is_renewed(2).await, Ok(true));
        assert_eq!(key.values(), 3);
    }

    #[tokio::test]
    async fn accepted_requests_alone_do_not_blame_the_key_for_a_401() {
        let key = renewed_once().await;
        key.accepted(2, false);
        assert_eq!(key.is_renewed(2).await, Ok(false));
        assert_eq!(key.values(), 2);
    }
}
