// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `Contact`.
use super::*;
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
#[derive(Eq, Hash)]
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
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for Contact {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("email", &self.email);
        at.field("phone", &self.phone);
        at.field("social", &self.social);
        at.field("website_url", &self.website_url);
        at.unknown_fields("Contact", &self.unknown_fields);
    }
}
