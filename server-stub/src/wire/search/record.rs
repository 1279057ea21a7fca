//! Organizations and products as they go over the wire.

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

use crate::model::organization as model;
use crate::model::product as product_model;
use crate::model::search::{Found, OrganizationHit, ProductHit};
use crate::wire::ids::{OrganizationId, ProductId};

/// What is known of an organization.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct Organization {
    organization_id: OrganizationId,
    name: String,
    #[schema(required)]
    description: Option<String>,
    #[schema(required)]
    domain: Option<String>,
    #[schema(required, format = "uri")]
    logo_url: Option<String>,
    metrics: CompanyMetrics,
    headquarters: Address,
    locations: Vec<Address>,
    contact: Contact,
}

/// Size, age and funding.
#[derive(Debug, Serialize, ToSchema)]
struct CompanyMetrics {
    #[schema(required, value_type = Option<i64>, minimum = 0)]
    employee_count: Option<u64>,
    #[schema(required)]
    founded_on: Option<NaiveDate>,
    funding: Funding,
}

/// Money raised from outside.
#[derive(Debug, Serialize, ToSchema)]
struct Funding {
    #[schema(required, value_type = Option<i64>, minimum = 0)]
    total_usd: Option<u64>,
    #[schema(required)]
    last_round_stage: Option<String>,
    #[schema(required, value_type = Option<i64>, minimum = 0)]
    last_round_usd: Option<u64>,
    #[schema(required)]
    last_round_on: Option<NaiveDate>,
}

/// A location, as precisely as it is known.
#[derive(Debug, Serialize, ToSchema)]
struct Address {
    #[schema(required)]
    street: Option<String>,
    #[schema(required)]
    city: Option<String>,
    #[schema(required)]
    postal_code: Option<String>,
    #[schema(required, pattern = "^[A-Z]{2}-[A-Z0-9]{1,3}$")]
    region: Option<String>,
    #[schema(required)]
    region_name: Option<String>,
    #[schema(required, pattern = "^[A-Z]{2}$")]
    country: Option<String>,
    #[schema(required)]
    country_name: Option<String>,
}

/// How to reach an organization.
#[derive(Debug, Serialize, ToSchema)]
struct Contact {
    #[schema(required, format = "uri")]
    website_url: Option<String>,
    #[schema(required)]
    email: Option<String>,
    #[schema(required)]
    phone: Option<String>,
    social: SocialProfiles,
}

/// Profiles in social media.
#[derive(Debug, Serialize, ToSchema)]
struct SocialProfiles {
    #[schema(required, format = "uri")]
    linkedin_url: Option<String>,
    #[schema(required, format = "uri")]
    x_url: Option<String>,
    #[schema(required, format = "uri")]
    facebook_url: Option<String>,
    #[schema(required, format = "uri")]
    instagram_url: Option<String>,
    #[schema(required, format = "uri")]
    youtube_url: Option<String>,
}

/// How close a result is to what was searched for.
#[derive(Debug, Serialize, ToSchema)]
struct Similarity {
    #[schema(minimum = 0, maximum = 2)]
    cosine_distance: f64,
}

/// An organization that was found, and how near it is.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct OrganizationSearchResult {
    #[serde(flatten)]
    organization: Organization,
    similarity: Similarity,
}

/// One page of the organizations that were found.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct OrganizationSearchPage {
    #[schema(value_type = i64, minimum = 0)]
    total_count: usize,
    #[schema(max_items = 100)]
    results: Vec<OrganizationSearchResult>,
}

/// What is known of a product, and the organization that offers it.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct Product {
    product_id: ProductId,
    name: String,
    #[schema(required)]
    description: Option<String>,
    features: Vec<String>,
    pricing: Pricing,
    #[schema(value_type = Vec<crate::wire::ids::BusinessType>)]
    categories: Vec<String>,
    target_audiences: Vec<String>,
    revenue_models: Vec<String>,
    #[schema(required)]
    competitive_positioning: Option<String>,
    organization: Organization,
}

/// What it costs.
#[derive(Debug, Serialize, ToSchema)]
struct Pricing {
    #[schema(required)]
    model: Option<String>,
    #[schema(required, minimum = 0)]
    starts_at: Option<f64>,
    #[schema(required, pattern = "^[A-Z]{3}$")]
    currency: Option<String>,
    #[schema(required)]
    billing_period: Option<String>,
}

/// A product that was found, and how near it is.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct ProductSearchResult {
    #[serde(flatten)]
    product: Product,
    similarity: Similarity,
}

/// One page of the products that were found.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::wire) struct ProductSearchPage {
    #[schema(value_type = i64, minimum = 0)]
    total_count: usize,
    #[schema(max_items = 100)]
    results: Vec<ProductSearchResult>,
}

impl From<&model::Organization> for Organization {
    fn from(known: &model::Organization) -> Self {
        Self {
            organization_id: known.organization_id.into(),
            name: known.name.clone(),
            description: Some(known.description.clone()),
            domain: known.domain.clone(),
            logo_url: known.logo_url.clone(),
            metrics: (&known.metrics).into(),
            headquarters: (&known.headquarters).into(),
            locations: known.locations.iter().map(Address::from).collect(),
            contact: (&known.contact).into(),
        }
    }
}

impl From<&model::CompanyMetrics> for CompanyMetrics {
    fn from(known: &model::CompanyMetrics) -> Self {
        let funding = &known.funding;
        Self {
            employee_count: known.employee_count,
            founded_on: known.founded_on,
            funding: Funding {
                total_usd: funding.total_usd,
                last_round_stage: funding.last_round_stage.map(|stage| stage.as_str().to_owned()),
                last_round_usd: funding.last_round_usd,
                last_round_on: funding.last_round_on,
            },
        }
    }
}

impl From<&model::Address> for Address {
    fn from(known: &model::Address) -> Self {
        Self {
            street: known.street.clone(),
            city: known.city.clone(),
            postal_code: known.postal_code.clone(),
            region: known.region.clone(),
            region_name: known.region_name.clone(),
            country: known.country.clone(),
            country_name: known.country_name.clone(),
        }
    }
}

impl From<&model::Contact> for Contact {
    fn from(known: &model::Contact) -> Self {
        let social = &known.social;
        Self {
            website_url: known.website_url.clone(),
            email: known.email.clone(),
            phone: known.phone.clone(),
            social: SocialProfiles {
                linkedin_url: social.linkedin_url.clone(),
                x_url: social.x_url.clone(),
                facebook_url: social.facebook_url.clone(),
                instagram_url: social.instagram_url.clone(),
                youtube_url: social.youtube_url.clone(),
            },
        }
    }
}

impl From<Found<OrganizationHit>> for OrganizationSearchPage {
    fn from(found: Found<OrganizationHit>) -> Self {
        let result = |hit: OrganizationHit| OrganizationSearchResult {
            organization: Organization::from(&*hit.organization),
            similarity: Similarity {
                cosine_distance: hit.cosine_distance,
            },
        };
        Self {
            total_count: found.total_count,
            results: found.results.into_iter().map(result).collect(),
        }
    }
}

impl From<Found<ProductHit>> for ProductSearchPage {
    fn from(found: Found<ProductHit>) -> Self {
        let result = |hit: ProductHit| ProductSearchResult {
            product: Product::of(&hit.product, &hit.organization),
            similarity: Similarity {
                cosine_distance: hit.cosine_distance,
            },
        };
        Self {
            total_count: found.total_count,
            results: found.results.into_iter().map(result).collect(),
        }
    }
}

impl Product {
    fn of(known: &product_model::Product, organization: &model::Organization) -> Self {
        let pricing = &known.pricing;
        Self {
            product_id: known.product_id.into(),
            name: known.name.clone(),
            description: Some(known.description.clone()),
            features: known.features.clone(),
            pricing: Pricing {
                model: pricing.model.clone(),
                starts_at: pricing.starts_at,
                currency: pricing.currency.clone(),
                billing_period: pricing.billing_period.clone(),
            },
            categories: known.categories.clone(),
            target_audiences: known.target_audiences.clone(),
            revenue_models: known.revenue_models.clone(),
            competitive_positioning: known.competitive_positioning.clone(),
            organization: organization.into(),
        }
    }
}
