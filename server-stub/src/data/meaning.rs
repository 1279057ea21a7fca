//! The meanings of a document's records and questions.

use crate::model::organization::Organization;
use crate::model::product::Product;
use crate::model::question::Question;
use crate::model::search::Meaning;
use platform_embedding::embed;

/// Provides the meanings of records.
pub(crate) trait Meanings {
    /// The meaning of an organization: of its name with its description, and of its customer base.
    fn of_organization(&mut self, organization: &Organization) -> Meaning;

    /// The meaning of a product: of its name with its description, and of its customer base.
    fn of_product(&mut self, product: &Product) -> Meaning;
}

/// Computes the meanings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Embedded;

impl Meanings for Embedded {
    fn of_organization(&mut self, organization: &Organization) -> Meaning {
        of_texts(
            &organization.name,
            &organization.description,
            organization.customer_base.as_deref(),
        )
    }

    fn of_product(&mut self, product: &Product) -> Meaning {
        of_texts(&product.name, &product.description, product.customer_base.as_deref())
    }
}

/// Features and categories are left out: they did not improve searches by other texts, and single words such as `tools`
/// matched unrelated records.
fn of_texts(name: &str, description: &str, customer_base: Option<&str>) -> Meaning {
    Meaning {
        offer: embed(&format!("{name}. {description}")),
        customers: customer_base.map(embed),
    }
}

/// Questions that can embed the texts in their rules.
pub(super) fn of_questions(questions: &[Question]) -> Vec<Question> {
    let mut questions = questions.to_vec();
    for question in &mut questions {
        question.give_meaning(embed);
    }
    questions
}
