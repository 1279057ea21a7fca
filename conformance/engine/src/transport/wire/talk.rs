//! Conversations on the wire: their bytes with a key, their responses, and the shell line that shows them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::{Wire, connect_timeout, no_key};
use crate::target::Role;
use crate::target::connection::HeaderSource;
use crate::target::key::ApiKey;
use crate::transport::body::Unread;
use crate::transport::failed::Failed;
use crate::transport::raw::line::{Piece, Place, line};
use crate::transport::raw::read::{Missing, Reader, Whole};
use crate::transport::raw::{Conversation, End, Message, Order, Talk};
use crate::transport::request::{Body, Credential, Request};
use crate::transport::response::{Arrival, HttpResponse};
use crate::transport::straight::Straight;

/// The limit on the body of a response: it is read whole, and several are read at once.
const LONGEST_BODY: u64 = 16_000_000;
/// How long a deployment may take to close a connection after the response.
const CLOSING: Duration = Duration::from_secs(5);
/// The pause after a piece of a request, in which the deployment reads it.
const BETWEEN_PIECES: Duration = Duration::from_millis(20);
/// The `User-Agent` of every request.
const USER_AGENT: &str = concat!("platform-conformance/", env!("CARGO_PKG_VERSION"));

impl Wire {
    /// Why nothing can be sent byte for byte, if it cannot.
    pub(crate) fn obstacle(&self) -> Option<&str> {
        self.straight.as_ref().err().map(String::as_str)
    }

    /// Holds a conversation once.
    ///
    /// # Errors
    /// When there is no connection, or no key.
    pub(crate) async fn talk(&self, conversation: &Conversation) -> Result<Talk, Failed> {
        let straight = self.straight.as_ref();
        let straight = straight.map_err(|reason| Failed::lasting(reason.clone()))?;
        let (mut pieces, mut shown) = (Vec::new(), Vec::new());
        for message in &conversation.messages {
            let parts = self.parts(message, straight);
            pieces.push(self.filled_in(&parts).await?);
            shown.push(parts.into_iter().map(Part::shown).collect());
        }
        let place = Place {
            host: &straight.host,
            port: straight.port,
            tls: straight.options.as_deref(),
        };
        let mut talking = Talking {
            wire: self,
            line: line(conversation, &shown, place).into(),
            responses: Vec::new(),
        };
        let stream = straight.connect(connect_timeout(self.timeout)).await?;
        let mut reader = Reader::new(stream, usize::try_from(self.longest_body()).unwrap_or(usize::MAX));
        let end = talking.go(conversation, &pieces, &mut reader).await;
        Ok(Talk {
            responses: talking.responses,
            end: match end {
                End::Strange(what) => End::Strange(self.secrets().excerpt(&what)),
                end => end,
            },
            line: talking.line,
            is_repeatable: conversation.only_reads(),
        })
    }

    /// The limit on the body of a response of a conversation.
    fn longest_body(&self) -> u64 {
        LONGEST_BODY.min(self.max_body.0)
    }

    /// A message as a request, for a person and for a record.
    pub(crate) fn as_request(message: &Message) -> Request {
        let field = |line: &String| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_owned(), value.trim().to_owned()))
        };
        Request {
            method: message.method.clone(),
            path: message.path.clone(),
            credential: match message.key {
                Some(role) => Credential::Role(role),
                None => Credential::Literal(Vec::new()),
            },
            headers: message.fields.iter().filter_map(field).collect(),
            body: (!message.body.is_empty()).then(|| Body::Text(message.body.clone())),
            waits: true,
        }
    }

    /// The parts of a message, in their order.
    fn parts(&self, message: &Message, straight: &Straight) -> Vec<Part> {
        let prefix = url::Url::parse(&self.base_url);
        let prefix = prefix.map_or(String::new(), |url| url.path().trim_end_matches('/').to_owned());
        let text = |text: String| Part::Text(text);
        let mut parts = vec![text(format!(
            "{} {prefix}{} {}\r\n",
            message.method, message.path, message.version
        ))];
        let is_host = |name: &str| name.eq_ignore_ascii_case("host");
        let mut along = self.connection.extra_headers();
        let host = along.find(|(name, _)| is_host(name));
        for _ in 0..message.hosts {
            match &host {
                None => parts.push(text(format!("Host: {}\r\n", straight.authority))),
                Some((name, source)) => parts.extend(self.along(name, source)),
            }
        }
        parts.push(text(format!("User-Agent: {USER_AGENT}\r\nAccept: */*\r\n")));
        if !message.is_key_last {
            parts.extend(self.key_field(message));
        }
        let along = self.connection.extra_headers();
        for (name, source) in along.filter(|(name, _)| !is_host(name)) {
            parts.extend(self.along(name, &source));
        }
        for line in &message.fields {
            parts.push(text(format!("{line}\r\n")));
        }
        if message.is_key_last {
            parts.extend(self.key_field(message));
        }
        parts.push(text("\r\n".to_owned()));
        let half = message.body.floor_char_boundary(message.body.len() / 2);
        let (one, other) = message.body.split_at(half);
        match message.is_in_pieces && !message.body.is_empty() {
            true => parts.extend([Part::Pause, text(one.to_owned()), Part::Pause, text(other.to_owned())]),
            false => parts.push(text(message.body.clone())),
        }
        parts
    }

    /// The header field with the key of a message, if it has one.
    fn key_field(&self, message: &Message) -> Vec<Part> {
        let Some(role) = message.key else {
            return Vec::new();
        };
        let (before, after) = &message.around_key;
        let pause = message.is_in_pieces.then_some(Part::Pause);
        let key = Part::Key(role, self.variable(role));
        let parts = std::iter::once(Part::Text(before.clone())).chain(pause);
        parts.chain([key, Part::Text(format!("{after}\r\n"))]).collect()
    }

    /// A header of the connection.
    fn along(&self, name: &str, source: &HeaderSource<'_>) -> Vec<Part> {
        match source {
            HeaderSource::Text(value) => vec![Part::Text(format!("{name}: {value}\r\n"))],
            HeaderSource::Variable(variable) => vec![
                Part::Text(format!("{name}: ")),
                Part::Along(name.to_owned(), (*variable).to_owned()),
                Part::Text("\r\n".to_owned()),
            ],
        }
    }

    /// The bytes of a message in its pieces, including secrets.
    async fn filled_in(&self, parts: &[Part]) -> Result<Vec<Vec<u8>>, Failed> {
        let mut pieces = Vec::new();
        let mut bytes = Vec::new();
        for part in parts {
            match part {
                Part::Pause => pieces.push(std::mem::take(&mut bytes)),
                Part::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Part::Along(name, _) => {
                    let mut along = self.connection.headers(&[]);
                    let found = along.find(|(known, _)| known.as_str().eq_ignore_ascii_case(name));
                    bytes.extend(found.into_iter().flat_map(|(_, value)| value.as_bytes().to_vec()));
                }
                Part::Key(role, _) => {
                    let lacking = || Failed::lasting(format!("no key of the role {}", role.as_str()));
                    let key: &ApiKey = self.key(*role).ok_or_else(lacking)?;
                    let header = key.header().await;
                    let header = header.map_err(|reason| Failed::lasting(no_key(*role, &reason)))?;
                    bytes.extend_from_slice(header.as_bytes());
                }
            }
        }
        pieces.push(bytes);
        Ok(pieces)
    }
}

/// A part of a message.
enum Part {
    Text(String),
    /// The end of a piece.
    Pause,
    /// The key of a role, and its variable.
    Key(Role, String),
    /// The value of a secret header of the connection, by its name, and its variable.
    Along(String, String),
}

impl Part {
    fn shown(self) -> Piece {
        match self {
            Self::Text(text) => Piece::Text(text),
            Self::Pause => Piece::Pause,
            Self::Key(_, variable) | Self::Along(_, variable) => Piece::Variable(variable),
        }
    }
}

/// A conversation in progress.
struct Talking<'a> {
    wire: &'a Wire,
    line: Arc<str>,
    responses: Vec<HttpResponse>,
}

impl Talking<'_> {
    async fn go<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        conversation: &Conversation,
        pieces: &[Vec<Vec<u8>>],
        reader: &mut Reader<S>,
    ) -> End {
        let messages = &conversation.messages;
        if conversation.order == Order::AtOnce {
            self.write(&[pieces.concat().concat()], conversation.is_ended, reader)
                .await;
        }
        for (position, message) in messages.iter().enumerate() {
            if conversation.order == Order::InTurn {
                let is_last = position + 1 == messages.len();
                let ends = conversation.is_ended && is_last;
                self.write(&pieces[position], ends, reader).await;
            }
            let start = Instant::now();
            let to_head = message.method == "HEAD";
            let response = match timeout(self.wire.timeout, reader.answer(to_head)).await {
                Err(_) => return End::Silent,
                Ok(Err(missing)) => return self.of_missing(missing),
                Ok(Ok(response)) => response,
            };
            let closes = response.closes;
            match self.answer(message, response, start.elapsed()) {
                Err(Unread::TooLong(_)) => return self.of_missing(Missing::TooLong),
                Err(Unread::Broken(_)) => return End::Cut,
                Ok(response) => self.responses.push(response),
            }
            if closes {
                return End::Closed;
            }
        }
        match conversation.watches_the_end {
            false => End::Open,
            true => match timeout(CLOSING, reader.end()).await {
                Err(_) => End::Open,
                Ok(missing) => self.of_missing(missing),
            },
        }
    }

    /// Sends the pieces of a message. A deployment that has already responded may accept no more of them.
    async fn write<S>(&self, pieces: &[Vec<u8>], is_end: bool, reader: &mut Reader<S>)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let stream = reader.stream();
        let writing = async {
            for (place, piece) in pieces.iter().enumerate() {
                if place > 0 {
                    sleep(BETWEEN_PIECES).await;
                }
                stream.write_all(piece).await?;
                stream.flush().await?;
            }
            match is_end {
                true => stream.shutdown().await,
                false => Ok(()),
            }
        };
        let _ = timeout(self.wire.timeout, writing).await;
    }

    fn of_missing(&self, missing: Missing) -> End {
        match missing {
            Missing::Closed => End::Closed,
            Missing::Cut => End::Cut,
            Missing::TooLong => End::TooLong(self.wire.longest_body()),
            Missing::Strange(what) => End::Strange(what),
        }
    }

    fn answer(&self, message: &Message, whole: Whole, took: Duration) -> Result<HttpResponse, Unread> {
        let arrival = Arrival {
            until_head: took,
            until_end: took,
            version: whole.version,
            bytes: whole.body.len(),
            attempts: 1,
        };
        let parsed = self.wire.max_body.parse(whole.body)?;
        Ok(HttpResponse {
            status: whole.status,
            headers: whole.headers,
            is_json: parsed.json.is_some(),
            body: parsed.json.unwrap_or(Value::Null),
            text: parsed.text,
            not_utf_8: parsed.not_utf_8,
            departures: Vec::new(),
            arrival,
            curl: Arc::clone(&self.line),
            request: Arc::new(Wire::as_request(message)),
            secrets: self.wire.secrets(),
        })
    }
}
