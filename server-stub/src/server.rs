//! The server: a platform over HTTP, on the caller's listener or without a socket.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::{Router, middleware};
use tokio::net::TcpListener;

use crate::control::admin::{self, ADMIN_PATH};
use crate::control::dispatch::{Dispatch, dispatch};
use crate::control::{AdminAccess, Control};
use crate::data::Dataset;
use crate::model::policy::RateLimit;
use crate::platform::Platform;
use crate::platform::clock::SystemClock;
use crate::serve::{self, Limits};
use crate::tls::Tls;
use crate::wire::{self, Cors, Draining, RateLimiter, Service};

/// A reference server that is ready to serve.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use platform_server_stub::Server;
///
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// let address = listener.local_addr()?;
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// let server = tokio::spawn(Server::built_in().serve(listener, async move {
///     let _ = stopped.await;
/// }));
/// // http://{address} answers now.
/// # let _ = address;
/// drop(stop);
/// server.await??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Server {
    platform: Platform,
    control: Option<Control>,
    /// Only with `control`.
    admin: Option<AdminAccess>,
    rate_limit: Option<RateLimit>,
    limits: Limits,
    tls: Option<Tls>,
    cors: Option<Cors>,
}

impl Server {
    /// A server for a platform. A test can share the platform and drive its clock.
    pub fn new(platform: Platform) -> Self {
        Self {
            platform,
            control: None,
            admin: None,
            rate_limit: None,
            limits: Limits::default(),
            tls: None,
            cors: None,
        }
    }

    /// A server with the built-in data, separate state and the time of the machine.
    pub fn built_in() -> Self {
        Self::new(Platform::in_memory(Dataset::built_in(), Arc::new(SystemClock)))
    }

    /// A server whose time, faults and state are controlled from outside.
    pub fn controlled(control: &Control) -> Self {
        Self {
            control: Some(control.clone()),
            ..Self::new(control.platform().clone())
        }
    }

    /// Serves the controls over HTTP too, under `/__admin`, and opens [namespaces](Control::namespace). Has no
    /// effect on a server that is not [`controlled`](Self::controlled).
    #[must_use]
    pub fn with_admin(mut self, access: AdminAccess) -> Self {
        self.admin = Some(access);
        self
    }

    /// Checks that the server may listen on an address.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] when it serves the controls only to this machine, and the address is not one of
    /// the loopback.
    pub fn check_address(&self, address: SocketAddr) -> io::Result<()> {
        let is_private = self.control.is_some() && self.admin == Some(AdminAccess::Loopback);
        if !is_private || address.ip().is_loopback() {
            return Ok(());
        }
        let reason = format!(
            "cannot serve {} on {address}: everyone who can connect could change this server; listen on 127.0.0.1, \
             or allow public access",
            ADMIN_PATH
        );
        Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
    }

    /// Sets the quota of every key without its own quota. By default such keys have no quota.
    #[must_use]
    pub fn with_rate_limit(mut self, rate_limit: RateLimit) -> Self {
        self.rate_limit = Some(rate_limit);
        if let Some(control) = &self.control {
            control.set_initial_quota(rate_limit);
        }
        self
    }

    /// Sets how long clients of [`serve`](Self::serve) may take, how many may be connected, and how long
    /// a shutdown waits for them.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets the pages of other origins use the service from a browser. Without it, responses have no headers for
    /// browsers, and `OPTIONS` returns only `Allow`.
    #[must_use]
    pub fn with_cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }

    /// Serves HTTPS instead of HTTP.
    #[must_use]
    pub fn with_tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The service as a router, which can be called without a socket, or nested in another router.
    pub fn router(&self) -> Router {
        self.router_that(Draining::default())
    }

    fn router_that(&self, draining: Draining) -> Router {
        let Some(control) = &self.control else {
            let service = Service {
                platform: self.platform.clone(),
                limiter: Arc::new(RateLimiter::new(self.rate_limit)),
                cors: self.cors.clone(),
                draining,
            };
            return wire::router(service, |routes| routes);
        };
        let cors = self.cors.clone();
        let platform = move |control: &Control| {
            control.router(Service {
                platform: control.platform().clone(),
                limiter: Arc::clone(control.limiter()),
                cors: cors.clone(),
                draining: draining.clone(),
            })
        };
        let Some(access) = self.admin else {
            return platform(control);
        };
        let origin = control.clone();
        let serve = move |control: &Control| {
            let admin = admin::router(control, &origin, access);
            admin.fallback_service(platform(control))
        };
        let routes = serve(control);
        let namespaces = Dispatch::new(control, serve);
        routes.layer(middleware::from_fn_with_state(namespaces, dispatch))
    }

    /// Serves until `shutdown` completes. `/readyz` then returns 503, and after the drain delay of the [`Limits`] the
    /// server accepts no more connections. It closes idle connections, requests in flight have until the drain deadline
    /// to finish, and background processing stops. Dropping the future closes everything at once.
    ///
    /// # Errors
    /// Those of [`check_address`](Self::check_address). If a connection cannot be accepted, the error is logged and the
    /// server continues.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        self.check_address(listener.local_addr()?)?;
        self.platform.resume();
        let draining = Draining::default();
        let router = self.router_that(draining.clone());
        let shutdown = async {
            shutdown.await;
            draining.begin();
            if !self.limits.drain_delay.is_zero() {
                tokio::time::sleep(self.limits.drain_delay).await;
            }
        };
        serve::run(listener, self.tls, router, self.limits, shutdown).await;
        self.platform.shut_down().await;
        Ok(())
    }
}

/// Serves the caller's router until `shutdown` completes, with the connection handling of the reference server:
/// requests that are not well-formed HTTP or too long get the contract's response, and never reach the router.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use platform_server_stub::{Limits, Server, serve_router};
///
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// let router = Server::built_in().router();
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// let served = tokio::spawn(serve_router(listener, router, Limits::default(), async move {
///     let _ = stopped.await;
/// }));
/// drop(stop);
/// served.await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn serve_router(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) {
    serve::run(listener, None, router, limits, shutdown).await;
}

/// Serves the built-in data until `shutdown` completes: [`Server::built_in`] and [`Server::serve`] in one call.
///
/// # Errors
/// The errors of [`Server::serve`].
pub async fn serve(listener: TcpListener, shutdown: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
    Server::built_in().serve(listener, shutdown).await
}
