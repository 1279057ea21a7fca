//! A fault: what is wrong with a deployment, which requests show it, and the changes that cause it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use futures::future::join_all;
use platform_server_stub::data::Dataset;

use super::deployment::{ReferenceServer, Served};
use super::exchange::{Answered, Asked, Plant};
use super::foreign::Deployment;
use super::part::part_of_the_data;
use super::witness::Witness;
use crate::relay::Relay;
use engine::target::Target;
use engine::verdict::Level;
use platform_contract::Contract;

/// Faults of one kind.
#[derive(Debug)]
pub struct Family {
    /// The first part of the names.
    pub name: &'static str,
    /// The subject, as a heading.
    pub title: &'static str,
    pub(super) faults: fn() -> Vec<Fault>,
}

/// A deployment that breaks one clause of the contract.
#[derive(Clone)]
pub struct Fault {
    /// `family/what-is-wrong`.
    pub name: String,
    /// The clause that it breaks: a JSON pointer into `openapi.yaml`.
    pub clause: String,
    /// What the deployment does, as a sentence.
    pub wrong: &'static str,
    /// Requests sent in this order. At least one response differs from that of the sound deployment.
    pub witness: Vec<Witness>,
    plant: Arc<dyn Fn(u64) -> Plant + Send + Sync>,
    /// The changes to the bytes of connections.
    relay: Option<Relay>,
    /// The deployment that it is planted in, if not the reference server, and the faulty deployment that replaces it.
    foreign: Option<(Deployment, fn() -> Router)>,
}

/// How long an item that was added to the reference server takes to become ready, at most.
const UNTIL_READY: Duration = Duration::from_secs(60);

/// A fault under construction: it changes nothing yet.
pub(super) fn fault(name: &str, clause: impl Into<String>, wrong: &'static str) -> Fault {
    Fault {
        name: name.to_owned(),
        clause: clause.into(),
        wrong,
        witness: Vec::new(),
        plant: Arc::new(|_| Plant::default()),
        relay: None,
        foreign: None,
    }
}

impl Fault {
    /// Whether the witness shows the fault: some response differs from the sound deployment's.
    pub async fn is_shown(&self) -> bool {
        if self.witness.iter().any(Witness::is_bytes) {
            return self.is_shown_on_the_wire().await;
        }
        // Most show on a part of the data, which takes less time.
        self.is_shown_on(part_of_the_data()).await || self.is_shown_on(Dataset::built_in()).await
    }

    async fn is_shown_on(&self, data: Arc<Dataset>) -> bool {
        let servers = [ReferenceServer::of(Arc::clone(&data)), ReferenceServer::of(data)];
        let faulty = self.around(servers[1].router(), 0);
        let sound = match self.foreign {
            Some((deployment, _)) => (deployment.router)(),
            None => servers[0].router(),
        };
        for witness in &self.witness {
            if witness.is_later() {
                join_all(servers.iter().map(|server| server.pass(UNTIL_READY))).await;
            }
            if witness.tells_apart(&sound, &faulty).await {
                return true;
            }
        }
        false
    }

    /// Whether it changes the responses to the bytes of its witness.
    async fn is_shown_on_the_wire(&self) -> bool {
        let (sound, faulty) = (ReferenceServer::built_in(), ReferenceServer::built_in());
        let served = [
            Served::start(sound.router(), None).await,
            Served::start(self.around(faulty.router(), 0), self.relay.clone()).await,
        ];
        let [Ok(sound), Ok(faulty)] = served else {
            return false;
        };
        for witness in &self.witness {
            let (one, other) = (
                witness.send_bytes(sound.address).await,
                witness.send_bytes(faulty.address).await,
            );
            if one != other {
                return true;
            }
        }
        false
    }

    /// Sets a witness that is sent byte for byte.
    pub(super) fn shown_on_the_wire(self, bytes: impl Into<String>) -> Self {
        self.shown_by([Witness::of_bytes(bytes.into())])
    }

    /// Changes the bytes of connections.
    pub(super) fn relayed(mut self, relay: Relay) -> Self {
        self.relay = Some(relay);
        self
    }

    /// The changes to the bytes of connections, if any.
    pub(super) fn relay(&self) -> Option<Relay> {
        self.relay.clone()
    }

    /// Plants it in a deployment that is not the reference server.
    pub(super) fn of(mut self, deployment: Deployment) -> Self {
        self.foreign = Some((deployment, deployment.router));
        self
    }

    /// Replaces the sound deployment by this one.
    pub(super) fn instead(mut self, faulty: fn() -> Router) -> Self {
        self.foreign = self.foreign.map(|(deployment, _)| (deployment, faulty));
        self
    }

    /// Whether the deployment is not the reference server.
    pub(super) fn is_foreign(&self) -> bool {
        self.foreign.is_some()
    }

    /// The level that the deployment is checked at: a deployment that shares no decision with the contract, only
    /// `stated`.
    pub fn level(&self) -> Level {
        match self.is_foreign() {
            true => Level::Stated,
            false => Level::Contract,
        }
    }

    /// Returns the target as its operator describes it.
    pub(super) fn target(&self, served: &Target) -> Target {
        match self.foreign {
            Some((deployment, _)) => (deployment.target)(served.clone()),
            None => served.clone(),
        }
    }

    /// Sets the witness.
    pub(super) fn shown_by(mut self, witness: impl IntoIterator<Item = Witness>) -> Self {
        self.witness = witness.into_iter().collect();
        self
    }

    /// Changes requests.
    pub(super) fn request(self, change: impl Fn(&mut Asked) + Send + Sync + 'static) -> Self {
        self.always(Plant::request(change))
    }

    /// Changes responses.
    pub(super) fn answer(self, change: impl Fn(&Asked, &mut Answered) + Send + Sync + 'static) -> Self {
        self.always(Plant::answer(change))
    }

    /// Makes the same changes for every seed.
    fn always(self, plant: Plant) -> Self {
        self.planted(move |_| plant.clone())
    }

    /// Changes every fiftieth response that it can change; the seed selects the first one.
    pub(super) fn rarely(
        self,
        could: impl Fn(&Asked, &Answered) -> bool + Clone + Send + Sync + 'static,
        change: impl Fn(&Asked, &mut Answered) + Clone + Send + Sync + 'static,
    ) -> Self {
        self.planted(move |seed| {
            let (could, change, seen) = (could.clone(), change.clone(), AtomicU64::new(seed % RARELY));
            Plant::answer(move |asked, answered| {
                if could(asked, answered) && seen.fetch_add(1, Ordering::Relaxed) % RARELY == RARELY - 1 {
                    change(asked, answered);
                }
            })
        })
    }

    /// Adds changes with state, new for each deployment; the seed sets the initial state.
    pub(super) fn planted(mut self, plant: impl Fn(u64) -> Plant + Send + Sync + 'static) -> Self {
        self.plant = Arc::new(plant);
        self
    }

    /// Returns the router of a server with the fault planted around it. A fault of another deployment takes the place
    /// of the server.
    pub fn around(&self, router: Router, seed: u64) -> Router {
        let router = self.foreign.map_or(router, |(_, faulty)| faulty());
        (self.plant)(seed).around(router)
    }

    /// The first part of the name.
    pub fn family(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A rare fault changes one of this many responses.
pub(super) const RARELY: u64 = 50;

/// The clause of a keyword of a parameter.
pub(super) fn parameter(operation: &str, name: &str, keyword: &str) -> String {
    let operation = Contract::bundled().operation(operation);
    operation.parameter(name).at(keyword)
}

/// The clause of a response.
pub(super) fn response(operation: &str, status: u16) -> String {
    Contract::bundled().operation(operation).response_pointer(status)
}

/// The clause of an operation.
pub(super) fn operation(id: &str) -> String {
    Contract::bundled().operation(id).pointer.clone()
}

/// The clause of the permission that an operation requires.
pub(super) fn permission(id: &str) -> String {
    format!("{}/x-permission", operation(id))
}

/// The clause of a property of a schema.
pub(super) fn property(schema: &str, name: &str) -> String {
    format!("/components/schemas/{schema}/properties/{name}")
}

/// The clause of a header.
pub(super) fn header(name: &str) -> String {
    format!("/components/headers/{name}")
}

/// The clause that applies to every operation.
pub(super) const EVERY_OPERATION: &str = "/info";
