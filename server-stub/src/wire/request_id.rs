//! The id of a request, which identifies it for the client and in the logs.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use utoipa::ToSchema;

/// The header of the id, in requests and in responses.
pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// 1 to 128 letters, digits, dots, underscores and hyphens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(pattern = "^[A-Za-z0-9._-]{1,128}$")]
pub(super) struct RequestId(String);

impl RequestId {
    /// The id from the request, if it is well-formed and the only one; otherwise a new one.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut brought = headers.get_all(X_REQUEST_ID).iter();
        let only = brought.next().filter(|_| brought.next().is_none());
        match only
            .and_then(|value| value.to_str().ok())
            .filter(|text| is_well_formed(text))
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
