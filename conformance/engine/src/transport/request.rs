//! A request as data: it can be sent, and shown as a shell line that sends the same.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::target::Role;
use crate::target::connection::Connection;
use crate::target::near_key::NearKey;
use crate::target::shell::quote;

/// The characters to percent-encode: all except those that RFC 3986 leaves unencoded everywhere.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One request to a deployment.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub(crate) method: String,
    /// The path and the query, from the base URL on, percent-encoded.
    pub(crate) path: String,
    pub(crate) credential: Credential,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Body>,
    /// Whether a 429 says nothing about what it checks, so that it is sent again later.
    pub(crate) waits: bool,
}

/// The value of the header `API-Key`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Credential {
    /// The key of a role.
    Role(Role),
    /// The key of a role in two headers.
    Twice(Role),
    /// A text similar to the key with full access.
    Near(NearKey),
    /// Texts that are not keys, a header for each; with none, the header is left out.
    Literal(Vec<String>),
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A text.
    Text(String),
    /// A text, padded with spaces to this length in bytes.
    Padded(String, usize),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
}

impl Body {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Padded(text, length) => {
                let mut bytes = text.clone().into_bytes();
                bytes.resize(*length, b' ');
                bytes
            }
            Self::Bytes(bytes) => bytes.clone(),
        }
    }
}

/// Percent-encodes a value for a path or a query.
pub fn encode(value: &str) -> String {
    utf8_percent_encode(value, RESERVED).to_string()
}

impl Request {
    /// Whether its method only reads: GET, HEAD or OPTIONS. Any other method could change a deployment, even if the
    /// contract requires a rejection.
    pub(crate) fn only_reads(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }

    /// Returns the role whose key it carries. `None` if it carries another key as well: a 401 then says nothing about
    /// the key of the role.
    pub(crate) fn role(&self) -> Option<Role> {
        let has_another = self
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("API-Key"));
        match &self.credential {
            Credential::Role(role) if !has_another => Some(*role),
            _ => None,
        }
    }

    /// Whether sending it twice has the same effect as sending it once. A padded body is only sent to be rejected, and
    /// a deployment may close the connection before it has read all of it.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.only_reads() || matches!(self.body, Some(Body::Padded(..)))
    }

    /// Whether it only reads, and gets the same response whenever it is sent, unlike a request with a rate-limited key.
    pub(crate) fn is_plain_read(&self) -> bool {
        self.method == "GET" && self.credential != Credential::Role(Role::RateLimited)
    }

    /// The request as a shell line. `variable` names the environment variable of a role's key.
    pub(crate) fn curl(&self, base_url: &str, variable: impl Fn(Role) -> String, connection: &Connection) -> String {
        let mut line = String::new();
        let from_pipe = match &self.body {
            Some(Body::Padded(text, length)) => {
                let _ = write!(line, "printf '%-{length}s' {} | ", quote(text));
                true
            }
            Some(Body::Bytes(bytes)) => {
                let octal: String = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
                let _ = write!(line, "printf {} | ", quote(&octal));
                true
            }
            _ => false,
        };
        line.push_str("curl -isS");
        line.push_str(&connection.curl_options());
        match self.method.as_str() {
            "GET" => {}
            // With -X, curl waits for a body that never comes.
            "HEAD" => line.push_str(" -I"),
            method => {
                let _ = write!(line, " -X {method}");
            }
        }
        let _ = write!(line, " {}", quote(&format!("{base_url}{}", self.path)));
        match &self.credential {
            Credential::Role(role) => {
                let _ = write!(line, " -H \"API-Key: ${}\"", variable(*role));
            }
            Credential::Twice(role) => {
                let key = format!(" -H \"API-Key: ${}\"", variable(*role));
                line.push_str(&key.repeat(2));
            }
            Credential::Near(near) => {
                let key = format!("${}", variable(Role::FullAccess));
                let _ = write!(line, " -H \"API-Key: {}\"", near.in_shell(&key));
            }
            Credential::Literal(texts) => {
                for text in texts {
                    let _ = write!(line, " -H {}", quote(&header("API-Key", text)));
                }
            }
        }
        line.push_str(&connection.curl_headers(&self.headers));
        for (name, value) in &self.headers {
            let _ = write!(line, " -H {}", quote(&header(name, value)));
        }
        // By default, curl sets a type for every body.
        let typed = self
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if self.body.is_some() && !typed {
            line.push_str(" -H 'Content-Type:'");
        }
        match &self.body {
            Some(Body::Text(text)) => {
                let _ = write!(line, " --data-raw {}", quote(text));
            }
            Some(_) if from_pipe => line.push_str(" --data-binary @-"),
            _ => {}
        }
        line
    }
}

/// A header in curl's syntax: an empty value is written with a semicolon.
fn header(name: &str, value: &str) -> String {
    match value {
        "" => format!("{name};"),
        value => format!("{name}: {value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: Option<Body>) -> Request {
        Request {
            method: "POST".to_owned(),
            path: "/api/v1/pipelines/6/organizations".to_owned(),
            credential: Credential::Role(Role::FullAccess),
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            body,
            waits: true,
        }
    }

    fn curl(request: &Request) -> String {
        let variable = |role: Role| role.variable().to_owned();
        request.curl("http://host", variable, &Connection::default())
    }

    #[test]
    fn request_is_shown_as_a_shell_line() {
        assert_eq!(
            curl(&request(Some(Body::Text(r#"{"name": "O'Hara"}"#.to_owned())))),
            "curl -isS -X POST 'http://host/api/v1/pipelines/6/organizations' -H \"API-Key: $PLATFORM_API_KEY\" \
             -H 'Content-Type: application/json' --data-raw '{\"name\": \"O'\\''Hara\"}'"
        );
    }

    #[test]
    fn head_request_is_shown_with_the_option_for_it() {
        let head = Request {
            method: "HEAD".to_owned(),
            ..request(None)
        };
        let line = curl(&head);
        assert!(line.starts_with("curl -isS -I 'http://host/"), "{line}");
        assert!(head.is_repeatable());
    }

    #[test]
    fn long_body_is_shown_as_the_command_that_makes_it() {
        let line = curl(&request(Some(Body::Padded("{}".to_owned(), 65_537))));
        assert!(line.starts_with("printf '%-65537s' '{}' | curl "), "{line}");
        assert_eq!(Body::Padded("{}".to_owned(), 65_537).bytes().len(), 65_537);
    }

    #[test]
    fn query_values_are_percent_encoded() {
        assert_eq!(encode("a b&c=d/é+%"), "a%20b%26c%3Dd%2F%C3%A9%2B%25");
    }
}
