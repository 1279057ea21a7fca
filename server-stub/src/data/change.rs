//! A data set with some of its records changed.

use std::collections::{BTreeMap, HashSet};

use super::meaning::{Embedded, Meanings};
use super::{Data, DataError, Dataset, PipelineData, StatedItem};
use crate::model::ids::PipelineId;
use crate::model::item::Item;
use crate::model::organization::Organization;
use crate::model::product::Product;
use crate::model::search::Meaning;

impl Dataset {
    /// This data set with the records of `changes`: a record replaces the one with the same id, an API key the one with
    /// the same name, and all others are added. A pipeline keeps its items; an item in `changes` replaces the one with
    /// the same id.
    ///
    /// # Errors
    /// [`DataError::Inconsistent`] with everything that does not fit together. The places are those of `changes`.
    ///
    /// ```
    /// use platform_server_stub::data::{Data, Dataset};
    ///
    /// let more = r#"{"organizations": [{"organization_id": 1, "name": "Weaver", "description": "Weaves linen."}]}"#;
    /// let changed = Dataset::built_in().changed(Data::from_json(more)?)?;
    /// assert_eq!(changed.organizations().count(), Dataset::built_in().organizations().count() + 1);
    /// # Ok::<_, platform_server_stub::data::DataError>(())
    /// ```
    pub fn changed(&self, changes: Data) -> Result<Self, DataError> {
        let mut data = changes;
        // What is changed comes first, so that its places are those of the changes.
        let ids: HashSet<_> = data.organizations.iter().map(|it| it.organization_id).collect();
        let known = self
            .organizations()
            .map(|known| Organization::clone(&known.organization));
        data.organizations
            .extend(known.filter(|it| !ids.contains(&it.organization_id)));
        let ids: HashSet<_> = data.products.iter().map(|it| it.product_id).collect();
        let known = self.products().map(|known| Product::clone(&known.product));
        data.products.extend(known.filter(|it| !ids.contains(&it.product_id)));
        self.extend_pipelines(&mut data.pipelines);
        let keys = data.api_keys.get_or_insert_default();
        let names: HashSet<_> = keys.iter().map(|key| key.name.clone()).collect();
        let known = self.api_keys().iter().filter(|key| !names.contains(&key.name));
        keys.extend(known.cloned());
        Self::with_meanings(data, &mut Kept(self))
    }

    /// The items that are kept, by pipeline.
    pub(super) fn items_by_pipeline(&self, keep: impl Fn(&Item) -> bool) -> BTreeMap<PipelineId, Vec<StatedItem>> {
        let mut items: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for record in self.records().filter(|record| keep(&record.item)) {
            let of_pipeline = items.entry(record.item.pipeline_id).or_default();
            of_pipeline.push(StatedItem::of(&record));
        }
        items
    }

    /// Adds the pipelines and items of this data set that are not changed.
    fn extend_pipelines(&self, pipelines: &mut Vec<PipelineData>) {
        let mut items = self.items_by_pipeline(|_| true);
        for pipeline in pipelines.iter_mut() {
            let changed = pipeline.items.iter();
            let changed: HashSet<_> = changed.map(|item| item.pipeline_item_id).collect();
            let others = items.remove(&pipeline.pipeline_id).unwrap_or_default();
            let others = others.into_iter();
            pipeline
                .items
                .extend(others.filter(|item| !changed.contains(&item.pipeline_item_id)));
        }
        let changed: HashSet<_> = pipelines.iter().map(|it| it.pipeline_id).collect();
        let others = self.pipelines().filter(|it| !changed.contains(&it.pipeline_id));
        pipelines.extend(others.map(|pipeline| PipelineData {
            items: items.remove(&pipeline.pipeline_id).unwrap_or_default(),
            ..PipelineData::of(pipeline)
        }));
    }
}

/// The meanings of a data set's records; those of changed records are computed.
pub(super) struct Kept<'a>(pub(super) &'a Dataset);

impl Meanings for Kept<'_> {
    fn of_organization(&mut self, organization: &Organization) -> Meaning {
        let known = self.0.organization(organization.organization_id);
        match known.filter(|known| *known.organization == *organization) {
            Some(known) => known.meaning.clone(),
            None => Embedded.of_organization(organization),
        }
    }

    fn of_product(&mut self, product: &Product) -> Meaning {
        let known = self.0.product(product.product_id);
        match known.filter(|known| *known.product == *product) {
            Some(known) => known.meaning.clone(),
            None => Embedded.of_product(product),
        }
    }
}
