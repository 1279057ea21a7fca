// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

#[allow(unused_imports)]
pub use progenitor_client::{ByteStream, ClientInfo, Error, ResponseValue};
#[allow(unused_imports)]
use progenitor_client::{encode_path, ClientHooks, OperationInfo, RequestBuilderExt};
/// Types used as operation parameters and responses.
#[allow(clippy::all)]
pub mod types {
    /// A JSON object with the single key `organization_id`.
    ///
    /// ```
    /// use platform_sdk::types::AddOrganizationRequest;
    ///
    /// let read: AddOrganizationRequest = serde_json::from_str(
    ///     r#"{
    ///   "organization_id": 1008
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct AddOrganizationRequest {
        /// Identifies an organization.
        pub organization_id: crate::OrganizationId,
    }
    impl AddOrganizationRequest {
        /// Begins one.
        pub fn builder() -> builder::AddOrganizationRequest {
            Default::default()
        }
    }
    /// A location, as precisely as it is known.
    ///
    /// ```
    /// use platform_sdk::types::Address;
    ///
    /// let read: Address = serde_json::from_str(
    ///     r#"{
    ///   "city": "Bergen",
    ///   "country": "NO",
    ///   "country_name": "Norway",
    ///   "postal_code": "5035",
    ///   "region": "NO-46",
    ///   "region_name": "Vestland",
    ///   "street": "Sandviksboder 12"
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct Address {
        /// City or town.
        #[serde(default)]
        pub city: ::std::option::Option<::std::string::String>,
        /// Country, ISO 3166-1 alpha-2.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("pattern" = "^[A-Z]{2}$")))]
        pub country: ::std::option::Option<::std::string::String>,
        /// Name of the country, in English.
        #[serde(default)]
        pub country_name: ::std::option::Option<::std::string::String>,
        /// Postal code, as it is written in that country.
        #[serde(default)]
        pub postal_code: ::std::option::Option<::std::string::String>,
        /// Subdivision of the country, ISO 3166-2.
        #[serde(default)]
        #[cfg_attr(
            feature = "schemars",
            schemars(extend("pattern" = "^[A-Z]{2}-[A-Z0-9]{1,3}$"))
        )]
        pub region: ::std::option::Option<::std::string::String>,
        /// Name of the subdivision.
        #[serde(default)]
        pub region_name: ::std::option::Option<::std::string::String>,
        /// Street and number.
        #[serde(default)]
        pub street: ::std::option::Option<::std::string::String>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// The value of one column of an item. A question goes from `pending` to `completed`, `no_answer`,
    /// `failed` or `skipped`, and stays there. CRM sync goes from null to `pending` and on to `success` or
    /// `error`; from `success` and from `error` it may go back to `pending`.
    ///
    /// ```
    /// use platform_sdk::types::ColumnValue;
    ///
    /// let read: ColumnValue = serde_json::from_str(
    ///     r#"{
    ///   "category": "platform_data",
    ///   "certainty_score": null,
    ///   "last_synced_at": null,
    ///   "references": [],
    ///   "result": [
    ///     "Bergen"
    ///   ],
    ///   "status": null,
    ///   "sync_error": null,
    ///   "sync_provider": null,
    ///   "sync_status": null
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct ColumnValue {
        /// Value source. The list is open in responses.
        pub category: crate::ValueCategory,
        /// Confidence 0 to 100; null for entity data fields, and for a question without an answer.
        #[serde(default)]
        #[cfg_attr(
            feature = "schemars",
            schemars(extend("maximum" = 100, "minimum" = 0))
        )]
        pub certainty_score: ::std::option::Option<i32>,
        /// Time of last successful sync, ISO 8601; null if never synced. Its form is RFC 3339 with an offset;
        /// a client also reads a time without one, as UTC. A later failure leaves it as it is.
        #[serde(default)]
        #[serde(deserialize_with = "crate::time::read")]
        pub last_synced_at: ::std::option::Option<
            ::chrono::DateTime<::chrono::offset::Utc>,
        >,
        /// Source reference URLs.
        #[cfg_attr(
            feature = "schemars",
            schemars(extend("items" = {"format":"uri", "type":"string"}))
        )]
        pub references: ::std::vec::Vec<::std::string::String>,
        /// Extracted values (strings, numbers, etc.). Empty unless the question is `completed`; for entity
        /// data, empty unless the field is present.
        pub result: ::std::vec::Vec<crate::ResultValue>,
        /// Execution status of a question column; null for entity data fields. The difference between `no_answer`
        /// and `skipped` is not defined. The list is open in responses.
        #[serde(default)]
        pub status: ::std::option::Option<crate::ExecutionStatus>,
        /// Error message if the last sync attempt failed; null in any other case. It is set exactly when
        /// `sync_status` is `error`.
        #[serde(default)]
        pub sync_error: ::std::option::Option<::std::string::String>,
        /// CRM provider name; null when CRM sync is not configured.
        #[serde(default)]
        pub sync_provider: ::std::option::Option<::std::string::String>,
        /// CRM sync status; null when CRM sync is not configured, and until the first sync begins. The list is
        /// open in responses.
        #[serde(default)]
        pub sync_status: ::std::option::Option<crate::SyncStatus>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// Size, age and funding.
    ///
    /// ```
    /// use platform_sdk::types::CompanyMetrics;
    ///
    /// let read: CompanyMetrics = serde_json::from_str(
    ///     r#"{
    ///   "employee_count": 64,
    ///   "founded_on": "2016-03-14",
    ///   "funding": {
    ///     "last_round_on": "2021-05-20",
    ///     "last_round_stage": "series_a",
    ///     "last_round_usd": 8000000,
    ///     "total_usd": 9200000
    ///   }
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct CompanyMetrics {
        /// Number of employees.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        pub employee_count: ::std::option::Option<i64>,
        /// Date of the foundation.
        #[serde(default)]
        pub founded_on: ::std::option::Option<::chrono::naive::NaiveDate>,
        /// Money raised from outside; all null for an organization that is not known to have raised any.
        pub funding: Funding,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// How to reach an organization.
    ///
    /// ```
    /// use platform_sdk::types::Contact;
    ///
    /// let read: Contact = serde_json::from_str(
    ///     r#"{
    ///   "email": "hello@fjordfrost.example",
    ///   "phone": "+47 55 01 02 03",
    ///   "social": {
    ///     "facebook_url": null,
    ///     "instagram_url": null,
    ///     "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
    ///     "x_url": null,
    ///     "youtube_url": null
    ///   },
    ///   "website_url": "https://fjordfrost.example"
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct Contact {
        /// An address for enquiries.
        #[serde(default)]
        pub email: ::std::option::Option<::std::string::String>,
        /// A telephone number, in international form.
        #[serde(default)]
        pub phone: ::std::option::Option<::std::string::String>,
        /// Profiles in social media.
        pub social: SocialProfiles,
        /// Its website.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub website_url: ::std::option::Option<::std::string::String>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// One fault of a request.
    ///
    /// ```
    /// use platform_sdk::types::FieldError;
    ///
    /// let read: FieldError = serde_json::from_str(
    ///     r#"{
    ///   "loc": [
    ///     "query",
    ///     "limit"
    ///   ],
    ///   "msg": "must be an integer from 1 to 1000",
    ///   "type": "greater_than_maximum"
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct FieldError {
        /// Where the fault is: `path`, `query` or `body`, then the name, then the position in a list,
        /// counted from 0.
        #[cfg_attr(feature = "schemars", schemars(extend("minItems" = 1)))]
        pub loc: ::std::vec::Vec<LocationSegment>,
        /// What is wrong with it, and what would be right.
        pub msg: ::std::string::String,
        /// The kind of fault, for programs: one of `x-known-values`. The list is open in responses.
        #[serde(rename = "type")]
        pub type_: ::std::string::String,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// Money raised from outside; all null for an organization that is not known to have raised any.
    ///
    /// ```
    /// use platform_sdk::types::Funding;
    ///
    /// let read: Funding = serde_json::from_str(
    ///     r#"{
    ///   "last_round_on": "2021-05-20",
    ///   "last_round_stage": "series_a",
    ///   "last_round_usd": 8000000,
    ///   "total_usd": 9200000
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct Funding {
        /// Date of the latest round.
        #[serde(default)]
        pub last_round_on: ::std::option::Option<::chrono::naive::NaiveDate>,
        /// Stage of the latest round: one of `FundingStage`. The list is open in responses.
        #[serde(default)]
        pub last_round_stage: ::std::option::Option<crate::FundingStage>,
        /// Amount of the latest round, in whole US dollars.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        pub last_round_usd: ::std::option::Option<i64>,
        /// Sum of all rounds, in whole US dollars.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        pub total_usd: ::std::option::Option<i64>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// One page of the items of a pipeline.
    ///
    /// ```
    /// use platform_sdk::types::ItemPage;
    ///
    /// let read: ItemPage = serde_json::from_str(
    ///     r#"{
    ///   "items": [
    ///     {
    ///       "document_id": null,
    ///       "entity_type": "organization",
    ///       "organization_id": 1001,
    ///       "person_id": null,
    ///       "pipeline_id": 2,
    ///       "pipeline_item_id": 200001,
    ///       "values": {
    ///         "organization.headquarters.city": {
    ///           "category": "platform_data",
    ///           "certainty_score": null,
    ///           "last_synced_at": null,
    ///           "references": [],
    ///           "result": [
    ///             "Bergen"
    ///           ],
    ///           "status": null,
    ///           "sync_error": null,
    ///           "sync_provider": null,
    ///           "sync_status": null
    ///         },
    ///         "question.201": {
    ///           "category": "llm",
    ///           "certainty_score": 88,
    ///           "last_synced_at": null,
    ///           "references": [
    ///             "https://fjordfrost.example"
    ///           ],
    ///           "result": [
    ///             true
    ///           ],
    ///           "status": "completed",
    ///           "sync_error": null,
    ///           "sync_provider": null,
    ///           "sync_status": null
    ///         },
    ///         "question.202": {
    ///           "category": "llm_webbrowsing",
    ///           "certainty_score": null,
    ///           "last_synced_at": null,
    ///           "references": [],
    ///           "result": [],
    ///           "status": "no_answer",
    ///           "sync_error": null,
    ///           "sync_provider": null,
    ///           "sync_status": null
    ///         }
    ///       }
    ///     }
    ///   ],
    ///   "pipeline_id": 2,
    ///   "total_count": 12
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct ItemPage {
        /// The page, in the order asked for.
        #[cfg_attr(feature = "schemars", schemars(extend("maxItems" = 1000)))]
        pub items: ::std::vec::Vec<PipelineItem>,
        /// Identifies a pipeline.
        pub pipeline_id: crate::PipelineId,
        /// Total items in the pipeline.
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        pub total_count: i64,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// Processing readiness of one item, with one boolean for each stage.
    ///
    /// ```
    /// use platform_sdk::types::ItemStatus;
    ///
    /// let read: ItemStatus = serde_json::from_str(
    ///     r#"{
    ///   "custom_questions_answered": false,
    ///   "document_indexed": true,
    ///   "is_ready": false,
    ///   "pipeline_id": 2,
    ///   "pipeline_item_id": 200013,
    ///   "platform_entity_data_ready": true
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct ItemStatus {
        /// All configured qualifying questions have reached a terminal state. True when none is
        /// configured.
        pub custom_questions_answered: bool,
        /// The submitted document is fully indexed. True for an item without a document.
        pub document_indexed: bool,
        /// True exactly when `document_indexed`, `custom_questions_answered` and
        /// `platform_entity_data_ready` are all true. It never falls back to false unless a new question is
        /// asked.
        pub is_ready: bool,
        /// Identifies a pipeline.
        pub pipeline_id: crate::PipelineId,
        /// Unique identifier of the item, among the items of all pipelines.
        pub pipeline_item_id: crate::PipelineItemId,
        /// All required platform entity data for configured columns is available.
        pub platform_entity_data_ready: bool,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// A name, or a position in a list.
    ///
    /// ```
    /// use platform_sdk::types::LocationSegment;
    ///
    /// let read: LocationSegment = serde_json::from_str(
    ///     r#""query""#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(untagged)]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub enum LocationSegment {
        /// Name.
        Name(::std::string::String),
        /// Position.
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        Position(i64),
    }
    impl ::std::fmt::Display for LocationSegment {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match self {
                Self::Name(x) => x.fmt(f),
                Self::Position(x) => x.fmt(f),
            }
        }
    }
    impl ::std::convert::From<i64> for LocationSegment {
        fn from(value: i64) -> Self {
            Self::Position(value)
        }
    }
    /// What is known of an organization. Groups are always present. Anything in them except the id and the
    /// name may be null, which means that it is not known.
    ///
    /// ```
    /// use platform_sdk::types::Organization;
    ///
    /// let read: Organization = serde_json::from_str(
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
    pub struct Organization {
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
        /// Where its logo is.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub logo_url: ::std::option::Option<::std::string::String>,
        /// Size, age and funding.
        pub metrics: CompanyMetrics,
        /// The name it goes by.
        pub name: ::std::string::String,
        /// Identifies an organization.
        pub organization_id: crate::OrganizationId,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
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
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        pub total_count: i64,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// An organization that was found: core details, company metrics, location data, contact information and
    /// similarity scores. How near it is stands in `similarity`.
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
        /// Where its logo is.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub logo_url: ::std::option::Option<::std::string::String>,
        /// Size, age and funding.
        pub metrics: CompanyMetrics,
        /// The name it goes by.
        pub name: ::std::string::String,
        /// Identifies an organization.
        pub organization_id: crate::OrganizationId,
        /// How near a result is to what was searched for.
        pub similarity: Similarity,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// A submitted document or an entity (organization, person, document) in a pipeline. The id that
    /// `entity_type` names is present; the others may be. Nothing else is said of a person or a document.
    ///
    /// ```
    /// use platform_sdk::types::PipelineItem;
    ///
    /// let read: PipelineItem = serde_json::from_str(
    ///     r#"{
    ///   "document_id": null,
    ///   "entity_type": "organization",
    ///   "organization_id": 1001,
    ///   "person_id": null,
    ///   "pipeline_id": 2,
    ///   "pipeline_item_id": 200001,
    ///   "values": {
    ///     "organization.headquarters.city": {
    ///       "category": "platform_data",
    ///       "certainty_score": null,
    ///       "last_synced_at": null,
    ///       "references": [],
    ///       "result": [
    ///         "Bergen"
    ///       ],
    ///       "status": null,
    ///       "sync_error": null,
    ///       "sync_provider": null,
    ///       "sync_status": null
    ///     },
    ///     "question.201": {
    ///       "category": "llm",
    ///       "certainty_score": 88,
    ///       "last_synced_at": null,
    ///       "references": [
    ///         "https://fjordfrost.example"
    ///       ],
    ///       "result": [
    ///         true
    ///       ],
    ///       "status": "completed",
    ///       "sync_error": null,
    ///       "sync_provider": null,
    ///       "sync_status": null
    ///     },
    ///     "question.202": {
    ///       "category": "llm_webbrowsing",
    ///       "certainty_score": null,
    ///       "last_synced_at": null,
    ///       "references": [],
    ///       "result": [],
    ///       "status": "no_answer",
    ///       "sync_error": null,
    ///       "sync_provider": null,
    ///       "sync_status": null
    ///     }
    ///   }
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct PipelineItem {
        /// Associated document, if applicable.
        #[serde(default)]
        pub document_id: ::std::option::Option<crate::DocumentId>,
        /// What an item is. The list is open in responses.
        pub entity_type: crate::EntityType,
        /// Associated organization, if applicable.
        #[serde(default)]
        pub organization_id: ::std::option::Option<crate::OrganizationId>,
        /// Associated person, if applicable.
        #[serde(default)]
        pub person_id: ::std::option::Option<crate::PersonId>,
        /// Identifies a pipeline.
        pub pipeline_id: crate::PipelineId,
        /// Unique identifier of the item, among the items of all pipelines.
        pub pipeline_item_id: crate::PipelineItemId,
        /// Column values keyed by column ID: `question.<question_id>` for a qualifying question, else a
        /// platform entity-data field path such as `organization.metrics.employee_count`. Every question of
        /// the pipeline has its entry, from the moment the item exists.
        pub values: Values,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// What it costs; all null when it is not known.
    ///
    /// ```
    /// use platform_sdk::types::Pricing;
    ///
    /// let read: Pricing = serde_json::from_str(
    ///     r#"{
    ///   "billing_period": "unit",
    ///   "currency": "EUR",
    ///   "model": "per_unit",
    ///   "starts_at": 19.5
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct Pricing {
        /// What the price is for, for example `month`, `year` or `unit`. The list is open.
        #[serde(default)]
        pub billing_period: ::std::option::Option<::std::string::String>,
        /// Currency of the price, ISO 4217.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("pattern" = "^[A-Z]{3}$")))]
        pub currency: ::std::option::Option<::std::string::String>,
        /// How it is charged for, for example `subscription`, `usage_based` or `quote`. The list is open.
        #[serde(default)]
        pub model: ::std::option::Option<::std::string::String>,
        /// The lowest price, in `currency`.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        pub starts_at: ::std::option::Option<f64>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// An error (RFC 9457). `code` is for programs, `title` and `detail` are for people and may change.
    ///
    /// ```
    /// use platform_sdk::types::Problem;
    ///
    /// let read: Problem = serde_json::from_str(
    ///     r#"{
    ///   "code": "invalid_sort_by",
    ///   "detail": "sort_by takes a column of the form question.<question_id>, such as question.201.",
    ///   "errors": [],
    ///   "instance": "/api/v1/pipelines/2/items",
    ///   "request_id": "0f6e1c1e-5c0a-4c5e-9a9b-2f7d1c1f4b11",
    ///   "status": 400,
    ///   "title": "Invalid sort_by",
    ///   "type": "https://platform.example/problems/invalid_sort_by"
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct Problem {
        /// The kinds of problem there are, by status. The list is open in responses. `x-problems` has what each
        /// means and what to do about it.
        ///
        /// - 400: `malformed_request`, `invalid_sort_by`, `unknown_sort_column`, `item_not_in_pipeline`, `not_an_organization_pipeline`
        /// - 401: `authentication_required`, `invalid_api_key`
        /// - 403: `authorization_denied`
        /// - 404: `route_not_found`, `organization_not_found`, `product_not_found`, `pipeline_not_found`, `item_not_found`
        /// - 405: `method_not_allowed`
        /// - 409: `organization_already_in_pipeline`
        /// - 413: `body_too_large`
        /// - 414: `uri_too_long`
        /// - 415: `unsupported_media_type`
        /// - 422: `validation_failed`
        /// - 429: `rate_limited`
        /// - 431: `headers_too_large`
        /// - 500: `internal_error`
        /// - 503: `unavailable`
        pub code: crate::ProblemCode,
        /// What went wrong with this request, and what to do.
        #[cfg_attr(feature = "schemars", schemars(extend("minLength" = 1)))]
        pub detail: ::std::string::String,
        /// Every fault of the request; empty unless `code` is `validation_failed`. Of more than 20, the
        /// first 20 in the order of the request.
        pub errors: ::std::vec::Vec<FieldError>,
        /// The path that was requested.
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri-reference")))]
        pub instance: ::std::string::String,
        /// Identifies a request in the platform's logs.
        #[cfg_attr(
            feature = "schemars",
            schemars(extend("pattern" = "^[A-Za-z0-9._-]{1,128}$"))
        )]
        pub request_id: ::std::string::String,
        /// The status of the response.
        #[cfg_attr(
            feature = "schemars",
            schemars(extend("maximum" = 599, "minimum" = 400))
        )]
        pub status: i32,
        /// The kind of problem, in a few words.
        #[cfg_attr(feature = "schemars", schemars(extend("minLength" = 1)))]
        pub title: ::std::string::String,
        /// Identifies the kind of problem; one URI for each `code`.
        #[serde(rename = "type")]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri-reference")))]
        pub type_: ::std::string::String,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// What is known of a product, and the organization that offers it: a product always has one. Lists are
    /// always present and may be empty. Anything else except the id and the name may be null, which means that
    /// it is not known.
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
        /// How it stands against what else there is.
        #[serde(default)]
        pub competitive_positioning: ::std::option::Option<::std::string::String>,
        /// What it does.
        #[serde(default)]
        pub description: ::std::option::Option<::std::string::String>,
        /// What it can do, a short phrase each.
        pub features: ::std::vec::Vec<::std::string::String>,
        /// The name it is sold under.
        pub name: ::std::string::String,
        /// What is known of an organization. Groups are always present. Anything in them except the id and the
        /// name may be null, which means that it is not known.
        pub organization: Organization,
        /// What it costs; all null when it is not known.
        pub pricing: Pricing,
        /// Identifies a product.
        pub product_id: crate::ProductId,
        /// How money is made with it.
        pub revenue_models: ::std::vec::Vec<::std::string::String>,
        /// For whom it is made.
        pub target_audiences: ::std::vec::Vec<::std::string::String>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// One page of the products that were found.
    ///
    /// ```
    /// use platform_sdk::types::ProductSearchPage;
    ///
    /// let read: ProductSearchPage = serde_json::from_str(
    ///     r#"{
    ///   "results": [
    ///     {
    ///       "categories": [
    ///         "freight_logistics",
    ///         "consumer_electronics"
    ///       ],
    ///       "competitive_positioning": "The only logger of its size that reports from the middle of an ocean.",
    ///       "description": "A coin-sized logger that travels inside the parcel, measures temperature every minute for 90 days, and sends an alarm by satellite as soon as a limit is passed.",
    ///       "features": [
    ///         "satellite alarm",
    ///         "90-day battery",
    ///         "calibration certificate"
    ///       ],
    ///       "name": "Frosttag",
    ///       "organization": {
    ///         "contact": {
    ///           "email": "hello@fjordfrost.example",
    ///           "phone": "+47 55 01 02 03",
    ///           "social": {
    ///             "facebook_url": null,
    ///             "instagram_url": null,
    ///             "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
    ///             "x_url": null,
    ///             "youtube_url": null
    ///           },
    ///           "website_url": "https://fjordfrost.example"
    ///         },
    ///         "description": "We put a sensor in every crate of salmon that leaves the fjord. Our loggers report the temperature of each parcel by satellite, so that exporters see a warm container while there is still time to save the fish.",
    ///         "domain": "fjordfrost.example",
    ///         "headquarters": {
    ///           "city": "Bergen",
    ///           "country": "NO",
    ///           "country_name": "Norway",
    ///           "postal_code": "5035",
    ///           "region": "NO-46",
    ///           "region_name": "Vestland",
    ///           "street": "Sandviksboder 12"
    ///         },
    ///         "locations": [
    ///           {
    ///             "city": "Hirtshals",
    ///             "country": "DK",
    ///             "country_name": "Denmark",
    ///             "postal_code": "9850",
    ///             "region": "DK-81",
    ///             "region_name": "Nordjylland",
    ///             "street": null
    ///           }
    ///         ],
    ///         "logo_url": "https://fjordfrost.example/logo.svg",
    ///         "metrics": {
    ///           "employee_count": 64,
    ///           "founded_on": "2016-03-14",
    ///           "funding": {
    ///             "last_round_on": "2021-05-20",
    ///             "last_round_stage": "series_a",
    ///             "last_round_usd": 8000000,
    ///             "total_usd": 9200000
    ///           }
    ///         },
    ///         "name": "Fjordfrost",
    ///         "organization_id": 1001
    ///       },
    ///       "pricing": {
    ///         "billing_period": "unit",
    ///         "currency": "EUR",
    ///         "model": "per_unit",
    ///         "starts_at": 19.5
    ///       },
    ///       "product_id": 5001,
    ///       "revenue_models": [
    ///         "hardware_sale",
    ///         "subscription"
    ///       ],
    ///       "similarity": {
    ///         "cosine_distance": 0.2841
    ///       },
    ///       "target_audiences": [
    ///         "seafood exporters",
    ///         "freight forwarders"
    ///       ]
    ///     }
    ///   ],
    ///   "total_count": 87
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct ProductSearchPage {
        /// The page, nearest first.
        #[cfg_attr(feature = "schemars", schemars(extend("maxItems" = 100)))]
        pub results: ::std::vec::Vec<ProductSearchResult>,
        /// The number of products found, on all pages together.
        #[cfg_attr(feature = "schemars", schemars(extend("minimum" = 0)))]
        pub total_count: i64,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// A product that was found: product details, business context, company information, market intelligence and
    /// the organization associated with it. How near it is stands in `similarity`.
    ///
    /// ```
    /// use platform_sdk::types::ProductSearchResult;
    ///
    /// let read: ProductSearchResult = serde_json::from_str(
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
    pub struct ProductSearchResult {
        /// The product categories it is in.
        #[cfg_attr(
            feature = "schemars",
            schemars(extend("items" = {"pattern":"^[a-z0-9_]{1,64}$", "type":"string"}))
        )]
        pub categories: ::std::vec::Vec<::std::string::String>,
        /// How it stands against what else there is.
        #[serde(default)]
        pub competitive_positioning: ::std::option::Option<::std::string::String>,
        /// What it does.
        #[serde(default)]
        pub description: ::std::option::Option<::std::string::String>,
        /// What it can do, a short phrase each.
        pub features: ::std::vec::Vec<::std::string::String>,
        /// The name it is sold under.
        pub name: ::std::string::String,
        /// What is known of an organization. Groups are always present. Anything in them except the id and the
        /// name may be null, which means that it is not known.
        pub organization: Organization,
        /// What it costs; all null when it is not known.
        pub pricing: Pricing,
        /// Identifies a product.
        pub product_id: crate::ProductId,
        /// How money is made with it.
        pub revenue_models: ::std::vec::Vec<::std::string::String>,
        /// How near a result is to what was searched for.
        pub similarity: Similarity,
        /// For whom it is made.
        pub target_audiences: ::std::vec::Vec<::std::string::String>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// How near a result is to what was searched for.
    ///
    /// ```
    /// use platform_sdk::types::Similarity;
    ///
    /// let read: Similarity = serde_json::from_str(
    ///     r#"{
    ///   "cosine_distance": 0.3127
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct Similarity {
        /// 0 for the same meaning, 1 for none in common, 2 for the opposite.
        #[cfg_attr(feature = "schemars", schemars(extend("maximum" = 2, "minimum" = 0)))]
        pub cosine_distance: f64,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// Profiles in social media.
    ///
    /// ```
    /// use platform_sdk::types::SocialProfiles;
    ///
    /// let read: SocialProfiles = serde_json::from_str(
    ///     r#"{
    ///   "facebook_url": null,
    ///   "instagram_url": null,
    ///   "linkedin_url": "https://www.linkedin.com/company/fjordfrost-example",
    ///   "x_url": null,
    ///   "youtube_url": null
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct SocialProfiles {
        /// Its page on Facebook.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub facebook_url: ::std::option::Option<::std::string::String>,
        /// Its profile on Instagram.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub instagram_url: ::std::option::Option<::std::string::String>,
        /// Its page on LinkedIn.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub linkedin_url: ::std::option::Option<::std::string::String>,
        /// Its profile on X.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub x_url: ::std::option::Option<::std::string::String>,
        /// Its channel on YouTube.
        #[serde(default)]
        #[cfg_attr(feature = "schemars", schemars(extend("format" = "uri")))]
        pub youtube_url: ::std::option::Option<::std::string::String>,
        /// Fields that this version of the SDK does not know, as they came.
        #[serde(flatten)]
        pub unknown_fields: crate::UnknownFields,
    }
    /// Ascending or descending.
    ///
    /// ```
    /// use platform_sdk::types::SortOrder;
    ///
    /// assert!(matches!(SortOrder::try_from("desc"), Ok(SortOrder::Desc)));
    /// ```
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub enum SortOrder {
        /// Ascending.
        #[serde(rename = "asc")]
        Asc,
        /// Descending.
        #[serde(rename = "desc")]
        Desc,
    }
    impl ::std::fmt::Display for SortOrder {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Asc => f.write_str("asc"),
                Self::Desc => f.write_str("desc"),
            }
        }
    }
    impl ::std::str::FromStr for SortOrder {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "asc" => Ok(Self::Asc),
                "desc" => Ok(Self::Desc),
                _ => Err("invalid value".into()),
            }
        }
    }
    impl ::std::convert::TryFrom<&str> for SortOrder {
        type Error = self::error::ConversionError;
        fn try_from(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::convert::TryFrom<::std::string::String> for SortOrder {
        type Error = self::error::ConversionError;
        fn try_from(
            value: ::std::string::String,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            value.parse()
        }
    }
    impl ::std::default::Default for SortOrder {
        fn default() -> Self {
            SortOrder::Asc
        }
    }
    /// Column values keyed by column ID: `question.<question_id>` for a qualifying question, else a
    /// platform entity-data field path such as `organization.metrics.employee_count`. Every question of
    /// the pipeline has its entry, from the moment the item exists.
    ///
    /// ```
    /// use platform_sdk::types::Values;
    ///
    /// let read: Values = serde_json::from_str(
    ///     r#"{
    ///   "organization.headquarters.city": {
    ///     "category": "platform_data",
    ///     "certainty_score": null,
    ///     "last_synced_at": null,
    ///     "references": [],
    ///     "result": [
    ///       "Bergen"
    ///     ],
    ///     "status": null,
    ///     "sync_error": null,
    ///     "sync_provider": null,
    ///     "sync_status": null
    ///   },
    ///   "question.201": {
    ///     "category": "llm",
    ///     "certainty_score": 88,
    ///     "last_synced_at": null,
    ///     "references": [
    ///       "https://fjordfrost.example"
    ///     ],
    ///     "result": [
    ///       true
    ///     ],
    ///     "status": "completed",
    ///     "sync_error": null,
    ///     "sync_provider": null,
    ///     "sync_status": null
    ///   },
    ///   "question.202": {
    ///     "category": "llm_webbrowsing",
    ///     "certainty_score": null,
    ///     "last_synced_at": null,
    ///     "references": [],
    ///     "result": [],
    ///     "status": "no_answer",
    ///     "sync_error": null,
    ///     "sync_provider": null,
    ///     "sync_status": null
    ///   }
    /// }"#,
    /// )?;
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(transparent)]
    #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
    pub struct Values(
        pub ::std::collections::BTreeMap<::std::string::String, ColumnValue>,
    );
    impl ::std::ops::Deref for Values {
        type Target = ::std::collections::BTreeMap<::std::string::String, ColumnValue>;
        fn deref(
            &self,
        ) -> &::std::collections::BTreeMap<::std::string::String, ColumnValue> {
            &self.0
        }
    }
    impl ::std::convert::From<Values>
    for ::std::collections::BTreeMap<::std::string::String, ColumnValue> {
        fn from(value: Values) -> Self {
            value.0
        }
    }
    impl ::std::convert::From<
        ::std::collections::BTreeMap<::std::string::String, ColumnValue>,
    > for Values {
        fn from(
            value: ::std::collections::BTreeMap<::std::string::String, ColumnValue>,
        ) -> Self {
            Self(value)
        }
    }
    /// Types for composing complex structures.
    pub mod builder {
        /// Builds an [`AddOrganizationRequest`](super::AddOrganizationRequest).
        ///
        /// ```
        /// use platform_sdk::types::AddOrganizationRequest;
        ///
        /// let body: AddOrganizationRequest = AddOrganizationRequest::builder()
        ///     .organization_id(1008)
        ///     .try_into()?;
        /// # Ok::<(), platform_sdk::types::error::ConversionError>(())
        /// ```
        #[derive(Clone, Debug)]
        pub struct AddOrganizationRequest {
            organization_id: ::std::result::Result<
                crate::OrganizationId,
                ::std::string::String,
            >,
        }
        impl ::std::default::Default for AddOrganizationRequest {
            fn default() -> Self {
                Self {
                    organization_id: Err(
                        "no value supplied for organization_id".to_string(),
                    ),
                }
            }
        }
        impl AddOrganizationRequest {
            /// Identifies an organization.
            pub fn organization_id<T>(mut self, value: T) -> Self
            where
                T: ::std::convert::TryInto<crate::OrganizationId>,
                T::Error: ::std::fmt::Display,
            {
                self.organization_id = value
                    .try_into()
                    .map_err(|e| {
                        format!(
                            "error converting supplied value for organization_id: {e}"
                        )
                    });
                self
            }
        }
        impl ::std::convert::TryFrom<AddOrganizationRequest>
        for super::AddOrganizationRequest {
            type Error = super::error::ConversionError;
            fn try_from(
                value: AddOrganizationRequest,
            ) -> ::std::result::Result<Self, super::error::ConversionError> {
                Ok(Self {
                    organization_id: value.organization_id?,
                })
            }
        }
        impl ::std::convert::From<super::AddOrganizationRequest>
        for AddOrganizationRequest {
            fn from(value: super::AddOrganizationRequest) -> Self {
                Self {
                    organization_id: Ok(value.organization_id),
                }
            }
        }
    }
    /// Error types.
    pub mod error {
        /// Why a value does not convert into a type: it shows as one line.
        ///
        /// ```
        /// use platform_sdk::types::AddOrganizationRequest;
        ///
        /// let body = AddOrganizationRequest::try_from(AddOrganizationRequest::builder());
        /// assert!(body.is_err_and(|error| error.to_string().contains("organization_id")));
        /// ```
        pub struct ConversionError(::std::borrow::Cow<'static, str>);
        impl ::std::error::Error for ConversionError {}
        impl ::std::fmt::Display for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
        impl ::std::fmt::Debug for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
        impl From<&'static str> for ConversionError {
            fn from(value: &'static str) -> Self {
                Self(value.into())
            }
        }
        impl From<String> for ConversionError {
            fn from(value: String) -> Self {
                Self(value.into())
            }
        }
    }
    impl crate::unknown::Scan for Address {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("city", &self.city);
            at.field("country", &self.country);
            at.field("country_name", &self.country_name);
            at.field("postal_code", &self.postal_code);
            at.field("region", &self.region);
            at.field("region_name", &self.region_name);
            at.field("street", &self.street);
            at.unknown_fields("Address", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for ColumnValue {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("category", &self.category);
            at.field("certainty_score", &self.certainty_score);
            at.field("last_synced_at", &self.last_synced_at);
            at.field("references", &self.references);
            at.field("result", &self.result);
            at.field("status", &self.status);
            at.field("sync_error", &self.sync_error);
            at.field("sync_provider", &self.sync_provider);
            at.field("sync_status", &self.sync_status);
            at.unknown_fields("ColumnValue", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for CompanyMetrics {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("employee_count", &self.employee_count);
            at.field("founded_on", &self.founded_on);
            at.field("funding", &self.funding);
            at.unknown_fields("CompanyMetrics", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Contact {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("email", &self.email);
            at.field("phone", &self.phone);
            at.field("social", &self.social);
            at.field("website_url", &self.website_url);
            at.unknown_fields("Contact", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for FieldError {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("loc", &self.loc);
            at.field("msg", &self.msg);
            at.field("type", &self.type_);
            at.unknown_fields("FieldError", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Funding {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("last_round_on", &self.last_round_on);
            at.field("last_round_stage", &self.last_round_stage);
            at.field("last_round_usd", &self.last_round_usd);
            at.field("total_usd", &self.total_usd);
            at.unknown_fields("Funding", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for ItemPage {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("items", &self.items);
            at.field("pipeline_id", &self.pipeline_id);
            at.field("total_count", &self.total_count);
            at.unknown_fields("ItemPage", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for ItemStatus {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("custom_questions_answered", &self.custom_questions_answered);
            at.field("document_indexed", &self.document_indexed);
            at.field("is_ready", &self.is_ready);
            at.field("pipeline_id", &self.pipeline_id);
            at.field("pipeline_item_id", &self.pipeline_item_id);
            at.field("platform_entity_data_ready", &self.platform_entity_data_ready);
            at.unknown_fields("ItemStatus", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Organization {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("contact", &self.contact);
            at.field("description", &self.description);
            at.field("domain", &self.domain);
            at.field("headquarters", &self.headquarters);
            at.field("locations", &self.locations);
            at.field("logo_url", &self.logo_url);
            at.field("metrics", &self.metrics);
            at.field("name", &self.name);
            at.field("organization_id", &self.organization_id);
            at.unknown_fields("Organization", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for OrganizationSearchPage {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("results", &self.results);
            at.field("total_count", &self.total_count);
            at.unknown_fields("OrganizationSearchPage", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for OrganizationSearchResult {
        fn scan(&self, at: &crate::unknown::At<'_>) {
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
    impl crate::unknown::Scan for PipelineItem {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("document_id", &self.document_id);
            at.field("entity_type", &self.entity_type);
            at.field("organization_id", &self.organization_id);
            at.field("person_id", &self.person_id);
            at.field("pipeline_id", &self.pipeline_id);
            at.field("pipeline_item_id", &self.pipeline_item_id);
            at.field("values", &self.values);
            at.unknown_fields("PipelineItem", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Pricing {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("billing_period", &self.billing_period);
            at.field("currency", &self.currency);
            at.field("model", &self.model);
            at.field("starts_at", &self.starts_at);
            at.unknown_fields("Pricing", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Problem {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("code", &self.code);
            at.field("detail", &self.detail);
            at.field("errors", &self.errors);
            at.field("instance", &self.instance);
            at.field("request_id", &self.request_id);
            at.field("status", &self.status);
            at.field("title", &self.title);
            at.field("type", &self.type_);
            at.unknown_fields("Problem", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Product {
        fn scan(&self, at: &crate::unknown::At<'_>) {
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
    impl crate::unknown::Scan for ProductSearchPage {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("results", &self.results);
            at.field("total_count", &self.total_count);
            at.unknown_fields("ProductSearchPage", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for ProductSearchResult {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("categories", &self.categories);
            at.field("competitive_positioning", &self.competitive_positioning);
            at.field("description", &self.description);
            at.field("features", &self.features);
            at.field("name", &self.name);
            at.field("organization", &self.organization);
            at.field("pricing", &self.pricing);
            at.field("product_id", &self.product_id);
            at.field("revenue_models", &self.revenue_models);
            at.field("similarity", &self.similarity);
            at.field("target_audiences", &self.target_audiences);
            at.unknown_fields("ProductSearchResult", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Similarity {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("cosine_distance", &self.cosine_distance);
            at.unknown_fields("Similarity", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for SocialProfiles {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            at.field("facebook_url", &self.facebook_url);
            at.field("instagram_url", &self.instagram_url);
            at.field("linkedin_url", &self.linkedin_url);
            at.field("x_url", &self.x_url);
            at.field("youtube_url", &self.youtube_url);
            at.unknown_fields("SocialProfiles", &self.unknown_fields);
        }
    }
    impl crate::unknown::Scan for Values {
        fn scan(&self, at: &crate::unknown::At<'_>) {
            self.0.scan(at)
        }
    }
}
/// A client of one deployment, with a method for each operation.
///
/// It is made by [`Client::builder`] or [`Client::from_env`]. Clones are cheap and share their connections.
/// A method starts a request; the request takes its parameters, one method each, and is sent by `send`.
///
/// ```no_run
/// # async fn example() -> Result<(), platform_sdk::Error> {
/// use platform_sdk::Client;
///
/// let client = Client::from_env()?;
/// let page = client.list_items().pipeline_id(1).limit(50).send().await?;
/// println!("{} of {} items", page.items.len(), page.total_count);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) baseurl: ::std::sync::Arc<str>,
    pub(crate) client: reqwest::Client,
    pub(crate) inner: crate::client::Inner,
}
impl Client {
    /// List the items of a pipeline
    ///
    /// Lists all items (submitted documents and their associated entities) in a pipeline, a page at a
    /// time. The order is total, so that pages taken one after the other neither repeat nor miss an
    /// item as long as the pipeline does not change.
    ///
    /// It is sent as a `GET` request to `/api/v1/pipelines/{pipeline_id}/items`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .list_items()
    ///     .pipeline_id(2)
    ///     .skip(100)
    ///     .limit(1000)
    ///     .sort_by("question.201")
    ///     .sort_order("desc")
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_items(&self) -> builder::ListItems {
        builder::ListItems::new(self.clone())
    }
    /// Read the readiness of an item
    ///
    /// Reports processing readiness of one item, with one boolean for each stage. Poll it after an item
    /// was submitted until `is_ready` is true. How far CRM sync is shows in `sync_status` of the item's
    /// values; readiness does not wait for it. How long an item takes to become ready is not promised.
    ///
    /// It is sent as a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .get_item_status()
    ///     .pipeline_id(2)
    ///     .pipeline_item_id(200001)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_item_status(&self) -> builder::GetItemStatus {
        builder::GetItemStatus::new(self.clone())
    }
    /// Read the values of an item
    ///
    /// Returns the extracted and enriched data of one item: structured data from the document, entity
    /// resolution results, and answers to the pipeline's qualifying questions. While questions are
    /// being answered it shows how far each one is.
    ///
    /// It is sent as a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .get_item_values()
    ///     .pipeline_id(2)
    ///     .pipeline_item_id(200001)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_item_values(&self) -> builder::GetItemValues {
        builder::GetItemValues::new(self.clone())
    }
    /// Add an organization to a pipeline
    ///
    /// Adds an existing organization to an organization pipeline; creates a new pipeline item and
    /// triggers all associated background processes (custom questions, CRM sync). The response does not
    /// wait for them: every question of the new item is `pending`. Poll the item's status until it is
    /// ready, then read its values.
    ///
    /// Each of these conditions is an error with its own status code: the pipeline is not an organization
    /// pipeline; authentication is required; authorization is denied by the policy chain; the pipeline or
    /// the organization is not found; the organization already exists in the pipeline; the request body
    /// does not pass validation. Adding requires the permission pair (CREATE, COLLECTION_ITEM), enforced by the
    /// policy chain.
    ///
    /// An organization is in a pipeline at most once. Of any number of identical requests at once
    /// exactly one is answered 201 and the others 409, so that a client that lost the response can
    /// find out by sending the request again: that is safe, though the response is another one. What was
    /// added cannot be removed through this API.
    ///
    /// It is sent as a `POST` request to `/api/v1/pipelines/{pipeline_id}/organizations`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .add_organization()
    ///     .pipeline_id(2)
    ///     .organization_id(1008)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_organization(&self) -> builder::AddOrganization {
        builder::AddOrganization::new(self.clone())
    }
    /// Find organizations that match a description
    ///
    /// Ranks organizations by how close what they do is in meaning to a free-text description. The
    /// words need not occur in the records. Filters are applied before ranking, so `total_count` and the
    /// pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/organizations/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_description()
    ///     .description("keeps fresh fish cold on its way to the shops")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_organizations_by_description(
        &self,
    ) -> builder::SearchOrganizationsByDescription {
        builder::SearchOrganizationsByDescription::new(self.clone())
    }
    /// Find organizations that serve the customers described
    ///
    /// Ranks organizations by how close their customer bases are in meaning to a free-text
    /// description of a target customer. An organization whose customer base is not known is neither
    /// found nor counted. Filters are applied before ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/organizations/similar-customers`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_customer()
    ///     .organization_customer("seafood exporters and supermarket chains")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_organizations_by_customer(
        &self,
    ) -> builder::SearchOrganizationsByCustomer {
        builder::SearchOrganizationsByCustomer::new(self.clone())
    }
    /// Find organizations similar to a known organization
    ///
    /// Ranks organizations by how close they are to a known one in business scope, business model,
    /// customers and characteristics. The known organization is neither in its own results nor counted.
    /// Filters are applied before ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/organizations/{organization_id}/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_organization()
    ///     .organization_id(1002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_organizations_by_organization(
        &self,
    ) -> builder::SearchOrganizationsByOrganization {
        builder::SearchOrganizationsByOrganization::new(self.clone())
    }
    /// Find products that match a description
    ///
    /// Ranks products, each with its organization, by how close what they do is in meaning to a
    /// free-text description. The words need not occur in the records. Filters are applied before
    /// ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/products/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_description()
    ///     .description("a small sensor that records the temperature of a parcel")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_products_by_description(
        &self,
    ) -> builder::SearchProductsByDescription {
        builder::SearchProductsByDescription::new(self.clone())
    }
    /// Find products that serve the customers described
    ///
    /// Ranks products, each with its organization, by how close their customer bases are in meaning
    /// to a free-text description of a target customer. A product whose customer base is not known is
    /// neither found nor counted. Filters are applied before ranking, so `total_count` and the pages are
    /// exact.
    ///
    /// It is sent as a `GET` request to `/search/products/similar-customers`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_customer()
    ///     .product_customer("hospital pharmacies that send vaccines to remote clinics")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_products_by_customer(&self) -> builder::SearchProductsByCustomer {
        builder::SearchProductsByCustomer::new(self.clone())
    }
    /// Find products similar to a known product
    ///
    /// Ranks products, each with its organization, by how close they are to a known one in business
    /// scope, business model, customers and characteristics. The known product is neither in its own
    /// results nor counted. Filters are applied before ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/products/{product_id}/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_product()
    ///     .product_id(5002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_products_by_product(&self) -> builder::SearchProductsByProduct {
        builder::SearchProductsByProduct::new(self.clone())
    }
}
/// Types for composing operation parameters.
#[allow(clippy::all)]
pub mod builder {
    use super::types;
    #[allow(unused_imports)]
    use super::{
        encode_path, ByteStream, ClientInfo, ClientHooks, Error, OperationInfo,
        RequestBuilderExt, ResponseValue,
    };
    /// The request of [`list_items`](crate::Client::list_items).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .list_items()
    ///     .pipeline_id(2)
    ///     .skip(100)
    ///     .limit(1000)
    ///     .sort_by("question.201")
    ///     .sort_order("desc")
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct ListItems {
        pub(crate) client: super::Client,
        pipeline_id: Result<crate::PipelineId, String>,
        limit: Result<Option<i32>, String>,
        skip: Result<Option<i64>, String>,
        sort_by: Result<Option<::std::string::String>, String>,
        sort_order: Result<Option<types::SortOrder>, String>,
    }
    impl ListItems {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                pipeline_id: Err("`pipeline_id` is missing".to_string()),
                limit: Ok(None),
                skip: Ok(None),
                sort_by: Ok(None),
                sort_order: Ok(None),
            }
        }
        /// The pipeline. An id that is out of range or not an integer is answered 422.
        pub fn pipeline_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::PipelineId>,
        {
            self.pipeline_id = value
                .try_into()
                .map_err(|_| {
                    "`pipeline_id` is given a value that is no `PipelineId`".to_string()
                });
            self
        }
        /// The maximum number of items returned.
        pub fn limit<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.limit = value
                .try_into()
                .map(Some)
                .map_err(|_| "`limit` is given a value that is no `i32`".to_string());
            self
        }
        /// Items to skip. At or past the end of the pipeline the page is empty, and `total_count` is the
        /// same as on any other page.
        pub fn skip<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i64>,
        {
            self.skip = value
                .try_into()
                .map(Some)
                .map_err(|_| "`skip` is given a value that is no `i64`".to_string());
            self
        }
        /// The column to sort by, in the form `question.<question_id>`; left out, items are in order of
        /// their id. A value of another form, or a question that the pipeline does not have, is
        /// answered 400.
        ///
        /// Sorting is over the whole pipeline, before paging. An item stands where the first value of its
        /// `result` puts it: numbers numerically, then strings by code point, then booleans, false before
        /// true. `desc` reverses that. In both orders items without a value come last, and ties are in
        /// ascending order of `pipeline_item_id`.
        pub fn sort_by<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.sort_by = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`sort_by` is given a value that is no `String`".to_string()
                });
            self
        }
        /// Ascending or descending. Without `sort_by` it is the order of the item ids.
        pub fn sort_order<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<types::SortOrder>,
        {
            self.sort_order = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`sort_order` is given a value that is no `SortOrder`".to_string()
                });
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self { client, pipeline_id, limit, skip, sort_by, sort_order } = self;
            let pipeline_id = pipeline_id.clone().map_err(Error::InvalidRequest)?;
            let limit = limit.clone().map_err(Error::InvalidRequest)?;
            let skip = skip.clone().map_err(Error::InvalidRequest)?;
            let sort_by = sort_by.clone().map_err(Error::InvalidRequest)?;
            let sort_order = sort_order.clone().map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v1/pipelines/{}/items", client.baseurl, pipeline_id,
            );
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(&progenitor_client::QueryParam::new("limit", &limit))
                .query(&progenitor_client::QueryParam::new("skip", &skip))
                .query(&progenitor_client::QueryParam::new("sort_by", &sort_by))
                .query(&progenitor_client::QueryParam::new("sort_order", &sort_order))
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(self) -> Result<ResponseValue<types::ItemPage>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(client, &super::operations::LIST_ITEMS, Box::new(request))
                .await
        }
        /// Walks over all that it asks for, however many pages that is. `skip` is where the walk begins, and
        /// `limit` the most that it gives in all: see [`Walk`](crate::paging::Walk).
        ///
        /// # Example
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .list_items()
        ///     .pipeline_id(2)
        ///     .skip(100)
        ///     .limit(1000)
        ///     .sort_by("question.201")
        ///     .sort_order("desc")
        ///     .walk()
        ///     .collect()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn walk(self) -> crate::paging::Walk<types::PipelineItem> {
            crate::paging::Walk::over(self)
        }
    }
    /// The request of [`get_item_status`](crate::Client::get_item_status).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .get_item_status()
    ///     .pipeline_id(2)
    ///     .pipeline_item_id(200001)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct GetItemStatus {
        pub(crate) client: super::Client,
        pipeline_id: Result<crate::PipelineId, String>,
        pipeline_item_id: Result<crate::PipelineItemId, String>,
    }
    impl GetItemStatus {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                pipeline_id: Err("`pipeline_id` is missing".to_string()),
                pipeline_item_id: Err("`pipeline_item_id` is missing".to_string()),
            }
        }
        /// The pipeline. An id that is out of range or not an integer is answered 422.
        pub fn pipeline_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::PipelineId>,
        {
            self.pipeline_id = value
                .try_into()
                .map_err(|_| {
                    "`pipeline_id` is given a value that is no `PipelineId`".to_string()
                });
            self
        }
        /// The item. An item of another pipeline is answered 400, an item that does not exist 404, an id
        /// that is out of range or not an integer 422.
        pub fn pipeline_item_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::PipelineItemId>,
        {
            self.pipeline_item_id = value
                .try_into()
                .map_err(|_| {
                    "`pipeline_item_id` is given a value that is no `PipelineItemId`"
                        .to_string()
                });
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self { client, pipeline_id, pipeline_item_id } = self;
            let pipeline_id = pipeline_id.clone().map_err(Error::InvalidRequest)?;
            let pipeline_item_id = pipeline_item_id
                .clone()
                .map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v1/pipelines/{}/items/{}/status", client.baseurl, pipeline_id,
                pipeline_item_id,
            );
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::ItemStatus>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::GET_ITEM_STATUS,
                    Box::new(request),
                )
                .await
        }
    }
    /// The request of [`get_item_values`](crate::Client::get_item_values).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .get_item_values()
    ///     .pipeline_id(2)
    ///     .pipeline_item_id(200001)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct GetItemValues {
        pub(crate) client: super::Client,
        pipeline_id: Result<crate::PipelineId, String>,
        pipeline_item_id: Result<crate::PipelineItemId, String>,
    }
    impl GetItemValues {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                pipeline_id: Err("`pipeline_id` is missing".to_string()),
                pipeline_item_id: Err("`pipeline_item_id` is missing".to_string()),
            }
        }
        /// The pipeline. An id that is out of range or not an integer is answered 422.
        pub fn pipeline_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::PipelineId>,
        {
            self.pipeline_id = value
                .try_into()
                .map_err(|_| {
                    "`pipeline_id` is given a value that is no `PipelineId`".to_string()
                });
            self
        }
        /// The item. An item of another pipeline is answered 400, an item that does not exist 404, an id
        /// that is out of range or not an integer 422.
        pub fn pipeline_item_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::PipelineItemId>,
        {
            self.pipeline_item_id = value
                .try_into()
                .map_err(|_| {
                    "`pipeline_item_id` is given a value that is no `PipelineItemId`"
                        .to_string()
                });
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self { client, pipeline_id, pipeline_item_id } = self;
            let pipeline_id = pipeline_id.clone().map_err(Error::InvalidRequest)?;
            let pipeline_item_id = pipeline_item_id
                .clone()
                .map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v1/pipelines/{}/items/{}/values", client.baseurl, pipeline_id,
                pipeline_item_id,
            );
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::PipelineItem>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::GET_ITEM_VALUES,
                    Box::new(request),
                )
                .await
        }
    }
    /// The request of [`add_organization`](crate::Client::add_organization).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .add_organization()
    ///     .pipeline_id(2)
    ///     .organization_id(1008)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct AddOrganization {
        pub(crate) client: super::Client,
        pipeline_id: Result<crate::PipelineId, String>,
        body: Result<types::builder::AddOrganizationRequest, String>,
    }
    impl AddOrganization {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                pipeline_id: Err("`pipeline_id` is missing".to_string()),
                body: Ok(::std::default::Default::default()),
            }
        }
        /// The pipeline. An id that is out of range or not an integer is answered 422.
        pub fn pipeline_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::PipelineId>,
        {
            self.pipeline_id = value
                .try_into()
                .map_err(|_| {
                    "`pipeline_id` is given a value that is no `PipelineId`".to_string()
                });
            self
        }
        /// The body of the request.
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// use platform_sdk::types::AddOrganizationRequest;
        ///
        /// let answer = client
        ///     .add_organization()
        ///     .pipeline_id(2)
        ///     .body(AddOrganizationRequest::builder().organization_id(1008))
        ///     .send()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn body<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<types::AddOrganizationRequest>,
            <V as std::convert::TryInto<
                types::AddOrganizationRequest,
            >>::Error: std::fmt::Display,
        {
            self.body = value
                .try_into()
                .map(From::from)
                .map_err(|s| {
                    format!(
                        "conversion to `AddOrganizationRequest` for body failed: {}", s
                    )
                });
            self
        }
        /// Changes the body of the request, which begins empty.
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .add_organization()
        ///     .pipeline_id(2)
        ///     .body_map(|body| body.organization_id(1008))
        ///     .send()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn body_map<F>(mut self, f: F) -> Self
        where
            F: std::ops::FnOnce(
                types::builder::AddOrganizationRequest,
            ) -> types::builder::AddOrganizationRequest,
        {
            self.body = self.body.map(f);
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self { client, pipeline_id, body } = self;
            let pipeline_id = pipeline_id.clone().map_err(Error::InvalidRequest)?;
            let body = body
                .clone()
                .and_then(|v| {
                    types::AddOrganizationRequest::try_from(v).map_err(|e| e.to_string())
                })
                .map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/api/v1/pipelines/{}/organizations", client.baseurl, pipeline_id,
            );
            let request = client
                .client
                .post(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .json(&body)
                .build()?;
            Ok(request)
        }
        /// Sends a `POST` request to `/api/v1/pipelines/{pipeline_id}/organizations`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::PipelineItem>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::ADD_ORGANIZATION,
                    Box::new(request),
                )
                .await
        }
    }
    /// The request of [`search_organizations_by_description`](crate::Client::search_organizations_by_description).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_description()
    ///     .description("keeps fresh fish cold on its way to the shops")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct SearchOrganizationsByDescription {
        pub(crate) client: super::Client,
        business_types: Result<Option<crate::AnyOf<String>>, String>,
        countries: Result<Option<crate::AnyOf<String>>, String>,
        description: Result<::std::string::String, String>,
        employee_count_max: Result<Option<i32>, String>,
        employee_count_min: Result<Option<i32>, String>,
        founded_year_max: Result<Option<i32>, String>,
        founded_year_min: Result<Option<i32>, String>,
        funded_from: Result<Option<crate::DateBound>, String>,
        funded_to: Result<Option<crate::DateBound>, String>,
        funding_stages: Result<Option<crate::AnyOf<crate::FundingStage>>, String>,
        headquarters_only: Result<Option<bool>, String>,
        limit: Result<Option<i32>, String>,
        regions: Result<Option<crate::AnyOf<String>>, String>,
        skip: Result<Option<i32>, String>,
    }
    impl SearchOrganizationsByDescription {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                business_types: Ok(None),
                countries: Ok(None),
                description: Err("`description` is missing".to_string()),
                employee_count_max: Ok(None),
                employee_count_min: Ok(None),
                founded_year_max: Ok(None),
                founded_year_min: Ok(None),
                funded_from: Ok(None),
                funded_to: Ok(None),
                funding_stages: Ok(None),
                headquarters_only: Ok(None),
                limit: Ok(None),
                regions: Ok(None),
                skip: Ok(None),
            }
        }
        /// Filters by product category: keeps records in any of these categories. The vocabulary is open: a well-formed
        /// category that nothing is in finds nothing. An organization is in the categories of its products; a
        /// product search looks at the product's own. Repeat the parameter for more than one value, at most 50.
        /// A record without a category is never kept.
        pub fn business_types<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.business_types = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`business_types` is given a value that is no `AnyOf<String>`"
                        .to_string()
                });
            self
        }
        /// Filters by country code (ISO 3166-1): keeps records located in any of these countries (alpha-2, upper
        /// case). A product search looks at the locations of the product's organization. `headquarters_only` decides
        /// which locations count. With `regions` as well, each of the two may be met by another location. Repeat the
        /// parameter for more than one value, at most 50. A record without a country is never kept; a well-formed code
        /// of no country finds nothing.
        pub fn countries<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.countries = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`countries` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// The company description to match, in plain language: 1 to 2000 characters (Unicode code
        /// points), of which at least one is not white space.
        pub fn description<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.description = value
                .try_into()
                .map_err(|_| {
                    "`description` is given a value that is no `String`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at most this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        /// Below `employee_count_min` it is answered 422.
        pub fn employee_count_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at least this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        pub fn employee_count_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or earlier; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        /// Below `founded_year_min` it is answered 422.
        pub fn founded_year_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or later; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        pub fn founded_year_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or later (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        pub fn funded_from<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_from = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_from` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or earlier (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        /// Before `funded_from` it is answered 422.
        pub fn funded_to<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_to = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_to` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by stage of the latest funding round: keeps organizations whose round was at any of these stages;
        /// a product search looks at the product's organization. One without a round is never kept. Repeat the
        /// parameter for more than one value, at most 50.
        pub fn funding_stages<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<crate::FundingStage>>,
        {
            self.funding_stages = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funding_stages` is given a value that is no `AnyOf<FundingStage>`"
                        .to_string()
                });
            self
        }
        /// Which locations `countries` and `regions` apply to: the headquarters alone (`true`), or any location, the
        /// headquarters included (`false`); in a product search, those of the product's organization. Without either of
        /// them it changes nothing.
        pub fn headquarters_only<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.headquarters_only = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`headquarters_only` is given a value that is no `bool`".to_string()
                });
            self
        }
        /// The maximum number of results returned. Only the first 1000 results of a search can be reached:
        /// `skip + limit` above 1000 is answered 422.
        pub fn limit<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.limit = value
                .try_into()
                .map(Some)
                .map_err(|_| "`limit` is given a value that is no `i32`".to_string());
            self
        }
        /// Filters by region: keeps records located in any of these regions (ISO 3166-2, upper case). A product search
        /// looks at the locations of the product's organization. `headquarters_only` decides which locations count.
        /// Repeat the parameter for more than one value, at most 50. A record without a region is never kept; a
        /// well-formed code of no region finds nothing.
        pub fn regions<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.regions = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`regions` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Results to skip. At or past the end the page is empty, and `total_count` is the same as on any
        /// other page.
        pub fn skip<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.skip = value
                .try_into()
                .map(Some)
                .map_err(|_| "`skip` is given a value that is no `i32`".to_string());
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self {
                client,
                business_types,
                countries,
                description,
                employee_count_max,
                employee_count_min,
                founded_year_max,
                founded_year_min,
                funded_from,
                funded_to,
                funding_stages,
                headquarters_only,
                limit,
                regions,
                skip,
            } = self;
            let business_types = business_types.clone().map_err(Error::InvalidRequest)?;
            let countries = countries.clone().map_err(Error::InvalidRequest)?;
            let description = description.clone().map_err(Error::InvalidRequest)?;
            let employee_count_max = employee_count_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let employee_count_min = employee_count_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_max = founded_year_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_min = founded_year_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let funded_from = funded_from.clone().map_err(Error::InvalidRequest)?;
            let funded_to = funded_to.clone().map_err(Error::InvalidRequest)?;
            let funding_stages = funding_stages.clone().map_err(Error::InvalidRequest)?;
            let headquarters_only = headquarters_only
                .clone()
                .map_err(Error::InvalidRequest)?;
            let limit = limit.clone().map_err(Error::InvalidRequest)?;
            let regions = regions.clone().map_err(Error::InvalidRequest)?;
            let skip = skip.clone().map_err(Error::InvalidRequest)?;
            let url = format!("{}/search/organizations/similar", client.baseurl,);
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "business_types",
                        &business_types,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("countries", &countries))
                .query(&progenitor_client::QueryParam::new("description", &description))
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_max",
                        &employee_count_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_min",
                        &employee_count_min,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_max",
                        &founded_year_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_min",
                        &founded_year_min,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("funded_from", &funded_from))
                .query(&progenitor_client::QueryParam::new("funded_to", &funded_to))
                .query(
                    &progenitor_client::QueryParam::new(
                        "funding_stages",
                        &funding_stages,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "headquarters_only",
                        &headquarters_only,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("limit", &limit))
                .query(&progenitor_client::QueryParam::new("regions", &regions))
                .query(&progenitor_client::QueryParam::new("skip", &skip))
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/search/organizations/similar`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::OrganizationSearchPage>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::SEARCH_ORGANIZATIONS_BY_DESCRIPTION,
                    Box::new(request),
                )
                .await
        }
        /// Walks over all that it asks for, however many pages that is. `skip` is where the walk begins, and
        /// `limit` the most that it gives in all: see [`Walk`](crate::paging::Walk).
        ///
        /// # Example
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .search_organizations_by_description()
        ///     .description("keeps fresh fish cold on its way to the shops")
        ///     .countries(["NO", "DK"])
        ///     .regions(["NO-46", "US-CA"])
        ///     .employee_count_min(10)
        ///     .employee_count_max(250)
        ///     .founded_year_min(2010)
        ///     .founded_year_max(2024)
        ///     .business_types(["freight_logistics", "warehousing"])
        ///     .funding_stages(["seed", "series_a"])
        ///     .funded_from("2018-01-01")
        ///     .funded_to("2026-06-30")
        ///     .headquarters_only(false)
        ///     .skip(20)
        ///     .limit(10)
        ///     .walk()
        ///     .collect()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn walk(self) -> crate::paging::Walk<types::OrganizationSearchResult> {
            crate::paging::Walk::over(self)
        }
    }
    /// The request of [`search_organizations_by_customer`](crate::Client::search_organizations_by_customer).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_customer()
    ///     .organization_customer("seafood exporters and supermarket chains")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct SearchOrganizationsByCustomer {
        pub(crate) client: super::Client,
        business_types: Result<Option<crate::AnyOf<String>>, String>,
        countries: Result<Option<crate::AnyOf<String>>, String>,
        employee_count_max: Result<Option<i32>, String>,
        employee_count_min: Result<Option<i32>, String>,
        founded_year_max: Result<Option<i32>, String>,
        founded_year_min: Result<Option<i32>, String>,
        funded_from: Result<Option<crate::DateBound>, String>,
        funded_to: Result<Option<crate::DateBound>, String>,
        funding_stages: Result<Option<crate::AnyOf<crate::FundingStage>>, String>,
        headquarters_only: Result<Option<bool>, String>,
        limit: Result<Option<i32>, String>,
        organization_customer: Result<::std::string::String, String>,
        regions: Result<Option<crate::AnyOf<String>>, String>,
        skip: Result<Option<i32>, String>,
    }
    impl SearchOrganizationsByCustomer {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                business_types: Ok(None),
                countries: Ok(None),
                employee_count_max: Ok(None),
                employee_count_min: Ok(None),
                founded_year_max: Ok(None),
                founded_year_min: Ok(None),
                funded_from: Ok(None),
                funded_to: Ok(None),
                funding_stages: Ok(None),
                headquarters_only: Ok(None),
                limit: Ok(None),
                organization_customer: Err(
                    "`organization_customer` is missing".to_string(),
                ),
                regions: Ok(None),
                skip: Ok(None),
            }
        }
        /// Filters by product category: keeps records in any of these categories. The vocabulary is open: a well-formed
        /// category that nothing is in finds nothing. An organization is in the categories of its products; a
        /// product search looks at the product's own. Repeat the parameter for more than one value, at most 50.
        /// A record without a category is never kept.
        pub fn business_types<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.business_types = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`business_types` is given a value that is no `AnyOf<String>`"
                        .to_string()
                });
            self
        }
        /// Filters by country code (ISO 3166-1): keeps records located in any of these countries (alpha-2, upper
        /// case). A product search looks at the locations of the product's organization. `headquarters_only` decides
        /// which locations count. With `regions` as well, each of the two may be met by another location. Repeat the
        /// parameter for more than one value, at most 50. A record without a country is never kept; a well-formed code
        /// of no country finds nothing.
        pub fn countries<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.countries = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`countries` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at most this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        /// Below `employee_count_min` it is answered 422.
        pub fn employee_count_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at least this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        pub fn employee_count_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or earlier; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        /// Below `founded_year_min` it is answered 422.
        pub fn founded_year_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or later; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        pub fn founded_year_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or later (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        pub fn funded_from<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_from = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_from` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or earlier (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        /// Before `funded_from` it is answered 422.
        pub fn funded_to<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_to = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_to` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by stage of the latest funding round: keeps organizations whose round was at any of these stages;
        /// a product search looks at the product's organization. One without a round is never kept. Repeat the
        /// parameter for more than one value, at most 50.
        pub fn funding_stages<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<crate::FundingStage>>,
        {
            self.funding_stages = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funding_stages` is given a value that is no `AnyOf<FundingStage>`"
                        .to_string()
                });
            self
        }
        /// Which locations `countries` and `regions` apply to: the headquarters alone (`true`), or any location, the
        /// headquarters included (`false`); in a product search, those of the product's organization. Without either of
        /// them it changes nothing.
        pub fn headquarters_only<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.headquarters_only = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`headquarters_only` is given a value that is no `bool`".to_string()
                });
            self
        }
        /// The maximum number of results returned. Only the first 1000 results of a search can be reached:
        /// `skip + limit` above 1000 is answered 422.
        pub fn limit<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.limit = value
                .try_into()
                .map(Some)
                .map_err(|_| "`limit` is given a value that is no `i32`".to_string());
            self
        }
        /// The target customer description to match, in plain language: 1 to 2000 characters (Unicode code
        /// points), of which at least one is not white space.
        pub fn organization_customer<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.organization_customer = value
                .try_into()
                .map_err(|_| {
                    "`organization_customer` is given a value that is no `String`"
                        .to_string()
                });
            self
        }
        /// Filters by region: keeps records located in any of these regions (ISO 3166-2, upper case). A product search
        /// looks at the locations of the product's organization. `headquarters_only` decides which locations count.
        /// Repeat the parameter for more than one value, at most 50. A record without a region is never kept; a
        /// well-formed code of no region finds nothing.
        pub fn regions<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.regions = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`regions` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Results to skip. At or past the end the page is empty, and `total_count` is the same as on any
        /// other page.
        pub fn skip<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.skip = value
                .try_into()
                .map(Some)
                .map_err(|_| "`skip` is given a value that is no `i32`".to_string());
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self {
                client,
                business_types,
                countries,
                employee_count_max,
                employee_count_min,
                founded_year_max,
                founded_year_min,
                funded_from,
                funded_to,
                funding_stages,
                headquarters_only,
                limit,
                organization_customer,
                regions,
                skip,
            } = self;
            let business_types = business_types.clone().map_err(Error::InvalidRequest)?;
            let countries = countries.clone().map_err(Error::InvalidRequest)?;
            let employee_count_max = employee_count_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let employee_count_min = employee_count_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_max = founded_year_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_min = founded_year_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let funded_from = funded_from.clone().map_err(Error::InvalidRequest)?;
            let funded_to = funded_to.clone().map_err(Error::InvalidRequest)?;
            let funding_stages = funding_stages.clone().map_err(Error::InvalidRequest)?;
            let headquarters_only = headquarters_only
                .clone()
                .map_err(Error::InvalidRequest)?;
            let limit = limit.clone().map_err(Error::InvalidRequest)?;
            let organization_customer = organization_customer
                .clone()
                .map_err(Error::InvalidRequest)?;
            let regions = regions.clone().map_err(Error::InvalidRequest)?;
            let skip = skip.clone().map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/search/organizations/similar-customers", client.baseurl,
            );
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "business_types",
                        &business_types,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("countries", &countries))
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_max",
                        &employee_count_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_min",
                        &employee_count_min,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_max",
                        &founded_year_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_min",
                        &founded_year_min,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("funded_from", &funded_from))
                .query(&progenitor_client::QueryParam::new("funded_to", &funded_to))
                .query(
                    &progenitor_client::QueryParam::new(
                        "funding_stages",
                        &funding_stages,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "headquarters_only",
                        &headquarters_only,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("limit", &limit))
                .query(
                    &progenitor_client::QueryParam::new(
                        "organization_customer",
                        &organization_customer,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("regions", &regions))
                .query(&progenitor_client::QueryParam::new("skip", &skip))
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/search/organizations/similar-customers`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::OrganizationSearchPage>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::SEARCH_ORGANIZATIONS_BY_CUSTOMER,
                    Box::new(request),
                )
                .await
        }
        /// Walks over all that it asks for, however many pages that is. `skip` is where the walk begins, and
        /// `limit` the most that it gives in all: see [`Walk`](crate::paging::Walk).
        ///
        /// # Example
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .search_organizations_by_customer()
        ///     .organization_customer("seafood exporters and supermarket chains")
        ///     .countries(["NO", "DK"])
        ///     .regions(["NO-46", "US-CA"])
        ///     .employee_count_min(10)
        ///     .employee_count_max(250)
        ///     .founded_year_min(2010)
        ///     .founded_year_max(2024)
        ///     .business_types(["freight_logistics", "warehousing"])
        ///     .funding_stages(["seed", "series_a"])
        ///     .funded_from("2018-01-01")
        ///     .funded_to("2026-06-30")
        ///     .headquarters_only(false)
        ///     .skip(20)
        ///     .limit(10)
        ///     .walk()
        ///     .collect()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn walk(self) -> crate::paging::Walk<types::OrganizationSearchResult> {
            crate::paging::Walk::over(self)
        }
    }
    /// The request of [`search_organizations_by_organization`](crate::Client::search_organizations_by_organization).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_organization()
    ///     .organization_id(1002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct SearchOrganizationsByOrganization {
        pub(crate) client: super::Client,
        organization_id: Result<crate::OrganizationId, String>,
        business_types: Result<Option<crate::AnyOf<String>>, String>,
        countries: Result<Option<crate::AnyOf<String>>, String>,
        employee_count_max: Result<Option<i32>, String>,
        employee_count_min: Result<Option<i32>, String>,
        founded_year_max: Result<Option<i32>, String>,
        founded_year_min: Result<Option<i32>, String>,
        funded_from: Result<Option<crate::DateBound>, String>,
        funded_to: Result<Option<crate::DateBound>, String>,
        funding_stages: Result<Option<crate::AnyOf<crate::FundingStage>>, String>,
        headquarters_only: Result<Option<bool>, String>,
        limit: Result<Option<i32>, String>,
        regions: Result<Option<crate::AnyOf<String>>, String>,
        skip: Result<Option<i32>, String>,
    }
    impl SearchOrganizationsByOrganization {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                organization_id: Err("`organization_id` is missing".to_string()),
                business_types: Ok(None),
                countries: Ok(None),
                employee_count_max: Ok(None),
                employee_count_min: Ok(None),
                founded_year_max: Ok(None),
                founded_year_min: Ok(None),
                funded_from: Ok(None),
                funded_to: Ok(None),
                funding_stages: Ok(None),
                headquarters_only: Ok(None),
                limit: Ok(None),
                regions: Ok(None),
                skip: Ok(None),
            }
        }
        /// The known organization that results are similar to.
        pub fn organization_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::OrganizationId>,
        {
            self.organization_id = value
                .try_into()
                .map_err(|_| {
                    "`organization_id` is given a value that is no `OrganizationId`"
                        .to_string()
                });
            self
        }
        /// Filters by product category: keeps records in any of these categories. The vocabulary is open: a well-formed
        /// category that nothing is in finds nothing. An organization is in the categories of its products; a
        /// product search looks at the product's own. Repeat the parameter for more than one value, at most 50.
        /// A record without a category is never kept.
        pub fn business_types<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.business_types = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`business_types` is given a value that is no `AnyOf<String>`"
                        .to_string()
                });
            self
        }
        /// Filters by country code (ISO 3166-1): keeps records located in any of these countries (alpha-2, upper
        /// case). A product search looks at the locations of the product's organization. `headquarters_only` decides
        /// which locations count. With `regions` as well, each of the two may be met by another location. Repeat the
        /// parameter for more than one value, at most 50. A record without a country is never kept; a well-formed code
        /// of no country finds nothing.
        pub fn countries<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.countries = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`countries` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at most this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        /// Below `employee_count_min` it is answered 422.
        pub fn employee_count_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at least this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        pub fn employee_count_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or earlier; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        /// Below `founded_year_min` it is answered 422.
        pub fn founded_year_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or later; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        pub fn founded_year_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or later (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        pub fn funded_from<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_from = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_from` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or earlier (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        /// Before `funded_from` it is answered 422.
        pub fn funded_to<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_to = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_to` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by stage of the latest funding round: keeps organizations whose round was at any of these stages;
        /// a product search looks at the product's organization. One without a round is never kept. Repeat the
        /// parameter for more than one value, at most 50.
        pub fn funding_stages<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<crate::FundingStage>>,
        {
            self.funding_stages = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funding_stages` is given a value that is no `AnyOf<FundingStage>`"
                        .to_string()
                });
            self
        }
        /// Which locations `countries` and `regions` apply to: the headquarters alone (`true`), or any location, the
        /// headquarters included (`false`); in a product search, those of the product's organization. Without either of
        /// them it changes nothing.
        pub fn headquarters_only<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.headquarters_only = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`headquarters_only` is given a value that is no `bool`".to_string()
                });
            self
        }
        /// The maximum number of results returned. Only the first 1000 results of a search can be reached:
        /// `skip + limit` above 1000 is answered 422.
        pub fn limit<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.limit = value
                .try_into()
                .map(Some)
                .map_err(|_| "`limit` is given a value that is no `i32`".to_string());
            self
        }
        /// Filters by region: keeps records located in any of these regions (ISO 3166-2, upper case). A product search
        /// looks at the locations of the product's organization. `headquarters_only` decides which locations count.
        /// Repeat the parameter for more than one value, at most 50. A record without a region is never kept; a
        /// well-formed code of no region finds nothing.
        pub fn regions<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.regions = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`regions` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Results to skip. At or past the end the page is empty, and `total_count` is the same as on any
        /// other page.
        pub fn skip<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.skip = value
                .try_into()
                .map(Some)
                .map_err(|_| "`skip` is given a value that is no `i32`".to_string());
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self {
                client,
                organization_id,
                business_types,
                countries,
                employee_count_max,
                employee_count_min,
                founded_year_max,
                founded_year_min,
                funded_from,
                funded_to,
                funding_stages,
                headquarters_only,
                limit,
                regions,
                skip,
            } = self;
            let organization_id = organization_id
                .clone()
                .map_err(Error::InvalidRequest)?;
            let business_types = business_types.clone().map_err(Error::InvalidRequest)?;
            let countries = countries.clone().map_err(Error::InvalidRequest)?;
            let employee_count_max = employee_count_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let employee_count_min = employee_count_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_max = founded_year_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_min = founded_year_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let funded_from = funded_from.clone().map_err(Error::InvalidRequest)?;
            let funded_to = funded_to.clone().map_err(Error::InvalidRequest)?;
            let funding_stages = funding_stages.clone().map_err(Error::InvalidRequest)?;
            let headquarters_only = headquarters_only
                .clone()
                .map_err(Error::InvalidRequest)?;
            let limit = limit.clone().map_err(Error::InvalidRequest)?;
            let regions = regions.clone().map_err(Error::InvalidRequest)?;
            let skip = skip.clone().map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/search/organizations/{}/similar", client.baseurl, organization_id,
            );
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "business_types",
                        &business_types,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("countries", &countries))
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_max",
                        &employee_count_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_min",
                        &employee_count_min,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_max",
                        &founded_year_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_min",
                        &founded_year_min,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("funded_from", &funded_from))
                .query(&progenitor_client::QueryParam::new("funded_to", &funded_to))
                .query(
                    &progenitor_client::QueryParam::new(
                        "funding_stages",
                        &funding_stages,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "headquarters_only",
                        &headquarters_only,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("limit", &limit))
                .query(&progenitor_client::QueryParam::new("regions", &regions))
                .query(&progenitor_client::QueryParam::new("skip", &skip))
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/search/organizations/{organization_id}/similar`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::OrganizationSearchPage>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::SEARCH_ORGANIZATIONS_BY_ORGANIZATION,
                    Box::new(request),
                )
                .await
        }
        /// Walks over all that it asks for, however many pages that is. `skip` is where the walk begins, and
        /// `limit` the most that it gives in all: see [`Walk`](crate::paging::Walk).
        ///
        /// # Example
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .search_organizations_by_organization()
        ///     .organization_id(1002)
        ///     .countries(["NO", "DK"])
        ///     .regions(["NO-46", "US-CA"])
        ///     .employee_count_min(10)
        ///     .employee_count_max(250)
        ///     .founded_year_min(2010)
        ///     .founded_year_max(2024)
        ///     .business_types(["freight_logistics", "warehousing"])
        ///     .funding_stages(["seed", "series_a"])
        ///     .funded_from("2018-01-01")
        ///     .funded_to("2026-06-30")
        ///     .headquarters_only(false)
        ///     .skip(20)
        ///     .limit(10)
        ///     .walk()
        ///     .collect()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn walk(self) -> crate::paging::Walk<types::OrganizationSearchResult> {
            crate::paging::Walk::over(self)
        }
    }
    /// The request of [`search_products_by_description`](crate::Client::search_products_by_description).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_description()
    ///     .description("a small sensor that records the temperature of a parcel")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct SearchProductsByDescription {
        pub(crate) client: super::Client,
        business_types: Result<Option<crate::AnyOf<String>>, String>,
        countries: Result<Option<crate::AnyOf<String>>, String>,
        description: Result<::std::string::String, String>,
        employee_count_max: Result<Option<i32>, String>,
        employee_count_min: Result<Option<i32>, String>,
        founded_year_max: Result<Option<i32>, String>,
        founded_year_min: Result<Option<i32>, String>,
        funded_from: Result<Option<crate::DateBound>, String>,
        funded_to: Result<Option<crate::DateBound>, String>,
        funding_stages: Result<Option<crate::AnyOf<crate::FundingStage>>, String>,
        headquarters_only: Result<Option<bool>, String>,
        limit: Result<Option<i32>, String>,
        regions: Result<Option<crate::AnyOf<String>>, String>,
        skip: Result<Option<i32>, String>,
    }
    impl SearchProductsByDescription {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                business_types: Ok(None),
                countries: Ok(None),
                description: Err("`description` is missing".to_string()),
                employee_count_max: Ok(None),
                employee_count_min: Ok(None),
                founded_year_max: Ok(None),
                founded_year_min: Ok(None),
                funded_from: Ok(None),
                funded_to: Ok(None),
                funding_stages: Ok(None),
                headquarters_only: Ok(None),
                limit: Ok(None),
                regions: Ok(None),
                skip: Ok(None),
            }
        }
        /// Filters by product category: keeps records in any of these categories. The vocabulary is open: a well-formed
        /// category that nothing is in finds nothing. An organization is in the categories of its products; a
        /// product search looks at the product's own. Repeat the parameter for more than one value, at most 50.
        /// A record without a category is never kept.
        pub fn business_types<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.business_types = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`business_types` is given a value that is no `AnyOf<String>`"
                        .to_string()
                });
            self
        }
        /// Filters by country code (ISO 3166-1): keeps records located in any of these countries (alpha-2, upper
        /// case). A product search looks at the locations of the product's organization. `headquarters_only` decides
        /// which locations count. With `regions` as well, each of the two may be met by another location. Repeat the
        /// parameter for more than one value, at most 50. A record without a country is never kept; a well-formed code
        /// of no country finds nothing.
        pub fn countries<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.countries = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`countries` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// The product description to match, in plain language: 1 to 2000 characters (Unicode code
        /// points), of which at least one is not white space.
        pub fn description<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.description = value
                .try_into()
                .map_err(|_| {
                    "`description` is given a value that is no `String`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at most this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        /// Below `employee_count_min` it is answered 422.
        pub fn employee_count_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at least this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        pub fn employee_count_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or earlier; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        /// Below `founded_year_min` it is answered 422.
        pub fn founded_year_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or later; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        pub fn founded_year_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or later (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        pub fn funded_from<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_from = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_from` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or earlier (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        /// Before `funded_from` it is answered 422.
        pub fn funded_to<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_to = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_to` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by stage of the latest funding round: keeps organizations whose round was at any of these stages;
        /// a product search looks at the product's organization. One without a round is never kept. Repeat the
        /// parameter for more than one value, at most 50.
        pub fn funding_stages<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<crate::FundingStage>>,
        {
            self.funding_stages = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funding_stages` is given a value that is no `AnyOf<FundingStage>`"
                        .to_string()
                });
            self
        }
        /// Which locations `countries` and `regions` apply to: the headquarters alone (`true`), or any location, the
        /// headquarters included (`false`); in a product search, those of the product's organization. Without either of
        /// them it changes nothing.
        pub fn headquarters_only<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.headquarters_only = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`headquarters_only` is given a value that is no `bool`".to_string()
                });
            self
        }
        /// The maximum number of results returned. Only the first 1000 results of a search can be reached:
        /// `skip + limit` above 1000 is answered 422.
        pub fn limit<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.limit = value
                .try_into()
                .map(Some)
                .map_err(|_| "`limit` is given a value that is no `i32`".to_string());
            self
        }
        /// Filters by region: keeps records located in any of these regions (ISO 3166-2, upper case). A product search
        /// looks at the locations of the product's organization. `headquarters_only` decides which locations count.
        /// Repeat the parameter for more than one value, at most 50. A record without a region is never kept; a
        /// well-formed code of no region finds nothing.
        pub fn regions<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.regions = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`regions` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Results to skip. At or past the end the page is empty, and `total_count` is the same as on any
        /// other page.
        pub fn skip<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.skip = value
                .try_into()
                .map(Some)
                .map_err(|_| "`skip` is given a value that is no `i32`".to_string());
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self {
                client,
                business_types,
                countries,
                description,
                employee_count_max,
                employee_count_min,
                founded_year_max,
                founded_year_min,
                funded_from,
                funded_to,
                funding_stages,
                headquarters_only,
                limit,
                regions,
                skip,
            } = self;
            let business_types = business_types.clone().map_err(Error::InvalidRequest)?;
            let countries = countries.clone().map_err(Error::InvalidRequest)?;
            let description = description.clone().map_err(Error::InvalidRequest)?;
            let employee_count_max = employee_count_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let employee_count_min = employee_count_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_max = founded_year_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_min = founded_year_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let funded_from = funded_from.clone().map_err(Error::InvalidRequest)?;
            let funded_to = funded_to.clone().map_err(Error::InvalidRequest)?;
            let funding_stages = funding_stages.clone().map_err(Error::InvalidRequest)?;
            let headquarters_only = headquarters_only
                .clone()
                .map_err(Error::InvalidRequest)?;
            let limit = limit.clone().map_err(Error::InvalidRequest)?;
            let regions = regions.clone().map_err(Error::InvalidRequest)?;
            let skip = skip.clone().map_err(Error::InvalidRequest)?;
            let url = format!("{}/search/products/similar", client.baseurl,);
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "business_types",
                        &business_types,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("countries", &countries))
                .query(&progenitor_client::QueryParam::new("description", &description))
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_max",
                        &employee_count_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_min",
                        &employee_count_min,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_max",
                        &founded_year_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_min",
                        &founded_year_min,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("funded_from", &funded_from))
                .query(&progenitor_client::QueryParam::new("funded_to", &funded_to))
                .query(
                    &progenitor_client::QueryParam::new(
                        "funding_stages",
                        &funding_stages,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "headquarters_only",
                        &headquarters_only,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("limit", &limit))
                .query(&progenitor_client::QueryParam::new("regions", &regions))
                .query(&progenitor_client::QueryParam::new("skip", &skip))
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/search/products/similar`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::ProductSearchPage>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::SEARCH_PRODUCTS_BY_DESCRIPTION,
                    Box::new(request),
                )
                .await
        }
        /// Walks over all that it asks for, however many pages that is. `skip` is where the walk begins, and
        /// `limit` the most that it gives in all: see [`Walk`](crate::paging::Walk).
        ///
        /// # Example
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .search_products_by_description()
        ///     .description("a small sensor that records the temperature of a parcel")
        ///     .countries(["NO", "DK"])
        ///     .regions(["NO-46", "US-CA"])
        ///     .employee_count_min(10)
        ///     .employee_count_max(250)
        ///     .founded_year_min(2010)
        ///     .founded_year_max(2024)
        ///     .business_types(["freight_logistics", "warehousing"])
        ///     .funding_stages(["seed", "series_a"])
        ///     .funded_from("2018-01-01")
        ///     .funded_to("2026-06-30")
        ///     .headquarters_only(false)
        ///     .skip(20)
        ///     .limit(10)
        ///     .walk()
        ///     .collect()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn walk(self) -> crate::paging::Walk<types::ProductSearchResult> {
            crate::paging::Walk::over(self)
        }
    }
    /// The request of [`search_products_by_customer`](crate::Client::search_products_by_customer).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_customer()
    ///     .product_customer("hospital pharmacies that send vaccines to remote clinics")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct SearchProductsByCustomer {
        pub(crate) client: super::Client,
        business_types: Result<Option<crate::AnyOf<String>>, String>,
        countries: Result<Option<crate::AnyOf<String>>, String>,
        employee_count_max: Result<Option<i32>, String>,
        employee_count_min: Result<Option<i32>, String>,
        founded_year_max: Result<Option<i32>, String>,
        founded_year_min: Result<Option<i32>, String>,
        funded_from: Result<Option<crate::DateBound>, String>,
        funded_to: Result<Option<crate::DateBound>, String>,
        funding_stages: Result<Option<crate::AnyOf<crate::FundingStage>>, String>,
        headquarters_only: Result<Option<bool>, String>,
        limit: Result<Option<i32>, String>,
        product_customer: Result<::std::string::String, String>,
        regions: Result<Option<crate::AnyOf<String>>, String>,
        skip: Result<Option<i32>, String>,
    }
    impl SearchProductsByCustomer {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                business_types: Ok(None),
                countries: Ok(None),
                employee_count_max: Ok(None),
                employee_count_min: Ok(None),
                founded_year_max: Ok(None),
                founded_year_min: Ok(None),
                funded_from: Ok(None),
                funded_to: Ok(None),
                funding_stages: Ok(None),
                headquarters_only: Ok(None),
                limit: Ok(None),
                product_customer: Err("`product_customer` is missing".to_string()),
                regions: Ok(None),
                skip: Ok(None),
            }
        }
        /// Filters by product category: keeps records in any of these categories. The vocabulary is open: a well-formed
        /// category that nothing is in finds nothing. An organization is in the categories of its products; a
        /// product search looks at the product's own. Repeat the parameter for more than one value, at most 50.
        /// A record without a category is never kept.
        pub fn business_types<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.business_types = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`business_types` is given a value that is no `AnyOf<String>`"
                        .to_string()
                });
            self
        }
        /// Filters by country code (ISO 3166-1): keeps records located in any of these countries (alpha-2, upper
        /// case). A product search looks at the locations of the product's organization. `headquarters_only` decides
        /// which locations count. With `regions` as well, each of the two may be met by another location. Repeat the
        /// parameter for more than one value, at most 50. A record without a country is never kept; a well-formed code
        /// of no country finds nothing.
        pub fn countries<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.countries = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`countries` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at most this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        /// Below `employee_count_min` it is answered 422.
        pub fn employee_count_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at least this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        pub fn employee_count_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or earlier; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        /// Below `founded_year_min` it is answered 422.
        pub fn founded_year_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or later; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        pub fn founded_year_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or later (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        pub fn funded_from<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_from = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_from` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or earlier (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        /// Before `funded_from` it is answered 422.
        pub fn funded_to<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_to = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_to` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by stage of the latest funding round: keeps organizations whose round was at any of these stages;
        /// a product search looks at the product's organization. One without a round is never kept. Repeat the
        /// parameter for more than one value, at most 50.
        pub fn funding_stages<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<crate::FundingStage>>,
        {
            self.funding_stages = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funding_stages` is given a value that is no `AnyOf<FundingStage>`"
                        .to_string()
                });
            self
        }
        /// Which locations `countries` and `regions` apply to: the headquarters alone (`true`), or any location, the
        /// headquarters included (`false`); in a product search, those of the product's organization. Without either of
        /// them it changes nothing.
        pub fn headquarters_only<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.headquarters_only = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`headquarters_only` is given a value that is no `bool`".to_string()
                });
            self
        }
        /// The maximum number of results returned. Only the first 1000 results of a search can be reached:
        /// `skip + limit` above 1000 is answered 422.
        pub fn limit<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.limit = value
                .try_into()
                .map(Some)
                .map_err(|_| "`limit` is given a value that is no `i32`".to_string());
            self
        }
        /// The target customer description to match, in plain language: 1 to 2000 characters (Unicode code
        /// points), of which at least one is not white space.
        pub fn product_customer<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<::std::string::String>,
        {
            self.product_customer = value
                .try_into()
                .map_err(|_| {
                    "`product_customer` is given a value that is no `String`".to_string()
                });
            self
        }
        /// Filters by region: keeps records located in any of these regions (ISO 3166-2, upper case). A product search
        /// looks at the locations of the product's organization. `headquarters_only` decides which locations count.
        /// Repeat the parameter for more than one value, at most 50. A record without a region is never kept; a
        /// well-formed code of no region finds nothing.
        pub fn regions<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.regions = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`regions` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Results to skip. At or past the end the page is empty, and `total_count` is the same as on any
        /// other page.
        pub fn skip<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.skip = value
                .try_into()
                .map(Some)
                .map_err(|_| "`skip` is given a value that is no `i32`".to_string());
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self {
                client,
                business_types,
                countries,
                employee_count_max,
                employee_count_min,
                founded_year_max,
                founded_year_min,
                funded_from,
                funded_to,
                funding_stages,
                headquarters_only,
                limit,
                product_customer,
                regions,
                skip,
            } = self;
            let business_types = business_types.clone().map_err(Error::InvalidRequest)?;
            let countries = countries.clone().map_err(Error::InvalidRequest)?;
            let employee_count_max = employee_count_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let employee_count_min = employee_count_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_max = founded_year_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_min = founded_year_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let funded_from = funded_from.clone().map_err(Error::InvalidRequest)?;
            let funded_to = funded_to.clone().map_err(Error::InvalidRequest)?;
            let funding_stages = funding_stages.clone().map_err(Error::InvalidRequest)?;
            let headquarters_only = headquarters_only
                .clone()
                .map_err(Error::InvalidRequest)?;
            let limit = limit.clone().map_err(Error::InvalidRequest)?;
            let product_customer = product_customer
                .clone()
                .map_err(Error::InvalidRequest)?;
            let regions = regions.clone().map_err(Error::InvalidRequest)?;
            let skip = skip.clone().map_err(Error::InvalidRequest)?;
            let url = format!("{}/search/products/similar-customers", client.baseurl,);
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "business_types",
                        &business_types,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("countries", &countries))
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_max",
                        &employee_count_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_min",
                        &employee_count_min,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_max",
                        &founded_year_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_min",
                        &founded_year_min,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("funded_from", &funded_from))
                .query(&progenitor_client::QueryParam::new("funded_to", &funded_to))
                .query(
                    &progenitor_client::QueryParam::new(
                        "funding_stages",
                        &funding_stages,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "headquarters_only",
                        &headquarters_only,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("limit", &limit))
                .query(
                    &progenitor_client::QueryParam::new(
                        "product_customer",
                        &product_customer,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("regions", &regions))
                .query(&progenitor_client::QueryParam::new("skip", &skip))
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/search/products/similar-customers`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::ProductSearchPage>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::SEARCH_PRODUCTS_BY_CUSTOMER,
                    Box::new(request),
                )
                .await
        }
        /// Walks over all that it asks for, however many pages that is. `skip` is where the walk begins, and
        /// `limit` the most that it gives in all: see [`Walk`](crate::paging::Walk).
        ///
        /// # Example
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .search_products_by_customer()
        ///     .product_customer("hospital pharmacies that send vaccines to remote clinics")
        ///     .countries(["NO", "DK"])
        ///     .regions(["NO-46", "US-CA"])
        ///     .employee_count_min(10)
        ///     .employee_count_max(250)
        ///     .founded_year_min(2010)
        ///     .founded_year_max(2024)
        ///     .business_types(["freight_logistics", "warehousing"])
        ///     .funding_stages(["seed", "series_a"])
        ///     .funded_from("2018-01-01")
        ///     .funded_to("2026-06-30")
        ///     .headquarters_only(false)
        ///     .skip(20)
        ///     .limit(10)
        ///     .walk()
        ///     .collect()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn walk(self) -> crate::paging::Walk<types::ProductSearchResult> {
            crate::paging::Walk::over(self)
        }
    }
    /// The request of [`search_products_by_product`](crate::Client::search_products_by_product).
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_product()
    ///     .product_id(5002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug, Clone)]
    pub struct SearchProductsByProduct {
        pub(crate) client: super::Client,
        product_id: Result<crate::ProductId, String>,
        business_types: Result<Option<crate::AnyOf<String>>, String>,
        countries: Result<Option<crate::AnyOf<String>>, String>,
        employee_count_max: Result<Option<i32>, String>,
        employee_count_min: Result<Option<i32>, String>,
        founded_year_max: Result<Option<i32>, String>,
        founded_year_min: Result<Option<i32>, String>,
        funded_from: Result<Option<crate::DateBound>, String>,
        funded_to: Result<Option<crate::DateBound>, String>,
        funding_stages: Result<Option<crate::AnyOf<crate::FundingStage>>, String>,
        headquarters_only: Result<Option<bool>, String>,
        limit: Result<Option<i32>, String>,
        regions: Result<Option<crate::AnyOf<String>>, String>,
        skip: Result<Option<i32>, String>,
    }
    impl SearchProductsByProduct {
        pub(super) fn new(client: super::Client) -> Self {
            Self {
                client: client,
                product_id: Err("`product_id` is missing".to_string()),
                business_types: Ok(None),
                countries: Ok(None),
                employee_count_max: Ok(None),
                employee_count_min: Ok(None),
                founded_year_max: Ok(None),
                founded_year_min: Ok(None),
                funded_from: Ok(None),
                funded_to: Ok(None),
                funding_stages: Ok(None),
                headquarters_only: Ok(None),
                limit: Ok(None),
                regions: Ok(None),
                skip: Ok(None),
            }
        }
        /// The known product that results are similar to.
        pub fn product_id<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::ProductId>,
        {
            self.product_id = value
                .try_into()
                .map_err(|_| {
                    "`product_id` is given a value that is no `ProductId`".to_string()
                });
            self
        }
        /// Filters by product category: keeps records in any of these categories. The vocabulary is open: a well-formed
        /// category that nothing is in finds nothing. An organization is in the categories of its products; a
        /// product search looks at the product's own. Repeat the parameter for more than one value, at most 50.
        /// A record without a category is never kept.
        pub fn business_types<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.business_types = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`business_types` is given a value that is no `AnyOf<String>`"
                        .to_string()
                });
            self
        }
        /// Filters by country code (ISO 3166-1): keeps records located in any of these countries (alpha-2, upper
        /// case). A product search looks at the locations of the product's organization. `headquarters_only` decides
        /// which locations count. With `regions` as well, each of the two may be met by another location. Repeat the
        /// parameter for more than one value, at most 50. A record without a country is never kept; a well-formed code
        /// of no country finds nothing.
        pub fn countries<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.countries = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`countries` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at most this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        /// Below `employee_count_min` it is answered 422.
        pub fn employee_count_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by employee count: keeps organizations with at least this many employees; a product search looks at the
        /// product's organization. One whose number of employees is not known is never kept.
        pub fn employee_count_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.employee_count_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`employee_count_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or earlier; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        /// Below `founded_year_min` it is answered 422.
        pub fn founded_year_max<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_max = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_max` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by founding year: keeps organizations founded in this year or later; a product search looks at the
        /// product's organization. One whose founding date is not known is never kept.
        pub fn founded_year_min<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.founded_year_min = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`founded_year_min` is given a value that is no `i32`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or later (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        pub fn funded_from<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_from = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_from` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by funding date: keeps organizations whose latest funding round was on this date or earlier (`YYYY-MM-DD`); a product search looks at the
        /// product's organization. One without a dated round is never kept.
        /// Before `funded_from` it is answered 422.
        pub fn funded_to<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::DateBound>,
        {
            self.funded_to = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funded_to` is given a value that is no `DateBound`".to_string()
                });
            self
        }
        /// Filters by stage of the latest funding round: keeps organizations whose round was at any of these stages;
        /// a product search looks at the product's organization. One without a round is never kept. Repeat the
        /// parameter for more than one value, at most 50.
        pub fn funding_stages<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<crate::FundingStage>>,
        {
            self.funding_stages = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`funding_stages` is given a value that is no `AnyOf<FundingStage>`"
                        .to_string()
                });
            self
        }
        /// Which locations `countries` and `regions` apply to: the headquarters alone (`true`), or any location, the
        /// headquarters included (`false`); in a product search, those of the product's organization. Without either of
        /// them it changes nothing.
        pub fn headquarters_only<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<bool>,
        {
            self.headquarters_only = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`headquarters_only` is given a value that is no `bool`".to_string()
                });
            self
        }
        /// The maximum number of results returned. Only the first 1000 results of a search can be reached:
        /// `skip + limit` above 1000 is answered 422.
        pub fn limit<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.limit = value
                .try_into()
                .map(Some)
                .map_err(|_| "`limit` is given a value that is no `i32`".to_string());
            self
        }
        /// Filters by region: keeps records located in any of these regions (ISO 3166-2, upper case). A product search
        /// looks at the locations of the product's organization. `headquarters_only` decides which locations count.
        /// Repeat the parameter for more than one value, at most 50. A record without a region is never kept; a
        /// well-formed code of no region finds nothing.
        pub fn regions<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<crate::AnyOf<String>>,
        {
            self.regions = value
                .try_into()
                .map(Some)
                .map_err(|_| {
                    "`regions` is given a value that is no `AnyOf<String>`".to_string()
                });
            self
        }
        /// Results to skip. At or past the end the page is empty, and `total_count` is the same as on any
        /// other page.
        pub fn skip<V>(mut self, value: V) -> Self
        where
            V: std::convert::TryInto<i32>,
        {
            self.skip = value
                .try_into()
                .map(Some)
                .map_err(|_| "`skip` is given a value that is no `i32`".to_string());
            self
        }
        fn request(&self) -> Result<::reqwest::Request, Error<()>> {
            let Self {
                client,
                product_id,
                business_types,
                countries,
                employee_count_max,
                employee_count_min,
                founded_year_max,
                founded_year_min,
                funded_from,
                funded_to,
                funding_stages,
                headquarters_only,
                limit,
                regions,
                skip,
            } = self;
            let product_id = product_id.clone().map_err(Error::InvalidRequest)?;
            let business_types = business_types.clone().map_err(Error::InvalidRequest)?;
            let countries = countries.clone().map_err(Error::InvalidRequest)?;
            let employee_count_max = employee_count_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let employee_count_min = employee_count_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_max = founded_year_max
                .clone()
                .map_err(Error::InvalidRequest)?;
            let founded_year_min = founded_year_min
                .clone()
                .map_err(Error::InvalidRequest)?;
            let funded_from = funded_from.clone().map_err(Error::InvalidRequest)?;
            let funded_to = funded_to.clone().map_err(Error::InvalidRequest)?;
            let funding_stages = funding_stages.clone().map_err(Error::InvalidRequest)?;
            let headquarters_only = headquarters_only
                .clone()
                .map_err(Error::InvalidRequest)?;
            let limit = limit.clone().map_err(Error::InvalidRequest)?;
            let regions = regions.clone().map_err(Error::InvalidRequest)?;
            let skip = skip.clone().map_err(Error::InvalidRequest)?;
            let url = format!(
                "{}/search/products/{}/similar", client.baseurl, product_id,
            );
            let request = client
                .client
                .get(url)
                .header(
                    ::reqwest::header::ACCEPT,
                    ::reqwest::header::HeaderValue::from_static("application/json"),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "business_types",
                        &business_types,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("countries", &countries))
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_max",
                        &employee_count_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "employee_count_min",
                        &employee_count_min,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_max",
                        &founded_year_max,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "founded_year_min",
                        &founded_year_min,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("funded_from", &funded_from))
                .query(&progenitor_client::QueryParam::new("funded_to", &funded_to))
                .query(
                    &progenitor_client::QueryParam::new(
                        "funding_stages",
                        &funding_stages,
                    ),
                )
                .query(
                    &progenitor_client::QueryParam::new(
                        "headquarters_only",
                        &headquarters_only,
                    ),
                )
                .query(&progenitor_client::QueryParam::new("limit", &limit))
                .query(&progenitor_client::QueryParam::new("regions", &regions))
                .query(&progenitor_client::QueryParam::new("skip", &skip))
                .build()?;
            Ok(request)
        }
        /// Sends a `GET` request to `/search/products/{product_id}/similar`
        ///
        /// # Errors
        /// An [`Error`](crate::Error) for every answer but a success, and when there was none.
        pub async fn send(
            self,
        ) -> Result<ResponseValue<types::ProductSearchPage>, crate::Error> {
            let client = self.client.clone();
            let request = move || self.request();
            crate::call::send(
                    client,
                    &super::operations::SEARCH_PRODUCTS_BY_PRODUCT,
                    Box::new(request),
                )
                .await
        }
        /// Walks over all that it asks for, however many pages that is. `skip` is where the walk begins, and
        /// `limit` the most that it gives in all: see [`Walk`](crate::paging::Walk).
        ///
        /// # Example
        ///
        /// ```no_run
        /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
        /// let answer = client
        ///     .search_products_by_product()
        ///     .product_id(5002)
        ///     .countries(["NO", "DK"])
        ///     .regions(["NO-46", "US-CA"])
        ///     .employee_count_min(10)
        ///     .employee_count_max(250)
        ///     .founded_year_min(2010)
        ///     .founded_year_max(2024)
        ///     .business_types(["freight_logistics", "warehousing"])
        ///     .funding_stages(["seed", "series_a"])
        ///     .funded_from("2018-01-01")
        ///     .funded_to("2026-06-30")
        ///     .headquarters_only(false)
        ///     .skip(20)
        ///     .limit(10)
        ///     .walk()
        ///     .collect()
        ///     .await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn walk(self) -> crate::paging::Walk<types::ProductSearchResult> {
            crate::paging::Walk::over(self)
        }
    }
    impl crate::paging::Paged for ListItems {
        type Item = types::PipelineItem;
        const OPERATION: &'static str = "list_items";
        const MAX_LIMIT: u64 = 1000u64;
        const REACH: Option<u64> = None;
        fn client(&mut self) -> &mut super::Client {
            &mut self.client
        }
        fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
            self.request().map_err(crate::call::unsendable)
        }
        fn start(&self) -> Option<i64> {
            self.skip.as_ref().ok().copied().flatten().map(i64::from)
        }
        fn most(&self) -> Option<i64> {
            self.limit.as_ref().ok().copied().flatten().map(i64::from)
        }
        async fn fetch(
            self,
            skip: u64,
            limit: u64,
        ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
            let page = self.skip(skip).limit(limit).send().await?.into_inner();
            Ok((page.items, page.total_count))
        }
    }
    impl crate::paging::Paged for SearchOrganizationsByDescription {
        type Item = types::OrganizationSearchResult;
        const OPERATION: &'static str = "search_organizations_by_description";
        const MAX_LIMIT: u64 = 100u64;
        const REACH: Option<u64> = Some(1000u64);
        fn client(&mut self) -> &mut super::Client {
            &mut self.client
        }
        fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
            self.request().map_err(crate::call::unsendable)
        }
        fn start(&self) -> Option<i64> {
            self.skip.as_ref().ok().copied().flatten().map(i64::from)
        }
        fn most(&self) -> Option<i64> {
            self.limit.as_ref().ok().copied().flatten().map(i64::from)
        }
        async fn fetch(
            self,
            skip: u64,
            limit: u64,
        ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
            let page = self.skip(skip).limit(limit).send().await?.into_inner();
            Ok((page.results, page.total_count))
        }
    }
    impl crate::paging::Paged for SearchOrganizationsByCustomer {
        type Item = types::OrganizationSearchResult;
        const OPERATION: &'static str = "search_organizations_by_customer";
        const MAX_LIMIT: u64 = 100u64;
        const REACH: Option<u64> = Some(1000u64);
        fn client(&mut self) -> &mut super::Client {
            &mut self.client
        }
        fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
            self.request().map_err(crate::call::unsendable)
        }
        fn start(&self) -> Option<i64> {
            self.skip.as_ref().ok().copied().flatten().map(i64::from)
        }
        fn most(&self) -> Option<i64> {
            self.limit.as_ref().ok().copied().flatten().map(i64::from)
        }
        async fn fetch(
            self,
            skip: u64,
            limit: u64,
        ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
            let page = self.skip(skip).limit(limit).send().await?.into_inner();
            Ok((page.results, page.total_count))
        }
    }
    impl crate::paging::Paged for SearchOrganizationsByOrganization {
        type Item = types::OrganizationSearchResult;
        const OPERATION: &'static str = "search_organizations_by_organization";
        const MAX_LIMIT: u64 = 100u64;
        const REACH: Option<u64> = Some(1000u64);
        fn client(&mut self) -> &mut super::Client {
            &mut self.client
        }
        fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
            self.request().map_err(crate::call::unsendable)
        }
        fn start(&self) -> Option<i64> {
            self.skip.as_ref().ok().copied().flatten().map(i64::from)
        }
        fn most(&self) -> Option<i64> {
            self.limit.as_ref().ok().copied().flatten().map(i64::from)
        }
        async fn fetch(
            self,
            skip: u64,
            limit: u64,
        ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
            let page = self.skip(skip).limit(limit).send().await?.into_inner();
            Ok((page.results, page.total_count))
        }
    }
    impl crate::paging::Paged for SearchProductsByDescription {
        type Item = types::ProductSearchResult;
        const OPERATION: &'static str = "search_products_by_description";
        const MAX_LIMIT: u64 = 100u64;
        const REACH: Option<u64> = Some(1000u64);
        fn client(&mut self) -> &mut super::Client {
            &mut self.client
        }
        fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
            self.request().map_err(crate::call::unsendable)
        }
        fn start(&self) -> Option<i64> {
            self.skip.as_ref().ok().copied().flatten().map(i64::from)
        }
        fn most(&self) -> Option<i64> {
            self.limit.as_ref().ok().copied().flatten().map(i64::from)
        }
        async fn fetch(
            self,
            skip: u64,
            limit: u64,
        ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
            let page = self.skip(skip).limit(limit).send().await?.into_inner();
            Ok((page.results, page.total_count))
        }
    }
    impl crate::paging::Paged for SearchProductsByCustomer {
        type Item = types::ProductSearchResult;
        const OPERATION: &'static str = "search_products_by_customer";
        const MAX_LIMIT: u64 = 100u64;
        const REACH: Option<u64> = Some(1000u64);
        fn client(&mut self) -> &mut super::Client {
            &mut self.client
        }
        fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
            self.request().map_err(crate::call::unsendable)
        }
        fn start(&self) -> Option<i64> {
            self.skip.as_ref().ok().copied().flatten().map(i64::from)
        }
        fn most(&self) -> Option<i64> {
            self.limit.as_ref().ok().copied().flatten().map(i64::from)
        }
        async fn fetch(
            self,
            skip: u64,
            limit: u64,
        ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
            let page = self.skip(skip).limit(limit).send().await?.into_inner();
            Ok((page.results, page.total_count))
        }
    }
    impl crate::paging::Paged for SearchProductsByProduct {
        type Item = types::ProductSearchResult;
        const OPERATION: &'static str = "search_products_by_product";
        const MAX_LIMIT: u64 = 100u64;
        const REACH: Option<u64> = Some(1000u64);
        fn client(&mut self) -> &mut super::Client {
            &mut self.client
        }
        fn write_down(self) -> Result<::reqwest::Request, crate::Error> {
            self.request().map_err(crate::call::unsendable)
        }
        fn start(&self) -> Option<i64> {
            self.skip.as_ref().ok().copied().flatten().map(i64::from)
        }
        fn most(&self) -> Option<i64> {
            self.limit.as_ref().ok().copied().flatten().map(i64::from)
        }
        async fn fetch(
            self,
            skip: u64,
            limit: u64,
        ) -> Result<(Vec<Self::Item>, i64), crate::Error> {
            let page = self.skip(skip).limit(limit).send().await?.into_inner();
            Ok((page.results, page.total_count))
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for ListItems {
        type Answer = types::ItemPage;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(&super::operations::LIST_ITEMS, 200u16)
                .parameter("pipeline_id", self.pipeline_id)
                .parameter("limit", self.limit)
                .parameter("skip", self.skip)
                .parameter("sort_by", self.sort_by)
                .parameter("sort_order", self.sort_order)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for GetItemStatus {
        type Answer = types::ItemStatus;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(&super::operations::GET_ITEM_STATUS, 200u16)
                .parameter("pipeline_id", self.pipeline_id)
                .parameter("pipeline_item_id", self.pipeline_item_id)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for GetItemValues {
        type Answer = types::PipelineItem;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(&super::operations::GET_ITEM_VALUES, 200u16)
                .parameter("pipeline_id", self.pipeline_id)
                .parameter("pipeline_item_id", self.pipeline_item_id)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for AddOrganization {
        type Answer = types::PipelineItem;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(&super::operations::ADD_ORGANIZATION, 201u16)
                .parameter("pipeline_id", self.pipeline_id)
                .body(
                    self
                        .body
                        .and_then(|body| {
                            types::AddOrganizationRequest::try_from(body)
                                .map_err(|error| error.to_string())
                        }),
                )
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for SearchOrganizationsByDescription {
        type Answer = types::OrganizationSearchPage;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(
                    &super::operations::SEARCH_ORGANIZATIONS_BY_DESCRIPTION,
                    200u16,
                )
                .parameter("business_types", self.business_types)
                .parameter("countries", self.countries)
                .parameter("description", self.description)
                .parameter("employee_count_max", self.employee_count_max)
                .parameter("employee_count_min", self.employee_count_min)
                .parameter("founded_year_max", self.founded_year_max)
                .parameter("founded_year_min", self.founded_year_min)
                .parameter("funded_from", self.funded_from)
                .parameter("funded_to", self.funded_to)
                .parameter("funding_stages", self.funding_stages)
                .parameter("headquarters_only", self.headquarters_only)
                .parameter("limit", self.limit)
                .parameter("regions", self.regions)
                .parameter("skip", self.skip)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for SearchOrganizationsByCustomer {
        type Answer = types::OrganizationSearchPage;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(
                    &super::operations::SEARCH_ORGANIZATIONS_BY_CUSTOMER,
                    200u16,
                )
                .parameter("business_types", self.business_types)
                .parameter("countries", self.countries)
                .parameter("employee_count_max", self.employee_count_max)
                .parameter("employee_count_min", self.employee_count_min)
                .parameter("founded_year_max", self.founded_year_max)
                .parameter("founded_year_min", self.founded_year_min)
                .parameter("funded_from", self.funded_from)
                .parameter("funded_to", self.funded_to)
                .parameter("funding_stages", self.funding_stages)
                .parameter("headquarters_only", self.headquarters_only)
                .parameter("limit", self.limit)
                .parameter("organization_customer", self.organization_customer)
                .parameter("regions", self.regions)
                .parameter("skip", self.skip)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for SearchOrganizationsByOrganization {
        type Answer = types::OrganizationSearchPage;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(
                    &super::operations::SEARCH_ORGANIZATIONS_BY_ORGANIZATION,
                    200u16,
                )
                .parameter("organization_id", self.organization_id)
                .parameter("business_types", self.business_types)
                .parameter("countries", self.countries)
                .parameter("employee_count_max", self.employee_count_max)
                .parameter("employee_count_min", self.employee_count_min)
                .parameter("founded_year_max", self.founded_year_max)
                .parameter("founded_year_min", self.founded_year_min)
                .parameter("funded_from", self.funded_from)
                .parameter("funded_to", self.funded_to)
                .parameter("funding_stages", self.funding_stages)
                .parameter("headquarters_only", self.headquarters_only)
                .parameter("limit", self.limit)
                .parameter("regions", self.regions)
                .parameter("skip", self.skip)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for SearchProductsByDescription {
        type Answer = types::ProductSearchPage;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(
                    &super::operations::SEARCH_PRODUCTS_BY_DESCRIPTION,
                    200u16,
                )
                .parameter("business_types", self.business_types)
                .parameter("countries", self.countries)
                .parameter("description", self.description)
                .parameter("employee_count_max", self.employee_count_max)
                .parameter("employee_count_min", self.employee_count_min)
                .parameter("founded_year_max", self.founded_year_max)
                .parameter("founded_year_min", self.founded_year_min)
                .parameter("funded_from", self.funded_from)
                .parameter("funded_to", self.funded_to)
                .parameter("funding_stages", self.funding_stages)
                .parameter("headquarters_only", self.headquarters_only)
                .parameter("limit", self.limit)
                .parameter("regions", self.regions)
                .parameter("skip", self.skip)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for SearchProductsByCustomer {
        type Answer = types::ProductSearchPage;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(
                    &super::operations::SEARCH_PRODUCTS_BY_CUSTOMER,
                    200u16,
                )
                .parameter("business_types", self.business_types)
                .parameter("countries", self.countries)
                .parameter("employee_count_max", self.employee_count_max)
                .parameter("employee_count_min", self.employee_count_min)
                .parameter("founded_year_max", self.founded_year_max)
                .parameter("founded_year_min", self.founded_year_min)
                .parameter("funded_from", self.funded_from)
                .parameter("funded_to", self.funded_to)
                .parameter("funding_stages", self.funding_stages)
                .parameter("headquarters_only", self.headquarters_only)
                .parameter("limit", self.limit)
                .parameter("product_customer", self.product_customer)
                .parameter("regions", self.regions)
                .parameter("skip", self.skip)
        }
    }
    #[cfg(feature = "mock")]
    impl crate::mock::Request for SearchProductsByProduct {
        type Answer = types::ProductSearchPage;
        fn expected(self) -> crate::mock::Expected {
            crate::mock::Expected::new(
                    &super::operations::SEARCH_PRODUCTS_BY_PRODUCT,
                    200u16,
                )
                .parameter("product_id", self.product_id)
                .parameter("business_types", self.business_types)
                .parameter("countries", self.countries)
                .parameter("employee_count_max", self.employee_count_max)
                .parameter("employee_count_min", self.employee_count_min)
                .parameter("founded_year_max", self.founded_year_max)
                .parameter("founded_year_min", self.founded_year_min)
                .parameter("funded_from", self.funded_from)
                .parameter("funded_to", self.funded_to)
                .parameter("funding_stages", self.funding_stages)
                .parameter("headquarters_only", self.headquarters_only)
                .parameter("limit", self.limit)
                .parameter("regions", self.regions)
                .parameter("skip", self.skip)
        }
    }
}
/// How each operation is called, by the extensions of the contract.
pub(crate) mod operations {
    use crate::operation::Operation;
    pub(crate) static LIST_ITEMS: Operation = Operation {
        id: "list_items",
        method: "GET",
        path: "/api/v1/pipelines/{pipeline_id}/items",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(15u64),
    };
    pub(crate) static GET_ITEM_STATUS: Operation = Operation {
        id: "get_item_status",
        method: "GET",
        path: "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    pub(crate) static GET_ITEM_VALUES: Operation = Operation {
        id: "get_item_values",
        method: "GET",
        path: "/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    pub(crate) static ADD_ORGANIZATION: Operation = Operation {
        id: "add_organization",
        method: "POST",
        path: "/api/v1/pipelines/{pipeline_id}/organizations",
        is_idempotent: false,
        retryable_statuses: &[429u16],
        timeout: ::std::time::Duration::from_secs(15u64),
    };
    pub(crate) static SEARCH_ORGANIZATIONS_BY_DESCRIPTION: Operation = Operation {
        id: "search_organizations_by_description",
        method: "GET",
        path: "/search/organizations/similar",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    pub(crate) static SEARCH_ORGANIZATIONS_BY_CUSTOMER: Operation = Operation {
        id: "search_organizations_by_customer",
        method: "GET",
        path: "/search/organizations/similar-customers",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    pub(crate) static SEARCH_ORGANIZATIONS_BY_ORGANIZATION: Operation = Operation {
        id: "search_organizations_by_organization",
        method: "GET",
        path: "/search/organizations/{organization_id}/similar",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    pub(crate) static SEARCH_PRODUCTS_BY_DESCRIPTION: Operation = Operation {
        id: "search_products_by_description",
        method: "GET",
        path: "/search/products/similar",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    pub(crate) static SEARCH_PRODUCTS_BY_CUSTOMER: Operation = Operation {
        id: "search_products_by_customer",
        method: "GET",
        path: "/search/products/similar-customers",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    pub(crate) static SEARCH_PRODUCTS_BY_PRODUCT: Operation = Operation {
        id: "search_products_by_product",
        method: "GET",
        path: "/search/products/{product_id}/similar",
        is_idempotent: true,
        retryable_statuses: &[429u16, 500u16, 502u16, 503u16, 504u16],
        timeout: ::std::time::Duration::from_secs(10u64),
    };
    #[cfg(test)]
    pub(crate) static ALL: &[&Operation] = &[
        &LIST_ITEMS,
        &GET_ITEM_STATUS,
        &GET_ITEM_VALUES,
        &ADD_ORGANIZATION,
        &SEARCH_ORGANIZATIONS_BY_DESCRIPTION,
        &SEARCH_ORGANIZATIONS_BY_CUSTOMER,
        &SEARCH_ORGANIZATIONS_BY_ORGANIZATION,
        &SEARCH_PRODUCTS_BY_DESCRIPTION,
        &SEARCH_PRODUCTS_BY_CUSTOMER,
        &SEARCH_PRODUCTS_BY_PRODUCT,
    ];
}
