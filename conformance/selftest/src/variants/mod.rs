//! Legal variants: deployments that differ in what the contract leaves open. None may fail.
//!
//! Some have another form, some have other data, and some have a target file with fewer entries. Others depart from
//! what the contract decided where the source is silent: they are checked at the level `stated`.

mod connections;
mod data;
mod foreign;
mod form;
mod knowledge;
mod lifecycle;
mod otherwise;
mod records;
mod searches;
pub(crate) mod together;
mod transport;
mod words;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use platform_server_stub::data::Dataset;

pub use self::together::grouped;
use super::exchange::{Answered, Asked, Plant, all_around};
pub use crate::part::part_of_the_data;
use crate::relay::Relay;
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
    /// The level that it is checked at: `stated` for a variant that decides otherwise than the contract.
    pub level: Level,
    /// Whether its data grows during a run. If so, cases that fail on grown data run a second time.
    pub(super) grows: bool,
    /// The changes to HTTP, the first innermost.
    layers: Vec<Layer>,
    /// The changes to the bytes of connections.
    relay: Option<Relay>,
    data: Records,
    /// The change of the entries of its target file, if any.
    known: Option<fn(Target) -> Target>,
    /// A path prefix of every route, if any.
    prefix: Option<&'static str>,
    /// A deployment in the place of the reference server.
    foreign: Option<foreign::Foreign>,
}

/// A change to HTTP.
#[derive(Clone)]
enum Layer {
    Plant(Plant),
    /// A change of the router; the seed sets its initial state.
    Around(Arc<dyn Fn(Router, u64) -> Router + Send + Sync>),
}

/// The data of a deployment.
#[derive(Debug, Clone, Copy)]
enum Records {
    /// A part of the built-in data.
    Part,
    /// The built-in data: more items than the longest page contains.
    BuiltIn,
    /// Data of its own.
    Own(fn() -> Arc<Dataset>),
}

/// A variant under construction: it has no difference yet.
fn variant(name: &'static str, clause: impl Into<String>, differs: &'static str) -> Variant {
    Variant {
        name,
        clause: clause.into(),
        differs,
        level: Level::Contract,
        grows: false,
        layers: Vec::new(),
        relay: None,
        data: Records::Part,
        known: None,
        prefix: None,
        foreign: None,
    }
}

/// Every variant.
pub fn all() -> Vec<Variant> {
    let families = [
        form::variants,
        transport::variants,
        connections::variants,
        data::variants,
        knowledge::variants,
        lifecycle::variants,
        words::variants,
        otherwise::variants,
        records::variants,
        searches::variants,
        foreign::variants,
    ];
    families.into_iter().flat_map(|family| family()).collect()
}

impl Variant {
    /// A variant outside the committed list: a difference around the reference server, permitted by a clause.
    pub fn new(
        name: &'static str,
        clause: impl Into<String>,
        differs: &'static str,
        layer: impl Fn(Router, u64) -> Router + Send + Sync + 'static,
    ) -> Self {
        variant(name, clause, differs).layer(layer)
    }

    fn answer(self, change: impl Fn(&Asked, &mut Answered) + Send + Sync + 'static) -> Self {
        self.planted(Plant::answer(change))
    }

    fn planted(mut self, plant: Plant) -> Self {
        self.layers.push(Layer::Plant(plant));
        self
    }

    /// Adds changes to HTTP; the seed sets the initial state.
    fn layer(mut self, layer: impl Fn(Router, u64) -> Router + Send + Sync + 'static) -> Self {
        self.layers.push(Layer::Around(Arc::new(layer)));
        self
    }

    /// Changes the bytes of connections.
    fn relayed(mut self, relay: Relay) -> Self {
        self.relay = Some(relay);
        self
    }

    /// The changes to the bytes of connections, if any.
    pub(super) fn relay(&self) -> Option<Relay> {
        self.relay.clone()
    }

    /// Sets other data.
    fn data(mut self, data: fn() -> Arc<Dataset>) -> Self {
        self.data = Records::Own(data);
        self
    }

    /// Sets all of the built-in data.
    fn with_all_data(mut self) -> Self {
        self.data = Records::BuiltIn;
        self
    }

    /// Changes the entries of the target file.
    fn known(mut self, known: fn(Target) -> Target) -> Self {
        self.known = Some(known);
        self
    }

    /// Sets the level `stated`.
    fn stated(mut self) -> Self {
        self.level = Level::Stated;
        self
    }

    /// Marks its data as growing during a run.
    fn growing(mut self) -> Self {
        self.grows = true;
        self
    }

    /// Sets a path prefix.
    fn below(mut self, prefix: &'static str) -> Self {
        self.prefix = Some(prefix);
        self
    }

    /// The data of the deployment.
    pub fn dataset(&self) -> Arc<Dataset> {
        match self.data {
            Records::Part => part_of_the_data(),
            Records::BuiltIn => Dataset::built_in(),
            Records::Own(data) => data(),
        }
    }

    /// Returns the router of a server with the difference around it.
    pub fn around(&self, router: Router, seed: u64) -> Router {
        let are_plants = |one: &Layer, other: &Layer| matches!((one, other), (Layer::Plant(_), Layer::Plant(_)));
        self.layers.chunk_by(are_plants).fold(router, |router, layers| {
            if let [Layer::Around(layer)] = layers {
                return layer(router, seed);
            }
            let plants = layers.iter().filter_map(|layer| match layer {
                Layer::Plant(plant) => Some(plant.clone()),
                Layer::Around(_) => None,
            });
            all_around(plants.collect(), router)
        })
    }

    /// Returns the target as its operator describes it.
    pub(super) fn target(&self, served: &Target) -> Target {
        let target = served.clone();
        let target = self.known.map_or(target.clone(), |known| known(target));
        target.under(self.prefix.unwrap_or_default())
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
