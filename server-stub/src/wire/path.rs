//! The path of a request in its normal form (RFC 3986, section 6.2.2.2): a character that needs no encoding stands for
//! itself, in a fixed part of a route as in an id.

use axum::extract::Request;
use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// The request with a path that encodes nothing that needs no encoding.
pub(super) async fn normalized(mut request: Request) -> Request {
    let uri = request.uri();
    if let Some(path) = decoded(uri.path()) {
        let path_and_query = match uri.query() {
            Some(query) => format!("{path}?{query}"),
            None => path,
        };
        let mut parts = uri.clone().into_parts();
        // Decoding makes no path invalid.
        parts.path_and_query = PathAndQuery::try_from(path_and_query).ok().or(parts.path_and_query);
        if let Ok(uri) = Uri::from_parts(parts) {
            *request.uri_mut() = uri;
        }
    }
    request
}

/// The path with its unreserved characters decoded; `None` if none of them is encoded.
fn decoded(path: &str) -> Option<String> {
    let mut parts = path.split('%');
    let mut decoded = parts.next()?.to_owned();
    for part in parts {
        let character = part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match character.map(char::from).filter(|character| is_unreserved(*character)) {
            Some(character) => {
                decoded.push(character);
                decoded.push_str(&part[2..]);
            }
            None => {
                decoded.push('%');
                decoded.push_str(part);
            }
        }
    }
    (decoded.len() < path.len()).then_some(decoded)
}

fn is_unreserved(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_need_no_encoding_are_decoded_once() {
        let table = [
            ("/api/v1/pip%65line%73/%34", Some("/api/v1/pipelines/4")),
            ("/%7E%2d%2E%5F", Some("/~-._")),
            ("/a%2Fb%20%65", Some("/a%2Fb%20e")),
            ("/%2565", None),
            ("/%6", None),
            ("/%zz%", None),
            ("/%+4", None),
            ("/plain", None),
        ];
        for (path, expected) in table {
            assert_eq!(decoded(path).as_deref(), expected, "{path}");
        }
    }
}
