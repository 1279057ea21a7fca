//! Replaces and changes the data of a platform.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::Control;
use super::seed_error::SeedError;
use crate::data::line::ItemLine;
use crate::data::{Data, Dataset, Removal, StatedItem};
use crate::model::policy::ApiKey;
use crate::platform::keys::KeyTaken;
use crate::store::Record;

impl Control {
    /// Replaces all data: organizations, products, pipelines and items. From now on a reset goes back to it. The API
    /// keys of the data are added, and replace those with the same name. Plans are removed; all else stays as it is.
    /// Requests in flight may see either data.
    ///
    /// # Errors
    /// [`SeedError`].
    pub async fn seed(&self, data: Data) -> Result<(), SeedError> {
        let keys = data.api_keys.clone().unwrap_or_default();
        self.check_seed(&keys)?;
        let dataset = spawn_blocking(move || Dataset::new(data)).await;
        let dataset = dataset.unwrap_or_else(|panic| resume_unwind(panic.into_panic()));
        let dataset = Arc::new(dataset.map_err(SeedError::Data)?);
        self.0.platform.clear_plans();
        let items = dataset.records().collect();
        self.plant(dataset, items, keys).await
    }

    /// Changes some records: each replaces the one with the same id, an API key the one with the same name, and all
    /// others are added; see [`Dataset::changed`]. Items that exist stay, except those in `changes`. From now on a
    /// reset goes back to the changed data.
    ///
    /// # Errors
    /// [`SeedError`]. The places in it are those of `changes`.
    pub async fn change_records(&self, changes: Data) -> Result<(), SeedError> {
        let keys = changes.api_keys.clone().unwrap_or_default();
        self.check_seed(&keys)?;
        let current = self.0.seed().dataset;
        let pipelines = changes.pipelines.iter();
        let changed: BTreeSet<_> = pipelines
            .flat_map(|pipeline| pipeline.items.iter().map(|item| item.pipeline_item_id))
            .collect();
        let dataset = spawn_blocking(move || current.changed(changes)).await;
        let dataset = dataset.unwrap_or_else(|panic| resume_unwind(panic.into_panic()));
        let dataset = Arc::new(dataset.map_err(SeedError::Data)?);
        // Items of the changes as the data has them, all others as they are now.
        let fresh = dataset.records();
        let mut items: Vec<_> = fresh
            .filter(|record| changed.contains(&record.item.pipeline_item_id))
            .collect();
        let existing = self.0.platform.export().await?.into_iter();
        let existing: Vec<_> = existing
            .filter(|record| !changed.contains(&record.item.pipeline_item_id))
            .map(|record| ItemLine {
                pipeline_id: record.item.pipeline_id,
                record: StatedItem::of(&record),
            })
            .collect();
        items.extend(dataset.items_of(&existing).map_err(SeedError::Items)?);
        self.plant(dataset, items, keys).await
    }

    /// Removes some records, and what cannot exist without them: see [`Removal`]. From now on a reset goes back to the
    /// remaining data. Plans for what is removed are removed.
    ///
    /// # Errors
    /// [`SeedError`]; [`SeedError::Data`] names the records that do not exist.
    pub async fn remove_records(&self, removal: Removal) -> Result<(), SeedError> {
        self.check_seed(&[])?;
        let current = self.0.seed().dataset;
        let mut items = self.0.platform.export().await?;
        removal.check(&current, items.iter()).map_err(SeedError::Data)?;
        items.retain(|record| removal.keeps(&record.item));
        let dataset = spawn_blocking(move || current.without(&removal)).await;
        let dataset = dataset.unwrap_or_else(|panic| resume_unwind(panic.into_panic()));
        let dataset = Arc::new(dataset.map_err(SeedError::Data)?);
        self.0.platform.retain_plans(|outcome| {
            outcome
                .organization_id
                .is_none_or(|id| dataset.organization(id).is_some())
                && outcome.pipeline_id.is_none_or(|id| dataset.pipeline(id).is_some())
        });
        self.plant(dataset, items, Vec::new()).await
    }

    fn check_seed(&self, keys: &[ApiKey]) -> Result<(), SeedError> {
        if self.0.platform.is_durable() {
            return Err(SeedError::Durable);
        }
        let taken = keys.iter().find_map(|key| {
            let mut others = self.keys().into_iter();
            others.find(|other| other.key == key.key && other.name != key.name)
        });
        match taken {
            None => Ok(()),
            Some(other) => Err(KeyTaken(other.name.clone()).into()),
        }
    }

    /// Puts checked data in place.
    async fn plant(&self, dataset: Arc<Dataset>, items: Vec<Record>, keys: Vec<ApiKey>) -> Result<(), SeedError> {
        let catalogue = Arc::new(dataset.catalogue().clone());
        self.0.platform.replace(catalogue, items).await?;
        for key in &keys {
            self.put_key(key.clone())?;
        }
        self.0.change_seed(|seed| {
            seed.dataset = dataset;
            for key in keys {
                seed.keys.retain(|other| other.name != key.name);
                seed.keys.push(Arc::new(key));
            }
        });
        Ok(())
    }
}
