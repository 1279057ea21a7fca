//! Whether the parts of a document fit together: what no schema can say.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::Hash;

use super::{Data, Fault, PipelineData, StatedItem};
use crate::model::column::ColumnId;
use crate::model::ids::{MAX_ID, OrganizationId, PipelineItemId, ProductId};
use crate::model::item::Item;
use crate::model::organization::{Address, Organization};
use crate::model::pipeline::EntityType;
use crate::model::policy::{ApiKey, RateLimit};
use crate::model::product::Product;
use crate::model::value::ValueCategory;

/// All that is wrong with a document, in its order.
pub(super) fn check(data: &Data) -> Vec<Fault> {
    let mut faults = Faults::default();
    let mut organizations = Unique::new("organization_id");
    for (index, organization) in data.organizations.iter().enumerate() {
        let place = format!("organizations[{index}]");
        organizations.enter(&mut faults, &place, organization.organization_id);
        faults.of_organization(&place, organization);
    }
    let mut products: Unique<ProductId> = Unique::new("product_id");
    for (index, product) in data.products.iter().enumerate() {
        let place = format!("products[{index}]");
        products.enter(&mut faults, &place, product.product_id);
        faults.of_product(&place, product, &organizations);
    }
    let mut pipelines = Unique::new("pipeline_id");
    let mut items = Unique::new("pipeline_item_id");
    for (index, pipeline) in data.pipelines.iter().enumerate() {
        let place = format!("pipelines[{index}]");
        pipelines.enter(&mut faults, &place, pipeline.pipeline_id);
        faults.of_pipeline(&place, pipeline);
        faults.of_items(&place, pipeline, &organizations, &mut items);
    }
    let mut names = Unique::new("name");
    let mut earlier = Vec::new();
    for (index, key) in data.api_keys.iter().flatten().enumerate() {
        let place = format!("api_keys[{index}]");
        names.enter(&mut faults, &place, &key.name);
        for (field, number) in rate_limit_fields(key) {
            faults.require(
                number > 0,
                || format!("{place}.rate_limit.{field}"),
                "must be at least 1",
            );
        }
        // The key itself must not be shown, not even here.
        if earlier.contains(&&key.key) {
            faults.add(format!("{place}.key"), "the same key stands further up");
        }
        earlier.push(&key.key);
    }
    faults.found
}

fn rate_limit_fields(key: &ApiKey) -> impl Iterator<Item = (&'static str, u32)> {
    let fields = |limit: RateLimit| {
        [
            ("requests", limit.requests),
            ("window_seconds", limit.window_seconds),
        ]
    };
    key.rate_limit.map(fields).into_iter().flatten()
}

/// What is wrong with the values of an item as it begins.
pub(super) fn check_values(place: &str, item: &Item) -> Vec<Fault> {
    let mut faults = Faults::default();
    for (column, value) in &item.values {
        for fault in value.faults() {
            faults.add(format!("{place}.values[\"{column}\"]"), fault.to_string());
        }
    }
    faults.found
}

#[derive(Default)]
struct Faults {
    found: Vec<Fault>,
}

/// Ids that may occur once.
struct Unique<T> {
    field: &'static str,
    seen: HashSet<T>,
}

impl<T: Eq + Hash + Copy + std::fmt::Display> Unique<T> {
    fn new(field: &'static str) -> Self {
        Self {
            field,
            seen: HashSet::new(),
        }
    }

    fn enter(&mut self, faults: &mut Faults, place: &str, id: T) {
        if !self.seen.insert(id) {
            faults.add(
                format!("{place}.{}", self.field),
                format!("{id} stands further up already"),
            );
        }
    }
}

impl Faults {
    fn add(&mut self, place: String, reason: impl Into<String>) {
        self.found.push(Fault {
            place,
            reason: reason.into(),
        });
    }

    fn require(&mut self, holds: bool, place: impl FnOnce() -> String, reason: &str) {
        if !holds {
            self.add(place(), reason);
        }
    }

    fn of_texts(&mut self, place: &str, name: &str, description: &str) {
        for (field, text) in [("name", name), ("description", description)] {
            self.require(
                !text.trim().is_empty(),
                || format!("{place}.{field}"),
                "must not be blank",
            );
        }
    }

    fn of_organization(&mut self, place: &str, organization: &Organization) {
        self.of_texts(place, &organization.name, &organization.description);
        let metrics = &organization.metrics;
        for (field, number) in [
            ("employee_count", metrics.employee_count),
            ("funding.total_usd", metrics.funding.total_usd),
            ("funding.last_round_usd", metrics.funding.last_round_usd),
        ] {
            let is_exact = number.is_none_or(|number| number <= MAX_ID.unsigned_abs());
            self.require(
                is_exact,
                || format!("{place}.metrics.{field}"),
                "must be at most 2^53 - 1",
            );
        }
        self.of_address(&format!("{place}.headquarters"), &organization.headquarters);
        for (index, address) in organization.locations.iter().enumerate() {
            self.of_address(&format!("{place}.locations[{index}]"), address);
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
            self.require(
                is_web_address,
                || format!("{place}.{field}"),
                "must be an http or https URL",
            );
        }
    }

    fn of_address(&mut self, place: &str, address: &Address) {
        let country = address.country.as_deref();
        let is_country = country.is_none_or(is_country_code);
        self.require(
            is_country,
            || format!("{place}.country"),
            "must be an ISO 3166-1 alpha-2 code such as US",
        );
        if let Some(region) = &address.region {
            let is_region = is_region_code(region);
            self.require(
                is_region,
                || format!("{place}.region"),
                "must be an ISO 3166-2 code such as US-CA",
            );
            let fits = country.is_none_or(|country| region.starts_with(country));
            self.require(
                fits,
                || format!("{place}.region"),
                "must be a region of the country",
            );
        }
    }

    fn of_product(
        &mut self,
        place: &str,
        product: &Product,
        organizations: &Unique<OrganizationId>,
    ) {
        self.of_texts(place, &product.name, &product.description);
        self.of_reference(place, Some(product.organization_id), organizations);
        for (index, slug) in product.categories.iter().enumerate() {
            let reason = "must be 1 to 64 of a-z, 0-9 and _";
            self.require(
                is_slug(slug),
                || format!("{place}.categories[{index}]"),
                reason,
            );
        }
        let price = product.pricing.starts_at;
        self.require(
            price.is_none_or(|price| price >= 0.0),
            || format!("{place}.pricing.starts_at"),
            "must not be negative",
        );
        let is_currency = product
            .pricing
            .currency
            .as_deref()
            .is_none_or(is_currency_code);
        self.require(
            is_currency,
            || format!("{place}.pricing.currency"),
            "must be an ISO 4217 code such as EUR",
        );
    }

    fn of_reference(
        &mut self,
        place: &str,
        id: Option<OrganizationId>,
        known: &Unique<OrganizationId>,
    ) {
        if let Some(id) = id.filter(|id| !known.seen.contains(id)) {
            self.add(
                format!("{place}.organization_id"),
                format!("there is no organization {id}"),
            );
        }
    }

    fn of_pipeline(&mut self, place: &str, pipeline: &PipelineData) {
        let mut fields = HashSet::new();
        for (index, field) in pipeline.entity_data.iter().enumerate() {
            self.require(
                fields.insert(field),
                || format!("{place}.entity_data[{index}]"),
                "stands further up already",
            );
        }
        let mut questions = Unique::new("question_id");
        for (index, question) in pipeline.questions.iter().enumerate() {
            let place = format!("{place}.questions[{index}]");
            questions.enter(self, &place, question.question_id);
            let is_of_question = question.category != ValueCategory::PlatformData;
            self.require(
                is_of_question,
                || format!("{place}.category"),
                "a question is not answered by platform_data",
            );
            if let Some(rule) = question
                .answer
                .as_ref()
                .filter(|rule| rule.answer_type() != question.answer_type)
            {
                let (given, wanted) = (rule.answer_type(), question.answer_type);
                self.add(
                    format!("{place}.answer"),
                    format!("the rule gives {given}, the question wants {wanted}"),
                );
            }
        }
        for (index, rejection) in pipeline
            .crm_sync
            .iter()
            .flat_map(|sync| &sync.rejects)
            .enumerate()
        {
            let is_known = has_column(pipeline, rejection.column);
            self.require(
                is_known,
                || format!("{place}.crm_sync.rejects[{index}].column"),
                "is no column of the pipeline",
            );
        }
    }

    fn of_items(
        &mut self,
        place: &str,
        pipeline: &PipelineData,
        organizations: &Unique<OrganizationId>,
        ids: &mut Unique<PipelineItemId>,
    ) {
        let mut members = BTreeSet::new();
        for (index, item) in pipeline.items.iter().enumerate() {
            let place = format!("{place}.items[{index}]");
            ids.enter(self, &place, item.pipeline_item_id);
            self.of_entity(&place, pipeline.entity_type, item);
            self.of_reference(&place, item.organization_id, organizations);
            let is_new = item.organization_id.is_none_or(|id| members.insert(id));
            let is_once = is_new || pipeline.entity_type != EntityType::Organization;
            self.require(
                is_once,
                || format!("{place}.organization_id"),
                "the organization is in the pipeline already",
            );
            for column in item
                .values
                .keys()
                .filter(|column| !has_column(pipeline, **column))
            {
                self.add(
                    format!("{place}.values[\"{column}\"]"),
                    "is no column of the pipeline",
                );
            }
        }
    }

    /// An item has the id of the kind of entity that its pipeline holds, and none of another kind; an
    /// organization may go with any.
    fn of_entity(&mut self, place: &str, entity_type: EntityType, item: &StatedItem) {
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
        self.require(
            has_wanted,
            || format!("{place}.{wanted}"),
            &format!("is missing in a pipeline of {entity_type} items"),
        );
        for (field, _) in ids
            .iter()
            .filter(|(field, present)| **present && **field != wanted)
        {
            self.add(
                format!("{place}.{field}"),
                format!("has no place in a pipeline of {entity_type} items"),
            );
        }
        let is_indexable = item.document_id.is_some() || item.document_indexed;
        self.require(
            is_indexable,
            || format!("{place}.document_indexed"),
            "is true where there is no document",
        );
    }
}

fn has_column(pipeline: &PipelineData, column: ColumnId) -> bool {
    match column {
        ColumnId::Field(field) => pipeline.entity_data.contains(&field),
        ColumnId::Question(id) => pipeline
            .questions
            .iter()
            .any(|question| question.question_id == id),
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
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic()))
}
