//! The precomputed meanings of the built-in data. Computing them would take most of the start-up time.
//!
//! The file holds the vectors of all texts one after the other, in the order of the records: the offer of each, then
//! its customers, if it has any.

use bytes::Bytes;

use super::meaning::Meanings;
use crate::model::organization::Organization;
use crate::model::product::Product;
use crate::model::search::Meaning;
use crate::model::vector::{DIMENSIONS, Vector};

const ORGANIZATIONS: &[u8] = include_bytes!("../../assets/data/organizations.vectors");
const PRODUCTS: &[u8] = include_bytes!("../../assets/data/products.vectors");

/// The stored vectors that have not been handed out yet.
pub(super) struct Stored {
    organizations: Rows,
    products: Rows,
}

struct Rows(Bytes);

impl Stored {
    pub(super) fn new() -> Self {
        Self {
            organizations: Rows(Bytes::from_static(ORGANIZATIONS)),
            products: Rows(Bytes::from_static(PRODUCTS)),
        }
    }
}

/// Identifies this server's encoder by its results: a digest of the vectors of the built-in data's texts.
pub(super) fn encoder_id() -> String {
    // FNV-1a, on words of eight bytes.
    let digest = |digest: u64, word: &[u8; 8]| (digest ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01b3);
    let words = ORGANIZATIONS.as_chunks().0.iter().chain(PRODUCTS.as_chunks().0);
    format!("table-{:016x}", words.fold(0xcbf2_9ce4_8422_2325, digest))
}

impl Meanings for Stored {
    fn of_organization(&mut self, organization: &Organization) -> Meaning {
        self.organizations.meaning(organization.customer_base.is_some())
    }

    fn of_product(&mut self, product: &Product) -> Meaning {
        self.products.meaning(product.customer_base.is_some())
    }
}

impl Rows {
    fn meaning(&mut self, has_customers: bool) -> Meaning {
        Meaning {
            offer: self.next(),
            customers: has_customers.then(|| self.next()),
        }
    }

    /// Returns the next vector. The tests ensure that there is one for every text.
    fn next(&mut self) -> Vector {
        let row = self.0.split_to(DIMENSIONS.min(self.0.len()));
        let next = Vector::cut(&row).next();
        next.unwrap_or_else(|| panic!("the stored vectors are fewer than the texts"))
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::data::Data;
    use crate::data::meaning::Embedded;

    fn bytes(meanings: impl Iterator<Item = Meaning>) -> Vec<u8> {
        let vectors = meanings.flat_map(|it| [Some(it.offer), it.customers]);
        let vectors = vectors.flatten();
        vectors.flat_map(|vector| vector.as_bytes().to_vec()).collect()
    }

    #[test]
    fn the_stored_vectors_are_those_of_the_texts() {
        let data = Data::built_in();
        let mut embedded = Embedded;
        let organizations = data.organizations.iter();
        let organizations = bytes(organizations.map(|it| embedded.of_organization(it)));
        let products = bytes(data.products.iter().map(|it| embedded.of_product(it)));
        let files = [
            ("organizations.vectors", organizations, ORGANIZATIONS),
            ("products.vectors", products, PRODUCTS),
        ];
        if env::var_os("UPDATE_EXPECT").is_some() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/data");
            for (name, fresh, _) in &files {
                fs::write(folder.join(name), fresh).unwrap();
            }
        }
        for (name, fresh, stored) in files {
            assert!(
                fresh == stored,
                "{name} is out of date. Update it, then run the tests again:\n\
                 UPDATE_EXPECT=1 cargo test -p platform-server-stub --lib stored"
            );
        }
    }

    #[test]
    fn every_stored_vector_is_given_out_once() {
        let data = Data::built_in();
        let mut stored = Stored::new();
        for organization in &data.organizations {
            stored.of_organization(organization);
        }
        for product in &data.products {
            stored.of_product(product);
        }
        let left = [stored.organizations.0.len(), stored.products.0.len()];
        assert_eq!(left, [0, 0]);
    }
}
