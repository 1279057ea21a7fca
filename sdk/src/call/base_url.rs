//! The base URL of a deployment.

use std::net::IpAddr;

use reqwest::Url;

use crate::Error;

/// A base URL that operation paths can be appended to. The text has no trailing slash.
#[derive(Debug, Clone)]
pub(crate) struct BaseUrl {
    pub(crate) text: String,
    /// Whether the host is this machine.
    pub(crate) is_loopback: bool,
    pub(crate) is_encrypted: bool,
}

impl BaseUrl {
    /// Parses a URL. A path is kept and put before the paths of the operations.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let url = Url::parse(text).map_err(|error| {
            rejected("is not an absolute URL; use one such as https://platform.example").with_source(error)
        })?;
        let is_encrypted = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Err(rejected("must begin with https:// or http://")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(rejected("must not hold a user name or a password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(rejected("must not hold a query or a fragment"));
        }
        Ok(Self {
            text: url.as_str().trim_end_matches('/').to_owned(),
            is_loopback: url.host_str().is_some_and(is_loopback),
            is_encrypted,
        })
    }
}

/// The message leaves out the URL, which may contain a password or a key.
fn rejected(why: &str) -> Error {
    Error::configuration(format!("the base URL {why}"))
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::BaseUrl;

    const NOT_ABSOLUTE: &str = "is not an absolute URL; use one such as https://platform.example";

    #[test]
    fn path_is_kept_without_trailing_slashes() {
        for (given, kept) in [
            ("https://api.example", "https://api.example"),
            ("https://api.example/", "https://api.example"),
            ("https://api.example/platform/", "https://api.example/platform"),
            ("HTTP://LocalHost:80//", "http://localhost"),
        ] {
            assert_eq!(BaseUrl::parse(given).map(|url| url.text).ok().as_deref(), Some(kept));
        }
    }

    #[test]
    fn invalid_base_url_is_rejected_without_being_repeated() {
        for (given, why) in [
            ("", NOT_ABSOLUTE),
            ("api.example/secret", NOT_ABSOLUTE),
            ("/secret", NOT_ABSOLUTE),
            ("ftp://secret.example", "must begin with https:// or http://"),
            ("secret.example:8080", "must begin with https:// or http://"),
            (
                "https://me:secret@api.example",
                "must not hold a user name or a password",
            ),
            ("https://api.example?key=secret", "must not hold a query or a fragment"),
            ("https://api.example#secret", "must not hold a query or a fragment"),
        ] {
            let message = BaseUrl::parse(given)
                .map(|url| url.text)
                .map_err(|error| error.to_string());
            assert_eq!(message, Err(format!("the base URL {why}")), "{given}");
        }
    }

    #[test]
    fn loopback_is_recognised_in_every_spelling() {
        let is_loopback = |url| BaseUrl::parse(url).is_ok_and(|url| url.is_loopback);
        for url in [
            "http://localhost",
            "http://api.localhost:8080",
            "http://127.9.9.9",
            "http://[::1]:80",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "http://api.example",
            "http://localhost.example",
            "http://10.0.0.1",
            "http://[::2]",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
