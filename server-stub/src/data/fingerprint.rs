//! Identifies a data set.

use std::hash::Hasher;
use std::io::{self, Write};

use fnv::FnvHasher;
use serde::Serialize;

use super::Dataset;

/// A 16-digit number that is the same for the same data in every version of the server.
///
/// It covers records and pipelines as they are written, the ids and stages of items, and their work. It does not cover
/// the values of items, which follow from the rest, or API keys.
pub(super) fn of(dataset: &Dataset) -> String {
    let mut digest = Digest(FnvHasher::default());
    digest.list("organizations");
    for known in dataset.organizations() {
        digest.record(&*known.organization);
    }
    digest.list("products");
    for known in dataset.products() {
        digest.record(&*known.product);
    }
    digest.list("pipelines");
    for pipeline in dataset.pipelines() {
        digest.record(&**pipeline);
    }
    digest.list("items");
    for item in dataset.items() {
        let entities = (item.organization_id, item.person_id, item.document_id);
        let stages = (item.document_indexed, item.platform_entity_data_ready);
        digest.record(&(item.pipeline_id, item.pipeline_item_id, entities, stages));
    }
    digest.list("work");
    for record in dataset.records().filter(|record| !record.work.is_empty()) {
        digest.record(&(record.item.pipeline_item_id, record.work));
    }
    format!("{:016x}", digest.0.finish())
}

struct Digest(FnvHasher);

impl Digest {
    fn list(&mut self, name: &str) {
        self.0.write(name.as_bytes());
    }

    fn record(&mut self, record: &impl Serialize) {
        // This cannot fail: maps have texts as keys, and the writer accepts every byte.
        let _ = serde_json::to_writer(&mut *self, record);
        self.0.write(b"\n");
    }
}

impl Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
