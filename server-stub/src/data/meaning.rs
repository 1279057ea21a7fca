//! What the records and questions of a document mean.

use crate::embedding::embed;
use crate::model::organization::Organization;
use crate::model::product::Product;
use crate::model::question::Question;
use crate::model::search::Meaning;

/// Gives records their meaning.
pub(crate) trait Meanings {
    /// What an organization means: its name with its description, and its customer base.
    fn of_organization(&mut self, organization: &Organization) -> Meaning;

    /// What a product means: its name with its description, and its customer base.
    fn of_product(&mut self, product: &Product) -> Meaning;
}

/// Works the meanings out.
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
        of_texts(
            &product.name,
            &product.description,
            product.customer_base.as_deref(),
        )
    }
}

/// Features and categories stay out: looked for with other texts about them, records were found no
/// better with these, and single words such as `tools` drew in what has little to do with them.
fn of_texts(name: &str, description: &str, customer_base: Option<&str>) -> Meaning {
    Meaning {
        offer: embed(&format!("{name}. {description}")),
        customers: customer_base.map(embed),
    }
}

/// Questions that know what the texts of their rules mean.
pub(super) fn of_questions(questions: &[Question]) -> Vec<Question> {
    let mut questions = questions.to_vec();
    for question in &mut questions {
        question.give_meaning(embed);
    }
    questions
}
