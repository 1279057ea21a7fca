//! What a catalogue has to know about a record to index it. The rest of the record is only needed when it is found.

use crate::model::ids::{OrganizationId, ProductId};
use crate::model::organization::{Address, CompanyMetrics, Organization};
use crate::model::product::Product;

/// A kind of record.
pub trait Indexed {
    /// What is indexed.
    type Facts;

    /// Takes the facts out of a record.
    fn into_facts(self) -> Self::Facts;
}

/// The facts of an organization.
#[derive(Debug)]
pub struct OrganizationFacts {
    /// Its id.
    pub organization_id: OrganizationId,
    pub(super) headquarters: Place,
    /// Without the headquarters.
    pub(super) offices: Vec<Place>,
    pub(super) metrics: CompanyMetrics,
}

/// The codes of an office.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) country: Option<String>,
    pub(super) region: Option<String>,
}

/// The facts of a product.
#[derive(Debug)]
pub struct ProductFacts {
    /// Its id.
    pub product_id: ProductId,
    /// The organization that offers it.
    pub organization_id: OrganizationId,
    /// Its kinds of business.
    pub categories: Vec<String>,
}

impl Indexed for Organization {
    type Facts = OrganizationFacts;

    fn into_facts(self) -> OrganizationFacts {
        OrganizationFacts {
            organization_id: self.organization_id,
            headquarters: self.headquarters.into(),
            offices: self.locations.into_iter().map(Place::from).collect(),
            metrics: self.metrics,
        }
    }
}

impl From<Address> for Place {
    fn from(address: Address) -> Self {
        Self {
            country: address.country,
            region: address.region,
        }
    }
}

impl Indexed for Product {
    type Facts = ProductFacts;

    fn into_facts(self) -> ProductFacts {
        ProductFacts {
            product_id: self.product_id,
            organization_id: self.organization_id,
            categories: self.categories,
        }
    }
}
