//! A fault: what is wrong with a deployment, what shows it, and how it comes to that.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;

use super::deployment::Machine;
use super::exchange::{Answered, Asked, Plant};
use super::witness::Witness;
use platform_contract::Contract;

/// Faults of one kind.
#[derive(Debug)]
pub struct Family {
    /// The first part of their names.
    pub name: &'static str,
    /// What is wrong.
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
    /// Requests, one after the other, of which some answer is not that of the reference server.
    pub witness: Vec<Witness>,
    plant: Arc<dyn Fn(u64) -> Plant + Send + Sync>,
}

/// A fault that is being written down: it changes nothing yet.
pub(super) fn fault(name: &str, clause: impl Into<String>, wrong: &'static str) -> Fault {
    Fault {
        name: name.to_owned(),
        clause: clause.into(),
        wrong,
        witness: Vec::new(),
        plant: Arc::new(|_| Plant::default()),
    }
}

impl Fault {
    /// Whether its witness shows it: some answer is not that of the reference server.
    pub async fn is_shown(&self) -> bool {
        let (sound, faulty) = (Machine::built_in(), Machine::built_in());
        let (sound, faulty) = (sound.router(), self.around(faulty.router(), 0));
        for witness in &self.witness {
            if witness.tells_apart(&sound, &faulty).await {
                return true;
            }
        }
        false
    }

    /// What shows it.
    pub(super) fn shown_by(mut self, witness: impl IntoIterator<Item = Witness>) -> Self {
        self.witness = witness.into_iter().collect();
        self
    }

    /// It changes what the server is asked.
    pub(super) fn request(self, change: impl Fn(&mut Asked) + Send + Sync + 'static) -> Self {
        self.always(Plant::request(change))
    }

    /// It changes what the server answers.
    pub(super) fn answer(
        self,
        change: impl Fn(&Asked, &mut Answered) + Send + Sync + 'static,
    ) -> Self {
        self.always(Plant::answer(change))
    }

    /// It changes the same for every seed.
    fn always(self, plant: Plant) -> Self {
        self.planted(move |_| plant.clone())
    }

    /// It changes every fiftieth answer that it could, the first one by the seed.
    pub(super) fn rarely(
        self,
        could: impl Fn(&Asked, &Answered) -> bool + Clone + Send + Sync + 'static,
        change: impl Fn(&Asked, &mut Answered) + Clone + Send + Sync + 'static,
    ) -> Self {
        self.planted(move |seed| {
            let (could, change, seen) =
                (could.clone(), change.clone(), AtomicU64::new(seed % RARELY));
            Plant::answer(move |asked, answered| {
                if could(asked, answered)
                    && seen.fetch_add(1, Ordering::Relaxed) % RARELY == RARELY - 1
                {
                    change(asked, answered);
                }
            })
        })
    }

    /// It has a state, new for each deployment; the seed says where it begins.
    pub(super) fn planted(mut self, plant: impl Fn(u64) -> Plant + Send + Sync + 'static) -> Self {
        self.plant = Arc::new(plant);
        self
    }

    /// The router of a server with the fault planted around it.
    pub fn around(&self, router: Router, seed: u64) -> Router {
        (self.plant)(seed).around(router)
    }

    /// The first part of its name.
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

/// A rare fault shows in one of so many answers.
pub(super) const RARELY: u64 = 50;

/// The clause of a keyword of a parameter.
pub(super) fn parameter(operation: &str, name: &str, keyword: &str) -> String {
    let operation = Contract::bundled().operation(operation);
    operation.parameter(name).at(keyword)
}

/// The clause of a response.
pub(super) fn response(operation: &str, status: u16) -> String {
    Contract::bundled()
        .operation(operation)
        .response_pointer(status)
}

/// The clause of an operation.
pub(super) fn operation(id: &str) -> String {
    Contract::bundled().operation(id).pointer.clone()
}

/// The clause of a property of a schema.
pub(super) fn property(schema: &str, name: &str) -> String {
    format!("/components/schemas/{schema}/properties/{name}")
}

/// The clause of a header.
pub(super) fn header(name: &str) -> String {
    format!("/components/headers/{name}")
}

/// The text that says what holds for every operation.
pub(super) const EVERY_OPERATION: &str = "/info";
