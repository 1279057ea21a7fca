//! What a case needs before it can run.

use std::borrow::Cow;

use crate::target::{PipelineRole, Role};

/// Something that a case needs beyond a base URL and a key with full access.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// A key of this role.
    Key(Role),
    /// A pipeline of this role.
    Pipeline(PipelineRole),
    /// A pipeline of this role that the target names: a deployment that breaks the contract might add to it, and the
    /// kit adds nothing without the target's permission.
    Named(PipelineRole),
    /// A known organization.
    Organization,
    /// A known product.
    Product,
    /// Permission to add organizations to the pipeline of the role [`PipelineRole::Writable`], and
    /// organizations that are not in it.
    Writes,
    /// Pipelines, named by the target, that may be added to besides the writable one.
    OtherPipelines,
    /// Permission to send non-read requests of this method, although the deployment must reject them: anything it
    /// accepts is added to the pipeline of the role [`PipelineRole::Writable`].
    Method(Cow<'static, str>),
}

impl Need {
    /// Permission to send POST.
    pub const POST: Self = Self::Method(Cow::Borrowed("POST"));

    /// Permission to send requests of this method.
    pub fn method(name: impl Into<Cow<'static, str>>) -> Self {
        Self::Method(name.into())
    }
}
