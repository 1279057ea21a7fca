// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

use crate::mock::json::example;
use crate::types::OrganizationSearchPage;

/// The nearest of 41 organizations.
///
/// Its `total_count` is not the number of its items. Walks need a page where these agree: use [`of`].
pub fn found() -> OrganizationSearchPage {
    example(r#"{
  "results": [
    {
      "contact": {
        "email": "hello@fjordfrost.example",
        "phone": "+47 55 01 02 03",
        "social": {
          "facebook_url": null,
          "instagram_url": null,
          "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
          "x_url": null,
          "youtube_url": null
        },
        "website_url": "https://fjordfrost.example"
      },
      "description": "We put a sensor in every crate of salmon that leaves the fjord. Our loggers report the temperature of each parcel by satellite, so that exporters see a warm container while there is still time to save the fish.",
      "domain": "fjordfrost.example",
      "headquarters": {
        "city": "Bergen",
        "country": "NO",
        "country_name": "Norway",
        "postal_code": "5035",
        "region": "NO-46",
        "region_name": "Vestland",
        "street": "Sandviksboder 12"
      },
      "locations": [
        {
          "city": "Hirtshals",
          "country": "DK",
          "country_name": "Denmark",
          "postal_code": "9850",
          "region": "DK-81",
          "region_name": "Nordjylland",
          "street": null
        }
      ],
      "logo_url": "https://fjordfrost.example/logo.svg",
      "metrics": {
        "employee_count": 64,
        "founded_on": "2016-03-14",
        "funding": {
          "last_round_on": "2021-05-20",
          "last_round_stage": "series_a",
          "last_round_usd": 8000000,
          "total_usd": 9200000
        }
      },
      "name": "Fjordfrost",
      "organization_id": 1001,
      "similarity": {
        "cosine_distance": 0.3127
      }
    }
  ],
  "total_count": 41
}"#)
}

/// Nothing passes the filters.
pub fn nothing_passes_the_filters() -> OrganizationSearchPage {
    example(r#"{
  "results": [],
  "total_count": 0
}"#)
}

/// Returns a page with these items only. Its `total_count` is their number.
///
/// ```
/// let page = platform_sdk::mock::examples::organization_search_page::of([]);
/// assert_eq!(page.total_count, 0);
/// ```
pub fn of(items: impl IntoIterator<Item = crate::types::OrganizationSearchResult>) -> OrganizationSearchPage {
    let mut page = found();
    page.results = items.into_iter().collect();
    page.total_count = page.results.len() as i64;
    page
}
