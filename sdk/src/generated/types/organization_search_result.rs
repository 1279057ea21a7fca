// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `OrganizationSearchResult`.
use super::*;
/// An organization that was found: core details, company metrics, location data, contact information and
/// similarity scores. `similarity` contains the distance.
///
/// ```
/// use platform_sdk::types::OrganizationSearchResult;
///
/// let read: OrganizationSearchResult = serde_json::from_str(
///     r#"{
///   "contact": {
///     "email": "hello@fjordfrost.example",
///     "phone": "+47 55 01 02 03",
///     "social": {
///       "facebook_url": null,
///       "instagram_url": null,
///       "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
///       "x_url": null,
///       "youtube_url": null
///     },
///     "website_url": "https://fjordfrost.example"
///   },
///   "description": "We put a sensor in every crate of salmon that leaves the fjord. Our loggers report the temperature of each parcel by satellite, so that exporters see a warm container while there is still time to save the fish.",
///   "domain": "fjordfrost.example",
///   "headquarters": {
///     "city": "Bergen",
///     "country": "NO",
///     "country_name": "Norway",
///     "postal_code": "5035",
///     "region": "NO-46",
///     "region_name": "Vestland",
///     "street": "Sandviksboder 12"
///   },
///   "locations": [
///     {
///       "city": "Hirtshals",
///       "country": "DK",
///       "country_name": "Denmark",
///       "postal_code": "9850",
///       "region": "DK-81",
///       "region_name": "Nordjylland",
///       "street": null
///     }
///   ],
///   "logo_url": "https://fjordfrost.example/logo.svg",
///   "metrics": {
///     "employee_count": 64,
///     "founded_on": "2016-03-14",
///     "funding": {
///       "last_round_on": "2021-05-20",
///       "last_round_stage": "series_a",
///       "last_round_usd": 8000000,
///       "total_usd": 9200000
///     }
///   },
///   "name": "Fjordfrost",
///   "organization_id": 1001,
///   "similarity": {
///     "cosine_distance": 0.3127
///   }
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
pub struct OrganizationSearchResult {
    /// How to reach an organization.
    pub contact: Contact,
    /// What it does, in its own words.
    #[serde(default)]
    pub description: ::std::option::Option<::std::string::String>,
    /// The domain name of its website.
    #[serde(default)]
    pub domain: ::std::option::Option<::std::string::String>,
    /// A location, as precisely as it is known.
    pub headquarters: Address,
    /// Its other offices; empty when none is known.
    pub locations: ::std::vec::Vec<Address>,
    /// The URL of its logo.
    #[serde(default)]
    #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
    pub logo_url: ::std::option::Option<::std::string::String>,
    /// Size, age and funding.
    pub metrics: CompanyMetrics,
    /// The name it goes by.
    pub name: ::std::string::String,
    /// Identifies an organization.
    pub organization_id: crate::types::ids::OrganizationId,
    /// How close a result is to what was searched for.
    pub similarity: Similarity,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for OrganizationSearchResult {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("contact", &self.contact);
        at.field("description", &self.description);
        at.field("domain", &self.domain);
        at.field("headquarters", &self.headquarters);
        at.field("locations", &self.locations);
        at.field("logo_url", &self.logo_url);
        at.field("metrics", &self.metrics);
        at.field("name", &self.name);
        at.field("organization_id", &self.organization_id);
        at.field("similarity", &self.similarity);
        at.unknown_fields("OrganizationSearchResult", &self.unknown_fields);
    }
}
