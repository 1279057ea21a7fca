//! A document that has been checked, its texts turned into vectors and its items filled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use super::check::{check, check_values};
use super::meaning::{Embedded, Meanings};
use super::read::read_json;
use super::stored::Stored;
use super::{Data, DataError, PipelineData};
use crate::model::ids::{OrganizationId, PipelineId, ProductId};
use crate::model::item::Item;
use crate::model::organization::Organization;
use crate::model::pipeline::Pipeline;
use crate::model::policy::ApiKey;
use crate::model::product::Product;
use crate::model::search::{IndexedOrganization, IndexedProduct};
use crate::store::MemoryCatalogue;

/// Everything that a platform begins with, ready for use.
#[derive(Debug)]
pub struct Dataset {
    catalogue: MemoryCatalogue,
    items: Vec<Arc<Item>>,
    api_keys: Vec<ApiKey>,
}

impl Dataset {
    /// Makes a document ready for use.
    ///
    /// # Errors
    /// [`DataError::Unsound`] with all that does not fit together.
    pub fn new(data: Data) -> Result<Self, DataError> {
        Self::with_meanings(data, &mut Embedded)
    }

    fn with_meanings(data: Data, meanings: &mut impl Meanings) -> Result<Self, DataError> {
        let faults = check(&data);
        if !faults.is_empty() {
            return Err(DataError::Unsound(faults));
        }
        let organizations = index_organizations(data.organizations, &data.products, meanings);
        let products = index_products(data.products, &organizations, meanings);
        let stated = data.pipelines.iter().map(PipelineData::pipeline);
        let pipelines = stated.map(Arc::new);
        let catalogue = MemoryCatalogue::new(organizations.into_values(), products, pipelines);
        let mut items = Vec::new();
        let mut faults = Vec::new();
        for (index, stated) in data.pipelines.iter().enumerate() {
            let Some(pipeline) = catalogue.find_pipeline(stated.pipeline_id) else {
                continue;
            };
            for (item_index, stated_item) in stated.items.iter().enumerate() {
                let organization = stated_item
                    .organization_id
                    .and_then(|id| catalogue.find_organization(id));
                let item = stated_item.item(pipeline, organization.map(Arc::as_ref));
                faults.extend(check_values(
                    &format!("pipelines[{index}].items[{item_index}]"),
                    &item,
                ));
                items.push(Arc::new(item));
            }
        }
        if !faults.is_empty() {
            return Err(DataError::Unsound(faults));
        }
        let api_keys = data.api_keys.unwrap_or_else(|| BUILT_IN_KEYS.clone());
        Ok(Self {
            catalogue,
            items,
            api_keys,
        })
    }

    /// Reads a document and makes it ready for use.
    ///
    /// # Errors
    /// [`DataError`], which names the place and the reason.
    pub fn from_json(text: &str) -> Result<Self, DataError> {
        Self::new(Data::from_json(text)?)
    }

    /// The data that comes with the crate. It is made ready once in a process and shared from then on.
    pub fn built_in() -> Arc<Self> {
        Arc::clone(&BUILT_IN)
    }

    /// The organization with this id, if there is one.
    pub fn organization(&self, id: OrganizationId) -> Option<&Arc<IndexedOrganization>> {
        self.catalogue.find_organization(id)
    }

    /// All organizations, by ascending id.
    pub fn organizations(&self) -> impl ExactSizeIterator<Item = &Arc<IndexedOrganization>> {
        self.catalogue.organizations()
    }

    /// The product with this id, if there is one.
    pub fn product(&self, id: ProductId) -> Option<&Arc<IndexedProduct>> {
        self.catalogue.find_product(id)
    }

    /// All products, by ascending id.
    pub fn products(&self) -> impl ExactSizeIterator<Item = &Arc<IndexedProduct>> {
        self.catalogue.products()
    }

    /// The pipeline with this id, if there is one.
    pub fn pipeline(&self, id: PipelineId) -> Option<&Arc<Pipeline>> {
        self.catalogue.find_pipeline(id)
    }

    /// All pipelines, by ascending id.
    pub fn pipelines(&self) -> impl Iterator<Item = &Arc<Pipeline>> {
        self.catalogue.pipelines()
    }

    /// All items of all pipelines.
    pub fn items(&self) -> impl Iterator<Item = &Arc<Item>> {
        self.items.iter()
    }

    /// The organizations, products and pipelines, ready to be searched.
    pub fn catalogue(&self) -> &MemoryCatalogue {
        &self.catalogue
    }

    /// The keys that open the platform.
    pub fn api_keys(&self) -> &[ApiKey] {
        &self.api_keys
    }
}

fn index_organizations(
    organizations: Vec<Organization>,
    products: &[Product],
    meanings: &mut impl Meanings,
) -> BTreeMap<OrganizationId, IndexedOrganization> {
    let mut categories: BTreeMap<OrganizationId, BTreeSet<String>> = BTreeMap::new();
    for product in products {
        categories
            .entry(product.organization_id)
            .or_default()
            .extend(product.categories.iter().cloned());
    }
    let index = |organization: Organization| {
        let id = organization.organization_id;
        let categories = categories.remove(&id).unwrap_or_default();
        let meaning = meanings.of_organization(&organization);
        (
            id,
            IndexedOrganization {
                organization: Arc::new(organization),
                categories,
                meaning,
            },
        )
    };
    organizations.into_iter().map(index).collect()
}

fn index_products(
    products: Vec<Product>,
    organizations: &BTreeMap<OrganizationId, IndexedOrganization>,
    meanings: &mut impl Meanings,
) -> Vec<IndexedProduct> {
    let index = |product: Product| {
        // The check of the data refuses a product whose organization is not there.
        let offered_by = organizations.get(&product.organization_id)?;
        let indexed = IndexedProduct {
            categories: product.categories.iter().cloned().collect(),
            meaning: meanings.of_product(&product),
            organization: Arc::clone(&offered_by.organization),
            product: Arc::new(product),
        };
        Some(indexed)
    };
    products.into_iter().filter_map(index).collect()
}

static BUILT_IN_KEYS: LazyLock<Vec<ApiKey>> =
    LazyLock::new(|| built_in_part(include_str!("../../assets/data/api_keys.json")));

static BUILT_IN: LazyLock<Arc<Dataset>> = LazyLock::new(|| {
    let stored = &mut Stored::new();
    Arc::new(sound(Dataset::with_meanings(Data::built_in(), stored)))
});

impl Data {
    /// The built-in data as a document that can be changed: reduced, or extended.
    ///
    /// ```
    /// use platform_server_stub::data::{Data, Dataset};
    ///
    /// let mut data = Data::built_in();
    /// data.pipelines.retain(|pipeline| pipeline.items.len() < 100);
    /// assert!(Dataset::new(data).is_ok());
    /// ```
    pub fn built_in() -> Self {
        Self {
            organizations: built_in_part(include_str!("../../assets/data/organizations.json")),
            products: built_in_part(include_str!("../../assets/data/products.json")),
            pipelines: built_in_part(include_str!("../../assets/data/pipelines.json")),
            api_keys: None,
        }
    }
}

fn built_in_part<T: serde::de::DeserializeOwned>(text: &'static str) -> Vec<T> {
    // What can be read need not be read with an eye on where it cannot.
    serde_json::from_str(text).unwrap_or_else(|_| sound(read_json(text)))
}

/// The built-in data is part of the program: a fault in it is a fault of the build, which the tests of
/// this module find, and no caller could do anything about it.
fn sound<T>(outcome: Result<T, DataError>) -> T {
    outcome.unwrap_or_else(|error| panic!("the built-in data is broken: {error}"))
}
