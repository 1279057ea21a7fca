//! Keeps API keys out of the recorded requests.

use axum::http::HeaderMap;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::model::policy::HIDDEN;
use crate::platform::keys::KeyRing;
use crate::wire::API_KEY;

/// A query parameter with such a part in its name may hold a key that is unknown here.
const SUSPICIOUS: [&str; 6] = ["key", "token", "secret", "auth", "password", "credential"];

/// Hides the keys of the platform, and the key that a request carries, known or not.
#[derive(Debug)]
pub(super) struct Redactor<'a> {
    keys: &'a KeyRing,
    shown: Vec<String>,
}

impl<'a> Redactor<'a> {
    pub(super) fn new(keys: &'a KeyRing, headers: &HeaderMap) -> Self {
        let shown = headers.get_all(API_KEY).iter();
        let shown = shown.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        Self {
            keys,
            shown: shown.filter(|key| !key.is_empty()).collect(),
        }
    }

    /// A text without keys. If a key is in it percent-encoded, nothing of the text is shown.
    pub(super) fn hide_in(&self, text: &str) -> String {
        let text = self.replace(text);
        let decoded = percent_decode_str(&text).decode_utf8_lossy();
        match self.replace(&decoded) == decoded {
            true => text,
            false => HIDDEN.to_owned(),
        }
    }

    /// A query without keys, and without the values of parameters whose names suggest a secret.
    pub(super) fn hide_in_query(&self, query: &str) -> String {
        let hide = |pair: &str| {
            let pair = self.hide_in(pair);
            let Some((name, _)) = pair.split_once('=') else {
                return pair;
            };
            let plain = percent_decode_str(name).decode_utf8_lossy();
            let plain = plain.to_ascii_lowercase();
            match SUSPICIOUS.iter().any(|part| plain.contains(part)) {
                true => format!("{name}={HIDDEN}"),
                false => pair,
            }
        };
        let pairs: Vec<_> = query.split('&').map(hide).collect();
        pairs.join("&")
    }

    /// A body without keys. JSON can write the same key in many ways, so a body with a key is written again.
    pub(super) fn hide_in_body(&self, body: &[u8]) -> String {
        if let Ok(json) = serde_json::from_slice::<Value>(body) {
            let hidden = self.hide_in_json(json.clone());
            if hidden != json {
                return hidden.to_string();
            }
        }
        self.replace(&String::from_utf8_lossy(body))
    }

    fn hide_in_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.replace(&text)),
            Value::Array(items) => items.into_iter().map(|it| self.hide_in_json(it)).collect(),
            Value::Object(members) => {
                let hide = |(name, value): (String, Value)| (self.replace(&name), self.hide_in_json(value));
                Value::Object(members.into_iter().map(hide).collect())
            }
            other => other,
        }
    }

    fn replace(&self, text: &str) -> String {
        let text = self.keys.hide_in(text);
        let hide = |text: String, key: &String| text.replace(key.as_str(), HIDDEN);
        self.shown.iter().fold(text, hide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> KeyRing {
        let key = r#"{"key": "open-sesame", "name": "test"}"#;
        KeyRing::new([serde_json::from_str(key).unwrap()])
    }

    fn headers(key: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(API_KEY, key.parse().unwrap());
        headers
    }

    #[test]
    fn key_is_hidden_wherever_it_occurs_and_however_it_is_written() {
        let (ring, live) = (ring(), headers("live-key-1"));
        let redactor = Redactor::new(&ring, &live);
        let texts = [
            redactor.hide_in("/open-sesame/live-key-1"),
            redactor.hide_in("/%6Fpen-sesame"),
            redactor.hide_in("/open-sesame/%6Cive-key-1"),
            redactor.hide_in_query("a=open-sesame&b=%6Cive-key-1&c"),
            redactor.hide_in_query("api_key=other-secret&%61uthorization=other-secret"),
            redactor.hide_in_body(br#"{"k": "open-sesame"}"#),
            redactor.hide_in_body(br#"{"\u006fpen-sesame": "liv\u0065-key-1"}"#),
            redactor.hide_in_body(b"live-key-1 \xFF"),
        ];
        for text in &texts {
            for secret in ["sesame", "live", "other", "ive-key", "pen-"] {
                assert!(!text.contains(secret), "{text}");
            }
        }
        assert_eq!(texts[0], "/***/***");
        assert_eq!(texts[3], "a=***&***&c");
        let quoted = headers(r#"with"quote"#);
        let redactor = Redactor::new(&ring, &quoted);
        let body = redactor.hide_in_body(br#"{"a": ["with\"quote"]}"#);
        assert_eq!(body, r#"{"a":["***"]}"#);
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        let (ring, headers) = (ring(), headers("live-key-1"));
        let redactor = Redactor::new(&ring, &headers);
        let query = "description=keeps+fresh%20fish&limit=3&flag";
        assert_eq!(redactor.hide_in_query(query), query);
        assert_eq!(redactor.hide_in("/a%20b"), "/a%20b");
        let body = r#"{ "organization_id" : 1001 }"#;
        assert_eq!(redactor.hide_in_body(body.as_bytes()), body);
    }
}
