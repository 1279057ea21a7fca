//! A command that prints a key, for keys that expire or are stored in a vault.
//!
//! Its output is the key, so no error repeats it.

use std::fmt;
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::target::shell::quote;

/// The time limit for a command.
const LONGEST: Duration = Duration::from_secs(60);
/// The interval of checks whether the command has ended.
const BEAT: Duration = Duration::from_millis(10);
/// How long the output is read after the command has ended.
const REST: Duration = Duration::from_secs(2);
/// The limit on output that is read, in bytes.
const OUTPUT: u64 = 64 * 1024;

/// A program with its arguments, which prints a key, and how long such a key lasts.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use std::time::Duration;
///
/// use platform_conformance::KeyCommand;
///
/// let command = KeyCommand::new(["vault", "read", "-field=key", "secret/staging"])?
///     .lasting(Duration::from_secs(600));
/// assert_eq!(command.to_string(), "vault read -field=key secret/staging");
/// # Ok::<(), platform_conformance::KeyCommandError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct KeyCommand {
    words: Vec<String>,
    lasts: Option<Duration>,
}

/// Why a command returned no key. No variant repeats what it printed.
#[derive(Debug, thiserror::Error)]
pub enum KeyCommandError {
    /// No program was given.
    #[error("the command is empty: name a program and its arguments, such as [\"vault\", \"read\", \"…\"]")]
    Empty,
    /// The program did not start.
    #[error("the command could not be started ({0}): the first word is a program, and no shell reads it")]
    NotStarted(io::Error),
    /// The program failed.
    #[error("the command failed ({0}): run it in a terminal to see why")]
    Failed(ExitStatus),
    /// The program did not end in time.
    #[error("the command did not end within {} s: it must not prompt for input", LONGEST.as_secs())]
    TooSlow,
    /// It printed something other than a key.
    #[error("the command must print the key on one line, but printed {0}")]
    Output(&'static str),
    /// The key is in the command itself, where every report would show it.
    #[error("the command contains the key itself: name a command that looks it up")]
    HoldsKey,
}

impl KeyCommand {
    /// A program with its arguments, run without a shell.
    ///
    /// # Errors
    /// When no program is given.
    pub fn new(words: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, KeyCommandError> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        match words.first() {
            Some(program) if !program.trim().is_empty() => Ok(Self { words, lasts: None }),
            _ => Err(KeyCommandError::Empty),
        }
    }

    /// Runs the command again when a key is this old.
    #[must_use]
    pub fn lasting(mut self, lasts: Duration) -> Self {
        self.lasts = Some(lasts);
        self
    }

    /// The program and its arguments.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// How long a key lasts, if known.
    pub const fn lasts(&self) -> Option<Duration> {
        self.lasts
    }

    /// The text shown instead of the key after the `$` of a shell line.
    pub(crate) fn variable(&self) -> String {
        format!("({self})")
    }

    /// Runs it and returns what it printed, without white space around it.
    ///
    /// # Errors
    /// When that is not a key.
    pub(crate) fn output(&self) -> Result<String, KeyCommandError> {
        let (program, arguments) = self.words.split_first().ok_or(KeyCommandError::Empty)?;
        // Its error output may contain the key, too.
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(KeyCommandError::NotStarted)?;
        let stdout = child.stdout.take();
        let (sender, printed) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|stdout| stdout.take(OUTPUT).read_to_end(&mut bytes));
            // Nobody waits for a command that took too long.
            let _ = sender.send(read.unwrap_or(Ok(0)).map(|_| bytes));
        });
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(KeyCommandError::NotStarted)? {
                break status;
            }
            if begin.elapsed() > LONGEST {
                // It may have ended in the meantime.
                let _ = child.kill();
                let _ = child.wait();
                return Err(KeyCommandError::TooSlow);
            }
            thread::sleep(BEAT);
        };
        if !status.success() {
            return Err(KeyCommandError::Failed(status));
        }
        // A child process of the command may keep its output open.
        let bytes = printed.recv_timeout(REST).ok().and_then(Result::ok);
        let bytes = bytes.unwrap_or_default();
        let text = String::from_utf8(bytes).map_err(|_| KeyCommandError::Output("something that is not text"))?;
        match text.trim() {
            "" => Err(KeyCommandError::Output("nothing")),
            text if text.contains(['\n', '\r']) => Err(KeyCommandError::Output("more than one line")),
            key if self.words.iter().any(|word| word.contains(key)) => Err(KeyCommandError::HoldsKey),
            key => Ok(key.to_owned()),
        }
    }
}

impl fmt::Display for KeyCommand {
    /// Writes the command in shell syntax.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |word: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@,+".contains(&byte);
            !word.is_empty() && word.bytes().all(plain)
        };
        for (position, word) in self.words.iter().enumerate() {
            let space = if position == 0 { "" } else { " " };
            match is_plain(word) {
                true => write!(f, "{space}{word}")?,
                false => write!(f, "{space}{}", quote(word))?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for KeyCommand {
    /// Writes only the program: a key may have been pasted as an argument.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.words.first().map_or("", String::as_str);
        write!(f, "KeyCommand({program:?}, ..)")
    }
}

/// A time such as `90s`, `10m` or `1h`.
pub(crate) fn period(text: &str) -> Option<Duration> {
    let seconds_of = |unit| match unit {
        's' => Some(1),
        'm' => Some(60),
        'h' => Some(3600),
        _ => None,
    };
    let unit = text.chars().last()?;
    let number = text.strip_suffix(unit)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = number.parse().ok().filter(|_| is_number)?;
    let seconds = number.checked_mul(seconds_of(unit)?)?;
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn period_has_a_unit() {
        for (text, seconds) in [("90s", 90), ("10m", 600), ("1h", 3600)] {
            assert_eq!(period(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "10", "m", "0m", "-1m", "+1m", "1.5h", "10 m", "1d", "10µ"] {
            assert_eq!(period(text), None, "{text}");
        }
    }

    #[test]
    fn command_is_shown_in_shell_syntax() {
        let command = KeyCommand::new(["pass", "show", "it's $HOME", ""]).unwrap();
        assert_eq!(command.to_string(), r"pass show 'it'\''s $HOME' ''");
        assert!(KeyCommand::new(Vec::<String>::new()).is_err());
        assert!(KeyCommand::new([" "]).is_err());
    }
}
