//! The reference server in the same process, as a target: the whole catalogue can run on it, including writes.

use std::io;
use std::net::SocketAddr;

use platform_server_stub::Server;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use engine::target::key::ApiKey;
use engine::target::{PipelineRole, Role, SomePipelines, Target};

/// The built-in keys of the reference server, by role. They give access to nothing else.
const KEYS: [(Role, &str); 9] = [
    (Role::FullAccess, "dev-full-access"),
    (Role::ReadOnly, "dev-read-only"),
    (Role::NoAccess, "dev-no-access"),
    (Role::RateLimited, "dev-rate-limited"),
    (Role::OnePipeline, "dev-one-pipeline"),
    (Role::CreateOnly, "dev-create-only"),
    (Role::WritableOnly, "dev-writable-only"),
    (Role::OrganizationsOnly, "dev-organizations-only"),
    (Role::SomePipelines, "dev-some-pipelines"),
];

/// The built-in pipelines of the reference server, by role.
const PIPELINES: [(PipelineRole, u64); 4] = [
    (PipelineRole::ManyItems, 1),
    (PipelineRole::Other, 2),
    (PipelineRole::NotOrganizations, 3),
    (PipelineRole::Writable, 6),
];

/// A reference server with its own state, on a free port of this machine, until it is dropped or stopped.
#[derive(Debug)]
pub struct Stub {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<io::Result<()>>,
}

impl Stub {
    /// Starts a server with the built-in data. Needs a Tokio runtime.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(Server::built_in().serve(listener, async move {
            // Dropping the sender also stops the server.
            let _ = stopped.await;
        }));
        Ok(Self { address, stop, served })
    }

    /// Returns the server as a target.
    pub fn target(&self) -> Target {
        target(self.address)
    }

    /// Stops the server after the pending requests.
    ///
    /// # Errors
    /// The errors of the server.
    pub async fn stop(self) -> io::Result<()> {
        drop(self.stop);
        self.served.await.map_err(io::Error::other)?
    }
}

/// Returns a reference server with the built-in data at an address, as a target.
pub fn target(address: SocketAddr) -> Target {
    #[expect(clippy::expect_used, reason = "an address makes a URL")]
    let target = Target::new(&format!("http://{address}")).expect("an http URL");
    with_what_is_built_in(target)
}

/// The reference server with the built-in data, for the harness of `cargo test`, which serves it in this process.
pub fn in_process() -> Target {
    with_what_is_built_in(Target::in_process())
}

/// The built-in pipelines that may be added to besides the writable one: that of the key for one pipeline, one of
/// documents, one with CRM sync, and an empty one.
const TO_ADD: [u64; 4] = [2, 4, 5, 7];

fn with_what_is_built_in(target: Target) -> Target {
    let mut target = target.with_some_pipelines(SomePipelines {
        reads: vec![2, 4, 5],
        adds: vec![5],
    });
    for (role, key) in KEYS {
        #[expect(clippy::expect_used, reason = "the keys above are plain ASCII")]
        let key = ApiKey::new(key, role.variable()).expect("a key");
        target = target.with_key(role, key);
    }
    PIPELINES
        .into_iter()
        .fold(target.with_pipelines_to_add(TO_ADD), |target, (role, id)| {
            target.with_pipeline(role, id)
        })
}
