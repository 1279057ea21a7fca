//! How a client connects to a deployment: proxy, TLS and trusted certificates.
//!
//! Several TLS features may be enabled at once, because Cargo unifies features. In that case `native-tls`
//! takes precedence, and ring takes precedence over aws-lc: an app enables these on purpose, while `rustls`
//! with aws-lc is the default.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect;

use crate::Error;
use crate::call::base_url::BaseUrl;

/// Default connect timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether TLS is available.
const HAS_TLS: bool = cfg!(any(
    feature = "rustls",
    feature = "rustls-no-provider",
    feature = "native-tls"
));

#[cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]
pub(crate) type Certificate = reqwest::Certificate;
#[cfg(not(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls")))]
pub(crate) type Certificate = std::convert::Infallible;

/// Makes the app's own HTTP settings. `reqwest::ClientBuilder` itself cannot be cloned.
pub(crate) type OwnSettings = Arc<dyn Fn() -> reqwest::ClientBuilder + Send + Sync>;

/// Connection settings of a builder.
#[derive(Clone, Default)]
pub(crate) struct Connections {
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) proxy: Option<reqwest::Proxy>,
    pub(crate) root_certificates: Vec<Certificate>,
    /// The app's own settings, to which the others are added.
    pub(crate) http_client: Option<OwnSettings>,
}

impl Connections {
    /// Builds the HTTP client for a deployment. With `in_process`, it only builds requests.
    pub(crate) fn http_client(self, base_url: &BaseUrl, in_process: bool) -> Result<reqwest::Client, Error> {
        let is_own = self.http_client.is_some();
        if base_url.is_encrypted && !in_process && !is_own && !HAS_TLS {
            return Err(Error::configuration(
                "the base URL has https, but the SDK is built without TLS: enable its feature rustls, \
                     rustls-ring or native-tls",
            ));
        }
        provide_cryptography(is_own)?;
        // A redirect would send the key to whatever host it names.
        let mut builder = self.http_client.map(|settings| settings()).unwrap_or_default();
        builder = builder.redirect(redirect::Policy::none());
        if let Some(timeout) = self.connect_timeout.or((!is_own).then_some(CONNECT_TIMEOUT)) {
            builder = builder.connect_timeout(timeout);
        }
        let stays_here = base_url.is_loopback || in_process;
        if let Some(proxy) = self.proxy {
            builder = builder.proxy(proxy);
        } else if stays_here && !is_own {
            // A proxy from the environment must not carry requests to this machine elsewhere.
            builder = builder.no_proxy();
            if in_process || !base_url.is_encrypted {
                builder = without_roots(builder);
            }
        }
        if !is_own || !self.root_certificates.is_empty() {
            builder = with_tls(builder, self.root_certificates);
        }
        builder
            .build()
            .map_err(|error| Error::configuration("the HTTP client cannot be set up").with_source(error))
    }
}

/// Sets the TLS backend explicitly, so that the `reqwest` features of other crates do not decide it.
fn with_tls(builder: reqwest::ClientBuilder, root_certificates: Vec<Certificate>) -> reqwest::ClientBuilder {
    #[cfg(feature = "native-tls")]
    return builder.tls_backend_native().tls_certs_merge(root_certificates);
    #[cfg(all(any(feature = "rustls", feature = "rustls-no-provider"), not(feature = "native-tls")))]
    return builder.tls_backend_rustls().tls_certs_merge(root_certificates);
    #[cfg(not(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls")))]
    match root_certificates.first() {
        Some(never) => match *never {},
        None => builder,
    }
}

/// Skips the system's root certificates for a client without TLS. Loading them takes most of the time needed
/// to build a client.
fn without_roots(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    #[cfg(any(feature = "rustls", feature = "rustls-no-provider", feature = "native-tls"))]
    let builder = builder.tls_certs_only([]);
    builder
}

/// Ensures that rustls has a crypto provider: without one, `reqwest` panics. A provider that the app has
/// installed is kept, and TLS that the app set up itself may not need one.
#[cfg(all(feature = "rustls-no-provider", not(feature = "native-tls")))]
fn provide_cryptography(is_own: bool) -> Result<(), Error> {
    #[cfg(feature = "rustls-ring")]
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let has_provider = cfg!(feature = "rustls") || rustls::crypto::CryptoProvider::get_default().is_some();
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
