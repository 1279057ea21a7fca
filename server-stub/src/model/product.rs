//! The platform's data about a product.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{OrganizationId, ProductId};

/// Something that an organization offers: goods, software or a service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// Unique among products.
    pub product_id: ProductId,
    /// The organization that offers it.
    pub organization_id: OrganizationId,
    /// The name that it is sold under.
    pub name: String,
    /// What it is and does; searched by description.
    pub description: String,
    /// Whom it is for; searched by customer. Customer search skips a product without it.
    #[serde(default)]
    pub customer_base: Option<String>,
    /// Its capabilities, in short phrases.
    #[serde(default)]
    pub features: Vec<String>,
    /// What it costs.
    #[serde(default)]
    pub pricing: Pricing,
    /// Lower snake-case slugs of its kinds of business, such as `freight_logistics`.
    #[serde(default)]
    #[schemars(inner(regex(pattern = r"^[a-z0-9_]{1,64}$")))]
    pub categories: Vec<String>,
    /// Who uses or buys it.
    #[serde(default)]
    pub target_audiences: Vec<String>,
    /// How it earns money, such as `subscription`.
    #[serde(default)]
    pub revenue_models: Vec<String>,
    /// How it compares with the alternatives.
    #[serde(default)]
    pub competitive_positioning: Option<String>,
}

/// The price of a product. All empty where the seller does not state it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pricing {
    /// The pricing model, such as `per_seat`.
    pub model: Option<String>,
    /// The lowest price, in units of `currency`, zero or more.
    #[schemars(range(min = 0))]
    pub starts_at: Option<f64>,
    /// ISO 4217 code, such as `EUR`.
    #[schemars(regex(pattern = r"^[A-Z]{3}$"))]
    pub currency: Option<String>,
    /// The period or unit that one payment covers: `month`, `year`, `day`, `unit` or `once`.
    pub billing_period: Option<String>,
}
