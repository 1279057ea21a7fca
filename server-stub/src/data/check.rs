//! Checks that the parts of a document fit together, which a schema cannot express.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Display;

use super::fault::Faults;
use super::{Data, PipelineData, StatedItem};
use crate::model::column::ColumnId;
use crate::model::ids::{MAX_ID, OrganizationId, PipelineId, PipelineItemId, ProductId};
use crate::model::item::Item;
use crate::model::organization::{Address, Organization};
use crate::model::pipeline::EntityType;
use crate::model::policy::{ApiKey, RateLimit};
use crate::model::product::Product;
use crate::model::value::ValueCategory;
use crate::store::DueChange;

/// Returns all faults of a document, in its order.
pub(super) fn check(data: &Data) -> Faults {
    let mut faults = Faults::default();
    let mut seen = Seen::default();
    for (index, organization) in data.organizations.iter().enumerate() {
        let place = format!("organizations[{index}]");
        seen.organization(&mut faults, &place, organization.organization_id);
        of_organization(&mut faults, &place, organization);
    }
    for (index, product) in data.products.iter().enumerate() {
        let place = format!("products[{index}]");
        seen.product(&mut faults, &place, product.product_id, product.organization_id);
        of_product(&mut faults, &place, product);
    }
    for (index, pipeline) in data.pipelines.iter().enumerate() {
        let place = format!("pipelines[{index}]");
        seen.pipeline(&mut faults, &place, pipeline);
        for (index, item) in pipeline.items.iter().enumerate() {
            let place = format!("{place}.items[{index}]");
            seen.item(&mut faults, &place, pipeline, item);
        }
    }
    let keys = data.api_keys.as_deref().unwrap_or_default();
    of_keys(&mut faults, keys, |index| format!("api_keys[{index}]"));
    faults
}

/// Adds the faults of keys, each with its place.
pub(super) fn of_keys(faults: &mut Faults, keys: &[ApiKey], place: impl Fn(usize) -> String) {
    let mut names = BTreeSet::new();
    for (index, key) in keys.iter().enumerate() {
        let place = place(index);
        if !names.insert(&key.name) {
            let reason = format!("{} is a duplicate; use each once", key.name);
            faults.add(format!("{place}.name"), reason);
        }
        for (field, number) in rate_limit_fields(key) {
            faults.require(
                number > 0,
                || format!("{place}.rate_limit.{field}"),
                "must be at least 1",
            );
        }
        // The key itself must never be shown, not even here.
        if keys[..index].iter().any(|earlier| earlier.key == key.key) {
            faults.add(format!("{place}.key"), "is a duplicate; use each key once");
        }
    }
}

fn rate_limit_fields(key: &ApiKey) -> impl Iterator<Item = (&'static str, u32)> {
    let fields = |limit: RateLimit| [("requests", limit.requests), ("window_seconds", limit.window_seconds)];
    key.rate_limit.map(fields).into_iter().flatten()
}

/// Adds the faults of an item's initial values.
pub(super) fn of_values(faults: &mut Faults, place: &str, item: &Item) {
    for (column, value) in &item.values {
        for fault in value.faults() {
            faults.add(format!("{place}.values[\"{column}\"]"), fault.to_string());
        }
    }
}

/// Adds the faults of an item's work, step by step. The initial values have already been checked.
pub(super) fn of_work(faults: &mut Faults, place: &str, item: &Item, work: &[DueChange]) {
    let mut after = item.clone();
    for (index, DueChange { due, change }) in work.iter().enumerate() {
        let place = format!("{place}.work[{index}]");
        let is_column = |column: &ColumnId| item.values.contains_key(column);
        for column in change.columns().into_iter().filter(|it| !is_column(it)) {
            faults.add(place.clone(), format!("{column} is not a column of the pipeline"));
        }
        change.clone().apply(&mut after, *due);
        let mut wrong = Faults::default();
        of_values(&mut wrong, &place, &after);
        if wrong.count() > 0 {
            // Later faults would only repeat this one.
            return faults.append(wrong);
        }
    }
}

/// What parts of a document can refer to, as far as the document has been read.
#[derive(Default)]
pub(super) struct Seen {
    organizations: HashSet<OrganizationId>,
    products: HashSet<ProductId>,
    pipelines: HashSet<PipelineId>,
    items: HashSet<PipelineItemId>,
    members: HashSet<(PipelineId, OrganizationId)>,
}

impl Seen {
    /// Enters an organization.
    pub(super) fn organization(&mut self, faults: &mut Faults, place: &str, id: OrganizationId) {
        let is_new = self.organizations.insert(id);
        faults.require_new(is_new, place, "organization_id", id);
    }

    /// Enters a product.
    pub(super) fn product(&mut self, faults: &mut Faults, place: &str, id: ProductId, organization: OrganizationId) {
        let is_new = self.products.insert(id);
        faults.require_new(is_new, place, "product_id", id);
        self.refer(faults, place, organization);
    }

    fn refer(&self, faults: &mut Faults, place: &str, id: OrganizationId) {
        if !self.organizations.contains(&id) {
            let reason = format!("there is no organization {id}");
            faults.add(format!("{place}.organization_id"), reason);
        }
    }

    /// Enters a pipeline, and adds its faults except those of its items.
    pub(super) fn pipeline(&mut self, faults: &mut Faults, place: &str, pipeline: &PipelineData) {
        let is_new = self.pipelines.insert(pipeline.pipeline_id);
        faults.require_new(is_new, place, "pipeline_id", pipeline.pipeline_id);
        of_pipeline(faults, place, pipeline);
    }

    /// Enters an item, and adds its faults.
    pub(super) fn item(&mut self, faults: &mut Faults, place: &str, pipeline: &PipelineData, item: &StatedItem) {
        let is_new = self.items.insert(item.pipeline_item_id);
        faults.require_new(is_new, place, "pipeline_item_id", item.pipeline_item_id);
        of_entity(faults, place, pipeline.entity_type, item);
        if let Some(id) = item.organization_id {
            self.refer(faults, place, id);
            let is_once =
                pipeline.entity_type != EntityType::Organization || self.members.insert((pipeline.pipeline_id, id));
            faults.require(
                is_once,
                || format!("{place}.organization_id"),
                "the organization is in the pipeline already",
            );
        }
        let columns = item.values.keys();
        for column in columns.filter(|column| !has_column(pipeline, **column)) {
            let place = format!("{place}.values[\"{column}\"]");
            faults.add(place, "is not a column of the pipeline");
        }
    }
}

impl Faults {
    fn require_new(&mut self, is_new: bool, place: &str, field: &str, id: impl Display) {
        if !is_new {
            let reason = format!("{id} is a duplicate; use each once");
            self.add(format!("{place}.{field}"), reason);
        }
    }

    fn require(&mut self, holds: bool, place: impl FnOnce() -> String, reason: &str) {
        if !holds {
            self.add(place(), reason);
        }
    }
}

fn of_texts(faults: &mut Faults, place: &str, name: &str, description: &str) {
    for (field, text) in [("name", name), ("description", description)] {
        faults.require(
            !text.trim().is_empty(),
            || format!("{place}.{field}"),
            "must not be blank",
        );
    }
}

/// Adds the faults of an organization by itself.
pub(super) fn of_organization(faults: &mut Faults, place: &str, organization: &Organization) {
    of_texts(faults, place, &organization.name, &organization.description);
    let metrics = &organization.metrics;
    for (field, number) in [
        ("employee_count", metrics.employee_count),
        ("funding.total_usd", metrics.funding.total_usd),
        ("funding.last_round_usd", metrics.funding.last_round_usd),
    ] {
        let is_exact = number.is_none_or(|number| number <= MAX_ID.unsigned_abs());
        faults.require(
            is_exact,
            || format!("{place}.metrics.{field}"),
            "must be at most 2^53 - 1",
        );
    }
    of_address(faults, &format!("{place}.headquarters"), &organization.headquarters);
    for (index, address) in organization.locations.iter().enumerate() {
        of_address(faults, &format!("{place}.locations[{index}]"), address);
    }
    let social = &organization.contact.social;
    for (field, url) in [
        ("logo_url", &organization.logo_url),
        ("contact.website_url", &organization.contact.website_url),
        ("contact.social.linkedin_url", &social.linkedin_url),
        ("contact.social.x_url", &social.x_url),
        ("contact.social.facebook_url", &social.facebook_url),
        ("contact.social.instagram_url", &social.instagram_url),
        ("contact.social.youtube_url", &social.youtube_url),
    ] {
        let is_web_address = url.as_deref().is_none_or(is_web_address);
        faults.require(
            is_web_address,
            || format!("{place}.{field}"),
            "must be an http or https URL",
        );
    }
}

fn of_address(faults: &mut Faults, place: &str, address: &Address) {
    let country = address.country.as_deref();
    let is_country = country.is_none_or(is_country_code);
    faults.require(
        is_country,
        || format!("{place}.country"),
        "must be an ISO 3166-1 alpha-2 code such as US",
    );
    if let Some(region) = &address.region {
        let is_region = is_region_code(region);
        faults.require(
            is_region,
            || format!("{place}.region"),
            "must be an ISO 3166-2 code such as US-CA",
        );
        let fits = country.is_none_or(|country| region.starts_with(country));
        faults.require(fits, || format!("{place}.region"), "must be a region of the country");
    }
}

/// Adds the faults of a product by itself.
pub(super) fn of_product(faults: &mut Faults, place: &str, product: &Product) {
    of_texts(faults, place, &product.name, &product.description);
    for (index, slug) in product.categories.iter().enumerate() {
        let reason = "must be 1 to 64 of a-z, 0-9 and _";
        faults.require(is_slug(slug), || format!("{place}.categories[{index}]"), reason);
    }
    let price = product.pricing.starts_at;
    faults.require(
        price.is_none_or(|price| price >= 0.0),
        || format!("{place}.pricing.starts_at"),
        "must not be negative",
    );
    let is_currency = product.pricing.currency.as_deref().is_none_or(is_currency_code);
    faults.require(
        is_currency,
        || format!("{place}.pricing.currency"),
        "must be an ISO 4217 code such as EUR",
    );
}

fn of_pipeline(faults: &mut Faults, place: &str, pipeline: &PipelineData) {
    let mut fields = HashSet::new();
    for (index, field) in pipeline.entity_data.iter().enumerate() {
        faults.require(
            fields.insert(field),
            || format!("{place}.entity_data[{index}]"),
            "is a duplicate; use each once",
        );
    }
    let mut questions = HashSet::new();
    for (index, question) in pipeline.questions.iter().enumerate() {
        let place = format!("{place}.questions[{index}]");
        let is_new = questions.insert(question.question_id);
        faults.require_new(is_new, &place, "question_id", question.question_id);
        let is_of_question = question.category != ValueCategory::PlatformData;
        faults.require(
            is_of_question,
            || format!("{place}.category"),
            "must not be platform_data in a question",
        );
        if let Some(rule) = question
            .answer
            .as_ref()
            .filter(|rule| rule.answer_type() != question.answer_type)
        {
            let (given, wanted) = (rule.answer_type(), question.answer_type);
            faults.add(
                format!("{place}.answer"),
                format!("the rule gives {given}, but the question expects {wanted}"),
            );
        }
    }
    for (index, rejection) in pipeline.crm_sync.iter().flat_map(|sync| &sync.rejects).enumerate() {
        let is_known = has_column(pipeline, rejection.column);
        faults.require(
            is_known,
            || format!("{place}.crm_sync.rejects[{index}].column"),
            "is not a column of the pipeline",
        );
    }
}

/// An item has the id of the kind of entity that its pipeline holds, and no id of another kind. Any item may have an
/// organization id as well.
fn of_entity(faults: &mut Faults, place: &str, entity_type: EntityType, item: &StatedItem) {
    let has_organization = item.organization_id.is_some();
    let ids: BTreeMap<_, _> = [
        ("person_id", item.person_id.is_some()),
        ("document_id", item.document_id.is_some()),
    ]
    .into();
    let wanted = match entity_type {
        EntityType::Organization => "organization_id",
        EntityType::Person => "person_id",
        EntityType::Document => "document_id",
    };
    let has_wanted = ids.get(wanted).copied().unwrap_or(has_organization);
    faults.require(
        has_wanted,
        || format!("{place}.{wanted}"),
        &format!("is missing in a pipeline of {entity_type} items"),
    );
    for (field, _) in ids.iter().filter(|(field, present)| **present && **field != wanted) {
        faults.add(
            format!("{place}.{field}"),
            format!("is not allowed in a pipeline of {entity_type} items"),
        );
    }
    let is_indexable = item.document_id.is_some() || item.document_indexed;
    faults.require(
        is_indexable,
        || format!("{place}.document_indexed"),
        "must be false without a document",
    );
}

fn has_column(pipeline: &PipelineData, column: ColumnId) -> bool {
    match column {
        ColumnId::Field(field) => pipeline.entity_data.contains(&field),
        ColumnId::Question(id) => pipeline.questions.iter().any(|question| question.question_id == id),
    }
}

fn is_country_code(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_region_code(text: &str) -> bool {
    let Some((country, part)) = text.split_once('-') else {
        return false;
    };
    let is_part = part
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_country_code(country) && (1..=3).contains(&part.len()) && is_part
}

fn is_currency_code(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_slug(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(is_plain)
}

fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic()))
}
