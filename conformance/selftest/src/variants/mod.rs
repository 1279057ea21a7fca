//! Legal variants: deployments that differ in what the contract leaves open. None may fail.
//!
//! Some have another form, some other data, and some a target file that says less. Others depart from what the contract
//! decided where the source is silent: they are held to the level `stated`.

mod data;
mod foreign;
mod form;
mod knowledge;
mod lifecycle;
mod otherwise;
mod transport;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use platform_server_stub::data::Dataset;

use super::exchange::{Answered, Asked, Plant};
use engine::target::Target;
use engine::verdict::Level;

/// A deployment that follows the contract differently than the reference server.
#[derive(Clone)]
pub struct Variant {
    /// Its name.
    pub name: &'static str,
    /// The clause that permits it: a JSON pointer into `openapi.yaml`.
    pub clause: String,
    /// The difference, as a sentence.
    pub differs: &'static str,
    /// What it is held to: a variant that decides otherwise than the contract is held to what is stated.
    pub level: Level,
    layer: Arc<dyn Fn(Router, u64) -> Router + Send + Sync>,
    data: fn() -> Arc<Dataset>,
    known: fn(Target) -> Target,
    /// A path prefix of every route.
    prefix: &'static str,
}

/// A variant under construction: it has no difference yet.
fn variant(name: &'static str, clause: impl Into<String>, differs: &'static str) -> Variant {
    Variant {
        name,
        clause: clause.into(),
        differs,
        level: Level::Contract,
        layer: Arc::new(|router, _| router),
        data: Dataset::built_in,
        known: |target| target,
        prefix: "",
    }
}

/// Every variant.
pub fn all() -> Vec<Variant> {
    let families = [
        form::variants,
        transport::variants,
        data::variants,
        knowledge::variants,
        lifecycle::variants,
        otherwise::variants,
        foreign::variants,
    ];
    families.into_iter().flat_map(|family| family()).collect()
}

impl Variant {
    fn answer(self, change: impl Fn(&Asked, &mut Answered) + Send + Sync + 'static) -> Self {
        self.planted(Plant::answer(change))
    }

    fn planted(self, plant: Plant) -> Self {
        self.layer(move |router, _| plant.around(router))
    }

    /// Adds changes to HTTP; the seed sets the initial state.
    fn layer(mut self, layer: impl Fn(Router, u64) -> Router + Send + Sync + 'static) -> Self {
        self.layer = Arc::new(layer);
        self
    }

    /// Sets other data.
    fn data(mut self, data: fn() -> Arc<Dataset>) -> Self {
        self.data = data;
        self
    }

    /// Changes what the target file says.
    fn known(mut self, known: fn(Target) -> Target) -> Self {
        self.known = known;
        self
    }

    /// Holds it to what is stated.
    fn stated(mut self) -> Self {
        self.level = Level::Stated;
        self
    }

    /// Sets a path prefix.
    fn below(mut self, prefix: &'static str) -> Self {
        self.prefix = prefix;
        self
    }

    /// The data of the deployment.
    pub fn dataset(&self) -> Arc<Dataset> {
        (self.data)()
    }

    /// Returns the router of a server with the difference around it.
    pub fn around(&self, router: Router, seed: u64) -> Router {
        (self.layer)(router, seed)
    }

    /// Returns the target as its operator describes it.
    pub(super) fn target(&self, served: &Target) -> Target {
        (self.known)(served.clone()).under(self.prefix)
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
