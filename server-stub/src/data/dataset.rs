//! A checked document, with its texts turned into vectors and its items filled.

use std::collections::BTreeMap;
use std::mem;
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};
use std::thread::{self, ScopedJoinHandle};

use super::check::{Seen, check, of_values, of_work};
use super::fault::{DataError, Faults};
use super::fingerprint;
use super::line::ItemLine;
use super::meaning::{Embedded, Meanings};
use super::read::read_json;
use super::{Data, PipelineData, StatedItem, stored};
use crate::model::ids::{OrganizationId, PipelineId, PipelineItemId, ProductId};
use crate::model::item::Item;
use crate::model::pipeline::Pipeline;
use crate::model::policy::ApiKey;
use crate::model::search::{IndexedOrganization, IndexedProduct};
use crate::model::values::Values;
use crate::store::{CatalogueBuilder, DueChange, MemoryCatalogue, Packed, Record};

/// Everything that a platform starts with, ready for use.
#[derive(Debug)]
pub struct Dataset {
    catalogue: MemoryCatalogue,
    items: Vec<Arc<Item>>,
    /// Work that is left for items; items without work have no entry.
    work: BTreeMap<PipelineItemId, Vec<DueChange>>,
    api_keys: Vec<ApiKey>,
}

/// The parts of a document, all of them checked.
pub(super) struct Parts {
    /// With all organizations and products.
    pub(super) builder: CatalogueBuilder,
    /// Without their items.
    pub(super) pipelines: Vec<PipelineData>,
    pub(super) items: Vec<Placed>,
    pub(super) api_keys: Option<Vec<ApiKey>>,
}

/// An item, and its place in the document.
pub(super) struct Placed {
    pub(super) place: String,
    pub(super) pipeline_id: PipelineId,
    pub(super) item: StatedItem,
}

/// Takes the items out of pipelines, each with its place in the document.
fn take_items(pipelines: &mut [PipelineData]) -> Vec<Placed> {
    let mut items = Vec::new();
    for (index, pipeline) in pipelines.iter_mut().enumerate() {
        for (item_index, item) in mem::take(&mut pipeline.items).into_iter().enumerate() {
            items.push(Placed {
                place: format!("pipelines[{index}].items[{item_index}]"),
                pipeline_id: pipeline.pipeline_id,
                item,
            });
        }
    }
    items
}

/// The catalogue of a builder's records and of these pipelines.
fn catalogue(mut builder: CatalogueBuilder, pipelines: &[PipelineData]) -> MemoryCatalogue {
    for pipeline in pipelines {
        builder.add_pipeline(Arc::new(pipeline.pipeline()));
    }
    builder.build()
}

/// With fewer items a thread is not worth its cost.
const ITEMS_OF_A_THREAD: usize = 2000;

/// Fills the values of items.
fn fill(catalogue: &MemoryCatalogue, placed: &[Placed]) -> (Vec<Arc<Item>>, Faults) {
    let (mut items, mut faults) = (Vec::with_capacity(placed.len()), Faults::default());
    for Placed {
        place,
        pipeline_id,
        item,
    } in placed
    {
        let Some(pipeline) = catalogue.find_pipeline(*pipeline_id) else {
            continue;
        };
        let organization = item.organization_id;
        let organization = organization.and_then(|id| catalogue.find_organization(id));
        let values = item.values(pipeline, organization.as_deref());
        let filled = item.item(pipeline, values.into());
        of_values(&mut faults, place, &filled);
        of_work(&mut faults, place, &filled, &item.work);
        items.push(Arc::new(filled));
    }
    (items, faults)
}

impl Dataset {
    /// Makes a document ready for use.
    ///
    /// # Errors
    /// [`DataError::Inconsistent`] with everything that does not fit together.
    pub fn new(data: Data) -> Result<Self, DataError> {
        Self::with_meanings(data, &mut Embedded)
    }

    pub(super) fn with_meanings(data: Data, meanings: &mut impl Meanings) -> Result<Self, DataError> {
        let faults = check(&data);
        if faults.count() > 0 {
            return Err(DataError::Inconsistent(faults));
        }
        let mut builder = CatalogueBuilder::default();
        for organization in data.organizations {
            let meaning = meanings.of_organization(&organization);
            builder.add_organization(&Packed::new(organization), &meaning);
        }
        for product in data.products {
            let meaning = meanings.of_product(&product);
            builder.add_product(&Packed::new(product), &meaning);
        }
        let mut pipelines = data.pipelines;
        let items = take_items(&mut pipelines);
        Self::of_parts(Parts {
            builder,
            pipelines,
            items,
            api_keys: data.api_keys,
        })
    }

    /// Puts the parts of a valid document together.
    pub(super) fn of_parts(parts: Parts) -> Result<Self, DataError> {
        let catalogue = catalogue(parts.builder, &parts.pipelines);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = parts.items.len().div_ceil(threads).max(ITEMS_OF_A_THREAD);
        let filled: Vec<_> = thread::scope(|scope| {
            let shares = parts.items.chunks(share);
            let catalogue = &catalogue;
            let fill = |items| scope.spawn(move || fill(catalogue, items));
            let running: Vec<_> = shares.map(fill).collect();
            let ended = running.into_iter().map(ScopedJoinHandle::join);
            ended
                .map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        let (mut items, mut faults) = (Vec::with_capacity(parts.items.len()), Faults::default());
        for (some, wrong) in filled {
            items.extend(some);
            faults.append(wrong);
        }
        if faults.count() > 0 {
            return Err(DataError::Inconsistent(faults));
        }
        let placed = parts.items.into_iter().map(|placed| placed.item);
        let with_work = placed.filter(|item| !item.work.is_empty());
        Ok(Self {
            catalogue,
            items,
            work: with_work.map(|it| (it.pipeline_item_id, it.work)).collect(),
            api_keys: parts.api_keys.unwrap_or_else(|| BUILT_IN_KEYS.clone()),
        })
    }

    /// Reads a document and makes it ready for use.
    ///
    /// # Errors
    /// [`DataError`], which names the place and the reason.
    pub fn from_json(text: &str) -> Result<Self, DataError> {
        Self::new(Data::from_json(text)?)
    }

    /// The data that comes with the crate. A process prepares it once and then shares it.
    pub fn built_in() -> Arc<Self> {
        Arc::clone(&BUILT_IN)
    }

    /// The organization with this id, if there is one.
    pub fn organization(&self, id: OrganizationId) -> Option<Arc<IndexedOrganization>> {
        self.catalogue.find_organization(id)
    }

    /// All organizations, by ascending id.
    pub fn organizations(&self) -> impl Iterator<Item = Arc<IndexedOrganization>> {
        self.catalogue.organizations()
    }

    /// The product with this id, if there is one.
    pub fn product(&self, id: ProductId) -> Option<Arc<IndexedProduct>> {
        self.catalogue.find_product(id)
    }

    /// All products, by ascending id.
    pub fn products(&self) -> impl Iterator<Item = Arc<IndexedProduct>> {
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

    /// All items of all pipelines, each with the work that is left for it.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        self.items.iter().map(|item| {
            let work = self.work.get(&item.pipeline_item_id);
            Record {
                item: Arc::clone(item),
                work: work.cloned().unwrap_or_default(),
            }
        })
    }

    /// Items of this data set's pipelines and organizations, checked like those of a file, and ready for use. They
    /// replace the items of the data set, and do not refer to them.
    ///
    /// # Errors
    /// [`DataError::Inconsistent`] with everything that does not fit together.
    pub fn items_of(&self, lines: &[ItemLine]) -> Result<Vec<Record>, DataError> {
        let (mut faults, mut seen) = (Faults::default(), Seen::default());
        for known in self.organizations() {
            let id = known.organization.organization_id;
            seen.organization(&mut faults, "organization", id);
        }
        let mut placed = Vec::with_capacity(lines.len());
        for (index, line) in lines.iter().enumerate() {
            let place = format!("items[{index}]");
            match self.pipeline(line.pipeline_id) {
                None => faults.add(
                    format!("{place}.pipeline_id"),
                    format!("there is no pipeline {}", line.pipeline_id),
                ),
                Some(pipeline) => {
                    let place = format!("{place}.record");
                    let pipeline = PipelineData::of(pipeline);
                    seen.item(&mut faults, &place, &pipeline, &line.record);
                    placed.push(Placed {
                        place,
                        pipeline_id: line.pipeline_id,
                        item: line.record.clone(),
                    });
                }
            }
        }
        if faults.count() > 0 {
            return Err(DataError::Inconsistent(faults));
        }
        let (items, faults) = fill(&self.catalogue, &placed);
        if faults.count() > 0 {
            return Err(DataError::Inconsistent(faults));
        }
        let work = placed.into_iter().map(|placed| placed.item.work);
        let record = |(item, work)| Record { item, work };
        Ok(items.into_iter().zip(work).map(record).collect())
    }

    /// The organizations, products and pipelines, ready to be searched.
    pub fn catalogue(&self) -> &MemoryCatalogue {
        &self.catalogue
    }

    /// Identifies the records, pipelines and items of the data set, in 16 digits. It does not depend on API keys or on
    /// the values of items. Computing it takes as long as writing all records as JSON.
    pub fn fingerprint(&self) -> String {
        fingerprint::of(self)
    }

    /// The API keys of the platform.
    pub fn api_keys(&self) -> &[ApiKey] {
        &self.api_keys
    }
}

static BUILT_IN_KEYS: LazyLock<Vec<ApiKey>> =
    LazyLock::new(|| built_in_part(include_str!("../../assets/data/api_keys.json")));

static BUILT_IN: LazyLock<Arc<Dataset>> = LazyLock::new(|| {
    let mut pipelines: Vec<PipelineData> = built_in_part(PIPELINES);
    let placed = take_items(&mut pipelines);
    let catalogue = catalogue(stored::catalogue(), &pipelines);
    let items = placed.iter().filter_map(|placed| computed_later(&catalogue, placed));
    Arc::new(Dataset {
        items: items.collect(),
        work: BTreeMap::new(),
        api_keys: BUILT_IN_KEYS.clone(),
        catalogue,
    })
});

const PIPELINES: &str = include_str!("../../assets/data/pipelines.json");

/// An item whose values are computed when they are first read. The tests check them.
fn computed_later(catalogue: &MemoryCatalogue, placed: &Placed) -> Option<Arc<Item>> {
    let pipeline = Arc::clone(catalogue.find_pipeline(placed.pipeline_id)?);
    let (of, stated, catalogue) = (Arc::clone(&pipeline), placed.item.clone(), catalogue.clone());
    let values = Values::later(move || {
        let organization = stated.organization_id;
        let organization = organization.and_then(|id| catalogue.find_organization(id));
        stated.values(&of, organization.as_deref())
    });
    Some(Arc::new(placed.item.item(&pipeline, values)))
}

impl Data {
    /// The built-in data as a document that can be changed, for example reduced or extended.
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
            pipelines: built_in_part(PIPELINES),
            api_keys: None,
        }
    }
}

fn built_in_part<T: serde::de::DeserializeOwned>(text: &'static str) -> Vec<T> {
    // The places of faults are tracked only if reading fails.
    serde_json::from_str(text).unwrap_or_else(|_| sound(read_json(text)))
}

/// The built-in data is part of the program. A fault in it is a fault of the build, which the tests of this module
/// find; no caller could handle it.
pub(super) fn sound<T>(outcome: Result<T, DataError>) -> T {
    outcome.unwrap_or_else(|error| panic!("the built-in data is broken: {error}"))
}
