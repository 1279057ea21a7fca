// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Product`.
use super::*;
/// What is known about a product, and the organization that offers it: a product always has one. Lists are always
/// present and may be empty. Anything else except the id and the name may be null, which means unknown. No text
/// is empty.
///
/// ```
/// use platform_sdk::types::Product;
///
/// let read: Product = serde_json::from_str(
///     r#"{
///   "categories": [
///     "freight_logistics",
///     "consumer_electronics"
///   ],
///   "competitive_positioning": "The only logger of its size that reports from the middle of an ocean.",
///   "description": "A coin-sized logger that travels inside the parcel, measures temperature every minute for 90 days, and sends an alarm by satellite as soon as a limit is passed.",
///   "features": [
///     "satellite alarm",
///     "90-day battery",
///     "calibration certificate"
///   ],
///   "name": "Frosttag",
///   "organization": {
///     "contact": {
///       "email": "hello@fjordfrost.example",
///       "phone": "+47 55 01 02 03",
///       "social": {
///         "facebook_url": null,
///         "instagram_url": null,
///         "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
///         "x_url": null,
///         "youtube_url": null
///       },
///       "website_url": "https://fjordfrost.example"
///     },
///     "description": "We put a sensor in every crate of salmon that leaves the fjord. Our loggers report the temperature of each parcel by satellite, so that exporters see a warm container while there is still time to save the fish.",
///     "domain": "fjordfrost.example",
///     "headquarters": {
///       "city": "Bergen",
///       "country": "NO",
///       "country_name": "Norway",
///       "postal_code": "5035",
///       "region": "NO-46",
///       "region_name": "Vestland",
///       "street": "Sandviksboder 12"
///     },
///     "locations": [
///       {
///         "city": "Hirtshals",
///         "country": "DK",
///         "country_name": "Denmark",
///         "postal_code": "9850",
///         "region": "DK-81",
///         "region_name": "Nordjylland",
///         "street": null
///       }
///     ],
///     "logo_url": "https://fjordfrost.example/logo.svg",
///     "metrics": {
///       "employee_count": 64,
///       "founded_on": "2016-03-14",
///       "funding": {
///         "last_round_on": "2021-05-20",
///         "last_round_stage": "series_a",
///         "last_round_usd": 8000000,
///         "total_usd": 9200000
///       }
///     },
///     "name": "Fjordfrost",
///     "organization_id": 1001
///   },
///   "pricing": {
///     "billing_period": "unit",
///     "currency": "EUR",
///     "model": "per_unit",
///     "starts_at": 19.5
///   },
///   "product_id": 5001,
///   "revenue_models": [
///     "hardware_sale",
///     "subscription"
///   ],
///   "similarity": {
///     "cosine_distance": 0.2841
///   },
///   "target_audiences": [
///     "seafood exporters",
///     "freight forwarders"
///   ]
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
pub struct Product {
    /// The product categories it is in.
    #[cfg_attr(
        feature = "schemars",
        schemars(extend("items" = {"pattern":"^[a-z0-9_]{1,64}$", "type":"string"}))
    )]
    pub categories: ::std::vec::Vec<::std::string::String>,
    /// How it compares with its competitors.
    #[serde(default)]
    pub competitive_positioning: ::std::option::Option<::std::string::String>,
    /// What it does.
    #[serde(default)]
    pub description: ::std::option::Option<::std::string::String>,
    /// What it can do, in short phrases.
    pub features: ::std::vec::Vec<::std::string::String>,
    /// The name it is sold under.
    pub name: ::std::string::String,
    /// What is known about an organization. Objects and lists are always present. Any other field except the id and
    /// the name may be null, which means unknown. No text is empty.
    pub organization: Organization,
    /// What it costs; all null if unknown.
    pub pricing: Pricing,
    /// Identifies a product.
    pub product_id: crate::types::ids::ProductId,
    /// How it earns money.
    pub revenue_models: ::std::vec::Vec<::std::string::String>,
    /// Who it is made for.
    pub target_audiences: ::std::vec::Vec<::std::string::String>,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for Product {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("categories", &self.categories);
        at.field("competitive_positioning", &self.competitive_positioning);
        at.field("description", &self.description);
        at.field("features", &self.features);
        at.field("name", &self.name);
        at.field("organization", &self.organization);
        at.field("pricing", &self.pricing);
        at.field("product_id", &self.product_id);
        at.field("revenue_models", &self.revenue_models);
        at.field("target_audiences", &self.target_audiences);
        at.unknown_fields("Product", &self.unknown_fields);
    }
}
/// Drops `similarity`.
impl ::std::convert::From<ProductSearchResult> for Product {
    fn from(value: ProductSearchResult) -> Self {
        Self {
            categories: value.categories,
            competitive_positioning: value.competitive_positioning,
            description: value.description,
            features: value.features,
            name: value.name,
            organization: value.organization,
            pricing: value.pricing,
            product_id: value.product_id,
            revenue_models: value.revenue_models,
            target_audiences: value.target_audiences,
            unknown_fields: value.unknown_fields,
        }
    }
}
