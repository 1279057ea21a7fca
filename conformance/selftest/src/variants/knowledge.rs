//! Variants whose target file has fewer entries: the kit has to find the rest, or work without it.

use super::{Variant, variant};
use crate::fault::EVERY_OPERATION;
use engine::target::{Role, Target};

pub(super) fn variants() -> Vec<Variant> {
    vec![
        variant("one-key", EVERY_OPERATION, "There is only a key with full access.")
            .known(|target| target.with_keys_of(&[Role::FullAccess])),
        variant(
            "no-names",
            EVERY_OPERATION,
            "No pipeline is named, so none may be added to.",
        )
        .known(Target::without_pipelines),
        variant("few-to-add", EVERY_OPERATION, "Only three organizations may be added.")
            .known(|target| target.with_organizations_to_add([1001, 1002, 1003])),
    ]
}
