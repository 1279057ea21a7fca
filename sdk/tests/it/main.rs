//! The integration tests of the SDK, in one binary.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod blocking;
mod canned;
mod chaos;
mod compression;
mod construction;
mod conversions;
mod coverage;
mod decoding;
mod dependencies;
mod ensure;
mod ensure_many;
mod errors;
mod fault_matrix;
mod keys;
mod known_values;
mod large_answers;
mod metrics;
mod mock;
mod oldest_rust;
mod options;
mod paging;
mod paging_under_load;
mod proxy;
mod rate_limits;
mod redaction;
mod reference_server;
mod retries;
mod rows;
mod schemas;
mod script;
mod tls;
mod tracing;
mod unknown;
mod unreadable;
mod values;
mod wait;
mod wait_for_all;
mod wire;

use platform_contract::Contract;
use serde_json::Value;

/// Returns `openapi.yaml`.
fn contract() -> Value {
    Contract::bundled().document().clone()
}
