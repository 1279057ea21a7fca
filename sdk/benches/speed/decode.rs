//! Decoding a page of 1,000 items, compared to other decoders.

use std::hint::black_box;

use platform_sdk::types::ItemPage;

use crate::Failure;
use crate::pair::Pair;

/// The decoders to compare on this body.
pub(crate) fn pairs(body: &[u8]) -> Vec<Pair<'_>> {
    vec![Pair {
        name: "decode 1000 items over derived structs",
        counted: 5,
        ours: Box::new(|| sdk(body)),
        peer: Box::new(|| {
            black_box(serde_json::from_slice::<derived::Page>(body)?);
            Ok(())
        }),
    }]
}

/// Decodes a body as a call does.
pub(crate) fn sdk(body: &[u8]) -> Result<(), Failure> {
    black_box(serde_json::from_str::<ItemPage>(std::str::from_utf8(body)?)?);
    Ok(())
}

/// The page as a generator types it: bare numbers as ids, closed lists of values, and what serde derives for
/// the three alternatives of a column's value.
#[expect(dead_code, reason = "decoded, and never looked at")]
mod derived {
    use std::collections::BTreeMap;

    use platform_sdk::chrono::{DateTime, Utc};
    use serde::Deserialize;

    #[derive(Deserialize)]
    pub(super) struct Page {
        items: Vec<Item>,
        pipeline_id: u64,
        total_count: u64,
    }

    #[derive(Deserialize)]
    struct Item {
        document_id: Option<u64>,
        entity_type: EntityType,
        organization_id: Option<u64>,
        person_id: Option<u64>,
        pipeline_id: u64,
        pipeline_item_id: u64,
        values: BTreeMap<String, ColumnValue>,
    }

    #[derive(Deserialize)]
    struct ColumnValue {
        category: ValueCategory,
        certainty_score: Option<i32>,
        last_synced_at: Option<DateTime<Utc>>,
        references: Vec<String>,
        result: Vec<ResultValue>,
        status: Option<ExecutionStatus>,
        sync_error: Option<String>,
        sync_provider: Option<String>,
        sync_status: Option<SyncStatus>,
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ResultValue {
        Text(String),
        Number(f64),
        YesNo(bool),
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum EntityType {
        Organization,
        Person,
        Document,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum ValueCategory {
        PlatformData,
        Llm,
        LlmWebbrowsing,
        LlmVisualEngine,
        Formula,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum ExecutionStatus {
        Pending,
        Completed,
        NoAnswer,
        Failed,
        Skipped,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum SyncStatus {
        Success,
        Pending,
        Error,
    }
}
