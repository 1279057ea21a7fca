// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! `SocialProfiles`.
use super::*;
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
#[derive(Eq, Hash)]
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
    /// Fields that this version of the SDK does not know, unchanged.
    #[serde(flatten)]
    pub unknown_fields: crate::types::unknown_fields::UnknownFields,
}
impl crate::types::unknown::Scan for SocialProfiles {
    fn scan(&self, at: &crate::types::unknown::At<'_>) {
        at.field("facebook_url", &self.facebook_url);
        at.field("instagram_url", &self.instagram_url);
        at.field("linkedin_url", &self.linkedin_url);
        at.field("x_url", &self.x_url);
        at.field("youtube_url", &self.youtube_url);
        at.unknown_fields("SocialProfiles", &self.unknown_fields);
    }
}
