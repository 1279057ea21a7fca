//! Reads responses from a connection, each to its end and no further, within limits.

use reqwest::Version;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncRead, AsyncReadExt};

/// The limit on the head of a response.
const HEAD: usize = 256 * 1024;
/// How many characters of other content are shown.
const SHOWN: usize = 60;

/// Reads responses from a stream, and buffers bytes that came early.
pub(crate) struct Reader<S> {
    stream: S,
    ahead: Vec<u8>,
    max_body: usize,
}

/// A response as received.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) status: u16,
    pub(crate) version: Version,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whether the connection ends with it.
    pub(crate) closes: bool,
}

/// Why there is no response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The connection was closed before its first byte.
    Closed,
    /// The connection was cut, or closed within the response.
    Cut,
    /// The body is longer than the limit.
    TooLong,
    /// The bytes are not a response; the text describes them.
    Strange(String),
}

impl<S: AsyncRead + Unpin> Reader<S> {
    pub(crate) fn new(stream: S, max_body: usize) -> Self {
        Self {
            stream,
            ahead: Vec::new(),
            max_body,
        }
    }

    pub(crate) fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Reads the next response; a response to HEAD has no body. Interim responses are skipped.
    pub(crate) async fn answer(&mut self, to_head: bool) -> Result<Whole, Missing> {
        loop {
            let end = self.until(b"\r\n\r\n", b"HTTP/").await?;
            let head: Vec<u8> = self.ahead.drain(..end + 4).collect();
            let (status, version, headers) = parse(&head)?;
            // 101 ends HTTP on the connection; the kit never requests it.
            if (100..200).contains(&status) && status != 101 {
                continue;
            }
            let has_none = to_head || matches!(status, 101 | 204 | 304);
            let mut closes = says_close(version, &headers);
            let body = match framing(&headers) {
                _ if has_none => Vec::new(),
                Framing::Chunked => self.chunks().await?,
                Framing::Length(length) => self.exactly(length).await?,
                Framing::UntilTheEnd => {
                    closes = true;
                    self.rest().await?
                }
            };
            return Ok(Whole {
                status,
                version,
                headers,
                body,
                closes,
            });
        }
    }

    /// Reads what comes between the last response and the close of the connection: nothing should.
    pub(crate) async fn end(&mut self) -> Missing {
        if self.ahead.is_empty()
            && let Err(missing) = self.more(true).await
        {
            return missing;
        }
        strange(&self.ahead)
    }

    /// Reads until a text occurs, and returns where it begins. Stops early if the bytes do not start with `beginning`.
    async fn until(&mut self, text: &[u8], beginning: &[u8]) -> Result<usize, Missing> {
        loop {
            let known = self.ahead.len().min(beginning.len());
            if self.ahead[..known] != beginning[..known] {
                return Err(strange(&self.ahead));
            }
            let found = self.ahead.windows(text.len()).position(|part| part == text);
            if let Some(found) = found {
                return Ok(found);
            }
            if self.ahead.len() > HEAD {
                return Err(strange(&self.ahead));
            }
            let is_first = self.ahead.is_empty();
            self.more(is_first).await?;
        }
    }

    async fn more(&mut self, is_first: bool) -> Result<(), Missing> {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer).await {
            Ok(0) if is_first => Err(Missing::Closed),
            Ok(0) | Err(_) => Err(Missing::Cut),
            Ok(length) => {
                self.ahead.extend_from_slice(&buffer[..length]);
                Ok(())
            }
        }
    }

    async fn exactly(&mut self, length: usize) -> Result<Vec<u8>, Missing> {
        if length > self.max_body {
            return Err(Missing::TooLong);
        }
        while self.ahead.len() < length {
            self.more(false).await?;
        }
        Ok(self.ahead.drain(..length).collect())
    }

    async fn rest(&mut self) -> Result<Vec<u8>, Missing> {
        loop {
            match self.more(true).await {
                Err(Missing::Closed) => return Ok(std::mem::take(&mut self.ahead)),
                Err(missing) => return Err(missing),
                Ok(()) if self.ahead.len() > self.max_body => return Err(Missing::TooLong),
                Ok(()) => {}
            }
        }
    }

    async fn chunks(&mut self) -> Result<Vec<u8>, Missing> {
        let mut body = Vec::new();
        loop {
            let size = self.text_line().await?;
            let size = size.split(';').next().unwrap_or_default().trim();
            let Ok(size) = usize::from_str_radix(size, 16) else {
                return Err(Missing::Strange("a chunk without a size".to_owned()));
            };
            if size > self.max_body || body.len() + size > self.max_body {
                return Err(Missing::TooLong);
            }
            if size == 0 {
                while !self.text_line().await?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.exactly(size).await?);
            if !self.text_line().await?.is_empty() {
                return Err(Missing::Strange("a chunk that is longer than its size".to_owned()));
            }
        }
    }

    async fn text_line(&mut self) -> Result<String, Missing> {
        let end = self.until(b"\r\n", b"").await?;
        let line: Vec<u8> = self.ahead.drain(..end + 2).collect();
        Ok(String::from_utf8_lossy(&line[..end]).into_owned())
    }
}

enum Framing {
    Chunked,
    Length(usize),
    UntilTheEnd,
}

/// How long a body is (RFC 9112, section 6.3).
fn framing(headers: &HeaderMap) -> Framing {
    if tokens(headers, "transfer-encoding").any(|token| token == "chunked") {
        return Framing::Chunked;
    }
    let length = headers.get("content-length");
    let length = length.and_then(|length| length.to_str().ok()?.trim().parse().ok());
    length.map_or(Framing::UntilTheEnd, Framing::Length)
}

fn says_close(version: Version, headers: &HeaderMap) -> bool {
    let has = |wanted: &str| tokens(headers, "connection").any(|token| token == wanted);
    has("close") || version == Version::HTTP_10 && !has("keep-alive")
}

fn tokens<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = String> + use<'a> {
    let values = headers.get_all(name).into_iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(','))
        .map(|token| token.trim().to_ascii_lowercase())
}

fn parse(head: &[u8]) -> Result<(u16, Version, HeaderMap), Missing> {
    let text = head.strip_suffix(b"\r\n\r\n").unwrap_or(head);
    let mut lines = text.split(|byte| *byte == b'\n');
    let first = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let (version, rest) = match first.split_once(' ') {
        Some(("HTTP/1.1", rest)) => (Version::HTTP_11, rest),
        Some(("HTTP/1.0", rest)) => (Version::HTTP_10, rest),
        _ => return Err(strange(head)),
    };
    let status = rest.get(..3).and_then(|digits| digits.parse().ok());
    let Some(status) = status.filter(|status| (100..600).contains(status)) else {
        return Err(strange(head));
    };
    let mut headers = HeaderMap::new();
    for line in lines {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let colon = line.iter().position(|byte| *byte == b':');
        let parsed = colon.and_then(|colon| {
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            let value = line[colon + 1..].trim_ascii();
            Some((name, HeaderValue::from_bytes(value).ok()?))
        });
        let Some((name, value)) = parsed else {
            return Err(Missing::Strange("a response with a malformed header".to_owned()));
        };
        headers.append(name, value);
    }
    Ok((status, version, headers))
}

/// Describes what came instead of a response.
fn strange(bytes: &[u8]) -> Missing {
    let text: String = String::from_utf8_lossy(bytes).chars().take(SHOWN).collect();
    Missing::Strange(format!("what comes next is not an HTTP response: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(text: &str) -> Reader<&[u8]> {
        Reader::new(text.as_bytes(), 100)
    }

    #[tokio::test]
    async fn consecutive_responses_are_read_one_by_one() {
        let mut reader = reader(
            "HTTP/1.1 100 Continue\r\n\r\n\
             HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab\
             HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: Keep-Alive, Close\r\n\r\n\
             HTTP/1.1 404 \r\nTransfer-Encoding: chunked\r\nX: a\r\nX: b\r\n\r\n2;x=y\r\ncd\r\n0\r\nT: 1\r\n\r\n\
             HTTP/1.0 500 Oh\r\n\r\nthe rest",
        );
        let first = reader.answer(false).await.unwrap();
        assert_eq!((first.status, &*first.body, first.closes), (200, &b"ab"[..], false));
        let head = reader.answer(true).await.unwrap();
        assert_eq!((&*head.body, head.closes), (&b""[..], true));
        let chunked = reader.answer(false).await.unwrap();
        assert_eq!((chunked.status, &*chunked.body), (404, &b"cd"[..]));
        assert_eq!(chunked.headers.get_all("x").iter().count(), 2);
        let last = reader.answer(false).await.unwrap();
        assert_eq!((last.status, &*last.body, last.closes), (500, &b"the rest"[..], true));
        assert_eq!(reader.answer(false).await.unwrap_err(), Missing::Closed);
        assert_eq!(reader.end().await, Missing::Closed);
    }

    #[tokio::test]
    async fn malformed_response_is_recognized() {
        let strange = |missing: Missing| matches!(missing, Missing::Strange(_));
        for text in [
            "{\"total_count\": 1}HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 2x0 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ] {
            assert!(strange(reader(text).answer(false).await.unwrap_err()), "{text}");
        }
        for text in ["HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"] {
            assert_eq!(reader(text).answer(false).await.unwrap_err(), Missing::Cut, "{text}");
        }
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n",
        ] {
            assert_eq!(
                reader(text).answer(false).await.unwrap_err(),
                Missing::TooLong,
                "{text}"
            );
        }
        assert!(strange(reader("{}").end().await));
        let endless = format!("HTTP/1.1 200 OK\r\nX: {}", "0".repeat(2 * HEAD));
        assert!(strange(reader(&endless).answer(false).await.unwrap_err()));
    }
}
