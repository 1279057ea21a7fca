// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `OrganizationSearchPage`.
use super::*;
/// One page of the organizations that were found.
///
/// ```
/// use platform_sdk::types::OrganizationSearchPage;
///
/// let read: OrganizationSearchPage = serde_json::from_str(
///     r#"{
///   "results": [
///     {
///       "contact": {
///         "email": "hello@fjordfrost.example",
///         "phone": "+47 55 01 02 03",
///         "social": {
///           "facebook_url": null,
///           "instagram_url": null,
///           "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
///           "x_url": null,
///           "youtube_url": null
///         },
///         "website_url": "https://fjordfrost.example"
///       },
///       "description": "We put a sensor in every crate of salmon that leaves the fjord. Our loggers report the temperature of each parcel by satellite, so that exporters see a warm container while there is still time to save the fish.",
///       "domain": "fjordfrost.example",
///       "headquarters": {
///         "city": "Bergen",
///         "country": "NO",
///         "country_name": "Norway",
///         "postal_code": "5035",
///         "region": "NO-46",
///         "region_name": "Vestland",
///         "street": "Sandviksboder 12"
///       },
///       "locations": [
///         {
///           "city": "Hirtshals",
///           "country": "DK",
///           "country_name": "Denmark",
///           "postal_code": "9850",
///           "region": "DK-81",
///           "region_name": "Nordjylland",
///           "street": null
///         }
///       ],
///       "logo_url": "https://fjordfrost.example/logo.svg",
///       "metrics": {
///         "employee_count": 64,
///         "founded_on": "2016-03-14",
///         "funding": {
///           "last_round_on": "2021-05-20",
///           "last_round_stage": "series_a",
///           "last_round_usd": 8000000,
///           "total_usd": 9200000
///         }
///       },
///       "name": "Fjordfrost",
///       "organization_id": 1001,
///       "similarity": {
///         "cosine_distance": 0.3127
///       }
///     }
///   ],
///   "total_count": 41
/// }"#,
/// )?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
pub struct OrganizationSearchPage {
    /// The page, nearest first.
    #[cfg_attr(feature = "schemars", schemars(extend("maxItems" = 100)))]
    pub results: ::std::vec::Vec<OrganizationSearchResult>,
    /// The number of organizations found, on all pages together.
    #[serde(deserialize_with = "crate::types::whole::read")]
    #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
    pub total_count: i64,
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for OrganizationSearchPage {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("results", &self.results);
        at.field("total_count", &self.total_count);
        at.unknown_fields("OrganizationSearchPage", &self.unknown_fields);
    }
}
impl crate::paging::rows::PageBody for OrganizationSearchPage {
    type Item = OrganizationSearchResult;
    const LIST: &'static str = "results";
    const ID: &'static str = "organization_id";
    fn into_items(self) -> (Vec<Self::Item>, i64) {
        (self.results, self.total_count)
    }
}
