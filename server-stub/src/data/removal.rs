//! A data set without some of its records.

use std::collections::BTreeSet;

use super::change::Kept;
use super::fault::Faults;
use super::{Data, DataError, Dataset, PipelineData};
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use crate::model::item::Item;
use crate::store::Record;

/// Records to remove, by id. What cannot exist without them is removed too: the products and items of an organization,
/// and the items of a pipeline.
///
/// ```
/// use platform_server_stub::data::Removal;
/// use platform_server_stub::model::ids::OrganizationId;
///
/// let removal = Removal::default().organization(OrganizationId::new(1001)?);
/// # let _ = removal;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removal {
    organizations: BTreeSet<OrganizationId>,
    products: BTreeSet<ProductId>,
    pipelines: BTreeSet<PipelineId>,
    items: BTreeSet<PipelineItemId>,
}

impl Removal {
    /// Also removes an organization, its products and its items.
    #[must_use]
    pub fn organization(mut self, id: OrganizationId) -> Self {
        self.organizations.insert(id);
        self
    }

    /// Also removes a product.
    #[must_use]
    pub fn product(mut self, id: ProductId) -> Self {
        self.products.insert(id);
        self
    }

    /// Also removes a pipeline and its items.
    #[must_use]
    pub fn pipeline(mut self, id: PipelineId) -> Self {
        self.pipelines.insert(id);
        self
    }

    /// Also removes an item.
    #[must_use]
    pub fn item(mut self, id: PipelineItemId) -> Self {
        self.items.insert(id);
        self
    }

    /// Checks that every record exists. `items` are those that exist now; they may be more than those of the data.
    pub(crate) fn check<'a>(
        &self,
        dataset: &Dataset,
        items: impl Iterator<Item = &'a Record>,
    ) -> Result<(), DataError> {
        let existing: BTreeSet<_> = items.map(|record| record.item.pipeline_item_id).collect();
        let mut faults = Faults::default();
        let mut unknown = |list: &str, kind: &str, id: i64| {
            faults.add(
                list.to_owned(),
                format!("there is no {kind} {id}; remove it from the list"),
            );
        };
        for id in &self.organizations {
            if dataset.organization(*id).is_none() {
                unknown("organizations", "organization", id.get());
            }
        }
        for id in &self.products {
            if dataset.product(*id).is_none() {
                unknown("products", "product", id.get());
            }
        }
        for id in &self.pipelines {
            if dataset.pipeline(*id).is_none() {
                unknown("pipelines", "pipeline", id.get());
            }
        }
        for id in self.items.difference(&existing) {
            unknown("items", "item", id.get());
        }
        match faults.count() {
            0 => Ok(()),
            _ => Err(DataError::Inconsistent(faults)),
        }
    }

    /// Whether an item stays.
    pub(crate) fn keeps(&self, item: &Item) -> bool {
        !self.items.contains(&item.pipeline_item_id)
            && !self.pipelines.contains(&item.pipeline_id)
            && item.organization_id.is_none_or(|id| !self.organizations.contains(&id))
    }
}

impl Dataset {
    /// This data set without some records, and without what cannot exist without them. An id that is not in the data
    /// set has no effect.
    ///
    /// # Errors
    /// [`DataError::Inconsistent`] if the remaining records do not fit together, which no removal causes.
    ///
    /// ```
    /// use platform_server_stub::data::{Dataset, Removal};
    /// use platform_server_stub::model::ids::PipelineId;
    ///
    /// let data = Dataset::built_in().without(&Removal::default().pipeline(PipelineId::new(3)?))?;
    /// assert!(data.pipeline(PipelineId::new(3)?).is_none());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn without(&self, removal: &Removal) -> Result<Self, DataError> {
        let organizations = self.organizations().map(|known| (*known.organization).clone());
        let products = self.products().map(|known| (*known.product).clone());
        let mut data = Data {
            organizations: organizations
                .filter(|it| !removal.organizations.contains(&it.organization_id))
                .collect(),
            products: products
                .filter(|it| !removal.products.contains(&it.product_id))
                .filter(|it| !removal.organizations.contains(&it.organization_id))
                .collect(),
            pipelines: Vec::new(),
            api_keys: Some(self.api_keys().to_vec()),
        };
        let mut items = self.items_by_pipeline(|item| removal.keeps(item));
        let pipelines = self
            .pipelines()
            .filter(|it| !removal.pipelines.contains(&it.pipeline_id));
        data.pipelines = pipelines
            .map(|pipeline| PipelineData {
                items: items.remove(&pipeline.pipeline_id).unwrap_or_default(),
                ..PipelineData::of(pipeline)
            })
            .collect();
        Self::with_meanings(data, &mut Kept(self))
    }
}
