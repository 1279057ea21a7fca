//! The state of these routes.

use axum::extract::FromRef;

use crate::control::Control;

/// The controls of a namespace, and those that it was opened from.
#[derive(Debug, Clone)]
pub(super) struct Controls {
    pub(super) here: Control,
    pub(super) origin: Control,
}

/// The controls that namespaces are opened from.
#[derive(Debug, Clone)]
pub(super) struct Origin(pub(super) Control);

impl FromRef<Controls> for Control {
    fn from_ref(controls: &Controls) -> Self {
        controls.here.clone()
    }
}

impl FromRef<Controls> for Origin {
    fn from_ref(controls: &Controls) -> Self {
        Self(controls.origin.clone())
    }
}
