//! A connection to the deployment for raw bytes, with the certificates of the HTTP client.
//!
//! A proxy would read and change what is sent, so nothing goes through one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use url::Host;

use crate::target::Target;
use crate::transport::failed::{Failed, Kind};

/// The bytes of a connection, over TLS or as they are.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The direct connection to a deployment.
pub(super) struct Straight {
    /// The host as in a header: an IPv6 address is in brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// The header `Host`.
    pub(super) authority: String,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    /// The TLS options of the shell line.
    pub(super) options: Option<String>,
}

impl Straight {
    /// The connection to a target.
    ///
    /// # Errors
    /// When requests must go through a proxy, or TLS cannot be set up.
    pub(super) fn to(target: &Target) -> Result<Self, String> {
        let (url, connection) = (target.base_url(), &target.connection);
        if let Some(proxy) = connection.proxy_on_the_way(url) {
            return Err(format!(
                "a connection without a proxy: {proxy}, which would change what is sent; set proxy = \"none\" to \
                 connect directly"
            ));
        }
        let nowhere = || "the base URL has no host".to_owned();
        let host = url.host().ok_or_else(nowhere)?;
        let port = url.port_or_known_default().ok_or_else(nowhere)?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_string(),
        };
        let (tls, options) = match url.scheme() {
            "https" => {
                let config = connection.tls().config()?;
                let name = match host {
                    Host::Domain(name) => ServerName::try_from(name.to_owned())
                        .map_err(|error| format!("{name} is not a name for TLS: {error}"))?,
                    Host::Ipv4(address) => ServerName::IpAddress(std::net::IpAddr::V4(address).into()),
                    Host::Ipv6(address) => ServerName::IpAddress(std::net::IpAddr::V6(address).into()),
                };
                let connector = TlsConnector::from(Arc::new(config));
                (Some((connector, name)), Some(connection.openssl_options()))
            }
            _ => (None, None),
        };
        Ok(Self {
            host: host.to_string(),
            port,
            authority,
            tls,
            options,
        })
    }

    /// Connects.
    ///
    /// # Errors
    /// When there is no connection within this time.
    pub(super) async fn connect(&self, within: Duration) -> Result<Box<dyn Stream>, Failed> {
        let connected = tokio::time::timeout(within, self.dial()).await;
        let late = || std::io::Error::other(format!("no connection within {} s", within.as_secs()));
        connected.unwrap_or_else(|_| Err(late())).map_err(|error| Failed {
            kind: Kind::NotSent,
            text: format!("connecting to {}: {error}", self.authority),
            cause: error.to_string(),
        })
    }

    async fn dial(&self) -> std::io::Result<Box<dyn Stream>> {
        let host = self.host.trim_matches(['[', ']']);
        let stream = TcpStream::connect((host, self.port)).await?;
        // Without it, parts of a request may wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        Ok(match &self.tls {
            None => Box::new(stream),
            Some((connector, name)) => Box::new(connector.connect(name.clone(), stream).await?),
        })
    }
}

impl fmt::Debug for Straight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Straight").field(&self.authority).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_connection_ignores_proxies() {
        let target = || Target::new("http://127.0.0.1:8080/eu").unwrap();
        let straight = Straight::to(&target()).unwrap();
        assert_eq!((straight.authority.as_str(), straight.port), ("127.0.0.1:8080", 8080));
        let behind = target().with_proxy("http://proxy.example:3128").unwrap();
        let reason = Straight::to(&behind).unwrap_err();
        assert!(reason.contains("the target names a proxy"), "{reason}");
        assert!(Straight::to(&behind.with_proxy("none").unwrap()).is_ok());
    }
}
