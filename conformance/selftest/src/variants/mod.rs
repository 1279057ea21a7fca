//! Legal variants: deployments that differ in what the contract leaves open. None may be blamed.
//!
//! Some send the same in another form, some hold other data, some tell the kit less of themselves.

mod data;
mod form;
mod knowledge;
mod transport;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use platform_server_stub::data::Dataset;

use super::exchange::{Answered, Asked, Plant};
use engine::target::Target;

/// A deployment that keeps the contract in another way than the reference server does.
#[derive(Clone)]
pub struct Variant {
    /// Its name.
    pub name: &'static str,
    /// The clause that permits it: a JSON pointer into `openapi.yaml`.
    pub clause: String,
    /// What differs, as a sentence.
    pub differs: &'static str,
    layer: Arc<dyn Fn(Router, u64) -> Router + Send + Sync>,
    data: fn() -> Arc<Dataset>,
    known: fn(Target) -> Target,
    /// A path before that of every route.
    prefix: &'static str,
}

/// A variant that is being written down: it differs in nothing yet.
fn variant(name: &'static str, clause: impl Into<String>, differs: &'static str) -> Variant {
    Variant {
        name,
        clause: clause.into(),
        differs,
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

    /// It differs in how it speaks HTTP; the seed says where it begins.
    fn layer(mut self, layer: impl Fn(Router, u64) -> Router + Send + Sync + 'static) -> Self {
        self.layer = Arc::new(layer);
        self
    }

    /// It holds other data.
    fn data(mut self, data: fn() -> Arc<Dataset>) -> Self {
        self.data = data;
        self
    }

    /// Its operator tells the kit something else of it.
    fn known(mut self, known: fn(Target) -> Target) -> Self {
        self.known = known;
        self
    }

    /// It answers below a path.
    fn below(mut self, prefix: &'static str) -> Self {
        self.prefix = prefix;
        self
    }

    /// The data that it holds.
    pub fn dataset(&self) -> Arc<Dataset> {
        (self.data)()
    }

    /// The router of a server with what differs around it.
    pub fn around(&self, router: Router, seed: u64) -> Router {
        (self.layer)(router, seed)
    }

    /// What its operator tells the kit of it.
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
