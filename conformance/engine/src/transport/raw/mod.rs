//! Requests byte for byte, several on one connection: requests that no HTTP client sends, and responses in detail that
//! none shows.

pub(crate) mod line;
pub(crate) mod read;

use std::sync::Arc;

use crate::target::Role;
use crate::transport::response::HttpResponse;

/// The methods that must not occur in a request of a read-only run, anywhere a deployment might look for one.
const WRITES: [&str; 5] = ["POST ", "PUT ", "PATCH ", "DELETE ", "CONNECT "];

/// A request as sent over the wire. By default it has one header `Host`, the full-access key and no body.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// use platform_conformance::Message;
///
/// let twice = Message::get("/api/v1/pipelines/1/items").hosts(2);
/// assert!(twice.only_reads());
/// let body = Message::get("/").body("POST / HTTP/1.1");
/// assert!(!body.only_reads());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a message does nothing until it is sent"]
pub struct Message {
    pub(crate) method: String,
    /// The path and the query, from the base URL on.
    pub(crate) path: String,
    /// The part after the path in the first line.
    pub(crate) version: String,
    pub(crate) key: Option<Role>,
    /// The text before and after the key in its header field.
    pub(crate) around_key: (String, String),
    /// Whether the field with the key comes after the further lines.
    pub(crate) is_key_last: bool,
    /// Whether it is sent in several pieces, with a pause after each.
    pub(crate) is_in_pieces: bool,
    /// The number of `Host` headers.
    pub(crate) hosts: usize,
    /// Further lines of the head, as written.
    pub(crate) fields: Vec<String>,
    pub(crate) body: String,
}

impl Message {
    /// A request with this method, to a path from the base URL on.
    pub fn new(method: &str, path: impl Into<String>) -> Self {
        Self {
            method: method.to_owned(),
            path: path.into(),
            version: "HTTP/1.1".to_owned(),
            key: Some(Role::FullAccess),
            around_key: ("API-Key: ".to_owned(), String::new()),
            is_key_last: false,
            is_in_pieces: false,
            hosts: 1,
            fields: Vec::new(),
            body: String::new(),
        }
    }

    /// A request with the method GET.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new("GET", path)
    }

    /// Sends the key of another role, or none.
    pub fn key(mut self, role: impl Into<Option<Role>>) -> Self {
        self.key = role.into();
        self
    }

    /// Writes the header field of the key with this text before and after the key, by default `API-Key: ` and nothing.
    pub fn around_key(mut self, before: &str, after: &str) -> Self {
        self.around_key = (before.to_owned(), after.to_owned());
        self
    }

    /// Sends the key after all other headers.
    pub fn key_last(mut self) -> Self {
        self.is_key_last = true;
        self
    }

    /// Sends it in several pieces, with a pause after each: as a slow network delivers it.
    pub fn in_pieces(mut self) -> Self {
        self.is_in_pieces = true;
        self
    }

    /// Sets the part after the path in the first line, `HTTP/1.1` by default.
    pub fn version(mut self, text: &str) -> Self {
        text.clone_into(&mut self.version);
        self
    }

    /// Sends the header `Host` this many times.
    pub fn hosts(mut self, count: usize) -> Self {
        self.hosts = count;
        self
    }

    /// Adds a line to the head, as written.
    pub fn line(mut self, line: impl Into<String>) -> Self {
        self.fields.push(line.into());
        self
    }

    /// Sets the body, without a header for its length.
    pub fn unframed_body(mut self, text: impl Into<String>) -> Self {
        self.body = text.into();
        self
    }

    /// Sets the body, and its length in the header `Content-Length`.
    pub fn body(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.line(format!("Content-Length: {}", text.len())).unframed_body(text)
    }

    /// Whether it only reads, wherever a deployment assumes that a request begins in it: its method is GET or HEAD, and
    /// no other method occurs in it.
    pub fn only_reads(&self) -> bool {
        let fields = self.fields.iter().map(String::as_str);
        let mut texts = fields.chain([self.path.as_str(), &self.version, &self.body]);
        matches!(self.method.as_str(), "GET" | "HEAD")
            && !texts.any(|text| WRITES.iter().any(|method| text.contains(method)))
    }
}

/// Requests on one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a conversation does nothing until it is sent"]
pub struct Conversation {
    pub(crate) messages: Vec<Message>,
    pub(crate) order: Order,
    pub(crate) is_ended: bool,
    pub(crate) watches_the_end: bool,
}

/// When the next request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// When the previous one has its response.
    InTurn,
    /// At once.
    AtOnce,
}

impl Conversation {
    /// One request.
    pub fn of(message: Message) -> Self {
        Self::in_turn([message])
    }

    /// Requests that are each sent when the previous one has its response.
    pub fn in_turn(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            order: Order::InTurn,
            is_ended: false,
            watches_the_end: false,
        }
    }

    /// Requests that are all sent at once (RFC 9112, section 9.3.2).
    pub fn at_once(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            order: Order::AtOnce,
            ..Self::in_turn(messages)
        }
    }

    /// Closes the sending side after the last request, as a departing client does.
    pub fn ended(mut self) -> Self {
        self.is_ended = true;
        self
    }

    /// Waits after the last response to see whether the deployment closes the connection.
    pub fn watching_the_end(mut self) -> Self {
        self.watches_the_end = true;
        self
    }

    /// Whether all of it only reads.
    pub fn only_reads(&self) -> bool {
        self.messages.iter().all(Message::only_reads)
    }
}

/// The result of a conversation.
#[derive(Debug)]
pub struct Talk {
    /// The responses, in the order in which they came.
    pub responses: Vec<HttpResponse>,
    /// What came after them.
    pub end: End,
    /// The conversation, as a shell line.
    pub line: Arc<str>,
    pub(crate) is_repeatable: bool,
}

impl Talk {
    /// Whether a quota, or trouble on the way, responded instead of the deployment. A conversation that might change
    /// something is held only once, so temporary trouble cannot be distinguished from a fault of the deployment.
    pub fn is_disturbed(&self) -> bool {
        let is_turned_away = self.responses.iter().any(|response| response.status == 429);
        is_turned_away || !self.is_repeatable && self.passing().is_some()
    }

    /// Returns what looks like trouble on the way: a 503, an error of a gateway, or no response at all.
    pub(crate) fn trouble(&self) -> Option<String> {
        let nothing = || self.responses.is_empty().then(|| self.end.shown().to_owned());
        self.passing().map(HttpResponse::summary).or_else(nothing)
    }

    fn passing(&self) -> Option<&HttpResponse> {
        let is_passing = |status: u16, is_json: bool| status == 503 || (matches!(status, 502 | 504) && !is_json);
        let mut responses = self.responses.iter();
        responses.find(|response| is_passing(response.status, response.is_json))
    }
}

/// What came after the last response of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The connection stays open, or was not watched.
    Open,
    /// The deployment closed the connection, or announced that it will.
    Closed,
    /// The connection was cut. A response may have been lost.
    Cut,
    /// A response is missing: it did not come in time.
    Silent,
    /// A response is longer than this number of bytes, and was not read.
    TooLong(u64),
    /// Something that is not a response; the text describes it.
    Strange(String),
}

impl End {
    /// Returns it as the end of a sentence, for a person.
    pub fn shown(&self) -> &str {
        match self {
            Self::Open => "the connection stays open",
            Self::Closed => "the connection is closed",
            Self::Cut => "the connection is cut",
            Self::Silent => "no response comes in time",
            Self::TooLong(_) => "a response is too long to be read",
            Self::Strange(what) => what,
        }
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed | Self::Cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_with_another_method_anywhere_is_not_a_read() {
        let get = || Message::get("/items");
        assert!(get().only_reads() && Message::new("HEAD", "/items").only_reads());
        for message in [
            Message::new("POST", "/items"),
            Message::new("OPTIONS", "/items"),
            Message::new("get", "/items"),
            get().body("POST /items HTTP/1.1\r\n\r\n"),
            get().line("X: 1\r\n\r\nDELETE /items HTTP/1.1"),
            get().version("HTTP/1.1\r\n\r\nPUT / HTTP/1.1"),
            Message::get("/items HTTP/1.1\r\n\r\nPATCH /items"),
        ] {
            assert!(!message.only_reads(), "{message:?}");
        }
    }
}
