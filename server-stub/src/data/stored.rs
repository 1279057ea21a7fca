//! The built-in records in the form in which a catalogue holds them, and their precomputed meanings. Reading them as
//! JSON and computing their meanings would take most of the start-up time.
//!
//! A file of vectors holds those of all texts one after the other, in the order of the records: the offer of each, then
//! its customers, if it has any.

use bytes::Bytes;

use crate::model::search::Meaning;
use crate::store::CatalogueBuilder;
use platform_embedding::vector::{DIMENSIONS, Vector};

const ORGANIZATIONS: &[u8] = include_bytes!("../../assets/data/organizations.vectors");
const PRODUCTS: &[u8] = include_bytes!("../../assets/data/products.vectors");

/// The organizations and products, without their vectors.
const CATALOGUE: &[u8] = include_bytes!("../../assets/data/catalogue.postcard");

/// The stored vectors that have not been handed out yet.
struct Rows(Bytes);

/// A builder that holds the built-in organizations and products.
#[expect(clippy::expect_used, reason = "the file is compiled in, and a test here compares it")]
pub(super) fn catalogue() -> CatalogueBuilder {
    let (mut organizations, mut products) = (Rows::of(ORGANIZATIONS), Rows::of(PRODUCTS));
    let organization = |has_customers| organizations.meaning(has_customers);
    let product = |has_customers| products.meaning(has_customers);
    CatalogueBuilder::of_program(CATALOGUE, organization, product).expect("the stored catalogue can be read")
}

/// Identifies this server's encoder by its results: a digest of the vectors of the built-in data's texts.
pub(super) fn encoder_id() -> String {
    // FNV-1a, on words of eight bytes.
    let digest = |digest: u64, word: &[u8; 8]| (digest ^ u64::from_le_bytes(*word)).wrapping_mul(0x0100_0000_01b3);
    let words = ORGANIZATIONS.as_chunks().0.iter().chain(PRODUCTS.as_chunks().0);
    format!("table-{:016x}", words.fold(0xcbf2_9ce4_8422_2325, digest))
}

impl Rows {
    fn of(vectors: &'static [u8]) -> Self {
        Self(Bytes::from_static(vectors))
    }

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
    use crate::data::meaning::{Embedded, Meanings};
    use crate::data::{Data, Dataset};

    fn bytes(meanings: impl Iterator<Item = Meaning>) -> Vec<u8> {
        let vectors = meanings.flat_map(|it| [Some(it.offer), it.customers]);
        let vectors = vectors.flatten();
        vectors.flat_map(|vector| vector.as_bytes().to_vec()).collect()
    }

    #[test]
    fn stored_data_is_generated_from_the_documents() {
        let data = Data::built_in();
        let mut embedded = Embedded;
        let organizations = data.organizations.iter();
        let organizations = bytes(organizations.map(|it| embedded.of_organization(it)));
        let products = bytes(data.products.iter().map(|it| embedded.of_product(it)));
        let catalogue = Dataset::new(data).unwrap().catalogue().to_program();
        let files = [
            ("organizations.vectors", organizations, ORGANIZATIONS),
            ("products.vectors", products, PRODUCTS),
            ("catalogue.postcard", catalogue, CATALOGUE),
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
    fn built_in_data_equals_the_documents() {
        let (stored, read) = (Dataset::built_in(), Dataset::new(Data::built_in()).unwrap());
        assert_eq!(stored.fingerprint(), read.fingerprint());
        let organizations = stored.organizations().zip(read.organizations());
        for (stored, read) in organizations {
            assert_eq!((&stored.categories, &stored.meaning), (&read.categories, &read.meaning));
        }
        for (stored, read) in stored.products().zip(read.products()) {
            assert_eq!((&stored.categories, &stored.meaning), (&read.categories, &read.meaning));
        }
        assert!(stored.items().eq(read.items()));
        assert!(read.records().all(|record| record.work.is_empty()));
    }

    #[test]
    fn every_stored_vector_is_used_once() {
        let data = Data::built_in();
        let (mut organizations, mut products) = (Rows::of(ORGANIZATIONS), Rows::of(PRODUCTS));
        for organization in &data.organizations {
            organizations.meaning(organization.customer_base.is_some());
        }
        for product in &data.products {
            products.meaning(product.customer_base.is_some());
        }
        assert_eq!([organizations.0.len(), products.0.len()], [0, 0]);
    }
}
