//! How a client reaches a deployment: through which proxy, by which TLS, and whom it trusts.
//!
//! Several kinds of TLS may be built in, because features of a crate add up over all that use it. Then it is
//! `native-tls`, and before aws-lc it is ring: an app that asks for them does so on purpose, while `rustls` with aws-lc
//! is on by default.

use std::time::Duration;

use reqwest::redirect;

use crate::Error;
use crate::call::base_url::BaseUrl;

/// How long establishing a connection may take, unless told otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether `https` can be spoken at all.
const HAS_TLS: bool = cfg!(any(
    feature = "rustls",
    feature = "rustls-no-provider",
    feature = "native-tls"
));

#[cfg(any(
    feature = "rustls",
    feature = "rustls-no-provider",
    feature = "native-tls"
))]
pub(crate) type Certificate = reqwest::Certificate;
#[cfg(not(any(
    feature = "rustls",
    feature = "rustls-no-provider",
    feature = "native-tls"
)))]
pub(crate) type Certificate = std::convert::Infallible;

/// What a builder was told of connections.
#[derive(Default)]
pub(crate) struct Connections {
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) proxy: Option<reqwest::Proxy>,
    pub(crate) root_certificates: Vec<Certificate>,
    /// The app's own settings, which the others are added to.
    pub(crate) http_client: Option<reqwest::ClientBuilder>,
}

impl Connections {
    /// The HTTP client for a deployment; `in_process` says that it is only to hold requests together.
    pub(crate) fn http_client(
        self,
        base_url: &BaseUrl,
        in_process: bool,
    ) -> Result<reqwest::Client, Error> {
        let is_own = self.http_client.is_some();
        if base_url.is_encrypted && !in_process && !is_own && !HAS_TLS {
            return Err(Error::configuration(
                "the base URL has https, but the SDK is built without TLS: enable its feature rustls, rustls-ring or native-tls",
            ));
        }
        provide_cryptography(is_own)?;
        // A redirect would take the key along to whatever host it names.
        let mut builder = self.http_client.unwrap_or_default();
        builder = builder.redirect(redirect::Policy::none());
        if let Some(timeout) = self
            .connect_timeout
            .or((!is_own).then_some(CONNECT_TIMEOUT))
        {
            builder = builder.connect_timeout(timeout);
        }
        let stays_here = base_url.is_loopback || in_process;
        if let Some(proxy) = self.proxy {
            builder = builder.proxy(proxy);
        } else if stays_here && !is_own {
            // What is meant for this machine must not leave it because the environment names a proxy.
            builder = builder.no_proxy();
            if in_process || !base_url.is_encrypted {
                builder = without_roots(builder);
            }
        }
        if !is_own || !self.root_certificates.is_empty() {
            builder = with_tls(builder, self.root_certificates);
        }
        builder.build().map_err(|error| {
            Error::configuration("the HTTP client cannot be set up").with_source(error)
        })
    }
}

/// Names the kind of TLS, so that no other crate that uses `reqwest` decides on it by its features.
fn with_tls(
    builder: reqwest::ClientBuilder,
    root_certificates: Vec<Certificate>,
) -> reqwest::ClientBuilder {
    #[cfg(feature = "native-tls")]
    return builder
        .tls_backend_native()
        .tls_certs_merge(root_certificates);
    #[cfg(all(
        any(feature = "rustls", feature = "rustls-no-provider"),
        not(feature = "native-tls")
    ))]
    return builder
        .tls_backend_rustls()
        .tls_certs_merge(root_certificates);
    #[cfg(not(any(
        feature = "rustls",
        feature = "rustls-no-provider",
        feature = "native-tls"
    )))]
    match root_certificates.first() {
        Some(never) => match *never {},
        None => builder,
    }
}

/// For a client that is to speak no TLS. To read the roots that the system trusts takes longest of all that
/// is done to make one.
fn without_roots(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    #[cfg(any(
        feature = "rustls",
        feature = "rustls-no-provider",
        feature = "native-tls"
    ))]
    let builder = builder.tls_certs_only([]);
    builder
}

/// Sees to it that rustls has cryptography: without any, `reqwest` panics. What the app has installed is left as it is,
/// and TLS that it set up itself may need none to be installed.
#[cfg(all(feature = "rustls-no-provider", not(feature = "native-tls")))]
fn provide_cryptography(is_own: bool) -> Result<(), Error> {
    #[cfg(feature = "rustls-ring")]
    // It fails only where a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let has_provider =
        cfg!(feature = "rustls") || rustls::crypto::CryptoProvider::get_default().is_some();
    if has_provider || is_own {
        return Ok(());
    }
    Err(Error::configuration(
        "rustls has no crypto provider: install one with `CryptoProvider::install_default` before the client is built, \
         or enable the feature rustls or rustls-ring",
    ))
}

#[cfg(not(all(feature = "rustls-no-provider", not(feature = "native-tls"))))]
fn provide_cryptography(_: bool) -> Result<(), Error> {
    Ok(())
}

#[cfg(all(
    test,
    feature = "rustls-no-provider",
    not(any(feature = "rustls", feature = "rustls-ring", feature = "native-tls"))
))]
mod tests {
    use crate::Client;

    #[test]
    fn missing_cryptography_is_an_error() {
        let client = Client::builder()
            .base_url("https://api.example")
            .api_key("dev-read-only")
            .build();
        let error = client.map_err(|error| (error.is_configuration(), error.to_string()));
        assert!(matches!(error, Err((true, message)) if message.contains("install_default")));
    }
}
