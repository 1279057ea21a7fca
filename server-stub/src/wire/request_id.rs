//! The id of a request, which identifies it for the client and in the logs.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use utoipa::ToSchema;

use super::api_key::API_KEY;

/// The header of the id, in requests and in responses.
pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// 1 to 128 letters, digits, dots, underscores and hyphens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(pattern = "^[A-Za-z0-9._-]{1,128}$")]
pub(super) struct RequestId(String);

impl RequestId {
    /// The id from the request, if it is well-formed, without a key, and the only one; otherwise a new one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut brought = headers.get_all(X_REQUEST_ID).iter();
        let only = brought.next().filter(|_| brought.next().is_none());
        // An id is logged, and a key never is.
        let is_free_of_keys = |text: &&str| {
            let keys = headers.get_all(API_KEY).iter().filter_map(|key| key.to_str().ok());
            !keys.map(str::trim).any(|key| !key.is_empty() && text.contains(key))
        };
        match only
            .and_then(|value| value.to_str().ok())
            .filter(|text| is_well_formed(text))
            .filter(is_free_of_keys)
        {
            Some(text) => Self(text.to_owned()),
            None => Self(uuid::Uuid::new_v4().to_string()),
        }
    }

    /// The id as the value of a header.
    pub(super) fn header(&self) -> HeaderValue {
        // Its characters are all visible ASCII, so this never fails.
        HeaderValue::from_str(&self.0).unwrap_or_else(|_| HeaderValue::from_static("-"))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_well_formed(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=128).contains(&text.len()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(values: &[&str]) -> RequestId {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(X_REQUEST_ID, value.parse().unwrap());
        }
        RequestId::of(&headers)
    }

    #[test]
    fn well_formed_id_is_kept() {
        let longest = "a".repeat(128);
        for id in ["1", "trace-7.b_2", longest.as_str()] {
            assert_eq!(id_of(&[id]).as_str(), id);
        }
    }

    #[test]
    fn id_that_contains_the_key_is_replaced() {
        let id = |id: &'static str, key: &'static str| {
            let id = (X_REQUEST_ID, HeaderValue::from_static(id));
            let key = (API_KEY, HeaderValue::from_static(key));
            RequestId::of(&HeaderMap::from_iter([id, key]))
        };
        assert!(!id("secret-7", "secret-7").as_str().contains("secret"));
        assert!(!id("of-secret-7-again", "secret-7").as_str().contains("secret"));
        assert_eq!(id("trace-7", "secret-7").as_str(), "trace-7");
        assert_eq!(id("trace-7", "").as_str(), "trace-7");
    }

    #[test]
    fn malformed_id_is_replaced() {
        let too_long = "a".repeat(129);
        for ids in [
            &[][..],
            &[""],
            &["a b"],
            &["a,b"],
            &["<script>"],
            &[too_long.as_str()],
            &["a", "b"],
        ] {
            let id = id_of(ids);
            assert!(is_well_formed(id.as_str()) && !ids.contains(&id.as_str()), "{ids:?}");
        }
        assert_ne!(id_of(&[]), id_of(&[]));
    }
}
