//! A part of the built-in data, for deployments where the amount of data does not matter.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use platform_server_stub::data::{Data, Dataset};

/// Pipelines with at most this many items are kept whole in the reduced data.
const FEW: usize = 100;
/// The reduced data keeps every `PART`th organization of the built-in data.
const PART: usize = 8;

/// A part of the built-in data, where the amount of data does not matter: a run takes a third of the time. Pipelines
/// with a few items are complete.
pub fn part_of_the_data() -> Arc<Dataset> {
    static PART_OF_THE_DATA: LazyLock<Arc<Dataset>> = LazyLock::new(|| {
        let mut data = Data::built_in();
        for pipeline in &mut data.pipelines {
            if pipeline.items.len() > FEW {
                let mut items = 0..;
                pipeline
                    .items
                    .retain(|_| items.next().is_some_and(|item| item % PART == 0));
            }
        }
        let items = data.pipelines.iter().flat_map(|pipeline| &pipeline.items);
        let needed: BTreeSet<_> = items.filter_map(|item| item.organization_id).collect();
        let mut organizations = 0..;
        data.organizations.retain(|organization| {
            let is_chosen = organizations.next().is_some_and(|number| number % PART == 0);
            is_chosen || needed.contains(&organization.organization_id)
        });
        let kept: BTreeSet<_> = data.organizations.iter().map(|kept| kept.organization_id).collect();
        data.products.retain(|product| kept.contains(&product.organization_id));
        #[expect(clippy::expect_used, reason = "a part of sound data is sound")]
        let part = Dataset::new(data).expect("sound data");
        Arc::new(part)
    });
    Arc::clone(&PART_OF_THE_DATA)
}
