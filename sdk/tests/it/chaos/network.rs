//! How a call connects to the proxy, or fails to connect, and the clock it uses.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use platform_sdk::reqwest;
use platform_sdk::reqwest::dns::{Addrs, Name, Resolve, Resolving};
use platform_sdk::{Client, Clock, RetryBudget};
use tokio::net::TcpSocket;

use super::call::Call;
use super::proxy::CALL;

/// Attempt timeout, in real time. A request that stalls takes this long.
pub(super) const ATTEMPT_TIMEOUT: Duration = Duration::from_millis(1500);

/// Deadline of a hurried call, by its own clock.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);

/// DNS names shared by all calls.
pub(super) struct Network {
    names: Arc<Names>,
    /// Bound but not listening.
    _nobody: TcpSocket,
}

impl Network {
    pub(super) fn to(proxy: SocketAddr) -> Self {
        let nobody = TcpSocket::new_v4().unwrap();
        nobody.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let names = Names {
            proxy,
            nobody: nobody.local_addr().unwrap(),
            asked: Mutex::default(),
        };
        Self {
            names: Arc::new(names),
            _nobody: nobody,
        }
    }

    /// Returns a client for one call. It has its own clock, so that waits of other calls do not affect it.
    pub(super) fn client(&self, call: &Call) -> Client {
        let names = Arc::clone(&self.names);
        let base_url = match call.refusals {
            0 => "http://proxy.localhost".to_owned(),
            refusals => format!("http://refused-{refusals}.call-{}.localhost", call.number),
        };
        let client = Client::builder()
            .base_url(base_url)
            .api_key("dev-full-access")
            .http_client(move || {
                reqwest::Client::builder()
                    .dns_resolver(Arc::clone(&names))
                    .tls_certs_only([])
                    .no_proxy()
            })
            .attempt_timeout(ATTEMPT_TIMEOUT)
            .retry_budget(Arc::new(RetryBudget::unlimited()))
            .clock(Skipping::default())
            .build()
            .unwrap();
        let client = client.with_header(CALL, call.number.to_string()).unwrap();
        match call.is_hurried {
            true => client.with_deadline(DEADLINE),
            false => client,
        }
    }
}

/// Resolves `refused-2.….localhost` to `nobody` twice, then to the proxy like every other name.
struct Names {
    proxy: SocketAddr,
    nobody: SocketAddr,
    asked: Mutex<HashMap<String, u32>>,
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let mut asked = self.asked.lock().unwrap();
        let asked = asked.entry(name.as_str().to_owned()).or_default();
        let refusals = name.as_str().strip_prefix("refused-");
        let refusals = refusals.and_then(|rest| rest.split_once('.')?.0.parse().ok());
        let address = match refusals {
            Some(refusals) if *asked < refusals => self.nobody,
            _ => self.proxy,
        };
        *asked += 1;
        let addresses: Addrs = Box::new(std::iter::once(address));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// Clock whose sleeps return immediately and advance its time.
#[derive(Clone)]
struct Skipping(Arc<Mutex<Instant>>);

impl Default for Skipping {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }
}

impl Clock for Skipping {
    fn now(&self) -> Instant {
        *self.0.lock().unwrap()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        *self.0.lock().unwrap() += duration;
        Box::pin(std::future::ready(()))
    }
}
