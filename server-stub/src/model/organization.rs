//! The platform's data about an organization.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::OrganizationId;

/// A company, authority, association or other body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Organization {
    /// Unique among organizations.
    pub organization_id: OrganizationId,
    /// Its name for itself.
    pub name: String,
    /// A description of what it does, in its own words; searched by description.
    pub description: String,
    /// Whom it serves; searched by customer. Customer search skips an organization without it.
    #[serde(default)]
    pub customer_base: Option<String>,
    /// Its internet domain, such as `example.org`.
    #[serde(default)]
    pub domain: Option<String>,
    /// Where its logo can be fetched.
    #[serde(default)]
    pub logo_url: Option<String>,
    /// Size, age and funding.
    #[serde(default)]
    pub metrics: CompanyMetrics,
    /// Its main office.
    #[serde(default)]
    pub headquarters: Address,
    /// Its other offices; the headquarters are not repeated here.
    #[serde(default)]
    pub locations: Vec<Address>,
    /// How to reach it.
    #[serde(default)]
    pub contact: Contact,
}

/// Size, age and funding of an organization.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CompanyMetrics {
    /// People it employs, at most 2^53 − 1.
    pub employee_count: Option<u64>,
    /// The day it was founded.
    pub founded_on: Option<NaiveDate>,
    /// Money raised from others.
    pub funding: Funding,
}

/// Money that an organization raised from others. All empty if it never raised any, or if this is unknown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Funding {
    /// Sum of all rounds in whole US dollars, at most 2^53 − 1.
    pub total_usd: Option<u64>,
    /// Stage of the latest round.
    pub last_round_stage: Option<FundingStage>,
    /// Size of the latest round in whole US dollars, at most 2^53 − 1.
    pub last_round_usd: Option<u64>,
    /// Day of the latest round.
    pub last_round_on: Option<NaiveDate>,
}

/// Stage of a funding round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "the names are the usual words of the trade; there is nothing to add"
)]
pub enum FundingStage {
    PreSeed,
    Seed,
    Angel,
    SeriesA,
    SeriesB,
    SeriesC,
    SeriesD,
    SeriesE,
    SeriesF,
    SeriesG,
    SeriesH,
    SeriesI,
    SeriesJ,
    SeriesUnknown,
    PrivateEquity,
    ConvertibleNote,
    DebtFinancing,
    Grant,
    CorporateRound,
    EquityCrowdfunding,
    SecondaryMarket,
    NonEquityAssistance,
    PostIpoEquity,
    PostIpoDebt,
    Undisclosed,
}

impl FundingStage {
    /// Every stage, in the order of the contract.
    pub const ALL: [Self; 25] = [
        Self::PreSeed,
        Self::Seed,
        Self::Angel,
        Self::SeriesA,
        Self::SeriesB,
        Self::SeriesC,
        Self::SeriesD,
        Self::SeriesE,
        Self::SeriesF,
        Self::SeriesG,
        Self::SeriesH,
        Self::SeriesI,
        Self::SeriesJ,
        Self::SeriesUnknown,
        Self::PrivateEquity,
        Self::ConvertibleNote,
        Self::DebtFinancing,
        Self::Grant,
        Self::CorporateRound,
        Self::EquityCrowdfunding,
        Self::SecondaryMarket,
        Self::NonEquityAssistance,
        Self::PostIpoEquity,
        Self::PostIpoDebt,
        Self::Undisclosed,
    ];

    /// The name of the stage on the wire, such as `series_a`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreSeed => "pre_seed",
            Self::Seed => "seed",
            Self::Angel => "angel",
            Self::SeriesA => "series_a",
            Self::SeriesB => "series_b",
            Self::SeriesC => "series_c",
            Self::SeriesD => "series_d",
            Self::SeriesE => "series_e",
            Self::SeriesF => "series_f",
            Self::SeriesG => "series_g",
            Self::SeriesH => "series_h",
            Self::SeriesI => "series_i",
            Self::SeriesJ => "series_j",
            Self::SeriesUnknown => "series_unknown",
            Self::PrivateEquity => "private_equity",
            Self::ConvertibleNote => "convertible_note",
            Self::DebtFinancing => "debt_financing",
            Self::Grant => "grant",
            Self::CorporateRound => "corporate_round",
            Self::EquityCrowdfunding => "equity_crowdfunding",
            Self::SecondaryMarket => "secondary_market",
            Self::NonEquityAssistance => "non_equity_assistance",
            Self::PostIpoEquity => "post_ipo_equity",
            Self::PostIpoDebt => "post_ipo_debt",
            Self::Undisclosed => "undisclosed",
        }
    }
}

/// Where an office is, as precisely as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Address {
    /// Street and number.
    pub street: Option<String>,
    /// City.
    pub city: Option<String>,
    /// Postal code.
    pub postal_code: Option<String>,
    /// ISO 3166-2 code of the subdivision, such as `US-CA`.
    #[schemars(regex(pattern = r"^[A-Z]{2}-[A-Z0-9]{1,3}$"))]
    pub region: Option<String>,
    /// Name of the subdivision, such as `California`.
    pub region_name: Option<String>,
    /// ISO 3166-1 alpha-2 code of the country, such as `US`.
    #[schemars(regex(pattern = r"^[A-Z]{2}$"))]
    pub country: Option<String>,
    /// Name of the country.
    pub country_name: Option<String>,
}

/// How to reach an organization.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Contact {
    /// Its website.
    pub website_url: Option<String>,
    /// Its general email address.
    pub email: Option<String>,
    /// Its telephone number, with the country's calling code.
    pub phone: Option<String>,
    /// Its profiles in social media.
    pub social: SocialProfiles,
}

/// Profiles in social media.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SocialProfiles {
    /// LinkedIn page.
    pub linkedin_url: Option<String>,
    /// Profile on X.
    pub x_url: Option<String>,
    /// Facebook page.
    pub facebook_url: Option<String>,
    /// Instagram profile.
    pub instagram_url: Option<String>,
    /// YouTube channel.
    pub youtube_url: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_needs_only_its_id_name_and_description() {
        let least = r#"{"organization_id": 7, "name": "Weaver", "description": "Weaves linen."}"#;
        let organization: Organization = serde_json::from_str(least).unwrap();
        assert_eq!(organization.metrics, CompanyMetrics::default());
        assert_eq!(organization.headquarters, Address::default());
    }

    #[test]
    fn stage_is_written_with_its_word() {
        for stage in [FundingStage::PreSeed, FundingStage::SeriesJ, FundingStage::PostIpoDebt] {
            assert_eq!(serde_json::to_value(stage).unwrap(), stage.as_str());
        }
    }
}
