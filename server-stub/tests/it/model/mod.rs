//! The model, as users of the library see it.

mod agreement;
mod built_in_data;
mod data_document;
mod data_lines;
mod generated;
mod items;
mod processes;
pub(crate) mod query_encoder;
mod search;

use std::sync::Arc;

use platform_server_stub::data::Dataset;
use platform_server_stub::model::ids::{OrganizationId, PipelineId, PipelineItemId};
use platform_server_stub::model::search::Page;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::{ManualClock, SystemClock};

const ALL: Page = Page {
    skip: 0,
    limit: usize::MAX,
};

fn built_in() -> Platform {
    Platform::in_memory(Dataset::built_in(), Arc::new(SystemClock))
}

/// A platform with the built-in data, and its clock.
fn built_in_with_clock() -> (Platform, ManualClock) {
    let clock = ManualClock::new("2026-11-20T12:00:00Z".parse().unwrap());
    (Platform::in_memory(Dataset::built_in(), Arc::new(clock.clone())), clock)
}

fn pipeline_id(number: i64) -> PipelineId {
    PipelineId::new(number).unwrap()
}

fn item_id(number: i64) -> PipelineItemId {
    PipelineItemId::new(number).unwrap()
}

fn organization_id(number: i64) -> OrganizationId {
    OrganizationId::new(number).unwrap()
}
