//! Deployments written only from the source description. They share no code with the reference server or with each
//! other, have their own data, and make their own decisions where the source is silent. They follow what it states.

pub(crate) mod asgi;
pub(crate) mod servlet;

use axum::Router;

use engine::target::key::ApiKey;
use engine::target::{PipelineRole, Role, Target};

/// A deployment that is not the reference server.
#[derive(Clone, Copy)]
pub(crate) struct Deployment {
    /// Creates a new one, with its own state.
    pub(crate) router: fn() -> Router,
    /// The target as its operator describes it.
    pub(crate) target: fn(Target) -> Target,
    /// The key with full access.
    pub(crate) key: &'static str,
}

/// The deployment with the habits of a Python framework.
pub(crate) const ASGI: Deployment = Deployment {
    router: || asgi::router(asgi::habits::Habits::default()),
    target: |served| {
        let keys = [
            (Role::FullAccess, asgi::FULL),
            (Role::ReadOnly, asgi::READS),
            (Role::NoAccess, asgi::NOTHING),
        ];
        let pipelines = [
            (PipelineRole::ManyItems, asgi::data::MANY),
            (PipelineRole::NotOrganizations, asgi::data::PERSONS),
            (PipelineRole::Writable, asgi::data::ADDITIONS),
        ];
        target(&served, keys, pipelines).with_organizations_to_add(asgi::data::TO_ADD)
    },
    key: asgi::FULL,
};

/// The deployment with the habits of a Java framework. The kit cannot find its pipelines by their ids.
pub(crate) const SERVLET: Deployment = Deployment {
    router: || servlet::router(servlet::habits::Habits::default()),
    target: |served| {
        let keys = [
            (Role::FullAccess, servlet::ADMINISTRATOR),
            (Role::ReadOnly, servlet::READER),
            (Role::NoAccess, servlet::NO_PERMISSION),
        ];
        let [(many, ..), (persons, ..), (documents, ..), (writable, ..)] = servlet::data::PIPELINES;
        let pipelines = [
            (PipelineRole::ManyItems, many),
            (PipelineRole::Other, documents),
            (PipelineRole::NotOrganizations, persons),
            (PipelineRole::Writable, writable),
        ];
        let target = target(&served, keys, pipelines);
        target.with_organizations_to_add(servlet::data::TO_ADD)
    },
    key: servlet::ADMINISTRATOR,
};

fn target(
    served: &Target,
    keys: [(Role, &str); 3],
    pipelines: impl IntoIterator<Item = (PipelineRole, u64)>,
) -> Target {
    #[expect(clippy::expect_used, reason = "the URL of a target that is served")]
    let mut target = Target::new(served.base_url().as_str()).expect("an http URL");
    for (role, key) in keys {
        #[expect(clippy::expect_used, reason = "the keys above are plain ASCII")]
        let key = ApiKey::new(key, role.variable()).expect("a key");
        target = target.with_key(role, key);
    }
    let pipelines = pipelines.into_iter();
    pipelines.fold(target, |target, (role, id)| target.with_pipeline(role, id))
}
